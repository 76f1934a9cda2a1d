use proptest::prelude::*;

use super::*;

fn moment() -> Moment {
    Moment {
        idle: Some(Duration::from_secs(600)),
        last_message: "last {{char}}".to_owned(),
        last_user_message: "said".to_owned(),
        last_char_message: "answered".to_owned(),
        ..Moment::new(
            jiff::civil::date(2026, 3, 1).at(15, 4, 5, 0).in_tz("UTC").unwrap(),
            "turn-1".to_owned(),
            "channel-1".to_owned(),
        )
    }
}

fn card() -> CardFields<'static> {
    CardFields {
        description: "DESC of {{char}} {{personality}}",
        personality: "PERS {{description}}",
        scenario: "SCEN {{scenario}}",
        persona: "PERSONA of {{user}}",
        mes_examples: "EX",
        system_prompt: "Be {{char}}.",
        post_history: "",
        version: "1.2 {{char}}",
    }
}

fn expand(text: &str) -> String {
    let moment = moment();
    let context = MacroContext {
        char_name: "Bob",
        user: "Alice {{char}}",
        group: "Bob",
        card: card(),
        moment: &moment,
    };
    Expander::new(&context).expand(text)
}

fn expand_override(text: &str, original: &str) -> String {
    let moment = moment();
    let context =
        MacroContext { char_name: "Bob", user: "Alice", group: "Bob", card: card(), moment: &moment };
    Expander::new(&context).expand_override(text, original)
}

#[test]
fn names_are_found_in_any_case_and_values_are_not_read_again() {
    assert_eq!(
        expand("{{char}} {{CHAR}} {{ Char }} <BOT> <char> {{charIfNotGroup}}"),
        "Bob Bob Bob Bob Bob Bob"
    );
    assert_eq!(expand("{{user}}|<User>"), "Alice {{char}}|Alice {{char}}");
    assert_eq!(expand("{{lastMessage}} {{charVersion}}"), "last {{char}} 1.2 {{char}}");
}

#[test]
fn the_overridden_text_is_put_in_once_and_only_in_overrides() {
    assert_eq!(expand_override("a {{original}} b {{Original}} c", "{{char}}"), "a {{char}} b  c");
    assert_eq!(expand("a {{original}}"), "a ");
}

#[test]
fn card_fields_expand_but_never_include_themselves() {
    assert_eq!(expand("{{description}}"), "DESC of Bob PERS ");
    assert_eq!(expand("{{scenario}}"), "SCEN ");
    assert_eq!(expand("{{persona}} {{mesExamples}}"), "PERSONA of Alice {{char}} EX");
}

#[test]
fn comments_and_hidden_keys_leave_nothing() {
    assert_eq!(
        expand("a{{// {{char}} : b}}b{{comment: x}}c{{hidden_key:dragon}}d{{noop}}e{{comment}}f"),
        "abcdef"
    );
    assert_eq!(expand("a{{ // spaced }}b"), "ab");
}

#[test]
fn trim_eats_the_newlines_around_it_even_from_values() {
    assert_eq!(expand("a\r\n\n{{trim}}\n\r\nb"), "ab");
    assert_eq!(expand("a{{newline}}{{TRIM}}{{newline}}{{newline}}b\n{{trim}}"), "ab");
    assert_eq!(expand("a \n {{trim}} \nb"), "a \n  \nb");
}

#[test]
fn small_text_macros() {
    assert_eq!(expand("a{{newline}}b{{newline::2}}c{{space::3}}d"), "a\nb\n\nc   d");
    assert_eq!(expand("{{reverse:abc é}}|{{reverse::{{char}}}}|{{reverse xyz}}"), "é cba|boB|zyx");
}

#[test]
fn a_random_item_comes_from_the_list_and_an_escaped_comma_belongs_to_its_item() {
    for text in [
        "{{random:a,b , c}}",
        "{{random::a::b::c}}",
        "{{random a,b,c}}",
        "{{random:a::b::c}}",
        "{{random::a,b,c}}",
    ] {
        assert!(["a", "b", "c"].contains(&expand(text).as_str()), "{text}");
    }
    assert_eq!(expand(r"{{random:a\, b}}"), "a, b");
    assert_eq!(expand("{{random::{{char}}::{{char}}}}"), "Bob");
    assert_eq!(expand("[{{random}}]"), "[]");
}

#[test]
fn what_a_list_holds_is_evaluated_once_however_deep_it_stands() {
    let deep = "{{random::".repeat(12) + "{{incvar::n}}" + &"}}".repeat(12);
    assert_eq!(expand(&format!("{deep} {{{{getvar::n}}}}")), "1 1");
    assert!(expand("{{random::{{incvar::n}},{{incvar::n}}}} {{getvar::n}}").ends_with(" 2"));
}

#[test]
fn a_value_with_a_separator_does_not_split_a_list() {
    let moment = moment();
    let context = MacroContext {
        char_name: "B::o,b",
        user: "A",
        group: "B",
        card: CardFields::default(),
        moment: &moment,
    };
    assert_eq!(Expander::new(&context).expand("{{random::{{char}}::{{char}}}}"), "B::o,b");
}

#[test]
fn picks_stay_with_the_channel_and_random_changes_with_the_turn() {
    let list: String = (0..50).map(|n| format!("::{n}")).collect();
    let at = |turn: &str, channel: &str, text: &str| {
        let moment = Moment { turn: turn.to_owned(), channel: channel.to_owned(), ..moment() };
        let context = MacroContext { char_name: "B", user: "A", group: "B", card: card(), moment: &moment };
        Expander::new(&context).expand(text)
    };
    let pick = format!("{{{{pick{list}}}}}");
    let random = format!("{{{{random{list}}}}}");
    let over = |f: &dyn Fn(u32) -> String| (0..20).map(f).collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(over(&|turn| at(&turn.to_string(), "c", &pick)), 1);
    assert!(over(&|channel| at("t", &channel.to_string(), &pick)) > 5);
    assert!(over(&|turn| at(&turn.to_string(), "c", &random)) > 5);
    assert_eq!(over(&|_| at("t", "c", &random)), 1);
    assert!(over(&|n| at("t", "c", &format!("{}{pick}", " ".repeat(n as usize))).trim().to_owned()) > 5);
}

#[test]
fn rolls_and_times() {
    assert_eq!(expand("{{roll:1d1+4}} {{roll::d1}} {{roll 1}} [{{roll:nonsense}}]"), "5 1 1 []");
    assert_eq!(
        expand("{{time}} {{date}} {{weekday}} {{isotime}} {{isodate}}"),
        "3:04 PM March 1, 2026 Sunday 15:04 2026-03-01"
    );
    assert_eq!(expand("{{datetimeformat DD.MM.YYYY}} {{datetimeformat::HH:mm}}"), "01.03.2026 15:04");
    assert_eq!(expand("{{time_UTC-10}} {{time::UTC+2}}"), "5:04 AM 5:04 PM");
    assert_eq!(expand("{{idle_duration}}"), "10 minutes");
}

#[test]
fn unknown_macros_leave_nothing_and_other_braces_stay() {
    assert_eq!(expand("[{{isMobile}}|{{banned \"word\"}}|{{maxPrompt::{{char}}}}|{{/if}}{{else}}]"), "[|||]");
    assert_eq!(
        expand("{{outlet::news}} {{}} {{ }} {{1}} {{char"),
        "{{outlet::news}} {{}} {{ }} {{1}} {{char"
    );
}

#[test]
fn variables_are_set_changed_and_told() {
    assert_eq!(
        expand("{{setvar::mood::calm {{char}}}}{{getvar::mood}} {{.mood}} [{{getvar::none}}]"),
        "calm Bob calm Bob []"
    );
    assert_eq!(
        expand("{{incvar::n}}{{incvar::n}}{{addvar::n::0.5}}{{decvar::n}} {{.n++}} {{.n--}}"),
        "121.5 2.5 1.5"
    );
    assert_eq!(expand("{{setvar::list::a}}{{addvar::list::::b}}{{.list}}"), "a::b");
    assert_eq!(
        expand("{{.x = 5}}{{.x += 2}}{{.x}} [{{$x}}]{{setglobalvar::x::all}} {{$x}} {{getglobalvar::x}}"),
        "7 [] all all"
    );
    let many: String = (0..300).map(|n| format!("{{{{setvar::v{n}::1}}}}")).collect();
    assert_eq!(
        expand(&format!("{many}{{{{getvar::v0}}}}{{{{getvar::v299}}}}")),
        "1",
        "as many as there may be"
    );
}

#[test]
fn blocks_stand_where_their_condition_holds() {
    assert_eq!(expand("{{if {{user}}}}yes{{else}}no{{/if}}"), "yes");
    assert_eq!(expand("{{if persona}}p{{/if}}{{if charInstruction}}q{{else}}-{{/if}}"), "p-");
    assert_eq!(
        expand("{{setvar::on::1}}{{if .on}}a{{else}}b{{/if}}{{if !.on}}c{{else}}d{{/if}}{{if !$on}}e{{/if}}"),
        "ade"
    );
    assert_eq!(expand("{{if 0}}a{{if 1}}b{{else}}c{{/if}}{{else}}d{{if off}}e{{else}}f{{/if}}{{/if}}"), "df");
    assert_eq!(expand("{{if::1::{{char}}::no}} {{if::0::yes::no}}"), "Bob no");
    assert_eq!(expand("[{{if user}}open]"), "[open]", "a block that never ends is none");
    let open = "{{if 1}}".repeat(30_000);
    assert!(expand(&open).len() <= open.len());
}

#[test]
fn what_was_said_last_and_the_cards_own_instructions_are_told() {
    assert_eq!(
        expand("{{lastCharMessage}}|{{input}}|{{charPrompt}}|{{notChar}}"),
        "answered|said|Be Bob.|Alice {{char}}"
    );
}

#[test]
fn escaped_braces_lose_their_backslash_and_mean_nothing() {
    assert_eq!(expand(r"\{\{char\}\} {{{char}}}"), "{{char}} {Bob}");
}

#[test]
fn a_bomb_of_fields_is_bounded() {
    let many = "{{personality}}".repeat(3_000);
    let moment = moment();
    let card =
        CardFields { description: &many, personality: &many, scenario: &many, persona: &many, ..card() };
    let context = MacroContext { char_name: "B", user: "A", group: "B", card, moment: &moment };
    let text = "{{description}}{{scenario}}".repeat(100);
    assert!(Expander::new(&context).expand(&text).len() <= text.len() + 2 * MAX_ADDED_BYTES);
    let deep = "{{".repeat(50_000) + "char" + &"}}".repeat(50_000);
    assert!(Expander::new(&context).expand(&deep).len() <= deep.len());
}

proptest! {
    #[test]
    fn nothing_panics_and_output_is_bounded(text in "([{}<>:/,\\\\ a-z\\n]|\\{\\{|\\}\\}|char|random|::|trim|é|original){0,80}") {
        let out = expand_override(&text, "O");
        prop_assert!(out.len() <= text.len() + MAX_ADDED_BYTES);
        prop_assert!(unknown_macros(&text).len() <= text.len());
        prop_assert!(volatile_macros(&text).len() <= text.len());
    }

    #[test]
    fn text_without_braces_or_markers_is_left_alone(text in "[^{}<>\\\\]{0,200}") {
        prop_assert_eq!(expand(&text), text);
    }

    #[test]
    fn any_name_is_put_in_whole_and_never_read(name in "\\PC{0,40}") {
        let moment = moment();
        let context = MacroContext { char_name: &name, user: "A", group: "B", card: card(), moment: &moment };
        prop_assert_eq!(Expander::new(&context).expand("[{{char}}]"), format!("[{name}]"));
    }
}
