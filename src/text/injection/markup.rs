//! Signs that are not words: control tokens, role lines, imitated tool calls, pictures that carry data out.

use std::sync::LazyLock;

use regex::Regex;

use super::Sign;
use crate::text::unicode::comparable;

/// Control tokens of prompt formats; none of them is ever typed in talk about something else.
const TOKENS: [&str; 22] = [
    "<|im_start|>",
    "<|im_end|>",
    "<|im_sep|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "<|channel|>",
    "<|message|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<</sys>>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[/system]",
    "<|tool",
];

/// Tags that imitate the frame around a prompt.
const TAGS: [&str; 14] = [
    "<system>",
    "</system>",
    "<system_prompt>",
    "</system_prompt>",
    "<instructions>",
    "</instructions>",
    "<system-reminder>",
    "</user>",
    "<assistant>",
    "</assistant>",
    "</context>",
    "</user_input>",
    "</document>",
    "<admin>",
];

/// Imitated tool calls.
const CALLS: [&str; 14] = [
    "<tool_call>",
    "</tool_call>",
    "<function_call",
    "<function_calls>",
    "<invoke name=",
    "\"tool_calls\":",
    "\"function_call\":",
    "<|python_tag|>",
    "[tool_calls]",
    "<tool_response>",
    "action input:",
    "<tool_use>",
    "\"tool_use\"",
    "<function=",
];

/// Names that open a line when somebody writes another's part of a prompt, and what that alone says.
const ROLES: [(&str, f32); 28] = [
    ("new text", 0.45),
    ("new user", 0.4),
    ("new prompt", 0.45),
    ("end of document", 0.45),
    ("end of text", 0.35),
    ("end of user input", 0.5),
    ("system prompt", 0.5),
    ("system message", 0.6),
    ("system note", 0.5),
    ("system instruction", 0.6),
    ("system instructions", 0.6),
    ("system override", 0.7),
    ("system update", 0.4),
    ("system alert", 0.5),
    ("system", 0.35),
    ("developer message", 0.6),
    ("developer", 0.3),
    ("assistant", 0.35),
    ("new instructions", 0.6),
    ("new instruction", 0.6),
    ("updated instructions", 0.6),
    ("important instructions", 0.5),
    ("instructions", 0.2),
    ("admin override", 0.6),
    ("end of prompt", 0.5),
    ("end of system prompt", 0.6),
    ("new task", 0.4),
    ("new system prompt", 0.7),
];

/// A role inside JSON.
const JSON_ROLES: [&str; 4] =
    ["\"role\":\"system\"", "\"role\":\"developer\"", "'role':'system'", "\"role\":\"assistant\""];

static FORMS: LazyLock<[Vec<String>; 4]> = LazyLock::new(|| {
    let forms = |texts: &[&str]| texts.iter().map(|text| form(text)).collect();
    [forms(&TOKENS), forms(&TAGS), forms(&CALLS), forms(&JSON_ROLES)]
});

/// Any of them: one look tells that most texts hold none.
static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let needles: Vec<String> = FORMS.iter().flatten().map(|needle| regex::escape(needle)).collect();
    Regex::new(&needles.join("|")).ok()
});

static ROLE_FORMS: LazyLock<Vec<(String, f32)>> =
    LazyLock::new(|| ROLES.iter().map(|(role, weight)| (form(role), *weight)).collect());

/// A picture whose address carries something: a query or a blank to be filled in. Like everything here it is looked
/// for in the form, where a seven is a `t`.
static PICTURE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"!\[[^\]\n]*\]\(\s*<?https?://[^\s)]*(?:[?&][^\s)=]*=|\{|%tb|\[)").ok());

/// What is asked to be filled in, where the blank is named in words: `=INSERT_DATA`, `={summary}`.
const BLANKS: [&str; 18] = [
    "{",
    "[",
    "<",
    "%7b",
    "insert",
    "your_data",
    "your-data",
    "yourdata",
    "your_secret",
    "your_password",
    "chat_history",
    "conversation_history",
    "user_history",
    "chat_data",
    "conversation_data",
    "user_data",
    "user_secret",
    "chat-history",
];

static BLANK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let blanks: Vec<String> = BLANKS.iter().map(|blank| regex::escape(&form(blank))).collect();
    Regex::new(&format!(r"https?://[^\s)]*[?&/=](?:{})", blanks.join("|"))).ok()
});

fn form(text: &str) -> String {
    super::plain(&comparable(text))
}

/// Looks through a look-alike form.
pub(super) fn find(form: &str, mut found: impl FnMut(Sign, f32)) {
    if ANY.as_ref().is_some_and(|any| any.is_match(form)) || form.contains("role") {
        frames(form, &mut found);
    }
    for line in form.lines() {
        if let Some(weight) = role_line(line) {
            found(Sign::Role, weight);
        }
    }
    let is_picture = PICTURE.as_ref().is_some_and(|picture| picture.is_match(form));
    let is_blank = BLANK.as_ref().is_some_and(|blank| blank.is_match(form));
    match (is_picture, is_blank) {
        (true, true) => found(Sign::Exfiltration, 0.75),
        (true, false) => found(Sign::Exfiltration, 0.5),
        (false, true) => found(Sign::Exfiltration, 0.45),
        (false, false) => {}
    }
}

/// Control tokens, frames and calls.
fn frames(form: &str, found: &mut impl FnMut(Sign, f32)) {
    let [tokens, tags, calls, json] = &*FORMS;
    let holds = |needles: &[String]| needles.iter().filter(|needle| form.contains(needle.as_str())).count();
    match holds(tokens) {
        0 => {}
        1 => found(Sign::Role, 0.75),
        _ => found(Sign::Role, 0.88),
    }
    match holds(tags) {
        0 => {}
        1 => found(Sign::Role, 0.4),
        _ => found(Sign::Role, 0.6),
    }
    if holds(calls) > 0 {
        found(Sign::Tool, 0.6);
    }
    let packed: String = form.chars().filter(|c| !c.is_whitespace()).collect();
    if json.iter().any(|role| packed.contains(role.as_str())) {
        found(Sign::Role, 0.7);
    }
}

/// What a line says that begins like a role: `### System:`, `[system message]`, `--- new instructions ---`.
fn role_line(line: &str) -> Option<f32> {
    let line = line.trim_start();
    let words = line.trim_start_matches(['#', '*', '[', '(', '-', '=', '<', '>', '_', '~', ' ']);
    let is_framed = line.len() - words.len() >= 2 || line.starts_with(['[', '<']);
    ROLE_FORMS
        .iter()
        .filter_map(|(role, weight)| {
            let after = words.strip_prefix(role.as_str())?.trim_start_matches(['*', '_', ' ']);
            let is_open = after.starts_with([':', ']', '>', ')', '=', '-', '#', '<'])
                || (is_framed && after.is_empty());
            let is_framed = is_framed || after.starts_with([']', '>']);
            is_open.then_some(if is_framed { weight + 0.15 } else { *weight })
        })
        .max_by(f32::total_cmp)
}
