use proptest::prelude::*;

use super::*;
use crate::context::budget::{BudgetPlan, fit};
use crate::context::contribution::{Quoted, TailPart, TurnLine};
use crate::context::live_st::PromptNames;
use crate::context::providers::{Addressee, HouseWords, character_contributions};
use crate::context::screen::screen;
use crate::domain::{ChannelId, Layer, Place, Role, StoredId, TokenEncoding};
use crate::familiar::{Character, DepthPrompt};
use familiar_cards::macros::Moment;

const ENCODING: TokenEncoding = TokenEncoding::CharsOver4;

fn moment() -> Moment {
    Moment::new(
        jiff::Timestamp::UNIX_EPOCH.to_zoned(jiff::tz::TimeZone::UTC),
        "t1".to_owned(),
        "1".to_owned(),
    )
}

fn a_character() -> impl Strategy<Value = Character> {
    let text = "[a-z{}:\n ]{0,60}";
    let examples =
        "(<START>\n|\\{\\{user\\}\\}: [a-z ]{0,20}\n|\\{\\{char\\}\\}: [a-z ]{0,20}\n|[a-z ]{0,20}\n){0,12}";
    (text, text, text, text, text, examples, proptest::option::of((text, 0u32..6))).prop_map(
        |(system_prompt, description, personality, scenario, last, mes_example, note)| Character {
            name: "Mika".to_owned(),
            system_prompt,
            description,
            personality,
            scenario,
            post_history_instructions: last,
            mes_example,
            depth_prompt: note.map(|(prompt, depth)| DepthPrompt { prompt, depth, role: Role::System }),
            ..Character::default()
        },
    )
}

fn a_turn(ordinal: u64, (is_reply, name, prefix, text): (bool, String, String, String)) -> Contribution {
    Contribution {
        turn: Some(TurnLine {
            prefix,
            ..TurnLine::of(
                StoredId(1),
                if is_reply { Role::Assistant } else { Role::User },
                (!is_reply).then(|| crate::text::names::prompt_label(&name)),
            )
        }),
        ..Contribution::anywhere(
            format!("history/{ordinal}"),
            Layer::RecentHistory,
            Placement::Turn(ordinal),
            Trust::Chat,
            text,
        )
    }
}

fn an_extra(source: &str, placement: Placement, text: String) -> Contribution {
    Contribution {
        source: source.to_owned(),
        placement,
        turn: None,
        ..a_turn(0, (true, String::new(), String::new(), text))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// What is accounted is never less than what is sent: headings, names, brackets, message frames, the lines a
    /// layout adds by itself. Otherwise a small window overflows though every figure says that it does not.
    #[test]
    fn a17_a_prompt_never_takes_more_than_was_accounted_for_it(
        character in a_character(),
        turns in proptest::collection::vec((any::<bool>(), "[A-Za-zéß ]{1,12}", "(\\[12:00\\] )?", "[a-z\n ]{1,50}"), 1..8),
        (mode, live, lore) in ("[a-z ]{0,40}", "[a-z ]{1,40}", "[a-z ]{0,40}"),
        found in (
            "[A-Za-z ]{1,12}",
            any::<bool>(),
            "[a-z\n ]{1,50}",
            prop_oneof![
                Just(Placement::Tail(TailPart::Recalled)),
                Just(Placement::Summary(1)),
                Just(Placement::Mode),
                Just(Placement::LoreBefore),
            ],
        ),
        layout in prop_oneof![Just(RenderMode::Layered), Just(RenderMode::St)],
        in_company in any::<bool>(),
    ) {
        let mut offered = character_contributions(&character, &HouseWords::built_in(), &Addressee::named("everyone"), "Someone", &moment(), ENCODING);
        offered.push(an_extra("mode", Placement::Mode, mode));
        offered.push(an_extra("live", Placement::Tail(TailPart::Now), live));
        offered.push(Contribution {
            trust: Trust::Held,
            quoted: Some(Quoted {
                author: Some(found.0),
                place: found.1.then(|| "#quay".to_owned()),
                at: found.1.then_some(jiff::Timestamp::UNIX_EPOCH),
            }),
            ..an_extra("found", found.3, found.2)
        });
        offered.push(an_extra("lore", Placement::LoreAfter, lore));
        offered.extend((1..).zip(turns).map(|(ordinal, turn)| a_turn(ordinal, turn)));
        let model = ModelDescription::plain("test", 100_000, ENCODING);
        let plan = BudgetPlan::uncapped(100_000, 100_000, 0);
        let place = Place::terminal(ChannelId::new("terminal").unwrap());
        let budgeted = fit(screen(ingest(offered, &model, layout), &place), &plan).unwrap();
        let messages = match layout {
            RenderMode::Layered => layered::render(&budgeted, &jiff::tz::TimeZone::UTC),
            RenderMode::St => live_st::render(&budgeted, &PromptNames {
                character: "Mika".to_owned(),
                example_user: "Someone".to_owned(),
                in_company,
                moment: moment(),
                display_tz: jiff::tz::TimeZone::UTC,
            }),
        };
        let sent: u32 = messages.iter().map(|message| {
            let name = message.name.as_deref().filter(|_| message.role != Role::System);
            MESSAGE_OVERHEAD_TOKENS
                + tokens::count(ENCODING, &message.content)
                + name.map_or(0, |name| tokens::count(ENCODING, name))
        }).sum();
        prop_assert!(sent <= budgeted.tokens, "{} sent, {} accounted: {:#?}", sent, budgeted.tokens, messages);
    }
}
