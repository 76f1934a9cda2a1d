//! What keys are looked for in: messages newest first, asked-for fields of the card, and texts of entries that were
//! called up before (cards-and-lore 4.2.3).

use std::collections::HashMap;
use std::ops::Range;

use super::keys::{Comparing, EntryKey, Form};
use super::pattern::{KeyPattern, PatternAllowance, Searched};
use super::scene::LoreScene;

/// What stands before every message.
const MARK: char = '\u{1}';

/// Bytes compared with plain keys in one scan; real books stay a thousand times below.
const MAX_WORK: u64 = 512 << 20;

/// Keys that took too long, named in one scan.
const GIVEN_UP_NAMED: usize = 8;

/// A text keys are looked for in.
#[derive(Debug)]
struct SurfaceText {
    exact: String,
    folded: String,
    /// Whose text it is; only for texts of entries.
    entry: usize,
    /// Texts of one pass stand in one block.
    pass: u32,
}

/// Fields of the card an entry can ask for, as bits in the order SillyTavern appends them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct CardFlags(pub u8);

/// The fields: what people call them, and the names books have for the switch.
pub(super) const CARD_FIELDS: [(&str, [&str; 2]); 6] = [
    ("persona", ["matchPersonaDescription", "match_persona_description"]),
    ("description", ["matchCharacterDescription", "match_character_description"]),
    ("personality", ["matchCharacterPersonality", "match_character_personality"]),
    ("character's note", ["matchCharacterDepthPrompt", "match_character_depth_prompt"]),
    ("scenario", ["matchScenario", "match_scenario"]),
    ("creator's notes", ["matchCreatorNotes", "match_creator_notes"]),
];

/// Which part of everything an entry reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct ScanScope {
    /// Messages, newest first.
    pub messages: Range<usize>,
    pub card: CardFlags,
    /// Texts of other entries.
    pub entries: Range<usize>,
}

impl ScanScope {
    /// Whether there is anything to read in it.
    pub(super) fn is_empty(&self) -> bool {
        self.messages.is_empty() && self.card == CardFlags::default() && self.entries.is_empty()
    }
}

/// Where something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyPlace {
    Message(usize),
    Card(usize),
    Entry(usize),
}

/// Everything that can be read in one scan.
#[derive(Debug, Default)]
pub(super) struct Surface {
    messages: Vec<SurfaceText>,
    card: Vec<Option<SurfaceText>>,
    entries: Vec<SurfaceText>,
    joined: HashMap<ScanScope, JoinedText>,
    allowance: PatternAllowance,
    work: u64,
    /// Keys that took too long, as written; of many the first.
    given_up: Vec<String>,
}

/// The pieces of a scope in one text, and where each begins.
#[derive(Debug)]
struct JoinedText {
    text: String,
    starts: Vec<(usize, KeyPlace)>,
}

impl Surface {
    pub(super) fn new(scene: &LoreScene<'_>, deepest: usize) -> Self {
        let card = &scene.card;
        let fields = [
            card.persona,
            card.description,
            card.personality,
            card.depth_prompt,
            card.scenario,
            card.creator_notes,
        ];
        Self {
            messages: scene.messages.iter().take(deepest).map(|line| piece(line.line.trim(), 0, 0)).collect(),
            card: fields.iter().map(|text| (!text.is_empty()).then(|| piece(text, 0, 0))).collect(),
            ..Self::default()
        }
    }

    pub(super) fn messages(&self) -> usize {
        self.messages.len()
    }

    /// Texts of entries there are.
    pub(super) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Adds the text of an entry that was called up in `pass`.
    pub(super) fn add(&mut self, entry: usize, text: &str, pass: u32) {
        self.entries.push(piece(text, entry, pass));
    }

    /// Keys that took too long, or were not looked for because there was too much to compare; of many the first.
    pub(super) fn given_up(&self) -> &[String] {
        &self.given_up
    }

    fn give_up(&mut self, key: &EntryKey) {
        if self.given_up.len() < GIVEN_UP_NAMED && !self.given_up.contains(&key.written) {
            self.given_up.push(key.written.clone());
        }
    }

    /// Where a key is in `scope`, nearest first. Plain keys need to be looked for only in `fresh`, the part of the
    /// scope where they were not looked for before.
    pub(super) fn find(
        &mut self,
        key: &EntryKey,
        how: Comparing,
        scope: &ScanScope,
        fresh: &ScanScope,
    ) -> Option<KeyPlace> {
        match &key.form {
            Form::Blank => None,
            Form::Plain(plain) => {
                for place in scope_places(fresh) {
                    let Some(piece) = self.piece(place) else { continue };
                    if self.work > MAX_WORK {
                        self.give_up(key);
                        return None;
                    }
                    let length = piece.exact.len() as u64;
                    if plain.is_in(&piece.exact, &piece.folded, how) {
                        return Some(self.named(place));
                    }
                    self.work += length;
                }
                None
            }
            Form::Pattern(pattern) => match self.search(pattern, scope)? {
                Searched::At(at) => {
                    let starts = &self.joined.get(scope)?.starts;
                    let place = starts.iter().rev().find(|(start, _)| *start <= at).or(starts.first());
                    place.map(|(_, place)| self.named(*place))
                }
                Searched::Nowhere => None,
                Searched::GivenUp => {
                    self.give_up(key);
                    None
                }
            },
        }
    }

    fn search(&mut self, pattern: &KeyPattern, scope: &ScanScope) -> Option<Searched> {
        if !self.joined.contains_key(scope) {
            // Scopes grow with every pass: what an earlier pass joined is not asked for again.
            if self.joined.len() >= 32 {
                self.joined.clear();
            }
            let joined = self.join(scope);
            self.joined.insert(scope.clone(), joined);
        }
        Some(self.allowance.search(pattern, &self.joined.get(scope)?.text))
    }

    /// The text as SillyTavern has it: every block behind a line end and U+0001.
    fn join(&self, scope: &ScanScope) -> JoinedText {
        let mut joined = JoinedText { text: String::new(), starts: Vec::new() };
        let mut last_pass = None;
        for place in scope_places(scope) {
            let Some(piece) = self.piece(place) else { continue };
            let same_block = matches!(place, KeyPlace::Entry(_)) && last_pass == Some(piece.pass);
            if !joined.text.is_empty() {
                joined.text.push('\n');
            }
            if !same_block {
                joined.text.push(MARK);
            }
            last_pass = matches!(place, KeyPlace::Entry(_)).then_some(piece.pass);
            joined.starts.push((joined.text.len(), place));
            joined.text.push_str(&piece.exact);
        }
        joined
    }

    fn piece(&self, place: KeyPlace) -> Option<&SurfaceText> {
        match place {
            KeyPlace::Message(index) => self.messages.get(index),
            KeyPlace::Card(field) => self.card.get(field)?.as_ref(),
            KeyPlace::Entry(index) => self.entries.get(index),
        }
    }

    /// A place with the entry itself instead of where its text stands in the list.
    fn named(&self, place: KeyPlace) -> KeyPlace {
        match place {
            KeyPlace::Entry(index) => KeyPlace::Entry(self.entries.get(index).map_or(0, |piece| piece.entry)),
            other => other,
        }
    }
}

fn scope_places(scope: &ScanScope) -> impl Iterator<Item = KeyPlace> + use<> {
    let flags = scope.card.0;
    let card = (0..CARD_FIELDS.len()).filter(move |field| flags & (1 << field) != 0).map(KeyPlace::Card);
    scope
        .messages
        .clone()
        .map(KeyPlace::Message)
        .chain(card)
        .chain(scope.entries.clone().map(KeyPlace::Entry))
}

fn piece(text: &str, entry: usize, pass: u32) -> SurfaceText {
    SurfaceText { exact: text.to_owned(), folded: text.to_lowercase(), entry, pass }
}
