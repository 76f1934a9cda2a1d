//! Every sentence of the doctor. A line that warns or fails ends with what to do.

mod connection;
mod mcp;
mod models;
mod stores;
mod tools;

pub(super) use connection::{
    discord_unreadable, events_unread, not_connected, server_undescribed, silent_there,
};
pub(super) use mcp::{server_away, server_connected, server_not_tried, server_switched_off, variable_unset};
use std::path::Path;

use jiff::SignedDuration;

pub(super) use models::{
    cost_cap, credit_check, key_accepted, key_lacks_server, key_missing, key_not_known, key_refused,
    model_answers, model_is_a_page, model_missing, model_needs_settings, model_not_asked, model_setup_wrong,
    model_unreachable, models_listed, no_cost_cap, no_model_list, price_unknown, rehearsal, sampling_unsent,
    several_models, token_cap_reached, trial_answered, trial_failed, trial_late, window_below_budget,
    window_below_card, window_check, window_guessed,
};

pub(super) use stores::{
    store_closed, store_damaged, store_not_there, store_sound, store_unfinished, wal_large,
};

pub(super) use tools::{images_lack, images_unreachable, search_lacks_address, search_lacks_key};

use super::report::{CheckStatus, DoctorCheck};
use super::today::LastTrouble;
use crate::domain::{ChannelId, ChannelMode, FamiliarId};
use crate::text::short::counted;

const MIB: u64 = 1024 * 1024;

pub(super) fn environment_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "environment",
        reason,
        "mend that line of .env; nothing of the environment was used here",
    )
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
        "make one with: familiar init <card>; or start familiar, and the bundled example moves in",
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
    DoctorCheck::fail("settings", mistake, "fix this; it cannot start until then")
}

pub(super) fn settings_not_taken(mistake: &str) -> DoctorCheck {
    DoctorCheck::warn("settings", mistake, "fix this; older settings or the defaults hold until then")
}

pub(super) fn character_check(name: &str, greetings: usize) -> DoctorCheck {
    DoctorCheck::ok("character", format!("{name}, {}", counted(greetings as u64, "greeting")))
}

pub(super) fn character_unreadable(reason: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "character",
        reason,
        "mend that file, or import the card again: familiar init <card> --overwrite",
    )
}

pub(super) fn character_says_nothing(name: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "character",
        format!("{name} has no description: nothing tells the model who it is"),
        "write memory/self/description.md, or import a card with: familiar init <card> --overwrite",
    )
}

pub(super) fn embeddings_off() -> DoctorCheck {
    DoctorCheck::ok("embeddings", "switched off: memory is searched by words alone")
}

pub(super) fn embeddings_here(folder: &Path) -> DoctorCheck {
    DoctorCheck::ok("embeddings", format!("the model is in {}", folder.display()))
}

pub(super) fn embeddings_to_be_fetched(model: &str, endpoint: &str) -> DoctorCheck {
    DoctorCheck::ok(
        "embeddings",
        format!(
            "{model} is fetched from {endpoint} at the next start that reaches it; until it is here, memory is searched by words alone"
        ),
    )
}

pub(super) fn embeddings_not_here() -> DoctorCheck {
    DoctorCheck::warn(
        "embeddings",
        "the model's files are not here, and nothing is fetched: memory is searched by words alone",
        "name a folder with them in memory.embeddings.folder, or set memory.embeddings.enabled = false",
    )
}

pub(super) fn embeddings_folder_lacks(folder: &Path, file: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "embeddings",
        format!("there is no {file} in {}: memory is searched by words alone", folder.display()),
        "put the model's files there, or leave memory.embeddings.folder empty to have them fetched",
    )
}

pub(super) fn embeddings_unusable(reason: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "embeddings",
        format!("{reason}: memory is searched by words alone"),
        "mend memory.embeddings.model and memory.embeddings.revision",
    )
}

pub(super) fn reranker_here(folder: &Path) -> DoctorCheck {
    DoctorCheck::ok("reranker", format!("the model is in {}", folder.display()))
}

pub(super) fn reranker_to_be_fetched(model: &str, endpoint: &str) -> DoctorCheck {
    DoctorCheck::ok(
        "reranker",
        format!(
            "{model} is fetched from {endpoint} at the next start that reaches it; until it is here, finds stay in the order they have"
        ),
    )
}

pub(super) fn reranker_not_here() -> DoctorCheck {
    DoctorCheck::warn(
        "reranker",
        "the model's files are not here, and nothing is fetched: finds stay in the order they have",
        "name a folder with them in providers.recall.rerank.folder, or set providers.recall.rerank.enabled = false",
    )
}

pub(super) fn reranker_unusable(reason: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "reranker",
        format!("{reason}: finds stay in the order they have"),
        "put a cross-encoder's files there, such as those of cross-encoder/ms-marco-MiniLM-L6-v2, leave providers.recall.rerank.folder empty to have them fetched, or set providers.recall.rerank.enabled = false",
    )
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

/// Whether a mode is in use, by default or in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InUse {
    Yes,
    No,
}

pub(super) fn card_size(
    mode: ChannelMode,
    tokens: u32,
    kept: Option<u32>,
    left: LeftOut,
    used: InUse,
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
        LeftOut::Examples => "so example dialogue will be left out",
        LeftOut::ScenarioAndExamples => "so the scenario and example dialogue will be left out",
        LeftOut::Overfull => "and what never leaves it is more than that, so something else gets less room",
    };
    match used {
        InUse::Yes => DoctorCheck::warn(
            "card_size",
            format!("{card}, {why}"),
            format!("raise modes.{mode}.layers.character, or shorten the card"),
        ),
        InUse::No => DoctorCheck::ok("card_size", format!("{card}, {why} (nothing uses this mode now)")),
    }
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
}

pub(super) fn no_turns_today() -> DoctorCheck {
    DoctorCheck::ok("turns", "nothing was answered or left unanswered today")
}

pub(super) fn turns_today(turns: usize, troubles: usize) -> DoctorCheck {
    let turns = if turns == 1 { "one turn today".to_owned() } else { format!("{turns} turns today") };
    match troubles {
        0 => DoctorCheck::ok("turns", format!("{turns}, nothing went wrong")),
        1 => DoctorCheck::warn("turns", format!("{turns}, one thing went wrong"), "it is told below"),
        _ => DoctorCheck::warn(
            "turns",
            format!("{turns}, {troubles} things went wrong"),
            "they are told below",
        ),
    }
}

pub(super) fn unanswered_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    DoctorCheck::warn(
        "unanswered",
        trouble_told(what, times, last),
        format!("look with `{}`", when_and_where(last)),
    )
}

pub(super) fn other_try_today(what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    let advice = format!("another try or another model answered; look with `{}`", when_and_where(last));
    DoctorCheck::warn("model_calls", trouble_told(what, times, last), advice)
}

pub(super) fn trouble_today(name: &'static str, what: &str, times: usize, last: &LastTrouble) -> DoctorCheck {
    let advice = format!("replies went on without it; look with `{}`", when_and_where(last));
    DoctorCheck::warn(name, trouble_told(what, times, last), advice)
}

/// Turns that are named of one sort of trouble.
const TURNS_NAMED: usize = 5;

fn trouble_told(what: &str, times: usize, last: &LastTrouble) -> String {
    let named: Vec<String> = last.turns.iter().take(TURNS_NAMED).map(ToString::to_string).collect();
    let more = if last.turns.len() > TURNS_NAMED { ", …" } else { "" };
    format!("{what} ({}, last at {}: {}{more})", often(times), last.at, named.join(", "))
}

fn when_and_where(last: &LastTrouble) -> String {
    last.turns
        .first()
        .map_or_else(|| "familiar context".to_owned(), |turn| format!("familiar context {turn}"))
}

fn often(times: usize) -> String {
    if times == 1 { "once".to_owned() } else { format!("{times} times") }
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

/// Where the guide to engines is.
const ENGINES: &str = "see docs/guides/voice-engines.md";

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

pub(super) fn hearing_not_tried(engine: &str) -> DoctorCheck {
    DoctorCheck::skipped("hearing", format!("{engine} would listen in calls; not tried: --offline"))
}

pub(super) fn hearing(engine: &str, tried: Result<(), String>) -> DoctorCheck {
    match tried {
        Ok(()) => DoctorCheck::ok("hearing", format!("{engine} listens")),
        Err(why) => DoctorCheck::warn("hearing", format!("in calls nothing would be heard: {why}"), ENGINES),
    }
}

pub(super) fn hears_one_language(engine: &str, language: &str) -> DoctorCheck {
    DoctorCheck::warn(
        "hearing",
        format!("{engine} takes everything that is said for {language}"),
        "if people speak English, set stt.language to \"en\"; otherwise set stt.flux_model to \"flux-general-multi\"",
    )
}

pub(super) fn no_hearing(why: &str) -> DoctorCheck {
    DoctorCheck::skipped("hearing", why)
}

pub(super) fn hearing_lacks(why: &str) -> DoctorCheck {
    DoctorCheck::warn("hearing", format!("in calls nothing would be heard: {why}"), ENGINES)
}

pub(super) fn hearing_off() -> DoctorCheck {
    DoctorCheck::ok("hearing", "switched off: stt.provider is \"none\"")
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

pub(super) fn speaking_not_tried(engine: &str) -> DoctorCheck {
    DoctorCheck::skipped("speaking", format!("{engine} would speak in calls; not tried: --offline"))
}

pub(super) fn speaking_check(engine: &str, tried: Result<(), String>) -> DoctorCheck {
    match tried {
        Ok(()) => DoctorCheck::ok("speaking", format!("{engine} speaks")),
        Err(why) => {
            DoctorCheck::warn("speaking", format!("in calls replies would be written: {why}"), ENGINES)
        }
    }
}

pub(super) fn no_speaking(why: &str) -> DoctorCheck {
    DoctorCheck::skipped("speaking", why)
}

pub(super) fn speaking_lacks(why: &str) -> DoctorCheck {
    DoctorCheck::warn("speaking", format!("in calls replies would be written: {why}"), ENGINES)
}

pub(super) fn speaking_off() -> DoctorCheck {
    DoctorCheck::ok("speaking", "switched off: tts.provider is \"none\"")
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

pub(super) fn no_token() -> DoctorCheck {
    DoctorCheck::skipped("discord_token", "DISCORD_TOKEN is not set: it lives in the terminal only")
}

pub(super) fn discord_offline() -> DoctorCheck {
    DoctorCheck::skipped("discord_token", "not asked: --offline")
}

pub(super) fn discord_needs_settings() -> DoctorCheck {
    DoctorCheck::skipped("discord_token", "not asked: the settings come first")
}

pub(super) fn token_accepted(bot: &str) -> DoctorCheck {
    DoctorCheck::ok("discord_token", format!("Discord knows it as {bot}"))
}

pub(super) fn token_refused() -> DoctorCheck {
    DoctorCheck::fail(
        "discord_token",
        "Discord does not accept it",
        "copy it again from https://discord.com/developers/applications (your application, Bot, Reset Token) into \
         DISCORD_TOKEN",
    )
}

pub(super) fn discord_silent(why: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_token",
        why,
        "check the network, https://discordstatus.com and discord.api_base; or skip this with --offline",
    )
}

pub(super) fn intent_on() -> DoctorCheck {
    DoctorCheck::ok("discord_intent", "Message Content is switched on")
}

pub(super) fn intent_off(application: Option<u64>) -> DoctorCheck {
    let page = application.map_or_else(String::new, |id| format!("/{id}/bot"));
    DoctorCheck::fail(
        "discord_intent",
        "Message Content is switched off: Discord will not let it in",
        format!(
            "switch on \"Message Content Intent\" at https://discord.com/developers/applications{page} (Bot, \
             Privileged Gateway Intents)"
        ),
    )
}

pub(super) fn intent_not_known() -> DoctorCheck {
    DoctorCheck::skipped("discord_intent", "Discord did not say whether Message Content is switched on")
}

pub(super) fn servers(count: usize) -> DoctorCheck {
    DoctorCheck::ok("discord_servers", format!("it is in {}", counted(count as u64, "server")))
}

pub(super) fn no_server(invite: Option<&str>) -> DoctorCheck {
    DoctorCheck::warn(
        "discord_servers",
        "it is in no server yet",
        invite.map_or_else(
            || {
                "invite it from the developer portal (OAuth2, scopes bot and applications.commands)"
                    .to_owned()
            },
            |link| format!("invite it: {link}"),
        ),
    )
}

pub(super) fn servers_not_known() -> DoctorCheck {
    DoctorCheck::skipped("discord_servers", "Discord did not say which servers it is in")
}

pub(super) fn no_channel() -> DoctorCheck {
    DoctorCheck::warn(
        "discord_channels",
        "it reads no channel of a server",
        "use /subscribe-text in the channel where it should talk",
    )
}

pub(super) fn channels_open(count: usize) -> DoctorCheck {
    DoctorCheck::ok(
        "discord_channels",
        format!("it can read and write in {}", counted(count as u64, "channel")),
    )
}

pub(super) fn channel_lacks(id: &ChannelId, name: &str, permissions: &[&str]) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_channels",
        format!("in #{name} ({id}) it lacks {}", permissions.join(", ")),
        "give its role that permission in the channel's settings (Edit Channel, Permissions)",
    )
}

pub(super) fn channel_closed(id: &ChannelId, why: &str) -> DoctorCheck {
    DoctorCheck::fail(
        "discord_channels",
        format!("channel {id}: {why}"),
        "let the bot into it, or take the channel out of subscriptions.toml",
    )
}

pub(super) fn channel_not_known(id: &ChannelId, why: &str) -> DoctorCheck {
    DoctorCheck::warn("discord_channels", format!("channel {id}: {why}"), "try again in a minute")
}

pub(super) fn channels_not_known() -> DoctorCheck {
    DoctorCheck::warn("discord_channels", "Discord did not answer in time", "try again in a minute")
}

pub(super) fn clock_right() -> DoctorCheck {
    DoctorCheck::ok("clock", "agrees with the servers that answered")
}

pub(super) fn clock_not_known() -> DoctorCheck {
    DoctorCheck::skipped("clock", "no server answered that could be compared with")
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

/// The last line for people.
pub(super) fn summary(failed: usize, warned: usize) -> String {
    match (failed, warned) {
        (0, 0) => "All is well.".to_owned(),
        (0, warned) => format!("It works; {} to know about.", counted(warned as u64, "thing")),
        (failed, 0) => format!("{} to mend.", counted(failed as u64, "thing")),
        (failed, warned) => format!("{} to mend, {warned} to know about.", counted(failed as u64, "thing")),
    }
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
