use std::fs;
use std::time::Duration;

use super::*;
use crate::config::check::RETIRED;
use crate::config::defaults::CHARACTER_TOML;
use crate::config::{CallTerms, SlotConfig, forget_in_calls};
use crate::domain::{FamiliarId, GuildId, Layer, PlaceKind, Slot};

struct World {
    dir: tempfile::TempDir,
    home: FamiliarHome,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.channels_dir()).unwrap();
        fs::create_dir_all(home.modes_dir()).unwrap();
        Self { dir, home }
    }

    fn character(&self, text: &str) -> &Self {
        fs::write(self.home.character_toml(), text).unwrap();
        self
    }

    fn sidecar(&self, id: &ChannelId, text: &str) -> &Self {
        fs::write(self.home.channel_toml(id), text).unwrap();
        self
    }

    fn live(&self) -> Arc<LiveConfig> {
        LiveConfig::load(self.home.clone(), Defaults::embedded()).unwrap()
    }

    /// What somebody reads, without the folder of this test.
    fn shown(&self, text: impl ToString) -> String {
        text.to_string().replace(&format!("{}/", self.home.root().display()), "")
    }
}

fn channel(id: u64) -> ChannelId {
    id.into()
}

fn place(id: u64) -> Place {
    Place { kind: PlaceKind::GuildText, ..Place::terminal(channel(id)) }
}

fn named(id: u64, name: &str) -> Place {
    Place { channel_name: Some(name.to_owned()), ..place(id) }
}

/// A thread of `#general`, which is channel 7.
fn thread(id: u64) -> Place {
    Place { kind: PlaceKind::Thread, parent: Some(channel(7)), ..named(id, "#general -> night") }
}

fn text_in(id: u64) -> Subscription {
    Subscription::new(id.into(), SubscriptionKind::Text, Some(GuildId::from(1)))
}

fn voice_in(id: u64) -> Subscription {
    Subscription { kind: SubscriptionKind::Voice, ..text_in(id) }
}

#[test]
fn settings_that_vanish_while_it_runs_stay_in_force_until_they_are_back() {
    let world = World::new();
    let own = "[llm]\nbase_url = \"http://127.0.0.1:9/v1\"\n";
    world.character(own);
    let live = world.live();
    live.subscribe(text_in(7)).unwrap();
    let still = |live: &LiveConfig| {
        assert_eq!(
            live.current().llm.base_url.as_deref(),
            Some("http://127.0.0.1:9/v1"),
            "nothing goes elsewhere"
        );
        assert!(live.subscriptions().contains(&channel(7), SubscriptionKind::Text));
    };
    fs::remove_file(world.home.character_toml()).unwrap();
    let report = live.reload();
    assert_eq!(report.changes, []);
    let said: Vec<String> = report.errors.iter().map(|error| world.shown(error)).collect();
    assert_eq!(
        said,
        [
            "character.toml is gone; what it said holds until the next start: put it back, or restart to go on with the \
          defaults"
        ]
    );
    still(&live);
    assert!(live.reload().is_empty(), "said once");
    world.character(own);
    assert_eq!(live.reload().mended, [world.home.character_toml()]);
    let elsewhere = world.dir.path().join("elsewhere");
    fs::rename(world.home.root(), &elsewhere).unwrap();
    assert_eq!(live.reload().errors.len(), 1);
    still(&live);
    fs::rename(&elsewhere, world.home.root()).unwrap();
    assert_eq!(live.reload().mended, [world.home.root()]);
    still(&live);
    // An empty one says that the defaults are wanted.
    world.character("");
    live.reload();
    assert_eq!(live.current().llm.base_url, None);
}

#[test]
fn a_file_that_is_empty_or_cut_for_the_moment_in_which_it_is_saved_changes_nothing() {
    let world = World::new();
    let id = channel(7);
    world.character("interjection = \"eager\"\n").sidecar(&id, "mode = \"imitate_voice\"\n");
    let live = world.live();
    live.subscribe(text_in(7)).unwrap();
    assert_eq!(live.channel(&id).mode, ChannelMode::ImitateVoice);
    let mut told = live.changes();
    let is_as_it_was = || {
        assert!(live.reload_what_is_whole(), "it is to be looked at once more");
        assert_eq!(live.current().interjection.messages(), Some(6));
        assert_eq!(live.channel(&id).mode, ChannelMode::ImitateVoice);
        assert!(live.subscriptions().contains(&id, SubscriptionKind::Text));
        assert!(live.mistakes().is_empty() && told.is_empty());
    };
    // Another file's event may come in this very moment.
    let subscriptions = fs::read_to_string(world.home.subscriptions_toml()).unwrap();
    world.character("").sidecar(&id, "");
    fs::write(world.home.subscriptions_toml(), "").unwrap();
    is_as_it_was();
    world.character("interjection = \"eag").sidecar(&id, "mode = \"imi");
    fs::write(world.home.subscriptions_toml(), &subscriptions[..subscriptions.len() / 2]).unwrap();
    is_as_it_was();
    fs::write(world.home.subscriptions_toml(), &subscriptions).unwrap();
    world.character("interjection = \"quiet\"\n").sidecar(&id, "mode = \"full_rp\"\n");
    assert!(!live.reload_what_is_whole());
    assert!(told.try_recv().unwrap().touches("interjection"));
    assert_eq!(live.channel(&id).mode, ChannelMode::FullRp);
    // Who empties it means it, and a mistake that stays is one.
    world.character("").sidecar(&id, "mode = \"imi");
    assert!(live.reload_what_is_whole());
    let report = live.reload();
    assert!(report.touches("interjection") && report.errors.len() == 1, "{report}");
}

#[test]
fn an_empty_folder_is_a_familiar_with_the_seeds_defaults() {
    let world = World::new();
    let live = world.live();
    let config = live.current();
    assert_eq!(config.default_mode, ChannelMode::TextConversationRp);
    assert_eq!(config.interjection.messages(), Some(9));
    assert_eq!(config.llm.slots.len(), 8);
    assert_eq!(config.llm.slots[&Slot::MainProse].model, "z-ai/glm-5.2");
    assert!(!config.llm.slots[&Slot::MainProse].is_named);
    assert_eq!(config.llm.slots[&Slot::MainProse].temperature, Some(0.7));
    assert_eq!(config.providers.history.window_size, 20);
    assert_eq!(config.call.interruption.tolerance.keep_talking(), 0.30);
    let channel = live.channel(&channel(1));
    assert_eq!(channel.mode, ChannelMode::TextConversationRp);
    assert!(channel.figures.typing.enabled);
    assert!(channel.author_note().unwrap().contains("chat room"));
    assert!(live.mistakes().is_empty());
}

#[test]
fn a_setting_that_is_used_no_longer_keeps_nobody_from_starting() {
    let world = World::new();
    for retired in RETIRED {
        let (table, key) = retired.rsplit_once('.').unwrap();
        world.character(&format!("aliases = [\"Add\"]\n\n[{table}]\n{key} = 1\n"));
        assert_eq!(world.live().current().aliases, ["Add"], "{retired}");
    }
    world.character("[providers.recall]\ncondensed = true\n");
    LiveConfig::load(world.home.clone(), Defaults::embedded()).unwrap_err();
}

#[test]
fn the_mode_table_is_the_seeds() {
    let modes = World::new().live().current().modes.clone();
    let figures = |mode| {
        let mode = &modes[&mode];
        let layers: Vec<u32> = Layer::ALL.iter().map(|layer| mode.layers[layer].unwrap_or(0)).collect();
        (
            mode.budget_tokens,
            mode.deadline.as_secs(),
            layers,
            mode.stepped_thinking,
            mode.recast,
            mode.typing.enabled,
        )
    };
    let (full, text, voice) = (
        figures(ChannelMode::FullRp),
        figures(ChannelMode::TextConversationRp),
        figures(ChannelMode::ImitateVoice),
    );
    // But for the history of the written modes: there the seed's figure was never a limit on what was sent
    // (familiar-connect 1.6), and a history that may fill the prompt is what caches pay for.
    // And but for the core, which has sixty more: it also says what is not written where people of any age read.
    assert_eq!(full, (8000, 30, vec![460, 2000, 2000, 1000, 0, 400, 400], true, true, false));
    assert_eq!(text, (6000, 24, vec![460, 1200, 2000, 600, 0, 300, 400], true, false, true));
    assert_eq!(modes[&ChannelMode::FullRp].layers[&Layer::RecentHistory], None);
    // And but for found context when it speaks: the seed has none, and keyed lore would never be heard. It gets what
    // lore may take of that mode's prompt, a quarter (cards-and-lore 4.3).
    assert_eq!(voice, (2000, 9, vec![360, 700, 500, 200, 900, 150, 100], false, true, false));
}

#[test]
fn a_channel_overrides_its_mode() {
    let world = World::new();
    let id = channel(7);
    world.sidecar(
        &id,
        "mode = \"full_rp\"\nbackdrop = \"A ship.\"\n[typing_simulation]\nenabled = true\nmax_delay_s = 2\n",
    );
    let channel = world.live().channel(&id);
    assert_eq!(channel.mode, ChannelMode::FullRp);
    assert_eq!(channel.author_note(), Some("A ship."));
    assert!(channel.figures.typing.enabled);
    assert_eq!(channel.figures.typing.max_delay, Duration::from_secs(2));
    assert_eq!(channel.figures.typing.min_delay, Duration::from_millis(800));
    assert_eq!(channel.figures.budget_tokens, 8000);
}

#[test]
fn a_channel_switches_thinking_and_polish_for_itself() {
    let world = World::new();
    let (quiet, loud) = (channel(7), channel(8));
    world.sidecar(&quiet, "mode = \"full_rp\"\nstepped_thinking = false\nrecast = false\n");
    world.sidecar(&loud, "mode = \"text_conversation_rp\"\nrecast = true\n");
    let live = world.live();
    let switches = |id| (live.channel(id).figures.stepped_thinking, live.channel(id).figures.recast);
    assert_eq!(switches(&quiet), (false, false));
    assert_eq!(switches(&loud), (true, true), "what is not said is as the mode says");
}

#[test]
fn typing_is_decided_by_the_later_file_and_within_it_by_the_mode() {
    let enabled = |text: &str| {
        let world = World::new();
        let modes = world.character(text).live().current().modes.clone();
        [ChannelMode::FullRp, ChannelMode::TextConversationRp].map(|mode| modes[&mode].typing.enabled)
    };
    assert_eq!(enabled(""), [false, true]);
    assert_eq!(enabled("[typing_simulation]\nenabled = true"), [true, true]);
    assert_eq!(enabled("[typing_simulation]\nenabled = false"), [false, false]);
    assert_eq!(
        enabled("[typing_simulation]\nenabled = false\n[modes.full_rp]\ntyping_simulation = true"),
        [true, false]
    );
}

#[test]
fn the_backdrop_beats_the_familiars_mode_file_which_beats_the_default() {
    let world = World::new();
    let id = channel(7);
    let live = world.live();
    assert!(live.channel(&id).author_note().unwrap().starts_with("This is a chat room"));
    fs::write(world.home.mode_file(ChannelMode::TextConversationRp), "Rhyme.\n").unwrap();
    let report = live.reload();
    assert!(report.touches("modes/text_conversation_rp.md"), "{report}");
    assert_eq!(live.channel(&id).author_note(), Some("Rhyme."));
    assert_eq!(&*live.state.load().modes[&ChannelMode::TextConversationRp], "Rhyme.");
    live.set_backdrop(&place(7), "A ship.").unwrap();
    assert_eq!(live.channel(&id).author_note(), Some("A ship."));
    live.set_backdrop(&place(7), " \n").unwrap();
    assert_eq!(live.channel(&id).author_note(), Some("Rhyme."));
    fs::write(world.home.mode_file(ChannelMode::TextConversationRp), "  \n").unwrap();
    live.reload();
    assert!(live.channel(&id).author_note().unwrap().starts_with("This is a chat room"));
}

#[test]
fn a_defaults_folder_lies_between_the_built_in_defaults_and_the_familiar() {
    let world = World::new();
    let defaults = world.dir.path().join("defaults");
    fs::create_dir_all(defaults.join("modes")).unwrap();
    fs::write(defaults.join("character.toml"), "interjection = \"quiet\"\naliases = [\"D\"]\n").unwrap();
    fs::write(defaults.join("modes/full_rp.md"), "House style.").unwrap();
    world.character("aliases = [\"Ada\"]\n");
    let live = LiveConfig::load(world.home.clone(), Defaults::from_dir(&defaults)).unwrap();
    let config = live.current();
    assert_eq!(
        (config.interjection.messages(), config.aliases.as_slice()),
        (Some(12), &["Ada".to_owned()][..])
    );
    assert_eq!(&*live.state.load().modes[&ChannelMode::FullRp], "House style.");
    assert!(live.state.load().modes[&ChannelMode::ImitateVoice].contains("out loud"));
}

#[test]
fn models_that_come_with_the_program_are_named_by_nobody_wherever_its_defaults_stand() {
    let world = World::new();
    let defaults = world.dir.path().join("_default");
    fs::create_dir_all(&defaults).unwrap();
    fs::write(defaults.join("character.toml"), CHARACTER_TOML).unwrap();
    let named = |own: &str| {
        world.character(own);
        let live = LiveConfig::load(world.home.clone(), Defaults::from_dir(&defaults)).unwrap();
        let slots = live.current().llm.slots.clone();
        let of = |which: fn(&SlotConfig) -> bool| {
            slots.iter().filter(|(_, model)| which(model)).map(|(slot, _)| *slot).collect::<Vec<_>>()
        };
        (of(|model| model.is_named), of(|model| model.fallbacks_are_named))
    };
    assert_eq!(named(""), (vec![], vec![]));
    let own = "[llm.main_prose]\nmodel = \"z-ai/glm-5.2\"\n";
    assert_eq!(named(own), (vec![Slot::MainProse], vec![]), "the same name, but of its own file");
    let other = "[llm.main_prose]\nmodel = \"house/model\"\nfallbacks = [\"house/other\"]\n";
    fs::write(defaults.join("character.toml"), other).unwrap();
    assert_eq!(named(""), (vec![Slot::MainProse], vec![Slot::MainProse]), "the operator's choice for all");
}

#[test]
fn a_reload_says_what_changed_and_only_then_swaps() {
    let world = World::new();
    world.character("interjection = \"eager\"\n");
    let live = world.live();
    let before = live.current();
    assert!(live.reload().is_empty());
    assert!(Arc::ptr_eq(&before, &live.current()), "nothing changed, nothing is swapped");
    world.character("interjection = \"quiet\"\n[llm.main_prose]\ntemperature = 1\n");
    let mut changes = live.changes();
    let report = live.reload();
    insta::assert_snapshot!(report, @r#"
    interjection: "eager" → "quiet"
    llm.main_prose.temperature: 0.7 → 1
    "#);
    assert_eq!(changes.try_recv().unwrap().changes, report.changes);
    assert_eq!(live.current().interjection.messages(), Some(12));
    assert_eq!(before.interjection.messages(), Some(6), "a turn keeps the settings it began with");
}

#[test]
fn a_bad_edit_keeps_the_old_settings_and_says_so_once() {
    let world = World::new();
    world.character("interjection = \"eager\"\n");
    let live = world.live();
    world.character("interjection = \"eager\"\ntext_lull_timout = 3\n");
    let report = live.reload();
    insta::assert_snapshot!(world.shown(&report), @"character.toml:2:1: unknown key `text_lull_timout`; did you mean `text_lull_timeout`? (the old settings stay in force)");
    assert_eq!(live.current().interjection.messages(), Some(6));
    assert_eq!(live.mistakes().len(), 1);
    assert!(live.reload().is_empty(), "the same mistake is not reported twice");
    world.character("interjection = \"quiet\"\n");
    let report = live.reload();
    assert_eq!(report.mended, [world.home.character_toml()]);
    assert!(live.mistakes().is_empty());
}

#[test]
fn a_channel_file_that_breaks_leaves_the_last_good_one() {
    let world = World::new();
    let id = channel(7);
    world.sidecar(&id, "mode = \"full_rp\"\n");
    let live = world.live();
    assert_eq!(live.channel(&id).mode, ChannelMode::FullRp);
    world.sidecar(&id, "mode = \"full_rpg\"\n");
    let report = live.reload();
    insta::assert_snapshot!(world.shown(&report), @r#"channels/7.toml:1:8: `mode` must be one of "full_rp", "text_conversation_rp", "imitate_voice", but is "full_rpg"; did you mean "full_rp"? (the old settings stay in force)"#);
    assert_eq!(live.channel(&id).mode, ChannelMode::FullRp);
    let refused = live.set_mode(&place(7), ChannelMode::ImitateVoice).unwrap_err();
    assert!(matches!(refused, ConfigError::Invalid(_)));
    assert_eq!(fs::read_to_string(world.home.channel_toml(&id)).unwrap(), "mode = \"full_rpg\"\n");
    fs::remove_file(world.home.channel_toml(&id)).unwrap();
    live.reload();
    assert_eq!(live.channel(&id).mode, ChannelMode::TextConversationRp);
}

#[test]
fn a_channel_file_broken_from_the_start_means_the_default_mode() {
    let world = World::new();
    let id = channel(7);
    world.sidecar(&id, "backdrop = \"no mode here\"\n");
    let live = world.live();
    let mut changes = live.changes();
    assert_eq!(live.channel(&id).mode, ChannelMode::TextConversationRp);
    let report = changes.try_recv().unwrap();
    insta::assert_snapshot!(world.shown(&report), @"channels/7.toml:1:1: `mode` is missing; add a line `mode = …` (the old settings stay in force)");
    live.set_mode(&place(7), ChannelMode::FullRp).unwrap();
    assert_eq!(live.channel(&id).author_note(), Some("no mode here"));
    assert!(live.mistakes().is_empty());
}

#[test]
fn a_familiars_change_reaches_its_channels() {
    let world = World::new();
    let (plain, own) = (channel(1), channel(2));
    world.sidecar(&own, "mode = \"full_rp\"\n[typing_simulation]\nmin_delay_s = 5\n");
    let live = world.live();
    assert_eq!(live.channel(&plain).mode, ChannelMode::TextConversationRp);
    assert_eq!(live.channel(&own).figures.typing.min_delay, Duration::from_secs(5));
    world.character("default_mode = \"imitate_voice\"\n[modes.full_rp]\nbudget_tokens = 9000\n");
    live.reload();
    assert_eq!(live.channel(&plain).mode, ChannelMode::ImitateVoice);
    assert_eq!(live.channel(&own).figures.budget_tokens, 9000);
    // Now the channel's minimum is above the familiar's maximum: neither file is wrong alone.
    world.character("[typing_simulation]\nmax_delay_s = 1\n");
    let report = live.reload();
    insta::assert_snapshot!(world.shown(report.errors[0].lines().join("\n")), @"channels/2.toml:3:15: `typing_simulation.min_delay_s` is 5, which must not exceed `typing_simulation.max_delay_s`, which is 1 in character.toml");
}

#[test]
fn commands_keep_what_people_wrote() {
    let world = World::new();
    let id = channel(7);
    let text = "# my notes\nmode = \"full_rp\" # for now\n\n[typing_simulation]\nenabled = false # slow\n";
    world.sidecar(&id, text);
    let live = world.live();
    live.set_mode(&place(7), ChannelMode::ImitateVoice).unwrap();
    let written = fs::read_to_string(world.home.channel_toml(&id)).unwrap();
    assert_eq!(written, text.replace("full_rp", "imitate_voice"));
    assert_eq!(live.channel(&id).mode, ChannelMode::ImitateVoice);
    assert!(live.reload().is_empty(), "our own write is not news");
}

#[test]
fn a_first_backdrop_writes_the_mode_that_is_in_force() {
    let world = World::new();
    let id = channel(7);
    let live = world.live();
    live.set_backdrop(&named(7, "#general"), "Line one.\nLine \"two\".").unwrap();
    insta::assert_snapshot!(fs::read_to_string(world.home.channel_toml(&id)).unwrap(), @r##"
    mode = "text_conversation_rp"
    backdrop = """
    Line one.
    Line "two"."""
    channel_name = "#general"
    "##);
    let channel = live.channel(&id);
    assert_eq!(channel.backdrop.as_deref(), Some("Line one.\nLine \"two\"."));
    assert_eq!(channel.channel_name.as_deref(), Some("#general"));
    let refused = live.set_backdrop(&place(7), &"x".repeat(4001)).unwrap_err();
    insta::assert_snapshot!(refused, @"the backdrop has 4001 characters, but at most 4000 are kept; shorten it");
    assert!(live.set_backdrop(&place(7), &"ё".repeat(4000)).is_ok(), "characters are counted, not bytes");
}

#[test]
fn a_thread_without_a_file_of_its_own_shares_its_channels() {
    let world = World::new();
    let (channel, thread) = (place(7), thread(8));
    let live = world.live();
    assert_eq!(live.channel_in(&thread).mode, ChannelMode::TextConversationRp);
    live.set_mode(&channel, ChannelMode::FullRp).unwrap();
    live.set_backdrop(&channel, "A ship.").unwrap();
    let shared = live.channel_in(&thread);
    assert_eq!((shared.mode, shared.author_note()), (ChannelMode::FullRp, Some("A ship.")));
    world.sidecar(&thread.channel, "mode = \"imitate_voice\"\n");
    live.reload();
    let own = live.channel_in(&thread);
    assert_eq!((own.mode, &own.backdrop), (ChannelMode::ImitateVoice, &None));
    fs::remove_file(world.home.channel_toml(&thread.channel)).unwrap();
    live.reload();
    assert_eq!(live.channel_in(&thread), shared);
    assert_eq!(live.channel_in(&place(8)).mode, ChannelMode::TextConversationRp, "nobody's thread");
}

#[test]
fn a_threads_file_that_never_was_readable_does_not_hide_its_channels() {
    let world = World::new();
    let thread = thread(8);
    world.sidecar(&channel(7), "mode = \"full_rp\"\n").sidecar(&thread.channel, "mode = \"full_rpg\"\n");
    let live = world.live();
    assert_eq!(live.channel_in(&thread).mode, ChannelMode::FullRp);
    assert_eq!(live.mistakes().len(), 1);
}

#[test]
fn a_threads_first_own_setting_keeps_what_it_shared() {
    let world = World::new();
    let (channel, thread) = (channel(7), thread(8));
    let text = "mode = \"full_rp\"\nbackdrop = \"A ship.\"\nchannel_name = \"#general\"\n\n[typing_simulation]\nenabled = false # slow\n";
    world.sidecar(&channel, text);
    let live = world.live();
    live.set_mode(&thread, ChannelMode::ImitateVoice).unwrap();
    insta::assert_snapshot!(fs::read_to_string(world.home.channel_toml(&thread.channel)).unwrap(), @r##"
    mode = "imitate_voice"
    backdrop = "A ship."
    channel_name = "#general -> night"

    [typing_simulation]
    enabled = false # slow
    "##);
    live.set_backdrop(&thread, "").unwrap();
    assert_eq!(live.channel_in(&thread).backdrop, None, "cleared here only");
    let other = Place { channel: ChannelId::from(9), ..thread };
    live.set_backdrop(&other, "A raft.").unwrap();
    assert_eq!(live.channel_in(&other).mode, ChannelMode::FullRp);
    assert_eq!(
        fs::read_to_string(world.home.channel_toml(&channel)).unwrap(),
        text,
        "the channel keeps its own"
    );
}

#[test]
fn a_thread_does_not_copy_a_broken_file() {
    let world = World::new();
    world.sidecar(&channel(7), "mode = \"full_rpg\"\n");
    let refused = world.live().set_mode(&thread(8), ChannelMode::FullRp).unwrap_err();
    assert!(matches!(refused, ConfigError::Invalid(_)));
    assert!(!world.home.channel_toml(&channel(8)).exists());
}

#[test]
fn a_failed_write_changes_nothing() {
    let world = World::new();
    let id = channel(7);
    let live = world.live();
    fs::remove_dir(world.home.channels_dir()).unwrap();
    fs::write(world.home.channels_dir(), "a file where the folder should be").unwrap();
    assert!(matches!(live.set_mode(&place(7), ChannelMode::FullRp), Err(ConfigError::Io { .. })));
    assert_eq!(live.channel(&id).mode, ChannelMode::TextConversationRp);
}

#[test]
fn subscriptions_are_added_once_and_removed() {
    let world = World::new();
    let live = world.live();
    assert_eq!(live.subscribe(text_in(1)).unwrap(), Subscribed::Added);
    assert_eq!(live.subscribe(text_in(1)).unwrap(), Subscribed::AlreadyThere);
    assert_eq!(live.subscribe(voice_in(1)).unwrap(), Subscribed::Added);
    assert_eq!(live.subscribe(voice_in(2)).unwrap(), Subscribed::MovedFrom(channel(1)));
    insta::assert_snapshot!(fs::read_to_string(world.home.subscriptions_toml()).unwrap(), @r#"
    [[subscription]]
    channel_id = "1"
    kind = "text"
    guild_id = "1"

    [[subscription]]
    channel_id = "2"
    kind = "voice"
    guild_id = "1"
    "#);
    assert!(live.subscriptions().contains(&channel(2), SubscriptionKind::Voice));
    assert!(live.unsubscribe(&channel(1), SubscriptionKind::Text).unwrap());
    assert!(!live.unsubscribe(&channel(1), SubscriptionKind::Text).unwrap());
    assert_eq!(world.live().subscriptions().iter().count(), 1, "a restart finds the same");
}

#[test]
fn a_call_whose_server_is_corrected_takes_the_place_of_the_one_there() {
    let world = World::new();
    let live = world.live();
    let elsewhere = Subscription { guild: Some(GuildId::from(2)), ..voice_in(3) };
    live.subscribe(elsewhere).unwrap();
    live.subscribe(voice_in(1)).unwrap();
    assert_eq!(live.subscribe(voice_in(3)).unwrap(), Subscribed::MovedFrom(channel(1)));
    let rows: Vec<_> = live.subscriptions().iter().cloned().collect();
    assert_eq!(rows, [voice_in(3)]);
    assert!(live.mistakes().is_empty());
}

#[test]
fn what_is_agreed_about_a_call_changes_in_its_row_and_who_is_forgotten_goes_from_every_row() {
    let world = World::new();
    let live = world.live();
    let with = |heard: &[u64]| {
        let call =
            CallTerms { follows: Some(5), heard: heard.to_vec(), declined: vec![8], hears_everybody: false };
        Subscription { call, ..voice_in(1) }
    };
    live.subscribe(with(&[5])).unwrap();
    assert_eq!(live.subscribe(with(&[5, 6])).unwrap(), Subscribed::AlreadyThere);
    let elsewhere = Subscription { guild: Some(GuildId::from(2)), channel: channel(2), ..with(&[6]) };
    live.subscribe(elsewhere).unwrap();
    let rows = || world.live().subscriptions().iter().map(|row| row.call.clone()).collect::<Vec<_>>();
    assert_eq!(rows(), [with(&[5, 6]).call, with(&[6]).call], "a restart finds the same");
    live.forget_in_calls(&AccountId::discord(6)).unwrap();
    assert_eq!(rows(), [with(&[5]).call, with(&[]).call]);
    forget_in_calls(&world.home, &AccountId::discord(5)).unwrap();
    forget_in_calls(&world.home, &AccountId::discord(8)).unwrap();
    assert_eq!(rows(), [CallTerms::default(), CallTerms::default()]);
}

#[test]
fn a_malformed_row_is_pointed_at_and_never_rewritten_away() {
    let world = World::new();
    let rows = "[[subscription]]\nchannel_id = 1\nkind = \"text\"\n\n[[subscription]]\nchannel_id = \"12a\"\nkind = \"txt\"\n\n\
                [[subscription]]\nchannel_id = \"3\"\nkind = \"voice\"\nguild_id = 5\n\n\
                [[subscription]]\nchannel_id = \"4\"\nkind = \"voice\"\nguild_id = 5\n";
    fs::write(world.home.subscriptions_toml(), rows).unwrap();
    let live = world.live();
    let usable: Vec<_> = live.subscriptions().iter().map(|row| row.channel.to_string()).collect();
    assert_eq!(usable, ["1", "3"]);
    insta::assert_snapshot!(world.shown(live.mistakes()[0].lines().join("\n")), @r#"
    subscriptions.toml:6:14: `subscription[1].channel_id` must be an id (digits), as number or text, but is "12a"
    subscriptions.toml:7:8: `subscription[1].kind` must be one of "text", "voice", "muted", but is "txt"; did you mean "text"?
    subscriptions.toml:14:1: only one call per server: 3 is already subscribed in server 5
    "#);
    live.subscribe(text_in(9)).unwrap();
    live.unsubscribe(&channel(1), SubscriptionKind::Text).unwrap();
    let written = fs::read_to_string(world.home.subscriptions_toml()).unwrap();
    assert!(written.contains("channel_id = \"12a\"\nkind = \"txt\"\n"), "{written}");
    assert!(written.contains("channel_id = \"4\""), "{written}");
    assert!(!written.contains("channel_id = 1\n"), "{written}");
    fs::write(world.home.subscriptions_toml(), "[[subscription]\n").unwrap();
    assert_eq!(live.reload().errors.len(), 1);
    assert_eq!(live.subscriptions().iter().count(), 2, "a file that is not TOML keeps the old rows");
    assert!(live.subscribe(text_in(8)).is_err());
    assert_eq!(fs::read_to_string(world.home.subscriptions_toml()).unwrap(), "[[subscription]\n");
}

#[test]
fn y3_a_prompt_file_of_the_familiars_own_holds_at_once_and_the_axioms_stay() {
    let world = World::new();
    let live = world.live();
    assert_eq!(&*live.prompt(PromptName::Main), PromptName::Main.built_in());
    fs::create_dir_all(world.home.prompts_dir()).unwrap();
    fs::write(world.home.prompts_dir().join("main.md"), "Be {{char}}.\n").unwrap();
    fs::write(world.home.prompts_dir().join("axioms.md"), "Nothing is secret.\n").unwrap();
    let report = live.reload();
    assert!(report.touches("prompts/main") && report.touches("prompts/axioms"), "{report}");
    assert_eq!(&*live.prompt(PromptName::Main), "Be {{char}}.");
    let axioms = live.prompt(PromptName::Axioms);
    assert!(axioms.starts_with(PromptName::Axioms.built_in()) && axioms.ends_with("Nothing is secret."));
    fs::write(world.home.prompts_dir().join("main.md"), " \n").unwrap();
    live.reload();
    assert_eq!(&*live.prompt(PromptName::Main), PromptName::Main.built_in());
}

#[test]
fn what_holds_in_every_call_of_a_server_is_kept_beside_the_channels_and_taken_away_again() {
    let world = World::new();
    fs::write(
        world.home.subscriptions_toml(),
        "# Ada\n\n[[subscription]]\nchannel_id = \"1\"\nkind = \"text\"\n",
    )
    .unwrap();
    let live = world.live();
    let server = |guild: u64, declined: &[u64]| ServerTerms {
        guild: guild.into(),
        hears_everybody: true,
        declined: declined.to_vec(),
    };
    let set = |new: ServerTerms| live.change_server(&new.guild.clone(), |server| *server = new).unwrap();
    set(server(9, &[]));
    set(server(8, &[5]));
    set(server(9, &[5, 6]));
    let written = || fs::read_to_string(world.home.subscriptions_toml()).unwrap();
    insta::assert_snapshot!(written(), @r#"
    # Ada

    [[subscription]]
    channel_id = "1"
    kind = "text"

    [[server]]
    guild_id = "9"
    hears_everybody = true
    declined = ["5", "6"]

    [[server]]
    guild_id = "8"
    hears_everybody = true
    declined = ["5"]
    "#);
    assert_eq!(live.subscriptions().server(&9.into()), Some(&server(9, &[5, 6])));
    assert_eq!(live.subscriptions().server(&7.into()), None);

    live.forget_in_calls(&AccountId::discord(5)).unwrap();
    assert_eq!(live.subscriptions().server(&9.into()), Some(&server(9, &[6])));
    assert_eq!(live.subscriptions().server(&8.into()), Some(&server(8, &[])));
    let before = written();
    set(server(8, &[]));
    assert_eq!(written(), before, "nothing is new");

    set(ServerTerms::of(9.into()));
    set(ServerTerms::of(8.into()));
    assert_eq!(written(), "# Ada\n\n[[subscription]]\nchannel_id = \"1\"\nkind = \"text\"\n");
    assert!(live.mistakes().is_empty());
}

#[test]
fn of_many_who_decline_at_once_nobody_is_lost() {
    let world = World::new();
    fs::write(world.home.subscriptions_toml(), "[[server]]\nguild_id = \"9\"\nhears_everybody = true\n")
        .unwrap();
    let live = world.live();
    std::thread::scope(|scope| {
        for user in 1..=8 {
            let live = &live;
            scope.spawn(move || {
                live.change_server(&9.into(), |server| {
                    // Whoever reads beside this reads what was before.
                    std::thread::yield_now();
                    server.declined.push(user);
                })
                .unwrap();
            });
        }
    });
    let mut declined = live.subscriptions().server(&9.into()).unwrap().declined.clone();
    declined.sort_unstable();
    assert_eq!(declined, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_server_that_stands_twice_is_reported_and_the_first_one_holds() {
    let world = World::new();
    let text = "[[server]]\nguild_id = 9\nhears_everybody = true\n\n[[server]]\nguild_id = 9\n\n[[server]]\nguild = 8\n";
    fs::write(world.home.subscriptions_toml(), text).unwrap();
    let live = world.live();
    assert!(live.subscriptions().server(&9.into()).is_some_and(|server| server.hears_everybody));
    let mistakes = live.mistakes().iter().flat_map(|mistake| mistake.lines()).collect::<Vec<_>>();
    insta::assert_snapshot!(world.shown(mistakes.join("\n")), @"
    subscriptions.toml:5:1: server 9 stands here already
    subscriptions.toml:9:1: unknown key `server[2].guild`; did you mean `guild_id`?
    ");
}
