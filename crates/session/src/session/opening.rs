//! The opening of a turn: what was asked, what it is worth, and everything the pipeline needs to know about both.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::parts::SessionParts;
use super::policy::POLICY_WINDOW;
use super::waiting::{Call, Unanswered};
use crate::config::ChannelConfig;
use crate::context::{Heard, HeardBy, Means, TurnOpening, TurnRequest, classify, plan_for};
use crate::domain::{
    AccountId, Author, Category, ChatMessage, Effort, ExecutionPlan, InPlay, Intent, Modality, Place,
    ReplyMeasure, Role, Slot, StoredId, StoredTurn, ToolSelection, ToolSpec, TurnId,
};
use crate::familiar::names_of;
use crate::identity::caller_in;
use crate::llm::{CompletionRequest, ModelDescription, Redaction, SessionKey, tool_tokens};

/// What a turn is to answer, out of everything that was said.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// The words of whoever is answered: all that they said to the familiar since it last spoke.
    pub text: String,
    /// How many people asked something of the familiar.
    pub askers: usize,
    pub called: HeardBy,
    /// How old the message is that they answered.
    pub reply_age: Option<Duration>,
    pub modality: Modality,
    /// The messages that spoke to the familiar, in the order they were said.
    pub addressed: Vec<StoredId>,
    /// Whether the model may find that it is not to be answered.
    pub may_pass: bool,
    /// How much effort it is worth, where that is said and not judged.
    pub effort: Option<Effort>,
}

impl Question {
    /// `answers` hold `asking`, which wants an answer for the reason `call`.
    pub(super) fn of(parts: &SessionParts, answers: &[Unanswered], asking: &Unanswered, call: Call) -> Self {
        let called = match call {
            Call::Addressed(_) | Call::TakenUp(_) => HeardBy::Addressed,
            Call::Perhaps(_) | Call::JoinIn(_) => HeardBy::Overheard,
        };
        let expected = || answers.iter().filter(|one| one.is_expected());
        let addressed: Vec<&StoredTurn> = expected().map(|one| &one.turn).collect();
        // Whoever joins in unasked may find that there is nothing to say; whoever was surely asked by one of them may not.
        let may_pass = match (asking.modality, call) {
            // Behind its own words: it begins by itself, and may always leave it.
            (Modality::Text, Call::JoinIn(_)) if asking.turn.role == Role::Assistant => true,
            // Where it is told how it joins in, and so when not to.
            (Modality::Text, Call::JoinIn(_)) => !parts.config.current().chattiness.trim().is_empty(),
            _ => expected().all(|one| one.is_unsure),
        };
        Self { may_pass, ..Self::put_by(&addressed, &asking.turn, called, asking.modality) }
    }

    /// What one person asks the familiar in these words, outside of what is stored.
    pub(super) fn by_one(text: String, modality: Modality) -> Self {
        Self {
            text,
            askers: 1,
            called: HeardBy::Addressed,
            reply_age: None,
            modality,
            addressed: Vec::new(),
            may_pass: false,
            effort: None,
        }
    }

    /// The question of `asking`, given everything that spoke to the familiar.
    pub(super) fn put_by(
        addressed: &[&StoredTurn],
        asking: &StoredTurn,
        called: HeardBy,
        modality: Modality,
    ) -> Self {
        let account = |turn: &StoredTurn| turn.author.as_ref().map(|author| author.account.to_string());
        let asker = account(asking);
        let lines: Vec<&str> = addressed
            .iter()
            .copied()
            .filter(|turn| turn.id != asking.id && account(turn) == asker)
            .chain([asking])
            .map(|turn| turn.content.as_str())
            .collect();
        let askers: BTreeSet<_> = addressed.iter().map(|turn| account(turn)).collect();
        let age = |at| Duration::try_from(asking.at.duration_since(at)).ok();
        Self {
            text: lines.join("\n"),
            askers: askers.len().max(1),
            called,
            reply_age: asking.reply_to.as_ref().and_then(|parent| age(parent.at)),
            modality,
            addressed: addressed.iter().map(|turn| turn.id).collect(),
            may_pass: false,
            effort: None,
        }
    }
}

/// Every name the familiar answers to.
pub(super) fn own_names(parts: &SessionParts) -> Vec<String> {
    names_of(&parts.character.current(), &parts.config.current().aliases)
}

/// What is to be assembled.
#[derive(Debug)]
pub(super) struct Opening<'a> {
    pub turn: TurnId,
    pub place: &'a Place,
    pub channel: &'a Arc<ChannelConfig>,
    pub question: &'a Question,
    /// Already stored, oldest first.
    pub pending: Vec<StoredTurn>,
    /// Whom the reply is for.
    pub author: Option<Author>,
    /// Who spoke here lately.
    pub speakers: &'a [String],
    /// What was warm for them, where that is on record; `None` for what is warm now.
    pub warm_tokens: Option<u32>,
    /// What its tools took, where that is on record, or 0 for a turn without; `None` for what they take now.
    pub tool_tokens: Option<u32>,
}

/// Judges the question and lays down what may be spent on it.
pub(super) fn open(parts: &SessionParts, opening: Opening<'_>) -> TurnRequest {
    let Opening { turn, place, channel, question, pending, author, speakers, warm_tokens, tool_tokens } =
        opening;
    let modality = question.modality;
    let names = own_names(parts);
    let heard = Heard {
        text: &question.text,
        names: &names,
        speakers,
        authors: question.askers,
        called: question.called,
        reply_age: question.reply_age,
        mode: channel.mode,
        modality,
    };
    let mut intent: Intent = classify(&heard);
    if let Some(effort) = question.effort {
        intent.signs.push(format!(
            "run again with effort {} instead of {}",
            effort.level(),
            intent.effort.level()
        ));
        intent.effort = effort;
    }
    let caller = caller_in(&parts.config.current(), place, author.as_ref());
    let is_small = caller.reply().measure() == ReplyMeasure::Small;
    if is_small && intent.effort > Effort::SMALL_TALK {
        intent.signs.push(format!("a stranger, so effort {} counts as small talk", intent.effort.level()));
        intent.effort = Effort::SMALL_TALK;
        intent.category = Category::SmallTalk;
    }
    // Which slot replies is the plan's business; how much any model holds, that of the usual one.
    let window = parts.models.slot(Slot::MainProse).describe().context_window;
    let warm_tokens =
        warm_tokens.unwrap_or_else(|| parts.pipeline.warm_tokens(&question.text, place, author.as_ref()));
    let means = Means { channel, modality, window, warm_tokens, tool_tokens: 0 };
    let plan = plan_for(intent.clone(), &means);
    let model = parts.models.slot(plan.slot).describe();
    let tool_tokens = match tool_tokens {
        Some(tokens) => tokens,
        None if caller.tools().is_none() => 0,
        None => tool_tokens_of(parts, place, &model),
    };
    let plan = if tool_tokens == 0 { plan } else { plan_for(intent, &Means { tool_tokens, ..means }) };
    let in_play = in_play(parts, place, author.as_ref(), &pending);
    let opening = TurnOpening {
        turn,
        place: place.clone(),
        channel: Arc::clone(channel),
        heard,
        may_pass: question.may_pass,
        pending,
        author,
        now: parts.clock.now(),
        display_tz: parts.config.current().display_tz.clone(),
        world: parts.world.snapshot(),
    };
    TurnRequest { in_play, addressed: question.addressed.clone(), ..opening.planned(plan, model) }
}

/// Who is somebody else in play here: whoever is answered, then who waits for an answer too, then who spoke here lately.
fn in_play(
    parts: &SessionParts,
    place: &Place,
    author: Option<&Author>,
    pending: &[StoredTurn],
) -> Arc<[InPlay]> {
    let world = parts.world.snapshot();
    let view = world.for_place(place);
    let here = view.here(parts.clock.now()).map(|seen| (&seen.account, seen.name.as_str()));
    let waiting = pending.iter().filter_map(|turn| turn.author.as_ref());
    let written = author.into_iter().chain(waiting).filter(|author| !author.is_bot);
    let people = written.map(|author| (&author.account, author.label())).chain(here);
    let mut met: BTreeSet<&AccountId> = BTreeSet::new();
    let played = people.filter(|(account, _)| met.insert(*account)).filter_map(|(account, player)| {
        let mut persona = parts.pairing.persona_at(account, place)?;
        // Nobody is in play who would be taken for somebody else.
        if !parts.world.may_appear_as(account, &persona.name) {
            player.clone_into(&mut persona.name);
        }
        Some(InPlay { account: account.clone(), player: player.to_owned(), persona })
    });
    played.collect()
}

/// Chooses the tools of a turn that really takes place; what only looks ahead or back finds them as they stand.
pub(super) fn choose_tools(parts: &SessionParts, opening: &Opening<'_>) -> Option<ToolSelection> {
    let caller = caller_in(&parts.config.current(), opening.place, opening.author.as_ref());
    let model = parts.models.slot(Slot::MainProse).describe();
    let has_tools = caller.tools().is_some() && parts.tools.are_for(&model);
    let world = parts.world.snapshot();
    let liked = world.for_place(opening.place).liked_tools();
    has_tools.then(|| parts.tools.select(opening.place, &opening.question.text, &model, liked))
}

/// What the tools take that a model would have here.
fn tool_tokens_of(parts: &SessionParts, place: &Place, model: &ModelDescription) -> u32 {
    if parts.tools.are_for(model) { tool_tokens(&parts.tools.specs(place, model), model) } else { 0 }
}

/// The request of a turn that may follow: somebody is there, but has not said anything yet.
pub(super) fn ahead(parts: &SessionParts, place: &Place, who: &Author, modality: Modality) -> TurnRequest {
    let channel = parts.config.channel_in(place);
    let question = Question::by_one(String::new(), modality);
    let speakers = [who.label().to_owned()];
    let request = open(
        parts,
        Opening {
            // No turn yet: what depends on its number is not kept.
            turn: TurnId(0),
            place,
            channel: &channel,
            question: &question,
            pending: Vec::new(),
            author: Some(who.clone()),
            speakers: &speakers,
            warm_tokens: None,
            tool_tokens: None,
        },
    );
    // Nothing was asked yet, which counts as easy; what is asked is most often for the usual model, and what is fetched
    // ahead is found again only by the same way of counting.
    TurnRequest { model: parts.models.slot(Slot::MainProse).describe(), ..request }
}

/// The request of a turn in writing that answers the last `waiting` of what was `said` in a place, oldest first; the very
/// last calls the familiar. `None` where nothing was said.
pub(super) fn request_for(
    parts: &SessionParts,
    turn: TurnId,
    place: &Place,
    said: &[StoredTurn],
    waiting: usize,
) -> Option<TurnRequest> {
    let (asking, before) = said.split_last()?;
    let recent = &before[before.len().saturating_sub(POLICY_WINDOW as usize)..];
    let speakers = asking.author.as_ref().map(|author| speakers(recent, author)).unwrap_or_default();
    let channel = parts.config.channel_in(place);
    let question = Question::put_by(&[asking], asking, HeardBy::Addressed, Modality::Text);
    let opening = Opening {
        turn,
        place,
        channel: &channel,
        question: &question,
        pending: said[said.len().saturating_sub(waiting)..].to_vec(),
        author: asking.author.clone(),
        speakers: &speakers,
        warm_tokens: None,
        tool_tokens: None,
    };
    Some(open(parts, opening))
}

/// What the main model is asked: the one way from a prompt to a request.
pub(super) fn completion_of(
    parts: &SessionParts,
    place: &Place,
    plan: &ExecutionPlan,
    messages: Vec<ChatMessage>,
    tools: Vec<ToolSpec>,
) -> CompletionRequest {
    CompletionRequest {
        max_tokens: Some(plan.reserve_tokens),
        session: Some(session_key(parts, place)),
        tools,
        redaction: Redaction::InPrompt,
        ..CompletionRequest::new(plan.slot, messages)
    }
}

/// The name under which providers see a conversation.
pub(super) fn session_key(parts: &SessionParts, place: &Place) -> SessionKey {
    SessionKey::of(parts.history.salt(), &parts.familiar, place.platform, &place.channel)
}

/// The names of the people among the newest turns and of whoever speaks now, each person's newest one.
pub(super) fn speakers(recent: &[StoredTurn], now: &Author) -> Vec<String> {
    people(recent, Some(now)).into_iter().map(|author| author.label().to_owned()).collect()
}

/// The people among these turns and who speaks now, whoever spoke last at the end, each as they were called last.
pub(super) fn people<'a>(recent: &'a [StoredTurn], now: Option<&'a Author>) -> Vec<&'a Author> {
    let mut people: Vec<&Author> = Vec::new();
    let authors = recent.iter().filter_map(|turn| turn.author.as_ref()).chain(now);
    for author in authors.filter(|author| !author.is_bot) {
        people.retain(|known| known.account != author.account);
        people.push(author);
    }
    people
}
