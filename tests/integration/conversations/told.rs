//! A turn's record as text without times: what a snapshot can hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use familiar_connect::domain::*;

/// The record of one turn.
pub(super) fn turn(trace: &TurnTrace) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "== {} {}", trace.id, trace.outcome.summary());
    let modality = match trace.modality {
        Modality::Text => "written",
        Modality::Voice => "spoken",
    };
    let pending: Vec<_> = trace.pending.iter().map(|id| id.0.to_string()).collect();
    let _ = writeln!(
        text,
        "why: {}; {modality}, {}; messages {} of {}",
        trace.trigger,
        trace.mode,
        pending.join(" "),
        trace.authors.join(" ")
    );
    let stages: Vec<_> = trace.stages.iter().map(|stage| stage.stage.as_str()).collect();
    if !stages.is_empty() {
        let _ = writeln!(text, "stages: {}", stages.join(" "));
    }
    if let Some(assembly) = &trace.assembly {
        assembled(&mut text, assembly);
    }
    for run in &trace.processing.runs {
        let _ = writeln!(text, "processor: {} {:?}", run.processor, run.status);
    }
    for round in &trace.processing.rounds {
        let calls: Vec<_> = round.calls.iter().map(|call| call.name.as_str()).collect();
        let _ = writeln!(text, "tools: {}", calls.join(" "));
    }
    for call in &trace.calls {
        let _ = writeln!(text, "asked: {} {:?} {:?}", call.slot, call.finish, call.error);
    }
    if let Some(reply) = &trace.reply {
        let _ = writeln!(text, "said: {reply}");
    }
    text
}

fn assembled(text: &mut String, assembly: &AssemblyFigures) {
    let stages: Vec<_> = assembly.stages.iter().map(|stage| stage.stage.as_str()).collect();
    let _ = writeln!(text, "context: {}", stages.join(" "));
    if let Some(plan) = &assembly.plan {
        let _ = writeln!(
            text,
            "plan: effort {} {}, {} searches, {} deep, finds {}, thinks {}, polishes {}, by {} [{}]",
            plan.intent.effort.level(),
            plan.intent.category.as_str(),
            plan.searches,
            plan.depth.as_str(),
            plan.found_tokens,
            plan.stepped_thinking,
            plan.recast,
            plan.slot,
            [plan.intent.signs.clone(), plan.notes.clone()].concat().join("; ")
        );
    }
    let providers: Vec<_> = assembly.providers.iter().map(provider).collect();
    let _ = writeln!(text, "providers: {}", providers.join(", "));
    let _ = writeln!(
        text,
        "prompt: {} of {} tokens, {} reserved",
        assembly.prompt_tokens, assembly.budget_tokens, assembly.reserve_tokens
    );
    for layer in &assembly.layers {
        let cap = layer.cap.map_or_else(|| "no cap".to_owned(), |cap| format!("cap {cap}"));
        let _ = writeln!(text, "  {}: {} of {}, {cap}", layer.layer.as_str(), layer.kept, layer.offered);
    }
    if let Some(quality) = &assembly.quality {
        let _ = writeln!(
            text,
            "quality: {:.2} (sources {:.2}, layers {:.2}, fresh {:.2}, worth {:.2}, unclipped {:.2}), waste {:.2}",
            quality.score,
            quality.coverage,
            quality.completeness,
            quality.freshness,
            quality.retention,
            quality.wholeness,
            assembly.packing_waste.unwrap_or(f32::NAN),
        );
    }
    if let Some(layout) = &assembly.layout {
        let _ = writeln!(
            text,
            "layout: {} stable, {} fresh, differs at {:?}",
            layout.stable_tokens, layout.fresh_tokens, layout.differs_at
        );
    }
    // They run side by side, so their order says nothing.
    let mut searches: BTreeMap<&str, (u32, u32, f32)> = BTreeMap::new();
    for search in &assembly.searches {
        let (count, hits, best) = searches.entry(&search.source).or_default();
        *count += 1;
        *hits += search.hits;
        *best = best.max(search.best);
    }
    for (source, (count, hits, best)) in searches {
        let _ = writeln!(text, "searched: {source} {count} times, {hits} finds, the best {best:.2}");
    }
    let mut kept: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
    for chunk in assembly.chunks.iter().filter(|chunk| chunk.fate == ChunkFate::Kept) {
        let kind = chunk.source.split('/').next().unwrap_or(&chunk.source);
        let (count, tokens) = kept.entry(kind).or_default();
        *count += 1;
        *tokens += chunk.tokens;
    }
    let kept: Vec<_> =
        kept.iter().map(|(kind, (count, tokens))| format!("{kind} {count} ({tokens})")).collect();
    let _ = writeln!(text, "kept: {}", kept.join(", "));
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for chunk in assembly.chunks.iter().filter(|chunk| chunk.fate != ChunkFate::Kept) {
        let kind = chunk.source.split('/').next().unwrap_or(&chunk.source);
        *left.entry(format!("{kind}: {:?}", chunk.fate)).or_default() += 1;
    }
    for (what, count) in left {
        let _ = writeln!(text, "left out: {count} {what}");
    }
    for altered in assembly.chunks.iter().filter(|chunk| !chunk.altered.is_empty()) {
        let _ = writeln!(text, "altered: {} {}", altered.source, altered.altered.join("; "));
    }
    for lore in assembly.lore.iter().filter(|lore| lore.fired) {
        let _ = writeln!(text, "lore: {}, {}", lore.name, lore.why);
    }
    for note in &assembly.notes {
        let _ = writeln!(text, "note: {note}");
    }
}

fn provider(outcome: &ProviderOutcome) -> String {
    let ended = match &outcome.status {
        ProviderStatus::Ok { contributions } => contributions.to_string(),
        ProviderStatus::Cached { contributions } => format!("{contributions} warm"),
        ProviderStatus::Partly { contributions } => format!("{contributions} so far"),
        ProviderStatus::Late => "late".to_owned(),
        ProviderStatus::NotAwaited => "not awaited".to_owned(),
        ProviderStatus::Failed { error } => format!("failed: {error}"),
    };
    format!("{} {ended}", outcome.provider)
}
