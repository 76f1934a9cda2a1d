//! The example characters that come inside the program, so that a first start has somebody to talk with.
//!
//! Owns their bytes and how they are handed to the importer, which treats them as it treats any card. Must not know
//! when one is wanted. Start reading at [`Example`].

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use anyhow::Context as _;
use jiff::tz::TimeZone;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::config::FamiliarHome;
use crate::domain::FamiliarId;
use crate::familiar::{ImportReport, ImportStatus, InitRequest, init, lives_by_clock_of};
use crate::home::write_atomic;

/// A character of ours, as it lies in `familiars/<id>/`.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// Its id, which is also its folder's name.
    pub id: &'static str,
    pub name: &'static str,
    /// Its files by name. One PNG is a PNG card; a `card.json` with others is a CHARX card that is not zipped.
    pub files: &'static [(&'static str, &'static [u8])],
    /// What it does at which hours.
    pub schedule: &'static str,
}

macro_rules! files {
    ($id:literal: $($name:literal),+) => {
        &[$(($name, include_bytes!(concat!("../../familiars/", $id, "/", $name)))),+]
    };
}

macro_rules! schedule {
    ($id:literal) => {
        include_str!(concat!("../../familiars/", $id, "/schedule.md"))
    };
}

/// Who moves in where nobody lives yet.
pub const FIRST: Example = Example {
    id: "pell",
    name: "Pell",
    files: files!("pell": "card.json", "avatar.png"),
    schedule: schedule!("pell"),
};

/// All of them, the one of a first start in front.
pub const EXAMPLES: &[Example] = &[
    FIRST,
    Example {
        id: "tarry",
        name: "Mr Tarry",
        files: files!("tarry": "tarry.png"),
        schedule: schedule!("tarry"),
    },
    Example {
        id: "squall",
        name: "Squall",
        files: files!("squall": "card.json", "avatar.png"),
        schedule: schedule!("squall"),
    },
];

pub fn example(id: &str) -> Option<Example> {
    EXAMPLES.iter().find(|example| example.id == id).copied()
}

impl Example {
    /// Imports it under its id. Where it already is, nothing changes.
    ///
    /// # Errors
    /// When the data folder cannot be written, or another card lives under the id.
    pub fn install(&self, data_dir: &Path) -> anyhow::Result<ImportReport> {
        let (name, bytes) = self.card()?;
        let folder = tempfile::tempdir().context("making a temporary folder")?;
        let file = folder.path().join(name);
        fs::write(&file, bytes).with_context(|| format!("writing {}", file.display()))?;
        let request = InitRequest {
            id: Some(FamiliarId::new(self.id)?),
            ..InitRequest::new(file, data_dir.to_owned())
        };
        let report = init(&request, |_| ()).with_context(|| format!("installing {}", self.name))?;
        let schedule = FamiliarHome::new(data_dir, &report.id).schedule_md();
        if !schedule.exists() {
            write_atomic(&schedule, self.schedule)
                .with_context(|| format!("writing {}", schedule.display()))?;
        }
        Ok(report)
    }

    /// The same for good: one that is new lives by the clock of this machine.
    ///
    /// # Errors
    /// As [`Self::install`].
    pub fn moves_in(&self, data_dir: &Path) -> anyhow::Result<ImportReport> {
        let report = self.install(data_dir)?;
        if report.status == ImportStatus::Created {
            let home = FamiliarHome::new(data_dir, &report.id);
            lives_by_clock_of(&home, &TimeZone::system()).context("writing its time zone")?;
        }
        Ok(report)
    }

    /// One file that any card reader takes.
    ///
    /// # Errors
    /// When it cannot be packed.
    pub fn card(&self) -> anyhow::Result<(String, Vec<u8>)> {
        if let [(name, bytes)] = self.files {
            return Ok(((*name).to_owned(), bytes.to_vec()));
        }
        // Stored and undated, so that the same files always make the same card: a second install is then seen as one.
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in self.files {
            zip.start_file(*name, options)?;
            zip.write_all(bytes)?;
        }
        Ok((format!("{}.charx", self.id), zip.finish()?.into_inner()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::TokenEncoding;
    use crate::familiar::{Character, list_familiars, load_schedule, read_card};
    use crate::text::tokens;

    #[test]
    fn every_example_installs_once_and_is_listed() {
        let data = tempfile::tempdir().unwrap();
        for example in EXAMPLES {
            let installed = example.install(data.path()).unwrap();
            assert_eq!((installed.id.as_str(), installed.name.as_str()), (example.id, example.name));
        }
        let listed = list_familiars(data.path()).unwrap();
        let mut ids: Vec<&str> = EXAMPLES.iter().map(|example| example.id).collect();
        ids.sort_unstable();
        assert_eq!(listed.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ids);
        for row in &listed {
            assert_eq!((row.problem.as_deref(), row.lorebooks), (None, 1), "{}", row.id);
            let home = FamiliarHome::new(data.path(), &row.id);
            assert!(home.self_dir().join("assets/avatar.png").is_file(), "{}: no avatar", row.id);
            let (schedule, problems) = load_schedule(&home).unwrap();
            assert_eq!((schedule.len(), problems), (2, Vec::new()), "{}", row.id);
        }
    }

    #[test]
    fn a_second_install_leaves_edits_alone() {
        let data = tempfile::tempdir().unwrap();
        let first = FIRST;
        let installed = first.install(data.path()).unwrap();
        let scenario = FamiliarHome::new(data.path(), &installed.id).self_dir().join("scenario.md");
        fs::write(&scenario, "A quieter rock.\n").unwrap();
        let schedule = FamiliarHome::new(data.path(), &installed.id).schedule_md();
        fs::write(&schedule, "- 10:00-11:00 busy\n").unwrap();
        assert_eq!(first.install(data.path()).unwrap().id, installed.id);
        assert_eq!(fs::read_to_string(&scenario).unwrap(), "A quieter rock.\n");
        assert_eq!(fs::read_to_string(&schedule).unwrap(), "- 10:00-11:00 busy\n");
    }

    /// A text channel gives the character 1,200 tokens (familiar-connect 1.4); what never leaves must fit well
    /// within, or the examples of speech would be the first to go in the default mode.
    #[test]
    fn every_example_reads_cleanly_and_fits_a_text_channel() {
        for example in EXAMPLES {
            let (_, bytes) = example.card().unwrap();
            let card = read_card(&bytes).unwrap();
            assert_eq!(card.warnings, Vec::<String>::new(), "{}", example.id);
            assert!(card.greetings().count() >= 2, "{}", example.id);
            assert_eq!(card.group_only_greetings.len(), 1, "{}", example.id);
            assert!(card.avatar.is_some_and(|picture| picture.extension == "png"), "{}", example.id);
            let character = Character::from(&read_card(&bytes).unwrap());
            let lasting = [&character.description, &character.personality, &character.scenario]
                .map(|field| tokens::count(TokenEncoding::Cl100k, field))
                .iter()
                .sum::<u32>();
            let all = lasting + tokens::count(TokenEncoding::Cl100k, &character.mes_example);
            assert!(lasting < 700 && all < 1200, "{}: {lasting} and {all} tokens", example.id);
        }
    }

    #[test]
    fn the_png_card_says_the_same_in_both_generations() {
        let (_, bytes) = example("tarry").unwrap().card().unwrap();
        let newest = read_card(&bytes).unwrap();
        // Without its ccv3 chunk the V2 one is read.
        let at = bytes.windows(5).position(|window| window == b"ccv3\0").unwrap();
        let mut older = bytes.clone();
        older[at..at + 4].copy_from_slice(b"gone");
        let older = read_card(&older).unwrap();
        assert_eq!((newest.spec.as_str(), older.spec.as_str()), ("v3", "v2"));
        assert_eq!(older.description, newest.description);
        assert_eq!(older.first_mes, newest.first_mes);
        assert_eq!(older.depth_prompt, newest.depth_prompt);
        assert_eq!(older.book.map(|book| book.entries.len()), newest.book.map(|book| book.entries.len()));
    }
}
