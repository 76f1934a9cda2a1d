//! The lines that `familiar recall --stdio` takes, one JSON object each, and the lines it answers with.
//!
//! Must not know stores or ranking. Start reading at [`ProtocolLine::read`].

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest line, in bytes; a longer one is answered with an error and passed over.
pub(super) const LINE_MAX: usize = 1 << 20;

/// Finds of one question unless it asks for another number, and the most it may ask for.
const FINDS: usize = 100;
const FINDS_MAX: usize = 1_000;

/// Budgets of one question at most.
const BUDGETS_MAX: usize = 16;

/// One line that could be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ProtocolLine {
    /// Something that was said. Not answered.
    Ingest(Message),
    /// Everything so far is to be findable from here on.
    Ready,
    Query(RecallQuestion),
}

/// Something that was said in a conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Message {
    /// Its name in answers: a string or a number, handed back as it came.
    pub id: Value,
    /// The conversation, which is also whoever may hear it.
    pub conversation: String,
    /// When, by UTC where the line names no zone.
    pub at: Timestamp,
    pub speaker: String,
    pub text: String,
}

/// Something that is looked for in one conversation.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RecallQuestion {
    /// Its name in the answer.
    pub id: Value,
    /// Where it is asked.
    pub conversation: String,
    pub text: String,
    pub at: Option<Timestamp>,
    /// How many finds, 1 to 1,000.
    pub most: usize,
    /// In so many tokens each.
    pub budgets: Vec<u32>,
    /// Whether to say what speaks for each find.
    pub why: bool,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum RecallAnswer<'a> {
    Ready {
        ok: bool,
    },
    Found {
        qid: &'a Value,
        ranked: Vec<&'a Value>,
        /// By budget in tokens: the messages that are quoted within it, best first.
        packs: serde_json::Map<String, Value>,
        /// What speaks for each of `ranked`, by signal, 0 to 1; where that was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        why: Option<Vec<serde_json::Map<String, Value>>>,
    },
    /// To a line that could not be used.
    Error {
        error: String,
        line: u64,
        /// The question it was, where that much could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        qid: Option<&'a Value>,
    },
}

/// Why a line could not be used.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BrokenLine {
    pub reason: String,
    /// The question it was, where that much could be read.
    pub qid: Option<Value>,
}

/// Everything a line may hold; what is not known is passed over.
#[derive(Deserialize)]
struct LineFields<'a> {
    #[serde(borrow)]
    op: Cow<'a, str>,
    id: Option<Value>,
    conv: Option<Value>,
    ts: Option<Cow<'a, str>>,
    speaker: Option<Cow<'a, str>>,
    text: Option<Cow<'a, str>>,
    qid: Option<Value>,
    query: Option<Cow<'a, str>>,
    asked_at: Option<Cow<'a, str>>,
    k: Option<u64>,
    budgets: Option<Vec<u32>>,
    why: Option<bool>,
}

impl ProtocolLine {
    /// Reads a line without its end.
    pub(super) fn read(line: &[u8]) -> Result<Self, BrokenLine> {
        let fields: LineFields<'_> =
            serde_json::from_slice(line).map_err(|error| broken_line(error.to_string()))?;
        match fields.op.as_ref() {
            "ingest" => fields.message().map(Self::Ingest).map_err(broken_line),
            "ready" => Ok(Self::Ready),
            "query" => {
                let qid = fields.qid.clone();
                fields.question().map(Self::Query).map_err(|reason| BrokenLine { reason, qid })
            }
            other => Err(broken_line(format!("there is no op {other:?}; there are ingest, ready and query"))),
        }
    }
}

fn broken_line(reason: String) -> BrokenLine {
    BrokenLine { reason, qid: None }
}

impl LineFields<'_> {
    fn message(self) -> Result<Message, String> {
        Ok(Message {
            id: named_field(self.id, "id")?,
            conversation: name_key(&named_field(self.conv, "conv")?),
            at: parse_moment(&self.ts.ok_or("ts is missing")?)?,
            speaker: self.speaker.ok_or("speaker is missing")?.into_owned(),
            text: self.text.ok_or("text is missing")?.into_owned(),
        })
    }

    fn question(self) -> Result<RecallQuestion, String> {
        let budgets = self.budgets.unwrap_or_default();
        if budgets.len() > BUDGETS_MAX {
            return Err(format!("more than {BUDGETS_MAX} budgets"));
        }
        let most = self.k.map_or(FINDS, |k| usize::try_from(k).unwrap_or(FINDS_MAX));
        Ok(RecallQuestion {
            id: named_field(self.qid, "qid")?,
            conversation: name_key(&named_field(self.conv, "conv")?),
            text: self.query.ok_or("query is missing")?.into_owned(),
            at: self.asked_at.as_deref().map(parse_moment).transpose()?,
            most: most.clamp(1, FINDS_MAX),
            budgets,
            why: self.why.unwrap_or(false),
        })
    }
}

fn named_field(value: Option<Value>, field: &str) -> Result<Value, String> {
    match value {
        Some(value @ (Value::String(_) | Value::Number(_))) => Ok(value),
        Some(_) => Err(format!("{field} is neither a string nor a number")),
        None => Err(format!("{field} is missing")),
    }
}

/// `1` and `"1"` are two names.
fn name_key(name: &Value) -> String {
    name.to_string()
}

/// A moment with its offset, else by UTC.
fn parse_moment(text: &str) -> Result<Timestamp, String> {
    if let Ok(at) = text.parse::<Timestamp>() {
        return Ok(at);
    }
    let local: DateTime =
        text.parse().map_err(|_| format!("{text:?} is no moment like 2026-03-18T15:30:00"))?;
    let at = TimeZone::UTC.to_timestamp(local).map_err(|error| error.to_string())?;
    Ok(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MESSAGE: &str = r#"{"op":"ingest","id":"D1:1","conv":"c","session":1,"ts":"2023-05-08T13:56:00","speaker":"Ana","text":"hi \u00e9"}"#;
    const QUERY: &str = r#"{"op":"query","qid":7,"conv":"c","query":"who?","asked_at":"2023-10-22T10:02:00","k":5,"budgets":[500]}"#;

    #[test]
    fn the_three_ops_are_read() {
        let Ok(ProtocolLine::Ingest(message)) = ProtocolLine::read(MESSAGE.as_bytes()) else {
            unreachable!()
        };
        assert_eq!(message.text, "hi é");
        assert_eq!(message.at, "2023-05-08T13:56:00Z".parse().unwrap());
        assert_eq!(ProtocolLine::read(b"{\"op\":\"ready\"}"), Ok(ProtocolLine::Ready));
        let Ok(ProtocolLine::Query(question)) = ProtocolLine::read(QUERY.as_bytes()) else { unreachable!() };
        assert_eq!((question.most, question.budgets, question.id), (5, vec![500], Value::from(7)));
        assert_eq!(message.conversation, question.conversation);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, says) in [
            ("{", "EOF"),
            ("[]", "invalid"),
            (r#"{"op":"dance"}"#, "no op"),
            (r#"{"op":"ingest","id":[1]}"#, "id is neither"),
            (r#"{"op":"ingest","id":1,"conv":"c","speaker":"a","text":"b"}"#, "ts is missing"),
            (r#"{"op":"ingest","id":1,"conv":"c","ts":"noon","speaker":"a","text":"b"}"#, "no moment"),
            (r#"{"op":"query","qid":"q","conv":"c"}"#, "query is missing"),
        ] {
            let broken = ProtocolLine::read(line.as_bytes()).unwrap_err();
            assert!(broken.reason.contains(says), "{line}: {}", broken.reason);
        }
        let broken = ProtocolLine::read(br#"{"op":"query","qid":"q","conv":"c"}"#).unwrap_err();
        assert_eq!(broken.qid, Some(Value::from("q")), "the asker is told which question it was");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_line_brings_the_reader_down(
            whole in prop::sample::select(vec![MESSAGE, QUERY]),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
            noise in prop::collection::vec(any::<u8>(), 0..12),
        ) {
            let (from, to) = (from.index(whole.len()), to.index(whole.len()));
            let _read = ProtocolLine::read(&[&whole.as_bytes()[..from], &noise, &whole.as_bytes()[to..]].concat());
        }
    }
}
