//! Whole exchanges come back, by their words, their time and their speaker.

use familiar_connect::config::RecallMethod;
use familiar_connect::domain::*;

use super::{Archive, now, query, seer, words};
use crate::support::stage::{dm, ferry};

async fn talk() -> Archive {
    let mut archive = Archive::new().await;
    let here = ferry();
    for (who, text, at) in [
        ("ana", "Good morning everybody", "2026-02-02T09:00:00Z"),
        ("ben", "Where did you leave the boat keys?", "2026-02-02T09:01:00Z"),
        ("ana", "Under the blue bucket, as always.", "2026-02-02T09:02:00Z"),
        ("ben", "Found them, thanks!", "2026-02-02T09:03:00Z"),
        ("chiyo", "The new baker has wonderful rye bread", "2026-02-20T12:00:00Z"),
        ("ben", "I will get some tomorrow", "2026-02-20T12:01:00Z"),
        ("ana", "We repainted the wheelhouse green", "2026-03-17T18:00:00Z"),
        ("ben", "It looks like a frog now", "2026-03-17T18:01:00Z"),
        ("chiyo", "Lemon in tea is a crime", "2026-03-18T08:00:00Z"),
    ] {
        archive.says(&here, who, text, at).await;
    }
    archive
}

#[tokio::test]
async fn a13_a_whole_exchange_comes_back_and_not_a_single_line() {
    let archive = talk().await;
    let recalled = archive.ask("where are the keys of the boat?", &ferry()).await;
    let lines: Vec<&str> = recalled.found[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert!(lines.contains(&"Where did you leave the boat keys?"), "{lines:?}");
    assert!(
        lines.contains(&"Under the blue bucket, as always."),
        "the answer holds none of the words: {lines:?}"
    );
    assert!(recalled.found[0].lines.iter().all(|line| line.source.contains("message") && line.at.is_some()));
}

#[tokio::test]
async fn a13_an_answer_brings_what_it_answered_long_before() {
    let mut archive = talk().await;
    let asked = MessageId::from(2);
    let at = "2026-03-10T10:00:00Z".parse().unwrap();
    archive.says_to(&ferry(), "chiyo", "Mine hang at the harbourmaster's", at, Some(asked)).await;
    let recalled = archive.ask("what hangs at the harbourmaster's?", &ferry()).await;
    let lines: Vec<&str> = recalled.found[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert!(lines.contains(&"Where did you leave the boat keys?"), "{lines:?}");
}

#[tokio::test]
async fn a13_a_time_alone_calls_up_what_was_said_then() {
    let archive = talk().await;
    let found = words(&archive.ask("what did we talk about yesterday?", &ferry()).await);
    assert!(found.contains("wheelhouse") && found.contains("frog"), "{found}");
    assert!(!found.contains("bucket"), "{found}");
}

#[tokio::test]
async fn a13_a_time_lifts_and_does_not_shut_out() {
    let archive = talk().await;
    let found = words(&archive.ask("who found the rye bread baker last week?", &ferry()).await);
    assert!(found.contains("rye bread"), "it was weeks earlier than they remember: {found}");
}

#[tokio::test]
async fn a12_what_the_prompt_shows_anyway_is_not_recalled() {
    let archive = talk().await;
    let mut query =
        super::query("where are the boat keys? what about the green wheelhouse?", RecallMethod::Fused);
    query.circumstances.shown = Some(familiar_connect::history::OpenStretch {
        channel: ferry().channel,
        mode: ChannelMode::TextConversationRp,
        above: 4,
    });
    let found = words(&archive.recall.run(&query, &super::seer(&ferry()), 8).await);
    assert!(found.contains("boat keys") && !found.contains("wheelhouse"), "{found}");
}

#[tokio::test]
async fn a12_searches_are_counted_and_none_are_run_beyond_what_is_allowed() {
    let archive = talk().await;
    for (allowed, sources) in [
        (0, vec![]),
        (1, vec!["history"]),
        (2, vec!["history", "notes"]),
        // The graph has nothing about one person, and leaves its place free.
        (3, vec!["history", "notes"]),
        (4, vec!["history", "notes", "history"]),
    ] {
        let query = super::query("where did Ana leave the boat keys?", RecallMethod::Fused);
        let recalled = archive.recall.run(&query, &super::seer(&ferry()), allowed).await;
        let searched: Vec<&str> = recalled.searches.iter().map(|search| search.source.as_str()).collect();
        assert_eq!(searched, sources);
        assert!(recalled.searches.iter().all(|search| search.problem.is_none()));
        assert_eq!(recalled.found.is_empty(), allowed == 0, "{recalled:?}");
    }
}

#[tokio::test]
async fn y13_contradiction_10_what_was_said_a_moment_ago_is_found() {
    let mut archive = talk().await;
    for n in 0..20 {
        archive
            .says(
                &ferry(),
                "ana",
                &format!("the password of locker {n} is walnut{n}"),
                "2026-03-18T15:00:00Z",
            )
            .await;
        let found = words(&archive.ask(&format!("what is the password walnut{n}?"), &ferry()).await);
        assert!(found.contains(&format!("walnut{n}")), "{n}: {found}");
    }
}

#[tokio::test]
async fn y13_an_edit_holds_and_a_deletion_is_final_at_once() {
    let mut archive = talk().await;
    let message = archive.says(&ferry(), "ana", "the spare anchor lies in Ruk", "2026-03-18T15:00:00Z").await;
    archive
        .history
        .edit(&ferry().channel, &message, "the spare anchor lies in Tarn".into(), super::now())
        .await
        .unwrap();
    let found = words(&archive.ask("where does the spare anchor lie?", &ferry()).await);
    assert!(found.contains("Tarn") && !found.contains("Ruk"), "{found}");
    archive.history.delete(&ferry().channel, &[message], super::now()).await.unwrap();
    assert!(!words(&archive.ask("where does the spare anchor lie?", &ferry()).await).contains("anchor"));
}

#[tokio::test]
async fn y11_each_method_puts_something_else_first() {
    let mut archive = Archive::new().await;
    for (who, text, at) in [
        ("ana", "keys keys keys boat", "2024-01-01T10:00:00Z"),
        (
            "ben",
            "I left the boat keys at 12 Door Street with Maria yesterday, before it rained",
            "2024-05-01T10:00:00Z",
        ),
        ("chiyo", "boat keys?", "2026-03-18T10:00:00Z"),
    ] {
        archive.says(&ferry(), who, text, at).await;
    }
    for (method, first) in [
        (RecallMethod::Text, "keys keys"),
        (RecallMethod::TimeWeighted, "boat keys?"),
        (RecallMethod::Importance, "I left"),
        (RecallMethod::Vector, "boat keys?"),
    ] {
        let recalled = archive.ask_by("the boat keys?", &ferry(), method).await;
        assert!(recalled.found[0].lines[0].text.starts_with(first), "{method:?}: {recalled:?}");
    }
}

#[tokio::test]
async fn y14_what_matches_nothing_is_not_quoted() {
    let archive = talk().await;
    for question in ["what is the capital of Peru?", "hm", "do you like jazz music?", ""] {
        assert!(archive.ask(question, &ferry()).await.found.is_empty(), "{question}");
    }
}

#[tokio::test]
async fn a12_contradiction_7_notes_about_people_are_searched_with_everything_else() {
    let archive = talk().await;
    archive.note(
        "discord-999",
        "---\naliases: [Ruk]\n---\n# Work\n\nBuilds violins out of driftwood.\n\n# Home\n\nTwo cats.",
    );
    let recalled = archive.ask("who builds violins?", &ferry()).await;
    assert_eq!(recalled.found[0].key, "people/discord-999.md § Work");
    let recalled = archive.ask("does Ruk have cats?", &dm("alice")).await;
    assert_eq!(recalled.found[0].lines[0].text, "Home: Two cats.", "canon is canon everywhere");
}

#[tokio::test]
async fn a28_a_note_is_not_found_by_the_messages_that_it_was_learnt_from_nor_before_them() {
    let archive = talk().await;
    archive.note(
        "discord-999",
        "---\naliases: [Ruk]\n---\n- Ruk builds violins. <!-- f=a2b3c4d5 to=guild:7 from=t:2,t:3 -->\n",
    );
    let found = async |answered: &[i64], until: Option<jiff::Timestamp>| {
        let mut query = query("who builds violins?", RecallMethod::Fused);
        query.circumstances.answered = answered.iter().copied().map(StoredId).collect();
        query.circumstances.until = until;
        let recalled = archive.recall.run(&query, &seer(&ferry()), 8).await;
        recalled.found.iter().any(|found| found.key.starts_with("people/"))
    };
    assert!(found(&[4], None).await, "learnt before");
    assert!(!found(&[3, 4], None).await, "learnt from what is being answered");
    assert!(found(&[1], None).await, "asked now, about an old message");
    assert!(!found(&[1], Some(now())).await, "asked again as it was asked then");
    assert!(found(&[4], Some(now())).await);
}
