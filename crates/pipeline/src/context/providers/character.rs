//! Who the familiar is: the card's fields, each to its own place, by an explicit table.
//!
//! Creator notes and tags never reach a prompt, and post-history instructions stand behind the history, because their
//! position is what makes them work (cards-and-lore 0.5).

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

use super::{AnswerReuse, ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::{Config, LiveConfig, PromptName, ShortCard};
use crate::context::contribution::{BEFORE_EXAMPLES, Contribution, Importance, Placement, Trust};
use crate::context::ingest::chunk_dressing;
use crate::context::recall::PipelineParts;
use crate::context::request::TurnRequest;
use crate::context::variables::{CardVariables, VariableOwner};
use crate::context::warm::Lifetime;
use crate::domain::{
    Layer, Persona, Place, PlaceKind, Platform, RenderMode, ShortCardFigures, TokenEncoding,
};
use crate::familiar::{Character, short_card};
use crate::text::explicit::is_explicit;
use crate::text::names::prompt_label;
use crate::text::screen::held;
use crate::text::short::{one_line, shortened};
use crate::text::tokens;
use familiar_cards::macros::{CardFields, Expander, MacroContext, Moment, holds_variables, volatile_macros};

/// The program's own words around a card.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::context) struct HouseWords {
    axioms: Arc<str>,
    main: Arc<str>,
    obligations: Arc<str>,
    /// What holds where people of any age may read; blank elsewhere.
    open_place: Arc<str>,
}

impl HouseWords {
    /// Those in force for a familiar.
    fn of(config: &LiveConfig) -> Self {
        Self::by(|name| config.prompt(name))
    }

    /// Those built into the program.
    pub(in crate::context) fn built_in() -> Self {
        Self::by(|name| Arc::from(name.built_in()))
    }

    /// Those for one turn.
    fn here(config: &LiveConfig, place: &Place) -> Self {
        let words = Self::of(config);
        if is_open(&config.current(), place) {
            Self { open_place: config.prompt(PromptName::OpenPlace), ..words }
        } else {
            words
        }
    }

    fn by(text: impl Fn(PromptName) -> Arc<str>) -> Self {
        Self {
            axioms: text(PromptName::Axioms),
            main: text(PromptName::Main),
            obligations: text(PromptName::Obligations),
            open_place: Arc::default(),
        }
    }
}

/// Whether people of any age may read in a place.
pub fn is_open(config: &Config, place: &Place) -> bool {
    match (place.platform, place.kind) {
        // Whoever sits at the machine runs it.
        (Platform::Terminal, _) => false,
        (_, PlaceKind::Dm) => config.safety.open_alone,
        _ => !place.audience.is_age_restricted(),
    }
}

/// Whether some words are not to be said in a place, as people of any age may read them there. A list of words covers what
/// it can; the rule in the prompt is there for the rest.
pub fn is_unfit_for(config: &Config, place: &Place, words: &str) -> bool {
    config.safety.holds_back && is_open(config, place) && is_explicit(words)
}

/// Who speaks with the familiar in example dialogue where no single person is addressed: "everyone: Cold?" would teach
/// it that crowds speak in chorus.
const SOMEONE: &str = "Someone";

#[derive(Debug)]
pub(crate) struct CharacterProvider {
    parts: PipelineParts,
    variables: Arc<CardVariables>,
    /// The short card last made.
    shortened: Mutex<Option<Made>>,
}

/// A short card by the generation of the character and the way of counting; `None` where there is none to make.
type Made = (u64, TokenEncoding, Option<Arc<Shortened>>);

/// A short card and what it spares.
#[derive(Debug)]
struct Shortened {
    character: Character,
    figures: ShortCardFigures,
}

/// The most of a prompt that the whole card may take where the short one stands in by itself: a third.
const CARD_SHARE: u32 = 3;

impl CharacterProvider {
    /// Reads the live character; the addressee's stand-in comes from the configuration.
    pub(in crate::context) fn new(parts: PipelineParts, variables: Arc<CardVariables>) -> Self {
        Self { parts, variables, shortened: Mutex::default() }
    }

    /// What the short card spares this turn; `None` where the whole one is told.
    pub(crate) fn short_card_figures(&self, request: &TurnRequest) -> Option<ShortCardFigures> {
        self.short_card(request).map(|short| short.figures)
    }

    /// The short card where it stands for the whole one. Depends on nothing that changes from message to message but
    /// the slot that replies, whose model has a cache of its own.
    fn short_card(&self, request: &TurnRequest) -> Option<Arc<Shortened>> {
        let config = self.parts.config.current();
        let wanted = config.llm.slots.get(&request.plan.slot)?.prompt.short_card;
        if wanted == ShortCard::Never {
            return None;
        }
        let short = self.shortened(request.model.encoding)?;
        let cap = request.channel.figures.layers.get(&Layer::Character).copied().unwrap_or(Some(0));
        let share = request.channel.figures.budget_tokens.min(request.model.context_window) / CARD_SHARE;
        let is_too_large = short.figures.whole > cap.unwrap_or(u32::MAX).min(share);
        (wanted == ShortCard::Always || is_too_large).then_some(short)
    }

    fn shortened(&self, encoding: TokenEncoding) -> Option<Arc<Shortened>> {
        let mut shortened = self.shortened.lock();
        let whole = self.parts.character.current();
        let generation = self.parts.character.generation();
        if let Some((of, by, known)) = shortened.as_ref()
            && (*of, *by) == (generation, encoding)
        {
            return known.clone();
        }
        let size = |character: &Character| {
            [&character.description, &character.personality, &character.scenario, &character.mes_example]
                .iter()
                .fold(0_u32, |sum, text| sum.saturating_add(tokens::count(encoding, text)))
        };
        let made = short_card(&whole).map(|character| {
            let figures = ShortCardFigures {
                whole: size(&whole),
                short: size(&character),
                is_written: whole.short.as_deref().is_some_and(|text| !text.trim().is_empty()),
            };
            Arc::new(Shortened { character, figures })
        });
        *shortened = Some((generation, encoding, made.clone()));
        made
    }
}

#[async_trait]
impl ContextProvider for CharacterProvider {
    fn profile(&self) -> Profile {
        Profile::floor("character", 250)
    }

    fn kept(&self, request: &TurnRequest) -> Option<AnswerReuse> {
        let generation = self.parts.character.generation();
        let words = HouseWords::here(&self.parts.config, &request.place);
        // Long, and the same turn after turn: the key holds what they amount to.
        let house = Sha256::digest(format!("{words:?}").as_bytes());
        if !self.holds_always(&words) {
            return None;
        }
        let fallback = self.parts.config.current().render.user_fallback.clone();
        let user = addressee_of(request, &fallback);
        // `{{pick}}` differs from channel to channel and stays the same within one.
        let size = if self.short_card(request).is_some() { "short" } else { "whole" };
        let key =
            format!("{generation}\n{size}\n{house:02x?}\n{}\n{fallback}\n{user:?}", request.place.channel);
        Some(AnswerReuse { lifetime: Lifetime::Axioms, key })
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let config = self.parts.config.current();
        let user = addressee_of(request, &config.render.user_fallback);
        let mut moment = moment_of(request);
        let words = HouseWords::here(&self.parts.config, &request.place);
        if fields(&self.parts.character.current(), &words).iter().any(|field| holds_variables(&field.raw)) {
            moment.variables = self.variables.of(request, VariableOwner::Card).await;
        }
        let told = |character: &Character| {
            character_contributions(
                character,
                &words,
                &user,
                example_speaker(&user.name, &config.render.user_fallback),
                &moment,
                request.model.encoding,
            )
        };
        let Some(short) = self.short_card(request) else { return Ok(told(&self.parts.character.current())) };
        let mut told = told(&short.character);
        for piece in told.iter_mut().filter(|piece| piece.placement == Placement::Description) {
            piece.source = "character/short card".to_owned();
        }
        Ok(told)
    }
}

impl CharacterProvider {
    /// Whether what stands in front of the chat reads the same turn after turn: no clock and no die in any of it.
    pub(in crate::context) fn is_steady(&self) -> bool {
        let words = HouseWords::of(&self.parts.config);
        let is_steady = |field: &CharacterField| {
            field.placement >= Placement::Summary(0) || volatile_macros(&field.raw).is_empty()
        };
        fields(&self.parts.character.current(), &words).iter().all(is_steady)
    }

    /// Whether nothing in the character changes by itself: a clock or a die in a field has to be read anew every turn.
    fn holds_always(&self, words: &HouseWords) -> bool {
        let fields = fields(&self.parts.character.current(), words);
        fields.iter().all(|field| volatile_macros(&field.raw).is_empty())
    }
}

/// The turn's moment, for macros. What was said is not in it: a card's text stands among the operator's words, where
/// nobody else's may.
pub(in crate::context) fn moment_of(request: &TurnRequest) -> Moment {
    Moment::new(
        request.now.to_zoned(request.display_tz.clone()),
        request.turn.to_string(),
        request.place.channel.to_string(),
    )
}

/// Whom `{{user}}` means here (cards-and-lore 7.3): in private the one person, among several the stand-in, also
/// while only one of them has spoken. A name that comes and goes would change the stable block and everything behind
/// it for the provider's cache.
///
/// Whoever is alone here with the familiar may be somebody else in play. Their own words about that stand in quotation marks and
/// on one line where the card names them, and are bounded: around them are the card's, which nobody else may write.
pub fn addressee_of(request: &TurnRequest, fallback: &str) -> Addressee {
    let Some(author) = request.author.as_ref().filter(|_| request.place.is_one_to_one()) else {
        return Addressee::named(fallback.to_owned());
    };
    match request.in_play.iter().find(|one| one.account == author.account) {
        Some(played) => Addressee::played(&played.persona),
        None => Addressee::named(prompt_label(author.label())),
    }
}

/// Characters of a persona where a card names it.
const PERSONA_IN_CARD: usize = 400;

/// Whom `{{user}}` and `{{persona}}` mean.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Addressee {
    pub name: String,
    /// Who they are in play, as a quotation; empty where nothing is told of it.
    pub persona: String,
}

impl Addressee {
    /// Nobody else than they are called.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), persona: String::new() }
    }

    /// Somebody in play.
    pub fn played(persona: &Persona) -> Self {
        // Nor are there macros in it, which a card's owner writes.
        let words = one_line(&held(&persona.description)).replace(['“', '”', '"'], "'");
        let words = words.replace('{', "(").replace('}', ")");
        let words = shortened(words.trim(), PERSONA_IN_CARD);
        let persona_told = if words.is_empty() { words } else { format!("“{words}”") };
        Self { name: prompt_label(&persona.name), persona: persona_told }
    }
}

/// What a character takes of a prompt, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CharacterSizes {
    /// What stands before every character, whoever it is.
    pub program: u32,
    /// The card's fields that are never left out.
    pub pinned: u32,
    /// The scenario, which leaves after all example dialogue has.
    pub scenario: u32,
    /// Example dialogue, which leaves first, one example at a time.
    pub examples: u32,
}

/// How much room a character wants, as it is counted in a prompt. Dice and clocks in its fields are read once.
pub fn character_sizes(character: &Character, encoding: TokenEncoding) -> CharacterSizes {
    let moment =
        Moment::new(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC), String::new(), String::new());
    let (user, mut sizes) = (Addressee::named(SOMEONE), CharacterSizes::default());
    for contribution in
        character_contributions(character, &HouseWords::built_in(), &user, SOMEONE, &moment, encoding)
    {
        let around =
            chunk_dressing(&contribution, RenderMode::Layered, &mut |text| tokens::count(encoding, text));
        let share = match (contribution.layer, contribution.placement) {
            (Layer::Core, _) => &mut sizes.program,
            (Layer::Character, Placement::Scenario) => &mut sizes.scenario,
            (Layer::Character, Placement::Example(_)) => &mut sizes.examples,
            (Layer::Character, _) => &mut sizes.pinned,
            _ => continue,
        };
        *share += contribution.tokens.unwrap_or_default().saturating_add(around);
    }
    sizes
}

/// Who speaks with the familiar in its example dialogue.
pub(in crate::context) fn example_speaker<'a>(user: &'a str, fallback: &str) -> &'a str {
    if user == fallback { SOMEONE } else { user }
}

struct CharacterField {
    source: &'static str,
    raw: String,
    placement: Placement,
    importance: Importance,
    layer: Layer,
    original: Option<Arc<str>>,
}

/// The table: which field stands where, and how hard it holds on.
fn fields(character: &Character, words: &HouseWords) -> Vec<CharacterField> {
    let card = |source, raw: &str, placement, importance| CharacterField {
        source,
        raw: raw.to_owned(),
        placement,
        importance,
        layer: Layer::Character,
        original: None,
    };
    let axiom = |source, raw: &str| CharacterField {
        layer: Layer::Core,
        ..card(source, raw, Placement::Axioms, Importance::Axiom)
    };
    let main =
        if character.system_prompt.trim().is_empty() { &*words.main } else { &character.system_prompt };
    let obligations = if character.post_history_instructions.trim().is_empty() {
        &*words.obligations
    } else {
        &character.post_history_instructions
    };
    let mut fields = vec![
        axiom("program/axioms", &words.axioms),
        axiom("program/open_place", &words.open_place),
        CharacterField {
            original: Some(Arc::clone(&words.main)),
            ..card("character/system_prompt", main, Placement::Main, Importance::Axiom)
        },
        card("character/description", &character.description, Placement::Description, Importance::Axiom),
        card("character/personality", &character.personality, Placement::Personality, Importance::Axiom),
        card("character/scenario", &character.scenario, Placement::Scenario, Importance::High),
        CharacterField {
            original: Some(Arc::clone(&words.obligations)),
            ..card(
                "character/post_history_instructions",
                obligations,
                Placement::Obligations,
                Importance::Axiom,
            )
        },
    ];
    if let Some(note) = &character.depth_prompt {
        fields.push(CharacterField {
            layer: Layer::DepthInject,
            ..card(
                "character/depth_prompt",
                &note.prompt,
                Placement::Depth { depth: note.depth, role: note.role },
                Importance::High,
            )
        });
    }
    for (index, block) in (BEFORE_EXAMPLES + 1..).zip(example_blocks(&character.mes_example)) {
        fields.push(card("character/mes_example", block, Placement::Example(index), Importance::Useful));
    }
    fields
}

/// The card's fields as contributions: macros filled in for `user` (in example dialogue for `example_user`, who speaks
/// there), tokens counted by `encoding`.
pub(in crate::context) fn character_contributions(
    character: &Character,
    words: &HouseWords,
    user: &Addressee,
    example_user: &str,
    moment: &Moment,
    encoding: TokenEncoding,
) -> Vec<Contribution> {
    let in_example = Addressee { name: example_user.to_owned(), persona: user.persona.clone() };
    fields(character, words)
        .into_iter()
        .filter(|field| !field.raw.trim().is_empty())
        .map(|field| {
            let addressee = match field.placement {
                Placement::Example(_) => &in_example,
                _ => user,
            };
            let text = expand(character, addressee, moment, &field.raw, field.original.as_deref());
            let trust = if field.layer == Layer::Core { Trust::Program } else { Trust::Canon };
            Contribution {
                importance: field.importance,
                tokens: Some(tokens::count(encoding, &text)),
                ..Contribution::anywhere(field.source, field.layer, field.placement, trust, text)
            }
        })
        .collect()
}

fn expand(
    character: &Character,
    user: &Addressee,
    moment: &Moment,
    raw: &str,
    original: Option<&str>,
) -> String {
    let context = MacroContext {
        char_name: character.spoken_name(),
        user: &user.name,
        group: character.spoken_name(),
        card: CardFields { persona: &user.persona, ..CardFields::from(character) },
        moment,
    };
    let expander = Expander::new(&context);
    match original {
        // What is overridden has macros of its own, which are no part of the card's text.
        Some(original) => expander.expand_override(raw, &expander.expand(original.trim())),
        None => expander.expand(raw),
    }
}

/// A text of the card with its macros filled in, outside a turn: greetings.
pub fn character_macros(character: &Character, user: &Addressee, moment: &Moment, raw: &str) -> String {
    expand(character, user, moment, raw, None)
}

/// Example dialogue by `<START>` blocks, so that whole examples leave, one at a time.
fn example_blocks(examples: &str) -> Vec<&str> {
    const START: &str = "<START>";
    let mut blocks = Vec::new();
    let mut rest = examples;
    while let Some(at) = find_ignoring_ascii_case(rest, START) {
        blocks.push(&rest[..at]);
        rest = &rest[at + START.len()..];
    }
    blocks.push(rest);
    blocks.retain(|block| !block.trim().is_empty());
    blocks
}

fn find_ignoring_ascii_case(text: &str, wanted: &str) -> Option<usize> {
    text.as_bytes().windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_blocks_split_on_start_in_any_case() {
        assert_eq!(example_blocks("<START>\na\n<start>\nb"), ["\na\n", "\nb"]);
        assert_eq!(example_blocks("no marker"), ["no marker"]);
        assert!(example_blocks("  \n").is_empty());
    }

    #[test]
    fn a_characters_size_is_told_by_what_leaves_when() {
        let character = Character {
            name: "Bob".to_owned(),
            scenario: "A quiet harbour at dusk.".to_owned(),
            mes_example: "<START>\n{{char}}: hello\n<START>\n{{char}}: goodbye".to_owned(),
            ..Character::default()
        };
        let bare = Character { name: "Bob".to_owned(), ..Character::default() };
        let (full, bare) = (
            character_sizes(&character, TokenEncoding::Estimate),
            character_sizes(&bare, TokenEncoding::Estimate),
        );
        assert_eq!((full.program, full.pinned), (bare.program, bare.pinned));
        assert!(full.program > 0 && full.pinned > 0 && full.scenario > 0 && full.examples > 0, "{full:?}");
        assert_eq!((bare.scenario, bare.examples), (0, 0));
    }

    #[test]
    fn what_a_card_puts_around_the_original_has_its_names_filled_in_too() {
        let character = Character { name: "Bruno".to_owned(), ..Character::default() };
        let now = "2026-03-01T20:00:00[UTC]".parse().unwrap();
        let moment = Moment::new(now, "1".to_owned(), "1".to_owned());
        let filled = expand(
            &character,
            &Addressee::named("Mira"),
            &moment,
            "{{original}} Be {{char}}.",
            Some("Write {{char}}'s next reply to {{user}}."),
        );
        assert_eq!(filled, "Write Bruno's next reply to Mira. Be Bruno.");
    }

    #[test]
    fn creator_notes_have_no_place_and_obligations_stand_last() {
        let character = Character {
            name: "Bob".to_owned(),
            description: "d".to_owned(),
            post_history_instructions: "p".to_owned(),
            ..Character::default()
        };
        let table = fields(&character, &HouseWords::built_in());
        let last = table.iter().max_by(|a, b| a.placement.cmp(&b.placement)).unwrap();
        assert_eq!(last.source, "character/post_history_instructions");
        assert!(table.iter().all(|field| !field.source.contains("creator")));
    }
}
