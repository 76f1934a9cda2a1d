//! Every sentence of the doctor. A line that warns or fails ends with what to do.

mod discord;
mod models;
mod stores;
mod today;

use std::io;
use std::path::Path;

use jiff::SignedDuration;

pub(super) use discord::*;
pub(super) use models::*;
pub(super) use stores::*;
pub(super) use today::*;

use super::ReportScreen;
use super::report::{CheckStatus, DoctorCheck, DoctorReport, Remedy};
use crate::config::OPERATOR_TOKEN_CHARS;
use crate::domain::{ChannelMode, FamiliarId};
use crate::history::Unstored;
use crate::home::for_a_shell;
use crate::llm::NetworkUse;
use crate::mcp::{McpState, McpTrouble, ServerFindings};
use crate::text::short::counted;

const MIB: u64 = 1024 * 1024;

/// What ends an advice where no server could be asked: whoever calls the doctor at a shell has another way, and no page has it.
fn or_offline(screen: ReportScreen) -> &'static str {
    match screen {
        ReportScreen::Terminal | ReportScreen::Elsewhere => "; or skip this with --offline",
        ReportScreen::Window | ReportScreen::Setup => "",
    }
}

pub(super) fn environment_unreadable(reason: &str, file: Option<io::ErrorKind>) -> DoctorCheck {
    let mend = match file {
        None => "mend that line of .env",
        Some(io::ErrorKind::InvalidData) => "save .env as UTF-8",
        Some(_) => "let this user read .env",
    };
    DoctorCheck::fail("environment", reason, format!("{mend}; nothing of the environment was used here"))
}

pub(super) fn environment_misspelt(written: &str, meant: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "environment",
        format!("nothing reads {written} in .env"),
        format!("did you mean {meant}? Then rename it"),
    )
}

pub(super) fn environment_readable(path: &Path) -> DoctorCheck {
    DoctorCheck::warn(
        "environment",
        format!("others on this machine can read {}, and keys stand in it", path.display()),
        format!("take that right away with: chmod 600 {}", path.display()),
    )
}

/// What depends on keys and names of the environment.
pub(super) fn needs_environment(name: &'static str) -> DoctorCheck {
    DoctorCheck::skipped(name, "not looked at: .env cannot be read")
}

pub(super) fn familiar(id: &FamiliarId, root: &Path) -> DoctorCheck {
    DoctorCheck::ok("familiar", format!("{id} in {}", root.display()))
}

pub(super) fn no_familiar(folder: &Path) -> DoctorCheck {
    DoctorCheck::warn(
        "familiar",
        format!("there is none in {} yet", folder.display()),
        "make one with: familiar init <card>; or run `familiar run`, and the bundled example moves in",
    )
}

pub(super) fn unknown_familiar(id: &FamiliarId, names: &[String]) -> DoctorCheck {
    let there = if names.is_empty() { "nobody lives here yet".to_owned() } else { names.join(", ") };
    DoctorCheck::fail(
        "familiar",
        format!("there is no {id} (here: {there})"),
        "name another with --familiar or FAMILIAR_ID, or make it with: familiar init <card>",
    )
}

pub(super) fn several_familiars(names: &[String]) -> DoctorCheck {
    DoctorCheck::fail(
        "familiar",
        format!("several live here: {}", names.join(", ")),
        "name one with --familiar or FAMILIAR_ID",
    )
}

pub(super) fn familiars_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::fail("familiar", reason, "check --data-dir, --familiar and the folder's permissions")
}

pub(super) fn settings_check(sidecars: usize) -> DoctorCheck {
    DoctorCheck::ok(
        "settings",
        match sidecars {
            0 => "character.toml and subscriptions.toml are in order".to_owned(),
            1 => "character.toml, subscriptions.toml and one channel's file are in order".to_owned(),
            many => format!("character.toml, subscriptions.toml and {many} channels' files are in order"),
        },
    )
}

pub(super) fn settings_stop_the_start(mistake: &str) -> DoctorCheck {
    let check = DoctorCheck::fail("settings", mistake, "fix this; it cannot start until then");
    check.mended_by(Remedy::Settings)
}

pub(super) fn settings_not_taken(mistake: &str) -> DoctorCheck {
    let advice = "fix this; older settings or the defaults hold until then";
    DoctorCheck::warn("settings", mistake, advice).mended_by(Remedy::Settings)
}

pub(super) fn character_check(name: &str, greetings: usize) -> DoctorCheck {
    DoctorCheck::ok("character", format!("{name}, {}", counted(greetings as u64, "greeting")))
}

pub(super) fn character_unreadable(id: &FamiliarId, reason: &str) -> DoctorCheck {
    let advice = format!("mend that file, or import the card again: {}", imports_again(id));
    DoctorCheck::fail("character", reason, advice)
}

/// How this familiar takes a card: by its name alone a card may be another's.
fn imports_again(id: &FamiliarId) -> String {
    format!("familiar init <card> --id {id} --overwrite")
}

/// It talks as before, but for the one macro.
pub(super) fn card_unreadable(id: &FamiliarId, reason: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "character",
        format!(
            "{reason}; {{{{charVersion}}}} is empty, and an export lacks the parts of the card that are in no other file, such as \
             its extensions"
        ),
        format!("mend that file, or import the card again, which keeps your edits: {}", imports_again(id)),
    )
}

pub(super) fn lives_by(zone: &str) -> DoctorCheck {
    DoctorCheck::ok("time zone", format!("it lives by the clock of {zone} (display_tz)"))
}

pub(super) fn lives_by_utc() -> DoctorCheck {
    DoctorCheck::warn(
        "time zone",
        "its clock is UTC, but its schedule, reminders or own messages go by local time",
        "name yours in character.toml, as in: display_tz = \"Europe/Berlin\"",
    )
    .mended_by(Remedy::Settings)
}

pub(super) fn schedule_check(parts: usize) -> DoctorCheck {
    let parts = counted(parts as u64, "part");
    DoctorCheck::ok("schedule", format!("its day has {parts} that can be read (schedule.md)"))
}

pub(super) fn schedule_line_left_out(problem: &str) -> DoctorCheck {
    DoctorCheck::warn("schedule", format!("schedule.md, {problem}"), "mend that line; the others hold")
}

pub(super) fn schedule_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "schedule",
        reason,
        "see to it that schedule.md can be read; until then it has no hours of its own",
    )
}

pub(super) fn character_says_nothing(id: &FamiliarId, name: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "character",
        format!("{name} has no description: nothing tells the model who it is"),
        format!("write memory/self/description.md, or import a card with: {}", imports_again(id)),
    )
}

pub(super) fn embeddings_off() -> DoctorCheck {
    DoctorCheck::ok("embeddings", "switched off: memory is searched by words alone")
}

/// A model of our own that is a folder of files.
pub(super) struct LocalModel {
    name: &'static str,
    /// Its table in the settings.
    table: &'static str,
    /// How it goes without.
    without: &'static str,
    /// What to do where the files cannot be used.
    mend: &'static str,
}

pub(super) const EMBEDDINGS: LocalModel = LocalModel {
    name: "embeddings",
    table: "memory.embeddings",
    without: "memory is searched by words alone",
    mend: "mend memory.embeddings.model and memory.embeddings.revision",
};

pub(super) const RERANKER: LocalModel = LocalModel {
    name: "reranker",
    table: "providers.recall.rerank",
    without: "finds stay in the order they have",
    mend: "put a cross-encoder's files there, such as those of cross-encoder/ms-marco-MiniLM-L6-v2, leave providers.recall.rerank.folder empty to have them fetched, or set providers.recall.rerank.enabled = false",
};

impl LocalModel {
    pub(super) fn here(&self, folder: &Path) -> DoctorCheck {
        DoctorCheck::ok(self.name, format!("the model is in {}", folder.display()))
    }

    pub(super) fn to_be_fetched(&self, model: &str, endpoint: &str) -> DoctorCheck {
        DoctorCheck::skipped(
            self.name,
            format!(
                "the model's files are not here yet, and until they are, {}; {model} is fetched from {endpoint} at the next \
                 start that reaches it",
                self.without
            ),
        )
    }

    pub(super) fn not_here(&self) -> DoctorCheck {
        let Self { name, table, without, .. } = self;
        DoctorCheck::warn(
            name,
            format!("the model's files are not here, and nothing is fetched: {without}"),
            format!("name a folder with them in {table}.folder, or set {table}.enabled = false"),
        )
    }

    pub(super) fn folder_lacks(&self, folder: &Path, file: &str) -> DoctorCheck {
        let Self { name, table, without, .. } = self;
        DoctorCheck::warn(
            name,
            format!("there is no {file} in {}: {without}", folder.display()),
            format!("put the model's files there, or leave {table}.folder empty to have them fetched"),
        )
    }

    pub(super) fn unusable(&self, reason: &str) -> DoctorCheck {
        DoctorCheck::warn(self.name, format!("{reason}: {}", self.without), self.mend)
    }
}

/// What a mode's character layer does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    Nothing,
    Examples,
    ScenarioAndExamples,
    /// What never leaves is itself too large.
    Overfull,
}

pub(super) fn card_size(
    mode: ChannelMode,
    tokens: u32,
    kept: Option<u32>,
    left: LeftOut,
    is_used: bool,
) -> DoctorCheck {
    let Some(cap) = kept else {
        return DoctorCheck::ok(
            "card_size",
            format!("the card takes {tokens} tokens; {mode} has no limit for it"),
        );
    };
    let card = format!("the card takes {tokens} tokens; {mode} keeps {cap} for it");
    let why = match left {
        LeftOut::Nothing => return DoctorCheck::ok("card_size", card),
        LeftOut::Examples => "so example dialogue leaves as the conversation grows",
        LeftOut::ScenarioAndExamples => "so the scenario and example dialogue will be left out",
        LeftOut::Overfull => "and what never leaves it is more than that, so the conversation gets less room",
    };
    if !is_used {
        return DoctorCheck::ok("card_size", format!("{card}, {why} (nothing uses this mode now)"));
    }
    DoctorCheck::warn(
        "card_size",
        format!("{card}, {why}"),
        format!("raise modes.{mode}.layers.character, or shorten the card"),
    )
}

pub(super) fn files_all_known() -> DoctorCheck {
    DoctorCheck::ok("files", "every file of the familiar is one that is read")
}

pub(super) fn file_not_read(path: &Path, meant: Option<&str>) -> DoctorCheck {
    DoctorCheck::warn(
        "files",
        format!("nothing reads {}", path.display()),
        match meant {
            Some(meant) => format!("rename it, if {meant} was meant; else move it elsewhere"),
            None => "move it elsewhere, or see the reference for the names that are read".to_owned(),
        },
    )
}

pub(super) fn file_put_aside(path: &Path) -> DoctorCheck {
    DoctorCheck::warn(
        "files",
        format!("{} could not be read and was put aside; the program went on without it", path.display()),
        "see whether something of it is still wanted, then delete it",
    )
}

pub(super) fn notes_sound(notes: usize) -> DoctorCheck {
    let many = if notes == 1 {
        "one note, every line of it".to_owned()
    } else {
        format!("{notes} notes, every line of them")
    };
    DoctorCheck::ok("notes", format!("{many} can be read"))
}

pub(super) fn notes_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::fail("notes", reason, "check the permissions of the memory folder")
}

pub(super) fn note_broken(file: &Path, line: Option<u32>, reason: &str) -> DoctorCheck {
    let place = match line {
        Some(line) => format!("{} line {line}", file.display()),
        None => file.display().to_string(),
    };
    DoctorCheck::warn("notes", format!("{place}: {reason}"), "mend it; until then it is kept from everybody")
}

pub(super) fn notes_broken_too(more: usize) -> DoctorCheck {
    DoctorCheck::warn("notes", format!("{more} more lines or notes cannot be read"), "mend those above first")
}

pub(super) fn memories_given_up(stretches: usize) -> DoctorCheck {
    let what = if stretches == 1 { "one stretch" } else { "some stretches" };
    DoctorCheck::warn(
        "memories",
        format!(
            "no memories could be made of {what} of what was said ({stretches}), though it was tried for days"
        ),
        "look with `familiar memory unwritten`, choose another model for `memory_writer`, then \
         `familiar memory unwritten --again`",
    )
    .mended_by(Remedy::Models)
}

/// How a server is that gives it tools.
pub(super) fn mcp_check(server: &str, state: &McpState) -> DoctorCheck {
    let again = "mend what it says, or look at mcp.<name> in character.toml";
    match state {
        McpState::Connecting => DoctorCheck::ok("mcp", format!("{server} is being connected")),
        McpState::Connected { given, listed } => DoctorCheck::ok(
            "mcp",
            format!("{server} is connected and gives {given} of its {}", counted(*listed as u64, "tool")),
        ),
        McpState::Waits { why } => {
            DoctorCheck::warn("mcp", format!("{server} is not connected and is tried again: {why}"), again)
        }
        McpState::Rests { why } => {
            let message = format!("{server} is left alone until its settings change: {why}");
            DoctorCheck::fail("mcp", message, again)
        }
    }
}

pub(super) fn running(pid: Option<u32>) -> DoctorCheck {
    DoctorCheck::ok(
        "process",
        pid.map_or_else(|| "it is running".to_owned(), |pid| format!("it is running, as process {pid}")),
    )
}

pub(super) fn not_running() -> DoctorCheck {
    DoctorCheck::ok("process", "it is not running now")
}

pub(super) fn lock_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::warn("process", reason, "check the permissions of the familiar's folder")
}

pub(super) fn data_folder(folder: &Path) -> DoctorCheck {
    DoctorCheck::ok("data_folder", format!("{} can be written", folder.display()))
}

pub(super) fn data_folder_not_writable(folder: &Path, reason: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "data_folder",
        format!("{} cannot be written: {reason}", folder.display()),
        "give this user the right to write there, or choose another folder with --data-dir or FAMILIAR_DATA",
    )
}

/// `path` is the folder or in it.
pub(super) fn familiar_not_writable(path: &Path, root: &Path, reason: &str) -> DoctorCheck {
    let owned = format!("sudo chown -R \"$(id -un)\" {}", for_a_shell(&root.display().to_string()));
    DoctorCheck::fail(
        "familiar",
        format!("{} cannot be written: {reason}", path.display()),
        format!(
            "let this user write there, for example with: {owned}; or run the doctor as the user the familiar runs as"
        ),
    )
}

pub(super) fn disk_check(free: u64, status: CheckStatus) -> DoctorCheck {
    let message = format!("{} free", bytes_in_words(free));
    let advice = "make room on the data folder's disk; nothing said is kept once it is full";
    match status {
        CheckStatus::Fail => DoctorCheck::fail("disk", message, advice),
        CheckStatus::Warn => DoctorCheck::warn("disk", message, advice),
        CheckStatus::Ok | CheckStatus::Skipped => DoctorCheck::ok("disk", message),
    }
}

pub(super) fn disk_not_known(reason: &str) -> DoctorCheck {
    DoctorCheck::skipped("disk", format!("free space is not known: {reason}"))
}

/// What every call needs: the codec, the track, and the version of the encryption between members.
pub(super) fn call_prerequisites(
    opus: Result<(), String>,
    track: Result<(), String>,
    dave: Result<u16, String>,
) -> DoctorCheck {
    let broken: Vec<String> = [
        opus.err().map(|why| format!("Opus: {why}")),
        track.err().map(|why| format!("the track: {why}")),
        dave.as_ref().err().map(|why| format!("encryption between members (DAVE): {why}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    match dave {
        Ok(version) if broken.is_empty() => DoctorCheck::ok(
            "calls",
            format!("Opus, the track and encryption between members (DAVE {version}) work"),
        ),
        _ => DoctorCheck::fail(
            "calls",
            format!("no call would work: {}", broken.join("; ")),
            "this build is broken: build the program anew, from its own Cargo.lock",
        ),
    }
}

pub(super) fn hears_by_model_key(engine: &str) -> DoctorCheck {
    DoctorCheck::ok("hearing", format!("{engine} would listen in calls, by the key for models"))
}

pub(super) fn hears_one_language(engine: &str, language: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "hearing",
        format!("{engine} takes everything that is said for {language}"),
        "if people speak English, set stt.language to \"en\"; otherwise set stt.flux_model to \"flux-general-multi\"",
    )
}

/// What speech engines do in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpeechJob {
    Hearing,
    Speaking,
}

impl SpeechJob {
    fn name(self) -> &'static str {
        match self {
            Self::Hearing => "hearing",
            Self::Speaking => "speaking",
        }
    }

    pub(super) fn not_tried(self, engine: &str) -> DoctorCheck {
        let what = match self {
            Self::Hearing => "listen",
            Self::Speaking => "speak",
        };
        DoctorCheck::skipped(self.name(), format!("{engine} would {what} in calls; not tried: --offline"))
    }

    pub(super) fn tried(self, engine: &str, tried: Result<(), String>) -> DoctorCheck {
        match (self, tried) {
            (_, Err(why)) => self.lacks(&why),
            (Self::Hearing, Ok(())) => DoctorCheck::ok(self.name(), format!("{engine} listens")),
            (Self::Speaking, Ok(())) => DoctorCheck::ok(self.name(), format!("{engine} speaks")),
        }
    }

    /// None was asked for, and none can be had.
    pub(super) fn none_there(self, why: &str) -> DoctorCheck {
        DoctorCheck::skipped(self.name(), why)
    }

    /// One was asked for.
    pub(super) fn lacks(self, why: &str) -> DoctorCheck {
        let without = match self {
            Self::Hearing => "nothing would be heard",
            Self::Speaking => "replies would be written",
        };
        DoctorCheck::warn(
            self.name(),
            format!("in calls {without}: {why}"),
            "see docs/guides/voice-engines.md",
        )
    }

    pub(super) fn off(self) -> DoctorCheck {
        let table = match self {
            Self::Hearing => "stt",
            Self::Speaking => "tts",
        };
        DoctorCheck::ok(self.name(), format!("switched off: {table}.provider is \"none\""))
    }
}

pub(super) fn hears_the_end(model: &Path, opened: Result<(), String>) -> DoctorCheck {
    let model = model.display();
    match opened {
        Ok(()) => DoctorCheck::ok("end of turn", format!("{model} hears whether somebody has finished")),
        Err(why) => DoctorCheck::warn(
            "end of turn",
            format!("{why}: words alone tell whether somebody has finished"),
            "mend or empty stt.end_of_turn_model; see docs/guides/voice-engines.md",
        ),
    }
}

pub(super) fn https_check() -> DoctorCheck {
    DoctorCheck::ok("https", "certificates are there")
}

pub(super) fn https_broken(reason: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "https",
        format!("no HTTPS client can be built: {reason}"),
        "install the CA certificates (the package is mostly called ca-certificates)",
    )
}

pub(super) fn clock_right() -> DoctorCheck {
    DoctorCheck::ok("clock", "agrees with the servers that answered")
}

pub(super) fn clock_not_known() -> DoctorCheck {
    DoctorCheck::skipped("clock", "there is no server's answer to compare it with")
}

pub(super) fn clock_wrong(ahead: SignedDuration) -> DoctorCheck {
    let seconds = ahead.as_secs();
    let how = if seconds > 0 { "slow" } else { "fast" };
    DoctorCheck::warn(
        "clock",
        format!("this machine's clock is {} s {how}", seconds.unsigned_abs()),
        "set it, or switch on time synchronisation (for example: timedatectl set-ntp true)",
    )
}

pub(super) fn terminal_check() -> DoctorCheck {
    DoctorCheck::ok("terminal", "shows every script (UTF-8)")
}

pub(super) fn no_terminal() -> DoctorCheck {
    DoctorCheck::skipped("terminal", "the output goes to no terminal")
}

pub(super) fn terminal_without_utf8(locale: Option<&str>) -> DoctorCheck {
    let locale = locale.map_or_else(|| "not set".to_owned(), |locale| format!("{locale:?}"));
    DoctorCheck::warn(
        "terminal",
        format!("the locale is {locale}: names and emoji may be garbled"),
        "set LANG to a UTF-8 locale, such as LANG=C.UTF-8",
    )
}

impl DoctorReport {
    /// The last line for people.
    pub fn summary(&self) -> String {
        overall(self.count(CheckStatus::Fail), self.count(CheckStatus::Warn), self.reach)
    }
}

fn overall(failed: usize, warned: usize, reach: NetworkUse) -> String {
    match (failed, warned) {
        (0, 0) if reach == NetworkUse::Offline => {
            "What can be looked at offline is well; no server was asked.".to_owned()
        }
        (0, 0) => "All is well.".to_owned(),
        (0, warned) if reach == NetworkUse::Offline => {
            format!(
                "What can be looked at offline works; {} to know about. No server was asked.",
                counted(warned as u64, "thing")
            )
        }
        (0, warned) => format!("It works; {} to know about.", counted(warned as u64, "thing")),
        (failed, 0) => format!("{} to mend.", counted(failed as u64, "thing")),
        (failed, warned) => format!("{} to mend, {warned} to know about.", counted(failed as u64, "thing")),
    }
}

pub(super) fn server_connected(server: &str, found: &ServerFindings) -> DoctorCheck {
    let has = counted(found.listed as u64, "tool");
    let offered = match found.offered {
        _ if found.listed == 0 => "it has no tools".to_owned(),
        all if all == found.listed => format!("its {has} can be used"),
        some => format!("{some} of its {has} can be used"),
    };
    let ignored = match found.ignored[..] {
        [] => String::new(),
        _ => format!("; its {} are not used", found.ignored.join(" and ")),
    };
    let said = format!("{server} is connected: {offered}{ignored}");
    if let Some(unknown) = found.unknown.first() {
        return DoctorCheck::warn(
            "mcp",
            format!("{said}; it has no tool {unknown:?}"),
            format!("mend mcp.{server}.tools and mcp.{server}.effects"),
        );
    }
    match found.left_out.named.first() {
        None if found.listed == 0 => DoctorCheck::warn(
            "mcp",
            said,
            format!("take mcp.{server} out of the settings, or set enabled = false"),
        ),
        None => DoctorCheck::ok("mcp", said),
        Some((tool, why)) => DoctorCheck::warn(
            "mcp",
            format!("{said}; {tool:?} is left out: {why}"),
            format!("tell whoever makes that server, or name the tools you want in mcp.{server}.tools"),
        ),
    }
}

pub(super) fn server_away(server: &str, why: &McpTrouble) -> DoctorCheck {
    let advice = match why {
        McpTrouble::NotFound { .. } => format!("install it, or mend mcp.{server}.command"),
        McpTrouble::NotStarted { .. } | McpTrouble::Nowhere => format!("mend mcp.{server}.command"),
        McpTrouble::NoVariable { variable } => format!("set {variable} in .env"),
        McpTrouble::NotAHeader { .. } => format!("mend mcp.{server}.headers, or the variable it names"),
        McpTrouble::Late(_) => "try again: the first start may have to fetch it".to_owned(),
        McpTrouble::Said(_) => format!("mend mcp.{server}; the familiar does without its tools meanwhile"),
    };
    DoctorCheck::warn("mcp", format!("{server} is not connected: {why}"), advice)
}

pub(super) fn variable_unset(server: &str, variable: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "mcp",
        format!("{server} is to know {variable}, which is not set"),
        format!("set {variable} in .env, or take it out of mcp.{server}.env"),
    )
}

pub(super) fn server_not_tried(server: &str) -> DoctorCheck {
    DoctorCheck::skipped("mcp", format!("{server}: not tried"))
}

pub(super) fn server_switched_off(server: &str) -> DoctorCheck {
    DoctorCheck::ok("mcp", format!("{server} is switched off"))
}

/// Nothing where all was stored since the start.
pub(super) fn unstored(found: Unstored) -> Option<DoctorCheck> {
    let told = format!("{} could not be stored since the start", counted(found.messages, "message"));
    match found {
        Unstored { messages: 0, .. } => None,
        Unstored { is_last: true, .. } => Some(DoctorCheck::fail(
            "not_stored",
            format!("{told}, nor could the last: what is not stored is not answered"),
            NOT_STORED_ADVICE,
        )),
        Unstored { is_last: false, .. } => Some(DoctorCheck::warn(
            "not_stored",
            format!("{told}; what is said now can be"),
            "say again what mattered of them: they were not answered and are not remembered",
        )),
    }
}

/// Where nothing is stored.
const NOT_STORED_ADVICE: &str =
    "make room on the disk; if there is room, `familiar doctor` says what is wrong with the history";

pub(super) fn window_shut() -> DoctorCheck {
    DoctorCheck::warn(
        "window",
        "others can reach window.address, and FAMILIAR_WINDOW_TOKEN is not set or too short, so the window stays closed",
        format!(
            "set FAMILIAR_WINDOW_TOKEN in .env, with at least {OPERATOR_TOKEN_CHARS} characters, or \
             window.address = \"127.0.0.1\""
        ),
    )
}

pub(super) fn search_lacks_key() -> DoctorCheck {
    DoctorCheck::warn(
        "web_search",
        "Brave is to search the web, but BRAVE_SEARCH_API_KEY is not set, so the tool is not there",
        "put the key into .env, or set tools.web.search = \"off\"",
    )
}

pub(super) fn search_lacks_address() -> DoctorCheck {
    DoctorCheck::warn(
        "web_search",
        "SearXNG is to search the web, but nothing says where it is, so the tool is not there",
        "set tools.web.searxng_url, or tools.web.search = \"off\"",
    )
}

pub(super) fn images_lack(setting: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "image_make",
        format!("pictures are to be made, but {setting} is not set, so the tool is not there"),
        format!("set {setting}, or take both out of [tools.images]"),
    )
}

pub(super) fn images_unreachable(base: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "image_make",
        format!("what makes pictures does not answer at {base}"),
        "start it, or mend tools.images.base_url",
    )
}

fn bytes_in_words(bytes: u64) -> String {
    match bytes / MIB {
        0 => format!("{} KiB", bytes / 1024),
        mib @ 1..2048 => format!("{mib} MiB"),
        mib => format!("{} GiB", mib / 1024),
    }
}

#[cfg(test)]
mod tests;
