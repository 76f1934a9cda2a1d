//! The log behind the graph.

use std::time::Duration;

use super::*;
use crate::graph::log::{CHECKPOINT, GraphLog};

#[tokio::test]
async fn g7_a_start_reads_on_where_the_last_one_stopped_however_it_ended() {
    let stage = Stage::new().await;
    for second in 0..50 {
        stage
            .says(1 + u64::try_from(second % 3).unwrap(), "thanks, the bees are fine", second * 20, None)
            .await;
    }
    stage.note("people/discord-1.md", "- Ana keeps bees. <!-- f=a to=guild:7 from=t:3 -->\n");
    let first = stage.logged().await;
    first.keep_up().await.unwrap();
    // Nobody closes it: the process is gone.
    drop(first);
    let place = place(1, guild(7));
    stage.history.delete(&place.channel, &[MessageId::from(21_u64)], moment(5000)).await.unwrap();
    stage
        .history
        .edit(&place.channel, &MessageId::from(41_u64), "shut up".to_owned(), moment(5000))
        .await
        .unwrap();
    stage.says(2, "exactly", 1010, None).await;
    stage.note("people/discord-1.md", "- Ana keeps goats. <!-- f=a to=guild:7 -->\n");
    stage.note("topics/x.md", "Words.\n");
    let second = stage.logged().await;
    assert!(second.verify().await.unwrap().is_empty());
    drop(second);
    let third = stage.logged().await;
    third.keep_up().await.unwrap();
    let anew = stage.graph();
    anew.keep_up().await.unwrap();
    assert_eq!(third.said(), anew.said());
    assert!(!anew.said().is_empty());
}

#[tokio::test]
async fn g7_what_stands_in_the_log_and_never_came_into_the_graph_is_there_after_the_next_start() {
    let stage = Stage::new().await;
    stage.says(1, "the bees are fine", 0, None).await;
    let broken = stage.logged().await;
    {
        // As if the process had ended right behind the write.
        let mut keeper = broken.upkeep.keeper.lock().await;
        broken.upkeep.begin(&mut keeper).await.unwrap();
        let followed = stage.history.follow(keeper.mark, 10).await.unwrap();
        let events: Vec<_> = followed.told.into_iter().map(keep::of_turn).collect();
        keeper.log.as_ref().unwrap().append(&events, followed.mark).await.unwrap();
    }
    drop(broken);
    let next = stage.logged().await;
    assert!(next.verify().await.unwrap().is_empty());
    assert_eq!(next.counts().messages, 1);
}

#[tokio::test]
async fn g7_a_look_that_nobody_waits_for_any_more_goes_on_to_its_end() {
    let stage = Stage::new().await;
    stage.says(1, "the bees are fine", 0, None).await;
    let graph = stage.logged().await;
    let given_up = tokio::time::timeout(Duration::ZERO, graph.keep_up()).await;
    assert!(given_up.is_err());
    let over = async {
        while graph.counts().messages == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), over).await.unwrap();
}

#[tokio::test]
async fn g7_a_checkpoint_holds_what_still_counts_and_the_log_begins_anew() {
    let stage = Stage::new().await;
    let place = place(1, guild(7));
    let turns: u64 = CHECKPOINT + 10;
    for number in 0..turns {
        stage.says_in(&place, 1 + number % 3, "the bees", i64::try_from(number).unwrap(), None).await;
    }
    let graph = stage.logged().await;
    graph.keep_up().await.unwrap();
    stage.history.delete(&place.channel, &[MessageId::from(5_u64)], moment(9000)).await.unwrap();
    graph.keep_up().await.unwrap();
    let log = graph.upkeep.keeper.lock().await.log.clone().unwrap();
    let (kept, logged) = log.lengths().await;
    assert_eq!(
        (kept, logged),
        (i64::try_from(CHECKPOINT).unwrap() - 1, 11),
        "the one that is gone is told in the log"
    );
    drop((graph, log));
    assert!(stage.logged().await.verify().await.unwrap().is_empty());
}

#[tokio::test]
async fn contradiction_16_words_that_were_taken_back_do_not_lie_on_in_the_log() {
    let stage = Stage::new().await;
    let place = place(1, guild(7));
    stage.says(1, "the xylophone is mine", 0, None).await;
    stage.note("topics/x.md", "A zither.\n");
    let graph = stage.logged().await;
    graph.keep_up().await.unwrap();
    stage.history.delete(&place.channel, &[MessageId::from(1_u64)], moment(10)).await.unwrap();
    fs::remove_file(stage.home.memory_dir().join("topics/x.md")).unwrap();
    graph.keep_up().await.unwrap();
    graph.close().await.unwrap();
    let folder = stage.home.memory_dir().join(keep::FOLDER);
    for entry in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        for word in ["xylophon", "zither"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
        }
    }
    assert!(graph.said().is_empty(), "{:?}", graph.said());
}

#[tokio::test]
async fn contradiction_2_a_log_that_is_no_log_or_anothers_is_made_anew() {
    let stage = Stage::new().await;
    stage.says(1, "the bees are fine", 0, None).await;
    let file = stage.home.memory_dir().join(keep::FOLDER).join(keep::FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "this is no database, however long it is and whatever it says about itself").unwrap();
    let graph = stage.logged().await;
    graph.keep_up().await.unwrap();
    assert_eq!(graph.counts().messages, 1);
    graph.close().await.unwrap();
    let other = GraphLog::open(&file, "another history").await.unwrap();
    assert_eq!(other.place().await.unwrap(), Default::default());
    other.close().await.unwrap();
    let again = stage.logged().await;
    let counts = again.rebuild().await.unwrap();
    assert_eq!(counts.messages, 1);
    assert!(again.verify().await.unwrap().is_empty());
}
