use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;

use super::usage::{KEPT, LEAST, LearntUse, UseCounts};
use super::*;
use crate::config::{Defaults, FamiliarHome, LiveConfig};
use crate::domain::{ChannelId, FamiliarId, Place, PlaceKind, TokenEncoding};
use crate::llm::{ModelDescription, ToolForm};
use crate::text::phrases::{Languages, language_codes, listed_phrases};
use crate::text::tokens;
use crate::tools::builtin;
use crate::tools::reference_tests::every_part;
use crate::tools::tool::{AnyTool, ReadCall, Shelf, ToolEntry, ToolError};
use crate::tools::tool_box::{CHOSEN_MAX, ToolBox};

#[path = "../../../../../tests/support/page.rs"]
#[expect(unreachable_pub, reason = "integration tests use it as well")]
mod page;

fn stands_on_page(name: &str, made: &str) {
    page::stands_on_page("reference/performance.md", name, made);
}

/// A message and what a good companion would call for it; see tests/fixtures/tools/README.md.
#[derive(Debug, Clone, Deserialize)]
struct Turn {
    text: String,
    language: String,
    tools: BTreeSet<String>,
    kind: String,
    #[serde(rename = "where")]
    place: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    /// Cues may be written by it.
    Tuning,
    /// Only counted.
    Test,
}

fn half_of(text: &str) -> Half {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    if (hash >> 32).is_multiple_of(2) { Half::Tuning } else { Half::Test }
}

fn turns(half: Half) -> Vec<Turn> {
    let lines = include_str!("../../../../../tests/fixtures/tools/turns.jsonl").lines();
    let all = lines.map(|line| serde_json::from_str::<Turn>(line).unwrap());
    all.filter(|turn| half_of(&turn.text) == half).collect()
}

/// A tool that stands in the list.
#[derive(Debug)]
struct Listed(ToolEntry);

impl AnyTool for Listed {
    fn entry(&self) -> &ToolEntry {
        &self.0
    }
    fn exists(&self) -> bool {
        true
    }
    fn is_for(&self, _: &Place) -> bool {
        true
    }
    fn read(&self, _: Value) -> Result<Box<dyn ReadCall + '_>, ToolError> {
        Err(ToolError::Broken("it only stands there".to_owned()))
    }
}

/// The program's own tools as they are described to models, whatever the settings; read once.
fn built_in() -> &'static [ToolEntry] {
    static ENTRIES: LazyLock<Vec<ToolEntry>> = LazyLock::new(|| {
        // Whoever asks may be on a runtime already.
        let read = std::thread::spawn(|| tokio::runtime::Runtime::new().unwrap().block_on(entries()));
        read.join().unwrap()
    });
    &ENTRIES
}

async fn entries() -> Vec<ToolEntry> {
    let (_folder, parts) = every_part().await;
    builtin::builtin_tools(&parts, builtin::OutsideServices::of(&parts.outside, &parts.config))
        .iter()
        .map(|tool| tool.entry().clone())
        .collect()
}

/// 36 built-in ones, which makes 37 with the search; with those of connected programs 61.
fn listed(is_connected: bool) -> Vec<Arc<dyn AnyTool>> {
    #[derive(Deserialize)]
    struct Told {
        name: String,
        description: String,
        parameters: Value,
    }
    let connected = include_str!("../../../../../tests/fixtures/tools/connected.json");
    let told = is_connected.then(|| serde_json::from_str::<Vec<Told>>(connected).unwrap());
    let connected = told.into_iter().flatten().map(|told| ToolEntry {
        parameters: told.parameters,
        ..ToolEntry::new(&told.name, Shelf::World, &told.description)
    });
    let all = built_in().iter().cloned().chain(connected);
    all.map(|entry| -> Arc<dyn AnyTool> { Arc::new(Listed(entry)) }).collect()
}

fn a_box(listed: Vec<Arc<dyn AnyTool>>) -> (TempDir, ToolBox) {
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
    std::fs::create_dir_all(home.root()).unwrap();
    let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
    let tools = ToolBox::of(config, listed);
    tools.warm_up();
    (folder, tools)
}

fn model() -> ModelDescription {
    ModelDescription {
        model: "some/model".to_owned(),
        context_window: 128_000,
        encoding: TokenEncoding::O200k,
        token_ratio: 1.0,
        reasons_natively: false,
        tool_form: ToolForm::Native,
        keeps_prompts: false,
    }
}

/// What is chosen from are tools that there are, and there are cues for all of them.
#[test]
fn what_turns_want_and_cues_are_for_are_tools_of_the_box() {
    let own: BTreeSet<String> =
        built_in().iter().map(|entry| entry.name.to_string()).chain(["tool_search".to_owned()]).collect();
    assert_eq!(own.len(), 37, "the guide says how many there are");
    for turn in turns(Half::Tuning).iter().chain(&turns(Half::Test)) {
        let unknown: Vec<_> = turn.tools.difference(&own).collect();
        assert!(unknown.is_empty(), "{unknown:?} of {:?}", turn.text);
    }
    for name in &own {
        let languages = listed_phrases(&format!("tool: {name}"))
            .fold(Languages::default(), |all, (one, _)| all.with(one));
        for code in language_codes() {
            assert!(languages.overlaps(Languages::of(code)), "nobody asks for {name} in {code}");
        }
    }
    let english = include_str!("../../../../chat/src/text/phrases/en.txt").lines();
    for name in english.filter_map(|line| line.strip_prefix("[tool: ")?.strip_suffix(']')) {
        assert!(own.contains(name), "no tool is called {name}");
    }
}

fn place(channel: u64, turn: &Turn) -> Place {
    let kind = if turn.place == "dm" { PlaceKind::Dm } else { PlaceKind::GuildText };
    Place { kind, ..Place::terminal(ChannelId::from(channel)) }
}

fn offered(tools: &ToolBox, place: &Place) -> (BTreeSet<String>, u32) {
    let specs = tools.specs(place, &model());
    let told: Vec<String> = specs.iter().map(|spec| serde_json::to_string(spec).unwrap()).collect();
    let tokens = told.iter().map(|told| tokens::count(TokenEncoding::O200k, told)).sum();
    (specs.into_iter().map(|spec| spec.name).collect(), tokens)
}

/// What came of turns, each in a conversation of its own.
#[derive(Debug, Default, Clone, Copy)]
struct Score {
    turns: f32,
    wanted: f32,
    offered: f32,
    /// Tools that are offered and not wanted: those that could be called wrongly.
    unwanted: f32,
    tokens: f32,
    all: f32,
    /// Of turns that want nothing: those with more than the constant tools.
    in_vain: f32,
    nothing_wanted: f32,
}

fn scores(tools: &ToolBox, turns: &[Turn]) -> BTreeMap<String, Score> {
    let mut by: BTreeMap<String, Score> = BTreeMap::new();
    // Nothing was chosen in this one.
    let constant = offered(tools, &Place::terminal(ChannelId::from(0_u64))).0.len();
    for (channel, turn) in (1..).zip(turns) {
        let here = place(channel, turn);
        tools.select(&here, &turn.text, &model(), None);
        let (names, tokens) = offered(tools, &here);
        let hard = if turn.kind == "plain" { "plain" } else { "hard" };
        for key in ["all", hard, &format!("kind {}", turn.kind), &format!("language {}", turn.language)] {
            let score = by.entry(key.to_owned()).or_default();
            score.turns += 1.0;
            score.wanted += turn.tools.len() as f32;
            score.offered += turn.tools.intersection(&names).count() as f32;
            score.unwanted += names.difference(&turn.tools).count() as f32;
            score.tokens += tokens as f32;
            score.all += f32::from(u8::from(names.len() > CHOSEN_MAX));
            score.nothing_wanted += f32::from(u8::from(turn.tools.is_empty()));
            score.in_vain += f32::from(u8::from(turn.tools.is_empty() && names.len() > constant));
        }
    }
    by
}

/// Tokens of all these tools and of the search.
fn tokens_of_all(listed: &[Arc<dyn AnyTool>], tools: &ToolBox) -> f32 {
    let specs = tools.specs(&Place::terminal(ChannelId::from(0_u64)), &model());
    let search = specs.into_iter().filter(|spec| spec.name == "tool_search");
    let all = listed.iter().map(|tool| tool.entry().spec()).chain(search);
    all.map(|spec| tokens::count(TokenEncoding::O200k, &serde_json::to_string(&spec).unwrap()) as f32).sum()
}

/// G15: what is wanted is offered, for no more than a quarter of the tokens. The test half is never looked at when cues are
/// written.
#[test]
fn g12_g15_what_a_turn_wants_is_among_the_eight_that_are_offered() {
    const KINDS: [(&str, &str); 5] = [
        ("all", "all"),
        ("kind plain", "one tool"),
        ("kind two", "two or three"),
        ("kind misleading", "words that mislead"),
        ("kind none", "want no tool"),
    ];
    let row = |name: &str, score: &Score| {
        let share = match score.wanted {
            0.0 => "–".to_owned(),
            wanted => format!("{:.1} % ({} of {wanted})", 100.0 * score.offered / wanted, score.offered),
        };
        format!("| {name} | {} | {share} | {:.0} |\n", score.turns, score.tokens / score.turns)
    };
    let mut page = "| Turns of that half | Turns | Wanted tools that are offered | Tokens of tools |\n|---|---|---|---|\n".to_owned();
    let mut below = String::new();
    let is_there = |tool: &Arc<dyn AnyTool>| !["skill_load", "make_room"].contains(&&*tool.entry().name);
    let mut new: Vec<Arc<dyn AnyTool>> = listed(false);
    new.retain(is_there);
    let boxes = [
        ("", listed(false)),
        ("all, where no skill and no `make_room` is set up", new),
        ("all, out of 61 with connected programs", listed(true)),
    ];
    // What an earlier turn of the same channel wanted stays offered: no two turns may share a box and a channel.
    for ((name, listed), half) in
        boxes.iter().flat_map(|one| [Half::Tuning, Half::Test].map(|half| (one, half)))
    {
        let (_folder, tools) = a_box(listed.clone());
        let (everything, all_tokens) = (listed.len() + 1, tokens_of_all(listed, &tools));
        let is_there = |tool: &String| {
            tool == "tool_search" || listed.iter().any(|listed| *listed.entry().name == **tool)
        };
        let mut turns = turns(half);
        turns.iter_mut().for_each(|turn| turn.tools.retain(is_there));
        let by = scores(&tools, &turns);
        let all = by["all"];
        assert!(all.offered / all.wanted >= 0.96, "{half:?}: {all:?}");
        assert!(all.unwanted / all.turns <= CHOSEN_MAX as f32, "{half:?}: {all:?}");
        assert!(all.tokens / all.turns <= 0.27 * all_tokens, "{half:?}: {all:?}");
        assert!(all.all / all.turns <= 0.05, "{half:?}: {all:?}");
        if half == Half::Tuning {
            continue;
        }
        if name.is_empty() {
            KINDS.iter().for_each(|(kind, told)| page.push_str(&row(told, &by[*kind])));
        } else {
            page.push_str(&row(name, &all));
        }
        let promoted = all.wanted - all.offered;
        below.push_str(&format!(
            "- **Out of {everything}:** {:.0} % of {all_tokens} tokens (`o200k`) saved, against an aim of 73 %. {:.1} tools a turn \
             could be called wrongly in place of {:.1}; of {} turns that want no tool, {} are offered some. {promoted} of {} \
             calls ({:.1} %) would bring forward a tool that was not offered.\n",
            100.0 * (1.0 - all.tokens / all.turns / all_tokens),
            all.unwanted / all.turns,
            everything as f32 - all.wanted / all.turns,
            all.nothing_wanted,
            all.in_vain,
            all.wanted,
            100.0 * promoted / all.wanted,
        ));
    }
    stands_on_page("what is offered", &format!("{page}\n{below}"));
}

/// Y16: what there is besides is told in a hundred tokens.
#[test]
fn y16_the_shelves_are_told_in_a_hundred_tokens() {
    let (_folder, tools) = a_box(listed(true));
    let specs = tools.specs(&Place::terminal(ChannelId::from(0_u64)), &model());
    let search = specs.iter().find(|spec| spec.name == "tool_search").unwrap();
    let told = tokens::count(TokenEncoding::O200k, &serde_json::to_string(search).unwrap());
    assert!(told <= 100, "{told}");
}

/// A conversation as they are: three of four turns want nothing.
fn conversation(random: &mut StdRng, turns: &[Turn]) -> Vec<Turn> {
    let of = |kinds: &[&str]| {
        turns.iter().filter(|turn| kinds.contains(&&*turn.kind)).cloned().collect::<Vec<_>>()
    };
    let (none, misleading, some) = (of(&["none"]), of(&["misleading"]), of(&["plain", "two"]));
    let pick = |random: &mut StdRng| {
        let from = match random.random_range(0..20) {
            0..15 => &none,
            15 => &misleading,
            _ => &some,
        };
        from.choose(random).unwrap().clone()
    };
    (0..20).map(|_| pick(random)).collect()
}

/// What is offered changes rarely, because a change costs the prompt behind it anew.
#[test]
fn y16_what_is_offered_changes_rarely_in_a_conversation() {
    const PROMPT: f32 = 6_000.0;
    const CACHED: f32 = 0.1;
    let mut page = "| | chosen and kept | chosen anew each turn | all |\n|---|---|---|---|\n".to_owned();
    let mut below = String::new();
    for is_connected in [false, true] {
        let listed = listed(is_connected);
        let (_folder, tools) = a_box(listed.clone());
        let mut random = StdRng::seed_from_u64(7);
        let (mut changes, mut turns_run, mut missed, mut wanted) = (0.0, 0.0, 0.0, 0.0);
        // Whole prices of tokens: everything offered always; chosen for each turn; kept as long as it fits.
        let mut costs = [0.0_f32; 3];
        let mut cold = [0.0_f32; 3];
        let whole = tokens_of_all(&listed, &tools);
        let test = turns(Half::Test);
        for number in 0..6_u64 {
            let mut last: [Option<BTreeSet<String>>; 2] = [None, None];
            for (at, turn) in (0..).zip(conversation(&mut random, &test)) {
                let kept = place(1_000_000 + number, &turn);
                let alone = place(2_000_000 + number * 100 + at, &turn);
                for (way, here) in [(0, &alone), (1, &kept)] {
                    tools.select(here, &turn.text, &model(), None);
                    let (names, tokens) = offered(&tools, here);
                    let is_same = last[way].as_ref() == Some(&names);
                    let taken = tokens as f32 + PROMPT;
                    costs[way + 1] += if is_same { CACHED * taken } else { taken };
                    cold[way + 1] += taken;
                    if way == 1 {
                        changes += f32::from(u8::from(!is_same && last[way].is_some()));
                        turns_run += 1.0;
                        wanted += turn.tools.len() as f32;
                        missed += turn.tools.difference(&names).count() as f32;
                    }
                    last[way] = Some(names);
                }
                costs[0] += if at == 0 { whole + PROMPT } else { CACHED * (whole + PROMPT) };
                cold[0] += whole + PROMPT;
            }
        }
        let everything = listed.len() + 1;
        for (how, [all, anew, kept]) in [("provider caches", costs), ("nothing cached", cold)] {
            let each = |cost: f32| (cost / turns_run).round();
            page.push_str(&format!(
                "| {everything} tools, {how} | {} | {} | {} |\n",
                each(kept),
                each(anew),
                each(all)
            ));
        }
        below.push_str(&format!(
            "- **Out of {everything}:** what is offered changes {:.1} times in twenty turns, and {:.1} % of what is wanted is not \
             offered.\n",
            20.0 * changes / turns_run,
            100.0 * missed / wanted
        ));
        assert!(20.0 * changes / turns_run <= 7.0, "{changes}");
        assert!(missed / wanted <= 0.15, "{missed} of {wanted}");
        assert!(costs[2] < costs[1], "keeping is cheaper than choosing for each turn: {costs:?}");
    }
    stands_on_page("conversations", &format!("{page}\n{below}"));
}

#[test]
fn g9_it_must_beat_the_table_on_what_was_held_back_and_else_the_table_is_used() {
    let ranking = Ranking::of(texts());
    let shape = |turn: &Turn| shape_of(&ranking, turn);
    let mut counts = UseCounts::default();
    for turn in turns(Half::Tuning).iter().take(20) {
        counts.note(shape(turn), NOTHING);
    }
    assert!(counts.turns() < LEAST && LearntUse::from(&counts).is_none(), "too few to learn from");
    for turn in &turns(Half::Tuning) {
        let nothing = [NOTHING.to_owned()];
        let used: Vec<&String> =
            if turn.tools.is_empty() { nothing.iter().collect() } else { turn.tools.iter().collect() };
        used.iter().for_each(|tool| counts.note(shape(turn), tool));
    }
    let (learnt, contest) = LearntUse::from(&counts).unwrap();
    stands_on_page(
        "learning",
        &format!(
            "- **Learning:** after {} counted uses the {} says best what a fifth of them, held back, used: network {:.2} nats, table {:.2}.\n",
            counts.turns(),
            learnt.name(),
            contest.network,
            contest.table
        ),
    );
    assert_eq!(learnt.name(), if contest.network < contest.table { "network" } else { "table" });
    assert_eq!(LearntUse::from(&counts).unwrap().1, contest, "the same counts teach the same");
    // What was learnt brings tools forward that turns of such a shape used.
    let dice =
        turns(Half::Test).into_iter().find(|turn| turn.tools.len() == 1 && turn.tools.contains("roll_dice"));
    let shape = shape(&dice.unwrap());
    let chances = learnt.chances(&shape, ["roll_dice", "weather", "no such tool"].into_iter());
    assert!(chances[0] > 0.2 && chances[0] > 5.0 * chances[1], "{chances:?}");
    assert!(chances[2].abs() < f32::EPSILON);
}

#[test]
fn m16_where_order_and_company_matter_the_network_wins() {
    let part = |name: &str| name.to_owned();
    let mut counts = UseCounts::default();
    // Which tool it is depends on two parts together, which a table that looks at each alone cannot know.
    for (a, b) in (0..2_u8).flat_map(|a| (0..2_u8).map(move |b| (a, b))) {
        for other in 0..24 {
            let shape = TurnShape(vec![
                format!("a{a}"),
                format!("b{b}"),
                format!("o{}", other % 6),
                format!("p{}", other % 4),
            ]);
            for _ in 0..4 {
                counts.note(shape.clone(), if a == b { "same" } else { "other" });
            }
        }
    }
    let (learnt, contest) = LearntUse::from(&counts).unwrap();
    assert_eq!(learnt.name(), "network", "{contest:?}");
    let shape = TurnShape(vec![part("a0"), part("b1"), part("o3"), part("p3")]);
    let chances = learnt.chances(&shape, ["same", "other"].into_iter());
    assert!(chances[1] > 0.8, "{chances:?}");
}

#[test]
fn no_word_of_a_line_is_in_what_is_kept() {
    let (folder, tools) = a_box(listed(false));
    let own: BTreeSet<String> = {
        let names = listed(false).iter().map(|tool| tool.entry().name.to_string()).collect::<Vec<_>>();
        names.into_iter().flat_map(|name| name.split('_').map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    let own_signs = "shared private dice clock number emoji url question request mention";
    for (channel, turn) in (0..).zip(turns(Half::Test).iter().take(150)) {
        // The next turn of a channel counts the one before.
        let here = place(channel / 4, turn);
        tools.select(&here, &turn.text, &model(), None);
    }
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
    let kept = std::fs::read_to_string(home.tool_use()).unwrap();
    assert!(kept.lines().count() > 50, "{kept}");
    let kept: BTreeSet<String> = kept
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| word.parse::<u32>().is_err())
        .map(str::to_owned)
        .collect();
    for word in kept.iter().filter(|word| !word.is_empty()) {
        assert!(own.contains(word) || own_signs.split(' ').any(|sign| sign == word), "{word:?} is kept");
    }
}

#[test]
fn g16_counts_survive_a_restart_and_have_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tool-use.tsv");
    let shape = |number: usize| TurnShape(vec!["@shared".to_owned(), format!("t{number}")]);
    let mut counts = UseCounts::load(&file);
    (0..3).for_each(|_| counts.note(shape(1), "remind"));
    counts.save(&file).unwrap();
    assert_eq!(UseCounts::load(&file).turns(), 3);
    for number in 0..3 * KEPT {
        counts.note(shape(number), "poll");
        assert!(counts.len() <= KEPT);
    }
    std::fs::write(&file, "no counts\n\u{0}\n1\tpoll\n2\tpoll\t@shared\n").unwrap();
    assert_eq!(UseCounts::load(&file).turns(), 2, "what cannot be read is left out");
}

/// Prints how long a ranking takes; what is asserted is only what it may allocate elsewhere.
#[test]
fn g10_ranking_sixty_tools_is_quick() {
    let ranking = Ranking::of(texts());
    let lines = turns(Half::Test);
    let mut took: Vec<Duration> = lines
        .iter()
        .map(|turn| {
            let begun = Instant::now();
            let fit = ranking.fit(&turn.text);
            assert_eq!(fit.scores.len(), 60);
            begun.elapsed()
        })
        .collect();
    took.sort_unstable();
    println!("60 tools: p50 {:?}, p95 {:?}", took[took.len() / 2], took[took.len() * 95 / 100]);
}

fn texts() -> Vec<ToolText> {
    a_box(listed(true)).1.texts()
}

fn shape_of(ranking: &Ranking, turn: &Turn) -> TurnShape {
    let fit = ranking.fit(&turn.text);
    let by_words = ranking.names().map(|name| &**name).zip(fit.by_words.iter().copied());
    TurnShape::of(turn.place == "dm", &fit.signs, by_words)
}
