//! A model's answer as patches. Small models get much wrong around the JSON and little in it: whatever can be read is
//! read.

use std::sync::LazyLock;

use jiff::civil::Date;
use regex::Regex;
use serde_json::{Map, Value};

use crate::memory::facts::FactKind;

/// Patches of one answer that are looked at.
const MOST: usize = 40;

/// Lists within lists are looked into so deep.
const DEPTH: usize = 4;

/// What a model proposes; nothing of it is checked yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Patch {
    /// A fact.
    Add {
        /// A file, or a person's name.
        file: String,
        words: String,
        kind: FactKind,
        importance: Option<u8>,
        from: Vec<usize>,
        since: Option<Date>,
        until: Option<Date>,
    },
    /// Other words for a fact.
    Supersede { fact: String, words: String, importance: Option<u8>, from: Vec<usize> },
    /// A fact that ends.
    End { fact: String, until: Option<Date>, from: Vec<usize> },
    /// What happened.
    Session { words: String, from: Vec<usize> },
    /// Something about a topic.
    Topic { name: String, words: String, importance: Option<u8>, from: Vec<usize> },
}

/// What an answer says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answered {
    /// What could be read.
    pub patches: Vec<Patch>,
    /// How many objects could not.
    pub broken: usize,
    /// It says that there is nothing to write.
    pub is_nothing: bool,
}

impl Answered {
    /// Whether it is of no use: the model has to be asked again.
    pub fn is_unreadable(&self) -> bool {
        self.patches.is_empty() && !self.is_nothing
    }
}

/// Reads an answer.
pub(super) fn read(answer: &str) -> Answered {
    let text = answer.rsplit_once("</think>").map_or(answer, |(_, after)| after);
    let mut answered = Answered::default();
    for object in objects(text) {
        match parsed(object) {
            Some(value) => take(&mut answered, &value, DEPTH),
            None => answered.broken += 1,
        }
    }
    answered.patches.truncate(MOST);
    let bare =
        text.trim().trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '[' | ']')).to_lowercase();
    let says_nothing =
        ["[]", "none", "nothing", "json\n[]", "no changes", "nothing to add", "nothing to write"];
    answered.is_nothing |=
        answered.patches.is_empty() && answered.broken == 0 && says_nothing.contains(&bare.as_str());
    answered
}

/// The outermost `{…}` of a text, strings respected.
fn objects(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut begin, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for (at, character) in text.char_indices() {
        if in_string {
            match character {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                // A line that forgot its closing quote does not take the others with it.
                '\n' => (in_string, depth) = (false, 0),
                _ => {}
            }
            continue;
        }
        match character {
            '"' if depth > 0 => in_string = true,
            '{' => {
                if depth == 0 {
                    begin = at;
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    found.push(&text[begin..=at]);
                }
            }
            _ => {}
        }
    }
    found
}

static TRAILING_COMMA: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r",\s*([}\]])").ok());

fn parsed(object: &str) -> Option<Value> {
    serde_json::from_str(object).ok().or_else(|| {
        let mended = TRAILING_COMMA.as_ref()?.replace_all(object, "$1");
        serde_json::from_str(&mended).ok()
    })
}

fn take(answered: &mut Answered, value: &Value, depth: usize) {
    let Some(object) = value.as_object() else { return };
    if text(object, &["do", "op", "action", "type"]).is_none() && depth > 0 {
        let lists: Vec<&Vec<Value>> = object.values().filter_map(Value::as_array).collect();
        if object.len() == 1 && lists.iter().any(|list| list.is_empty()) {
            answered.is_nothing = true;
            return;
        }
        let inner: Vec<&Value> = lists.into_iter().flatten().filter(|inner| inner.is_object()).collect();
        if !inner.is_empty() {
            inner.into_iter().for_each(|inner| take(answered, inner, depth - 1));
            return;
        }
    }
    match patch(object) {
        Some(Read::Patch(patch)) => answered.patches.push(patch),
        Some(Read::Nothing) => answered.is_nothing = true,
        None => answered.broken += 1,
    }
}

enum Read {
    Patch(Patch),
    Nothing,
}

fn patch(object: &Map<String, Value>) -> Option<Read> {
    let words = || text(object, &["text", "words", "note", "content", "new"]);
    let fact = || text(object, &["fact", "id", "old", "supersedes"]);
    let file = || text(object, &["file", "path", "about", "person", "who"]);
    let topic = || text(object, &["name", "topic", "title"]);
    let from = numbers(object);
    let importance = ["importance", "imp"]
        .iter()
        .find_map(|key| object.get(*key)?.as_u64())
        .map(|importance| u8::try_from(importance.clamp(1, 5)).unwrap_or(3));
    let day = |key: &str| text(object, &[key]).and_then(|day| day.get(..10)?.parse().ok());
    let what = text(object, &["do", "op", "action", "type"])
        .map(|what| what.to_lowercase())
        // Without a word on it: what is there tells.
        .unwrap_or_else(|| if fact().is_some() { "supersede".to_owned() } else { "add".to_owned() });
    let patch = match what.as_str() {
        "add" | "new" | "fact" | "remember" => match (file(), topic()) {
            (Some(file), _) => Patch::Add {
                file,
                words: words()?,
                kind: kind(object),
                importance,
                from,
                since: day("since"),
                until: day("until"),
            },
            (None, Some(name)) => Patch::Topic { name, words: words()?, importance, from },
            (None, None) => return None,
        },
        "supersede" | "update" | "replace" | "correct" | "change" => {
            Patch::Supersede { fact: fact()?, words: words()?, importance, from }
        }
        "end" | "expire" | "delete" | "remove" => Patch::End { fact: fact()?, until: day("until"), from },
        "session" | "summary" => Patch::Session { words: words()?, from },
        "topic" => Patch::Topic { name: topic().or_else(file)?, words: words()?, importance, from },
        "nothing" | "none" | "noop" => return Some(Read::Nothing),
        _ => return None,
    };
    Some(Read::Patch(patch))
}

fn text(object: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    let text = keys.iter().find_map(|key| object.get(*key)?.as_str())?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn kind(object: &Map<String, Value>) -> FactKind {
    let written = text(object, &["kind"]).unwrap_or_default().to_lowercase();
    FactKind::ALL.into_iter().find(|kind| kind.as_str() == written).unwrap_or_default()
}

/// The numbers of messages: `[3, 4]`, `3`, `"3"`, `"[3]"`, `"3-5"` as 3 and 5.
fn numbers(object: &Map<String, Value>) -> Vec<usize> {
    let Some(from) =
        ["from", "source", "sources", "messages", "turns"].iter().find_map(|key| object.get(*key))
    else {
        return Vec::new();
    };
    let single = std::slice::from_ref(from);
    let mut numbers: Vec<usize> = from
        .as_array()
        .map_or(single, Vec::as_slice)
        .iter()
        .flat_map(|one| match one {
            Value::Number(number) => {
                number.as_u64().and_then(|n| usize::try_from(n).ok()).into_iter().collect()
            }
            Value::String(text) => {
                text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
            }
            _ => Vec::new(),
        })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn add(words: &str, from: &[usize]) -> Patch {
        Patch::Add {
            file: "people/discord-1.md".to_owned(),
            words: words.to_owned(),
            kind: FactKind::Fact,
            importance: None,
            from: from.to_vec(),
            since: None,
            until: None,
        }
    }

    const LINE: &str = r#"{"do":"add","file":"people/discord-1.md","text":"Ana sails.","from":[2]}"#;

    #[test]
    fn y9_answers_are_read_whatever_stands_around_them() {
        for answer in [
            LINE.to_owned(),
            format!("```json\n{LINE}\n```"),
            format!("<think>{{}} hm {{\"do\"</think>Sure! Here you go:\n\n- {LINE},\nHope it helps!"),
            format!("[{LINE}]"),
            format!("{{\"patches\": [{LINE}]}}"),
            r#"{"op": "ADD", "about": "people/discord-1.md", "note": "Ana sails.", "turns": "[2]",}"#.to_owned(),
            "{\n  \"do\": \"add\",\n  \"file\": \"people/discord-1.md\",\n  \"text\": \"Ana sails.\",\n  \"from\": 2\n}".to_owned(),
            format!("{{\"do\":\"add\",\"text\":\"broken\n{LINE}"),
        ] {
            assert_eq!(read(&answer).patches, [add("Ana sails.", &[2])], "{answer}");
        }
        let all = format!(
            "{LINE}\n{}\n{}\n{}\n{}",
            r#"{"do":"supersede","fact":"a2","text":"Ana rows.","importance":9,"from":["3","4"]}"#,
            r#"{"do":"end","fact":"a3","until":"2026-03-01"}"#,
            r#"{"do":"session","text":"They spoke of boats.","from":[1,2]}"#,
            r#"{"do":"topic","name":"The regatta","text":"It is in May.","from":[5]}"#,
        );
        let read = read(&all);
        assert_eq!((read.patches.len(), read.broken, read.is_nothing), (5, 0, false));
        let superseding = Patch::Supersede {
            fact: "a2".to_owned(),
            words: "Ana rows.".to_owned(),
            importance: Some(5),
            from: vec![3, 4],
        };
        assert_eq!(read.patches[1], superseding);
    }

    #[test]
    fn nothing_is_an_answer_and_noise_is_none() {
        for answer in ["[]", "```json\n[]\n```", "NOTHING.", r#"{"do":"nothing"}"#, r#"{"patches": []}"#] {
            assert!(!read(answer).is_unreadable(), "{answer}");
        }
        for answer in ["", "I am sorry, I cannot do that.", r#"{"do":"add"}"#, "{{{{", r#"{"do":"dance"}"#] {
            assert!(read(answer).is_unreadable(), "{answer}");
        }
    }

    proptest! {
        #[test]
        fn y9_no_answer_breaks_the_reader(text in "(\\{|\\}|\"|\\[|\\]|:|,|do|add|text|from|[a-z0-9]| |\n|\\\\){0,80}") {
            let read = read(&text);
            prop_assert!(read.patches.len() <= MOST);
        }
    }
}
