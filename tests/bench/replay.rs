//! Real chats replayed by the rules of memory 3.3: how much of each prompt begins with the last one, byte for
//! byte, and how much a provider has to read anew. The real session opens every turn and its pipeline makes the prompt,
//! with everything it finds for it; the chats are read from `FAMILIAR_SHARED_FIXTURES`, else made up.
//!
//! The rules: a card of 1,500 tokens, an answer to every fourth message, whole messages compared, a common beginning
//! below 1,024 tokens counted as nothing. A prompt that saves tokens by forgetting would be no gain, so at the end of
//! each chat its questions are asked, and it is counted how much of what answers them is in the prompt.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use familiar_connect::context::Prompt;
use familiar_connect::domain::{
    AccountId, Author, ChannelMode, ChatMessage, MessageId, StoredId, StoredTurn, TokenEncoding, TurnId,
};
use familiar_connect::history::{HistoryOptions, NewTurn};
use familiar_connect::text::tokens;
use jiff::Timestamp;
use tokio::runtime::Runtime;

use crate::corpus::{self, Shortener};
use crate::stage::{Stage, is_late};
use crate::table::Table;

const CARD_TOKENS: usize = 1_500;
const EVERY: usize = 4;
/// Of a chat's questions every so many-th is asked.
const QUESTIONS_STEP: usize = 3;
const CACHE_MINIMUM: u32 = 1_024;
const ENCODING: TokenEncoding = TokenEncoding::O200k;

/// What the replay of whole chats has to come to in a mode.
struct Wanted {
    mode: ChannelMode,
    /// The least share of the evidence that is in the prompts.
    evidence: f64,
    /// The least share of the prompts' tokens that begin as the prompt before.
    stable: f64,
    /// The most tokens that a provider reads anew for a reply, on average.
    uncached: f64,
}

/// The modes that chats are replayed in.
const MODES: [Wanted; 2] = [
    Wanted { mode: ChannelMode::FullRp, evidence: 0.89, stable: 0.91, uncached: 400.0 },
    Wanted { mode: ChannelMode::TextConversationRp, evidence: 0.83, stable: 0.865, uncached: 540.0 },
];

/// One message of a chat.
struct Line {
    speaker: String,
    text: String,
    at: Timestamp,
}

/// A question about a chat, and the lines that answer it.
struct Question {
    text: String,
    at: Timestamp,
    evidence: Vec<String>,
}

/// A chat and what is asked about it.
struct Chat {
    lines: Vec<Line>,
    questions: Vec<Question>,
}

/// What a replay came to.
#[derive(Default)]
struct Sums {
    replies: u32,
    tokens: u64,
    stable: u64,
    tail: u64,
    cuts: u32,
    /// Providers that were left out because they were too slow.
    late: usize,
    questions: u32,
    evidence: f64,
    found: u64,
}

/// Replays every chat in both written modes.
pub fn figures(runtime: &Runtime, messages_max: usize) -> Table {
    let (name, chats) = chats();
    let mut table = Table::new(
        &format!(
            "Replayed chats, {name}: an answer to every {EVERY}th message, a card of {CARD_TOKENS} tokens"
        ),
        &[
            "mode",
            "replies",
            "mean prompt",
            "stable share",
            "uncached a reply",
            "of it tail",
            "cuts",
            "evidence",
            "tail of an answer",
            "late",
        ],
    );
    // Of a made up chat nothing is asked, and the beginning of one holds little of what answers its questions.
    let are_whole = chats.iter().all(|chat| !chat.questions.is_empty() && chat.lines.len() <= messages_max);
    for wanted in MODES {
        let mode = wanted.mode;
        let mut sums = Sums::default();
        for chat in &chats {
            runtime.block_on(replay(chat, messages_max, mode, &mut sums));
        }
        if are_whole {
            sums.assert_at_least(&wanted);
        }
        let each = |sum: u64| format!("{:.0}", sum as f64 / f64::from(sums.replies.max(1)));
        table.row(&[
            mode.to_string(),
            sums.replies.to_string(),
            each(sums.tokens),
            format!("{:.3}", sums.stable_share()),
            each(sums.tokens - sums.stable),
            each(sums.tail),
            sums.cuts.to_string(),
            format!("{:.3}", sums.evidence_share()),
            format!("{:.0}", sums.found as f64 / f64::from(sums.questions.max(1))),
            sums.late.to_string(),
        ]);
    }
    table.note("aim (memory 5): stable share at least 0.92, at most 450 uncached tokens a reply".to_owned());
    table
}

async fn replay(chat: &Chat, messages_max: usize, mode: ChannelMode, sums: &mut Sums) {
    let Some(begin) = chat.lines.first().map(|line| line.at) else { return };
    let folder = Stage::installed(&format!("default_mode = \"{mode}\"\n"), &card());
    let models = Arc::new(Shortener { encoding: ENCODING });
    let stage = Stage::over(folder, begin, models, HistoryOptions::new([ENCODING])).await;
    let mut talk: Vec<StoredTurn> = Vec::new();
    let mut waiting = 0;
    let mut last: Option<Vec<ChatMessage>> = None;
    for (number, line) in (1_u64..).zip(chat.lines.iter().take(messages_max)) {
        talk.push(stage.history.append(said(number, line, mode)).await.unwrap());
        waiting += 1;
        goes_on_to(&stage, line.at);
        if waiting < EVERY {
            continue;
        }
        let prompt = prompt(&stage, TurnId(number), &talk, waiting).await;
        waiting = 0;
        sums.late += late(&prompt);
        let messages = prompt.messages().to_vec();
        if let Some(last) = &last {
            sums.add(last, &messages);
        }
        last = Some(messages);
        stage.workers.wake(&corpus::place());
        stage.workers.idle().await;
    }
    stage.workers.stop().await;
    let Some(newest) = talk.last().cloned() else { return };
    for question in chat.questions.iter().step_by(QUESTIONS_STEP) {
        // Asked behind the last line, and not stored: no question sees another.
        let asked = StoredTurn {
            id: StoredId(newest.id.0 + 1),
            ordinal: newest.ordinal + 1,
            content: question.text.clone(),
            at: question.at,
            ..newest.clone()
        };
        goes_on_to(&stage, question.at);
        talk.push(asked);
        let prompt = prompt(&stage, TurnId(newest.ordinal + 1), &talk, 1).await;
        talk.pop();
        sums.late += late(&prompt);
        sums.asked(&question.evidence, prompt.messages());
    }
}

/// It is this time on the stage, where it is not later.
fn goes_on_to(stage: &Stage, at: Timestamp) {
    stage.clock.advance(at.duration_since(stage.clock_now()).try_into().unwrap_or_default());
}

/// The prompt that answers the last `waiting` of what was said, as the session opens the turn.
async fn prompt(stage: &Stage, turn: TurnId, talk: &[StoredTurn], waiting: usize) -> Prompt {
    let request = stage.session.request_for(turn, &corpus::place(), talk, waiting).unwrap();
    stage.session.pipeline().assemble(&request, None).await.unwrap()
}

impl Sums {
    fn add(&mut self, last: &[ChatMessage], now: &[ChatMessage]) {
        let same = |(a, b): &(&ChatMessage, &ChatMessage)| a.role == b.role && a.content == b.content;
        let common = last.iter().zip(now).take_while(same).count();
        let stable: u32 = now[..common].iter().map(size).sum();
        self.replies += 1;
        self.tokens += now.iter().map(|message| u64::from(size(message))).sum::<u64>();
        self.stable += if stable < CACHE_MINIMUM { 0 } else { u64::from(stable) };
        self.tail += tail(now);
        self.cuts += u32::from(common <= 1);
    }

    fn asked(&mut self, evidence: &[String], messages: &[ChatMessage]) {
        let is_there =
            |text: &&String| messages.iter().any(|message| message.content.contains(text.as_str()));
        self.questions += 1;
        self.evidence += evidence.iter().filter(is_there).count() as f64 / evidence.len().max(1) as f64;
        self.found += tail(messages);
    }

    fn evidence_share(&self) -> f64 {
        self.evidence / f64::from(self.questions.max(1))
    }

    fn stable_share(&self) -> f64 {
        self.stable as f64 / self.tokens.max(1) as f64
    }

    fn assert_at_least(&self, wanted: &Wanted) {
        let Wanted { mode, evidence: evidence_min, stable: stable_min, uncached: uncached_max } = wanted;
        let (evidence, stable) = (self.evidence_share(), self.stable_share());
        let uncached = (self.tokens - self.stable) as f64 / f64::from(self.replies.max(1));
        // Who was late left out what they would have found: then a slow machine may be why.
        let run = format!("{mode}, {} times a provider was late", self.late);
        assert!(evidence >= *evidence_min, "{run}: less of the evidence is in the prompts: {evidence:.3}");
        assert!(stable >= *stable_min, "{run}: less of the prompts begins as the one before: {stable:.3}");
        assert!(uncached <= *uncached_max, "{run}: more is read anew for a reply: {uncached:.0} tokens");
    }
}

/// Where the machine is too busy, providers are late and leave out what they would have found: such figures say little.
fn late(prompt: &Prompt) -> usize {
    prompt.figures().providers.iter().filter(|outcome| is_late(outcome)).count()
}

/// The tokens behind the newest message that is marked for caching.
fn tail(messages: &[ChatMessage]) -> u64 {
    let newest = messages.iter().rposition(|message| message.cache_breakpoint).unwrap_or(0);
    messages[newest + 1..].iter().map(|message| u64::from(size(message))).sum()
}

fn size(message: &ChatMessage) -> u32 {
    tokens::count(ENCODING, &message.content) + 4
}

fn said(number: u64, line: &Line, mode: ChannelMode) -> NewTurn {
    let account = 100 + line.speaker.bytes().map(u64::from).sum::<u64>();
    NewTurn {
        messages: vec![MessageId::from(number)],
        ..NewTurn::written(
            corpus::place(),
            Some(Author {
                username: Some(line.speaker.to_lowercase()),
                ..Author::called(AccountId::discord(account), line.speaker.clone())
            }),
            line.text.clone(),
            line.at,
            mode,
        )
    }
}

/// A character whose description takes as many tokens as the rules ask for.
fn card() -> String {
    const WORDS: [&str; 10] =
        ["calm", "curious", "fox", "tea", "dry", "humour", "asks", "follows", "likes", "never"];
    let mut description = String::new();
    let mut word = 7_usize;
    while tokens::count(ENCODING, &description) < u32::try_from(CARD_TOKENS).unwrap() {
        for _ in 0..20 {
            word = (word * 31 + 11) % 997;
            description.push_str(WORDS[word % WORDS.len()]);
            description.push(' ');
        }
    }
    let card = serde_json::json!({
        "spec": "chara_card_v2", "spec_version": "2.0",
        "data": { "name": "Mika", "description": description },
    });
    card.to_string()
}

/// The chats of the fixtures, else one made up of the other benches' lines.
fn chats() -> (String, Vec<Chat>) {
    let folder = std::env::var_os("FAMILIAR_SHARED_FIXTURES").map(PathBuf::from);
    let files = folder.map(|folder| folder.join("locomo/convs")).and_then(|folder| fs::read_dir(folder).ok());
    let mut files: Vec<PathBuf> = files.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    if files.is_empty() {
        println!(
            "replay: no chats (FAMILIAR_SHARED_FIXTURES names the folder that holds locomo/convs); one is made up"
        );
        let lines = (1..=600).map(|number: u64| Line {
            speaker: corpus::PEOPLE[usize::try_from(number % 2).unwrap()].to_owned(),
            text: corpus::LINES[usize::try_from(number * 7 % 12).unwrap()].to_owned(),
            at: corpus::said_at(number),
        });
        return ("made up".to_owned(), vec![Chat { lines: lines.collect(), questions: Vec::new() }]);
    }
    (format!("{} of LoCoMo", files.len()), files.iter().map(|file| read(file)).collect())
}

fn read(file: &Path) -> Chat {
    let rows: Vec<_> = rows_of(file).collect();
    let lines: Vec<Line> = rows
        .iter()
        .map(|row| Line { speaker: word(row, "speaker"), text: word(row, "text"), at: time(row, "ts") })
        .collect();
    let by_id: HashMap<String, &Line> = rows.iter().map(|row| word(row, "id")).zip(&lines).collect();
    let folder = file.parent().and_then(Path::parent).unwrap();
    let gold: HashMap<String, serde_json::Value> =
        rows_of(&folder.join("gold.jsonl")).map(|row| (word(&row, "qid"), row)).collect();
    let of_this_chat = |row: &serde_json::Value| row["conv"] == rows[0]["conv"];
    let questions = rows_of(&folder.join("queries.jsonl")).filter(of_this_chat).filter_map(|row| {
        let gold = gold.get(&word(&row, "qid")).filter(|gold| gold["category"] != "adversarial")?;
        let evidence = gold["evidence"].as_array()?.iter().filter_map(|id| by_id.get(id.as_str()?));
        let evidence: Vec<String> = evidence.map(|line| line.text.trim().to_owned()).collect();
        Some(Question { text: word(&row, "query"), at: time(&row, "asked_at"), evidence })
    });
    let questions = questions.filter(|question| !question.evidence.is_empty()).collect();
    Chat { lines, questions }
}

fn rows_of(file: &Path) -> std::vec::IntoIter<serde_json::Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<_>>().into_iter()
}

fn word(row: &serde_json::Value, key: &str) -> String {
    row[key].as_str().unwrap().to_owned()
}

fn time(row: &serde_json::Value, key: &str) -> Timestamp {
    format!("{}Z", word(row, key)).parse().unwrap()
}
