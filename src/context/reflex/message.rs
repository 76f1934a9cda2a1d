//! What is in the message itself.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{Fact, ReflexInput};
use crate::context::moments::{counted, listed};
use crate::domain::Attachment;
use crate::text::names::prompt_label;

const ABOUT_LINK: &[&str] = &[
    "this link",
    "that link",
    "the link",
    "look at this",
    "check this out",
    "check this",
    "read this",
    "watch this",
    "open this",
    "thoughts",
    "what do you think",
    "what is this",
    "whats this",
    "click",
    "schau dir das an",
    "schau mal",
    "dieser link",
    "den link",
    "was hältst du",
];

/// Which sites a message points to, where it asks about them. What they say is not known.
pub(super) fn links(input: &ReflexInput<'_>) -> Option<Fact> {
    if !input.utterance.contains("://") || !(input.cues.asks() || input.cues.any(ABOUT_LINK)) {
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

pub(super) const EMOJI: &[&str] = &[
    "what does",
    "meaning of",
    "what is the meaning",
    "whats the meaning",
    "what emoji is",
    "which emoji is",
    "was bedeutet",
    "was heißt",
    "bedeutung von",
];

/// What an emoji is commonly used for.
pub(super) fn emoji(input: &ReflexInput<'_>) -> Option<Fact> {
    let found = input.utterance.graphemes(true).find_map(|grapheme| {
        let plain = grapheme.trim_end_matches('\u{fe0f}');
        MEANINGS.iter().find(|(emoji, _)| *emoji == plain)
    });
    let (emoji, meaning) = found?;
    Fact::of(format!("{emoji} commonly stands for {meaning}."))
}

/// Emoji whose use is not what they show, or that are often asked about.
const MEANINGS: &[(&str, &str)] = &[
    ("🥲", "smiling through pain, bittersweet feelings"),
    ("💀", "\"I'm dead\": laughing very hard"),
    ("☠", "\"I'm dead\": laughing very hard, or danger"),
    ("😭", "crying, very often from laughter or being touched"),
    ("🙃", "irony, or \"this is fine\" when it is not"),
    ("😅", "nervous laughter or relief"),
    ("🫠", "melting from embarrassment, heat or dread"),
    ("🤡", "feeling foolish, or calling someone a fool"),
    ("🧢", "\"cap\": a lie"),
    ("🐐", "\"greatest of all time\""),
    ("🔥", "something excellent or attractive"),
    ("👀", "looking with interest; something is about to happen"),
    ("🫡", "a salute: understood, respect, or a farewell"),
    ("🗿", "a deadpan face"),
    ("💅", "being unbothered or sassy"),
    ("🤌", "an Italian gesture: what do you want, or perfection"),
    ("🫶", "love and support (hands forming a heart)"),
    ("🙏", "please, thank you, or prayer"),
    ("💯", "complete agreement"),
    ("🤝", "agreement or a deal"),
    ("👌", "fine, perfect"),
    ("👍", "approval"),
    ("👎", "disapproval"),
    ("🤷", "not knowing or not caring"),
    ("🤦", "exasperation"),
    ("😏", "a smirk, often suggestive"),
    ("😬", "awkwardness"),
    ("😤", "frustration, or pride in effort"),
    ("😮‍💨", "relief or exhaustion"),
    ("🥹", "being moved to tears"),
    ("🥺", "pleading"),
    ("😈", "mischief"),
    ("👻", "a ghost: fun, or having vanished (\"ghosting\")"),
    ("🚩", "a warning sign in a person or situation"),
    ("🍵", "tea: gossip"),
    ("🐸", "a frog; with 🍵: \"none of my business\""),
    ("🦆", "a duck"),
    ("🪦", "a grave: dead, finished"),
    ("🫥", "feeling invisible"),
    ("🤓", "a nerd, often teasing"),
    ("😶‍🌫️", "absent-mindedness, brain fog"),
    ("❤", "love"),
    ("💔", "a broken heart"),
    ("✨", "sparkle, emphasis, something new or magical"),
    ("🎉", "celebration"),
    ("🥳", "celebration, a birthday"),
    ("😂", "laughing tears"),
    ("🤣", "rolling on the floor laughing"),
    ("😴", "sleepy, or bored"),
    ("🤔", "thinking, doubt"),
    ("🙄", "an eye roll: annoyance"),
    ("😳", "embarrassment or surprise"),
    ("🤯", "a blown mind"),
    ("🥶", "freezing, or very cool"),
    ("🥵", "heat, or attraction"),
    ("🤗", "a hug"),
    ("🫂", "a hug, comfort"),
    ("🌚", "a knowing, slightly creepy look"),
    ("📈", "growth"),
    ("🧠", "brains, cleverness"),
    ("🪄", "magic"),
    ("🤞", "hoping for luck"),
    ("✌", "peace"),
    ("🖖", "\"live long and prosper\""),
    ("🤙", "call me, or hang loose"),
];

pub(super) const ATTACHED: &[&str] = &[
    "what did i send",
    "what did i just send",
    "what did i attach",
    "what did i upload",
    "this image",
    "this picture",
    "this photo",
    "this file",
    "this video",
    "this screenshot",
    "in the picture",
    "in the image",
    "attached",
    "attachment",
    "what is this",
    "whats this",
    "dieses bild",
    "diese datei",
    "dieses foto",
    "auf dem bild",
    "im anhang",
];

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

pub(super) const REPLIES: &[&str] = &[
    "what did i reply to",
    "what am i replying to",
    "what message is this",
    "which message is this",
    "what did i answer",
    "worauf antworte ich",
    "worauf habe ich geantwortet",
    "auf welche nachricht",
];

/// What the message answers.
pub(super) fn reply_to(input: &ReflexInput<'_>) -> Option<Fact> {
    let Some(parent) = input.reply_to else {
        return Fact::of("The message answers no other message by reference.");
    };
    if parent.audience != input.place.audience {
        return Fact::of("The message answers one that not everybody here could see.");
    }
    let whose = parent
        .author
        .as_deref()
        .map_or_else(|| "your own message".to_owned(), |name| format!("a message by {}", prompt_label(name)));
    let words = parent.snippet.replace(['“', '”', '[', ']', '\n'], " ");
    Fact::quoting(format!("The message answers {whose}: “{}”", words.trim()))
}

pub(super) const CODE: &[&str] = &[
    "what language is this",
    "which language is this",
    "what programming language",
    "which programming language",
    "how many lines",
    "what code is this",
    "welche sprache ist das",
    "welche programmiersprache",
    "wie viele zeilen",
];

/// What a code block says of itself.
pub(super) fn code(input: &ReflexInput<'_>) -> Option<Fact> {
    let (_, rest) = input.utterance.split_once("```")?;
    let inside = rest.split("```").next()?;
    let (first, body) = inside.split_once('\n').unwrap_or(("", inside));
    let tag = first.trim();
    let is_tag = !tag.is_empty()
        && tag.len() <= 20
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || "+-#".contains(c));
    let lines = counted(body.trim_end().lines().count() as u64, "line");
    Fact::of(match is_tag {
        true => format!("The code block is marked as {tag} and has {lines}."),
        false => format!("The code block has {lines} and is not marked with a language."),
    })
}

pub(super) const LANGUAGE: &[&str] = &[
    "what language am i",
    "which language am i",
    "what language is that",
    "what script is this",
    "which alphabet is this",
    "welche sprache spreche ich",
    "welche schrift ist das",
];

/// In which script a message is written, where that is not the one everybody expects.
pub(super) fn script(input: &ReflexInput<'_>) -> Option<Fact> {
    const SCRIPTS: [(&str, u32, u32); 11] = [
        ("Greek", 0x370, 0x3ff),
        ("Cyrillic", 0x400, 0x52f),
        ("Hebrew", 0x590, 0x5ff),
        ("Arabic", 0x600, 0x6ff),
        ("Devanagari", 0x900, 0x97f),
        ("Thai", 0xe00, 0xe7f),
        ("Hangul (Korean)", 0xac00, 0xd7af),
        ("Japanese kana", 0x3040, 0x30ff),
        ("Chinese characters", 0x4e00, 0x9fff),
        ("Georgian", 0x10a0, 0x10ff),
        ("Armenian", 0x530, 0x58f),
    ];
    let used = |from: u32, to: u32| input.utterance.chars().any(|c| (from..=to).contains(&u32::from(c)));
    let found: Vec<String> = SCRIPTS
        .iter()
        .filter(|(_, from, to)| used(*from, *to))
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    Fact::of(match found.is_empty() {
        true => "The message is written in Latin letters.".to_owned(),
        false => {
            format!("The message holds {} letters besides Latin ones or instead of them.", listed(&found, 3))
        }
    })
}

pub(super) const MENTIONED: &[&str] = &[
    "who did i mention",
    "who did i tag",
    "who did i ping",
    "whom did i mention",
    "wen habe ich erwähnt",
    "wen habe ich markiert",
];

/// Who is mentioned, by the names that mentions were written out as.
pub(super) fn mentioned(input: &ReflexInput<'_>) -> Option<Fact> {
    let names: Vec<String> = input
        .utterance
        .split('@')
        .skip(1)
        .filter_map(|rest| rest.split_whitespace().next())
        .map(|name| prompt_label(name.trim_end_matches(|c: char| !c.is_alphanumeric())))
        .collect();
    Fact::of(match names.is_empty() {
        true => "The message mentions nobody.".to_owned(),
        false => format!("The message mentions {}.", listed(&names, 8)),
    })
}
