//! Chats as `familiar lore test` reads them, one message a line, oldest first.

use serde_json::Value;

use crate::familiar::SceneLine;

/// A chat file. Each line is a JSON string `"Name: text"`, an object with `name` and `mes` (SillyTavern's chat files),
/// or plain text `Name: text`. Empty lines, objects without words and SillyTavern's hidden messages are left out.
pub(super) fn read_chat(bytes: &[u8]) -> Vec<ChatLine> {
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    text.lines().map(str::trim).filter(|line| !line.is_empty()).filter_map(chat_line).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct ChatLine {
    pub line: SceneLine,
    /// What the file itself says about whose words they are.
    pub is_user: Option<bool>,
}

fn chat_line(line: &str) -> Option<ChatLine> {
    let plain = |line: &str| ChatLine { line: SceneLine::written(line), is_user: None };
    match serde_json::from_str::<Value>(line) {
        Ok(Value::String(line)) => Some(plain(&line)),
        Ok(Value::Object(map)) => {
            let word = |keys: &[&str]| keys.iter().find_map(|key| map.get(*key)?.as_str());
            if map.get("is_system").and_then(Value::as_bool) == Some(true) {
                return None;
            }
            let words = word(&["mes", "text", "content"])?;
            let line = match word(&["name"]) {
                Some(name) => SceneLine::said(name, words),
                None => SceneLine::written(words),
            };
            Some(ChatLine { line, is_user: map.get("is_user").and_then(Value::as_bool) })
        }
        // A line like `[Alice]` or `12` is somebody's words.
        _ => Some(plain(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_message_is_read() {
        let file = "\u{feff}{\"user_name\":\"Alice\",\"chat_metadata\":{}}\n\"Alice: the gate\"\n\nBob: plain\n\
                    {\"name\":\"Mika\",\"is_user\":false,\"mes\":\"Hm.\"}\n{\"name\":\"x\",\"mes\":\"no\",\"is_system\":true}\n12";
        let lines: Vec<(String, String)> =
            read_chat(file.as_bytes()).into_iter().map(|said| (said.line.speaker, said.line.line)).collect();
        let expected =
            [("Alice", "Alice: the gate"), ("Bob", "Bob: plain"), ("Mika", "Mika: Hm."), ("", "12")];
        assert_eq!(lines, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
