//! Real chats replayed by the rules of specs memory 3.3: how much of each prompt begins with the last one, byte for
//! byte, and how much a provider has to read anew. The program's own pipeline makes every prompt, with everything it
//! finds for it; the chats are read from `FAMILIAR_SHARED_FIXTURES`, else made up.
//!
//! The rules: a card of 1,500 tokens, an answer to every fourth message, whole messages compared, a common beginning
//! below 1,024 tokens counted as nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig};
use familiar_connect::context::{
    Called, ContextPipeline, Heard, Means, PipelineParts, TurnRequest, classify, facets, plan_for,
};
use familiar_connect::domain::{
    AccountId, Author, ChannelMode, ChatMessage, FamiliarId, MessageId, Modality, Role, StoredTurn,
    TokenEncoding, TurnId,
};
use familiar_connect::familiar::{Existing, InitRequest, LiveCharacter, Writing, init};
use familiar_connect::history::{History, HistoryOptions, NewTurn};
use familiar_connect::llm::ModelDescription;
use familiar_connect::memory::Memory;
use familiar_connect::text::tokens;
use jiff::Timestamp;
use tokio::runtime::Runtime;

use crate::corpus;
use crate::table::Table;

const CARD_TOKENS: usize = 1_500;
const EVERY: usize = 4;
const CACHE_MINIMUM: u32 = 1_024;
const ENCODING: TokenEncoding = TokenEncoding::O200k;

/// One message of a chat.
struct Line {
    speaker: String,
    text: String,
    at: Timestamp,
}

/// What a replay came to.
#[derive(Default)]
struct Sums {
    replies: u32,
    tokens: u64,
    stable: u64,
    tail: u64,
    cuts: u32,
}

/// Replays every chat in both written modes.
pub fn figures(runtime: &Runtime, messages_max: usize) -> Table {
    let (name, chats) = chats();
    let mut table = Table::new(
        &format!(
            "Replayed chats, {name}: an answer to every {EVERY}th message, a card of {CARD_TOKENS} tokens"
        ),
        &["mode", "replies", "mean prompt", "stable share", "uncached a reply", "of it tail", "cuts"],
    );
    for mode in [ChannelMode::FullRp, ChannelMode::TextConversationRp] {
        let mut sums = Sums::default();
        for chat in &chats {
            let chat = &chat[..chat.len().min(messages_max)];
            runtime.block_on(replay(chat, mode, &mut sums));
        }
        let each = |sum: u64| format!("{:.0}", sum as f64 / f64::from(sums.replies.max(1)));
        table.row(&[
            mode.to_string(),
            sums.replies.to_string(),
            each(sums.tokens),
            format!("{:.3}", sums.stable as f64 / sums.tokens.max(1) as f64),
            each(sums.tokens - sums.stable),
            each(sums.tail),
            sums.cuts.to_string(),
        ]);
    }
    table.note(
        "aim (specs memory 5): stable share at least 0.92, at most 450 uncached tokens a reply".to_owned(),
    );
    table
}

async fn replay(chat: &[Line], mode: ChannelMode, sums: &mut Sums) {
    let folder = tempfile::tempdir().unwrap();
    let home = familiar(folder.path());
    fs::write(home.character_toml(), format!("default_mode = \"{mode}\"\n")).unwrap();
    let config = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
    let character = Arc::new(LiveCharacter::load(home.clone()).unwrap());
    let history = Arc::new(History::open(&home.history_db(), HistoryOptions::new([ENCODING])).await.unwrap());
    let pipeline = ContextPipeline::standard(PipelineParts {
        character,
        config: Arc::clone(&config),
        history: Arc::clone(&history),
        memory: Arc::new(Memory::at(&home)),
    });
    let mut pending: Vec<StoredTurn> = Vec::new();
    let mut last: Option<Vec<ChatMessage>> = None;
    for (number, line) in (1_u64..).zip(chat) {
        pending.push(history.append(said(number, line, mode)).await.unwrap());
        if pending.len() < EVERY {
            continue;
        }
        let request = request(number, std::mem::take(&mut pending), line.at, &config);
        let prompt = pipeline.assemble(&request, None).await.unwrap();
        let messages = prompt.messages().to_vec();
        if let Some(last) = &last {
            sums.add(last, &messages);
        }
        last = Some(messages);
    }
}

impl Sums {
    fn add(&mut self, last: &[ChatMessage], now: &[ChatMessage]) {
        let size = |message: &ChatMessage| tokens::count(ENCODING, &message.content) + 4;
        let same = |(a, b): &(&ChatMessage, &ChatMessage)| a.role == b.role && a.content == b.content;
        let common = last.iter().zip(now).take_while(same).count();
        let stable: u32 = now[..common].iter().map(size).sum();
        self.replies += 1;
        self.tokens += now.iter().map(|message| u64::from(size(message))).sum::<u64>();
        self.stable += if stable < CACHE_MINIMUM { 0 } else { u64::from(stable) };
        let newest = now.iter().rposition(|message| message.cache_breakpoint).unwrap_or(0);
        self.tail += now[newest + 1..].iter().map(|message| u64::from(size(message))).sum::<u64>();
        self.cuts += u32::from(common <= 1);
    }
}

fn request(number: u64, pending: Vec<StoredTurn>, now: Timestamp, config: &LiveConfig) -> TurnRequest {
    let place = corpus::place();
    let channel = config.channel(&place.channel);
    let names = ["Mira".to_owned()];
    let text = pending.last().map(|turn| turn.content.clone()).unwrap_or_default();
    let mut speakers: Vec<String> = Vec::new();
    for author in pending.iter().filter_map(|turn| turn.author.as_ref()) {
        if !speakers.iter().any(|known| known == author.label()) {
            speakers.push(author.label().to_owned());
        }
    }
    let intent = classify(&Heard {
        text: &text,
        names: &names,
        speakers: &speakers,
        authors: speakers.len(),
        called: Called::Addressed,
        reply_age: None,
        mode: channel.mode,
        modality: Modality::Text,
    });
    let means = Means { channel: &channel, modality: Modality::Text, window: 128_000, warm_tokens: 0 };
    TurnRequest {
        turn: TurnId(number),
        plan: Arc::new(plan_for(intent, &means)),
        facets: facets(&text, &speakers, &names),
        world: Arc::default(),
        channel,
        place,
        modality: Modality::Text,
        as_of: None,
        told: None,
        author: pending.last().and_then(|turn| turn.author.clone()),
        pending,
        speakers,
        now,
        display_tz: config.current().display_tz.clone(),
        model: ModelDescription {
            model: "replay".to_owned(),
            context_window: 128_000,
            encoding: ENCODING,
            token_ratio: 1.0,
            reasons_natively: false,
            takes_tools: false,
        },
    }
}

fn said(number: u64, line: &Line, mode: ChannelMode) -> NewTurn {
    let account = 100 + line.speaker.bytes().map(u64::from).sum::<u64>();
    NewTurn {
        place: corpus::place(),
        role: Role::User,
        author: Some(Author {
            account: AccountId::discord(account),
            display_name: Some(line.speaker.clone()),
            username: Some(line.speaker.to_lowercase()),
            is_bot: false,
        }),
        content: line.text.clone(),
        at: line.at,
        mode,
        messages: vec![MessageId::from(number)],
        reply_to: None,
        turn: None,
        modality: Modality::Text,
    }
}

/// A familiar whose description takes as many tokens as the rules ask for.
fn familiar(data_dir: &Path) -> FamiliarHome {
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
        "data": { "name": "Mira", "description": description },
    });
    let file = data_dir.join("mira.json");
    fs::write(&file, card.to_string()).unwrap();
    let request = InitRequest {
        file,
        data_dir: data_dir.to_owned(),
        id: None,
        name: None,
        existing: Existing::Refuse,
        writing: Writing::ForReal,
    };
    init(&request, |_| {}).unwrap();
    FamiliarHome::new(data_dir, &FamiliarId::new("mira").unwrap())
}

/// The chats of the fixtures, else one made up of the other benches' lines.
fn chats() -> (String, Vec<Vec<Line>>) {
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
        return ("made up".to_owned(), vec![lines.collect()]);
    }
    (format!("{} of LoCoMo", files.len()), files.iter().map(|file| read(file)).collect())
}

fn read(file: &Path) -> Vec<Line> {
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            let at = format!("{}Z", text("ts"));
            Line { speaker: text("speaker"), text: text("text"), at: at.parse().unwrap() }
        })
        .collect()
}
