//! When the notes are looked through: at its hour, in quiet, once a night, never where it is switched off, and made up for
//! where a night was missed.

use std::time::Duration;

use familiar_connect::domain::{StoredId, TokenEncoding};

use crate::support::call::patiently;
use crate::support::stage::{MESSAGES, Stage, ferry};

/// How often it is asked whether it is time, and a little.
const LOOK: Duration = Duration::from_secs(601);

const TWICE: &str = "- Ana's cat is called Biscuit and sleeps all day. <!-- f=a to=guild:7 on=2026-01-01 -->\n\
                     - Ana's cat is called Biscuit, and sleeps all day! <!-- f=b to=guild:7 on=2026-01-05 -->\n";

async fn stage(settings: &str) -> Stage {
    let settings = format!("text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n{settings}");
    Stage::with(&settings, MESSAGES).await
}

fn put(stage: &Stage, name: &str, text: &str) {
    let folder = stage.dir.path().join("familiars/mika/memory/topics");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

/// The day of the last night, by its number since 1970.
async fn night(stage: &Stage) -> Option<i64> {
    stage.history.watermark("sleep", "").await.unwrap().map(|StoredId(day)| day)
}

fn proposals(stage: &Stage) -> usize {
    let folder = stage.dir.path().join("familiars/mika/memory/sessions/.pending");
    std::fs::read_dir(folder).map_or(0, Iterator::count)
}

/// It is asked whether it is time, and no night comes of it.
async fn asked(stage: &Stage) -> Option<i64> {
    let before = night(stage).await;
    tokio::task::yield_now().await;
    tokio::time::advance(LOOK).await;
    // Long enough for a night to leave its mark.
    for _ in 0..200 {
        tokio::task::yield_now().await;
        assert_eq!(night(stage).await, before, "a night came");
    }
    before
}

/// It is asked whether it is time, and a night comes of it.
async fn comes(stage: &Stage) -> Option<i64> {
    let before = night(stage).await;
    tokio::task::yield_now().await;
    tokio::time::advance(LOOK).await;
    let ends = async {
        loop {
            tokio::task::yield_now().await;
            let now = night(stage).await;
            if now != before {
                return now;
            }
        }
    };
    patiently("the night", ends).await
}

#[tokio::test(start_paused = true)]
async fn sleep_comes_once_a_night_from_its_hour_on_and_a_missed_one_is_made_up() {
    // Eight in the evening of 1 March 2026.
    let stage = stage("[sleep]\nhour = 4\n").await;
    put(&stage, "cats.md", TWICE);
    assert_eq!(night(&stage).await, None);
    let first = comes(&stage).await.expect("the night before was missed, and is made up for");
    assert_eq!((first, proposals(&stage)), (20_513, 1));
    put(&stage, "dogs.md", &TWICE.replace("cat", "dog").replace("f=a", "f=c").replace("f=b", "f=d"));
    assert_eq!((asked(&stage).await, proposals(&stage)), (Some(first), 1), "once a night");
    stage.clock.advance(Duration::from_secs(7 * 3_600 + 50 * 60));
    assert_eq!((asked(&stage).await, proposals(&stage)), (Some(first), 1), "ten to four is not four");
    stage.clock.advance(Duration::from_secs(600));
    assert_eq!((comes(&stage).await, proposals(&stage)), (Some(first + 1), 2), "four is");
    // Three nights in which nothing ran are made up for once.
    stage.clock.advance(Duration::from_secs(3 * 86_400));
    assert_eq!(comes(&stage).await, Some(first + 4));
    assert_eq!((asked(&stage).await, proposals(&stage)), (Some(first + 4), 2));
}

#[tokio::test(start_paused = true)]
async fn sleep_waits_until_nobody_talks() {
    let stage = stage("").await;
    put(&stage, "cats.md", TWICE);
    stage.workers.wake(&ferry());
    assert_eq!(asked(&stage).await, None, "somebody spoke ten minutes ago");
    stage.workers.wake(&ferry());
    assert_eq!(asked(&stage).await, None, "and again");
    assert_eq!(comes(&stage).await, Some(20_513), "quiet for twenty minutes");
}

#[tokio::test(start_paused = true)]
async fn sleep_does_not_come_where_it_is_switched_off() {
    let stage = stage("[sleep]\nenabled = false\n").await;
    put(&stage, "cats.md", TWICE);
    for _ in 0..12 {
        assert_eq!(asked(&stage).await, None);
    }
    assert_eq!(proposals(&stage), 0);
}

/// Bob says something, then Alice talks with it for a while.
async fn talk(stage: &mut Stage) {
    for (who, said, reply) in [
        ("bob", "Mika, I lost the KEY of the boathouse", "Look under the mat."),
        ("alice", "Mika, the HALYARD is wet again", "Hang it by the stove."),
        ("alice", "Mika, and the gulls?", "They took the bread."),
        ("alice", "Mika, did the ferry come?", "At noon."),
        ("alice", "Mika, who was on it?", "The postman."),
        ("alice", "Mika, what did he bring?", "A letter for nobody."),
        ("alice", "Mika, good night", "Good night, Alice."),
    ] {
        stage.talk(who, said, reply).await;
    }
    stage.workers.idle().await;
}

#[tokio::test(start_paused = true)]
async fn a_journal_entry_of_a_day_is_noted_for_those_who_were_there_and_goes_with_what_it_is_of() {
    let mut stage = stage("[sleep]\njournal = true\n").await;
    stage.models.write_summaries();
    talk(&mut stage).await;
    assert_eq!(asked(&stage).await, None, "somebody spoke ten minutes ago");
    let writes = async {
        let is_asked = async {
            while !stage.models.summary_is_asked().await {
                tokio::task::yield_now().await;
            }
        };
        patiently("the question for an entry", is_asked).await;
        let asked = stage.models.next_summary().await;
        let prompt = asked.transcript();
        assert!(prompt.contains("your own journal") && prompt.contains("HALYARD is wet"), "{prompt}");
        asked.reply("Bob lost the KEY. I hung Alice's HALYARD by the stove and mended the bell rope.");
    };
    let (night, ()) = tokio::join!(comes(&stage), writes);
    assert!(night.is_some());
    let note = stage.dir.path().join("familiars/mika/memory/sessions");
    let entry = || {
        let files = std::fs::read_dir(&note).into_iter().flatten().map(|entry| entry.unwrap().path());
        let journal = files.filter(|file| file.to_str().unwrap().ends_with("-journal.md"));
        journal.map(|file| std::fs::read_to_string(file).unwrap()).collect::<String>()
    };
    assert!(
        entry().contains("mended the bell rope.") && entry().contains("to=guild:7 by=self"),
        "{}",
        entry()
    );
    // It can be found, and nothing is written of the same day twice.
    let prompt = stage.prompt("alice", "Mika, who mended the bell rope?", "I did.").await;
    assert!(prompt.contains("hung Alice's HALYARD by the stove"), "{prompt}");
    stage.clock.advance(Duration::from_secs(86_400));
    assert_eq!(asked(&stage).await, night, "somebody spoke ten minutes ago");
    comes(&stage).await;
    assert!(!stage.models.summary_is_asked().await, "one exchange is no day");
    // What is forgotten of the day takes the entry with it, however early it was said.
    let said =
        stage.history.whole().stretch(&ferry().channel, 1, 1, TokenEncoding::CharsOver4).await.unwrap();
    assert!(said[0].content.contains("KEY"), "{said:?}");
    stage.workers.unlearn(said.iter().map(|turn| turn.id).collect()).await;
    assert!(!entry().contains("bell rope"), "{}", entry());
}

#[tokio::test(start_paused = true)]
async fn no_journal_is_kept_where_nobody_asked_for_it() {
    let mut stage = stage("").await;
    stage.models.write_summaries();
    talk(&mut stage).await;
    assert_eq!(asked(&stage).await, None);
    comes(&stage).await;
    assert!(!stage.models.summary_is_asked().await);
}
