use super::*;
use crate::context::contribution::{Placement, Trust, TurnLine};
use crate::domain::{AccountId, GuildId, Layer, PlaceKind, Platform};

fn place(channel: u64, audience: Audience) -> Place {
    Place {
        guild: Some(GuildId::from(7)),
        channel_name: Some("#ferry".to_owned()),
        ..Place::new(Platform::Discord, ChannelId::from(channel), PlaceKind::GuildText, audience)
    }
}

const AMPLE: Recalling = Recalling { most: 5, is_asked: true };

fn guild() -> Audience {
    Audience::Guild(GuildId::from(7))
}

/// A message that Ana wrote.
fn chunk(source: &str, audience: Audience, text: &str) -> Chunk {
    let line = TurnLine::of(StoredId(4), Role::User, Some("Ana".to_owned()));
    let piece =
        Contribution::new(source, Layer::RecentHistory, Placement::Turn(4), Trust::Chat, audience, text);
    Chunk {
        piece: Contribution { turn: Some(line), ..piece },
        tokens: 10,
        around: 0,
        altered: Vec::new(),
        repeats: Vec::new(),
    }
}

fn back(store: &WarmCache, question: &str, channel: u64, visible: &[Audience]) -> Vec<String> {
    let visible = Visible::only(visible.iter().cloned());
    let found = store.call_back(question, &ChannelId::from(channel), &visible, AMPLE);
    found.iter().map(|one| one.chunk.source.clone()).collect()
}

#[test]
fn a7_an_evicted_chunk_comes_back_by_its_words_at_lower_priority() {
    let store = WarmCache::default();
    let here = place(1, guild());
    store.take_up(
        &here,
        vec![
            chunk("a", guild(), "The lantern on the mizzen mast is cracked"),
            chunk("b", guild(), "Goats were seen near the harbour wall"),
        ],
    );
    assert_eq!(back(&store, "who cracked the lanterns?", 1, &[guild()]), ["a"], "stems meet");
    assert!(back(&store, "what is for dinner?", 1, &[guild()]).is_empty());
    let found = store.call_back("lantern cracked", &here.channel, &Visible::only([guild()]), AMPLE);
    let returned = found[0].contribution();
    assert_eq!((returned.importance, returned.trust), (Importance::Useful, Trust::Held));
    assert_eq!(
        (returned.placement, returned.source.as_str()),
        (Placement::Tail(TailPart::Peripheral), "spilled/a")
    );
}

#[test]
fn a7_a_word_that_everybody_uses_calls_nothing_back_and_one_of_several_neither() {
    let store = WarmCache::default();
    let here = place(1, guild());
    let small_talk =
        (0..40).map(|n| chunk(&format!("t{n}"), guild(), &format!("Thanks Ana, topic{n} indeed")));
    store.take_up(&here, small_talk.collect());
    store.take_up(&here, vec![chunk("a", guild(), "The lantern on the mizzen mast is cracked")]);
    assert!(back(&store, "thanks Ana!", 1, &[guild()]).is_empty());
    assert!(back(&store, "a lantern for the garden party?", 1, &[guild()]).is_empty());
    assert_eq!(back(&store, "thanks Ana, and the lantern on the mast?", 1, &[guild()]), ["a"]);
    assert_eq!(back(&store, "the lantern?", 1, &[guild()]), ["a"], "all that is asked");
    let in_talk = Recalling { most: 1, is_asked: false };
    let said = |words: &str| {
        let found = store.call_back(words, &here.channel, &Visible::only([guild()]), in_talk);
        found.iter().map(|one| one.chunk.source.clone()).collect::<Vec<_>>()
    };
    assert!(said("thanks Ana, the lantern indeed!").is_empty(), "nobody asked");
    assert_eq!(said("thanks Ana, that lantern on the mast!"), ["a"]);
}

#[test]
fn m2_each_channel_and_audience_has_its_own_and_the_audience_is_asked_again() {
    let store = WarmCache::default();
    let closed = Audience::Private(ChannelId::from(1));
    let dm = Audience::Dm(AccountId::discord(1));
    for (source, audience, channel) in [
        ("open", guild(), 1),
        ("closed", closed.clone(), 1),
        ("elsewhere", guild(), 2),
        ("dm", dm.clone(), 3),
    ] {
        store
            .take_up(&place(channel, audience.clone()), vec![chunk(source, audience, "the cracked lantern")]);
    }
    assert_eq!(back(&store, "lantern", 1, &[guild()]), ["open"], "it was closed then and is open now");
    assert_eq!(back(&store, "lantern", 1, &[guild(), closed]), ["closed", "open"]);
    assert_eq!(back(&store, "lantern", 2, &[guild()]), ["elsewhere"]);
    assert!(back(&store, "lantern", 3, &[guild()]).is_empty());
    assert!(back(&store, "lantern", 1, &[]).is_empty());
}

#[tokio::test(start_paused = true)]
async fn a7_the_store_is_bounded_and_the_oldest_goes_first() {
    let store = WarmCache::default();
    let here = place(1, guild());
    let large = "lantern ".repeat(CHUNK_MAX / 16);
    for n in 0..1_000 {
        store.take_up(&here, vec![chunk(&format!("l{n}"), guild(), &format!("{large} number{n}"))]);
        assert_eq!(
            store
                .kept
                .iter()
                .filter(|(_, kept)| matches!(&kept.is, Warm::Spilled(one) if one.source == format!("l{n}")))
                .count(),
            1
        );
    }
    assert!(store.kept.weight() <= super::super::BYTES_MAX);
    tokio::time::advance(std::time::Duration::from_secs(24 * 3600)).await;
    assert!(back(&store, "number999?", 1, &[guild()]).is_empty(), "after a day it is gone");
}

#[test]
fn a7_nothing_is_kept_twice_and_only_messages_are() {
    let store = WarmCache::default();
    let here = place(1, guild());
    let one = chunk("a", guild(), "the cracked lantern");
    store.take_up(&here, vec![one.clone(), one.clone()]);
    // Whether what a note, a summary or a find was made of still stands, nobody could tell here.
    let others = [Layer::Character, Layer::Content, Layer::HistorySummary];
    let others = others.map(|layer| {
        let piece = Contribution { layer, source: format!("{layer:?}"), turn: None, ..one.piece.clone() };
        Chunk { piece, ..one.clone() }
    });
    store.take_up(&here, others.to_vec());
    assert_eq!(back(&store, "lantern", 1, &[guild()]), ["a"]);
    let found = store.call_back("lantern", &here.channel, &Visible::only([guild()]), AMPLE);
    store.drop_chunks(&here.channel, &found);
    assert!(back(&store, "lantern", 1, &[guild()]).is_empty());
    assert!(store.kept.is_empty());
}

#[test]
fn a7_a_turn_comes_back_as_a_quotation() {
    let store = WarmCache::default();
    let here = place(1, guild());
    store.take_up(&here, vec![chunk("history/4", guild(), "the lantern is cracked")]);
    let found = store.call_back("lantern", &here.channel, &Visible::only([guild()]), AMPLE);
    let returned = found[0].contribution();
    assert_eq!(found[0].turn(), StoredId(4));
    assert!(returned.turn.is_none());
    assert_eq!(returned.layer, Layer::Content);
    let quoted = returned.quoted.unwrap();
    assert_eq!((quoted.author.as_deref(), quoted.place.as_deref()), (Some("Ana"), Some("ferry")));
}
