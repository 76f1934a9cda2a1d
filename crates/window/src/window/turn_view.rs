//! One turn's record, as its page shows it. Every figure is one that the record holds.

use askama::Template;

use super::markdown::html_of_markdown;
use super::message_view::{Heads, MessageView};
use super::messages;
use super::names::Names;
use super::note_href::{href as note_href, note_named};
use super::pages::{LinkedWords, PageHead};
use super::request_view::{AskedRow, EXCERPT_CHARS, RequestPart, asked_rows, request_parts};
use crate::clock::whole_micros;
use crate::domain::{
    AssemblyFigures, ChunkFate, ChunkRecord, Modality, ModelCall, Outcome, ProcessorSide, ProviderOutcome,
    ProviderStatus, StageTiming, TurnId, TurnTrace,
};
use crate::memory::store::NotePath;
use crate::text::short::{counted, one_line, shortened, thousands};
use crate::trace::Rights;
use crate::trace::render::{
    as_dollars, as_millis, as_seconds, call_end, lasted, lost, outcome, plan_reasons, plan_words,
    processor_result, provider_result, render_fate, reply_call, token_sums, total_cost, trigger,
};

/// A bar's whole length.
const WHOLE: u64 = 1_000;

const NONE: &str = "–";

/// The importance of what can never be left out of a prompt.
const NEVER_LEFT_OUT: u8 = 5;

#[derive(Debug)]
pub(super) struct TurnRow {
    pub id: String,
    pub href: String,
    /// The time of day, and the day.
    pub when: String,
    pub date: String,
    pub datetime: String,
    pub place: String,
    pub guild: Option<String>,
    pub outcome: String,
    /// `replied`, `silent`, `failed`, `undelivered` or `cancelled`
    pub kind: &'static str,
    pub excerpt: Option<String>,
    pub model: Option<String>,
    pub tokens_in: Option<String>,
    pub tokens_out: Option<String>,
    pub cost: Option<String>,
    pub seconds: String,
}

impl TurnRow {
    pub(super) fn of(trace: &TurnTrace, heads: &Heads, names: &Names) -> Self {
        let (place, at) = (&trace.place, heads.local(trace.opened_at));
        let (tokens_in, _, tokens_out) = token_sums(trace);
        let is_asked = tokens_in + tokens_out > 0;
        let reply = trace.reply.as_ref().filter(|reply| !reply.trim().is_empty());
        Self {
            id: trace.id.to_string(),
            href: format!("/xray/{}", trace.id),
            when: at.strftime("%H:%M:%S").to_string(),
            date: at.strftime("%-d %B %Y").to_string(),
            datetime: trace.opened_at.to_string(),
            place: names.place(place),
            guild: place.guild_name.clone(),
            outcome: outcome(trace),
            kind: match trace.outcome {
                Outcome::Replied { .. } => "replied",
                Outcome::Silent { .. } => "silent",
                Outcome::Failed { .. } => "failed",
                Outcome::Undelivered { .. } => "undelivered",
                Outcome::Cancelled { .. } => "cancelled",
            },
            excerpt: reply.map(|reply| shortened(&one_line(reply), EXCERPT_CHARS)),
            model: reply_call(trace).map(|call| call.model.clone()),
            tokens_in: is_asked.then(|| thousands(tokens_in)),
            tokens_out: is_asked.then(|| thousands(tokens_out)),
            cost: total_cost(trace).map(as_dollars),
            seconds: lasted(trace).unwrap_or_else(|| NONE.to_owned()),
        }
    }
}

#[derive(Debug)]
pub(super) struct Figure {
    pub name: &'static str,
    pub value: String,
}

/// Something that took its time: where its bar begins and how long it is, of [`WHOLE`].
#[derive(Debug)]
pub(super) struct Bar {
    pub name: String,
    pub x: u64,
    pub width: u64,
    pub ms: String,
    note: String,
    /// Of a provider: how it did.
    status: &'static str,
    result: String,
}

#[derive(Debug)]
pub(super) struct LayerRow {
    name: &'static str,
    offered_width: u64,
    kept_width: u64,
    kept: String,
    offered: String,
    cap: Option<String>,
}

/// Pieces of one fate.
#[derive(Debug)]
pub(super) struct Pieces {
    title: &'static str,
    count: String,
    tokens: String,
    chunks: Vec<ChunkRow>,
}

#[derive(Debug)]
struct ChunkRow {
    source: String,
    /// Where the note is shown that it is from.
    note: Option<String>,
    layer: &'static str,
    importance: u8,
    score: String,
    tokens: String,
    /// Before whom it was learnt.
    audience: Option<String>,
    why: String,
    excerpt: Option<String>,
    altered: Vec<String>,
    /// Where the prompt is shown without it, where it can be left out.
    without: Option<String>,
}

#[derive(Debug)]
pub(super) struct SearchRow {
    query: String,
    source: String,
    hits: u32,
    best: String,
    ms: String,
    problem: Option<String>,
    /// What was found, with its likelihood.
    found: Vec<(LinkedWords, String)>,
}

#[derive(Debug)]
pub(super) struct LoreRow {
    name: String,
    book: String,
    fired: bool,
    why: String,
    tokens: String,
}

#[derive(Debug)]
pub(super) struct ThoughtRow {
    side: &'static str,
    name: String,
    status: String,
    ms: String,
    made: Option<String>,
    is_open: bool,
}

#[derive(Debug)]
pub(super) struct ToolRow {
    name: String,
    arguments: String,
    result: String,
    failed: bool,
}

#[derive(Debug)]
pub(super) struct CallRow {
    slot: String,
    model: String,
    provider: Option<String>,
    tokens_in: String,
    cached: String,
    tokens_out: String,
    cost: String,
    first_token: String,
    total: String,
    end: String,
    error: Option<String>,
}

#[derive(Debug)]
pub(super) struct RunRow {
    worker: String,
    did: String,
    ms: String,
}

/// Where the pages of the turns before and after it are.
#[derive(Debug)]
pub(super) struct Beside {
    pub previous: Option<String>,
    pub following: Option<String>,
    /// Where it stands beside the one before.
    pub compare: Option<String>,
}

#[derive(Debug, Template)]
#[template(path = "turn.html")]
pub(super) struct TurnPage {
    page: PageHead,
    compare: Option<String>,
    previous: Option<String>,
    following: Option<String>,
    row: TurnRow,
    trigger: String,
    /// What it said is not in its record, though it said something.
    is_forgotten: bool,
    error: Option<String>,
    figures: Vec<Figure>,
    said: Vec<MessageView>,
    reply_html: Option<String>,
    written: Option<String>,
    audience: String,
    modality: &'static str,
    mode: String,
    plan: Option<String>,
    because: Option<String>,
    stages: Vec<Bar>,
    has_providers: bool,
    deadline: Option<String>,
    providers: Vec<Bar>,
    has_call_moments: bool,
    in_call: Vec<Bar>,
    has_prompt: bool,
    prompt_tokens: String,
    budget_tokens: String,
    reserve_tokens: String,
    free_tokens: String,
    stable_tokens: Option<String>,
    fresh_tokens: Option<String>,
    stable_x: u64,
    fresh_width: u64,
    layers: Vec<LayerRow>,
    has_notes: bool,
    notes: Vec<String>,
    dropped: Option<Pieces>,
    kept: Option<Pieces>,
    has_finds: bool,
    has_searches: bool,
    searches: Vec<SearchRow>,
    has_lore: bool,
    lore: Vec<LoreRow>,
    has_work: bool,
    thoughts: Vec<ThoughtRow>,
    tools: Vec<ToolRow>,
    has_calls: bool,
    counted: Option<String>,
    calls: Vec<CallRow>,
    asked: Vec<AskedRow>,
    has_background: bool,
    background: Vec<RunRow>,
    has_request: bool,
    request_count: String,
    request: Vec<RequestPart>,
    parameters: String,
}

/// What the record of a turn says, with what it answers as that still stands.
pub(super) fn turn_page(
    page: PageHead,
    beside: Beside,
    trace: &TurnTrace,
    (heads, names): (&Heads, &Names),
    said: Vec<MessageView>,
) -> TurnPage {
    let row = TurnRow::of(trace, heads, names);
    let assembly = trace.assembly.as_ref();
    let plan = assembly.and_then(|assembly| assembly.plan.as_ref());
    let layout = assembly.and_then(|assembly| assembly.layout);
    let budget = assembly.map_or(0, |assembly| u64::from(assembly.budget_tokens));
    let used = assembly.map_or(0, |assembly| u64::from(assembly.prompt_tokens));
    let stable = layout.map_or(0, |layout| u64::from(layout.stable_tokens).min(used));
    let tokens = |tokens: u64| thousands(tokens);
    let (searches, lore) =
        (assembly.map(search_rows).unwrap_or_default(), assembly.map(lore_rows).unwrap_or_default());
    let (thoughts, tools) = (thoughts(trace), tool_rows(trace));
    TurnPage {
        page,
        previous: beside.previous,
        following: beside.following,
        compare: beside.compare,
        figures: figures(trace, &row),
        row,
        trigger: trigger(trace).to_owned(),
        is_forgotten: trace.reply.is_none() && lost(trace).is_some(),
        error: match &trace.outcome {
            Outcome::Failed { error, .. } | Outcome::Undelivered { error, .. } => Some(error.clone()),
            _ => None,
        },
        said,
        reply_html: trace.reply.as_ref().map(|reply| html_of_markdown(reply)),
        written: trace.processing.written.clone(),
        audience: names.who_hears(&trace.place.audience),
        modality: match trace.modality {
            Modality::Text => "written",
            Modality::Voice => "spoken",
        },
        mode: trace.mode.to_string(),
        // Marks of Markdown are for those who read it as such.
        plan: plan.map(|plan| plan_words(plan).replace('`', "")),
        because: plan.and_then(plan_reasons),
        stages: stages(trace),
        has_providers: assembly.is_some_and(|assembly| !assembly.providers.is_empty()),
        deadline: plan.map(|plan| as_seconds(whole_micros(plan.deadline))),
        providers: assembly.map(|assembly| providers(&assembly.providers)).unwrap_or_default(),
        has_call_moments: !trace.in_call.is_empty(),
        in_call: moments(&trace.in_call),
        has_prompt: assembly.is_some(),
        prompt_tokens: tokens(used),
        budget_tokens: tokens(budget),
        reserve_tokens: tokens(assembly.map_or(0, |assembly| assembly.reserve_tokens.into())),
        free_tokens: tokens(budget.saturating_sub(used)),
        stable_tokens: layout.map(|layout| tokens(layout.stable_tokens.into())),
        fresh_tokens: layout.map(|layout| tokens(layout.fresh_tokens.into())),
        stable_x: share(stable, budget),
        fresh_width: share(used - stable, budget),
        layers: assembly.map(layers).unwrap_or_default(),
        has_notes: assembly.is_some_and(|assembly| !assembly.notes.is_empty()),
        notes: assembly.map(|assembly| assembly.notes.clone()).unwrap_or_default(),
        dropped: assembly.and_then(|assembly| {
            piece_rows((trace.id, names), assembly, "Left out", |fate| *fate != ChunkFate::Kept)
        }),
        kept: assembly.and_then(|assembly| {
            piece_rows((trace.id, names), assembly, "In the prompt", |fate| *fate == ChunkFate::Kept)
        }),
        has_finds: !searches.is_empty() || !lore.is_empty(),
        has_searches: !searches.is_empty(),
        searches,
        has_lore: !lore.is_empty(),
        lore,
        has_work: !thoughts.is_empty() || !tools.is_empty(),
        thoughts,
        tools,
        has_calls: !trace.calls.is_empty() || !trace.background.is_empty(),
        counted: (!trace.calls.is_empty()).then(|| counted(trace.calls.len() as u64, "call")),
        calls: trace.calls.iter().map(model_call_row).collect(),
        asked: asked_rows(trace),
        has_background: !trace.background.is_empty(),
        background: background(trace),
        has_request: !trace.request.is_empty(),
        request_count: counted(trace.request.len() as u64, "message"),
        request: request_parts(trace),
        parameters: serde_json::to_string_pretty(&trace.parameters).unwrap_or_default(),
    }
}

/// A part of something, of [`WHOLE`].
fn share(part: u64, of: u64) -> u64 {
    part.saturating_mul(WHOLE).checked_div(of).unwrap_or(0).min(WHOLE)
}

pub(super) fn figures(trace: &TurnTrace, row: &TurnRow) -> Vec<Figure> {
    let (_, cached, _) = token_sums(trace);
    // As somebody waits for it: a call's own time leaves out what came before the call.
    let first = trace.stages.iter().rev().find(|stage| stage.stage == "first_token");
    let quality = trace.assembly.as_ref().and_then(|assembly| assembly.quality);
    [
        ("In all", Some(row.seconds.clone())),
        ("First token", first.map(|stage| as_seconds(stage.us))),
        ("Tokens in", row.tokens_in.clone()),
        ("of these cached", row.tokens_in.as_ref().map(|_| thousands(cached))),
        ("Tokens out", row.tokens_out.clone()),
        ("Cost", row.cost.clone()),
        ("Quality of the prompt", quality.map(|quality| format!("{:.2}", quality.score))),
    ]
    .into_iter()
    .filter_map(|(name, value)| value.map(|value| Figure { name, value }))
    .collect()
}

fn bar(name: &str, from: u64, us: u64, whole: u64) -> Bar {
    Bar {
        name: messages::stage_name(name),
        x: share(from, whole),
        // What was there is seen.
        width: share(us, whole).max(2).min(WHOLE - share(from, whole).min(WHOLE)),
        ms: as_millis(us),
        note: String::new(),
        status: "",
        result: String::new(),
    }
}

/// Each stage from the end of the one before it; inside the assembling of the prompt its own stages.
fn stages(trace: &TurnTrace) -> Vec<Bar> {
    let mut all = Vec::new();
    let (mut from, mut parts) = (0, trace.assembly.as_ref().map(|assembly| &assembly.stages));
    for stage in &trace.stages {
        all.push(bar(&stage.stage, from, stage.us.saturating_sub(from), trace.total_us));
        let mut inside = from;
        for part in parts.take().into_iter().flatten() {
            let shown = bar(&part.stage, inside, part.us, trace.total_us);
            all.push(Bar { note: messages::part_of_stage(&stage.stage), ..shown });
            inside += part.us;
        }
        from = from.max(stage.us);
    }
    all
}

fn providers(asked: &[ProviderOutcome]) -> Vec<Bar> {
    let longest = asked.iter().map(|provider| provider.us).max().unwrap_or(0);
    let shown = |provider: &ProviderOutcome| Bar {
        status: match provider.status {
            ProviderStatus::Ok { .. } => "ok",
            ProviderStatus::Cached { .. } => "cached",
            ProviderStatus::Late => "late",
            ProviderStatus::NotAwaited => "not_awaited",
            ProviderStatus::Partly { .. } => "partly",
            ProviderStatus::Failed { .. } => "failed",
        },
        result: provider_result(&provider.status, Rights::Operator),
        name: provider.provider.clone(),
        ..bar("", 0, provider.us, longest)
    };
    asked.iter().map(shown).collect()
}

/// How an answer in a call came about, from the moment in which whoever is answered fell silent.
pub(super) fn call_bars(trace: &TurnTrace) -> Vec<Bar> {
    moments(&trace.in_call)
}

fn moments(in_call: &[StageTiming]) -> Vec<Bar> {
    let last = in_call.iter().map(|moment| moment.us).max().unwrap_or(0);
    in_call.iter().map(|moment| bar(&moment.stage, 0, moment.us, last)).collect()
}

fn layers(assembly: &AssemblyFigures) -> Vec<LayerRow> {
    let offered = assembly.layers.iter().filter(|layer| layer.offered > 0);
    let most = offered.clone().map(|layer| u64::from(layer.offered)).max().unwrap_or(0);
    offered
        .map(|layer| LayerRow {
            name: layer.layer.as_str(),
            offered_width: share(layer.offered.into(), most),
            kept_width: share(layer.kept.into(), most),
            kept: thousands(layer.kept.into()),
            offered: thousands(layer.offered.into()),
            cap: layer.cap.map(|cap| thousands(cap.into())),
        })
        .collect()
}

fn piece_rows(
    (turn, names): (TurnId, &Names),
    assembly: &AssemblyFigures,
    title: &'static str,
    which: fn(&ChunkFate) -> bool,
) -> Option<Pieces> {
    let of_them: Vec<&ChunkRecord> = assembly.chunks.iter().filter(|chunk| which(&chunk.fate)).collect();
    let row = |chunk: &&ChunkRecord| ChunkRow {
        source: chunk.source.clone(),
        note: note_named(&chunk.source).as_ref().map(note_href),
        layer: chunk.layer.as_str(),
        importance: chunk.importance,
        score: format!("{:.2}", chunk.score),
        tokens: thousands(chunk.tokens.into()),
        audience: chunk.audience.as_ref().map(|audience| names.who_hears(audience)),
        why: render_fate(&chunk.fate),
        excerpt: chunk.excerpt.clone(),
        altered: chunk.altered.clone(),
        without: (chunk.fate == ChunkFate::Kept && chunk.importance < NEVER_LEFT_OUT)
            .then(|| without_href(turn, &chunk.source)),
    };
    (!of_them.is_empty()).then(|| Pieces {
        title,
        count: counted(of_them.len() as u64, "piece"),
        tokens: thousands(of_them.iter().map(|chunk| u64::from(chunk.tokens)).sum()),
        chunks: of_them.iter().map(row).collect(),
    })
}

/// Something by the name that the record has for it, with the note that it is from.
fn piece_of(source: &str) -> LinkedWords {
    LinkedWords { words: source.to_owned(), href: note_named(source).as_ref().map(note_href) }
}

/// Whether a note was in a turn's prompt.
pub(super) fn has_used(trace: &TurnTrace, note: &NotePath) -> bool {
    let mut kept = trace.assembly.iter().flat_map(|assembly| &assembly.chunks);
    kept.any(|chunk| chunk.fate == ChunkFate::Kept && note_named(&chunk.source).as_ref() == Some(note))
}

/// Where the turn's prompt stands beside what it would be without a piece.
fn without_href(turn: TurnId, source: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("one", &turn.to_string())
        .append_pair("without", source)
        .finish();
    format!("/xray/compare?{query}")
}

fn search_rows(assembly: &AssemblyFigures) -> Vec<SearchRow> {
    let row = |search: &crate::domain::SearchFigures| SearchRow {
        query: search.query.clone(),
        source: search.source.clone(),
        hits: search.hits,
        best: format!("{:.2}", search.best),
        ms: as_millis(search.us),
        problem: search.problem.clone(),
        found: search.found.iter().map(|(from, score)| (piece_of(from), format!("{score:.2}"))).collect(),
    };
    assembly.searches.iter().map(row).collect()
}

fn lore_rows(assembly: &AssemblyFigures) -> Vec<LoreRow> {
    let row = |entry: &crate::domain::LoreRecord| LoreRow {
        name: entry.name.clone(),
        book: entry.book.clone(),
        fired: entry.fired,
        why: entry.why.to_string(),
        tokens: thousands(entry.tokens.into()),
    };
    assembly.lore.iter().map(row).collect()
}

fn thoughts(trace: &TurnTrace) -> Vec<ThoughtRow> {
    let row = |run: &crate::domain::ProcessorRecord| ThoughtRow {
        side: match run.side {
            ProcessorSide::Before => "before",
            ProcessorSide::After => "after",
        },
        name: run.processor.clone(),
        status: processor_result(&run.status),
        ms: as_millis(run.us),
        made: run.made.clone().filter(|made| !made.trim().is_empty()),
        is_open: false,
    };
    trace.processing.runs.iter().map(row).collect()
}

fn tool_rows(trace: &TurnTrace) -> Vec<ToolRow> {
    let rounds = trace.blackboard().rounds().iter();
    rounds
        .flat_map(|round| round.calls.iter().zip(&round.results))
        .map(|(call, result)| ToolRow {
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            result: result.content.clone(),
            failed: result.failed,
        })
        .collect()
}

fn model_call_row(call: &ModelCall) -> CallRow {
    let missing = || NONE.to_owned();
    let usage = |figure: fn(&crate::domain::Usage) -> u32| {
        call.usage.as_ref().map_or_else(missing, |usage| thousands(figure(usage).into()))
    };
    CallRow {
        slot: call.slot.to_string(),
        model: call.model.clone(),
        provider: call.provider.clone(),
        tokens_in: usage(|usage| usage.prompt_tokens),
        cached: usage(|usage| usage.cached_tokens),
        tokens_out: usage(|usage| usage.completion_tokens),
        cost: call.usage.and_then(|usage| usage.cost_usd).map_or_else(missing, as_dollars),
        first_token: call.first_token_ms.map_or_else(missing, |ms| format!("{} ms", thousands(ms))),
        total: format!("{} ms", thousands(call.total_ms)),
        end: call_end(call).unwrap_or_else(missing),
        error: call.error.as_ref().map(|(_, error)| error.clone()),
    }
}

fn background(trace: &TurnTrace) -> Vec<RunRow> {
    let row = |run: &crate::domain::WorkerRun| RunRow {
        worker: run.worker.clone(),
        did: run.did.clone(),
        ms: as_millis(run.us),
    };
    trace.background.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_leads_to_its_note_by_the_name_in_the_record() {
        let named = |source: &str| note_named(source).map(|note| note.to_string());
        for (source, note) in [
            ("people/discord-1.md", "people/discord-1.md"),
            ("recalled/02.0 topics/old ropes.md § top 2", "topics/old ropes.md"),
            ("warm/recalled/01.0 sessions/2026/02.md#k3v9", "sessions/2026/02.md"),
        ] {
            assert_eq!(named(source).as_deref(), Some(note));
        }
        for none in ["character/description", "recalled/01.1 channel people/x", "mytopics/a.md", ""] {
            assert_eq!(named(none), None, "{none}");
        }
    }
}
