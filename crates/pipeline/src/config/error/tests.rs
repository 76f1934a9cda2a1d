//! What people see when they make a mistake, mistake by mistake.

use std::sync::Arc;

use super::*;
use crate::config::channel::ChannelFile;
use crate::config::check::{checked_document, schema_of};
use crate::config::defaults::{Defaults, character};
use crate::config::document::{Layers, Rank, SourceText};
use crate::config::settings::Config;

/// The files that a `character.toml` makes with the defaults.
fn layers(text: &str) -> Result<Layers, ConfigError> {
    let own = character("character.toml", text, Rank::Familiar)?;
    Ok(Defaults::embedded().layers()?.with(&Arc::new(own)))
}

/// The error of a `character.toml` laid over the defaults.
fn error(text: &str) -> ConfigError {
    layers(text).and_then(|layers| Config::resolve(&layers)).unwrap_err()
}

fn lines(text: &str) -> String {
    error(text).lines().join("\n")
}

fn sidecar_lines(text: &str) -> String {
    let source = SourceText::of("channels/7.toml", text, Rank::Channel);
    checked_document(&source, &schema_of::<ChannelFile>()).unwrap_err().lines().join("\n")
}

#[test]
fn an_unknown_key_is_shown_in_its_line_with_the_likely_name() {
    let text = "# mine\naliases = [\"Ada\"]\ninterjecton = \"eager\" # often\n";
    let report = error(text).report();
    assert!(!report.contains("config"), "no code of the program's own: {report}");
    insta::assert_snapshot!(report, @r#"
      × unknown key `interjecton`
       ╭─[character.toml:3:1]
     2 │ aliases = ["Ada"]
     3 │ interjecton = "eager" # often
       · ─────┬─────
       ·      ╰── not known here
       ╰────
      help: did you mean `interjection`?
    "#);
}

#[test]
fn why_a_file_cannot_be_read_is_said_once() {
    let error = io::Error::new(io::ErrorKind::PermissionDenied, "it is somebody else's");
    let report = ConfigError::io("read", Path::new("character.toml"), error).report();
    assert_eq!(report.matches("it is somebody else's").count(), 1, "{report}");
}

#[test]
fn a_disk_that_takes_nothing_is_told_with_what_to_do() {
    for (kind, advice) in [
        (io::ErrorKind::StorageFull, Some("make room on that disk")),
        (io::ErrorKind::QuotaExceeded, Some("make room on that disk")),
        (io::ErrorKind::ReadOnlyFilesystem, Some("let the user that the program runs as write there")),
        (io::ErrorKind::PermissionDenied, Some("let the user that the program runs as write there")),
        (io::ErrorKind::NotADirectory, None),
    ] {
        let error = |action| ConfigError::io(action, Path::new("character.toml"), kind.into());
        let (written, read) = (error("write"), error("read"));
        assert_eq!(written.unwritable().map(Unwritable::advice), advice, "{kind}");
        assert_eq!(written.lines()[0].ends_with(advice.unwrap_or("; ")), advice.is_some(), "{kind}");
        assert_eq!(written.report().contains("help: "), advice.is_some(), "{kind}");
        assert_eq!(read.unwritable(), None, "{kind}");
    }
}

#[test]
fn several_mistakes_are_shown_at_once() {
    let text = "chatiness = \"x\"\n[llm.main_prose]\ntemperature = 3\n";
    insta::assert_snapshot!(error(text).report(), @r#"
      × 2 mistakes in the settings

    Error: 
      × unknown key `chatiness`
       ╭─[character.toml:1:1]
     1 │ chatiness = "x"
       · ────┬────
       ·     ╰── not known here
     2 │ [llm.main_prose]
       ╰────
      help: did you mean `chattiness`?

    Error: 
      × `llm.main_prose.temperature` must be a number from 0 to 2, or "default", but is 3
       ╭─[character.toml:3:15]
     2 │ [llm.main_prose]
     3 │ temperature = 3
       ·               ┬
       ·               ╰── this value
       ╰────
    "#);
}

#[test]
fn a_secret_in_the_wrong_file_is_not_repeated() {
    let report = error("[llm]\napi_key = \"sk-very-secret\"\n").report();
    assert!(!report.contains("sk-very-secret"), "{report}");
    insta::assert_snapshot!(report, @r"
      × character.toml:2:1: unknown key `llm.api_key`
      help: secrets do not belong here; put them into .env (see .env.example)
    ");
}

#[test]
fn a_long_text_is_not_underlined_to_its_end() {
    let text = format!("chattiness = \"\"\"\n{}\"\"\"\n", "many words\n".repeat(200));
    insta::assert_snapshot!(error(&text).report(), @r#"
      × `chattiness` must be text of at most 2000 characters, but is 2200 characters long
       ╭─[character.toml:1:14]
     1 │ chattiness = """
       ·              ─┬─
       ·               ╰── this value
     2 │ many words
       ╰────
    "#);
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(error("aliases = [\"Ada\"\ninterjection = \"eager\"\n").report(), @r#"
      × this is not valid TOML: missing comma between array elements, expected `,`
       ╭─[character.toml:2:1]
     1 │ aliases = ["Ada"
     2 │ interjection = "eager"
       · ▲
       · ╰── here
       ╰────
    "#);
}

#[test]
fn unknown_names() {
    insta::assert_snapshot!(lines("[llm.main_pros]\nmodel = \"x\""), @"character.toml:1:6: unknown model slot `llm.main_pros`; did you mean `main_prose`?");
    insta::assert_snapshot!(lines("[llm.chat]\nmodel = \"x\""), @"character.toml:1:6: unknown model slot `llm.chat`; the model slots here are history_summary, interjection_decision, main_prose, memory_search, memory_writer, mood_eval, post_process_style, reasoning_context");
    insta::assert_snapshot!(lines("[provider]\nhistory.window_size = 30"), @"character.toml:1:2: unknown key `provider`; did you mean `providers`?");
    insta::assert_snapshot!(lines("[modes.fullrp]\nbudget_tokens = 900"), @"character.toml:1:8: unknown channel mode `modes.fullrp`; did you mean `full_rp`?");
    insta::assert_snapshot!(lines("[modes.full_rp.layers]\nlore = 900"), @"character.toml:2:1: unknown layer `modes.full_rp.layers.lore`; it belongs under `[modes.full_rp.sections]`");
    insta::assert_snapshot!(lines("[modes.full_rp.layers]\nrecent-history = 900"), @"character.toml:2:1: unknown layer `modes.full_rp.layers.recent-history`; did you mean `recent_history`?");
    insta::assert_snapshot!(lines("[typing_simulation]\nspeed = 4"), @"character.toml:2:1: unknown key `typing_simulation.speed`; the keys here are chars_per_second, enabled, inter_line_pause_s, max_delay_s, min_delay_s, sentence_split_threshold");
    insta::assert_snapshot!(lines("[llm]\napi_key = \"sk-1\""), @"character.toml:2:1: unknown key `llm.api_key`; secrets do not belong here; put them into .env (see .env.example)");
    insta::assert_snapshot!(lines("openrouter-key = \"sk-1\""), @"character.toml:1:1: unknown key `openrouter-key`; secrets do not belong here; put them into .env (see .env.example)");
    insta::assert_snapshot!(lines("[discord]\nbot_token = \"x\""), @"character.toml:2:1: unknown key `discord.bot_token`; secrets do not belong here; put them into .env (see .env.example)");
    insta::assert_snapshot!(lines("[llm]\nmax_concurrent = 4"), @"character.toml:2:1: unknown key `llm.max_concurrent`; did you mean `max_concurrent_requests`?");
    insta::assert_snapshot!(lines("model = \"gpt\""), @"character.toml:1:1: unknown key `model`; it belongs under `[llm.main_prose]`");
    let known = lines("[weather]\ncity = \"x\"");
    assert!(known.starts_with("character.toml:1:2: unknown key `weather`; the keys here are "), "{known}");
    assert!(known.contains(" aliases, ") && known.ends_with("voice_lull_timeout, window"), "{known}");
}

#[test]
fn keys_in_the_wrong_table_are_sent_to_the_right_one() {
    insta::assert_snapshot!(lines("window_size = 30"), @"character.toml:1:1: unknown key `window_size`; it belongs under `[providers.history]`");
    insta::assert_snapshot!(lines("[llm]\nbase_url = \"\"\naliases = [\"Ada\"]"), @"character.toml:3:1: unknown key `llm.aliases`; it belongs at the top of the file, above the first [table]");
    insta::assert_snapshot!(lines("[llm]\ntemperature = 1"), @"character.toml:2:1: unknown key `llm.temperature`; it belongs under `[llm.main_prose]`");
}

#[test]
fn values_of_the_wrong_form() {
    insta::assert_snapshot!(lines("aliases = \"Ada\""), @r#"character.toml:1:11: `aliases` must be a list of texts, none blank, but is "Ada""#);
    insta::assert_snapshot!(lines("aliases = [\"Ada\", \" \"]"), @r#"character.toml:1:19: `aliases[1]` must be text that is not blank, but is " ""#);
    insta::assert_snapshot!(lines("text_lull_timeout = \"10s\""), @r#"character.toml:1:21: `text_lull_timeout` must be a number of seconds from 0 to 3600, but is "10s""#);
    insta::assert_snapshot!(lines("llm = 3"), @"character.toml:1:7: `llm` must be a table of settings, but is 3");
    insta::assert_snapshot!(lines("[llm.main_prose]\nmodel = \"\""), @r#"character.toml:2:9: `llm.main_prose.model` must be text that is not blank, but is """#);
    insta::assert_snapshot!(lines("display_tz = \"Berlin\""), @r#"character.toml:1:14: `display_tz` must be an IANA time zone, such as "Europe/Berlin", but is "Berlin""#);
    insta::assert_snapshot!(lines("[tts]\ncartesia_voice_id = \"nice voice\""), @r#"character.toml:2:21: `tts.cartesia_voice_id` must be a UUID, but is "nice voice""#);
    insta::assert_snapshot!(lines("[llm]\nbase_url = \"localhost:8080\""), @r#"character.toml:2:12: `llm.base_url` must be an http:// or https:// address, or empty, but is "localhost:8080""#);
    insta::assert_snapshot!(lines("[discord]\ndm_allowlist = [1, \"x\"]"), @r#"character.toml:2:20: `discord.dm_allowlist[1]` must be an id (digits), as number or text, but is "x""#);
    insta::assert_snapshot!(lines("[modes.full_rp.layers]\ncore = \"none\""), @r#"character.toml:2:8: `modes.full_rp.layers.core` must be a whole number of tokens, or "unlimited", but is "none""#);
    insta::assert_snapshot!(lines("text_lull_timeout = nan"), @"character.toml:1:21: `text_lull_timeout` must be a number of seconds from 0 to 3600, but is NaN");
    insta::assert_snapshot!(lines("[providers.history]\nwindow_size = 99999999999999999999"), @"character.toml:2:15: this is not valid TOML: this number is too large");
}

#[test]
fn values_out_of_range_say_the_range() {
    insta::assert_snapshot!(lines("[llm.main_prose]\ntemperature = 2.1"), @r#"character.toml:2:15: `llm.main_prose.temperature` must be a number from 0 to 2, or "default", but is 2.1"#);
    insta::assert_snapshot!(lines("[llm.main_prose]\ntop_p = 1.5"), @"character.toml:2:9: `llm.main_prose.top_p` must be a number from 0 to 1, but is 1.5");
    insta::assert_snapshot!(lines("[llm.main_prose]\ntop_k = 0"), @"character.toml:2:9: `llm.main_prose.top_k` must be a whole number from 1 to 1000, but is 0");
    insta::assert_snapshot!(lines("[llm.main_prose]\nfrequency_penalty = -3"), @"character.toml:2:21: `llm.main_prose.frequency_penalty` must be a number from -2 to 2, but is -3");
    insta::assert_snapshot!(lines("[llm]\nmax_concurrent_requests = 0"), @"character.toml:2:27: `llm.max_concurrent_requests` must be a whole number from 1 to 64, but is 0");
    insta::assert_snapshot!(lines("[providers.history]\nwindow_size = 0"), @"character.toml:2:15: `providers.history.window_size` must be a whole number from 1 to 1000, but is 0");
    insta::assert_snapshot!(lines("text_lull_timeout = -1"), @"character.toml:1:21: `text_lull_timeout` must be a number of seconds from 0 to 3600, but is -1");
    insta::assert_snapshot!(lines("[modes.full_rp]\nbudget_tokens = 8_000.5"), @"character.toml:2:17: `modes.full_rp.budget_tokens` must be a whole number from 500 to 1000000, but is 8000.5");
    insta::assert_snapshot!(lines("[typing_simulation]\nchars_per_second = 0"), @"character.toml:2:20: `typing_simulation.chars_per_second` must be a number from 1 to 1000, but is 0");
}

#[test]
fn words_that_are_not_among_the_allowed_ones() {
    insta::assert_snapshot!(lines("interjection = \"very eager\""), @r#"character.toml:1:16: `interjection` must be one of "never", "very_quiet", "quiet", "average", "eager", "very_eager", but is "very eager"; did you mean "very_eager"?"#);
    insta::assert_snapshot!(lines("default_mode = \"novel\""), @r#"character.toml:1:16: `default_mode` must be one of "full_rp", "text_conversation_rp", "imitate_voice", but is "novel""#);
    insta::assert_snapshot!(lines("[voice.interruption]\ninterrupt_tolerance = \"stuborn\""), @r#"character.toml:2:23: `voice.interruption.interrupt_tolerance` must be one of "very_meek", "meek", "average", "stubborn", "very_stubborn", but is "stuborn"; did you mean "stubborn"?"#);
    insta::assert_snapshot!(lines("[tts]\nprovider = \"polly\""), @r#"character.toml:2:12: `tts.provider` must be one of "auto", "azure", "cartesia", "elevenlabs", "gemini", "openai", "piper", "command", "espeak", "none", but is "polly""#);
    insta::assert_snapshot!(lines("[llm.main_prose]\nreasoning = \"none\""), @r#"character.toml:2:13: `llm.main_prose.reasoning` must be one of "off", "low", "medium", "high", but is "none""#);
    insta::assert_snapshot!(lines("[memory.embeddings]\nmodel = \"multi\""), @r#"character.toml:2:9: `memory.embeddings.model` must be "english", "multilingual" or a name on the hub, as "owner/name", but is "multi"; did you mean "multilingual"?"#);
    assert_eq!(lines("[memory.embeddings]\nmodel = \"a/b/c\"").matches("owner/name").count(), 1);
    insta::assert_snapshot!(lines("[render]\nmode = \"sillytavern\""), @r#"character.toml:2:8: `render.mode` must be one of "layered", "st", but is "sillytavern""#);
}

#[test]
fn contradictions_after_merging_point_at_what_was_written_last() {
    insta::assert_snapshot!(lines("[typing_simulation]\nmin_delay_s = 7"), @"character.toml:2:15: `typing_simulation.min_delay_s` is 7, which must not exceed `typing_simulation.max_delay_s`, which is 6.0 in familiars/_default/character.toml (built in)");
    insta::assert_snapshot!(lines("[typing_simulation]\nmin_delay_s = 3\nmax_delay_s = 2"), @"character.toml:3:15: `typing_simulation.min_delay_s` is 3, which must not exceed `typing_simulation.max_delay_s`, which is 2");
    insta::assert_snapshot!(lines("[voice.interruption]\nshort_long_boundary_s = 2"), @"character.toml:2:25: `voice.interruption.min_interruption_s` is 2.0 in familiars/_default/character.toml (built in), which must be less than `voice.interruption.short_long_boundary_s`, which is 2");
    insta::assert_snapshot!(lines("[tts]\nprovider = \"cartesia\""), @r#"character.toml:2:12: `tts.provider = "cartesia"` needs `tts.cartesia_voice_id` to be set"#);
}

#[test]
fn channel_files_are_just_as_strict() {
    insta::assert_snapshot!(sidecar_lines("mode = \"full_rp\"\ndefault_mode = \"full_rp\""), @"channels/7.toml:2:1: unknown key `default_mode`; the keys here are answers, backdrop, channel_name, crossing_talks, greets_newcomers, language, mode, plan, quiet_since, quiet_until, recast, sources, speaks_first, stepped_thinking, typing_simulation");
    insta::assert_snapshot!(sidecar_lines("mode = \"full_rp\"\n[typing_simulation]\nenabeld = true"), @"channels/7.toml:3:1: unknown key `typing_simulation.enabeld`; did you mean `enabled`?");
    let long = format!("mode = \"full_rp\"\nbackdrop = \"{}\"", "x".repeat(4001));
    insta::assert_snapshot!(sidecar_lines(&long), @"channels/7.toml:2:12: `backdrop` must be text of at most 4000 characters, but is 4001 characters long");
}

#[test]
fn what_may_be_written_is_not_refused() {
    let fine = "display_tz = \"Europe/Berlin\"\ntext_lull_timeout = 3\nchattiness = \"\"\n\
                [discord]\ndm_allowlist = [1, \"175928847299117063\"]\n\
                [modes.full_rp.layers]\ncore = \"unlimited\"\ncontent = 0\n\
                [voice]\ninterruption.min_interruption_s = 1\n\
                [memory]\nembeddings.model = \"intfloat/e5-small-v2\"\n\
                [tts]\nprovider = \"cartesia\"\ncartesia_voice_id = \"694f9389-aac1-45b6-b726-9d9369183238\"\n\
                [llm]\nbase_url = \"http://localhost:8080/v1\"\nmain_prose.fallbacks = [\"a/b\"]\nmain_prose.temperature = \"default\"\n";
    let config = Config::resolve(&layers(fine).unwrap()).unwrap();
    assert_eq!(config.discord.dm_allowlist, [1, 175_928_847_299_117_063]);
    let layers = &config.modes[&crate::domain::ChannelMode::FullRp].layers;
    assert_eq!(layers[&crate::domain::Layer::Core], None);
    assert_eq!(config.llm.slots[&crate::domain::Slot::MainProse].fallbacks, ["a/b"]);
    assert_eq!(config.llm.slots[&crate::domain::Slot::MainProse].temperature, None);
    assert_eq!(config.llm.slots[&crate::domain::Slot::MoodEval].temperature, Some(0.3));
}
