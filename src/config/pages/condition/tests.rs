use std::sync::Arc;

use super::*;
use crate::config::source::{Rank, Source};

fn front(text: &str) -> Node {
    let source = Source { name: "a.md".to_owned(), text: text.to_owned(), rank: Rank::Familiar };
    Node::parse(&Arc::new(source)).unwrap()
}

fn when(text: &str) -> Condition<Fact> {
    read(&front(text)).unwrap()
}

fn wrong(text: &str) -> Vec<String> {
    read(&front(text)).unwrap_err().lines()
}

const SETTING: Setting<'_> = Setting {
    mode: ChannelMode::FullRp,
    place: PlaceKind::Thread,
    is_nsfw: false,
    has_tools: true,
    model: "z-ai/GLM-5.1",
};

fn occasion() -> Occasion {
    Occasion { modality: Modality::Text, effort: Effort::new(5), slot: Slot::MainProse, people: 3 }
}

#[track_caller]
fn holds(text: &str, wanted: bool) {
    assert_eq!(when(text).holds(&SETTING, &occasion()), wanted, "{text}");
}

#[test]
fn y3_every_fact_can_be_asked_for() {
    for (text, wanted) in [
        ("", true),
        ("[when]\n", true),
        ("when.mode = 'full_rp'", true),
        ("when.mode = ['imitate_voice', 'full_rp']", true),
        ("when.mode = 'imitate_voice'", false),
        ("when.place = 'guild'", true),
        ("when.place = ['dm', 'thread']", true),
        ("when.place = 'channel'", false),
        ("when.nsfw = true", false),
        ("when.nsfw = false", true),
        ("when.tools = true", true),
        ("when.model = 'glm'", true),
        ("when.model = ['gemma', 'llama']", false),
        ("when.modality = 'voice'", false),
        ("when.slot = 'main_prose'", true),
        ("when.effort.from = 5", true),
        ("when.effort = { from = 1, to = 4 }", false),
        ("when.people.to = 3", true),
        ("when.people.from = 4", false),
    ] {
        holds(text, wanted);
    }
}

#[test]
fn y3_facts_join_by_and_or_and_not() {
    holds("when = { mode = 'full_rp', tools = false }", false);
    holds("[[when]]\nmode = 'imitate_voice'\n[[when]]\ntools = true", true);
    holds("when.any = [{ place = 'dm' }, { people = { from = 3 } }]", true);
    holds("when.all = [{ place = 'guild' }, { nsfw = true }]", false);
    holds("when.not = { nsfw = true }", true);
    holds("when.not = [{ nsfw = true }, { tools = true }]", false);
    holds("when = { place = 'guild', not = { any = [{ mode = 'full_rp', people = { to = 2 } }] } }", true);
}

#[test]
fn y3_what_lasts_is_told_from_what_may_change() {
    assert!(when("when = { mode = 'full_rp', not = { model = 'gemma' } }").lasting().is_ok());
    for (text, key) in [
        ("when.people.from = 2", "people"),
        ("when.not = { any = [{ tools = true }, { effort = { from = 2 } }] }", "effort"),
        ("when.modality = 'voice'", "modality"),
        ("[[when]]\nslot = 'main_prose'", "slot"),
    ] {
        assert_eq!(when(text).lasting().unwrap_err().key(), key, "{text}");
    }
}

#[test]
fn y3_mistakes_are_named_however_deep_they_stand() {
    assert_eq!(wrong("when.modes = 'full_rp'"), ["a.md:1:6: unknown key `when.modes`; did you mean `mode`?"]);
    assert_eq!(
        wrong("when.any = [{ mode = 'full_pr' }, { people = { form = 2 } }]"),
        [
            "a.md:1:22: `when.any[0].mode` must be one of \"full_rp\", \"text_conversation_rp\", \"imitate_voice\", \
             or a list of them, but is \"full_pr\"; did you mean \"full_rp\"?",
            "a.md:1:48: unknown key `when.any[1].people.form`; did you mean `from`?",
        ]
    );
    assert_eq!(
        wrong("when.effort = { from = 7, to = 3 }"),
        ["a.md:1:32: `effort.from` is 7, which must not exceed `effort.to`, which is 3"]
    );
    assert_eq!(
        wrong("when.any = []"),
        ["a.md:1:12: `when.any` must be a table of conditions, or a list of such tables, but is a list"]
    );
}
