//! Whatever was said and noted before whomever: nothing comes out of what somebody may see that lies outside of it.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::fs;

use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::domain::StoredId;
use crate::history::{
    NewDigest, NewSummary, SaidAhead, Seen, Since, Summary, SummaryId, SummaryLevel, Thoughts, WindowQuery,
    fingerprint_of_turns,
};
use crate::home::FamiliarHome;
use crate::memory::Memory;
use crate::text::keywords;

const ENCODING: TokenEncoding = TokenEncoding::CharsOver4;

/// Each audience with a word that stands nowhere else: in an answer it says where that was learnt.
const CIRCLES: [(&str, &str); 6] = [
    ("canon", "pomelo"),
    ("guild:1", "quince"),
    ("guild:8", "walnut"),
    ("private:7", "saffron"),
    ("dm:discord:1", "juniper"),
    ("shared:3", "tamarind"),
];

fn circle(number: usize) -> Audience {
    CIRCLES[number].0.parse().unwrap()
}

#[derive(Debug, Clone)]
struct World {
    /// Who says something (0: the familiar) in which channel before whom, and whether it answers what came before.
    turns: Vec<(u64, u64, usize, bool)>,
    /// Whom a line of a note is about, and before whom it was learnt; with who may know of the note's names.
    notes: Vec<(usize, Vec<usize>)>,
    sees: BTreeSet<usize>,
}

fn world() -> impl Strategy<Value = World> {
    let turn = (0..4_u64, 7..9_u64, 0..CIRCLES.len(), any::<bool>());
    let note = (0..CIRCLES.len(), proptest::collection::vec(0..CIRCLES.len(), 0..5));
    (
        proptest::collection::vec(turn, 1..24),
        proptest::collection::vec(note, 3),
        proptest::collection::btree_set(0..CIRCLES.len(), 0..CIRCLES.len()),
    )
        .prop_map(|(turns, notes, sees)| World { turns, notes, sees })
}

/// A history of it; the ids of its turns with who could hear them.
async fn said_of(world: &World) -> (Scratch, Vec<(StoredId, usize)>) {
    let history = scratch().await;
    let mut stored = Vec::new();
    for (number, (who, channel, before, answers)) in (1..).zip(&world.turns) {
        let word = CIRCLES[*before].1;
        let place = Place { audience: circle(*before), ..guild_place(*channel) };
        let turn = NewTurn {
            role: if *who == 0 { Role::Assistant } else { Role::User },
            // In every circle they go by a name of its own.
            author: (*who > 0).then(|| person(*who, &format!("Name {word}"))),
            reply_to: answers.then(|| MessageId::from(number - 1)),
            ..said(number, &format!("tomorrow the {word} boils over"))
        };
        let turn = history.append(NewTurn { place: place.clone(), ..turn }).await.unwrap();
        stored.push((turn.id, *before));
        sum_up(&history, &place, &turn, word).await;
        let values = [(word.to_owned(), word.to_owned())].into();
        history.keep_card_variables(&place, values).await.unwrap();
        let thought = Thoughts { turn: TurnId(number), answered: None, content: word.to_owned() };
        history.keep_thoughts(&place, thought, turn.at, 99).await.unwrap();
    }
    (history, stored)
}

/// A summary and a digest of a turn.
async fn sum_up(history: &Scratch, place: &Place, turn: &StoredTurn, word: &str) {
    let heard = history.whole().stretch(&place.channel, turn.ordinal, turn.ordinal, ENCODING).await.unwrap();
    let inputs = fingerprint_of_turns(&heard);
    let summary = Summary {
        level: SummaryLevel::Leaf,
        audience: place.audience.clone(),
        first_ordinal: turn.ordinal,
        last_ordinal: turn.ordinal,
        first_at: turn.at,
        last_at: turn.at,
        source_tokens: 9,
        tokens: 5,
        text: format!("It was about {word}."),
        writer: "test".to_owned(),
        made_at: turn.at,
    };
    let channel = place.channel.clone();
    let new = NewSummary { channel: channel.clone(), summary, parts: Vec::new(), inputs: inputs.clone() };
    history.add_summary(new).await.unwrap();
    let digest = NewDigest {
        channel,
        audience: place.audience.clone(),
        first_ordinal: turn.ordinal,
        last_ordinal: turn.ordinal,
        last_turn: turn.id,
        last_at: turn.at,
        text: format!("Somebody talks about {word}."),
        writer: "test".to_owned(),
        inputs,
        made_at: turn.at,
    };
    history.add_digest(digest).await.unwrap();
}

fn noted_of(world: &World, home: &FamiliarHome) -> Memory {
    let people = home.memory_dir().join("people");
    fs::create_dir_all(&people).unwrap();
    for (number, (own, lines)) in (1..).zip(&world.notes) {
        let (own, word) = CIRCLES[*own];
        let mut text = format!("---\naudience: {own}\naliases: [{word}]\n---\n# About {word}\n\n");
        for (line, before) in lines.iter().enumerate() {
            let (to, word) = CIRCLES[*before];
            text += &format!("- The {word} boils over. <!-- f=a{number}x{line} to={to} by=discord:1 -->\n");
        }
        fs::write(people.join(format!("discord-{number}.md")), text).unwrap();
    }
    Memory::at(home)
}

fn all_words() -> String {
    CIRCLES.map(|(_, word)| word).join(" ")
}

/// Every read there is, as text. Whatever gives numbers of turns alone is looked at here.
async fn all_that_is_read(
    seen: Seen<'_>,
    stored: &[(StoredId, usize)],
    sees: &BTreeSet<usize>,
) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut tell = |read: &dyn Debug| told.push(format!("{read:?}"));
    let ids: Vec<StoredId> = stored.iter().map(|(id, _)| *id).collect();
    let may_see: HashSet<StoredId> =
        stored.iter().filter(|(_, before)| sees.contains(before)).map(|(id, _)| *id).collect();
    for channel in [7_u64, 8].map(ChannelId::from) {
        let here = stored.len() as u32;
        let window = WindowQuery {
            mode: said(1, "").mode,
            rough_tokens: 9_999,
            max_turns: here,
            until: None,
            encoding: ENCODING,
        };
        tell(&seen.recent(&channel, newest(here)).await.unwrap());
        tell(&seen.recent(&channel, RecentQuery { mode: Some(window.mode), ..newest(here) }).await.unwrap());
        tell(&seen.conversation(&channel, window).await.unwrap());
        tell(&seen.last_assistant(&channel, ENCODING).await.unwrap());
        assert!(seen.count_since_last_reply(&channel).await.unwrap() as usize <= may_see.len());
        tell(&seen.recent_authors(&channel, 99, None).await.unwrap());
        tell(&seen.responses(&channel).await.unwrap());
        tell(&seen.digests(&channel, Timestamp::UNIX_EPOCH, None).await.unwrap());
        tell(&seen.active_elsewhere(&channel, Timestamp::UNIX_EPOCH, 99).await.unwrap());
        tell(&seen.card_variables(&channel).await.unwrap());
        for number in 0..CIRCLES.len() {
            let place = Place { channel: channel.clone(), audience: circle(number), ..guild_place(7) };
            tell(&seen.thoughts(&place, 99).await.unwrap());
        }
        for since in [Since::Familiar, Since::Person(AccountId::discord(1))] {
            let missed = seen.missed(&channel, since, None).await.unwrap();
            assert!(missed.messages as usize <= may_see.len());
            tell(&missed);
        }
        let account = Some(AccountId::discord(1));
        let ahead = SaidAhead { channel, account, before: None, words: "tomorrow".to_owned() };
        tell(&seen.said_ahead(ahead, ENCODING).await.unwrap());
    }
    let (account, newest) = (AccountId::discord(1), StoredId(i64::MAX / 2));
    assert!(seen.spoke_at(&account, newest).await.unwrap().len() <= may_see.len());
    tell(&seen.said_by(&account, Timestamp::UNIX_EPOCH, newest, ENCODING).await.unwrap());
    tell(&seen.turns(&ids, ENCODING).await.unwrap());
    tell(&seen.heard(ids.clone()).await.unwrap());
    tell(&seen.search(&all_words(), 99, ENCODING).await.unwrap());
    tell(&seen.people().await.unwrap());
    for other in 2..4 {
        assert!(
            seen.acquaintance(&AccountId::discord(other), None, None).await.unwrap().messages as usize
                <= may_see.len()
        );
    }
    let messages = seen.messages_of(ids).await.unwrap();
    assert!(messages.keys().all(|turn| may_see.contains(turn)), "{messages:?}");
    let words = keywords::forms(&all_words());
    for held in seen.turns_holding(words.clone(), 999).await.unwrap() {
        assert!(held.rows.iter().all(|row| may_see.contains(&StoredId(*row))), "{held:?}");
    }
    for (number, (_, word)) in CIRCLES.iter().enumerate() {
        let term = keywords::terms(word).remove(0);
        let close = seen.terms_resembling(term.clone()).await.unwrap();
        assert!(sees.contains(&number) || close.iter().all(|(known, _)| *known != term), "{close:?}");
    }
    let (held, count) = seen.leaves_holding(words, 999).await.unwrap();
    let leaves: Vec<SummaryId> = held.into_iter().flatten().collect();
    assert!(count <= may_see.len() && leaves.len() <= may_see.len());
    tell(&seen.leaves((0..99).map(SummaryId).collect()).await.unwrap());
    told
}

async fn all_that_is_noted(memory: &Memory, visible: &Visible) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let mut tell = |read: &dyn Debug| told.push(format!("{read:?}"));
    let (seen, today) = (memory.seen_by(visible), date(2026, 11, 10));
    let people = seen.people().await;
    for number in 1..4_u64 {
        let account = AccountId::discord(number);
        let Some(person) = people.about(&account) else { continue };
        tell(&person.facts().collect::<Vec<_>>());
        tell(&person.note(today, &|_| true));
        tell(&person.best(today, &|_| true, 2, &HashSet::new()));
        tell(&person.aliases());
        tell(&seen.facts_of(account).await.unwrap().unwrap());
    }
    for (_, word) in CIRCLES {
        // Whom a word names: by the word itself, which whoever may not know the name asks in vain.
        tell(&people.named_in(word).iter().map(|slug| format!("{slug} is {word}")).collect::<Vec<_>>());
        tell(&seen.lines(word.to_owned(), today, 99).await.unwrap().unwrap());
    }
    assert!(people.count() <= 3);
    let hits = seen.holding(&keywords::forms(&all_words()), 99).await.unwrap();
    tell(&hits.hits);
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn contradiction_8_no_read_gives_what_the_asker_may_not_see(world in world()) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let (history, stored) = said_of(&world).await;
            let home = FamiliarHome::new(history.folder.path(), &"mika".parse().unwrap());
            let memory = noted_of(&world, &home);
            let visible = Visible::only(world.sees.iter().map(|number| circle(*number)));
            let mut told = all_that_is_read(history.seen_by(&visible), &stored, &world.sees).await;
            told.extend(all_that_is_noted(&memory, &visible).await);
            for (number, (audience, word)) in CIRCLES.iter().enumerate() {
                for told in told.iter().filter(|_| !world.sees.contains(&number)) {
                    assert!(!told.contains(word), "{word} of {audience} is told: {told}");
                }
            }
        });
    }
}
