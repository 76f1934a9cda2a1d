//! What a question calls up, and what no prompt has to count.

use super::*;
use crate::domain::StoredId;
use crate::history::{Survey, SurveyQuery, Visible, WindowQuery};

fn question(text: &str) -> SurveyQuery {
    SurveyQuery { text: text.to_owned(), between: None, shown: None, until: None, most: 5, around: 1 }
}

fn guild() -> Visible {
    Visible::only([Audience::Guild(GuildId::from(1))])
}

fn alone() -> Audience {
    Audience::Dm(AccountId::discord(1))
}

fn found(survey: &Survey) -> Vec<&str> {
    let content = |id: &StoredId| {
        let heard = survey.heard.iter().find(|heard| heard.turn.id == *id).unwrap();
        heard.turn.content.as_str()
    };
    survey.found.iter().map(content).collect()
}

/// Stores `count` turns in channel `number`, quicker than through the door.
async fn put(
    history: &Scratch,
    number: u64,
    audience: &'static [&'static str; 2],
    count: u32,
    content: &str,
) {
    history.append(NewTurn { place: guild_place(number), ..said(1, content) }).await.unwrap();
    let content = content.to_owned();
    let stored = history.database.write(move |tx| {
        tx.execute(
            "WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
             INSERT INTO turns (channel, ordinal, platform, audience_kind, audience_key, role, content, at_ms,
                                mode, modality)
             SELECT ?2, i, 'discord', ?3, ?4, 'user', ?5, 0, 'text_conversation_rp', 'text' FROM n",
            (count, number.to_string(), audience[0], audience[1], content),
        )
    });
    stored.await.unwrap();
}

#[tokio::test]
async fn y14_what_holds_the_rarest_words_comes_first_with_what_stands_next_to_it() {
    let history = scratch().await;
    for (number, content) in [
        "the ferry left",
        "ferry, ferry, ferry",
        "who has the lantern of the ferry?",
        "nobody",
        "hm",
        "a lantern it is",
    ]
    .iter()
    .enumerate()
    {
        history.append(said(number as u64 + 1, content)).await.unwrap();
    }
    let survey = history.survey(question("lantern, ferry?"), &guild()).await.unwrap();
    assert_eq!(found(&survey)[..2], ["who has the lantern of the ferry?", "a lantern it is"]);
    assert_eq!(survey.heard.len(), 6, "{survey:?}");
    let survey = history.survey(question("nobody"), &guild()).await.unwrap();
    let heard: Vec<&str> = survey.heard.iter().map(|heard| heard.turn.content.as_str()).collect();
    assert_eq!(heard, ["who has the lantern of the ferry?", "nobody", "hm"]);
}

#[tokio::test]
async fn y14_what_a_find_answers_comes_along_and_what_is_hidden_does_not() {
    let history = scratch().await;
    let dm = Place { guild: None, kind: PlaceKind::Dm, audience: alone(), ..guild_place(7) };
    history.append(said(1, "where is it?")).await.unwrap();
    for number in 2..8 {
        history.append(said(number, "la la")).await.unwrap();
    }
    history.append(NewTurn { place: dm, ..said(8, "the lantern is a secret") }).await.unwrap();
    let answer = NewTurn { reply_to: Some(1.into()), ..said(9, "the lantern is in the shed") };
    history.append(answer).await.unwrap();
    let survey = history.survey(question("lantern"), &guild()).await.unwrap();
    let heard: Vec<&str> = survey.heard.iter().map(|heard| heard.turn.content.as_str()).collect();
    assert_eq!(heard, ["where is it?", "the lantern is in the shed"]);
    assert_eq!(survey.heard[1].answers, Some(survey.heard[0].turn.id));
    let messages = history.messages_of(survey.found.clone()).await.unwrap();
    assert_eq!(messages[&survey.found[0]], MessageId::from(9));
}

#[tokio::test]
async fn y14_a_word_that_stands_everywhere_is_still_found_where_it_may_be_seen() {
    let history = scratch().await;
    history.append(said(1, "an old harbour")).await.unwrap();
    put(&history, 8, &["private", "8"], 8_200, "another harbour").await;
    let survey = history.survey(question("harbour"), &guild()).await.unwrap();
    // The newest that may be seen: the first turn of the other channel was said before everybody.
    assert_eq!(found(&survey), ["another harbour", "an old harbour"]);
}

#[tokio::test]
async fn what_no_summary_covers_is_counted_rightly_beyond_a_thousand() {
    let history = scratch().await;
    put(&history, 7, &["guild", "1"], 2_500, "la").await;
    let query = WindowQuery {
        mode: ChannelMode::TextConversationRp,
        rough_tokens: 100,
        max_turns: 10,
        until: None,
        encoding: TokenEncoding::CharsOver4,
    };
    let uncovered = || async { history.conversation(&channel(), query).await.unwrap().uncovered };
    assert_eq!(uncovered().await, 2_500);
    let take_back = "UPDATE turns SET deleted_at_ms = 1 WHERE ordinal BETWEEN 990 AND 1010";
    history.database.write(move |tx| tx.execute(take_back, [])).await.unwrap();
    history.database.write(|tx| tx.execute("DELETE FROM turns WHERE ordinal > 2400", [])).await.unwrap();
    assert_eq!(uncovered().await, 2_400 - 21);
}
