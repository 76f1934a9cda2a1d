use jiff::civil::{Date, date};
use proptest::prelude::*;

use super::*;
use crate::domain::{AccountId, Audience, ChannelId, GuildId, StoredId, Visible};

const TODAY: Date = date(2026, 11, 10);

fn page(text: &str) -> NotePage {
    NotePage::parse(text).unwrap()
}

fn id(id: &str) -> FactId {
    id.parse().unwrap()
}

fn guild(number: u64) -> Audience {
    Audience::Guild(GuildId::from(number))
}

fn dm(number: u64) -> Audience {
    Audience::Dm(AccountId::discord(number))
}

fn shown(text: &str, audiences: &[Audience]) -> String {
    page(text)
        .seen_where(&Visible::only(audiences.to_vec()), TODAY, &|_| true)
        .map(|seen| seen.text)
        .unwrap_or_default()
}

const ANA: &str = "\
---
audience: guild:77
aliases: [Ana]
---
# Ana

Keeps bees.

## Pets

- Biscuit is Ana's cat. <!-- f=k3v9q2xy to=guild:77 by=discord:42 on=2026-11-02 from=t:1841,t:1843 imp=3 -->
- Biscuit is ill. <!-- f=zz to=dm:discord:42 by=discord:42 until=2026-11-05 -->
- Rex is Ana's dog. <!-- to=dm:discord:42 f=h2x1 kind=claim mood=sad -->
- A line of my own.

## Health

- Secret. <!-- f=s to=private:9 -->
";

#[test]
fn a_fact_is_a_line_with_a_comment() {
    let page = page(ANA);
    let ids: Vec<&str> = page.facts().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["k3v9q2xy", "zz", "h2x1", "s"]);
    let cat = page.fact(&id("k3v9q2xy")).unwrap();
    assert_eq!(cat.words, "Biscuit is Ana's cat.");
    assert_eq!(cat.line, 11);
    let above: Vec<&str> = page.headings(cat).iter().map(|heading| heading.words.as_str()).collect();
    assert_eq!(above, ["Ana", "Pets"]);
    let data = cat.data.as_ref().unwrap();
    assert_eq!(data.by, Some(By::Person(AccountId::discord(42))));
    assert_eq!(data.on, Some(date(2026, 11, 2)));
    assert_eq!(data.from, [Evidence::Turn(StoredId(1841)), Evidence::Turn(StoredId(1843))]);
    assert_eq!((data.importance, data.kind), (Some(3), FactKind::Fact));
    let dog = page.fact(&id("h2x1")).unwrap().data.as_ref().unwrap();
    assert_eq!(dog.rest, [("mood".to_owned(), "sad".to_owned())], "a later version's keys are kept");
    assert_eq!(dog.to_string(), "f=h2x1 to=dm:discord:42 kind=claim mood=sad");
    assert!(page.broken().is_empty());
}

#[test]
fn contradiction_8_every_line_is_for_those_it_was_told_to() {
    let everybody = shown(ANA, &[Audience::Canon, guild(77)]);
    assert_eq!(everybody, "# Ana\n\nKeeps bees.\n\n## Pets\n\n- Biscuit is Ana's cat.\n- A line of my own.");
    assert_eq!(
        shown(ANA, &[Audience::Canon, dm(42)]),
        "- Rex is Ana's dog.",
        "not even the guild's headings"
    );
    assert_eq!(shown(ANA, &[Audience::Canon, guild(78)]), "");
    let both = page(ANA)
        .seen_where(&Visible::only([guild(77), Audience::Private(ChannelId::from(9))]), TODAY, &|_| true)
        .unwrap();
    assert_eq!(both.audience, Audience::Private(ChannelId::from(9)), "the smallest circle of what is in it");
    assert!(both.text.ends_with("## Health\n\n- Secret."), "{}", both.text);
}

#[test]
fn what_stands_in_a_line_has_its_audience() {
    let text = "\
- Told me alone: <!-- f=a to=dm:discord:1 -->
  she moves out,
  - on Friday
    - at noon <!-- to=canon -->

  and needs help.

  ```
  keys
  ```
At the margin.

At large.
- Open.
\t- nested under open
";
    assert_eq!(
        shown(text, &[Audience::Canon]),
        "    - at noon\n\nAt the margin.\n\nAt large.\n- Open.\n\t- nested under open"
    );
    let hers = shown(text, &[dm(1)]);
    assert!(hers.contains("she moves out") && hers.contains("on Friday") && hers.contains("keys"), "{hers}");
    let section = "# Open\n\nx\n\n## Closed <!-- to=dm:discord:1 -->\n\nsecret\n\n### Deeper\n\nmore\n\n## Open again\n\ny\n";
    assert_eq!(shown(section, &[Audience::Canon]), "# Open\n\nx\n\n## Open again\n\ny");
}

#[test]
fn a_comment_that_cannot_be_read_makes_its_line_nobodys() {
    let all = [Audience::Canon, guild(1), dm(1)];
    for (line, reason) in [
        ("- x <!-- f=a to=everyone -->", "to=everyone is not understood"),
        ("- x <!-- f=a to=dm:discord:1 to=canon -->", "to= stands there twice"),
        ("- x <!-- f=a to=dm:discord:1 --> <!-- to=canon -->", "there are two comments with data"),
        ("- x <!-- f=a to=dm:discord:1", "a comment is not closed with -->"),
        ("- x <!-- f=a to = canon -->", "\"to\" is no key=value"),
        ("- x <!-- f=a on=yesterday -->", "on=yesterday is not understood"),
        ("- x <!-- f=a on=2026-11-02T10:00 -->", "on=2026-11-02T10:00 is not understood"),
        ("- x <!-- f=a imp=6 -->", "imp=6 is not understood"),
        ("- x <!-- f=A -->", "f=A is not understood"),
        ("- x <!-- f=a from=t:x -->", "from=t:x is not understood"),
        ("- x <!-- f=a kind=rumour -->", "kind=rumour is not understood"),
        ("- x <!-- To=canon -->", "\"To=canon\" is no key=value"),
    ] {
        let text = format!("y\n\n{line}\n");
        let page = page(&text);
        assert_eq!(shown(&text, &all), "y", "{line}");
        let told: Vec<(u32, String)> =
            page.broken().iter().map(|broken| (broken.line, broken.reason.to_string())).collect();
        assert_eq!(told, [(3, reason.to_owned())], "{line}");
    }
    let nested = "- x <!-- to=nobody -->\n  - y\n- z\n";
    assert_eq!(shown(nested, &all), "- z");
}

#[test]
fn remarks_of_people_are_for_people() {
    let text =
        "- Likes tea. <!-- is that so? -->\n\n<!--\n- Old: = 3\n\n- hidden\n-->\n\nMore <!-- a --> words.\n";
    assert_eq!(shown(text, &[Audience::Canon]), "- Likes tea.\n\nMore words.");
    let broken = page(text);
    assert_eq!(broken.broken().len(), 1, "an equals sign looks like data");
}

#[test]
fn code_holds_no_facts_and_keeps_their_audience() {
    let text =
        "```\n- x <!-- f=a to=dm:discord:1 -->\n```\n\n~~~~\n<!-- f= -->\n~~~\n~~~~\n\n- y <!-- f=b -->\n";
    let page = page(text);
    assert_eq!(page.facts().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["b"]);
    assert!(page.broken().is_empty(), "nobody is told to mend an example");
    assert_eq!(shown(text, &[Audience::Canon]), "- y");
    assert!(shown(text, &[dm(1)]).contains("x <!-- f=a"));
}

#[test]
fn hands_may_change_spacing_and_line_ends() {
    let text = "\u{feff}---\r\naudience: guild:77\r\n---\r\n# Ana\r\n\r\n  *   Biscuit is\r\n      a   cat.   <!--f=a    to=dm:discord:1\r\n  imp=2-->\r\n7) Seven <!-- f=b to=guild:77 -->   \r\n";
    let page = page(text);
    let words: Vec<(&str, &str)> =
        page.facts().map(|(id, block)| (id.as_str(), block.words.as_str())).collect();
    assert_eq!(words, [("a", "Biscuit is\n      a   cat."), ("b", "Seven")]);
    assert_eq!(page.fact(&id("a")).unwrap().data.as_ref().unwrap().importance, Some(2));
    assert_eq!(shown(text, &[guild(77)]), "# Ana\n\n7) Seven");
    let mut edit = PageEdit::of(&page);
    edit.supersede(&id("b"), &id("c"), TODAY).unwrap();
    edit.add("New", &data("c", guild(77))).unwrap();
    let changed = edit.text();
    assert!(
        changed.ends_with(
            "7) Seven <!-- f=b to=guild:77 gone=2026-11-10 now=c -->\r\n- New <!-- f=c to=guild:77 -->\r\n"
        ),
        "{changed:?}"
    );
    assert!(changed.starts_with(&text[..text.find("7)").unwrap()]), "{changed:?}");
}

#[test]
fn what_held_once_is_not_shown_as_holding() {
    let standing = |text: &str| text.parse::<FactData>().unwrap().standing(TODAY);
    assert_eq!(standing("f=a"), Validity::Holds);
    assert_eq!(standing("until=2026-11-10"), Validity::Holds, "the last day counts");
    assert_eq!(standing("until=2026-11-09"), Validity::Until(date(2026, 11, 9)));
    assert_eq!(standing("since=2026-11-10"), Validity::Holds);
    assert_eq!(standing("since=2026-11-11"), Validity::From(date(2026, 11, 11)));
    assert_eq!(standing("gone=2026-11-20 now=b"), Validity::Holds, "before, as in a replay, it held");
    assert_eq!(standing("gone=2026-11-10 now=b"), Validity::Until(date(2026, 11, 10)));
    assert_eq!(standing("gone=2026-11-08 until=2026-11-02"), Validity::Until(date(2026, 11, 2)));
    let text = "- old <!-- f=a gone=2026-11-02 now=b -->\n- new <!-- f=b was=a -->\n";
    assert_eq!(shown(text, &[Audience::Canon]), "- new");
}

fn data(id: &str, to: Audience) -> FactData {
    FactData { id: Some(id.parse().unwrap()), to: Some(to), ..FactData::default() }
}

#[test]
fn facts_are_added_replaced_and_removed_around_what_people_wrote() {
    let old = page(ANA);
    let mut edit = PageEdit::of(&old);
    edit.add("Tom is\na  goat --> <!-- to=canon -->", &data("t", dm(42))).unwrap();
    edit.add("Above all", &data("top", guild(77))).unwrap();
    edit.replace(&id("k3v9q2xy"), "Biscuit was Ana's cat.", &data("k3v9q2xy", guild(77))).unwrap();
    edit.remove_with_all(&id("s")).unwrap();
    let text = edit.text();
    let expected = ANA
        .replace(
            "# Ana\n\nKeeps bees.\n",
            "# Ana\n\nKeeps bees.\n- Tom is a goat -- > <! -- to=canon -- > <!-- f=t to=dm:discord:42 -->\n\
             - Above all <!-- f=top to=guild:77 -->\n",
        )
        .replace(
            "Biscuit is Ana's cat. <!-- f=k3v9q2xy to=guild:77 by=discord:42 on=2026-11-02 from=t:1841,t:1843 imp=3 -->",
            "Biscuit was Ana's cat. <!-- f=k3v9q2xy to=guild:77 -->",
        )
        .replace("- Secret. <!-- f=s to=private:9 -->\n", "");
    assert_eq!(text, expected);
    let new = page(&text);
    assert!(new.broken().is_empty());
    assert_eq!(new.fact(&id("t")).unwrap().audience, Some(dm(42)), "words cannot pass for data");

    let mut edit = PageEdit::of(&old);
    assert!(edit.is_empty());
    assert_eq!(edit.text(), ANA);
    assert_eq!(edit.remove_with_all(&id("none")), Err(EditError::NoFact(id("none"))));
    assert_eq!(edit.add(" ", &data("x", dm(1))), Err(EditError::NoWords));
    assert_eq!(edit.add("x", &FactData::default()), Err(EditError::NoData));
    let sly = FactData { from: vec![Evidence::Other("a-->b".to_owned())], ..data("x", dm(1)) };
    assert_eq!(edit.add("x", &sly), Err(EditError::NoData));
    let sly = FactData { rest: vec![("to".to_owned(), "canon".to_owned())], ..data("x", dm(1)) };
    assert_eq!(edit.add("x", &sly), Err(EditError::NoData));
    assert_eq!(PageEdit::of(&page("```\n")).add("x", &data("x", dm(1))), Err(EditError::Open));
}

#[test]
fn lines_under_a_fact_keep_its_audience_or_go_with_it() {
    let old = page(
        "- a <!-- f=a to=dm:discord:1 -->\n  - somebody's line\n- b <!-- f=b to=dm:discord:1 -->\n  - c <!-- f=c -->\n- d\n",
    );
    let mut edit = PageEdit::of(&old);
    edit.remove_with_all(&id("b")).unwrap();
    assert_eq!(edit.text(), "- a <!-- f=a to=dm:discord:1 -->\n  - somebody's line\n- d\n");
    edit.remove_with_all(&id("a")).unwrap();
    assert_eq!(edit.text(), "- d\n");
}

#[test]
fn a_new_note_begins_with_its_audience() {
    let empty = page(&new_page(&dm(42), "# Ana\n<!--"));
    let mut edit = PageEdit::of(&empty);
    edit.add("Keeps bees", &data("a", dm(42))).unwrap();
    edit.add("A cat", &data("b", dm(42))).unwrap();
    let text = edit.text();
    assert_eq!(
        text,
        "---\naudience: dm:discord:42\n---\n# Ana <! --\n\n- Keeps bees <!-- f=a to=dm:discord:42 -->\n\
         - A cat <!-- f=b to=dm:discord:42 -->\n"
    );
    assert_eq!(shown(&text, &[Audience::Canon, guild(1)]), "");
    let untitled = page("---\naudience: guild:1\n---\n## Pets\n- x\n");
    let mut bare = PageEdit::of(&untitled);
    bare.add("Top", &data("a", guild(1))).unwrap();
    assert_eq!(bare.text(), "---\naudience: guild:1\n---\n- Top <!-- f=a to=guild:1 -->\n\n## Pets\n- x\n");
}

#[test]
fn ids_are_by_chance_and_easy_to_read() {
    let ids: std::collections::BTreeSet<FactId> = (0..1_000).map(|_| FactId::random()).collect();
    assert_eq!(ids.len(), 1_000);
    assert!(ids.iter().all(|id| id.as_str().len() == 8 && id.as_str().parse::<FactId>().is_ok()));
}

fn audiences() -> impl Strategy<Value = Audience> {
    prop_oneof![
        Just(Audience::Canon),
        (1..4_u64).prop_map(guild),
        (1..4_u64).prop_map(|channel| Audience::Private(ChannelId::from(channel))),
        (1..4_u64).prop_map(dm),
    ]
}

fn days() -> impl Strategy<Value = Date> {
    (2020..2030_i16, 1..13_i8, 1..29_i8).prop_map(|(year, month, day)| date(year, month, day))
}

fn ids() -> impl Strategy<Value = FactId> {
    "[a-z0-9]{1,8}".prop_map(|id| id.parse().unwrap())
}

fn evidence() -> impl Strategy<Value = Evidence> {
    prop_oneof![
        any::<i64>().prop_map(|turn| Evidence::Turn(StoredId(turn))),
        "m:[a-z0-9]{1,5}".prop_map(Evidence::Other)
    ]
}

fn by() -> impl Strategy<Value = By> {
    prop_oneof![Just(By::Familiar), (1..9_u64).prop_map(|user| By::Person(AccountId::discord(user)))]
}

prop_compose! {
    fn facts()(
        id in ids(),
        to in audiences(),
        by in proptest::option::of(by()),
        on in proptest::option::of(days()),
        from in proptest::collection::vec(evidence(), 0..4),
        importance in proptest::option::of(1..6_u8),
        since in proptest::option::of(days()),
        until in proptest::option::of(days()),
        was in proptest::option::of(ids()),
        gone in proptest::option::of(days()),
        kind in proptest::sample::select(FactKind::ALL.to_vec()),
        rest in proptest::collection::btree_map("z[a-z_]{0,4}", "[a-z0-9:=<>/é]{1,6}", 0..3),
    ) -> FactData {
        let now = gone.map(|_| FactId::random());
        let rest = rest.into_iter().collect();
        FactData { id: Some(id), to: Some(to), by, on, from, importance, since, until, was, gone, now, kind, rest }
    }
}

/// Text as people leave it behind: marks of every sort, ends of lines of every sort.
fn leftovers() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zé ]{0,12}",
        2 => Just("\n".to_owned()),
        1 => Just("\r\n".to_owned()),
        1 => Just("\n\n".to_owned()),
        1 => Just("- ".to_owned()),
        1 => Just("\n  - ".to_owned()),
        1 => Just("\n# ".to_owned()),
        1 => Just("\n```\n".to_owned()),
        1 => Just("<!--".to_owned()),
        1 => Just("-->".to_owned()),
        1 => Just("<!-- f=q to=guild:1 -->".to_owned()),
        1 => Just("---\n".to_owned()),
        1 => Just("=".to_owned()),
        1 => "\\PC{0,3}",
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn data_is_read_as_it_was_written(data in facts()) {
        prop_assert_eq!(data.to_string().parse::<FactData>().unwrap(), data);
    }

    #[test]
    fn a_fact_added_anywhere_is_read_back_and_nothing_else_changes(
        old in leftovers(), words in "\\PC{1,30}", more in "[<>!-]{0,6}", data in facts(),
    ) {
        let Ok(page) = NotePage::parse(&old) else { return Ok(()) };
        let mut edit = PageEdit::of(&page);
        let words = format!("{words}{more}");
        let id = FactId::random();
        let data = FactData { id: Some(id.clone()), ..data };
        if edit.add(&words, &data).is_err() {
            prop_assert!(page.is_open() || words.trim().is_empty());
            return Ok(());
        }
        let text = edit.text();
        let new = NotePage::parse(&text).unwrap();
        let fact = new.fact(&id);
        prop_assert!(fact.is_some(), "{text:?}");
        let fact = fact.unwrap();
        prop_assert_eq!(fact.data.as_ref(), Some(&data));
        prop_assert_eq!(fact.audience.as_ref(), data.to.as_ref());
        prop_assert_eq!(new.broken().len(), page.broken().len());
        let others = |page: &NotePage| -> Vec<(String, Option<Audience>)> {
            let blocks = page.blocks().iter().filter(|block| block.fact() != Some(&id));
            blocks.filter(|block| !matches!(block.kind, BlockKind::Heading(_))).map(|block| (block.words.clone(), block.audience.clone())).collect()
        };
        prop_assert_eq!(others(&new), others(&page), "{:?}", text);
        let mut back = PageEdit::of(&new);
        back.remove_with_all(&id).unwrap();
        prop_assert_eq!(others(&NotePage::parse(&back.text()).unwrap()), others(&page));
    }

    #[test]
    fn any_text_is_read_and_its_pieces_are_its_lines(text in leftovers()) {
        let Ok(page) = NotePage::parse(&text) else { return Ok(()) };
        let mut end = 0;
        for block in page.blocks() {
            prop_assert!(block.range.start >= end && block.range.end > block.range.start);
            prop_assert!(text[end..block.range.start].trim().is_empty() || end == 0);
            end = block.range.end;
        }
        prop_assert!(page.blocks().is_empty() || text[end..].trim().is_empty());
        prop_assert_eq!(PageEdit::of(&page).text(), text);
    }

    #[test]
    fn contradiction_8_no_line_is_shown_to_a_stranger_however_it_is_wrapped(
        facts in proptest::collection::vec((audiences(), proptest::collection::vec("[a-z]{1,8}", 1..6), 0..3_usize, any::<u64>()), 1..12),
        file in audiences(), seer in proptest::collection::vec(audiences(), 0..3), is_crlf in any::<bool>(),
    ) {
        let mut text = format!("---\naudience: {file}\n---\n# Somebody\n\n");
        let mut secrets = Vec::new();
        for (number, (to, words, depth, wraps)) in facts.iter().enumerate() {
            let canary = format!("CANARY{number}");
            // A reader of Markdown may break a line at any space, in the comment too.
            let comment = format!("<!-- f=f{number} to={to} imp=2 -->");
            let line: Vec<&str> = words.iter().map(String::as_str).chain([canary.as_str()]).chain(comment.split(' ')).collect();
            text.push_str(&"  ".repeat(*depth));
            text.push_str("- ");
            for (at, word) in line.iter().enumerate() {
                text.push_str(word);
                let is_last = at + 1 == line.len();
                let wrapped = !is_last && wraps >> (at % 64) & 1 == 1;
                let indent = "  ".repeat(depth + 1);
                text.push_str(if is_last || wrapped { "\n" } else { " " });
                if wrapped {
                    text.push_str(&indent);
                }
            }
            secrets.push((canary, to.clone()));
        }
        if is_crlf {
            text = text.replace('\n', "\r\n");
        }
        let visible = Visible::only(seer);
        let seen = NotePage::parse(&text).unwrap().seen_where(&visible, TODAY, &|_| true);
        for (canary, to) in secrets {
            let is_there = seen.as_ref().is_some_and(|seen| {
                seen.text.split(|c: char| !c.is_alphanumeric()).any(|word| word == canary)
            });
            prop_assert_eq!(is_there, visible.includes(&to), "{} for {}:\n{}", canary, to, text);
        }
        if let Some(seen) = seen {
            prop_assert!(visible.includes(&seen.audience));
        }
    }
}

#[test]
fn a28_a_turn_that_runs_again_is_not_told_what_was_learnt_later() {
    let text = "- Cleo has a boat.\n- It is called Sparrow. <!-- f=a2b3c4d5 to=guild:1 from=t:7,t:9 -->\n";
    let page = page(text);
    let visible = Visible::only([Audience::Canon, Audience::Guild(1.into())]);
    let told = |last| {
        let seen = page.seen_where(&visible, TODAY, &|turn| turn <= StoredId(last));
        seen.map(|seen| seen.text).unwrap_or_default()
    };
    assert_eq!(told(8), "- Cleo has a boat.");
    assert_eq!(told(9), "- Cleo has a boat.\n- It is called Sparrow.");
}

#[test]
fn m4_of_many_facts_those_are_told_that_count_most_in_the_order_they_stand() {
    let page = NotePage::parse(
        "# Ana\n\nMy own line.\n\
         - one <!-- f=aaaa by=discord:1 kind=claim on=2024-01-01 from=t:1 -->\n\
         - two <!-- f=bbbb by=discord:1 kind=correction from=t:2 -->\n\
         - three <!-- f=cccc by=discord:1 kind=ability on=2024-01-01 from=t:3 -->\n\
         - four <!-- f=dddd by=discord:1 from=t:4 -->\n",
    )
    .unwrap();
    let today = jiff::civil::date(2026, 3, 1);
    let visible = Visible::only([Audience::Canon]);
    let counts = |_: &PageBlock, data: &FactData| fact_worth(data, Tier::Person, today);
    let best = |most| page.seen_best(&visible, today, &|_| true, most, &counts).unwrap().text;
    assert_eq!(best(2), "# Ana\n\nMy own line.\n- two\n- four");
    assert_eq!(best(3), "# Ana\n\nMy own line.\n- one\n- two\n- four");
    assert_eq!(
        best(4),
        page.seen_where(&visible, today, &|_| true).unwrap().text,
        "all of them is all of it"
    );
}

#[test]
fn a_replay_of_a_day_before_a_correction_shows_what_held_then() {
    let data: FactData = "f=aaaa gone=2026-03-05 now=bbbb".parse().unwrap();
    assert_eq!(data.standing(jiff::civil::date(2026, 3, 4)), Validity::Holds);
    assert!(matches!(data.standing(jiff::civil::date(2026, 3, 5)), Validity::Until(_)));
}
