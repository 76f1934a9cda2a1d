//! Putting the prompt together in SillyTavern's order.
//!
//! Owns the sequence main · lore before · persona · description · personality · scenario · lore after · examples
//! · chat · post-history, and what is left out when it does not fit.

use crate::Role;
use crate::macros::{CardFields, Expander, MacroContext};

use super::ExampleRule;
use super::budget::{Budget, StOverflow, message_tokens};
use super::examples::{ExampleLine, ExampleSpeaker, blocks, js_trim, normalised, spoken_lines};
use super::input::{ChatMessage, ExamplePinning, NamesBehaviour, NotePlace, StInput, StLine};

/// Opens the history.
pub const NEW_CHAT: &str = "[Start a new Chat]";

/// Opens the history of a group.
const NEW_GROUP_CHAT: &str = "[Start a new group chat. Group members: {{group}}]";

/// Closes the history of a group.
const GROUP_NUDGE: &str = "[Write the next reply only as {{char}}.]";

/// Opens an example block.
pub const NEW_EXAMPLE: &str = "[Example Chat]";

/// How cards write the start of a person's example line.
const USER_MARKERS: [&str; 6] = ["{{user}}:", "{{User}}:", "{{USER}}:", "<USER>:", "<user>:", "<User>:"];

/// How cards write the start of the character's example line.
const CHAR_MARKERS: [&str; 6] = ["{{char}}:", "{{Char}}:", "{{CHAR}}:", "<BOT>:", "<bot>:", "<Bot>:"];

/// Deeper injections are left out.
const MAX_DEPTH: u32 = 10_000;

/// Longest `name` of a message.
const MAX_NAME: usize = 64;

/// Whether texts of the input still hold macros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Texts {
    Raw,
    Filled,
}

/// Builds the prompt of one turn from texts as cards and lorebooks write them.
///
/// # Errors
/// [`StOverflow`] when what must be sent (everything but history and examples, and the line that opens the
/// history) does not fit the context.
pub fn build(input: &StInput<'_>) -> Result<Vec<ChatMessage>, StOverflow> {
    assemble(input, Texts::Raw)
}

/// Builds the prompt of one turn from texts whose macros are filled in already. Nothing of the input is expanded
/// but `main_prompt`, so lore and notes may quote what people said and `{{…}}` in it stays what it is.
///
/// # Errors
/// As [`build`].
pub fn build_filled(input: &StInput<'_>) -> Result<Vec<ChatMessage>, StOverflow> {
    assemble(input, Texts::Filled)
}

fn assemble(input: &StInput<'_>, texts: Texts) -> Result<Vec<ChatMessage>, StOverflow> {
    let mes_examples = normalised(&input.character.mes_example);
    let group = input.group.map_or_else(|| input.char_name.to_owned(), |members| members.join(", "));
    let context = MacroContext {
        char_name: input.char_name,
        user: input.user,
        group: &group,
        card: CardFields {
            persona: input.persona,
            mes_examples: &mes_examples,
            ..CardFields::from(input.character)
        },
        moment: input.moment,
    };
    let budget = Budget::new(input.context_tokens, input.reply_tokens);
    Assembly { input, texts, expander: Expander::new(&context), budget }.run()
}

struct Assembly<'a, 'c> {
    input: &'a StInput<'a>,
    texts: Texts,
    expander: Expander<'c>,
    budget: Budget,
}

impl Assembly<'_, '_> {
    fn run(mut self) -> Result<Vec<ChatMessage>, StOverflow> {
        let card = self.input.character;
        let main = self.main_prompt();
        let post_history = self.overridden(&card.post_history_instructions, "");
        let description = self.field(&card.description);
        let personality = self.field(&card.personality);
        let scenario = self.field(&card.scenario);
        let lore_before = self.filled(self.input.lore_before);
        let persona = self.filled(self.input.persona);
        let lore_after = self.filled(self.input.lore_after);

        let main = self.main_with_note(main)?;
        let mut before = main;
        for (part, content) in [
            ("the lore before the description", lore_before),
            ("the persona", persona),
            ("the description", description),
            ("the personality", personality),
            ("the scenario", scenario),
            ("the lore after the description", lore_after),
        ] {
            before.extend(self.mandatory(part, Role::System, content)?);
        }
        let after = self.mandatory("the post-history instructions", Role::System, post_history)?;

        let blocks = self.example_blocks();
        let (examples, history) = match self.input.examples {
            ExamplePinning::Pinned => {
                let examples = self.examples(blocks);
                (examples, self.history()?)
            }
            ExamplePinning::Yielding => {
                let history = self.history()?;
                (self.examples(blocks), history)
            }
        };
        let mut messages = before;
        messages.extend(examples);
        messages.extend(history);
        messages.extend(after);
        Ok(messages)
    }

    /// The main prompt, or the card's. A card's that says nothing once its macros are gone does not count.
    fn main_prompt(&self) -> String {
        let default = self.expander.expand(self.input.main_prompt);
        let own = js_trim(&self.input.character.system_prompt);
        if self.field(own).is_empty() { default } else { self.overridden(own, &default) }
    }

    fn main_with_note(&mut self, main: String) -> Result<Vec<ChatMessage>, StOverflow> {
        let mut messages: Vec<ChatMessage> = Vec::new();
        messages.extend(self.mandatory("the main prompt", Role::System, main)?);
        if let Some(note) = self.input.author_note
            && !matches!(note.place, NotePlace::InChat { .. })
        {
            let content = self.filled(&note.text);
            if let Some(message) = self.mandatory("the author's note", note.role, content)? {
                let at = if note.place == NotePlace::BeforeMain { 0 } else { messages.len() };
                messages.insert(at, message);
            }
        }
        Ok(messages)
    }

    fn mandatory(
        &mut self,
        part: &'static str,
        role: Role,
        content: String,
    ) -> Result<Option<ChatMessage>, StOverflow> {
        self.budget.require(part, self.tokens(&content, false))?;
        Ok((!content.is_empty()).then(|| ChatMessage::new(role, content)))
    }

    /// A card field: trimmed, expanded, without carriage returns.
    fn field(&self, text: &str) -> String {
        self.filled(js_trim(text)).replace('\r', "")
    }

    fn overridden(&self, text: &str, original: &str) -> String {
        let text = js_trim(text);
        let filled = match self.texts {
            Texts::Raw => self.expander.expand_override(text, original),
            Texts::Filled => text.to_owned(),
        };
        filled.replace('\r', "")
    }

    fn filled(&self, text: &str) -> String {
        match self.texts {
            Texts::Raw => self.expander.expand(text),
            Texts::Filled => text.to_owned(),
        }
    }

    fn tokens(&self, content: &str, named: bool) -> u32 {
        message_tokens(self.input.tokens, content, named)
    }

    fn history(&mut self) -> Result<Vec<ChatMessage>, StOverflow> {
        self.budget.require("the chat", 0)?;
        let opening = match self.input.group {
            Some(_) => self.expander.expand(NEW_GROUP_CHAT),
            None => NEW_CHAT.to_owned(),
        };
        let opening_tokens = self.tokens(&opening, false);
        self.budget.spend(opening_tokens);
        let nudge = self.input.group.map(|_| self.expander.expand(GROUP_NUDGE));
        let nudge_tokens = nudge.as_ref().map_or(0, |nudge| self.tokens(nudge, false));
        self.budget.spend(nudge_tokens);

        let (pool, settled) = self.pool();
        let mut messages: Vec<ChatMessage> = Vec::new();
        let mut has_mark = false;
        for (at, mut message) in pool.into_iter().enumerate() {
            let tokens = self.tokens(&message.content, message.name.is_some());
            if !self.budget.can_afford(tokens) {
                break;
            }
            if !message.content.is_empty() {
                self.budget.spend(tokens);
                message.cache_breakpoint = at >= settled && !has_mark;
                has_mark |= message.cache_breakpoint;
                messages.push(message);
            }
        }
        self.budget.release(opening_tokens);
        self.budget.require("the line that opens the chat", opening_tokens)?;
        messages.push(ChatMessage { cache_breakpoint: true, ..ChatMessage::new(Role::System, opening) });
        messages.reverse();
        if let Some(nudge) = nudge {
            self.budget.release(nudge_tokens);
            self.budget.require("the line that closes the group chat", nudge_tokens)?;
            messages.push(ChatMessage::new(Role::System, nudge));
        }
        Ok(messages)
    }

    /// The chat with its injections, newest first, and from where on there are no more injections: what stands there
    /// comes again with the next turn, while injections move with the end of the chat.
    fn pool(&self) -> (Vec<ChatMessage>, usize) {
        let mut pool: Vec<ChatMessage> = self.input.chat.iter().rev().map(|line| self.line(line)).collect();
        let mut inserted = 0;
        let mut settled = 0;
        for depth in self.depths() {
            let here: Vec<ChatMessage> = [Role::System, Role::User, Role::Assistant]
                .into_iter()
                .filter_map(|role| self.injection(depth, role))
                .collect();
            let at = usize::try_from(depth).unwrap_or(usize::MAX).saturating_add(inserted).min(pool.len());
            inserted += here.len();
            if !here.is_empty() {
                settled = at + here.len();
            }
            pool.splice(at..at, here);
        }
        (pool, settled)
    }

    fn line(&self, line: &StLine) -> ChatMessage {
        let prefixed = match self.input.names {
            NamesBehaviour::None | NamesBehaviour::NameField => false,
            NamesBehaviour::Default => self.input.group.is_some() && line.name != self.input.user,
            NamesBehaviour::InContent => true,
            NamesBehaviour::People => line.role == Role::User,
        };
        let content = if prefixed { format!("{}: {}", line.name, line.text) } else { line.text.clone() };
        let name = (self.input.names == NamesBehaviour::NameField && !line.name.is_empty())
            .then(|| wire_name(&line.name));
        ChatMessage { name, ..ChatMessage::new(line.role, content.replace('\r', "")) }
    }

    fn depths(&self) -> Vec<u32> {
        let note = self.input.author_note.and_then(|note| match note.place {
            NotePlace::InChat { depth } => Some(depth),
            NotePlace::AfterMain | NotePlace::BeforeMain => None,
        });
        let card = self.input.character.depth_prompt.as_ref().map(|note| note.depth);
        let mut depths: Vec<u32> = self.input.depth_entries.iter().map(|entry| entry.depth).collect();
        depths.extend(note);
        depths.extend(card);
        depths.retain(|depth| *depth <= MAX_DEPTH);
        depths.sort_unstable();
        depths.dedup();
        depths
    }

    /// What is injected at one depth in one role, as one message: the author's note, then the character's note,
    /// then lore, which is the alphabetical order of SillyTavern's keys.
    fn injection(&self, depth: u32, role: Role) -> Option<ChatMessage> {
        let here = |entry_depth: u32, entry_role: Role| entry_depth == depth && entry_role == role;
        let note = self
            .input
            .author_note
            .filter(|note| note.place == (NotePlace::InChat { depth }) && note.role == role)
            .filter(|note| !note.text.is_empty())
            .map(|note| js_trim(&note.text));
        let card_note = self.input.character.depth_prompt.as_ref();
        let card_note = card_note
            .filter(|note| here(note.depth, note.role))
            .map(|note| js_trim(&self.field(&note.prompt)).to_owned())
            .filter(|text| !text.is_empty());
        let entries = self.input.depth_entries.iter().filter(|entry| here(entry.depth, entry.role));
        let lore = entries.map(|entry| entry.text.as_str()).collect::<Vec<_>>().join("\n");
        let lore = (!lore.is_empty()).then(|| js_trim(&lore));

        // The newlines at the joints are expanded with their neighbours, because a `{{trim}}` reaches over them.
        let content = match card_note {
            None => {
                let joined: Vec<&str> = note.into_iter().chain(lore).collect();
                self.filled(&joined.join("\n"))
            }
            Some(card_note) => {
                let before = note.map(|note| self.filled(&format!("{note}\n"))).unwrap_or_default();
                let after = lore.map(|lore| self.filled(&format!("\n{lore}"))).unwrap_or_default();
                format!("{before}{card_note}{after}")
            }
        };
        let content = js_trim(&content).to_owned();
        (!content.is_empty()).then(|| ChatMessage::new(role, content))
    }

    fn example_blocks(&self) -> Vec<Vec<ExampleLine>> {
        let named = |name: &str| format!("{name}:");
        let card = self.input.character;
        let careful = self.input.example_rule == ExampleRule::Careful;
        let text = if careful {
            js_trim(&card.mes_example).replace('\r', "")
        } else {
            self.field(&card.mes_example)
        };
        let mut users = vec![named(self.input.user)];
        let mut chars = vec![named(self.input.char_name)];
        if careful {
            users.extend(USER_MARKERS.map(str::to_owned));
            chars.extend(CHAR_MARKERS.map(str::to_owned));
            chars.push(named(&card.name));
        }
        let found = blocks(&text).into_iter().map(|block| {
            let mut lines = spoken_lines(block, &users, &chars);
            if careful {
                if lines.is_empty() && !block.is_empty() {
                    lines.push(ExampleLine { voice: ExampleSpeaker::Char, text: block.to_owned() });
                }
                for line in &mut lines {
                    line.text = self.filled(&line.text);
                }
            }
            lines
        });
        found.collect()
    }

    /// Whole blocks, in order, until one does not fit.
    fn examples(&mut self, blocks: Vec<Vec<ExampleLine>>) -> Vec<ChatMessage> {
        let header_tokens = self.tokens(NEW_EXAMPLE, false);
        let mut messages = Vec::new();
        for block in blocks {
            let block: Vec<ChatMessage> = block.into_iter().map(|line| self.example(line)).collect();
            let needed = block
                .iter()
                .map(|message| self.tokens(&message.content, true))
                .fold(header_tokens, u32::saturating_add);
            if !self.budget.can_afford(needed) {
                break;
            }
            self.budget.spend(header_tokens);
            messages.push(ChatMessage::new(Role::System, NEW_EXAMPLE));
            for message in block.into_iter().filter(|message| !message.content.is_empty()) {
                self.budget.spend(self.tokens(&message.content, true));
                messages.push(message);
            }
        }
        messages
    }

    fn example(&self, line: ExampleLine) -> ChatMessage {
        let (name, speaker) = match line.voice {
            ExampleSpeaker::User => ("example_user", self.input.user),
            ExampleSpeaker::Char => ("example_assistant", self.input.char_name),
        };
        let content =
            if self.input.group.is_some() { format!("{speaker}: {}", line.text) } else { line.text };
        ChatMessage { name: Some(name.to_owned()), ..ChatMessage::new(Role::System, content) }
    }
}

/// A name as providers accept it: every other character, counted in UTF-16 units, becomes `_`.
fn wire_name(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            out.push(letter);
        } else {
            out.extend(std::iter::repeat_n('_', letter.len_utf16()));
        }
    }
    out.truncate(MAX_NAME);
    out
}
