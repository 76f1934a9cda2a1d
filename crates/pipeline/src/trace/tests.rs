mod seen;

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;

use super::*;
use crate::config::Redactor;
use crate::domain::{
    AccountId, AssemblyFigures, Audience, CacheFigures, CachedBy, CancelReason, ChannelId, ChannelMode,
    ChatMessage, ChunkFate, ChunkRecord, Exchange, FamiliarId, FinishReason, GuildId, LAYER_MARKER, Layer,
    LayerFigures, LayoutFigures, ModelCall, ModelErrorClass, Outcome, Place, PlaceKind, Platform, Processing,
    ProcessorRecord, ProcessorSide, ProcessorStatus, ProviderOutcome, ProviderStatus, Quality, RenderMode,
    Role, ShortCardFigures, SilenceReason, Slot, StageTiming, StoredId, ToolCall, ToolResult, ToolRound,
    ToolSelection, TurnId, TurnTrace, Usage, WorkerRun,
};

fn place(channel: u64) -> Place {
    Place {
        guild: Some(GuildId::from(1)),
        channel_name: Some("#general".to_owned()),
        guild_name: Some("Home".to_owned()),
        ..Place::new(
            Platform::Discord,
            channel.into(),
            PlaceKind::GuildText,
            Audience::Guild(GuildId::from(1)),
        )
    }
}

/// A turn in which nothing was said.
fn silent(id: TurnId, channel: u64, author: u64) -> TurnTrace {
    TurnTrace {
        pending: vec![StoredId(12)],
        authors: vec![AccountId::discord(author).to_string()],
        total_us: 840,
        ..TurnTrace::new(
            id,
            FamiliarId::new("ada").unwrap(),
            place(channel),
            ChannelMode::TextConversationRp,
            "2026-11-22T00:30:05.250Z".parse::<Timestamp>().unwrap(),
            "3 messages went by",
            Outcome::Silent { reason: SilenceReason::NotAddressed { count: 3, threshold: 12 } },
        )
    }
}

/// A turn with something in every part of its trace.
fn full(id: TurnId) -> TurnTrace {
    let chunk = |source: &str, layer, importance, tokens, fate| ChunkRecord {
        excerpt: None,
        altered: Vec::new(),
        audience: None,
        score: 0.5,
        source: source.to_owned(),
        layer,
        importance,
        tokens,
        fate,
    };
    let stage = |stage: &str, us| StageTiming { stage: stage.to_owned(), us };
    let provider = |provider: &str, us, status| ProviderOutcome { provider: provider.to_owned(), us, status };
    let run = |processor: &str, side, status, made: Option<&str>| ProcessorRecord {
        processor: processor.to_owned(),
        side,
        status,
        us: 1_200_000,
        calls: 1,
        tokens: 812,
        model: Some("some/small-model".to_owned()),
        made: made.map(str::to_owned),
    };
    let failed = ModelCall {
        total_ms: 212,
        error: Some((ModelErrorClass::RateLimited, "too many requests | try later".to_owned())),
        ..ModelCall::new(Slot::MainProse, "some/first-choice")
    };
    let answered = ModelCall {
        provider: Some("Upstream".to_owned()),
        first_token_ms: Some(640),
        total_ms: 1_803,
        usage: Some(Usage {
            prompt_tokens: 3_412,
            completion_tokens: 120,
            cached_tokens: 3_000,
            cache_write_tokens: 0,
            reasoning_tokens: 40,
            cost_usd: Some(0.00231),
            cache_discount_usd: Some(0.0081),
        }),
        cache: Some(CacheFigures {
            by: CachedBy::Markers,
            marked: vec![1_510, 3_020],
            repeatable_tokens: 3_020,
            minimum_tokens: 1_024,
        }),
        finish: Some(FinishReason::Stop),
        ..ModelCall::new(Slot::MainProse, "some/second-choice")
    };
    TurnTrace {
        trigger: "Alice mentioned it".to_owned(),
        total_us: 2_118_000,
        in_call: vec![
            stage("stt_final", 250_000),
            stage("turn_over", 270_000),
            stage("playback_start", 905_000),
        ],
        stages: vec![stage("context", 4_200), stage("first_token", 852_000)],
        assembly: Some(AssemblyFigures {
            searches: Vec::new(),
            reranked: Vec::new(),
            render: RenderMode::Layered,
            providers: vec![
                provider("character", 120, ProviderStatus::Ok { contributions: 4 }),
                provider("search", 200_000, ProviderStatus::Late),
                provider("weather", 900, ProviderStatus::Failed { error: "no | route".to_owned() }),
            ],
            chunks: vec![
                chunk("character/description", Layer::Character, 5, 800, ChunkFate::Kept),
                chunk("history/turn 12", Layer::RecentHistory, 4, 40, ChunkFate::Kept),
                chunk("history/turn 1", Layer::RecentHistory, 2, 400, ChunkFate::LayerFull),
                chunk(
                    "people/bob",
                    Layer::Content,
                    3,
                    90,
                    ChunkFate::Screened { reason: "not for this audience".to_owned() },
                ),
            ],
            layers: vec![
                LayerFigures { layer: Layer::Character, cap: None, offered: 800, kept: 800 },
                LayerFigures { layer: Layer::RecentHistory, cap: Some(3_000), offered: 3_440, kept: 2_612 },
            ],
            budget_tokens: 8_000,
            prompt_tokens: 3_412,
            reserve_tokens: 1_500,
            stages: vec![stage("gather", 3_100), stage("budget", 400)],
            plan: None,
            clips: 0,
            lore: Vec::new(),
            window: None,
            quality: Some(Quality {
                score: 0.84,
                coverage: 0.67,
                completeness: 0.9,
                freshness: 1.0,
                retention: 0.85,
                wholeness: 1.0,
            }),
            layout: Some(LayoutFigures {
                stable_tokens: 3_100,
                fresh_tokens: 312,
                differs_at: Some((14, 0)),
            }),
            packing_waste: Some(0.125),
            moment: Vec::new(),
            spared_tokens: 240,
            short_card: Some(ShortCardFigures { whole: 320, short: 110, is_written: false }),
            notes: vec!["identity is larger than its layer".to_owned()],
        }),
        request: vec![
            ChatMessage::new(Role::System, "You are Ada.\n\n```\nexample\n```"),
            ChatMessage { name: Some("Alice".to_owned()), ..ChatMessage::new(Role::User, "Alice: hi Ada") },
        ],
        parameters: serde_json::json!({ "temperature": 0.8, "max_tokens": 1500 }),
        calls: vec![failed, answered],
        processing: Processing {
            runs: vec![
                run(
                    "thinking",
                    ProcessorSide::Before,
                    ProcessorStatus::Ran,
                    Some("<thoughts>\n- Alice!\n</thoughts>"),
                ),
                run(
                    "recast/behaviour",
                    ProcessorSide::After,
                    ProcessorStatus::Refused { why: "\"<@12>\" is gone".to_owned() },
                    Some("Hello, you."),
                ),
                run("recast/rhythm", ProcessorSide::After, ProcessorStatus::Late, None),
            ],
            written: Some("Hello Alice. How are you?".to_owned()),
            rounds: vec![ToolRound {
                said: String::new(),
                calls: vec![ToolCall {
                    id: "c1".to_owned(),
                    name: "memory_search".to_owned(),
                    arguments: r#"{"query": "ferry"}"#.to_owned(),
                }],
                results: vec![ToolResult {
                    call: "c1".to_owned(),
                    content: "Nothing that was said holds these words.".to_owned(),
                    failed: false,
                }],
            }],
            tool_selection: Some(ToolSelection {
                by: "words and likeness".to_owned(),
                outcome: "chosen anew".to_owned(),
                scored: vec![("time_in".to_owned(), 0.41), ("choose".to_owned(), 0.12)],
            }),
            calls_before_first_token: 1,
        },
        reply: Some("Hello, Alice.\n\nHow are you?".to_owned()),
        outcome: Outcome::Replied { messages: 2 },
        ..silent(id, 7, 1)
    }
}

async fn open(folder: &Path, options: TraceOptions) -> TraceStore {
    TraceStore::open(&folder.join("traces.db"), options).await.unwrap()
}

fn ids(traces: &[Arc<TurnTrace>]) -> Vec<u64> {
    traces.iter().map(|trace| trace.id.0).collect()
}

#[tokio::test]
async fn a28_a_recorded_trace_reads_back_whole_from_memory_and_from_disk() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    let trace = full(store.next_turn());
    store.record(trace.clone()).await;
    assert_eq!(*store.whole().get(trace.id).await.unwrap().unwrap(), trace);
    store.close().await.unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    assert_eq!(*store.whole().get(trace.id).await.unwrap().unwrap(), trace);
    assert_eq!(store.whole().get(TurnId(999)).await.unwrap(), None);
}

#[tokio::test]
async fn turn_numbers_go_on_after_a_clean_end_without_a_gap() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    assert_eq!([store.next_turn(), store.next_turn()], [TurnId(1), TurnId(2)]);
    store.close().await.unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    assert_eq!(store.next_turn(), TurnId(3));
}

#[tokio::test]
async fn whoever_only_looks_on_uses_up_no_turn_numbers() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    assert_eq!(store.next_turn(), TurnId(1));
    store.close().await.unwrap();
    for _ in 0..3 {
        let looking = TraceOptions { numbering: Numbering::Untouched, ..TraceOptions::default() };
        let looker = open(folder.path(), looking).await;
        assert_eq!(looker.next_turn(), TurnId(2));
        looker.close().await.unwrap();
        // Killed, as it were.
        let looking = TraceOptions { numbering: Numbering::Untouched, ..TraceOptions::default() };
        drop(open(folder.path(), looking).await);
    }
    assert_eq!(open(folder.path(), TraceOptions::default()).await.next_turn(), TurnId(2));
}

#[tokio::test]
async fn turn_numbers_are_never_given_twice_even_when_the_program_is_killed() {
    let folder = TempDir::new().unwrap();
    let mut last = TurnId(0);
    for _ in 0..3 {
        let store = open(folder.path(), TraceOptions::default()).await;
        for number in 0..300 {
            let turn = store.next_turn();
            assert!(turn > last, "{turn} after {last}");
            last = turn;
            // Some turns end without a trace: the program was killed in the middle of them.
            if number % 3 != 0 {
                store.record(silent(turn, 7, 1)).await;
            }
        }
    }
}

#[tokio::test]
async fn the_ring_and_the_database_keep_what_they_are_told_to() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 3, keep: 16, ..TraceOptions::default() }).await;
    for _ in 0..60 {
        let turn = store.next_turn();
        store.record(silent(turn, 7, 1)).await;
    }
    let kept = ids(&store.whole().list(1_000).await.unwrap());
    assert!((16..=18).contains(&kept.len()), "{kept:?}");
    assert_eq!(kept[0], 60, "the newest first");
    assert!(store.whole().get(TurnId(1)).await.unwrap().is_none(), "the oldest went");
}

#[tokio::test]
async fn a_list_is_read_page_by_page_from_memory_and_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 3, ..TraceOptions::default() }).await;
    let mut finished = store.finished();
    for id in [1, 2, 4, 5, 8, 9] {
        store.record(silent(TurnId(id), id % 2, 1)).await;
        assert_eq!(finished.recv().await.unwrap(), TurnId(id), "it is told of when it can be read");
    }
    let page = async |channel: Option<u64>, before: Option<u64>| {
        let channel = channel.map(ChannelId::from);
        ids(&store.whole().page(channel.as_ref(), Silences::Told, before.map(TurnId), 2).await.unwrap())
    };
    assert_eq!(page(None, None).await, [9, 8]);
    assert_eq!(page(None, Some(8)).await, [5, 4]);
    assert_eq!(page(None, Some(4)).await, [2, 1]);
    assert_eq!(page(None, Some(1)).await, [0; 0]);
    assert_eq!(page(Some(1), Some(9)).await, [5, 1]);
    assert_eq!(ids(&store.whole().page(None, Silences::LeftOut, None, 2).await.unwrap()), [0; 0]);
    let following = async |channel: Option<u64>, silences, turn| {
        let channel = channel.map(ChannelId::from);
        store.following(channel.as_ref(), silences, TurnId(turn), 2).await.unwrap()
    };
    assert_eq!(following(None, Silences::Told, 2).await, [TurnId(4), TurnId(5)]);
    assert_eq!(following(None, Silences::Told, 8).await, [TurnId(9)]);
    assert_eq!(following(Some(1), Silences::Told, 1).await, [TurnId(5), TurnId(9)]);
    assert_eq!(following(None, Silences::LeftOut, 1).await, [TurnId(0); 0]);
    assert_eq!(store.beside(TurnId(5)).await.unwrap(), (Some(TurnId(4)), Some(TurnId(8))));
    assert_eq!(store.beside(TurnId(9)).await.unwrap(), (Some(TurnId(8)), None));
}

#[tokio::test]
async fn a_list_tells_of_turns_in_a_few_words_without_reading_their_records_also_of_those_an_older_program_kept()
 {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("traces.db");
    let (quiet, spoken) = (silent(TurnId(1), 7, 1), TurnTrace { place: place(7), ..full(TurnId(2)) });
    let old = rusqlite::Connection::open(&path).unwrap();
    old.execute_batch(include_str!("schema/01_traces.sql")).unwrap();
    old.pragma_update(None, "user_version", 1).unwrap();
    for (trace, outcome) in [(&quiet, "silent"), (&spoken, "replied")] {
        old.execute(
            "INSERT INTO traces (id, at_ms, channel, audience, outcome, total_us, body)
             VALUES (?1, ?2, '7', 'guild:1', ?3, 1, ?4)",
            rusqlite::params![
                i64::try_from(trace.id.0).unwrap(),
                trace.opened_at.as_millisecond(),
                outcome,
                serde_json::to_string(trace).unwrap()
            ],
        )
        .unwrap();
    }
    drop(old);
    let store = open(folder.path(), TraceOptions { ring: 1, ..TraceOptions::default() }).await;
    let newer = TurnTrace { id: TurnId(3), ..quiet.clone() };
    store.record(newer.clone()).await;
    store.record(TurnTrace { id: TurnId(4), ..spoken.clone() }).await;
    store.close().await.unwrap();
    let file = rusqlite::Connection::open(&path).unwrap();
    file.execute("UPDATE traces SET body = 'not to be read'", []).unwrap();
    drop(file);

    let store = open(folder.path(), TraceOptions { ring: 1, ..TraceOptions::default() }).await;
    store.record(TurnTrace { id: TurnId(5), ..spoken.clone() }).await;
    let told = store.told(&ChannelId::from(7), 9).await.unwrap();
    let words: Vec<_> = told.into_iter().map(|told| (told.turn.0, told.words)).collect();
    let [of_quiet, of_spoken] = [&quiet, &spoken].map(ToldWords::of);
    assert!(of_quiet.silence.is_some() && of_spoken.silence.is_none());
    let wanted = [(5, &of_spoken), (4, &of_spoken), (3, &of_quiet), (2, &of_spoken), (1, &of_quiet)];
    let wanted = wanted.map(|(id, words)| (id, words.clone()));
    assert_eq!(words, wanted);
    assert_eq!(store.told(&ChannelId::from(8), 9).await.unwrap(), []);
    assert_eq!(store.told(&ChannelId::from(7), 2).await.unwrap().len(), 2);
}

#[test]
fn only_a_turn_of_which_nothing_arrived_and_that_may_go_better_has_failed() {
    let failed = |class| Outcome::Failed { class, error: "away".to_owned() };
    let undelivered = |messages| Outcome::Undelivered { messages, error: "away".to_owned() };
    let some = || Some("Evening.".to_owned());
    for (outcome, reply, has_failed) in [
        (failed(ModelErrorClass::Network), None, true),
        (failed(ModelErrorClass::Network), some(), false),
        (failed(ModelErrorClass::ContentFilter), None, false),
        (undelivered(0), None, true),
        (undelivered(1), some(), false),
        (Outcome::Replied { messages: 1 }, some(), false),
        (Outcome::Silent { reason: SilenceReason::FoundNothingToSay }, None, false),
    ] {
        let trace = TurnTrace { outcome, reply, ..silent(TurnId(1), 7, 1) };
        assert_eq!(ToldWords::of(&trace).has_failed, has_failed, "{:?}", trace.outcome);
    }
}

#[tokio::test]
async fn silence_does_not_push_out_what_was_said() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 1, keep: 16, ..TraceOptions::default() }).await;
    let spoken = store.next_turn();
    let trace = TurnTrace { outcome: Outcome::Replied { messages: 1 }, ..silent(spoken, 7, 1) };
    store.record(trace).await;
    for _ in 0..60 {
        let turn = store.next_turn();
        store.record(silent(turn, 7, 1)).await;
    }
    assert!(store.whole().get(spoken).await.unwrap().is_some());
    assert!(store.whole().list(1_000).await.unwrap().len() < 25);
}

#[tokio::test]
async fn all_turns_since_a_moment_are_found_however_many_they_are() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 2, ..TraceOptions::default() }).await;
    for second in 0..60 {
        let opened_at = Timestamp::from_second(second).unwrap();
        let turn = store.next_turn();
        let pending = vec![StoredId(second)];
        store.record(TurnTrace { opened_at, pending, ..silent(turn, 7 + turn.0 % 2, 1) }).await;
    }
    let alice = AccountId::discord(1);
    for (since, found) in [(0, 60), (5, 55), (40, 20), (59, 1), (60, 0)] {
        let since = Timestamp::from_second(since).unwrap();
        assert_eq!(store.pending_since(&alice, since).await.unwrap().len(), found);
        assert_eq!(store.told_of(&alice, since).await.unwrap().len(), found);
    }
}

#[tokio::test]
async fn secrets_are_in_no_kept_trace() {
    let folder = TempDir::new().unwrap();
    let redact = Some(Redactor::new(["sk-very-secret".to_owned()]));
    let store = open(folder.path(), TraceOptions { redact, ..TraceOptions::default() }).await;
    let mut trace = full(store.next_turn());
    trace.request[0].content.push_str(" the key is sk-very-secret!");
    trace.parameters = serde_json::json!({ "headers": ["Bearer sk-very-secret"] });
    let turn = trace.id;
    store.record(trace).await;
    let in_memory = store.whole().get(turn).await.unwrap().unwrap();
    assert!(in_memory.request[0].content.ends_with("the key is [redacted]!"));
    store.close().await.unwrap();
    let bytes = std::fs::read(folder.path().join("traces.db")).unwrap();
    assert!(!bytes.windows(14).any(|window| window == b"sk-very-secret"));
}

#[tokio::test]
async fn a_database_that_refuses_does_not_fail_the_turn() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    let turn = store.next_turn();
    store.close().await.unwrap();
    store.record(silent(turn, 7, 1)).await;
    assert!(store.whole().get(turn).await.unwrap().is_some(), "still in memory");
}

#[test]
fn a28_what_was_held_back_for_its_audience_is_shown_to_the_operator_alone() {
    let mut trace = full(TurnId(1));
    let hidden = ChunkRecord {
        source: "people/carol".to_owned(),
        layer: Layer::Content,
        importance: 3,
        tokens: 12,
        score: 0.5,
        fate: ChunkFate::NotForHere { audience: Audience::Dm(AccountId::discord(3)) },
        excerpt: Some("Carol is expecting twins".to_owned()),
        altered: Vec::new(),
        audience: None,
    };
    if let Some(assembly) = &mut trace.assembly {
        assembly.chunks.push(hidden);
    }
    let to_operator = render::markdown(&trace, Rights::Operator);
    assert!(to_operator.contains("people/carol") && to_operator.contains("dm:discord:3"), "{to_operator}");
    let to_person = render::markdown(&trace, Rights::Person);
    for secret in ["carol", "dm:discord:3", "4 pieces"] {
        assert!(!to_person.contains(secret), "{to_person}");
    }
    assert_eq!(find_words(&trace, &WordsAsked::of("TWINS"), Rights::Operator).left_out.len(), 1);
    assert!(find_words(&trace, &WordsAsked::of("twins"), Rights::Person).left_out.is_empty());
}

#[test]
fn whoever_took_part_reads_the_talk_and_not_the_card_unless_they_may() {
    let mut trace = full(TurnId(1));
    let card = trace.request[0].clone();
    trace.request[0].content = "You are Mika, SECRET-OF-THE-CARD".to_owned();
    let mut tail = trace.request[1].clone();
    tail.content = format!("{LAYER_MARKER} For this reply⟧\nSECRET-OF-THE-LORE");
    trace.request.push(tail);
    assert_eq!(card.role, Role::System);
    let told = render::markdown(&trace, Rights::Person);
    assert!(!told.contains("SECRET") && told.contains("not shown"), "{told}");
    assert!(told.contains(&trace.request[1].content), "{told}");
    let allowed = render::markdown(&trace, Rights::Reader);
    assert!(allowed.contains("SECRET-OF-THE-CARD") && allowed.contains("SECRET-OF-THE-LORE"), "{allowed}");
    assert!(find_words(&trace, &WordsAsked::of("secret"), Rights::Person).sent.is_empty());
    assert_eq!(find_words(&trace, &WordsAsked::of("secret"), Rights::Reader).sent.len(), 2);
}

#[test]
fn a28_why_finds_what_was_sent_and_what_was_left_out() {
    let mut trace = full(TurnId(1));
    trace.request[1].content = format!("{} the  DENTIST at noon {}", "x".repeat(100), "y".repeat(100));
    if let Some(assembly) = &mut trace.assembly {
        assembly.chunks[2].excerpt = Some("Ben: my dentist is in Bath".to_owned());
        // Kept pieces stand in the request; their records hold no words.
        assembly.chunks[0].excerpt = Some("a dentist".to_owned());
    }
    let found = find_words(&trace, &WordsAsked::of(" dentist "), Rights::Person);
    assert_eq!(found.sent.len(), 1);
    assert_eq!((found.sent[0].message, found.sent[0].role), (2, Role::User));
    assert!(found.sent[0].excerpt.starts_with('…') && found.sent[0].excerpt.contains("the DENTIST at noon"));
    // As it is written there, whatever a letter is long in lower case.
    trace.request[1].content = "İİ Ana Ghent".to_owned();
    assert_eq!(find_words(&trace, &WordsAsked::of("ana"), Rights::Operator).sent[0].excerpt, "İİ Ana Ghent");
    trace.request[1].content = format!("{} the  DENTIST at noon {}", "x".repeat(100), "y".repeat(100));
    let found = find_words(&trace, &WordsAsked::of(" dentist "), Rights::Person);
    let sources: Vec<_> = found.left_out.iter().map(|chunk| chunk.source.as_str()).collect();
    assert_eq!(sources, ["history/turn 1"]);
    assert_eq!(find_words(&trace, &WordsAsked::of("  "), Rights::Operator), RecordWords::default());
    insta::assert_snapshot!(render::render_why(&trace, "dentist", &found, &[], 0));
}

#[test]
fn a28_why_finds_words_from_where_a_word_begins() {
    for (text, words) in [
        ("Ana's dentists", "dentist"),
        ("新しいiPhone", "iphone"),
        ("책을 샀어", "책"),
        ("猫が好き", "好き"),
        ("so 🐈 it is", "🐈"),
        ("banana, Ana", "ana"),
        ("“danach”", "DANACH"),
    ] {
        assert!(WordsAsked::of(words).are_in(text), "{words} in {text}");
    }
    for (text, words) in
        [("bananas", "ana"), ("Frag mich danach", "Ana"), ("Бананы", "анан"), ("DİANA", "ana")]
    {
        assert!(!WordsAsked::of(words).are_in(text), "{words} in {text}");
    }
}

#[test]
fn a28_why_finds_words_within_others_where_it_is_asked_to_and_says_so() {
    for (text, words) in [("im Segelboot", "Boot"), ("de spoorbrug over", "brug"), ("bananas", "nana")] {
        let words = WordsAsked::of(words);
        assert!(!words.are_in(text) && words.within().unwrap().are_in(text), "{text}");
    }
    for short in ["Ana", "Ed", "анн", " a "] {
        assert_eq!(WordsAsked::of(short).within(), None, "{short}");
    }
    let mut trace = full(TurnId(1));
    trace.request[1].content = "Unser Segelboot liegt in Kiel.".to_owned();
    let boot = WordsAsked::of("boot");
    assert!(find_words(&trace, &boot, Rights::Person).is_empty());
    let found = find_words(&trace, &boot.within().unwrap(), Rights::Person);
    let told = render::render_why(&trace, "boot", &found, &[], 0);
    assert!(told.contains("longer words hold it") && told.contains("Unser Segelboot liegt"), "{told}");
}

#[test]
fn a28_the_x_ray_of_a_turn_that_spoke() {
    insta::assert_snapshot!(render::markdown(&full(TurnId(42)), Rights::Operator));
}

#[test]
fn the_x_ray_says_which_tools_a_model_was_told_of_and_how() {
    let tools = serde_json::json!([{"type": "function", "function": {
        "name": "roll_dice", "description": "Throws dice.", "parameters": {"type": "object"}}}]);
    let mut trace = full(TurnId(42));
    assert!(!render::markdown(&trace, Rights::Operator).contains("The model was told of them"));
    trace.parameters = serde_json::json!({ "tools": tools });
    assert_eq!(trace.tools()[0].description, "Throws dice.");
    let native = render::markdown(&trace, Rights::Operator);
    assert!(native.contains("\nThe model was told of them"), "{native}");
    trace.parameters = serde_json::json!({ TurnTrace::TOOLS_IN_WORDS: tools });
    assert_eq!(trace.tools().len(), 1);
    let in_words = render::markdown(&trace, Rights::Operator);
    assert!(
        in_words.contains("\nThe model was told of them in words, for it can be given none"),
        "{in_words}"
    );
    assert!(in_words.contains("`roll_dice`."), "{in_words}");
}

#[test]
fn a_turn_fits_on_a_screen_however_much_it_weighed() {
    let mut trace = full(TurnId(42));
    let assembly = trace.assembly.as_mut().unwrap();
    let one = assembly.chunks[0].clone();
    let fates = [ChunkFate::Kept, ChunkFate::LayerFull, ChunkFate::Kept, ChunkFate::CutAhead];
    assembly.chunks = (0..400_u16)
        .map(|at| ChunkRecord {
            source: format!("history/turn {at}"),
            importance: 3,
            score: f32::from(at),
            fate: fates[usize::from(at) % fates.len()].clone(),
            excerpt: Some("word ".repeat(40)),
            ..one.clone()
        })
        .collect();
    assembly.notes = vec!["something ".repeat(30); 9];
    let shown = render::brief(&trace, Rights::Operator);
    assert!(shown.lines().count() <= 40, "{shown}");
    assert!(shown.lines().skip(2).all(|line| line.chars().count() <= 120), "{shown}");
    for part in [
        "# Turn t42: ",
        "Prompt: 3,412 of at most 8,000 tokens\n",
        "In the prompt: 200 pieces",
        "history/turn 398 (",
        "importance 3 of 5, score 398.00, ",
        "\n  … and 192 more\nLeft out: ",
        "Left out: 200 pieces",
        "100 because its layer was full",
        "100 because older history leaves early, so that the provider's cache serves the next prompts\n",
        "history/turn 399 (",
        "\n  … and 195 more\n",
        "/context t42 all shows everything",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    let to_person = render::brief(&full(TurnId(42)), Rights::Person);
    assert!(!to_person.contains("not everyone here can see"), "{to_person}");
    assert!(!to_person.contains("  … and "), "all pieces are named: {to_person}");
}

#[test]
fn contradiction_12_the_x_ray_says_how_far_our_count_was_off() {
    let mut trace = full(TurnId(42));
    trace.assembly.as_mut().unwrap().prompt_tokens = 3_250;
    let told = render::markdown(&trace, Rights::Person);
    let line = "Counted before it was sent: 3,250 tokens. By the provider: 3,412, +5 %.";
    assert!(told.contains(line), "{told}");
    // Tools come on top of what the budget measures.
    let assembly = trace.assembly.as_mut().unwrap();
    assembly.prompt_tokens = 2_433;
    let plan = serde_json::json!({
        "intent": {"effort": 4, "category": "task", "asks": true, "addressed_to_me": true, "signs": []},
        "modality": "text", "slot": "main_prose", "depth": "fast", "searches": 4, "warm_tokens": 0,
        "budget_tokens": 8_000, "found_tokens": 1_000, "reserve_tokens": 1_500, "tool_tokens": 979,
        "result_tokens": 2_000, "stepped_thinking": false, "recast": false,
        "deadline": {"secs": 5, "nanos": 0}, "quorum": 0.85, "notes": [],
    });
    assembly.plan = Some(serde_json::from_value(plan).unwrap());
    let told = render::markdown(&trace, Rights::Person);
    let line =
        "Counted before it was sent: 3,412 tokens, 979 of them for tools. By the provider: 3,412, +0 %.";
    assert!(told.contains(line), "{told}");
    // A provider that reports nothing is not reported on.
    for call in &mut trace.calls {
        call.usage = None;
    }
    assert!(!render::markdown(&trace, Rights::Person).contains("Counted before"));
}

#[test]
fn the_x_ray_of_a_silent_turn_says_why() {
    insta::assert_snapshot!(render::markdown(&silent(TurnId(43), 7, 1), Rights::Operator));
}

#[test]
fn lists_show_one_line_a_turn() {
    let lines = [render::short(&full(TurnId(42))), render::short(&silent(TurnId(43), 7, 1))];
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn the_x_ray_survives_any_text_in_a_trace() {
    let mut trace = full(TurnId(1));
    trace.trigger = "line one\n# not a heading | `tick`".to_owned();
    trace.request[1].content = "``````\n# still inside\n``````".to_owned();
    let text = render::markdown(&trace, Rights::Operator);
    assert!(!text.contains("\n# not a heading"));
    assert!(text.contains("\n```````\n``````\n# still inside\n``````\n```````\n"));
}

#[tokio::test]
async fn contradiction_16_a_record_in_which_forgotten_words_stand_keeps_its_numbers_only() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions { ring: 1, ..TraceOptions::default() }).await;
    let told = |turn, author, words: &str| TurnTrace {
        request: vec![ChatMessage::new(Role::User, format!("Ana:   {words},\n  and more"))],
        reply: Some("I see.".to_owned()),
        ..TurnTrace { authors: vec![AccountId::discord(author).to_string()], ..full(turn) }
    };
    let mut words = crate::text::echo::Echoes::default();
    words.take("my zebrafinch is called Quillon");
    let turns: Vec<TurnId> = (0..5).map(|_| store.next_turn()).collect();
    store.record(told(turns[0], 1, "something else")).await;
    store.record(told(turns[1], 2, "MY zebrafinch is called Quillon")).await;
    store.record(told(turns[2], 2, "my dog has no name")).await;
    let wished = ErasedWords { people: [AccountId::discord(1)].into(), words: Arc::new(words) };
    assert_eq!(store.answered(&AccountId::discord(1)).await.unwrap(), [turns[0]].into());
    assert_eq!(store.forget(&wished).await.unwrap(), 2);
    assert!(store.whole().get(turns[0]).await.unwrap().is_none(), "it answered the person alone");
    let touched = store.whole().get(turns[1]).await.unwrap().unwrap();
    assert!(
        touched.request.is_empty()
            && touched.reply.is_none()
            && touched.assembly.as_ref().unwrap().chunks.is_empty()
    );
    assert_eq!(touched.calls.len(), full(turns[1]).calls.len(), "what it cost stays");
    for told in [
        render::markdown(&touched, Rights::Operator),
        render::brief(&touched, Rights::Operator),
        render::without_request(&touched),
    ] {
        assert!(told.contains("What") && told.contains("is not known: its record was forgotten"), "{told}");
        assert!(!told.contains("o model") && !told.contains("Why: forgotten"), "{told}");
        assert!(!told.contains("In the prompt: 0 pieces"), "{told}");
    }
    assert!(store.whole().get(turns[2]).await.unwrap().unwrap().reply.is_some());
    // A turn that was on its way meanwhile, and one that was opened later.
    store.forgotten("2026-11-22T00:31:00Z".parse().unwrap());
    store.record(told(turns[3], 2, "my zebrafinch is called Quillon")).await;
    assert!(store.whole().get(turns[3]).await.unwrap().unwrap().request.is_empty());
    let later = "2026-11-22T00:32:00Z".parse().unwrap();
    store
        .record(TurnTrace { opened_at: later, ..told(turns[4], 1, "my zebrafinch is called Quillon") })
        .await;
    assert!(!store.whole().get(turns[4]).await.unwrap().unwrap().request.is_empty(), "said again, it is new");
    store.scrub().await.unwrap();
}

/// Of such a turn only the reply is known, as it had arrived.
#[test]
fn of_a_turn_in_which_the_program_was_killed_nobody_says_that_it_asked_no_model_or_took_no_time() {
    let outcome = Outcome::Cancelled { reason: CancelReason::Killed, messages: 1 };
    let killed = TurnTrace { outcome, total_us: 0, ..silent(TurnId(9), 7, 1) };
    for told in [
        render::markdown(&killed, Rights::Operator),
        render::brief(&killed, Rights::Operator),
        render::without_request(&killed),
    ] {
        assert!(told.contains("its record was lost when the program was killed"), "{told}");
        assert!(!told.contains("o model was asked") && !told.contains("asked no model"), "{told}");
        assert!(!told.contains("0.0 ms"), "{told}");
    }
    assert!(!render::short(&killed).contains("0.0 ms"), "{}", render::short(&killed));
}

/// A call of a job, which asked this and was answered.
fn asking(words: &str) -> ModelCall {
    let mut exchange = Exchange::asks(&[ChatMessage::new(Role::User, words)]);
    exchange.hears("Noted.");
    let answered = full(TurnId(1)).calls.remove(1);
    ModelCall { slot: Slot::MemoryWriter, exchange: Some(Arc::new(exchange)), ..answered }
}

/// A job behind the scenes that began at this time.
fn run(at: &str, call: ModelCall) -> WorkerRun {
    let (worker, did) = ("crystallise".to_owned(), "wrote a fact".to_owned());
    WorkerRun { worker, at: at.parse().unwrap(), us: 900, did, calls: vec![call] }
}

#[tokio::test]
async fn what_jobs_asked_is_forgotten_with_the_turn_they_belong_to() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path(), TraceOptions::default()).await;
    let mut words = crate::text::echo::Echoes::default();
    words.take("my zebrafinch is called Quillon");
    let by_ben = |turn| TurnTrace { authors: vec![AccountId::discord(2).to_string()], ..full(turn) };
    let around = by_ben(store.next_turn());
    let calls = vec![asking("Ana: my zebrafinch is called Quillon")];
    store.record(TurnTrace { calls, ..around.clone() }).await;
    let wished = ErasedWords { people: [AccountId::discord(1)].into(), words: Arc::new(words) };
    assert_eq!(store.forget(&wished).await.unwrap(), 1);
    let kept = store.whole().get(around.id).await.unwrap().unwrap();
    assert!(kept.calls[0].exchange.is_none() && kept.calls[0].usage.is_some(), "{:?}", kept.calls);

    // Jobs wait until a turn tells of them; of what they read before the wish nothing comes back.
    store.forgotten("2026-11-22T00:31:00Z".parse().unwrap());
    let later = by_ben(store.next_turn());
    let background =
        ["2026-11-22T00:30:30Z", "2026-11-22T00:31:30Z"].map(|at| run(at, asking("Ana: hm"))).into();
    let opened_at = "2026-11-22T00:32:00Z".parse().unwrap();
    store.record(TurnTrace { background, opened_at, ..later.clone() }).await;
    let kept = store.whole().get(later.id).await.unwrap().unwrap();
    let is_told: Vec<bool> = kept.background.iter().map(|run| run.calls[0].exchange.is_some()).collect();
    assert_eq!(is_told, [false, true]);
    assert!(!kept.request.is_empty(), "the rest of the turn is as it was");
}

#[tokio::test]
async fn what_jobs_asked_has_a_bound_and_holds_no_secret() {
    let folder = TempDir::new().unwrap();
    let redact = Some(Redactor::new(["sk-very-secret".to_owned()]));
    let store = open(folder.path(), TraceOptions { redact, ..TraceOptions::default() }).await;
    let long = "the key is sk-very-secret! ".repeat(2_000);
    let calls: Vec<ModelCall> = (0..4).map(|_| asking(&long)).collect();
    let background = vec![run("2026-11-22T00:30:00Z", asking(&long))];
    let trace = TurnTrace { calls, background, ..full(store.next_turn()) };
    store.record(trace.clone()).await;
    let kept = store.whole().get(trace.id).await.unwrap().unwrap();
    let calls = kept.calls.iter().chain(&kept.background[0].calls);
    let exchanges: Vec<&Exchange> = calls.filter_map(|call| call.exchange.as_deref()).collect();
    assert_eq!(exchanges.len(), 5, "each is told of");
    assert!(exchanges[0].asked[0].content.starts_with("the key is [redacted]!"));
    assert_eq!(exchanges[4], &Exchange::left_out(), "what the turn waited for comes first");
    assert!(exchanges.iter().map(|exchange| exchange.bytes()).sum::<usize>() <= 64_000);
    let text = serde_json::to_string(&*kept).unwrap();
    assert!(!text.contains("sk-very"));
}
