//! The tables on the disk.

use std::time::Duration;

use super::*;

#[tokio::test]
async fn g7_a_start_reads_on_where_the_last_one_stopped_however_it_ended() {
    let stage = Stage::new().await;
    for second in 0..50 {
        stage
            .says(1 + u64::try_from(second % 3).unwrap(), "thanks, the bees are fine", second * 20, None)
            .await;
    }
    stage.note("people/discord-1.md", "- Ana keeps bees. <!-- f=a to=guild:7 from=t:3 -->\n");
    let first = stage.kept().await;
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
    let second = stage.kept().await;
    assert!(second.verify().await.unwrap().is_empty());
    drop(second);
    let third = stage.kept().await;
    let anew = stage.graph().all_said().await.unwrap();
    assert_eq!(third.all_said().await.unwrap(), anew);
    assert!(!anew.is_empty());
}

#[tokio::test]
async fn g7_a_look_that_nobody_waits_for_any_more_goes_on_to_its_end() {
    let stage = Stage::new().await;
    stage.says(1, "the bees are fine", 0, None).await;
    let graph = stage.kept().await;
    let given_up = tokio::time::timeout(Duration::ZERO, graph.keep_up()).await;
    assert!(given_up.is_err());
    let over = async {
        while graph.reached.lock().await.notes.is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), over).await.unwrap();
    assert_ne!(graph.reached.lock().await.mark, Mark::default());
}

#[tokio::test]
async fn contradiction_16_words_that_were_taken_back_do_not_lie_on() {
    let stage = Stage::new().await;
    let place = place(1, guild(7));
    stage.says(1, "the xylophone is mine", 0, None).await;
    stage.note("topics/x.md", "A zither.\n");
    let graph = stage.kept().await;
    assert!(!graph.all_said().await.unwrap().is_empty());
    stage.history.delete(&place.channel, &[MessageId::from(1_u64)], moment(10)).await.unwrap();
    fs::remove_file(stage.home.memory_dir().join("topics/x.md")).unwrap();
    assert!(graph.all_said().await.unwrap().is_empty());
    graph.close().await.unwrap();
    let folder = stage.home.memory_dir().join(".index");
    for entry in fs::read_dir(folder).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        for word in ["xylophon", "zither"] {
            assert!(!bytes.windows(word.len()).any(|part| part == word.as_bytes()), "{word}");
        }
    }
}

#[tokio::test]
async fn contradiction_2_a_log_that_is_no_log_or_anothers_is_made_anew() {
    let stage = Stage::new().await;
    stage.says(1, "the bees are fine", 0, None).await;
    let file = stage.home.memory_dir().join(".index/graph.sqlite");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "this is no database, however long it is and whatever it says about itself").unwrap();
    let graph = stage.kept().await;
    assert_eq!(graph.counts().await.unwrap().messages, 1);
    graph.close().await.unwrap();
    let other = rusqlite::Connection::open(&file).unwrap();
    other.execute("UPDATE place SET history = 'of another'", []).unwrap();
    other.execute("UPDATE nodes SET key = 'wasp' WHERE key = 'bee'", []).unwrap();
    drop(other);
    let again = stage.kept().await;
    assert_eq!(again.verify().await.unwrap(), []);
    assert_eq!(again.rebuild().await.unwrap().messages, 1);
    assert_eq!(again.verify().await.unwrap(), []);
}

#[tokio::test]
async fn g1_every_question_is_answered_by_an_index() {
    let mut tables = tables();
    let tx = tables.transaction().unwrap();
    let plan = |question: &str| -> Vec<String> {
        let mut plan = tx.prepare(&format!("EXPLAIN QUERY PLAN {question}")).unwrap();
        let parameters = rusqlite::params_from_iter(std::iter::repeat_n(1, plan.parameter_count()));
        plan.query_map(parameters, |row| row.get(3)).unwrap().map(Result::unwrap).collect()
    };
    let edge = format!("SELECT {} FROM edges e", view::EDGE);
    for (question, index) in [
        (view::beside_sql(), "edges_by_source"),
        (view::beside_sql(), "edges_by_target"),
        (people::called_sql(), "nodes_by_word"),
        (people::called_sql(), "edges_by_name"),
        (format!("{edge} WHERE e.src = ?1 AND e.kind IN ('shown', 'reads')"), "labels"),
        ("DELETE FROM said WHERE source = ?1".to_owned(), "said_by_source"),
        (view::FIND.to_owned(), "sqlite_autoindex_nodes_1"),
    ] {
        let plan = plan(&question);
        assert!(plan.iter().any(|step| step.contains(index)), "{question}: {plan:?}");
        let is_slow = |step: &String| step.contains("SCAN") || step.contains("TEMP B-TREE");
        assert!(!plan.iter().any(is_slow), "{question}: {plan:?}");
    }
}
