//! Chats of SillyTavern: JSON lines, a line about the chat and then one for each message.
//!
//! Owns how such a file is known and read, and as what it is stored: a place of its own, where the operator talked with the
//! familiar. Must not know where files lie. Start reading at [`import_chat`].

use std::collections::BTreeSet;
use std::io::BufRead;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::read::ImportError;
use crate::domain::{AccountId, Author, ChannelId, ChannelMode, MessageId, Place};
use crate::history::{History, NewTurn};
use crate::text::calendar::month;
use crate::text::short::hex;

/// What the line about a chat has, of which newer versions write all and older ones some.
const ABOUT: [&str; 3] = ["chat_metadata", "user_name", "character_name"];

/// So many bytes of a hash tell one chat from another.
const HASH_BYTES: usize = 8;

/// A number below is in seconds since 1970, from here on in milliseconds.
const SECONDS_MAX: i64 = 100_000_000_000;

type Line = Map<String, Value>;

/// A chat that was taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedChat {
    /// The place it is now.
    pub channel: ChannelId,
    /// What the character is called in it, where it says anything.
    pub with: Option<String>,
    /// The messages of it that stand there, also those of an earlier import.
    pub messages: usize,
    /// Those that are none of the talk: hidden ones, a narrator's, empty ones.
    pub left_out: usize,
}

/// Whether a file that begins with this line is a chat.
pub fn is_chat(first_line: &str) -> bool {
    let read = serde_json::from_str::<Line>(bare(first_line));
    read.is_ok_and(|line| is_message(&line) || ABOUT.iter().any(|key| line.contains_key(*key)))
}

/// Reads a chat into a place of its own. Of what was read before, by its number in the file, nothing is stored twice. Every line
/// is looked at before any is taken in. `name` is what the place is called, `zone` where its times are told that name none, and
/// `now` when all was said that has no time.
///
/// # Errors
/// [`ImportError::Line`], [`ImportError::Several`]; nothing was changed then. Else what the history says.
pub async fn import_chat(
    history: &History,
    from: &mut (dyn BufRead + Send),
    name: Option<String>,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<ImportedChat, ImportError> {
    let (about, lines) = read_lines(from)?;
    let with = only_character(&lines)?;
    let channel = channel_of(&about, &lines)?;
    let place = Place { channel_name: name, ..Place::terminal(channel.clone()) };
    let mut at = lines.iter().find_map(|line| sent_at(line, zone)).unwrap_or(now);
    let mut turns = Vec::new();
    for (number, line) in (1_u64..).zip(&lines) {
        let Some(words) = words_of(line) else { continue };
        // What was said later stands below, whatever a clock said.
        at = sent_at(line, zone).map_or(at, |sent| sent.max(at));
        let author = is_persons(line).then(|| Author {
            display_name: name_of(line).map(str::to_owned),
            ..Author::new(AccountId::operator())
        });
        turns.push(NewTurn {
            messages: vec![MessageId::from(number)],
            ..NewTurn::written(place.clone(), author, words, at, ChannelMode::FullRp)
        });
    }
    let (messages, left_out) = (turns.len(), lines.len() - turns.len());
    history.store_all(turns).await?;
    Ok(ImportedChat { channel, with, messages, left_out })
}

/// The line about the chat, empty where there is none, and the messages.
fn read_lines(from: &mut (dyn BufRead + Send)) -> Result<(Line, Vec<Line>), ImportError> {
    let (mut about, mut lines) = (Line::new(), Vec::new());
    for (number, written) in (1..).zip(from.lines()) {
        let written = written?;
        let written = bare(&written);
        if written.is_empty() {
            continue;
        }
        let wrong = |why: &str| ImportError::Line {
            line: number,
            reason: format!("it is no message of a chat: {why}"),
        };
        let line = serde_json::from_str::<Line>(written).map_err(|error| wrong(&error.to_string()))?;
        if is_message(&line) {
            lines.push(line);
        } else if number == 1 {
            about = line;
        } else {
            return Err(wrong("it has no words"));
        }
    }
    Ok((about, lines))
}

/// Without the mark that some editors put at the beginning of a file, and white space.
fn bare(line: &str) -> &str {
    line.trim_start_matches('\u{feff}').trim()
}

fn is_message(line: &Line) -> bool {
    line.get("mes").is_some_and(Value::is_string)
}

/// Whether the person wrote it, and not the character.
fn is_persons(line: &Line) -> bool {
    line.get("is_user").and_then(Value::as_bool) == Some(true)
}

fn name_of(line: &Line) -> Option<&str> {
    line.get("name").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty())
}

/// The words of a message that is part of the talk.
fn words_of(line: &Line) -> Option<&str> {
    let is_hidden = line.get("is_system").and_then(Value::as_bool) == Some(true);
    // Narrators, comments, help and the like; messages have none.
    let kind = line.get("extra").and_then(|extra| extra.get("type")).and_then(Value::as_str);
    let words = line.get("mes").and_then(Value::as_str).map(str::trim).filter(|words| !words.is_empty());
    words.filter(|_| !is_hidden && kind.is_none_or(str::is_empty))
}

/// What the character is called. Of several nobody knows which of them the familiar is.
fn only_character(lines: &[Line]) -> Result<Option<String>, ImportError> {
    let theirs = lines.iter().filter(|line| !is_persons(line) && words_of(line).is_some());
    let names: BTreeSet<&str> = theirs.filter_map(name_of).collect();
    if names.len() > 1 {
        return Err(ImportError::Several(names.into_iter().collect::<Vec<_>>().join(", ")));
    }
    Ok(names.first().map(|name| (*name).to_owned()))
}

/// The same for a chat however long it has become: by what its program calls it, else by when it began and with what.
fn channel_of(about: &Line, lines: &[Line]) -> Result<ChannelId, ImportError> {
    let known = about.get("chat_metadata").and_then(|metadata| metadata.get("integrity"));
    let began = about.get("create_date").or_else(|| lines.first()?.get("send_date"));
    let first = lines.first().and_then(words_of).unwrap_or_default();
    let identity = match (known.and_then(Value::as_str), began) {
        (Some(known), _) => known.to_owned(),
        (None, Some(began)) => format!("{began}\n{first}"),
        (None, None) => first.to_owned(),
    };
    let hash = hex(&Sha256::digest(identity.as_bytes())[..HASH_BYTES]);
    ChannelId::new(format!("sillytavern-{hash}"))
        .map_err(|error| ImportError::Line { line: 1, reason: error.to_string() })
}

/// When a message was sent, in any of the forms that versions of SillyTavern have written.
fn sent_at(line: &Line, zone: &TimeZone) -> Option<Timestamp> {
    match line.get("send_date")? {
        Value::Number(number) => since_1970(number.as_i64()?),
        Value::String(text) => {
            let text = text.trim();
            if let Ok(number) = text.parse() {
                return since_1970(number);
            }
            if let Ok(moment) = text.parse::<Timestamp>() {
                return Some(moment);
            }
            Some(by_the_clock(text)?.to_zoned(zone.clone()).ok()?.timestamp())
        }
        _ => None,
    }
}

fn since_1970(number: i64) -> Option<Timestamp> {
    let read = if number < SECONDS_MAX {
        Timestamp::from_second(number)
    } else {
        Timestamp::from_millisecond(number)
    };
    read.ok()
}

/// `June 3, 2024 5:12pm`, `2024-6-3 @17h 12m 05s 123ms`, `2024-06-03@17h12m05s`.
fn by_the_clock(text: &str) -> Option<DateTime> {
    let numbers: Vec<i16> =
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|run| run.parse().ok()).collect();
    let small = |number: i16| i8::try_from(number).ok();
    let named = text.split(|c: char| !c.is_alphabetic()).next().and_then(month);
    let (year, month, day, clock) = match (named, numbers.as_slice()) {
        (Some(month), [day, year, clock @ ..]) => (*year, month, small(*day)?, clock),
        (None, [year, month, day, clock @ ..]) => (*year, small(*month)?, small(*day)?, clock),
        _ => return None,
    };
    let of_clock = |place: usize| small(clock.get(place).copied().unwrap_or_default());
    let hour = of_clock(0)?;
    let half = text.to_ascii_lowercase();
    let hour = if half.ends_with("pm") {
        hour % 12 + 12
    } else if half.ends_with("am") {
        hour % 12
    } else {
        hour
    };
    DateTime::new(year, month, day, hour, of_clock(1)?, of_clock(2)?, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Audience, FamiliarId, Role, StoredId, TokenEncoding, Visible};
    use crate::history::HistoryOptions;
    use crate::home::FamiliarHome;

    const CHAT: &str = r#"{"user_name":"Ada","character_name":"Edda","create_date":"2024-6-3 @17h 10m 00s 5ms","chat_metadata":{"note_depth":4}}
{"name":"Edda","is_user":false,"is_system":false,"send_date":"June 3, 2024 5:10pm","mes":"*wipes the sooty lantern*","extra":{}}
{"name":"Ada","is_user":true,"is_system":false,"send_date":"2024-06-03T17:12:05.000Z","mes":"Is the mill still shut?"}
{"name":"System","is_user":false,"is_system":true,"send_date":1717434730000,"mes":"hidden"}
{"name":"Narrator","is_user":false,"send_date":1717434730000,"mes":"Night falls.","extra":{"type":"narrator"}}

{"name":"Edda","is_user":false,"is_system":false,"send_date":1717434800000,"mes":"Until the thaw.","swipes":["No.","Until the thaw."],"swipe_id":1}
"#;

    async fn history() -> (tempfile::TempDir, History) {
        let folder = tempfile::TempDir::new().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("edda").unwrap());
        std::fs::create_dir_all(home.root()).unwrap();
        let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
        let history = History::open(&home.history_db(), options).await.unwrap();
        (folder, history)
    }

    async fn import(history: &History, chat: &str) -> Result<ImportedChat, ImportError> {
        let name = Some("Edda - 2024".to_owned());
        import_chat(history, &mut chat.as_bytes(), name, &TimeZone::UTC, Timestamp::UNIX_EPOCH).await
    }

    #[tokio::test]
    async fn a_chat_becomes_a_place_of_its_own_and_what_is_added_to_it_is_added_there() {
        let (_folder, history) = history().await;
        let chat = import(&history, CHAT).await.unwrap();
        assert_eq!((chat.messages, chat.left_out, chat.with.as_deref()), (3, 2, Some("Edda")));
        let kept = history.whole().kept_after(StoredId(0), 10).await.unwrap();
        let told: Vec<(&str, &str, i64)> =
            kept.iter().map(|turn| (turn.role.as_str(), turn.content.as_str(), turn.at_ms)).collect();
        let expected = [
            (Role::Assistant, "*wipes the sooty lantern*", 1_717_434_600_000),
            (Role::User, "Is the mill still shut?", 1_717_434_725_000),
            (Role::Assistant, "Until the thaw.", 1_717_434_800_000),
        ];
        assert_eq!(told, expected.map(|(role, words, at)| (role.as_str(), words, at)));
        let author = (AccountId::operator().to_string(), None, Some("Ada".to_owned()));
        assert_eq!(kept[1].author, Some(author));
        assert!(kept.iter().all(|turn| turn.channel == chat.channel.as_str()));
        assert_eq!(history.verify().await.unwrap(), [], "everything derived is right");
        let visible = Visible::only([Audience::Dm(AccountId::operator())]);
        let found = history.seen_by(&visible).search("lantern", 3, TokenEncoding::CharsOver4).await.unwrap();
        assert_eq!(found.len(), 1);

        let longer = format!("{CHAT}{}\n", r#"{"name":"Ada","is_user":true,"mes":"And then?"}"#);
        let again = import(&history, &longer).await.unwrap();
        assert_eq!((again.channel, again.messages), (chat.channel, 4));
        assert_eq!(history.whole().kept_after(StoredId(0), 10).await.unwrap().len(), 4);
    }

    #[tokio::test]
    async fn a_chat_of_several_and_a_line_that_is_none_change_nothing() {
        let (_folder, history) = history().await;
        let several = format!("{CHAT}{}\n", r#"{"name":"Olaf","is_user":false,"mes":"Aye."}"#);
        assert!(
            matches!(import(&history, &several).await, Err(ImportError::Several(names)) if names == "Edda, Olaf")
        );
        for torn in ["{\"name\":\"Ada\",\"mes\":\"Is th", "{\"name\":\"Ada\"}", "12"] {
            let told = import(&history, &format!("{CHAT}{torn}\n")).await;
            assert!(matches!(told, Err(ImportError::Line { line: 8, .. })), "{torn}: {told:?}");
        }
        assert!(history.whole().kept_after(StoredId(0), 10).await.unwrap().is_empty());
    }

    #[test]
    fn a_chat_is_known_by_its_first_line() {
        for first in [CHAT.lines().next().unwrap(), "\u{feff}{\"name\":\"Edda\",\"mes\":\"Hm.\"}"] {
            assert!(is_chat(first), "{first}");
        }
        for first in ["", "{\"familiar_memory\":{\"version\":5}}", "{\"spec\":\"chara_card_v2\"}", "mes"] {
            assert!(!is_chat(first), "{first}");
        }
    }

    #[test]
    fn a_time_is_read_in_every_form_there_was() {
        let seen = |sent: Value| {
            let line = Line::from_iter([("send_date".to_owned(), sent)]);
            sent_at(&line, &TimeZone::UTC).map(|at| at.to_string())
        };
        for (sent, at) in [
            (Value::from("June 3, 2024 5:12pm"), "2024-06-03T17:12:00Z"),
            (Value::from("January 13, 2025 12:05am"), "2025-01-13T00:05:00Z"),
            (Value::from("2024-6-3 @17h 12m 05s 123ms"), "2024-06-03T17:12:05Z"),
            (Value::from("2024-06-03@17h12m05s"), "2024-06-03T17:12:05Z"),
            (Value::from("2024-06-03T17:12:05Z"), "2024-06-03T17:12:05Z"),
            (Value::from("1717434725000"), "2024-06-03T17:12:05Z"),
            (Value::from(1_717_434_725_000_i64), "2024-06-03T17:12:05Z"),
            (Value::from(1_717_434_725_i64), "2024-06-03T17:12:05Z"),
        ] {
            assert_eq!(seen(sent.clone()).as_deref(), Some(at), "{sent}");
        }
        for none in [Value::Null, Value::from("yesterday"), Value::from("13/13/13"), Value::from(i64::MAX)] {
            assert_eq!(seen(none.clone()), None, "{none}");
        }
    }
}
