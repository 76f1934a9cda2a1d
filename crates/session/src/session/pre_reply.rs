//! What happens beside gathering: the character thinks, and its thoughts become part of the prompt.

use std::sync::Arc;

use futures::FutureExt as _;
use parking_lot::Mutex;

use super::opening::session_key;
use super::outbox::DeliveryStyle;
use super::parts::SessionParts;
use super::scene::scene_reading;
use super::unsaid::Unsaid;
use crate::context::{Beside, Contribution, Importance, Placement, Sieve, TailPart, Trust, TurnRequest};
use crate::domain::{Audience, Layer};
use crate::history::Visible;
use crate::processors::{Note, RunLog, TurnView};
use crate::text::names::prompt_label;

/// How much of the conversation's window is looked at for names a reply may not speak for.
const ECHO_NAMES_MAX: usize = 32;

/// Told where nobody said anything behind its own words.
const GOES_ON: &str = "Nobody said anything since your last message, and you are asked to go on. Continue right where it ended, \
                       in the same manner, as its next part: repeat nothing of it, do not answer it, and do not greet again.";

/// The side of a turn that works before the main model.
#[derive(Debug, Clone)]
pub(super) struct PreReply {
    parts: Arc<SessionParts>,
    view: Arc<TurnView>,
    log: RunLog,
    audience: Audience,
    notes: Arc<Mutex<Vec<Note>>>,
    unsaid: Option<Unsaid>,
    /// Whether what it said last is not answered, but gone on with.
    goes_on: bool,
}

impl PreReply {
    /// `speakers`: who spoke here lately, whom a reply may not speak for. `unsaid`: what was left unsaid where the turn
    /// before broke off.
    pub(super) fn of(
        parts: &Arc<SessionParts>,
        request: &TurnRequest,
        speakers: &[String],
        style: DeliveryStyle,
        unsaid: Option<Unsaid>,
    ) -> Self {
        let character = parts.character.current();
        let view = TurnView {
            turn: request.turn,
            channel: Arc::clone(&request.channel),
            plan: Arc::clone(&request.plan),
            main: request.model.clone(),
            own_names: vec![character.spoken_name().to_owned(), character.name.clone()],
            other_names: speakers.iter().take(ECHO_NAMES_MAX).map(|name| prompt_label(name)).collect(),
            session: session_key(parts, &request.place),
            scene: scene_reading(parts, request),
            adapter_forms_speech: style == DeliveryStyle::Spoken,
        };
        Self {
            parts: Arc::clone(parts),
            view: Arc::new(view),
            log: RunLog::default(),
            audience: request.place.audience.clone(),
            notes: Arc::default(),
            unsaid: unsaid.filter(|unsaid| unsaid.is_fresh(request.now)),
            goes_on: request.goes_on(),
        }
    }

    /// The same for a prompt that is laid out anew: what was thought stays, as it was paid for.
    pub(super) fn anew(&self, request: &TurnRequest) -> Self {
        let view = TurnView {
            plan: Arc::clone(&request.plan),
            main: request.model.clone(),
            scene: scene_reading(&self.parts, request),
            ..TurnView::clone(&self.view)
        };
        Self { view: Arc::new(view), ..self.clone() }
    }

    pub(super) fn view(&self) -> &Arc<TurnView> {
        &self.view
    }

    pub(super) fn log(&self) -> &RunLog {
        &self.log
    }

    /// Thinks, for the first time a prompt is assembled.
    pub(super) fn think(&self) -> Beside {
        let this = self.clone();
        async move {
            let given = this.parts.processors.before(&this.view, &this.log).await;
            let contributions = this.contributions(&given);
            *this.notes.lock() = given;
            contributions
        }
        .boxed()
    }

    /// The side model that says what of the finds helps, where it may be asked: in the first prompt of a turn, and where
    /// no other model is asked before the reply's first word.
    pub(super) fn sieve(&self) -> Option<Sieve<'_>> {
        let PreReply { parts, view, log, .. } = self;
        let sieve = move |question: String, finds: Vec<String>, lines: Option<Vec<String>>| {
            let asked =
                async move { parts.processors.look(view, &question, &finds, lines.as_deref(), log).await };
            asked.boxed()
        };
        parts.processors.may_look(view).then(|| Box::new(sieve) as Sieve<'_>)
    }

    /// What was thought, for a prompt that is assembled again.
    pub(super) fn again(&self) -> Beside {
        futures::future::ready(self.contributions(&self.notes())).boxed()
    }

    /// The thoughts of this turn, tagged, and who could see what they were made of.
    pub(super) fn thoughts(&self) -> Option<(String, Audience)> {
        let mut own = self.notes();
        own.retain(|note| note.earlier.is_none() && !note.text.trim().is_empty());
        let audience = own.iter().map(|note| note.audience.clone());
        let audience = Visible::circle_of(audience.chain([self.audience.clone()]), &self.audience);
        let texts: Vec<String> = own.into_iter().map(|note| note.text).collect();
        (!texts.is_empty()).then(|| (texts.join("\n"), audience))
    }

    fn notes(&self) -> Vec<Note> {
        self.notes.lock().clone()
    }

    fn contributions(&self, notes: &[Note]) -> Vec<Contribution> {
        let thoughts = (0..).zip(notes).map(|(index, note)| self.contribution(index, note));
        let unsaid = self.unsaid.as_ref().map(|unsaid| told_now("unsaid", unsaid.told(), &unsaid.audience));
        let goes_on = self.goes_on.then(|| told_now("goes_on", GOES_ON.to_owned(), &self.audience));
        thoughts.chain(unsaid).chain(goes_on).collect()
    }

    /// At the very end of the prompt, where it acts strongest (familiar-connect 2.7, "position beats presence"),
    /// and in a person's role: thoughts are made of what people said.
    fn contribution(&self, index: usize, note: &Note) -> Contribution {
        let (source, importance, heading) = match &note.earlier {
            Some((turn, answered)) => {
                let whom = answered.as_deref().unwrap_or("somebody");
                let heading =
                    format!("What you thought earlier, before you answered {whom} (nobody heard it):");
                (format!("thoughts/{index:02} of {turn}"), Importance::Low, heading)
            }
            None => {
                let heading = "What you think right now, before you answer. Nobody hears it; let it show in what you \
                               say and do, and never write it down:";
                (format!("thoughts/{index:02} now"), Importance::High, heading.to_owned())
            }
        };
        Contribution {
            importance,
            ..Contribution::new(
                source,
                Layer::DepthInject,
                Placement::Tail(TailPart::Thoughts),
                Trust::Held,
                note.audience.clone(),
                format!("{heading}\n{}", note.text),
            )
        }
    }
}

/// Told for one turn, at the end of its prompt, where these may see it.
fn told_now(source: &str, told: String, audience: &Audience) -> Contribution {
    Contribution {
        importance: Importance::High,
        ..Contribution::new(
            source.to_owned(),
            Layer::DepthInject,
            Placement::Tail(TailPart::Thoughts),
            Trust::Held,
            audience.clone(),
            told,
        )
    }
}
