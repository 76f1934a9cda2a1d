//! Who is given which records.

use super::*;
use crate::domain::BondId;

/// Somebody who asks in a channel of no server.
fn viewer(account: u64, channel: u64) -> TraceViewer {
    TraceViewer { account: AccountId::discord(account), channel: ChannelId::from(channel), guild: None }
}

#[tokio::test]
async fn everybody_finds_their_own_newest_turn() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 2, ..TraceOptions::default() }).await;
    for (channel, author) in [(7, 1), (8, 1), (7, 2), (7, 2), (8, 2)] {
        let turn = store.next_turn();
        store.record(silent(turn, channel, author)).await;
    }
    let here = ChannelId::from(7);
    let newest = |found: Option<Arc<TurnTrace>>| found.map(|trace| trace.id.0);
    assert_eq!(newest(store.whole().latest(None).await.unwrap()), Some(5));
    assert_eq!(newest(store.whole().latest(Some(&here)).await.unwrap()), Some(4));
    for (account, channel, theirs) in
        [(1, 7, vec![1]), (1, 8, vec![2]), (2, 7, vec![4, 3]), (2, 8, vec![5]), (3, 7, vec![])]
    {
        assert_eq!(ids(&store.seen_by(&viewer(account, channel)).newest(2).await.unwrap()), theirs);
    }
}

#[tokio::test]
async fn a28_a_trace_is_for_those_it_answered_where_they_can_read_what_stood_in_it() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 1, ..TraceOptions::default() }).await;
    let guild = GuildId::from(3);
    let audiences = [
        Audience::Canon,
        Audience::Guild(guild.clone()),
        Audience::Dm(AccountId::discord(1)),
        Audience::Dm(AccountId::discord(2)),
        Audience::Private(ChannelId::from(8)),
        Audience::Restricted(ChannelId::from(8)),
        Audience::Shared(BondId(1)),
    ];
    for (number, audience) in (1..).zip(audiences) {
        let place = Place { audience, ..place(8) };
        store.record(TurnTrace { place, ..silent(TurnId(number), 8, 1) }).await;
    }
    let beside = TraceViewer { guild: Some(guild), ..viewer(1, 7) };
    for (whoever, shown, elsewhere) in [
        (viewer(1, 8), vec![1, 2, 3, 4, 5, 6, 7], vec![]),
        (beside, vec![1, 2, 3], vec![4, 5, 6, 7]),
        (viewer(1, 7), vec![1, 3], vec![2, 4, 5, 6, 7]),
        // Being in the channel is not enough.
        (viewer(2, 8), vec![], vec![]),
    ] {
        let (mut read, mut refused) = (Vec::new(), Vec::new());
        for turn in 1..9 {
            match store.seen_by(&whoever).get(TurnId(turn)).await.unwrap() {
                Some(TurnSeen::Record(trace)) => read.push(trace.id.0),
                Some(TurnSeen::Elsewhere) => refused.push(turn),
                None => {}
            }
        }
        assert_eq!((read, refused), (shown, elsewhere), "{whoever:?}");
    }
}
