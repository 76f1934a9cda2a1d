//! Card macros: `{{char}}`, `{{original}}`, `{{random::a::b}}` and their kin (cards-and-lore 2.5).
//!
//! Owns finding macros in a card's text and putting values in their place. Must not know prompts, stores or
//! configuration, and is never given what people wrote: chat text is not expanded, and a value that was put in
//! is not read again, so nobody can smuggle a macro in through a name or a message. Unknown macros leave nothing: no
//! model is shown raw braces. Start reading at [`Expander`].

mod chance;
mod eval;
mod inspect;
mod moment;
mod parse;
#[cfg(test)]
mod tests;
mod variables;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use jiff::Zoned;

use crate::Character;

pub use inspect::{holds_variables, unknown_macros, volatile_macros};
pub use variables::Variables;

/// Most macros that one [`Expander`] evaluates per call; what comes after stays as it was written.
const MAX_STEPS: u32 = 20_000;

/// Most bytes that values may add to a text per call; values beyond it are left out.
const MAX_ADDED_BYTES: usize = 1024 * 1024;

/// How deep a card field may include other card fields (cards-and-lore 2.5: depth ≤ 8).
const MAX_FIELD_DEPTH: u8 = 8;

/// The card fields that macros can name, still with their own macros in them.
#[derive(Debug, Clone, Copy, Default)]
pub struct CardFields<'a> {
    /// `{{description}}`.
    pub description: &'a str,
    /// `{{personality}}`.
    pub personality: &'a str,
    /// `{{scenario}}`.
    pub scenario: &'a str,
    /// `{{persona}}`: what is known of the person spoken to. Not a card field of the character, but written by
    /// its owner with macros in it, as in SillyTavern.
    pub persona: &'a str,
    /// `{{mesExamples}}`.
    pub mes_examples: &'a str,
    /// `{{charPrompt}}`: the card's own main prompt.
    pub system_prompt: &'a str,
    /// `{{charInstruction}}`: the card's post-history instructions.
    pub post_history: &'a str,
    /// `{{charVersion}}`; put in as it is.
    pub version: &'a str,
}

impl<'a> From<&'a Character> for CardFields<'a> {
    fn from(character: &'a Character) -> Self {
        Self {
            description: &character.description,
            personality: &character.personality,
            scenario: &character.scenario,
            persona: "",
            mes_examples: &character.mes_example,
            system_prompt: &character.system_prompt,
            post_history: &character.post_history_instructions,
            version: &character.version,
        }
    }
}

/// What changes from turn to turn.
#[derive(Debug, Clone)]
pub struct Moment {
    /// Now, in the zone that people are shown.
    pub now: Zoned,
    /// How long nobody has written; `None` when nobody ever has.
    pub idle: Option<Duration>,
    /// Names this turn: the same turn rolls the same dice again, so a trace can be replayed.
    pub turn: String,
    /// Names the channel: `{{pick}}` stays the same in it for good.
    pub channel: String,
    /// `{{lastMessage}}`; put in as it is.
    pub last_message: String,
    /// `{{lastUserMessage}}` and `{{input}}`; put in as it is.
    pub last_user_message: String,
    /// `{{lastCharMessage}}`; put in as it is.
    pub last_char_message: String,
    /// `{{getvar::x}}` and its kin.
    pub variables: Arc<Variables>,
}

impl Moment {
    /// A moment of a channel in which nothing was said yet and nothing is remembered.
    #[must_use]
    pub fn new(now: Zoned, turn: String, channel: String) -> Self {
        Self {
            now,
            idle: None,
            turn,
            channel,
            last_message: String::new(),
            last_user_message: String::new(),
            last_char_message: String::new(),
            variables: Arc::default(),
        }
    }
}

/// Everything a macro can ask for.
#[derive(Debug, Clone, Copy)]
pub struct MacroContext<'a> {
    /// `{{char}}`.
    pub char_name: &'a str,
    /// `{{user}}`; where a person chose the name, make it one line without braces first.
    pub user: &'a str,
    /// `{{group}}` and `{{charIfNotGroup}}`; the character's own name outside groups.
    pub group: &'a str,
    /// What macros can ask of the card.
    pub card: CardFields<'a>,
    /// What macros can ask of the turn.
    pub moment: &'a Moment,
}

/// Puts values in the place of macros. Linear in the length of the text, bounded in what it returns: never more
/// than the text plus one mebibyte.
#[derive(Debug)]
pub struct Expander<'a> {
    context: &'a MacroContext<'a>,
    steps: Cell<u32>,
    added: Cell<usize>,
}

impl<'a> Expander<'a> {
    /// An expander for one render.
    #[must_use]
    pub fn new(context: &'a MacroContext<'a>) -> Self {
        Self { context, steps: Cell::new(0), added: Cell::new(0) }
    }

    /// Expands `text`. `{{original}}` means something only in overrides, and leaves nothing elsewhere.
    #[must_use]
    pub fn expand(&self, text: &str) -> String {
        self.run(text, None)
    }

    /// Expands an override (`system_prompt`, `post_history_instructions`): the first `{{original}}` becomes the
    /// text that is overridden, later ones become nothing.
    #[must_use]
    pub fn expand_override(&self, text: &str, original: &str) -> String {
        self.run(text, Some(original))
    }

    fn run(&self, text: &str, original: Option<&str>) -> String {
        if !parse::may_hold_macros(text) {
            return text.to_owned();
        }
        self.steps.set(0);
        self.added.set(0);
        eval::Evaluation::new(self, text, original).finish()
    }

    /// Takes one evaluation step; `false` once the allowance is used up.
    fn step(&self) -> bool {
        let steps = self.steps.get().saturating_add(1);
        self.steps.set(steps);
        steps <= MAX_STEPS
    }

    /// Books `bytes` that a value adds; `false` when they do not fit any more.
    fn afford(&self, bytes: usize) -> bool {
        let added = self.added.get().saturating_add(bytes);
        let fits = added <= MAX_ADDED_BYTES;
        if fits {
            self.added.set(added);
        }
        fits
    }
}
