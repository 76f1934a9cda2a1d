//! What people said in a prompt's conversation, and which messages are no speech. Start at [`people_said`].

use super::script::RehearsalScript;
use crate::domain::{ChatMessage, LAYER_MARKER, Role};

/// The longest line of a prompt that can be a person's name before a colon, in characters.
const NAME_CHARS: usize = 40;

/// One thing said in the prompt's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SaidLine {
    pub(super) who: Option<String>,
    pub(super) words: String,
}

/// What people said, oldest first. Injected blocks are not speech; nor is what stands without a name behind lines
/// that have one, because a prompt ends in notes.
pub(super) fn people_said(script: &RehearsalScript, messages: &[ChatMessage]) -> Vec<SaidLine> {
    let mut heard: Vec<SaidLine> = messages
        .iter()
        .filter(|message| message.role == Role::User && !is_injected(&message.content))
        .map(|message| spoken_line(script, message.name.as_deref(), &message.content))
        .filter(|said| !said.words.is_empty())
        .collect();
    if let Some(newest) = heard.iter().rposition(|said| said.who.is_some()) {
        heard.truncate(newest + 1);
    }
    heard
}

/// A block under one of the program's own headings, in tags, a Markdown section, or notes in square brackets from beginning to end.
pub(super) fn is_injected(content: &str) -> bool {
    let content = content.trim();
    let tags = content.starts_with('<') && !content.starts_with("<@") && !content.starts_with("<:");
    let bracket = content.starts_with('[') && content.ends_with(']');
    let first_group = content.find(']').unwrap_or_default();
    let first_line = content.find('\n').unwrap_or(content.len());
    tags || content.starts_with(LAYER_MARKER)
        || content.starts_with('#')
        || bracket && (first_group + 1 == content.len() || first_line < first_group)
}

/// Splits `[12:40] (answering you: “…”) Ada: words` into name and words, and takes the address to the character off
/// the words.
fn spoken_line(script: &RehearsalScript, name: Option<&str>, content: &str) -> SaidLine {
    let mut words = content.trim();
    loop {
        let time = words.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let answering = words.strip_prefix("(answering ").and_then(|rest| rest.split_once("”)"));
        let Some((_, rest)) = time.or(answering) else { break };
        words = rest.trim_start();
    }
    let label = words.split_once(':').filter(|(who, after)| {
        !who.is_empty()
            && who.chars().count() <= NAME_CHARS
            && !who.contains(['\n', '.', '?', '!', '/', ','])
            && who.split_whitespace().count() <= 4
            && after.starts_with([' ', '\n'])
            && name.is_none_or(|name| may_be_same(name, who))
    });
    let (who, words) = match label {
        Some((who, after)) => (Some(who.trim()), after),
        None => (name, words),
    };
    SaidLine { who: who.map(str::to_owned), words: unaddressed(script, words).to_owned() }
}

/// A `name` field is the label reduced to ASCII letters and digits.
fn may_be_same(name: &str, label: &str) -> bool {
    let plain =
        |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    !label.is_ascii() || plain(name) == plain(label)
}

/// `@Mira, hello` is `hello` to Mira.
fn unaddressed<'w>(script: &RehearsalScript, words: &'w str) -> &'w str {
    let words = words.trim();
    let rest = match words.strip_prefix("<@").and_then(|rest| rest.split_once('>')) {
        Some((_, rest)) => rest,
        None => {
            let bare = words.strip_prefix('@').unwrap_or(words);
            match bare.get(..script.name.len()) {
                Some(name) if !name.is_empty() && name.eq_ignore_ascii_case(&script.name) => {
                    let rest = &bare[name.len()..];
                    let is_address = bare.len() < words.len() || rest.starts_with([',', ':', '!']);
                    if is_address { rest } else { words }
                }
                _ => words,
            }
        }
    };
    let rest = rest.trim_start_matches([',', ':', '!', ' ']).trim();
    if rest.is_empty() { words } else { rest }
}
