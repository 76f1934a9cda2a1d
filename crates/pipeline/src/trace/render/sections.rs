//! The parts of the x-ray, in their order.

use std::fmt::Write as _;

use super::{
    Rights, as_dollars, as_millis, as_seconds, cell, cost_of, fenced, lasted, lost, outcome, thousands,
    total_cost, trigger,
};
use crate::clock::whole_micros;
use crate::domain::{
    AssemblyFigures, Blackboard, CacheFigures, CachedBy, ChunkFate, ChunkRecord, Depth, ExecutionPlan,
    FinishReason, LoreLevel, LoreRecord, LoreWhy, Modality, ModelCall, Processing, ProcessorRecord,
    ProcessorSide, ProcessorStatus, ProviderStatus, RenderMode, RerankFigures, RisenFind, SearchFigures,
    Slot, TurnTrace,
};

pub(super) fn render_header(text: &mut String, trace: &TurnTrace) {
    let place = &trace.place;
    let channel = place.channel_name.clone().unwrap_or_else(|| place.channel.to_string());
    let guild = place.guild_name.as_ref().map(|guild| format!(" in {}", cell(guild))).unwrap_or_default();
    let modality = match trace.modality {
        Modality::Text => "written",
        Modality::Voice => "spoken",
    };
    let _ = writeln!(text, "# Turn {}: {}\n", trace.id, cell(&outcome(trace)));
    let _ = writeln!(text, "- **Familiar:** {}", trace.familiar);
    let _ = writeln!(text, "- **Where:** {}{}, audience `{}`", cell(&channel), guild, place.audience);
    let _ = writeln!(text, "- **How:** {modality}, mode `{}`", trace.mode);
    let in_all = lasted(trace).map(|seconds| format!(", {seconds} in all")).unwrap_or_default();
    let _ = writeln!(text, "- **When:** {}{in_all}", trace.opened_at.strftime("%F %T%.3f UTC"));
    let _ = writeln!(text, "- **Why:** {}", cell(trigger(trace)));
    if !trace.authors.is_empty() {
        let _ = writeln!(text, "- **Answers:** {}", cell(&trace.authors.join(", ")));
    }
    if !trace.pending.is_empty() {
        let rows: Vec<_> = trace.pending.iter().map(|id| id.0.to_string()).collect();
        let _ = writeln!(text, "- **Stored messages:** {}", rows.join(", "));
    }
    if let Some(dollars) = total_cost(trace) {
        let _ = writeln!(text, "- **Cost:** {}", as_dollars(dollars));
    }
}

pub(super) fn times(text: &mut String, trace: &TurnTrace) {
    let inside = trace.assembly.iter().flat_map(|assembly| &assembly.stages);
    let inside = inside.map(|stage| [format!("context: {}", cell(&stage.stage)), as_millis(stage.us)]);
    let stages = trace.stages.iter().map(|stage| [cell(&stage.stage), as_millis(stage.us)]);
    table(text, "\n## Times\n\n| Stage | ms |\n| --- | ---: |\n", stages.chain(inside));
}

/// Rows below `head`, which is left out where there are none.
fn table<const N: usize>(text: &mut String, head: &str, rows: impl Iterator<Item = [String; N]>) {
    for (at, row) in rows.enumerate() {
        text.push_str(if at == 0 { head } else { "" });
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

/// In a call: from the moment in which they fell silent.
pub(super) fn render_call(text: &mut String, trace: &TurnTrace) {
    let head = "\n## In the call\n\n| After they fell silent | ms |\n| --- | ---: |\n";
    table(text, head, trace.in_call.iter().map(|moment| [cell(&moment.stage), as_millis(moment.us)]));
}

pub(super) fn render_calls(text: &mut String, trace: &TurnTrace) {
    let head = "\n## Model calls\n\n| Job | Model | Provider | In | Cached | Written | Out | Reasoning | Cost | First token | Total | End |\n\
                | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    table(text, head, trace.calls.iter().map(call_row));
    cached_by_providers(text, &trace.calls);
    for call in &trace.calls {
        if let Some((class, error)) = &call.error {
            let _ = writeln!(text, "\n`{}` failed ({}): {}", cell(&call.model), snake(class), cell(error));
        }
    }
}

/// How far our count of the prompt was off (contradiction 12): before it was sent, and as the provider that read
/// it first says. Later rounds hold what tools gave, which no plan knows.
pub(super) fn counting(text: &mut String, trace: &TurnTrace) {
    let Some(assembly) = &trace.assembly else { return };
    let slot = assembly.plan.as_ref().map_or(Slot::MainProse, |plan| plan.slot);
    let first = trace.calls.iter().filter(|call| call.slot == slot).find_map(|call| call.usage);
    let Some(read) = first.map(|usage| usage.prompt_tokens).filter(|tokens| *tokens > 0) else { return };
    let tools = assembly.plan.as_ref().map_or(0, |plan| plan.tool_tokens);
    let counted = assembly.prompt_tokens.saturating_add(tools);
    let off = (f64::from(read) / f64::from(counted.max(1)) - 1.0) * 100.0;
    // They are beside the budget that the prompt is measured by.
    let of_tools = match tools {
        0 => String::new(),
        tools => format!(", {} of them for tools", thousands(tools.into())),
    };
    let _ = writeln!(
        text,
        "\nCounted before it was sent: {} tokens{of_tools}. By the provider: {}, {off:+.0} %.",
        thousands(counted.into()),
        thousands(read.into()),
    );
}

fn call_row(call: &ModelCall) -> [String; 12] {
    let missing = || "–".to_owned();
    let usage = |figure: fn(&crate::domain::Usage) -> u32| {
        call.usage.as_ref().map_or_else(missing, |usage| thousands(u64::from(figure(usage))))
    };
    [
        call.slot.to_string(),
        cell(&call.model),
        call.provider.as_deref().map_or_else(missing, cell),
        usage(|usage| usage.prompt_tokens),
        usage(|usage| usage.cached_tokens),
        usage(|usage| usage.cache_write_tokens),
        usage(|usage| usage.completion_tokens),
        usage(|usage| usage.reasoning_tokens),
        call.usage.and_then(|usage| usage.cost_usd).map_or_else(missing, as_dollars),
        call.first_token_ms.map_or_else(missing, |ms| format!("{} ms", thousands(ms))),
        format!("{} ms", thousands(call.total_ms)),
        call_end(call).unwrap_or_else(missing),
    ]
}

/// How a call ended, in a word or two: by which failure, or why the model stopped.
pub fn call_end(call: &ModelCall) -> Option<String> {
    match (&call.error, &call.finish) {
        (Some((class, _)), _) => Some(snake(class)),
        (None, Some(FinishReason::Other(reason))) => Some(cell(reason)),
        (None, Some(reason)) => Some(snake(reason)),
        (None, None) => None,
    }
}

/// What the message was judged to be, and what could be spent on it: `Effort 4 of 10, …`.
pub fn plan_words(plan: &ExecutionPlan) -> String {
    let mut text = format!(
        "Effort {} of 10, {}: {} search{}, up to {} tokens of finds, told {}, answered by `{}`, up to {}",
        plan.intent.effort.level(),
        plan.intent.category.as_str().replace('_', " "),
        plan.searches,
        if plan.searches == 1 { "" } else { "es" },
        thousands(plan.found_tokens.into()),
        told_at(plan.depth),
        plan.slot,
        as_seconds(whole_micros(plan.deadline)),
    );
    for (is_on, what) in [
        (plan.stepped_thinking, ", thinks first"),
        (plan.recast, ", style polished"),
        (plan.intent.asks, ", asks something"),
        (!plan.intent.addressed_to_me, ", not meant for the familiar"),
    ] {
        if is_on {
            text.push_str(what);
        }
    }
    text
}

/// How much a prompt tells.
fn told_at(depth: Depth) -> &'static str {
    match depth {
        Depth::Axioms => "only who it is and what is being said",
        Depth::Fast => "also a little of what was found",
        Depth::Full => "everything ordinary",
        Depth::FullGraph => "also how people and things are connected",
        Depth::AllLayers => "all there is room for",
    }
}

/// Why it was judged so; `None` where no sign is recorded.
pub fn plan_reasons(plan: &ExecutionPlan) -> Option<String> {
    let why: Vec<&str> = plan.intent.signs.iter().chain(&plan.notes).map(String::as_str).collect();
    (!why.is_empty()).then(|| cell(&why.join("; ")))
}

pub(super) fn render_context(text: &mut String, assembly: &AssemblyFigures, reader: Rights) {
    let layout = match assembly.render {
        RenderMode::Layered => "layered",
        RenderMode::St => "st",
    };
    text.push_str("\n## Context\n\n");
    let _ = writeln!(
        text,
        "{} of {} tokens, {} more kept free for the reply, layout `{layout}`.",
        thousands(assembly.prompt_tokens.into()),
        thousands(assembly.budget_tokens.into()),
        thousands(assembly.reserve_tokens.into()),
    );
    if let Some(waste) = assembly.packing_waste.filter(|waste| *waste > 0.0) {
        let percent = waste * 100.0;
        let _ = writeln!(
            text,
            "\n{percent:.0} % of that stayed free although something was left out for want of room."
        );
    }
    if let Some(window) = &assembly.window {
        let share = u64::from(window.used) * 100 / u64::from(window.cap.max(1));
        let _ = writeln!(
            text,
            "\nThe conversation takes {} of {} tokens ({share} %): {}.",
            thousands(window.used.into()),
            thousands(window.cap.into()),
            window.verdict,
        );
    }
    if let Some(layout) = &assembly.layout {
        let _ = write!(
            text,
            "\n{} tokens begin as the last prompt did, {} are new",
            thousands(layout.stable_tokens.into()),
            thousands(layout.fresh_tokens.into()),
        );
        let _ = match layout.differs_at {
            Some((message, byte)) => {
                writeln!(text, "; the first change is in message {}, byte {byte}.", message + 1)
            }
            None => writeln!(text, "."),
        };
    }
    if let Some(card) = &assembly.short_card {
        let by = if card.is_written { "as you wrote it" } else { "made of the card's own sentences" };
        let _ = writeln!(
            text,
            "\nThe short card stood for the whole one, {by}: {} of {} tokens.",
            thousands(card.short.into()),
            thousands(card.whole.into()),
        );
    }
    if assembly.spared_tokens > 0 {
        let spared = thousands(assembly.spared_tokens.into());
        let _ = writeln!(text, "\nThis model's settings spare it {spared} tokens.");
    }
    if let Some(quality) = &assembly.quality {
        let _ = writeln!(
            text,
            "\nQuality {:.2}: sources {:.2}, layers {:.2}, freshness {:.2}, kept worth {:.2}, unclipped {:.2}.",
            quality.score,
            quality.coverage,
            quality.completeness,
            quality.freshness,
            quality.retention,
            quality.wholeness,
        );
    }
    let layers = assembly.layers.iter().map(|layer| {
        let cap = layer.cap.map_or_else(|| "–".to_owned(), |cap| thousands(cap.into()));
        [layer.layer.as_str().to_owned(), thousands(layer.kept.into()), thousands(layer.offered.into()), cap]
    });
    table(text, "\n| Layer | Sent | Offered | Cap |\n| --- | ---: | ---: | ---: |\n", layers);
    let providers = assembly.providers.iter().map(|provider| {
        let result = provider_result(&provider.status, reader);
        [cell(&provider.provider), as_millis(provider.us), result]
    });
    table(text, "\n| Provider | ms | Result |\n| --- | ---: | --- |\n", providers);
    render_searches(text, &assembly.searches);
    reranked(text, &assembly.reranked);
    let (kept, dropped): (Vec<_>, Vec<_>) = assembly
        .chunks
        .iter()
        .filter(|chunk| reader.may_read_piece(chunk))
        .partition(|chunk| chunk.fate == ChunkFate::Kept);
    chunks(text, "Left out", &dropped);
    chunks(text, "In the prompt", &kept);
    if reader != Rights::Person {
        lore(text, &assembly.lore);
    }
    if !assembly.notes.is_empty() {
        text.push_str("\n### Notes\n\n");
        for note in &assembly.notes {
            let _ = writeln!(text, "- {}", cell(note));
        }
    }
}

/// What came of asking a provider, in words. Anybody but the operator is told no number of pieces, which would tell of
/// those that were held back.
pub fn provider_result(status: &ProviderStatus, reader: Rights) -> String {
    let told = |pieces: usize, how: &str, uncounted: &str| match (reader, pieces) {
        (Rights::Operator, 1) => format!("1 piece{how}"),
        (Rights::Operator, pieces) => format!("{pieces} pieces{how}"),
        _ => uncounted.to_owned(),
    };
    match status {
        ProviderStatus::Ok { contributions } => told(*contributions, "", "in time"),
        ProviderStatus::Cached { contributions } => told(*contributions, ", still warm", "still warm"),
        ProviderStatus::Partly { contributions } => {
            told(*contributions, ", the rest not waited for", "in part")
        }
        ProviderStatus::NotAwaited => "not waited for, the others had found enough".to_owned(),
        ProviderStatus::Late => "too late, left out".to_owned(),
        ProviderStatus::Failed { error } => format!("failed: {}", cell(error)),
    }
}

/// Entries that were called up, and those that were not and why; the many that had nothing to do with the turn are only
/// counted, `familiar context --json` names them.
fn lore(text: &mut String, records: &[LoreRecord]) {
    if records.is_empty() {
        return;
    }
    let (fired, others): (Vec<_>, Vec<_>) = records.iter().partition(|record| record.fired);
    let is_plain = |why: &LoreWhy| matches!(why, LoreWhy::NoKeyFound | LoreWhy::NoKeys | LoreWhy::Disabled);
    let told: Vec<_> = others.iter().filter(|record| !is_plain(&record.why)).collect();
    let _ = writeln!(text, "\n### Lore ({} of {} entries called up)\n", fired.len(), records.len());
    for record in &fired {
        let how_much = match record.level {
            Some(LoreLevel::Line) => ", its first sentence",
            Some(LoreLevel::Paragraph) => ", its first paragraph",
            Some(LoreLevel::Full) | None => "",
        };
        let _ = writeln!(
            text,
            "- **{}** ({}, {} tokens{how_much}): {}",
            cell(&record.name),
            cell(&record.book),
            thousands(record.tokens.into()),
            cell(&record.why.to_string()),
        );
    }
    for record in &told {
        let _ = writeln!(
            text,
            "- not {} ({}): {}",
            cell(&record.name),
            cell(&record.book),
            cell(&record.why.to_string())
        );
    }
    if others.len() > told.len() {
        let _ = writeln!(text, "- not {} more: no key of theirs in what was read", others.len() - told.len());
    }
}

fn render_searches(text: &mut String, searches: &[SearchFigures]) {
    let rows = searches.iter().map(|search| {
        let finds = search.problem.as_deref().map_or_else(|| search.hits.to_string(), cell);
        let best = format!("{:.2}", search.best);
        [cell(&search.query), cell(&search.source), finds, best, as_millis(search.us)]
    });
    let head =
        "\n### Searches\n\n| Looked for | In | Finds | Best | ms |\n| --- | --- | ---: | ---: | ---: |\n";
    table(text, head, rows);
}

fn reranked(text: &mut String, runs: &[RerankFigures]) {
    for run in runs {
        let model = if run.model.is_empty() { "no model" } else { &run.model };
        let _ = write!(text, "\nReranked by {}, {} ms: ", cell(model), as_millis(run.us));
        if let Some(problem) = &run.problem {
            let _ = writeln!(text, "{}; {} finds stay in the order they had.", cell(problem), run.finds);
            continue;
        }
        let _ = write!(text, "{} of {} finds moved", run.moved, run.finds);
        let risen = |one: &RisenFind| format!("{} from {} to {}", cell(&one.find), one.from, one.to);
        let risen: Vec<String> = run.risen.iter().map(risen).collect();
        let _ = match risen.is_empty() {
            true => writeln!(text, "."),
            false => writeln!(text, ": {}.", risen.join(", ")),
        };
    }
}

fn chunks(text: &mut String, title: &str, chunks: &[&ChunkRecord]) {
    let total: u64 = chunks.iter().map(|chunk| u64::from(chunk.tokens)).sum();
    let head = format!(
        "\n### {title} ({}, {} tokens)\n\n| Piece | Layer | Importance | Score | Tokens | Why |\n| --- | --- | ---: | ---: | ---: | --- |\n",
        chunks.len(),
        thousands(total),
    );
    let rows = chunks.iter().map(|chunk| {
        let why =
            std::iter::once(render_fate(&chunk.fate)).chain(chunk.altered.iter().map(|what| cell(what)));
        [
            cell(&chunk.source),
            chunk.layer.as_str().to_owned(),
            chunk.importance.to_string(),
            format!("{:.2}", chunk.score),
            thousands(chunk.tokens.into()),
            why.collect::<Vec<_>>().join("; "),
        ]
    });
    table(text, &head, rows);
}

/// Why a piece is in the prompt or is not.
pub fn render_fate(fate: &ChunkFate) -> String {
    match fate {
        ChunkFate::Kept => "in the prompt".to_owned(),
        ChunkFate::LayerFull => "its layer was full".to_owned(),
        ChunkFate::PromptFull => "the prompt was full".to_owned(),
        ChunkFate::CutAhead => {
            "older history leaves early, so that the provider's cache serves the next prompts".to_owned()
        }
        ChunkFate::ToldOtherwise => "its messages are shown, or other summaries tell of them".to_owned(),
        ChunkFate::SectionFull => "its section was full".to_owned(),
        ChunkFate::LeftOut { reason } => format!("not wanted here: {}", cell(reason)),
        ChunkFate::WithGroup => "went with its group".to_owned(),
        ChunkFate::NotNeeded => "better finds filled what the question needs".to_owned(),
        ChunkFate::Duplicate => "the same text was already there".to_owned(),
        ChunkFate::Clipped => "the text was longer than its source allows".to_owned(),
        ChunkFate::NotForHere { audience } => {
            format!("learnt in `{audience}`, which not everyone here can see")
        }
        ChunkFate::Screened { reason } => format!("taken out: {}", cell(reason)),
    }
}

pub(super) fn render_request(text: &mut String, trace: &TurnTrace, reader: Rights) {
    if !trace.parameters.is_null() {
        let parameters = serde_json::to_string_pretty(&trace.parameters).unwrap_or_default();
        let _ = write!(text, "\n## Parameters\n\n{}", fenced(&parameters, "json"));
    }
    if trace.request.is_empty() {
        if let Some(lost) = lost(trace) {
            let _ = writeln!(text, "\nWhat it was told is not known: {lost}.");
        }
        return;
    }
    text.push_str("\n## Request, word for word\n");
    for (number, message) in (1..).zip(&trace.request) {
        if !reader.may_read(message) {
            let _ = write!(
                text,
                "\n### {number}. {}, not shown: the character, its lore, what was looked up\n",
                message.role.as_str()
            );
            continue;
        }
        let name = message.name.as_ref().map(|name| format!(" ({})", cell(name))).unwrap_or_default();
        let _ = write!(
            text,
            "\n### {number}. {}{}\n\n{}",
            message.role.as_str(),
            name,
            fenced(&message.content, "")
        );
    }
}

pub(super) fn render_reply(text: &mut String, trace: &TurnTrace) {
    if let Some(reply) = &trace.reply {
        let _ = write!(text, "\n## Reply, as delivered\n\n{}", fenced(reply, ""));
    }
}

/// The name a value has in traces and configuration.
fn snake(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name.replace('_', " "),
        _ => "unknown".to_owned(),
    }
}

pub(super) fn render_runs(text: &mut String, trace: &TurnTrace) {
    let rows = trace.background.iter().map(|run| {
        let dollars = cost_of(&run.calls);
        [
            cell(&run.worker),
            run.at.strftime("%T").to_string(),
            as_millis(run.us),
            run.calls.len().to_string(),
            dollars.map_or_else(|| "–".to_owned(), as_dollars),
            cell(&run.did),
        ]
    });
    let head = "\n## Behind the scenes, since the turn before\n\n| Job | When | ms | Calls | Cost | What |\n| --- | --- | ---: | ---: | ---: | --- |\n";
    table(text, head, rows);
}

/// One line for every call of which something comes again.
fn cached_by_providers(text: &mut String, calls: &[ModelCall]) {
    for call in calls {
        let saved = call.usage.and_then(|usage| usage.cache_discount_usd).map(saved);
        let parts: Vec<String> = call.cache.as_ref().map(cache_words).into_iter().chain(saved).collect();
        if !parts.is_empty() {
            let _ = writeln!(text, "\nCache of `{}`: {}.", call.slot, parts.join("; "));
        }
    }
}

fn cache_words(cache: &CacheFigures) -> String {
    let tokens = |tokens: u32| thousands(tokens.into());
    if cache.repeatable_tokens < cache.minimum_tokens {
        return format!(
            "not cached: {} of {} tokens needed",
            tokens(cache.repeatable_tokens),
            tokens(cache.minimum_tokens)
        );
    }
    match (cache.by, cache.marked.as_slice()) {
        (CachedBy::Itself, _) => {
            format!("left to the provider; {} tokens come again", tokens(cache.repeatable_tokens))
        }
        (CachedBy::Markers, []) => "not cached yet: too few tokens up to where the marker rests".to_owned(),
        (CachedBy::Markers, [only]) => format!("marked at {} tokens", tokens(*only)),
        (CachedBy::Markers, marked) => {
            let marked: Vec<String> = marked.iter().map(|at| tokens(*at)).collect();
            let (last, others) = marked.split_last().map_or(("", &[][..]), |(last, others)| (last, others));
            format!("marked at {} and {last} tokens", others.join(", "))
        }
    }
}

/// What the cache saved, or cost where writing to it was dearer.
fn saved(dollars: f64) -> String {
    if dollars < 0.0 {
        format!("it cost {} more", as_dollars(-dollars))
    } else {
        format!("it saved {}", as_dollars(dollars))
    }
}

/// What the turn held while it ran: its plan, its thoughts, what tools gave.
pub(super) fn render_blackboard(text: &mut String, trace: &TurnTrace) {
    let blackboard = trace.blackboard();
    if let Some(plan) = blackboard.plan() {
        let _ = writeln!(text, "\n## Plan\n\n{}.", plan_words(plan));
        if let Some(why) = plan_reasons(plan) {
            let _ = writeln!(text, "Because: {why}.");
        }
    }
    thought_first(text, blackboard);
    render_tools(text, trace);
}

/// What was thought before the reply, which nobody else gets to see.
fn thought_first(text: &mut String, blackboard: Blackboard<'_>) {
    let runs: Vec<_> = blackboard.thoughts().collect();
    if runs.is_empty() {
        return;
    }
    text.push_str("\n## Thought first\n");
    processor_table(text, &runs);
    let _ = writeln!(
        text,
        "\nModel calls before the reply's first token, its own not counted: {}.",
        blackboard.calls_before_first_token()
    );
    for run in runs {
        if let Some(made) = run.made.as_ref().filter(|made| !made.is_empty()) {
            let _ = write!(text, "\n{}", fenced(made, ""));
        }
    }
}

/// What the model looked up or did before it answered.
fn render_tools(text: &mut String, trace: &TurnTrace) {
    let told: Vec<String> = trace.tools().iter().map(|tool| format!("`{}`", cell(&tool.name))).collect();
    let (rounds, selection) = (trace.blackboard().rounds(), &trace.processing.tool_selection);
    if told.is_empty() && rounds.is_empty() && selection.is_none() {
        return;
    }
    text.push_str("\n## Tools\n");
    if let Some(choice) = selection {
        let scored = choice.scored.iter().map(|(name, score)| format!("{} {score:.2}", cell(name)));
        let scored = scored.collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "\nBy {}: {} ({scored}).", cell(&choice.by), cell(&choice.outcome));
    }
    if !told.is_empty() {
        let tokens =
            trace.assembly.as_ref().and_then(|assembly| assembly.plan.as_ref()).map(|plan| plan.tool_tokens);
        let tokens =
            tokens.map_or_else(String::new, |tokens| format!(", {} tokens", thousands(tokens.into())));
        let how = if trace.has_tools_in_words() { " in words, for it can be given none" } else { "" };
        let _ = writeln!(text, "\nThe model was told of them{how}{tokens}: {}.", told.join(", "));
    }
    for (number, round) in (1..).zip(rounds) {
        for (call, result) in round.calls.iter().zip(&round.results) {
            let how = if result.failed { "did not work" } else { "gave" };
            let _ = write!(
                text,
                "\n{number}. `{}` with `{}` {how}:\n\n{}",
                cell(&call.name),
                cell(&call.arguments),
                fenced(&result.content, "")
            );
        }
    }
}

/// What became of the reply after it was written.
pub(super) fn recast(text: &mut String, processing: &Processing) {
    let runs = of_side(processing, ProcessorSide::After);
    if runs.is_empty() && processing.written.is_none() {
        return;
    }
    text.push_str("\n## Recast\n");
    processor_table(text, &runs);
    if let Some(written) = &processing.written {
        let _ = write!(text, "\nAs the model wrote it:\n\n{}", fenced(written, ""));
    }
    for run in runs {
        if let (ProcessorStatus::Refused { .. }, Some(made)) = (&run.status, &run.made) {
            let _ = write!(text, "\nNot accepted, from `{}`:\n\n{}", cell(&run.processor), fenced(made, ""));
        }
    }
}

fn of_side(processing: &Processing, side: ProcessorSide) -> Vec<&ProcessorRecord> {
    processing.runs.iter().filter(|run| run.side == side).collect()
}

fn processor_table(text: &mut String, runs: &[&ProcessorRecord]) {
    let rows = runs.iter().map(|run| {
        [
            cell(&run.processor),
            run.model.as_deref().map_or_else(|| "–".to_owned(), cell),
            run.calls.to_string(),
            thousands(run.tokens),
            as_millis(run.us),
            processor_result(&run.status),
        ]
    });
    let head =
        "\n| Processor | Model | Calls | Tokens | ms | Result |\n| --- | --- | ---: | ---: | ---: | --- |\n";
    table(text, head, rows);
}

/// How a processor's run went, in words.
pub fn processor_result(status: &ProcessorStatus) -> String {
    match status {
        ProcessorStatus::Ran => "done".to_owned(),
        ProcessorStatus::Skipped { why } => format!("skipped: {}", cell(why)),
        ProcessorStatus::Failed { why } => format!("failed: {}", cell(why)),
        ProcessorStatus::Late => "too late, left out".to_owned(),
        ProcessorStatus::Refused { why } => format!("not accepted: {}", cell(why)),
        ProcessorStatus::BrokenOff => "broken off: the turn ended first".to_owned(),
    }
}

#[cfg(test)]
mod cache_tests {
    use super::*;

    fn figures(by: CachedBy, marked: &[u32], repeatable_tokens: u32, minimum_tokens: u32) -> CacheFigures {
        CacheFigures { by, marked: marked.to_vec(), repeatable_tokens, minimum_tokens }
    }

    #[test]
    fn every_case_has_its_words() {
        let said = [
            figures(CachedBy::Markers, &[], 2_310, 4_096),
            figures(CachedBy::Itself, &[], 700, 1_024),
            figures(CachedBy::Itself, &[], 3_900, 1_024),
            figures(CachedBy::Markers, &[1_510], 1_510, 1_024),
            figures(CachedBy::Markers, &[1_510, 3_900, 4_120], 4_120, 1_024),
            figures(CachedBy::Markers, &[], 1_200, 1_024),
        ]
        .map(|cache| cache_words(&cache));
        let expected = [
            "not cached: 2,310 of 4,096 tokens needed",
            "not cached: 700 of 1,024 tokens needed",
            "left to the provider; 3,900 tokens come again",
            "marked at 1,510 tokens",
            "marked at 1,510, 3,900 and 4,120 tokens",
            "not cached yet: too few tokens up to where the marker rests",
        ];
        assert_eq!(said, expected);
        assert_eq!([saved(0.0123), saved(-0.0004)], ["it saved $0.01230", "it cost $0.00040 more"]);
    }
}
