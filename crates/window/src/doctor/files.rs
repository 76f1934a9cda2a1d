//! The folder of a familiar, its card, and files in it that nothing reads: mostly a slip in a name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::messages::{self, LeftOut};
use super::report::{CheckStatus, DoctorCheck};
use super::{machine, stores};
use crate::config::{Defaults, FamiliarHome, LiveConfig, PromptName, sidecars};
use crate::context::{CharacterSizes, character_sizes, room_of_scenario};
use crate::domain::{ChannelId, ChannelMode, FamiliarId, Layer, TokenEncoding};
use crate::familiar::{
    Character, FieldFile, LockPresence, broken_card, called, field_file_of, list_familiars, load_character,
    load_schedule, presence,
};
use crate::llm::{ModelFinding, ServerState};
use crate::text::tokens;

/// What may lie in a familiar's folder (docs/reference/files.md). Databases have companions of SQLite beside them.
const ROOT: [&str; 21] = [
    "character.toml",
    "subscriptions.toml",
    "schedule.md",
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
    "tool-use.tsv",
];

const DATABASES: [&str; 2] = ["history.db", "traces.db"];

/// What the program puts aside of its own when it cannot read it, for whoever wants to look: endings of names.
const ASIDE: [&str; 3] = [".json.unreadable", ".damaged.json", ".db.damaged"];

/// Files that are named one by one; beyond that it is somebody's archive.
const NAMED: usize = 8;

/// Blocks on the disk.
pub(super) fn examine_files(home: &FamiliarHome) -> Vec<DoctorCheck> {
    let mut unread: Vec<(PathBuf, Option<String>)> = Vec::new();
    let mut aside = Vec::new();
    for name in visible_names(home.root()) {
        if ASIDE.iter().any(|ending| name.ends_with(ending)) {
            aside.push(messages::file_put_aside(&home.root().join(&name)));
            continue;
        }
        let database = DATABASES.iter().any(|database| name.starts_with(database));
        if !database && !ROOT.contains(&name.as_str()) {
            unread.push((home.root().join(&name), likely(&name, ROOT.map(str::to_owned))));
        }
    }
    unread.extend(unread_in(&home.modes_dir(), &ChannelMode::ALL.map(|mode| format!("{mode}.md")), false));
    let prompts: Vec<String> = PromptName::ALL
        .iter()
        .map(|name| format!("{}.md", name.as_str()))
        .chain(["sections".to_owned()])
        .collect();
    unread.extend(unread_in(&home.prompts_dir(), &prompts, false));
    let modes = ChannelMode::ALL.map(|mode| mode.to_string());
    unread.extend(unread_in(&home.sections_dir(), &modes, true));
    for mode in &modes {
        unread.extend(unread_in(&home.sections_dir().join(mode), &[], true));
    }
    let imported = "imported".to_owned();
    unread.extend(unread_in(&home.skills_dir().join(&imported), &[], true));
    unread.extend(unread_in(&home.skills_dir(), &[imported], true));
    unread.extend(unread_in(&home.places_dir(), &[], true));
    for name in visible_names(&home.channels_dir()) {
        let stem = name.strip_suffix(".last-context.md").or_else(|| name.strip_suffix(".toml"));
        if stem.is_none_or(|stem| ChannelId::new(stem).is_err()) {
            unread.push((home.channels_dir().join(&name), None));
        }
    }
    for name in visible_names(&home.self_dir()) {
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

/// What the schedule says, where there is one. Blocks on the disk.
fn examine_schedule(home: &FamiliarHome) -> Vec<DoctorCheck> {
    match load_schedule(home) {
        Ok((schedule, problems)) if !problems.is_empty() || !schedule.is_empty() => {
            let wrong = problems.iter().map(|problem| messages::schedule_line_left_out(problem));
            let read = (!schedule.is_empty()).then(|| messages::schedule_check(schedule.len()));
            read.into_iter().chain(wrong).collect()
        }
        Ok(_) => Vec::new(),
        Err(refusal) => vec![messages::schedule_unreadable(&refusal.to_string())],
    }
}

/// By which clock it lives. Where that is nobody's, and something of its own goes by the hour, somebody will wonder. Blocks on
/// the disk.
fn examine_zone(home: &FamiliarHome, config: &LiveConfig) -> DoctorCheck {
    let zone = config.current().display_tz.clone();
    let zone = zone.iana_name().unwrap_or("UTC");
    if zone != "UTC" {
        return messages::lives_by(zone);
    }
    let has_hours = load_schedule(home).is_ok_and(|(schedule, _)| !schedule.is_empty())
        || !config.speaks_first_in().is_empty()
        || stores::has_reminders(home);
    if has_hours { messages::lives_by_utc() } else { messages::lives_by(zone) }
}

/// Files of a folder that nothing reads: they have none of these names, and are no page where any page is read.
fn unread_in(folder: &Path, known: &[String], any_page: bool) -> Vec<(PathBuf, Option<String>)> {
    visible_names(folder)
        .into_iter()
        .filter(|name| !(known.contains(name) || any_page && name.ends_with(".md")))
        .map(|name| (folder.join(&name), likely(&name, known.iter().cloned())))
        .collect()
}

/// Names in a folder, sorted; hidden ones belong to programs. None when there is no such folder.
fn visible_names(folder: &Path) -> Vec<String> {
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

/// Counts with the encoding of the model that will answer, which takes a moment: for a blocking thread.
pub(super) fn judge_card(
    character: &Character,
    config: &LiveConfig,
    model: Option<(ModelFinding, ServerState)>,
) -> Vec<DoctorCheck> {
    let encoding =
        model.as_ref().map_or(TokenEncoding::Estimate, |(model, _)| tokens::encoding_for_model(&model.model));
    let sizes = character_sizes(character, encoding);
    let used = modes_in_use(config);
    let mut checks: Vec<DoctorCheck> =
        ChannelMode::ALL.into_iter().map(|mode| judge_sizes(mode, sizes, config, &used)).collect();
    // A server that does not answer could have said what is only guessed without it.
    let known = model.filter(|(model, server)| !(model.window_is_guessed && server.is_away()));
    if let Some((model, _)) = known {
        checks.extend(judge_window(&model, sizes, config, &used));
    }
    checks
}

/// What of its card a familiar's model will not see in the modes in use, or not for long, one sentence each. Nothing where the
/// folder cannot be read. Blocks on the disk.
pub fn left_out_of_card(home: &FamiliarHome) -> Vec<String> {
    let config = LiveConfig::load(home.clone(), Defaults::embedded()).ok();
    let Some((config, character)) = config.zip(load_character(home).ok()) else { return Vec::new() };
    let checks = judge_card(&character, &config, None);
    checks.into_iter().filter(|check| check.status == CheckStatus::Warn).map(|check| check.message).collect()
}

/// The default mode, and those of the channels that have one of their own.
fn modes_in_use(config: &LiveConfig) -> BTreeSet<ChannelMode> {
    let own = sidecars(config.home()).into_iter().map(|channel| config.channel(&channel).mode);
    own.chain([config.current().default_mode]).collect()
}

fn judge_sizes(
    mode: ChannelMode,
    sizes: CharacterSizes,
    config: &LiveConfig,
    used: &BTreeSet<ChannelMode>,
) -> DoctorCheck {
    let current = config.current();
    let figures = current.modes.get(&mode);
    let cap =
        figures.map_or(Some(0), |figures| figures.layers.get(&Layer::Character).copied().unwrap_or(Some(0)));
    let total = sizes.pinned + sizes.scenario + sizes.examples;
    // Beyond its cap the scenario has what others leave; a layer that is left out has nothing.
    let reach = figures.map_or(0, |figures| room_of_scenario(figures.budget_tokens));
    let reach = reach.saturating_sub(sizes.program);
    let has_scenario = |cap: u32| cap > 0 && sizes.pinned + sizes.scenario <= cap.max(reach);
    let left = match cap {
        Some(cap) if sizes.scenario > 0 && !has_scenario(cap) => LeftOut::ScenarioAndExamples,
        Some(cap) if sizes.examples > 0 && total > cap => LeftOut::Examples,
        Some(cap) if sizes.pinned > cap => LeftOut::Overfull,
        _ => LeftOut::Nothing,
    };
    messages::card_size(mode, total, cap, left, used.contains(&mode))
}

fn judge_window(
    model: &ModelFinding,
    sizes: CharacterSizes,
    config: &LiveConfig,
    used: &BTreeSet<ChannelMode>,
) -> Vec<DoctorCheck> {
    let current = config.current();
    let figures = || used.iter().filter_map(|mode| Some((*mode, current.modes.get(mode)?)));
    let card = sizes.pinned + sizes.program;
    let is_tight = |reserve: u32| card.saturating_add(reserve) > model.window;
    if let Some((mode, tight)) = figures().find(|(_, mode)| is_tight(mode.reserve_tokens)) {
        return vec![messages::window_below_card(model, mode, card, tight.reserve_tokens)];
    }
    let mut checks = Vec::new();
    if model.window_is_guessed {
        checks.push(messages::window_guessed(&model.model, model.window));
    }
    let wanted = |mode: &crate::config::ModeConfig| mode.budget_tokens.saturating_add(mode.reserve_tokens);
    match figures().max_by_key(|(_, mode)| wanted(mode)).filter(|(_, mode)| wanted(mode) > model.window) {
        Some((name, mode)) => {
            checks.push(messages::window_below_budget(model, name, wanted(mode)));
        }
        None if checks.is_empty() => checks.push(messages::window_check(&model.model, model.window)),
        None => {}
    }
    checks
}

/// What the folder holds, as far as it can be read.
#[derive(Debug, Default)]
pub(super) struct Home {
    pub checks: Vec<DoctorCheck>,
    /// Absent when there is none.
    pub place: Option<FamiliarHome>,
    /// Absent when the settings are broken; the defaults where there is no familiar.
    pub config: Option<Arc<LiveConfig>>,
    /// Absent when it cannot be read.
    pub character: Option<Character>,
}

impl Home {
    /// Blocks on the disk.
    pub(super) fn look(data_dir: &Path, wanted: Option<&str>, defaults_dir: Option<PathBuf>) -> Self {
        let mut found = Self::default();
        let id = match chosen_familiar(data_dir, wanted) {
            Ok(id) => id,
            Err(check) => {
                found.checks.push(check);
                found.settings_of_nobody(data_dir, defaults_dir);
                return found;
            }
        };
        let home = FamiliarHome::new(data_dir, &id);
        found.checks.push(messages::familiar(&id, home.root()));
        found.checks.extend(machine::familiar_folder(&home));
        found.place = Some(home.clone());
        found.settings(&home, defaults_dir.map_or_else(Defaults::embedded, Defaults::from_dir));
        found.character(&home);
        found.checks.extend(found.config.as_ref().map(|config| examine_zone(&home, config)));
        found.checks.extend(examine_schedule(&home));
        found.checks.extend(examine_files(&home));
        found.checks.extend(stores::notes_on_disk(&home));
        found.checks.extend(stores::unwritten_check(&home));
        found.checks.push(match presence(&home) {
            Ok(LockPresence::Running { pid }) => messages::running(pid),
            Ok(LockPresence::Resting) => messages::not_running(),
            Err(error) => messages::lock_unreadable(&error.to_string()),
        });
        found
    }

    /// Token and key can be looked at before anybody has moved in: the defaults say where.
    fn settings_of_nobody(&mut self, data_dir: &Path, defaults_dir: Option<PathBuf>) {
        let defaults = defaults_dir.map_or_else(Defaults::embedded, Defaults::from_dir);
        self.config = FamiliarId::new("nobody")
            .ok()
            .and_then(|nobody| LiveConfig::load(FamiliarHome::new(data_dir, &nobody), defaults).ok());
    }

    fn settings(&mut self, home: &FamiliarHome, defaults: Defaults) {
        let config = match LiveConfig::load(home.clone(), defaults) {
            Ok(config) => config,
            Err(error) => {
                let lines = error.lines();
                return self.checks.extend(lines.iter().map(|line| messages::settings_stop_the_start(line)));
            }
        };
        let sidecars = sidecars(home);
        for channel in &sidecars {
            // Reading it is what finds its mistakes.
            let _ = config.channel(channel);
        }
        let mistakes: Vec<String> = config.mistakes().iter().flat_map(|error| error.lines()).collect();
        if mistakes.is_empty() {
            self.checks.push(messages::settings_check(sidecars.len()));
        }
        self.checks.extend(mistakes.iter().map(|line| messages::settings_not_taken(line)));
        self.config = Some(config);
    }

    fn character(&mut self, home: &FamiliarHome) {
        match load_character(home) {
            Ok(character) => {
                self.checks.push(if character.description.trim().is_empty() {
                    messages::character_says_nothing(home.id(), &character.name)
                } else {
                    messages::character_check(&character.name, character.greetings.len())
                });
                self.checks.extend(broken_card(home).map(|why| messages::card_unreadable(home.id(), &why)));
                self.character = Some(character);
            }
            Err(refusal) => self.checks.push(messages::character_unreadable(home.id(), &refusal.to_string())),
        }
    }
}

/// As `familiar run` chooses, except that nobody moves in.
fn chosen_familiar(data_dir: &Path, wanted: Option<&str>) -> Result<FamiliarId, DoctorCheck> {
    let here =
        list_familiars(data_dir).map_err(|refusal| messages::familiars_unreadable(&refusal.to_string()))?;
    let names = || here.iter().map(|known| known.id.to_string()).collect::<Vec<_>>();
    match (wanted, here.as_slice()) {
        (Some(name), known) => match called(known, name)[..] {
            [known] => Ok(known.id.clone()),
            [] => Err(FamiliarId::new(name).map_or_else(
                |invalid| messages::familiars_unreadable(&invalid.to_string()),
                |id| messages::unknown_familiar(&id, &names()),
            )),
            ref alike => {
                let ids: Vec<String> = alike.iter().map(|one| one.id.to_string()).collect();
                Err(messages::several_familiars(&ids))
            }
        },
        (None, [only]) => Ok(only.id.clone()),
        (None, []) => Err(messages::no_familiar(&data_dir.join("familiars"))),
        (None, _) => Err(messages::several_familiars(&names())),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::domain::FamiliarId;

    /// The first column of the table of a familiar's files.
    fn documented() -> BTreeSet<String> {
        let page = include_str!("../../../../docs/reference/files.md");
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
    fn a_long_card_is_told_what_of_it_the_model_will_not_see() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
        let mode = ChannelMode::TextConversationRp;
        let told = |pinned, scenario, examples| {
            let sizes = CharacterSizes { program: 220, pinned, scenario, examples };
            judge_sizes(mode, sizes, &config, &BTreeSet::from([mode])).message
        };
        // Beside 3,900 tokens of a card there is room for a short scenario in 6,000, and for no long one.
        assert!(told(3_900, 40, 120).ends_with("so example dialogue leaves as the conversation grows"));
        assert!(told(3_900, 1_000, 0).ends_with("so the scenario and example dialogue will be left out"));
        assert!(told(3_900, 40, 0).ends_with("so the conversation gets less room"));
        assert!(told(1_000, 40, 100).ends_with("text_conversation_rp keeps 1200 for it"));
    }

    #[test]
    fn what_was_put_aside_is_no_slip_in_a_name() {
        let data = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(data.path(), &FamiliarId::new("ada").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        for name in ["usage.json.unreadable", "transcripts.damaged.json"] {
            std::fs::write(home.root().join(name), "{").unwrap();
        }
        let told: Vec<String> = examine_files(&home).into_iter().map(|check| check.message).collect();
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
        let told: Vec<String> = examine_files(&home)
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
