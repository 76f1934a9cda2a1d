//! An answer that is begun before it is known whether it is wanted.
//!
//! Owns a prompt and a model's stream for words that are not stored yet. It has no effect by itself: nothing is stored,
//! said or done before a turn takes it over (voice 2.3). The adapter is told how it begins, so that it can get ready.
//! Start reading at [`Speculation::begin`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::{StreamExt as _, stream};
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

use super::decline::{DeclineFilter, Passed};
use super::opening::{Opening, Question, completion_of, open, speakers};
use super::outbox::{Delivery, Outbox, Speculated};
use super::parts::SessionParts;
use super::pre_reply::PreReply;
use super::scene;
use super::turn_tools::TurnTools;
use super::unsaid::Unsaid;
use super::waiting::{Call, Unanswered, Waiting, newest_call};
use crate::config::ChannelConfig;
use crate::context::{Prompt, TurnRequest};
use crate::domain::{InboundMessage, StoredId, StoredTurn, TurnId, Visible};
use crate::llm::{CompletionRequest, CompletionStream, Delta, ModelError};
use crate::processors::Outlet;
use crate::text::tokens;

/// What a turn takes over.
pub(super) struct Prepared {
    pub request: TurnRequest,
    pub prompt: Prompt,
    pub completion: CompletionRequest,
    pub stream: Result<CompletionStream, ModelError>,
}

/// How often answers were begun early since the program started, over all conversations, and how often that paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EarlyAnswers {
    /// Begun: as many prompts were made, and as many models asked at most.
    pub begun: u64,
    /// Given. The rest was thrown away, and what had come of it is paid for.
    pub kept: u64,
}

/// The account of them.
#[derive(Debug, Default)]
pub(super) struct Account {
    begun: AtomicU64,
    kept: AtomicU64,
}

impl Account {
    /// One was taken over by a turn.
    pub(super) fn keeps(&self) {
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn figures(&self) -> EarlyAnswers {
        EarlyAnswers { begun: self.begun.load(Ordering::Relaxed), kept: self.kept.load(Ordering::Relaxed) }
    }
}

/// What an early answer is begun with.
pub(super) struct Early<'a> {
    /// The name that whoever wants it knows it by.
    pub number: u64,
    /// What somebody has perhaps finished saying.
    pub message: &'a InboundMessage,
    /// The newest turns that are stored.
    pub recent: &'a [StoredTurn],
    /// What was said before and is not answered; the answer is to that as well.
    pub waiting: &'a Waiting,
    /// What was left unsaid where its last reply broke off.
    pub unsaid: Option<Unsaid>,
    /// Where it would go.
    pub outbox: Arc<dyn Outbox>,
}

/// What may wait of a model's stream that nobody has taken over; a reply is some hundred pieces.
const PIECES: usize = 1_024;

/// An answer on its way.
pub(super) struct Speculation {
    /// The name that whoever wanted it knows it by.
    pub number: u64,
    /// The number of the turn that it becomes.
    pub turn: TurnId,
    /// The newest turn that was stored when it was begun; 0 before the first.
    after: u64,
    /// What it answers besides the words it was begun for, oldest first.
    before: Vec<StoredId>,
    work: AbortOnDropHandle<Option<Prepared>>,
}

impl Speculation {
    /// Begins one, and puts it on the account.
    pub(super) fn begin(parts: &Arc<SessionParts>, account: &Account, early: Early<'_>) -> Self {
        let Early { number, message, recent, waiting, unsaid, outbox } = early;
        account.begun.fetch_add(1, Ordering::Relaxed);
        let turn = parts.traces.next_turn();
        let after = recent.last().map_or(0, |turn| turn.ordinal);
        let channel = parts.config.channel_in(&message.place);
        let asking = Unanswered {
            turn: unstored(parts, message, after, &channel),
            modality: message.modality,
            call: Some(Call::Addressed("it was spoken to")),
            is_unsure: message.hints.is_unsure,
        };
        let answers = waiting.and(asking, &Visible::at(&message.place));
        let before = answers.iter().rev().skip(1).rev().map(|one| one.turn.id).collect();
        let speakers = speakers(recent, &message.author);
        let whom = Some(message.author.account.clone());
        let to = Delivery { whom, ..Delivery::to(turn, message.place.clone()) };
        let feed = SpeculationFeed::begin(outbox, number, to);
        let message = message.clone();
        let wanted = BegunFor { message, channel, answers, speakers, unsaid };
        let work = prepare(Arc::clone(parts), turn, wanted, feed);
        Self { number, turn, after, before, work: AbortOnDropHandle::new(tokio::spawn(work)) }
    }

    /// Whether it answers exactly this: what was stored right behind what it was begun after, and what had waited before.
    pub(super) fn answers(&self, answered: &[Unanswered]) -> bool {
        let Some((newest, before)) = answered.split_last() else { return false };
        newest.turn.ordinal == self.after + 1
            && before.iter().map(|one| one.turn.id).eq(self.before.iter().copied())
    }

    /// What came of it; nothing where no prompt could be made.
    pub(super) async fn prepared(self) -> Option<Prepared> {
        self.work.await.unwrap_or_default()
    }
}

/// The message as it would be stored.
fn unstored(
    parts: &SessionParts,
    message: &InboundMessage,
    after: u64,
    channel: &ChannelConfig,
) -> StoredTurn {
    let said = scene::said_with_attachments(message, channel.mode);
    StoredTurn {
        // No row has this number; whatever looks for what came before finds everything.
        id: StoredId(i64::MAX),
        ordinal: after + 1,
        role: said.role,
        author: said.author,
        audience: said.place.audience,
        tokens: tokens::count(parts.encoding(), &said.content),
        content: said.content,
        at: said.at,
        mode: said.mode,
        message: None,
        reply_to: None,
        turn: None,
    }
}

/// What it is begun for.
struct BegunFor {
    message: InboundMessage,
    channel: Arc<ChannelConfig>,
    answers: Vec<Unanswered>,
    speakers: Vec<String>,
    unsaid: Option<Unsaid>,
}

async fn prepare(
    parts: Arc<SessionParts>,
    turn: TurnId,
    wanted: BegunFor,
    feed: SpeculationFeed,
) -> Option<Prepared> {
    let BegunFor { message, channel, answers, speakers, unsaid } = wanted;
    let (asking, call) = newest_call(&answers)?;
    let question = Question::of(&parts, &answers, asking, call);
    let request = open(
        &parts,
        Opening {
            turn,
            place: &message.place,
            channel: &channel,
            question: &question,
            pending: answers.iter().map(|one| one.turn.clone()).collect(),
            author: Some(message.author),
            speakers: &speakers,
            warm_tokens: None,
            tool_tokens: None,
        },
    );
    let pre_reply = PreReply::of(&parts, &request, &speakers, feed.outbox.style(), unsaid);
    let prompt = parts.pipeline.assemble(&request, Some(pre_reply.again())).await.ok()?;
    let specs = TurnTools::of(&parts, &request).specs().to_vec();
    let messages = prompt.messages().to_vec();
    let completion = completion_of(&parts, &message.place, &request.plan, messages, specs);
    let stream = parts.models.slot(completion.slot).complete(completion.clone()).await;
    let outlet = parts.processors.outlet(pre_reply.view(), pre_reply.log());
    let watch = SpeculationReader::new(feed, request.may_pass, outlet);
    let stream = stream.map(|stream| watched(stream, watch));
    Some(Prepared { request, prompt, completion, stream })
}

/// The same stream, read as it comes and not as it is taken. It ends with whoever holds it.
fn watched(mut stream: CompletionStream, watch: SpeculationReader) -> CompletionStream {
    let (tell, told) = mpsc::channel(PIECES);
    let mut watch = Some(watch);
    let reading = AbortOnDropHandle::new(tokio::spawn(async move {
        while let Some(delta) = stream.next().await {
            watch = watch.and_then(|watch| watch.sees(&delta));
            if tell.send(delta).await.is_err() {
                return;
            }
        }
    }));
    let next = async |(mut told, reading): (mpsc::Receiver<_>, AbortOnDropHandle<()>)| {
        told.recv().await.map(|delta| (delta, (told, reading)))
    };
    stream::unfold((told, reading), next).boxed()
}

/// So much is told, in bytes; first phrases are rarely longer.
const TOLD: usize = 240;

/// Tells one adapter of one early answer. Whatever becomes of it, the adapter is told at last that there is no more.
pub(super) struct SpeculationFeed {
    outbox: Arc<dyn Outbox>,
    number: u64,
    is_whole: bool,
}

impl SpeculationFeed {
    /// A model is about to be asked.
    pub(super) fn begin(outbox: Arc<dyn Outbox>, number: u64, to: Delivery) -> Self {
        let this = Self { outbox, number, is_whole: false };
        this.tell(Speculated::Begun(Box::new(to)));
        this
    }

    fn tell(&self, what: Speculated) {
        self.outbox.speculate(self.number, what);
    }
}

impl Drop for SpeculationFeed {
    fn drop(&mut self) {
        self.tell(Speculated::NoMore { is_whole: self.is_whole });
    }
}

/// Reads along with a model, the way a reply is read.
pub(super) struct SpeculationReader {
    feed: SpeculationFeed,
    gate: DeclineFilter,
    outlet: Outlet,
    told: usize,
}

impl SpeculationReader {
    /// `may_pass`: whether the model was told that it need not answer.
    pub(super) fn new(feed: SpeculationFeed, may_pass: bool, outlet: Outlet) -> Self {
        Self { feed, gate: DeclineFilter::new(may_pass), outlet, told: 0 }
    }

    /// This came. Gives itself back as long as more of it is worth telling: nothing behind the end of a first phrase, a
    /// decline, a wish for a tool or a failure is.
    pub(super) fn sees(mut self, delta: &Result<Delta, ModelError>) -> Option<Self> {
        match delta {
            Ok(Delta::Text(words)) => {
                let Passed::Words(words) = self.gate.push(words) else { return None };
                let words = self.outlet.push(&words);
                self.told += words.len();
                if !words.is_empty() {
                    self.feed.tell(Speculated::Words(words));
                }
                (!self.outlet.is_cut() && self.told < TOLD).then_some(self)
            }
            Ok(Delta::Reasoning(_) | Delta::AttemptFailed(_)) => Some(self),
            Ok(Delta::Finished(_)) => {
                let Self { mut feed, gate, mut outlet, .. } = self;
                // What might still have been a decline is all of a short answer.
                if let Passed::Words(words) = gate.finish() {
                    let words = outlet.push(&words);
                    if !words.is_empty() {
                        feed.tell(Speculated::Words(words));
                    }
                    feed.is_whole = true;
                }
                None
            }
            Ok(Delta::ToolCall(_) | Delta::ThoughtAloud) | Err(_) => None,
        }
    }
}
