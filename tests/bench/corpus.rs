//! A long conversation of one channel, stored turn by turn through the history's own door and summed up as in a running
//! program. Made once per length and kept in `target/tmp` between runs; every run works on a copy.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use familiar_connect::cli::bundled;
use familiar_connect::clock::ManualClock;
use familiar_connect::config::{Defaults, FamiliarHome, LiveConfig};
use familiar_connect::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, FinishReason, GuildId, MessageId, ModelCall, Place,
    PlaceKind, Platform, Slot, TokenEncoding, TurnId,
};
use familiar_connect::familiar::LiveCharacter;
use familiar_connect::history::{History, HistoryOptions, NewTurn};
use familiar_connect::llm::{
    CompletionModel, CompletionRequest, CompletionStream, Delta, ModelDescription, ModelError, ModelSource,
    SharedModel, ToldRequest,
};
use familiar_connect::memory::Memory;
use familiar_connect::workers::{WorkerParts, Workers};
use futures::{StreamExt as _, stream};
use jiff::{SignedDuration, Timestamp};

/// Rises when the turns below change, so that no kept file of an older make is measured.
const MAKE: u32 = 3;

/// A shorter one is made every time.
const WORTH_KEEPING: u64 = 1_000;

/// Every turn is counted under both, as it is in a program whose model was changed once.
pub const ENCODINGS: [TokenEncoding; 2] = [TokenEncoding::O200k, TokenEncoding::Estimate];

/// Who speaks there.
pub const PEOPLE: [&str; 7] = ["Alice", "Bartek", "Chiyo", "Даша", "Émile", "Farid", "Gwen"];

/// Chat lines in several scripts, of the lengths people write.
pub const LINES: [&str; 12] = [
    "did anyone see where I left the blue notebook? I had it at the lighthouse yesterday",
    "lol yes",
    "I think the tide takes longer than the table says, we waited almost an hour and it still had not turned",
    "Кто-нибудь видел расписание парома на завтра? Вчера он опоздал на сорок минут.",
    "明日の朝は霧が深いらしいから、船は少し遅れるかもしれないね。",
    "c'est peut-être la corde qui s'est prise dans l'hélice, il faudrait vérifier avant de partir",
    "no worries 😀👍🏽 we can look for it together after lunch",
    "Morgen früh müssen wir die Netze flicken, sonst wird das mit dem Wochenende wieder nichts.",
    "```rust\nlet tide = harbour.level_at(now)?;\nassert!(tide < quay.height());\n```",
    "https://example.org/charts/harbour-2026.pdf page 14 has the depth figures",
    "오늘 저녁에 등대에서 만날까요? 사진을 몇 장 찍고 싶어요.",
    "That reminds me of the winter when the whole bay froze over and we walked out to the island, do you remember? \
     We carried the stove between us and Gwen fell through to the knee and would not stop laughing.",
];

/// Words besides those of [`LINES`]: as in a language, the second comes half as often as the first, the third a third.
const VOCABULARY: u64 = 20_000;

/// Such words in every turn.
const WORDS_A_TURN: u64 = 4;

/// The channel everything is said in.
pub fn place() -> Place {
    Place {
        guild: Some(GuildId::from(7)),
        channel_name: Some("#quay".to_owned()),
        guild_name: Some("Harbour".to_owned()),
        ..Place::new(
            Platform::Discord,
            ChannelId::from(41),
            PlaceKind::GuildText,
            Audience::Guild(GuildId::from(7)),
        )
    }
}

/// Who speaks in turn `number`.
pub fn person(number: u64) -> Author {
    let which = usize::try_from(number.wrapping_mul(2_654_435_761) >> 7).unwrap() % PEOPLE.len();
    Author {
        username: Some(format!("person{which}")),
        ..Author::called(AccountId::discord(100 + which as u64), PEOPLE[which])
    }
}

/// When turn `number` was said: half a minute apart, with a night now and then.
pub fn said_at(number: u64) -> Timestamp {
    let seconds = number * 31 + number / 180 * 28_800;
    "2024-01-01T08:00:00Z".parse::<Timestamp>().unwrap()
        + SignedDuration::from_secs(i64::try_from(seconds).unwrap())
}

/// Turn `number`, counted from 1. One in four is the familiar's, one in five answers an older message, and a stretch
/// of each thousand was said in another mode.
fn turn(number: u64) -> NewTurn {
    let is_own = number % 4 == 1;
    let line = LINES[usize::try_from(number * 7 % 12).unwrap()];
    NewTurn {
        messages: vec![MessageId::from(number)],
        reply_to: (number.is_multiple_of(5) && number > 10).then(|| MessageId::from(number - 7)),
        turn: is_own.then_some(TurnId(number)),
        ..NewTurn::written(
            place(),
            (!is_own).then(|| person(number)),
            format!("{line} {} ({number})", words(number, WORDS_A_TURN)),
            said_at(number),
            if number / 100 % 10 == 4 { ChannelMode::ImitateVoice } else { ChannelMode::TextConversationRp },
        )
    }
}

/// The word of a rank, from 1 on: a made-up one that the stemmer leaves alone.
pub fn word(rank: u64) -> String {
    const ONSETS: [&str; 12] = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "t", "v"];
    const RHYMES: [&str; 12] = ["an", "or", "ul", "ok", "im", "at", "un", "ar", "op", "em", "ik", "ug"];
    let mut rest = rank;
    let mut word = String::new();
    for _ in 0..4 {
        let digit = usize::try_from(rest % 144).unwrap();
        word.push_str(ONSETS[digit / 12]);
        word.push_str(RHYMES[digit % 12]);
        rest /= 144;
        if rest == 0 {
            break;
        }
    }
    word
}

/// A word by chance, always the same one for the same `seed`, as often as its rank says.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rank below the vocabulary's size"
)]
pub fn rank(seed: u64) -> u64 {
    // SplitMix64.
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let share = (mixed >> 11) as f64 / (1_u64 << 53) as f64;
    (VOCABULARY as f64).powf(share) as u64
}

/// So many words by chance.
pub fn words(seed: u64, count: u64) -> String {
    let words: Vec<String> = (0..count).map(|at| word(rank(seed * 64 + at))).collect();
    words.join(" ")
}

/// Puts a history of `turns` turns where the familiar of `home` keeps its own.
pub async fn put_history(turns: u64, home: &FamiliarHome) {
    if turns < WORTH_KEEPING {
        return make(turns, &home.history_db()).await;
    }
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-turns-{MAKE}-{turns}.db"));
    if !kept.exists() {
        eprintln!("storing {turns} turns, once");
        make(turns, &kept).await;
    }
    fs::copy(&kept, home.history_db()).unwrap();
}

async fn make(turns: u64, kept: &Path) {
    // Made under a name of its own and moved when whole: a run that is broken off leaves nothing half made.
    let folder = tempfile::tempdir_in(kept.parent().unwrap()).unwrap();
    let home = FamiliarHome::new(folder.path(), &bundled::FIRST.install(folder.path()).unwrap().id);
    fs::write(home.character_toml(), "[memory_writer]\nturn_threshold = 10000\n").unwrap();
    let history = History::open(&home.history_db(), HistoryOptions::new(ENCODINGS)).await.unwrap();
    // Some ahead of their turn, so that the writer never waits for the next; it takes them in their order.
    stream::iter(1..=turns)
        .map(|number| history.store(turn(number)))
        .buffered(32)
        .for_each(|stored| {
            stored.unwrap();
            std::future::ready(())
        })
        .await;
    let history = Arc::new(history);
    let workers = Workers::start(WorkerParts {
        character: Arc::new(LiveCharacter::load(home.clone()).unwrap()),
        config: LiveConfig::load(home.clone(), Defaults::embedded()).unwrap(),
        history: Arc::clone(&history),
        memory: Arc::new(Memory::at(&home)),
        models: Arc::new(Shortener { encoding: ENCODINGS[0] }),
        clock: Arc::new(ManualClock::at(said_at(turns + 1))),
    });
    workers.wake(&place());
    workers.idle().await;
    workers.stop().await;
    history.close().await.unwrap();
    fs::rename(home.history_db(), kept).unwrap();
}

/// In place of a model that writes summaries: hands back every tenth line of what it was given.
#[derive(Debug, Clone, Copy)]
pub struct Shortener {
    /// How its tokens are counted.
    pub encoding: TokenEncoding,
}

impl ModelSource for Shortener {
    fn slot(&self, _slot: Slot) -> SharedModel {
        Arc::new(*self)
    }

    fn other(&self, slot: Slot, _model: &str) -> SharedModel {
        self.slot(slot)
    }

    fn told(&self, request: &CompletionRequest) -> ToldRequest {
        ToldRequest { messages: request.messages.clone(), parameters: serde_json::Value::Null }
    }
}

#[async_trait]
impl CompletionModel for Shortener {
    fn describe(&self) -> ModelDescription {
        ModelDescription::plain("shortener", 128_000, self.encoding)
    }

    async fn complete(&self, request: CompletionRequest) -> Result<CompletionStream, ModelError> {
        let given = request.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
        let lines: Vec<&str> = given.lines().filter(|line| !line.trim().is_empty()).step_by(10).collect();
        let report =
            ModelCall { finish: Some(FinishReason::Stop), ..ModelCall::new(request.slot, "shortener") };
        let deltas = [Ok(Delta::Text(lines.join(" "))), Ok(Delta::Finished(report))];
        Ok(futures::stream::iter(deltas).boxed())
    }
}
