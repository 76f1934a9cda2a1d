//! Two prompts side by side: those of two turns, or that of one turn and what would be made of it now; and what was said to
//! them, where a model is asked anew.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::response::Response;
use serde::Deserialize;

use super::door::SentForm;
use super::edit::{DiffLine, changes};
use super::messages;
use super::names::Names;
use super::pages::{PageHead, Refusal, Visitor, html_page, off_the_way};
use super::shared::Shared;
use super::slider::{BUDGETS, Slider};
use super::turn_view::{Figure, TurnRow, figures};
use super::xray::recorded;
use crate::domain::{AssemblyFigures, ChatMessage, ChunkFate, Effort, TurnTrace, Usage};
use crate::session::{Replay, ReplayChanges, ReplayError};
use crate::text::sentences::sentences_of;
use crate::text::short::thousands;
use crate::trace::render::as_dollars;

/// What effort a question may be worth here.
const EFFORTS: std::ops::RangeInclusive<u8> = 1..=10;

#[derive(Debug, Template)]
#[template(path = "compare.html")]
struct ComparePage {
    page: PageHead,
    turn: String,
    names: [String; 2],
    notices: Vec<String>,
    budget: String,
    slider: Option<Slider>,
    efforts: Vec<EffortChoice>,
    without: String,
    model: String,
    /// What can be left out.
    kept: Vec<String>,
    /// Models that have a job, to choose from.
    models: Vec<String>,
    /// Who can be asked what it would say, and what that costs.
    ask: Option<Ask>,
    said: Option<Said>,
    figures: Vec<Pair>,
    layers: Vec<Pair>,
    pieces: Vec<OnlyThere>,
    has_prompts: bool,
    counted: String,
    lines: Vec<DiffLine>,
}

/// An effort that it can be made with.
#[derive(Debug)]
struct EffortChoice {
    level: u8,
    is_chosen: bool,
}

/// A model that can be asked.
#[derive(Debug)]
struct Ask {
    name: String,
    costs: String,
}

/// What was said to both prompts.
#[derive(Debug)]
struct Said {
    /// That nothing was said to one of them, or to both: then there is nothing to lay side by side.
    nothing: Option<String>,
    /// The sentences that differ, with those around them.
    lines: Vec<DiffLine>,
    counted: String,
    /// What would have been looked up or done first.
    calls: Vec<String>,
    cost: Option<String>,
}

/// One thing of both.
#[derive(Debug)]
struct Pair {
    name: String,
    values: [String; 2],
    is_different: bool,
}

/// Pieces that only one of both prompts holds.
#[derive(Debug)]
struct OnlyThere {
    title: String,
    pieces: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CompareQuery {
    #[serde(default)]
    one: String,
    /// Without it, the first is made anew.
    #[serde(default)]
    other: String,
    /// What it may take then, in tokens.
    #[serde(default)]
    budget: String,
    /// What effort it is worth then, from 1 to 10.
    #[serde(default)]
    effort: String,
    /// The piece that it is made without, by its source.
    #[serde(default)]
    without: String,
    /// The model that it is made for.
    #[serde(default)]
    model: String,
}

/// Whether a model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asking {
    Not,
    Now,
}

impl CompareQuery {
    /// The model that is named, where it can be one.
    fn model(&self) -> Option<String> {
        let is_one =
            |named: &&str| named.chars().count() <= MODEL_CHARS && !named.chars().any(char::is_control);
        filled_in(&self.model).filter(is_one).map(str::to_owned)
    }

    /// What is to be different where it is made now, and what of it cannot be.
    fn changes(&self) -> (ReplayChanges, Vec<String>) {
        let tokens = filled_in(&self.budget).and_then(|budget| budget.parse::<u32>().ok());
        let tokens = tokens.filter(|tokens| BUDGETS.contains(tokens));
        let effort = filled_in(&self.effort).and_then(|effort| effort.parse::<u8>().ok());
        let effort = effort.filter(|level| EFFORTS.contains(level));
        let model = self.model();
        let refused = [
            (&self.budget, tokens.is_some(), messages::NO_BUDGET),
            (&self.effort, effort.is_some(), messages::NO_EFFORT),
            (&self.model, model.is_some(), messages::NO_MODEL),
        ];
        let refused =
            refused.into_iter().filter(|(said, is_taken, _)| !is_taken && filled_in(said).is_some());
        let changes = ReplayChanges {
            budget_tokens: tokens,
            effort: effort.map(Effort::new),
            without: filled_in(&self.without).map(str::to_owned).into_iter().collect(),
            model,
        };
        (changes, refused.map(|(.., why)| why.to_owned()).collect())
    }
}

/// What stands in a field that is not left empty.
fn filled_in(field: &str) -> Option<&str> {
    Some(field.trim()).filter(|said| !said.is_empty())
}

/// The longest name of a model here, in characters.
const MODEL_CHARS: usize = 200;

/// What is compared of one of both.
#[derive(Debug, Clone)]
struct Side {
    name: String,
    figures: Vec<(String, String)>,
    assembly: Option<AssemblyFigures>,
    request: Vec<ChatMessage>,
    reply: Option<String>,
}

impl Side {
    fn of(shared: &Shared, trace: &TurnTrace) -> Self {
        let row = TurnRow::of(trace, &shared.heads, &Names::default());
        let told = figures(trace, &row).into_iter().map(|Figure { name, value }| (name.to_owned(), value));
        let model = row.model.clone().map(|model| (messages::MODEL.to_owned(), model));
        Self {
            name: messages::turn_title(&trace.id.to_string()),
            figures: model.into_iter().chain(told).collect(),
            assembly: trace.assembly.clone(),
            request: trace.request.clone(),
            reply: trace.reply.clone(),
        }
    }

    /// The prompt of a turn as it would be made now. No model is asked, and nothing is kept.
    async fn made_now(
        shared: &Shared,
        trace: &TurnTrace,
        changes: ReplayChanges,
    ) -> Result<Self, ReplayError> {
        let effort = changes.effort.map(Effort::level);
        let name = messages::made_now(effort, &changes.without, changes.model.as_deref());
        let made = shared.parts.session.rebuild(trace, changes).await?;
        let (request, assembly) = made.into_parts();
        Ok(Self { name, figures: Vec::new(), assembly: Some(assembly), request, reply: None })
    }

    /// Its request, to be sent to a model; `None` where there is none.
    fn replay(&self, model: Option<String>) -> Option<Replay> {
        Some(Replay::made(self.request.clone(), self.assembly.as_ref()?, model))
    }

    /// Why a piece was not left out of what was made now, where it was not.
    fn has_still(&self, source: &str) -> Option<String> {
        let mut pieces = self.assembly.iter().flat_map(|assembly| &assembly.chunks);
        let is_out =
            pieces.any(|chunk| chunk.source == source && matches!(chunk.fate, ChunkFate::LeftOut { .. }));
        if source.is_empty() || is_out {
            return None;
        }
        Some(messages::not_left_out(source, self.kept().contains_key(source)))
    }

    fn sizes(&self) -> Vec<(String, String)> {
        let Some(assembly) = &self.assembly else { return Vec::new() };
        let tokens = |count: u32| thousands(count.into());
        vec![
            (messages::EFFORT.to_owned(), effort_of(assembly)),
            (messages::PROMPT_TOKENS.to_owned(), tokens(assembly.prompt_tokens)),
            (messages::BUDGET_TOKENS.to_owned(), tokens(assembly.budget_tokens)),
        ]
    }

    fn layers(&self) -> Vec<(String, String)> {
        let layers = self.assembly.iter().flat_map(|assembly| &assembly.layers);
        layers
            .filter(|layer| layer.offered > 0)
            .map(|layer| {
                let (kept, offered) = (thousands(layer.kept.into()), thousands(layer.offered.into()));
                (layer.layer.as_str().to_owned(), messages::kept_of_offered(&kept, &offered))
            })
            .collect()
    }

    /// What is in the prompt, with its tokens.
    fn kept(&self) -> BTreeMap<&str, u32> {
        let chunks = self.assembly.iter().flat_map(|assembly| &assembly.chunks);
        let kept = chunks.filter(|chunk| chunk.fate == ChunkFate::Kept);
        kept.map(|chunk| (chunk.source.as_str(), chunk.tokens)).collect()
    }

    /// The request as lines.
    fn text(&self) -> String {
        let part = |message: &ChatMessage| format!("[{}]\n{}\n", message.role.as_str(), message.content);
        self.request.iter().map(part).collect()
    }
}

fn effort_of(assembly: &AssemblyFigures) -> String {
    assembly.plan.as_ref().map_or_else(|| "–".to_owned(), |plan| plan.intent.effort.level().to_string())
}

/// Each thing that either has, in the order of the first.
fn either_has(of: [Vec<(String, String)>; 2]) -> Vec<Pair> {
    let [one, mut other] = of;
    let mut all: Vec<Pair> = Vec::new();
    for (name, value) in one {
        let at = other.iter().position(|(known, _)| *known == name);
        let there = at.map(|at| other.remove(at).1);
        all.push(Pair::of(name, Some(value), there));
    }
    all.extend(other.into_iter().map(|(name, value)| Pair::of(name, None, Some(value))));
    all
}

impl Pair {
    fn of(name: String, one: Option<String>, other: Option<String>) -> Self {
        let is_different = one != other;
        let said = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
        Self { name, values: [said(one), said(other)], is_different }
    }
}

fn only_there(sides: &[Side; 2]) -> Vec<OnlyThere> {
    let kept = sides.each_ref().map(Side::kept);
    let only = |here: usize, there: usize| {
        let pieces = kept[here].iter().filter(|(source, _)| !kept[there].contains_key(*source));
        let told = pieces.map(|(source, tokens)| ((*source).to_owned(), thousands(u64::from(*tokens))));
        OnlyThere { title: messages::only_in(&sides[here].name), pieces: told.collect() }
    };
    [only(0, 1), only(1, 0)].into_iter().filter(|only| !only.pieces.is_empty()).collect()
}

/// Two turns, or one then and now.
pub(super) async fn compare(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(which): Query<CompareQuery>,
) -> Result<Response, Refusal> {
    let head = |title: &str| shared.door.head(title, "/xray", &visitor);
    Ok(html_page(&compared_turns(&shared, which, Asking::Not, head).await?))
}

/// One then and now, with what a model says to it now. Nothing is posted or remembered; what it costs counts.
pub(super) async fn post_ask(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let which = CompareQuery {
        one: form.take("one"),
        other: String::new(),
        budget: form.take("budget"),
        effort: form.take("effort"),
        without: form.take("without"),
        model: form.take("model"),
    };
    let head = |title: &str| shared.door.head(title, "/xray", &visitor);
    Ok(html_page(&compared_turns(&shared, which, Asking::Now, head).await?))
}

async fn compared_turns(
    shared: &Shared,
    which: CompareQuery,
    asking: Asking,
    head: impl Fn(&str) -> PageHead,
) -> Result<ComparePage, Refusal> {
    let trace = recorded(shared, &which.one).await?;
    let mut first = Side::of(shared, &trace);
    let (wanted, mut notices) = which.changes();
    let (tokens, effort) = (wanted.budget_tokens, wanted.effort);
    let without = wanted.without.first().cloned().unwrap_or_default();
    let (mut said, mut ask) = (None, None);
    let second = if which.other.is_empty() {
        // What is only made took no time, and no model.
        first.figures.clear();
        match Side::made_now(shared, &trace, wanted).await {
            Ok(side) => {
                notices.extend(side.has_still(&without));
                let replay = side.replay(which.model());
                ask = replay.as_ref().and_then(|replay| ask_of(shared, replay, &side));
                let asked = match replay.filter(|_| asking == Asking::Now && ask.is_some()) {
                    Some(replay) => {
                        replay_one(shared, &trace, replay, [&first.name, &side.name]).await.map(Some)
                    }
                    None => Ok(None),
                };
                match asked {
                    Ok(told) => said = told,
                    Err(why) => notices.push(why),
                }
                side
            }
            Err(error) => {
                tracing::debug!(%error, turn = %trace.id, "a turn could not be made anew for the window");
                notices.push(messages::not_made_now(&error.to_string()));
                Side { name: messages::made_now(None, &[], None), ..nothing() }
            }
        }
    } else {
        let other = Side::of(shared, &*recorded(shared, &which.other).await?);
        let is_changed = [&which.budget, &which.effort, &which.model, &which.without];
        notices.clear();
        if is_changed.into_iter().any(|field| self::filled_in(field).is_some()) {
            notices.push(messages::AS_THEY_WERE.to_owned());
        }
        if let (Some(one), Some(said_there)) = (&first.reply, &other.reply) {
            said = Some(Said::of([&first.name, &other.name], [one, said_there]));
        }
        other
    };
    let kept = first.kept().into_keys().map(str::to_owned).collect();
    let sides = [first, second];
    let compared = sides.clone();
    let (lines, counted) = off_the_way("two prompts could not be compared", move || {
        Ok::<_, Infallible>(changes(&compared[0].text(), &compared[1].text()))
    })
    .await?;
    Ok(ComparePage {
        page: head(&messages::compared(&sides[0].name, &sides[1].name)),
        turn: trace.id.to_string(),
        notices,
        budget: tokens.map(|tokens| tokens.to_string()).unwrap_or_default(),
        slider: sides[0]
            .assembly
            .as_ref()
            .map(|assembly| Slider::around("budget", None, tokens.unwrap_or(assembly.budget_tokens))),
        efforts: EFFORTS
            .map(|level| EffortChoice { level, is_chosen: effort == Some(Effort::new(level)) })
            .collect(),
        without,
        model: which.model().unwrap_or_default(),
        kept,
        models: models_with_a_job(shared),
        ask,
        said,
        figures: either_has(sides.each_ref().map(|side| [side.figures.clone(), side.sizes()].concat())),
        layers: either_has(sides.each_ref().map(Side::layers)),
        pieces: only_there(&sides),
        has_prompts: sides.iter().all(|side| !side.request.is_empty()),
        counted,
        lines,
        names: sides.map(|side| side.name),
    })
}

/// The models that the settings name.
fn models_with_a_job(shared: &Shared) -> Vec<String> {
    let config = shared.parts.config.current();
    let named = config.llm.slots.values().flat_map(|slot| slot.fallbacks.iter().chain([&slot.model]));
    named.cloned().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Who would be asked, and what that costs; `None` where nobody is there but the rehearsal.
fn ask_of(shared: &Shared, replay: &Replay, side: &Side) -> Option<Ask> {
    let model = shared.parts.session.asked_by(replay);
    let assembly = side.assembly.as_ref().filter(|_| !model.is_rehearsal())?;
    let tools = assembly.plan.as_ref().map_or(0, |plan| plan.tool_tokens);
    let usage = |completion_tokens| Usage {
        prompt_tokens: assembly.prompt_tokens + tools,
        completion_tokens,
        ..Usage::default()
    };
    let prices = shared.parts.health.prices(&model.model);
    let costs = prices.map(|prices| [0, assembly.reserve_tokens].map(|reply| prices.cost(&usage(reply))));
    Some(Ask { costs: messages::asking_costs(costs), name: model.model })
}

/// Asks; one at a time.
async fn replay_one(
    shared: &Shared,
    trace: &TurnTrace,
    replay: Replay,
    names: [&str; 2],
) -> Result<Said, String> {
    let _one = shared.asking.try_lock().map_err(|_| messages::IS_ASKED_ALREADY.to_owned())?;
    match shared.parts.session.replay(trace, replay, |_| {}).await {
        Ok(answer) => Ok(Said {
            calls: answer.calls,
            cost: answer.call.and_then(|call| call.usage?.cost_usd).map(as_dollars),
            ..Said::of(names, [trace.reply.as_deref().unwrap_or_default(), &answer.reply])
        }),
        Err(error) => {
            tracing::debug!(%error, turn = %trace.id, "a model that was asked in the window failed");
            Err(messages::model_failed(&error.to_string()))
        }
    }
}

impl Said {
    /// What differs between two replies, sentence by sentence.
    fn of(names: [&str; 2], [one, other]: [&str; 2]) -> Self {
        let by_sentence = |reply: &str| -> String {
            let lines = reply.lines().flat_map(sentences_of).map(str::trim);
            lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
        };
        let silent = [one, other].map(|reply| reply.trim().is_empty());
        let nothing = match silent {
            [false, false] => None,
            [true, true] => Some(messages::NOTHING_SAID.to_owned()),
            [is_first, _] => Some(messages::said_nothing(names[usize::from(!is_first)])),
        };
        // What one of them said, and the other not, is not what the other took back.
        let (lines, counted) = match nothing {
            None => changes(&by_sentence(one), &by_sentence(other)),
            Some(_) => Default::default(),
        };
        Self { nothing, lines, counted, calls: Vec::new(), cost: None }
    }
}

fn nothing() -> Side {
    Side { name: String::new(), figures: Vec::new(), assembly: None, request: Vec::new(), reply: None }
}
