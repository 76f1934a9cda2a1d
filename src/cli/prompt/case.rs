//! Case files: the input of one turn, written down.
//!
//! Owns reading them leniently (a whole fixture with `case` and `expected`, or the case alone) and laying them
//! out as an [`StInput`].

use anyhow::{Context as _, bail};
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};

use super::lore::{CalledEntries, NOTE_DEPTH};
use crate::cli::lore::{BUDGET_PERCENT, CONTEXT_TOKENS, REPLY_TOKENS, ScanTurn, book_in, budget};
use crate::clock::{Clock, SystemClock};
use crate::domain::{Role, TokenEncoding};
use crate::familiar::{Character, Lorebook, TokenCount, read_card};
use familiar_cards::macros::{Expander, Moment};
use familiar_cards::sillytavern::{
    AuthorNote, DEFAULT_MAIN_PROMPT, DepthEntry, ExamplePinning, ExampleRule, NamesBehaviour, NotePlace,
    StInput, StLine,
};

/// The person of a case that names none.
const USER: &str = "Alice";

/// What is said of a case and of a card that cannot be read; the cause comes behind it.
const NO_CASE: &str = "not JSON that can be read as a case";
pub(super) const NO_CARD: &str = "no card that can be read";

/// One case. Roles are 0 system, 1 user, 2 assistant.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptCase {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    card: Option<Value>,
    /// `[who, text]`, oldest first; who is `c` or `u`.
    #[serde(default)]
    chat: Vec<(String, String)>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    persona: Option<String>,
    /// The members of a group chat, the character among them.
    #[serde(default)]
    group: Option<Vec<String>>,
    /// What the character is called instead of by the card's name.
    #[serde(default)]
    nickname: Option<String>,
    /// A book of any format, whose entries the chat calls up.
    #[serde(default)]
    lorebook: Option<Value>,
    #[serde(default)]
    wi_before: Option<String>,
    #[serde(default)]
    wi_after: Option<String>,
    #[serde(default)]
    wi_depth: Option<Vec<CaseDepthEntry>>,
    #[serde(default)]
    an: Option<CaseNote>,
    #[serde(default)]
    names: Option<i64>,
    #[serde(default)]
    pin: Option<bool>,
    #[serde(default)]
    ctx: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct CaseDepthEntry {
    depth: Option<u32>,
    role: Option<i64>,
    text: String,
}

#[derive(Debug, Deserialize)]
struct CaseNote {
    text: String,
    position: Option<i64>,
    depth: Option<u32>,
    role: Option<i64>,
}

/// A card as a case uses it: the character, and the book that came in the card.
#[derive(Debug)]
pub(super) struct CaseCard {
    pub character: Character,
    book: Option<Lorebook>,
}

/// A case laid out; [`StInput`] borrows from it.
#[derive(Debug)]
pub(super) struct CaseWorld {
    character: Character,
    user: String,
    persona: String,
    group: Option<Vec<String>>,
    chat: Vec<StLine>,
    lore_before: String,
    lore_after: String,
    depth_entries: Vec<DepthEntry>,
    author_note: Option<AuthorNote>,
    names: NamesBehaviour,
    examples: ExamplePinning,
    context_tokens: u32,
    moment: Moment,
}

/// What only cards from V2 on have. A file with one of them and no `spec` holds the `data` of such a card.
const V2_FIELDS: [&str; 6] = [
    "alternate_greetings",
    "character_book",
    "creator_notes",
    "extensions",
    "post_history_instructions",
    "system_prompt",
];

/// Reads a card file of any container; JSON may also be the bare `data` of a V2 or V3 card.
pub(super) fn card_file(bytes: &[u8]) -> anyhow::Result<CaseCard> {
    let bare = serde_json::from_slice::<Value>(strip_bom(bytes))
        .ok()
        .filter(|value| is_bare(value) && V2_FIELDS.iter().any(|field| value.get(field).is_some()));
    match bare {
        Some(value) => card_value(&value),
        None => CaseCard::read(bytes),
    }
}

/// Reads a card written into a case: a whole card, or its `data` alone.
fn card_value(value: &Value) -> anyhow::Result<CaseCard> {
    let whole = if is_bare(value) {
        json!({ "spec": "chara_card_v2", "spec_version": "2.0", "data": value })
    } else {
        value.clone()
    };
    CaseCard::read(whole.to_string().as_bytes())
}

impl CaseCard {
    fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let card = read_card(bytes).context(NO_CARD)?;
        Ok(Self { character: Character::from(&card), book: card.book })
    }
}

fn is_bare(value: &Value) -> bool {
    value.is_object() && value.get("spec").is_none() && value.get("data").is_none()
}

/// What macros in people's lines of a case mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChatReading {
    /// SillyTavern fills them in, both when it stores a message and when it prepares a prompt; only for comparing.
    AsSillyTavern,
    /// They are words like any other (cards-and-lore 2.5): chat text is never expanded in a live turn.
    AsLive,
}

impl PromptCase {
    /// Reads a case file: the case itself, or an object with a `case` in it.
    pub(super) fn read(bytes: &[u8]) -> anyhow::Result<Self> {
        let mut value: Value = serde_json::from_slice(strip_bom(bytes)).context(NO_CASE)?;
        if let Some(inner) = value.get_mut("case").filter(|inner| inner.is_object()) {
            value = inner.take();
        }
        serde_json::from_value(value).context(NO_CASE)
    }

    /// Lays the case out for `card`, or for the case's own card when there is none.
    pub(super) fn world(&self, card: Option<CaseCard>, reading: ChatReading) -> anyhow::Result<CaseWorld> {
        let CaseCard { mut character, book } = match (card, &self.card) {
            (Some(card), _) => card,
            (None, Some(own)) => card_value(own)?,
            (None, None) => bail!("there is no card: give --card FILE, or a \"card\" in the case"),
        };
        if let Some(nickname) = &self.nickname {
            nickname.clone_into(&mut character.name);
        }
        let user = self.user.clone().unwrap_or_else(|| USER.to_owned());
        let persona = self.persona.clone().unwrap_or_default();
        let last = |who: Option<&str>| {
            let mut lines = self.chat.iter().rev().filter(|(by, _)| who.is_none_or(|who| by == who));
            lines.next().map(|(_, text)| text.clone()).unwrap_or_default()
        };
        let moment = Moment {
            last_message: last(None),
            last_user_message: last(Some("u")),
            last_char_message: last(Some("c")),
            ..Moment::new(
                SystemClock.now().to_zoned(TimeZone::UTC),
                "prompt".to_owned(),
                self.id.clone().unwrap_or_default(),
            )
        };
        let group = self.group.as_ref().map_or_else(|| character.name.clone(), |members| members.join(", "));
        let context_tokens = self.ctx.unwrap_or(CONTEXT_TOKENS);
        let turn = ScanTurn {
            card: &character,
            character: &character.name,
            user: &user,
            group: &group,
            persona: &persona,
            trigger: "normal",
            budget: budget(context_tokens, REPLY_TOKENS, BUDGET_PERCENT, 0),
            encoding: TokenEncoding::CharsOver4,
            moment: &moment,
        };
        let chat = self.lines(&turn, reading)?;
        let called = self.book(book)?.map(|book| CalledEntries::by(&chat, book, &turn));
        let depth_entries = self.wi_depth.iter().flatten().map(|entry| {
            Ok(DepthEntry {
                depth: entry.depth.unwrap_or(NOTE_DEPTH),
                role: role_by_number("a role in wiDepth", entry.role.unwrap_or(0))?,
                text: entry.text.clone(),
            })
        });
        let mut depth_entries = depth_entries.collect::<anyhow::Result<Vec<_>>>()?;
        let mut author_note = self.an.as_ref().map(CaseNote::read).transpose()?;
        let mut lore_before = self.wi_before.clone().unwrap_or_default();
        let mut lore_after = self.wi_after.clone().unwrap_or_default();
        if let Some(called) = called {
            let examples = &mut character.mes_example;
            called.place(&mut lore_before, &mut lore_after, &mut depth_entries, &mut author_note, examples);
        }
        Ok(CaseWorld {
            depth_entries,
            author_note,
            names: match self.names.unwrap_or(0) {
                -1 => NamesBehaviour::None,
                0 => NamesBehaviour::Default,
                1 => NamesBehaviour::NameField,
                2 => NamesBehaviour::InContent,
                value => bail!("names is {value}; use -1, 0, 1 or 2"),
            },
            examples: if self.pin.unwrap_or(false) {
                ExamplePinning::Pinned
            } else {
                ExamplePinning::Yielding
            },
            context_tokens,
            lore_before,
            lore_after,
            character,
            user,
            persona,
            group: self.group.clone(),
            chat,
            moment,
        })
    }

    /// The book whose entries are called up: the case's, else the card's own. A case that writes its lore out has said
    /// all of it.
    fn book(&self, of_card: Option<Lorebook>) -> anyhow::Result<Option<Lorebook>> {
        let is_written_out = self.wi_before.is_some() || self.wi_after.is_some() || self.wi_depth.is_some();
        match &self.lorebook {
            Some(given) => {
                let bytes = given.to_string();
                let (book, _) = book_in(bytes.as_bytes(), "it", &mut Vec::new())
                    .context("no lorebook that can be read")?;
                Ok(Some(book))
            }
            None if is_written_out => Ok(None),
            None => Ok(of_card),
        }
    }

    /// The chat. The character's lines are expanded either way: a case holds greetings as cards write them, and a
    /// greeting is expanded when it is posted.
    fn lines(&self, turn: &ScanTurn<'_>, reading: ChatReading) -> anyhow::Result<Vec<StLine>> {
        let context = turn.macros();
        let expander = Expander::new(&context);
        let line = |(index, (who, text)): (usize, &(String, String))| match who.as_str() {
            "c" => Ok(StLine {
                role: Role::Assistant,
                name: turn.character.to_owned(),
                text: expander.expand(text),
            }),
            "u" => Ok(StLine {
                role: Role::User,
                name: turn.user.to_owned(),
                text: match reading {
                    ChatReading::AsSillyTavern => expander.expand(text),
                    ChatReading::AsLive => text.clone(),
                },
            }),
            _ => bail!(
                "chat line {} is by {who:?}; use \"c\" for the character, \"u\" for the person",
                index + 1
            ),
        };
        self.chat.iter().enumerate().map(line).collect()
    }
}

impl CaseNote {
    fn read(&self) -> anyhow::Result<AuthorNote> {
        let depth = self.depth.unwrap_or(NOTE_DEPTH);
        let place = match self.position.unwrap_or(1) {
            0 => NotePlace::AfterMain,
            1 => NotePlace::InChat { depth },
            2 => NotePlace::BeforeMain,
            value => bail!("an.position is {value}; use 0, 1 or 2"),
        };
        Ok(AuthorNote {
            text: self.text.clone(),
            place,
            role: role_by_number("an.role", self.role.unwrap_or(0))?,
        })
    }
}

impl CaseWorld {
    /// The input of the prompt that SillyTavern would build: its card name instead of a nickname, its default
    /// main prompt, its reading of examples.
    pub(super) fn input(&self) -> StInput<'_> {
        StInput {
            character: &self.character,
            char_name: &self.character.name,
            user: &self.user,
            persona: &self.persona,
            chat: &self.chat,
            lore_before: &self.lore_before,
            lore_after: &self.lore_after,
            depth_entries: &self.depth_entries,
            author_note: self.author_note.as_ref(),
            names: self.names,
            examples: self.examples,
            example_rule: ExampleRule::SillyTavern,
            context_tokens: self.context_tokens,
            reply_tokens: REPLY_TOKENS,
            group: self.group.as_deref(),
            main_prompt: DEFAULT_MAIN_PROMPT,
            tokens: TokenCount::Quarters,
            moment: &self.moment,
        }
    }
}

fn role_by_number(key: &'static str, number: i64) -> anyhow::Result<Role> {
    match number {
        0 => Ok(Role::System),
        1 => Ok(Role::User),
        2 => Ok(Role::Assistant),
        value => bail!("{key} is {value}; use 0 (system), 1 (user) or 2 (assistant)"),
    }
}

fn strip_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}
