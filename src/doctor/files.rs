//! Files of a familiar that nothing reads: mostly a slip in a name.

use std::path::{Path, PathBuf};

use super::messages;
use super::report::Check;
use crate::config::FamiliarHome;
use crate::config::PromptName;
use crate::domain::{ChannelId, ChannelMode};
use crate::familiar::{FieldFile, field_file_of};

/// What may lie in a familiar's folder (docs/reference/files.md). Databases have companions of SQLite beside them.
const ROOT: [&str; 19] = [
    "character.toml",
    "subscriptions.toml",
    "channels",
    "modes",
    "prompts",
    "skills",
    "places",
    "memory",
    "backups",
    "forgotten",
    "replays",
    "import-report.md",
    "transcripts.json",
    "pairing.json",
    "connection.json",
    "usage.json",
    "models.json",
    "templates.json",
    "token_ratios.json",
];

const DATABASES: [&str; 2] = ["history.db", "traces.db"];

/// What the program puts aside of its own when it cannot read it, for whoever wants to look: endings of names.
const ASIDE: [&str; 3] = [".json.unreadable", ".damaged.json", ".db.damaged"];

/// Files that are named one by one; beyond that it is somebody's archive.
const NAMED: usize = 8;

/// Blocks on the disk.
pub(super) fn look(home: &FamiliarHome) -> Vec<Check> {
    let mut unread: Vec<(PathBuf, Option<String>)> = Vec::new();
    let mut aside = Vec::new();
    for name in names(home.root()) {
        if ASIDE.iter().any(|ending| name.ends_with(ending)) {
            aside.push(messages::file_put_aside(&home.root().join(&name)));
            continue;
        }
        let database = DATABASES.iter().any(|database| name.starts_with(database));
        if !database && !ROOT.contains(&name.as_str()) {
            unread.push((home.root().join(&name), likely(&name, ROOT.map(str::to_owned))));
        }
    }
    let modes = ChannelMode::ALL.map(|mode| format!("{mode}.md"));
    for name in names(&home.modes_dir()) {
        if !modes.contains(&name) {
            unread.push((home.modes_dir().join(&name), likely(&name, modes.clone())));
        }
    }
    let prompts: Vec<String> = PromptName::ALL
        .iter()
        .map(|name| format!("{}.md", name.as_str()))
        .chain(["sections".to_owned()])
        .collect();
    for name in names(&home.prompts_dir()) {
        if !prompts.contains(&name) {
            unread.push((home.prompts_dir().join(&name), likely(&name, prompts.clone())));
        }
    }
    let modes = ChannelMode::ALL.map(|mode| mode.to_string());
    unread.extend(no_pages(&home.sections_dir(), &modes));
    for mode in &modes {
        unread.extend(no_pages(&home.sections_dir().join(mode), &[]));
    }
    let imported = "imported".to_owned();
    unread.extend(no_pages(&home.skills_dir().join(&imported), &[]));
    unread.extend(no_pages(&home.skills_dir(), &[imported]));
    unread.extend(no_pages(&home.places_dir(), &[]));
    for name in names(&home.channels_dir()) {
        let stem = name.strip_suffix(".last-context.md").or_else(|| name.strip_suffix(".toml"));
        if stem.is_none_or(|stem| ChannelId::new(stem).is_err()) {
            unread.push((home.channels_dir().join(&name), None));
        }
    }
    for name in names(&home.self_dir()) {
        match field_file_of(&name) {
            FieldFile::Read => {}
            FieldFile::Unread { known } => {
                unread.push((home.self_dir().join(&name), likely(&name, known)));
            }
        }
    }
    if unread.is_empty() && aside.is_empty() {
        return vec![messages::files_all_known()];
    }
    let unread =
        unread.iter().take(NAMED).map(|(path, meant)| messages::file_not_read(path, meant.as_deref()));
    unread.chain(aside).collect()
}

/// What lies among Markdown files and is none, nor one of the folders that may be there.
fn no_pages(folder: &Path, folders: &[String]) -> Vec<(PathBuf, Option<String>)> {
    names(folder)
        .into_iter()
        .filter(|name| !name.ends_with(".md") && !folders.contains(name))
        .map(|name| (folder.join(&name), likely(&name, folders.iter().cloned())))
        .collect()
}

/// Names in a folder, sorted; hidden ones belong to programs. None when there is no such folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort();
    names
}

/// The known name that was probably meant.
fn likely(written: &str, known: impl IntoIterator<Item = String>) -> Option<String> {
    let written = written.to_lowercase().replace('-', "_");
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&written, &name), name))
        .filter(|(likeness, _)| *likeness >= 0.85)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::FamiliarId;

    /// The first column of the table of a familiar's files.
    fn documented() -> BTreeSet<String> {
        let page = include_str!("../../docs/reference/files.md");
        let table = page.split("Beside `familiars/`").next().unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next());
        let names = rows.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        // Hidden ones belong to programs, and companions of databases go with them.
        let names = names.filter(|name| !ASIDE.iter().any(|ending| name.ends_with(ending)));
        let names =
            names.filter(|name| !name.starts_with(['.', '*'])).filter_map(|name| name.split('/').next());
        names.map(str::to_owned).collect()
    }

    #[test]
    fn no_file_that_the_reference_names_is_one_to_move_away_and_every_known_one_is_in_it() {
        let documented = documented();
        assert!(documented.len() > 12, "{documented:?}");
        let known: BTreeSet<String> = ROOT.into_iter().chain(DATABASES).map(str::to_owned).collect();
        assert_eq!(documented, known);
    }

    #[test]
    fn what_was_put_aside_is_no_slip_in_a_name() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        for name in ["usage.json.unreadable", "transcripts.damaged.json"] {
            std::fs::write(home.root().join(name), "{").unwrap();
        }
        let told: Vec<String> = look(&home).into_iter().map(|check| check.message).collect();
        let told = told.join("\n").replace(&home.root().display().to_string(), "~");
        assert_eq!(
            told,
            "~/transcripts.damaged.json could not be read and was put aside; the program went on without it\n\
             ~/usage.json.unreadable could not be read and was put aside; the program went on without it"
        );
    }

    #[test]
    fn a_slip_in_a_name_is_found_and_the_right_name_said() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        for (path, text) in [
            ("character.toml", ""),
            ("charactr.toml", ""),
            ("history.db-wal", ""),
            (".lock", ""),
            ("modes/full-rp.md", ""),
            ("modes/full_rp.md", ""),
            ("prompts/axiom.md", ""),
            ("prompts/main.md", ""),
            ("prompts/sections/house.md", ""),
            ("prompts/sections/imitate_voice/house.md", ""),
            ("prompts/sections/full-rp/house.md", ""),
            ("skills/quiz.txt", ""),
            ("skills/imported/ghosts.md", ""),
            ("places/guild-7.md", ""),
            ("channels/12.toml", ""),
            ("channels/12.last-context.md", ""),
            ("channels/general room.toml", ""),
            ("memory/self/description.md", ""),
            ("memory/self/depth_prompt.md", ""),
            ("memory/self/personalty.md", ""),
            ("memory/self/card.json", ""),
        ] {
            let path = home.root().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let told: Vec<String> = look(&home)
            .into_iter()
            .map(|check| {
                let message = check.message.replace(&home.root().display().to_string(), "~");
                format!("{message}; {}", check.advice.unwrap())
            })
            .collect();
        assert_eq!(
            told,
            [
                "nothing reads ~/charactr.toml; rename it, if character.toml was meant; else move it elsewhere",
                "nothing reads ~/modes/full-rp.md; rename it, if full_rp.md was meant; else move it elsewhere",
                "nothing reads ~/prompts/axiom.md; rename it, if axioms.md was meant; else move it elsewhere",
                "nothing reads ~/prompts/sections/full-rp; rename it, if full_rp was meant; else move it elsewhere",
                "nothing reads ~/skills/quiz.txt; move it elsewhere, or see the reference for the names that are \
                 read",
                "nothing reads ~/channels/general room.toml; move it elsewhere, or see the reference for the names \
                 that are read",
                "nothing reads ~/memory/self/personalty.md; rename it, if personality.md was meant; else move it \
                 elsewhere",
            ]
        );
    }
}
