//! One recall: what stands only in a note, a lorebook or a summary comes back in the prompt, by the tool and on the
//! command line; and where it may not be seen it does not.

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::familiar::{Existing, Writing, import_lorebook};
use familiar_connect::history::{Added, NewSummary, Summary, SummaryLevel, fingerprint_of_turns};
use serde_json::json;

use crate::support::binary::Machine;
use crate::support::stage::{MESSAGES, QUICK, Stage, channel, dm, long_ago};

/// A question, the words that answer it, and words of the same sort that nobody here may see.
struct Case {
    question: &'static str,
    query: &'static str,
    answer: &'static str,
    hidden: &'static str,
}

const NOTE: Case = Case {
    question: "do you remember where the spare key of the Alma hangs?",
    query: "spare key of the Alma",
    answer: "hangs in the sauna",
    hidden: "and a second one under the mat",
};

const LORE: Case = Case {
    question: "do you remember when the lantern festival of Varn is held?",
    query: "lantern festival of Varn",
    answer: "on the ninth of May",
    // Lore is canon; what nobody may read is an entry that is switched off.
    hidden: "never after sunset",
};

const SUMMARY: Case = Case {
    question: "do you remember who insured the boat for Ben?",
    query: "who insured the boat for Ben",
    answer: "insured by the Kessel brothers",
    hidden: "insured by his own mother",
};

/// Two turns somewhere, with a summary of them.
async fn summed_up(stage: &Stage, place: &Place, text: &str) {
    for (number, words) in [(1_u64, "so that is settled"), (2, "at last")] {
        stage.history.append(long_ago(place, "ben", words, 60_000 + number)).await.unwrap();
    }
    let turns = stage.history.whole().stretch(&place.channel, 1, 2, TokenEncoding::CharsOver4).await.unwrap();
    let at = "2026-02-01T10:00:00Z".parse().unwrap();
    let new = NewSummary {
        channel: place.channel.clone(),
        summary: Summary {
            level: SummaryLevel::Leaf,
            audience: place.audience.clone(),
            first_ordinal: 1,
            last_ordinal: 2,
            first_at: at,
            last_at: at,
            source_tokens: 100,
            tokens: 20,
            text: text.to_owned(),
            writer: "test".to_owned(),
            made_at: at,
        },
        parts: Vec::new(),
        inputs: fingerprint_of_turns(&turns),
    };
    assert_eq!(stage.history.add_summary(new).await.unwrap(), Added::Stored);
}

async fn stage() -> Stage {
    let stage = Stage::with(QUICK, MESSAGES).await;
    let home = FamiliarHome::new(stage.dir.path(), &FamiliarId::new("mika").unwrap());
    let topics = home.memory_dir().join("topics");
    std::fs::create_dir_all(&topics).unwrap();
    let secret = dm("ben").audience;
    let note = format!(
        "- The spare key of the Alma {}. <!-- f=aaaa1111 to=canon -->\n\
         - The Alma has a spare key {}. <!-- f=bbbb2222 to={secret} -->\n",
        NOTE.answer, NOTE.hidden
    );
    std::fs::write(topics.join("alma.md"), note).unwrap();
    let book = json!({"name": "Harbour", "entries": {
        "0": {"uid": 0, "comment": "Feasts", "key": ["glowworm"],
              "content": format!("The lantern festival of Varn is held {}.", LORE.answer)},
        "1": {"uid": 1, "comment": "Rules", "key": ["glowworm"], "disable": true,
              "content": format!("The lantern festival of Varn: {}.", LORE.hidden)},
    }});
    import_lorebook(&home, book.to_string().as_bytes(), "", Existing::Refuse, Writing::ForReal).unwrap();
    summed_up(&stage, &channel(2, "#deck"), &format!("- They had tea.\n- Ben's boat is {}.", SUMMARY.answer))
        .await;
    summed_up(&stage, &dm("ben"), &format!("- Ben says his boat is {}.", SUMMARY.hidden)).await;
    let stage = stage.reopened().await;
    stage.models.take_tools();
    stage
}

#[tokio::test]
async fn a12_m1_what_stands_only_in_a_note_the_lore_or_a_summary_comes_back_by_every_door() {
    let mut stage = stage().await;
    for case in [NOTE, LORE, SUMMARY] {
        let asked = stage.asked("alice", case.question).await;
        let prompt = asked.transcript();
        assert!(prompt.contains(case.answer), "{}: {prompt}", case.question);
        assert!(!prompt.contains(case.hidden), "{}: {prompt}", case.question);
        asked.never_instructs(case.answer);
        let told = stage.calls(asked, "memory_search", json!({"query": case.query})).await;
        let result = told.request.rounds[0].results[0].content.clone();
        assert!(result.contains(case.answer) && !result.contains(case.hidden), "{}: {result}", case.query);
        stage.replied(told, "So it is.").await;
    }
    let data = stage.dir.path().to_str().unwrap().to_owned();
    for case in [NOTE, LORE, SUMMARY] {
        let asked =
            Machine::new().run(&["--data-dir", &data, "recall", case.query, "--familiar", "mika"]).await;
        let asked = asked.assert_success();
        assert!(asked.out.contains(case.answer), "{}: {}", case.query, asked.out);
    }
}

#[tokio::test(start_paused = true)]
async fn contradiction_8_where_it_was_told_the_private_part_comes_back_too() {
    let mut stage = stage().await;
    let told = stage.prompt_in(&dm("ben"), "ben", NOTE.question, "So it is.").await;
    assert!(told.contains(NOTE.hidden), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a12_lore_that_its_keys_called_up_is_not_told_twice() {
    let mut stage = stage().await;
    let asked =
        stage.asked("alice", "glowworm! do you remember when the lantern festival of Varn is held?").await;
    assert_eq!(asked.transcript().matches(LORE.answer).count(), 1, "{}", asked.transcript());
    stage.replied(asked, "In May.").await;
    let trace = &stage.traces.whole().list(1).await.unwrap()[0];
    let chunks = &trace.assembly.as_ref().unwrap().chunks;
    let told: Vec<&str> = chunks
        .iter()
        .map(|chunk| chunk.source.as_str())
        .filter(|source| source.contains("harbour/"))
        .collect();
    assert!(told.len() == 1 && !told[0].starts_with("recalled/"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a12_lore_that_its_book_holds_back_is_not_brought_in_by_recall() {
    let stage = stage().await;
    let home = FamiliarHome::new(stage.dir.path(), &FamiliarId::new("mika").unwrap());
    let book = json!({"name": "Chance", "entries": {
        "0": {"uid": 0, "comment": "Bell", "key": ["fogbell"], "probability": 0, "useProbability": true,
              "content": "The fogbell of Varn was cast by nuns."},
    }});
    import_lorebook(&home, book.to_string().as_bytes(), "", Existing::Refuse, Writing::ForReal).unwrap();
    let mut stage = stage.reopened().await;
    stage.models.take_tools();
    let told = stage.prompt("alice", "do you remember who cast the fogbell of Varn?", "No idea.").await;
    assert!(!told.contains("cast by nuns"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn y9_a_summary_whose_turns_were_taken_back_is_not_found() {
    let mut stage = stage().await;
    let deck = channel(2, "#deck").channel;
    stage.history.delete(&deck, &[MessageId::from(70_001)], stage.clock_now()).await.unwrap();
    let told = stage.prompt("alice", SUMMARY.question, "No idea.").await;
    assert!(!told.contains(SUMMARY.answer), "{told}");
}
