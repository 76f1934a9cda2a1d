//! What is in the message itself.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Fact, ReflexInput};
use crate::context::moments::listed;
use crate::domain::Attachment;
use crate::text::names::prompt_label;

/// Which sites a message points to, where it asks about them. What they say is not known.
pub(super) fn links(input: &ReflexInput<'_>) -> Option<Fact> {
    if !input.utterance.contains("://") || !(input.cues.asks() || input.says("about a link")) {
        return None;
    }
    let mut hosts: Vec<String> = input.utterance.split("://").skip(1).filter_map(host).collect();
    hosts.dedup();
    (!hosts.is_empty()).then_some(())?;
    Fact::of(format!(
        "The message links to {}. You see the address and, where there is one, the preview; you have not opened it.",
        listed(&hosts, 5)
    ))
}

fn host(rest: &str) -> Option<String> {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let host = rest[..end].trim_end_matches('.');
    (host.contains('.') && host.len() <= 80).then(|| host.to_lowercase())
}

/// What an emoji is commonly used for.
pub(super) fn emoji(input: &ReflexInput<'_>) -> Option<Fact> {
    let found = input.utterance.graphemes(true).find_map(|grapheme| {
        let plain = grapheme.trim_end_matches('\u{fe0f}');
        MEANINGS.lines().filter_map(|line| line.split_once(' ')).find(|(emoji, _)| *emoji == plain)
    });
    let (emoji, meaning) = found?;
    Fact::of(format!("{emoji} commonly stands for {meaning}."))
}

/// Emoji whose use is not what they show, or that are often asked about: one a line, and what it commonly stands for.
const MEANINGS: &str = include_str!("emoji.txt");

/// What is attached, as far as it is known: kinds, names and sizes.
pub(super) fn attachments(input: &ReflexInput<'_>) -> Option<Fact> {
    let attached: Vec<String> = input
        .utterance
        .lines()
        .filter_map(Attachment::read)
        .filter(|(kind, _)| ["image", "file", "audio", "video", "sticker"].contains(kind))
        .map(|(kind, name)| format!("{kind} {}", prompt_label(name.split(" — ").next().unwrap_or(name))))
        .collect();
    (!attached.is_empty()).then_some(())?;
    Fact::quoting(format!(
        "Attached to the message: {}. Its kind, name and size are all you see of it, unless a description stands beside it.",
        listed(&attached, 5)
    ))
}
