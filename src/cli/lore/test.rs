//! `familiar lore test`: which entries a chat calls up, and why, so that anyone can compare it with SillyTavern.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use console::style;
use serde::Serialize;
use serde_json::{Value, json};

use super::chat::{self, ChatLine};
use super::scan::{BUDGET_PERCENT, CONTEXT_TOKENS, REPLY_TOKENS, ScanTurn, books_in, budget};
use crate::cli::Switch;
use crate::cli::report::{finish, without_control};
use crate::clock::{Clock as _, SystemClock};
use crate::domain::{LoreEffect, LoreWhy, TokenEncoding};
use crate::familiar::{
    BookFormat, Character, EntryOutcome, Fallback, FiredEntry, LoreMode, LoreScan, LoreSettings, Refusal,
    RefusalKind, Shelved, WordBoundary, lore_library,
};
use crate::text::short::counted;
use familiar_cards::macros::{Moment, Variables};

/// What `familiar lore test` takes. What an entry or its book says for itself comes before the general settings; what
/// is given here comes before the book.
#[derive(Debug, Args)]
pub(super) struct TestArguments {
    /// A lorebook file of any format, a card with a book in it, or the folder of a familiar or of one of its books. The
    /// first is the character's own.
    #[arg(value_name = "BOOK", required = true)]
    books: Vec<PathBuf>,
    /// The chat, oldest first, a line a message: "Name: text", the same as a JSON string, or {"name", "mes"}.
    #[arg(long, value_name = "CHAT.jsonl")]
    chat: PathBuf,
    /// Messages that are read for keys [default: 2]
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Whether entries may call up others [default: on]
    #[arg(long, value_name = "on|off")]
    recursive: Option<Switch>,
    /// Whether a key of one word has to stand alone
    #[arg(long, value_name = "on|off", default_value = "on")]
    whole_words: Switch,
    /// Whether upper and lower case differ
    #[arg(long, value_name = "on|off", default_value = "off")]
    case_sensitive: Switch,
    /// Where a word ends
    #[arg(long, value_enum, default_value_t = TestBoundary::St)]
    word_boundary: TestBoundary,
    /// The context size in tokens; the budget is a quarter of it, less the reply [default: 4095]
    #[arg(long, value_name = "N")]
    context: Option<u32>,
    /// What of the context is kept for the reply, in tokens
    #[arg(long, value_name = "N", default_value_t = REPLY_TOKENS)]
    reply: u32,
    /// The budget, in percent of the context less the reply
    #[arg(long, value_name = "P", default_value_t = BUDGET_PERCENT)]
    budget_percent: u32,
    /// The most the budget may be, in tokens; 0 is no cap
    #[arg(long, value_name = "N", default_value_t = 0)]
    budget_cap: u32,
    /// How tokens are counted
    #[arg(long, value_enum, default_value_t = TokenMethod::Chars4)]
    tokens: TokenMethod,
    /// Passes at most; 0 is no limit
    #[arg(long, value_name = "N", default_value_t = 0)]
    max_recursion: u32,
    /// Read further back until so many entries are called up
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_activations: u32,
    /// Whether groups go by the number of keys found
    #[arg(long, value_name = "on|off", default_value = "off")]
    group_scoring: Switch,
    /// By keys, by search, or both
    #[arg(long, value_enum, default_value_t = TestMode::Keywords)]
    mode: TestMode,
    /// What a search may add, in entries
    #[arg(long, value_name = "N", default_value_t = 3)]
    hybrid_extra: u32,
    /// What becomes of an entry that does not fit: left out, or shortened to its first paragraph or sentence
    #[arg(long, value_enum, default_value_t = Short::No)]
    shorten: Short,
    /// The kind of turn, for entries that are only for some
    #[arg(long, value_name = "KIND", default_value = "normal")]
    trigger: String,
    /// The character's name, for {{char}} [default: the card's, else "Assistant"]
    #[arg(long = "char", value_name = "NAME")]
    character: Option<String>,
    /// The person's name, for {{user}} [default: whoever spoke last and is not the character, else "User"]
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// What is known of the person, for {{persona}} and entries that read it
    #[arg(long, value_name = "TEXT", default_value = "")]
    persona: String,
    /// Play the chat message by message and show the last turn: what is sticky, rests or waits carries over
    #[arg(long)]
    turns: bool,
    /// Names the turn: the same seed draws the same again
    #[arg(long, value_name = "TEXT", default_value = "1")]
    seed: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestBoundary {
    St,
    Unicode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TestMode {
    Keywords,
    Hybrid,
    Retrieval,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Short {
    Yes,
    No,
}

/// How tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum TokenMethod {
    /// A quarter of the characters, rounded up: for comparing without a tokeniser.
    Chars4,
    Cl100k,
    O200k,
}

/// Prints what the chat calls up. Exit code 2 when a file is refused.
pub(super) fn run_lore_test(arguments: &TestArguments) -> ExitCode {
    finish("lore test", arguments.json, test(arguments), Tested::lines)
}

/// Everything that was found.
struct Tested<'a> {
    arguments: &'a TestArguments,
    scan: LoreScan,
    settings: LoreSettings,
    context: u32,
    books: Vec<(String, BookFormat, usize)>,
    warnings: Vec<String>,
    messages: usize,
    character: String,
    user: String,
}

fn test(arguments: &TestArguments) -> Result<Tested<'_>, Refusal> {
    let mut warnings = Vec::new();
    let mut card = None;
    let mut shelved = Vec::new();
    for (index, path) in arguments.books.iter().enumerate() {
        let (books, of_card) = books_in(path, &mut warnings)?;
        card = card.or(of_card);
        for Shelved { mut name, mut book, is_characters } in books {
            // What is asked for here comes before what the book says.
            book.scan_depth = book.scan_depth.filter(|_| arguments.depth.is_none());
            book.recursive_scanning = book.recursive_scanning.filter(|_| arguments.recursive.is_none());
            book.token_budget = book.token_budget.filter(|_| arguments.context.is_none());
            if shelved.iter().any(|other: &Shelved| other.name == name) {
                name = format!("{name} ({})", shelved.len() + 1);
            }
            shelved.push(Shelved { name, book, is_characters: is_characters && index == 0 });
        }
    }
    let bytes = fs::read(&arguments.chat).map_err(|error| {
        Refusal::new(RefusalKind::Io, format!("cannot read {}: {error}", arguments.chat.display()))
    })?;
    let mut said = chat::read_chat(&bytes);
    said.reverse();
    let card = card.unwrap_or_default();
    let character = arguments.character.clone().unwrap_or_else(|| {
        Some(card.spoken_name()).filter(|name| !name.is_empty()).unwrap_or("Assistant").to_owned()
    });
    let user = arguments.user.clone().unwrap_or_else(|| last_person(&said, &character));
    let settings = test_settings(arguments);
    let context = arguments.context.unwrap_or(CONTEXT_TOKENS);
    let scan = scan(arguments, &shelved, &said, &settings, &card, &character, &user);
    Ok(Tested {
        arguments,
        scan,
        settings,
        context,
        books: shelved.into_iter().map(|s| (s.name, s.book.format, s.book.entries.len())).collect(),
        warnings,
        messages: said.len(),
        character,
        user,
    })
}

fn last_person(said: &[ChatLine], character: &str) -> String {
    let person = said
        .iter()
        .find(|said| !said.line.speaker.is_empty() && said.is_user.unwrap_or(said.line.speaker != character));
    person.map_or_else(|| "User".to_owned(), |said| said.line.speaker.clone())
}

fn test_settings(arguments: &TestArguments) -> LoreSettings {
    LoreSettings {
        mode: match arguments.mode {
            TestMode::Keywords => LoreMode::Keywords,
            TestMode::Hybrid => LoreMode::Hybrid,
            TestMode::Retrieval => LoreMode::Retrieval,
        },
        depth: arguments.depth.unwrap_or(2),
        recursive: arguments.recursive != Some(Switch::Off),
        max_recursion_steps: arguments.max_recursion,
        min_activations: arguments.min_activations,
        whole_words: arguments.whole_words == Switch::On,
        boundary: match arguments.word_boundary {
            TestBoundary::St => WordBoundary::St,
            TestBoundary::Unicode => WordBoundary::Unicode,
        },
        case_sensitive: arguments.case_sensitive == Switch::On,
        group_scoring: arguments.group_scoring == Switch::On,
        search: arguments.hybrid_extra,
        fallback: if arguments.shorten == Short::Yes { Fallback::Levels } else { Fallback::None },
        constants_first: false,
    }
}

fn scan(
    arguments: &TestArguments,
    books: &[Shelved],
    said: &[ChatLine],
    settings: &LoreSettings,
    card: &Character,
    character: &str,
    user: &str,
) -> LoreScan {
    let library = lore_library(books);
    let variables: Arc<Variables> = Arc::default();
    let context = arguments.context.unwrap_or(CONTEXT_TOKENS);
    let turn = |said: &[ChatLine], effects: &[LoreEffect]| {
        let last = |of: Option<&str>| {
            let line = said.iter().find(|said| of.is_none_or(|of| said.line.speaker == of));
            line.map(|said| said.line.line.clone()).unwrap_or_default()
        };
        let now = SystemClock.now().to_zoned(jiff::tz::TimeZone::UTC);
        let moment = Moment {
            last_message: last(None),
            last_user_message: last(Some(user)),
            last_char_message: last(Some(character)),
            variables: Arc::clone(&variables),
            ..Moment::new(now, arguments.seed.clone(), String::new())
        };
        let turn = ScanTurn {
            card,
            character,
            user,
            group: character,
            persona: &arguments.persona,
            trigger: &arguments.trigger,
            budget: budget(context, arguments.reply, arguments.budget_percent, arguments.budget_cap),
            encoding: match arguments.tokens {
                TokenMethod::Chars4 => TokenEncoding::CharsOver4,
                TokenMethod::Cl100k => TokenEncoding::Cl100k,
                TokenMethod::O200k => TokenEncoding::O200k,
            },
            moment: &moment,
        };
        turn.scan(&library, settings, said, effects)
    };
    let mut effects = Vec::new();
    if arguments.turns {
        for unread in (1..said.len()).rev() {
            effects = turn(&said[unread..], &effects).effects;
        }
    }
    turn(said, &effects)
}

impl Serialize for Tested<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

impl Tested<'_> {
    fn json(&self) -> Value {
        let Self { arguments, scan, settings, context, books, warnings, messages, character, user } = self;
        let activated: Vec<Value> = scan.activated.iter().map(|at| uid(&scan.fired[*at].source_id)).collect();
        json!({
            "fired": scan.fired.iter().map(fired_json).collect::<Vec<_>>(),
            "activated_order": activated,
            "not_fired": scan.not_fired.iter().map(verdict_json).collect::<Vec<_>>(),
            "budget": scan.budget,
            "scan": {
                "mode": settings.mode.as_str(),
                "depth": settings.depth,
                "recursive": settings.recursive,
                "max_recursion_steps": settings.max_recursion_steps,
                "min_activations": settings.min_activations,
                "whole_words": settings.whole_words,
                "word_boundary": settings.boundary.as_str(),
                "case_sensitive": settings.case_sensitive,
                "group_scoring": settings.group_scoring,
                "hybrid_extra": settings.search,
                "shorten": settings.fallback == Fallback::Levels,
                "context": context,
                "reply": arguments.reply,
                "tokens": arguments.tokens,
                "seed": arguments.seed,
                "trigger": arguments.trigger,
                "char": character,
                "user": user,
                "messages": messages,
                "passes": scan.passes,
                "books": books
                    .iter()
                    .map(|(name, format, entries)| json!({ "name": name, "format": format, "entries": entries }))
                    .collect::<Vec<_>>(),
            },
            "notes": scan.notes.iter().chain(warnings).collect::<Vec<_>>(),
        })
    }

    fn lines(&self) -> Vec<String> {
        let Self { scan, warnings, messages, settings, .. } = self;
        let mut lines = vec![format!(
            "{} of {} fire; {}, {} read; {} of {} tokens{}",
            scan.fired.len(),
            counted((scan.fired.len() + scan.not_fired.len()) as u64, "entry"),
            counted(*messages as u64, "message"),
            (settings.depth as usize).min(*messages),
            scan.budget.used,
            scan.budget.limit,
            if scan.budget.overflowed { ", not all fitted" } else { "" },
        )];
        if !scan.fired.is_empty() {
            lines.push(String::new());
            lines.push(style("Fired, in the order they stand").bold().to_string());
            lines.extend(scan.fired.iter().map(fired_line));
        }
        if !scan.not_fired.is_empty() {
            lines.push(String::new());
            lines.push(style("Not fired").bold().to_string());
            lines.extend(scan.not_fired.iter().map(verdict_line));
        }
        let notes = scan.notes.iter().chain(warnings);
        lines.extend(notes.map(|note| format!("note: {}", without_control(note))));
        lines
    }
}

/// A numeric id as a number, as books write it.
fn uid(source_id: &str) -> Value {
    source_id.parse::<i64>().map_or_else(|_| json!(source_id), |number| json!(number))
}

fn fired_json(entry: &FiredEntry) -> Value {
    json!({
        "uid": uid(&entry.source_id),
        "name": entry.name,
        "book": entry.book,
        "position": entry.position.as_str(),
        "depth": entry.depth,
        "role": entry.role,
        "order": entry.order,
        "outlet": entry.outlet,
        "tokens": entry.tokens,
        "level": entry.level,
        "why": why_json(&entry.why),
        "content": entry.content,
    })
}

fn verdict_json(verdict: &EntryOutcome) -> Value {
    json!({
        "uid": uid(&verdict.source_id),
        "name": verdict.name,
        "book": verdict.book,
        "why": why_json(&verdict.why),
    })
}

/// The reason as a program reads it, and in words.
fn why_json(why: &LoreWhy) -> Value {
    let mut value = serde_json::to_value(why).unwrap_or_default();
    if let Value::Object(map) = &mut value {
        map.insert("words".to_owned(), json!(why.to_string()));
    }
    value
}

fn fired_line(entry: &FiredEntry) -> String {
    let place = match entry.position {
        crate::familiar::LorePosition::AtDepth => {
            format!("at depth {} as {}", entry.depth, entry.role.as_str())
        }
        other => other.as_str().replace('_', " "),
    };
    format!(
        "  {} {} {}",
        style(format!("{:>6}", entry.order)).dim(),
        style(without_control(&entry.name)).green(),
        style(format!("({place}, {} tokens): {}", entry.tokens, without_control(&entry.why.to_string())))
            .dim(),
    )
}

fn verdict_line(verdict: &EntryOutcome) -> String {
    let name = without_control(&verdict.name);
    format!("  {name}: {}", style(without_control(&verdict.why.to_string())).dim())
}
