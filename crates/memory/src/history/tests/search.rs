use proptest::prelude::*;

use super::*;
use crate::history::Visible;

const ENCODING: TokenEncoding = TokenEncoding::CharsOver4;

fn everyone_in_guild() -> Visible {
    Visible::only([Audience::Guild(GuildId::from(1))])
}

async fn found(history: &Scratch, query: &str, visible: &Visible) -> Vec<String> {
    let found = history.seen_by(visible).search(query, 10, ENCODING).await.unwrap();
    found.into_iter().map(|found| found.turn.content).collect()
}

#[tokio::test]
async fn words_are_found_whatever_their_case_and_accents() {
    let history = scratch_of(&[(1, "We met at the Café on Monday"), (2, "nothing of the sort")]).await;
    for query in ["cafe", "CAFÉ?", "what about that café", "\"monday\" NOT NEAR("] {
        assert_eq!(
            found(&history, query, &everyone_in_guild()).await,
            ["We met at the Café on Monday"],
            "{query}"
        );
    }
}

#[tokio::test]
async fn an_apostrophe_breaks_nothing() {
    let history = scratch_of(&[(1, "I don't like mornings")]).await;
    assert_eq!(found(&history, "why don't mornings' \"like\" you?", &everyone_in_guild()).await.len(), 1);
    assert_eq!(found(&history, "''' \" * - ^ :", &everyone_in_guild()).await.len(), 0);
}

#[tokio::test]
async fn a_word_inside_a_line_of_ideographs_is_found() {
    let history = scratch_of(&[(1, "昨日は東京タワーに行きました"), (2, "京都と東北")]).await;
    assert_eq!(found(&history, "東京", &everyone_in_guild()).await, ["昨日は東京タワーに行きました"]);
}

#[tokio::test]
async fn the_best_match_comes_first_and_carries_its_place() {
    let history = scratch_of(&[
        (1, "a dragon, among many many other things that were said that day"),
        (2, "dragon dragon"),
    ])
    .await;
    let hits = history.seen_by(&everyone_in_guild()).search("dragon", 1, ENCODING).await.unwrap();
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].turn.content, "dragon dragon");
    assert_eq!(hits[0].channel_name.as_deref(), Some("#general"));
    assert_eq!(hits[0].turn.audience, Audience::Guild(GuildId::from(1)));
    assert!(hits[0].score > 0.0);
}

#[tokio::test]
async fn contradiction_8_a_turn_is_found_only_by_its_own_audience() {
    let history = scratch().await;
    let alone = Audience::Dm(AccountId::discord(1));
    let dm = Place { guild: None, kind: PlaceKind::Dm, audience: alone.clone(), ..guild_place(20) };
    let role_gated = Place { audience: Audience::Private(ChannelId::from(30)), ..guild_place(30) };
    history.append(NewTurn { place: dm, ..said(1, "secret birthday party") }).await.unwrap();
    history.append(NewTurn { place: role_gated, ..said(2, "birthday cake for moderators") }).await.unwrap();
    history.append(said(3, "happy birthday")).await.unwrap();
    assert_eq!(found(&history, "birthday", &everyone_in_guild()).await, ["happy birthday"]);
    assert_eq!(found(&history, "birthday", &Visible::only([alone])).await, ["secret birthday party"]);
    let other_dm = Visible::only([Audience::Dm(AccountId::discord(2))]);
    assert!(found(&history, "birthday", &other_dm).await.is_empty());
    assert!(found(&history, "birthday", &Visible::default()).await.is_empty(), "nobody named sees nothing");
}

#[tokio::test]
async fn search_follows_edits_and_deletions() {
    let history = scratch_of(&[(1, "zebra"), (2, "walrus")]).await;
    history.edit(&channel(), &1.into(), "giraffe".into(), Timestamp::UNIX_EPOCH).await.unwrap();
    history.delete(&channel(), &[2.into()], Timestamp::UNIX_EPOCH).await.unwrap();
    assert!(found(&history, "zebra walrus", &everyone_in_guild()).await.is_empty());
    assert_eq!(found(&history, "giraffe", &everyone_in_guild()).await, ["giraffe"]);
}

#[tokio::test]
async fn words_that_stand_everywhere_are_left_out_beside_rarer_ones() {
    let history = scratch_of(&[(1, "The dragon sleeps")]).await;
    // Written in one transaction: one by one would take the test's time, not its point.
    let many = history.write(|tx| {
        tx.execute(
            "INSERT INTO turns (channel, ordinal, platform, audience_kind, audience_key, role, content, at_ms, mode,
                modality)
             WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5200)
             SELECT '7', i, 'discord', 'guild', '1', 'user', 'the usual', 0, 'full_rp', 'text' FROM n",
            [],
        )
    });
    many.await.unwrap();
    assert_eq!(found(&history, "Thé DRAGON", &everyone_in_guild()).await, ["The dragon sleeps"]);
    assert_eq!(found(&history, "a usual dragon", &everyone_in_guild()).await, ["The dragon sleeps"]);
    assert_eq!(found(&history, "usual", &everyone_in_guild()).await.len(), 10, "alone it is looked for");
}

/// Every occurrence of every word in the index: its whole meaning.
async fn index(history: &Scratch) -> Vec<(String, i64)> {
    history
        .write(|tx| {
            tx.execute_batch(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, turn_words, instance)",
            )?;
            tx.prepare("SELECT term, doc FROM temp.words ORDER BY 1, 2")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .await
        .unwrap()
}

#[derive(Debug, Clone)]
enum Step {
    Say(u64, String),
    Edit(u64, String),
    Delete(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let words = "[a-cé' 東京]{0,8}";
    prop_oneof![
        (1..6_u64, words).prop_map(|(message, text)| Step::Say(message, text)),
        (1..6_u64, words).prop_map(|(message, text)| Step::Edit(message, text)),
        (1..6_u64).prop_map(Step::Delete),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_index_built_anew_equals_the_one_kept_up_to_date(steps in prop::collection::vec(step(), 1..20)) {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let history = scratch().await;
            for step in steps {
                match step {
                    Step::Say(message, text) => drop(history.append(said(message, &text)).await.unwrap()),
                    Step::Edit(message, text) => {
                        history.edit(&channel(), &message.into(), text, Timestamp::UNIX_EPOCH).await.unwrap();
                    }
                    Step::Delete(message) => {
                        history.delete(&channel(), &[message.into()], Timestamp::UNIX_EPOCH).await.unwrap();
                    }
                }
            }
            let kept = index(&history).await;
            history.rebuild().await.unwrap();
            assert_eq!(kept, index(&history).await);
        });
    }

    #[test]
    fn no_query_is_refused(query in "\\PC{0,40}") {
        tokio::runtime::Runtime::new().unwrap().block_on(async {
            let history = scratch_of(&[(1, "something")]).await;
            history.seen_by(&everyone_in_guild()).search(&query, 5, ENCODING).await.unwrap();
        });
    }
}
