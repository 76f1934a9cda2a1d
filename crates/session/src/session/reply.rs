//! The way of a reply out of the model: streamed, freed of what nobody may see, polished, cut into pieces and handed over at
//! the pace of the channel.

use std::borrow::Cow;
use std::time::Duration;

use futures::StreamExt as _;
use tokio::time::Instant;

use super::decline::{DeclineFilter, Passed};
use super::open_gate::{is_unfit, with_what_is_before};
use super::said_before::SaidBefore;
use super::stream::ReplyCutter;
use super::turn::{Broken, Run, too_late};
use super::turn_tools::{CallCollector, TurnTools};
use super::underway::HandedOver;
use crate::config::TypingSimulation;
use crate::domain::{
    AccountId, CancelReason, ChatMessage, ModelCall, ModelErrorClass, Role, Slot, ToolCall, ToolRound, Usage,
};
use crate::llm::{CompletionRequest, Delta, ToolChoice};
use crate::processors::{Outlet, RunLog};
use crate::text::defuse::without_invitations;

/// So long an answer waits at most for whoever it answers to end typing.
const TYPING_WAIT: Duration = Duration::from_secs(10);

/// How often it is looked whether they still do.
const TYPING_LOOK: Duration = Duration::from_millis(250);

/// How far one completion got.
struct Listened {
    /// What it said, raw; it is handed over already.
    said: String,
    /// What it wants done before it goes on.
    calls: Vec<ToolCall>,
}

impl Run<'_> {
    /// One reply, handed over as it comes, or once it is polished where a processor wants it whole. Where the model
    /// calls tools it goes on with what they gave, as often as the settings allow.
    pub(super) async fn reply(
        &mut self,
        mut completion: CompletionRequest,
        mut outlet: Outlet,
        mut said_before: SaidBefore,
        log: &RunLog,
        turn_tools: &TurnTools<'_>,
    ) -> Result<(), Broken> {
        let mut cutter = ReplyCutter::new(self.outbox.style(), &self.channel.figures.typing);
        if let Some(growing) = &mut self.growing {
            // An answer that was not for the place may have gone before.
            growing.begin_anew();
            cutter = cutter.held_to_the_end();
        }
        if self.outbox.takes_files(&self.to.place) {
            cutter = cutter.with_files();
        }
        let mut gate = DeclineFilter::new(self.may_pass);
        self.go_on_behind_tools(&mut completion, turn_tools);
        loop {
            let listened =
                self.listen(&completion, &mut gate, &mut outlet, &mut said_before, &mut cutter, log).await;
            if listened.is_err() {
                self.leaves_unsaid(cutter.held());
            }
            let Listened { said, calls } = listened?;
            if calls.is_empty()
                || outlet.is_cut()
                || cutter.is_full()
                || completion.tool_choice == ToolChoice::Answer
            {
                break;
            }
            self.outbox.works(self.to, true);
            // Whoever talks over it stops what is looked up as well.
            let results = self
                .stop
                .unless_stopped(turn_tools.run(&calls, &mut self.called))
                .await
                .map_err(Broken::Stopped)?;
            self.outbox.works(self.to, false);
            self.stage("tools");
            self.rounds.push(ToolRound { said, calls, results });
            self.go_on_behind_tools(&mut completion, turn_tools);
        }
        self.stage("model");
        let held = answer_words(gate.finish())?;
        let held = said_before.push(&outlet.push(&held));
        let handed_over = self.hand_over_all(cutter.push(&held)).await;
        if handed_over.is_err() {
            self.leaves_unsaid(cutter.held());
        }
        handed_over?;
        let repeats = outlet.repeats();
        let finished = self.stop.unless_stopped(outlet.finish()).await.map_err(Broken::Stopped)?;
        self.processing.written = finished.written;
        let mut rest = said_before.push(&finished.rest);
        rest.push_str(&said_before.finish().ok_or(Broken::SaidBefore)?);
        let mut pieces = cutter.push(&rest);
        cutter.leaves_out_repeats(repeats);
        pieces.extend(cutter.finish());
        let is_grown = self.is_grown(&mut pieces).await;
        if is_grown.is_err() {
            self.unsaid.extend(pieces);
            return is_grown;
        }
        self.hand_over_all(pieces).await
    }

    /// Keeps words of a reply that breaks off, but for those that its message shows already.
    fn leaves_unsaid(&mut self, words: &str) {
        let shown = if self.growing.is_some() { self.delivered.text.as_str() } else { "" };
        self.unsaid.push(behind_shown(words, shown).to_owned());
    }

    /// Adds why the model is asked once more: what is recorded is the request that is answered.
    pub(super) fn asks_anew(&mut self, completion: &mut CompletionRequest, why: &str) {
        completion.messages.push(ChatMessage::new(Role::User, why.to_owned()));
        self.record(completion);
    }

    /// Tells the model what its tools gave so far.
    fn go_on_behind_tools(&mut self, completion: &mut CompletionRequest, turn_tools: &TurnTools<'_>) {
        if self.rounds.is_empty() {
            return;
        }
        let fitted = turn_tools.worth_sending(&self.rounds, self.prompt_tokens());
        completion.rounds = fitted.rounds;
        self.processing.rounds.clone_from(&completion.rounds);
        if fitted.is_full || self.rounds.len() >= turn_tools.most_rounds() {
            completion.tool_choice = ToolChoice::Answer;
        }
    }

    /// One completion to its end.
    async fn listen(
        &mut self,
        completion: &CompletionRequest,
        gate: &mut DeclineFilter,
        outlet: &mut Outlet,
        said_before: &mut SaidBefore,
        cutter: &mut ReplyCutter,
        log: &RunLog,
    ) -> Result<Listened, Broken> {
        let model = self.parts.models.slot(completion.slot);
        let begun = self.begun.get_mut().take();
        let opened = async {
            match begun {
                Some(begun) => begun,
                None => model.complete(completion.clone()).await,
            }
        };
        let mut stream = tokio::select! {
            stream = opened => stream.map_err(Broken::Model)?,
            reason = self.stop.stopped() => {
                self.calls.push(broken_off(model.describe().model, completion.slot, self.prompt_tokens(), ""));
                return Err(Broken::Stopped(reason));
            }
            late = too_late(self.heard_by()) => return Err(Broken::Model(late)),
        };
        let mut said = String::new();
        let mut calls = CallCollector::default();
        loop {
            let delta = tokio::select! {
                biased;
                reason = self.stop.stopped() => {
                    self.calls.push(broken_off(model.describe().model, completion.slot, self.prompt_tokens(), &said));
                    return Err(Broken::Stopped(reason));
                }
                delta = stream.next() => delta,
                late = too_late(self.heard_by()) => return Err(Broken::Model(late)),
            };
            match delta {
                Some(Ok(Delta::Text(words))) => {
                    if !std::mem::replace(&mut self.has_heard, true) {
                        self.stage("first_token");
                        self.processing.calls_before_first_token = log.calls_begun();
                    }
                    said.push_str(&words);
                    let words = answer_words(gate.push(&words))?;
                    let words = said_before.push(&outlet.push(&words));
                    self.hand_over_all(cutter.push(&words)).await?;
                    self.grow(&words).await?;
                    if outlet.is_cut() || cutter.is_full() {
                        // Nothing after this is wanted, and dropping the stream stops paying for it.
                        let model = model.describe().model;
                        self.calls.push(broken_off(model, completion.slot, self.prompt_tokens(), &said));
                        break;
                    }
                }
                Some(Ok(Delta::ThoughtAloud)) => {
                    said.clear();
                    *gate = DeclineFilter::new(self.may_pass);
                    outlet.begin_anew();
                    cutter.begin_anew();
                    if let Some(growing) = &mut self.growing {
                        growing.begin_anew();
                    }
                }
                Some(Ok(Delta::ToolCall(fragment))) => calls.push(fragment),
                Some(Ok(Delta::Reasoning(_))) => {}
                Some(Ok(Delta::AttemptFailed(report))) => self.calls.push(report),
                Some(Ok(Delta::Finished(report))) => {
                    self.calls.push(report);
                    break;
                }
                Some(Err(error)) => return Err(Broken::Model(error)),
                None => break,
            }
        }
        Ok(Listened { said, calls: calls.finish() })
    }

    /// Hands over pieces one after the other. From the first that does not arrive on they are left unsaid.
    async fn hand_over_all(&mut self, pieces: Vec<String>) -> Result<(), Broken> {
        for (number, piece) in pieces.iter().enumerate() {
            let handed_over = self.hand_over(piece).await;
            if handed_over.is_err() {
                self.unsaid.extend_from_slice(&pieces[number..]);
                return handed_over;
            }
        }
        Ok(())
    }

    /// Hands over one piece at the pace of the channel; remembers it as said only when it arrived.
    async fn hand_over(&mut self, piece: &str) -> Result<(), Broken> {
        let live = self.outbox.style().is_live();
        if !live && piece.trim().is_empty() {
            return Ok(());
        }
        // Discord shows a door into a server where the model wrote a link.
        let piece = if live { Cow::Borrowed(piece) } else { without_invitations(piece) };
        let piece = piece.as_ref();
        let seen = if live {
            Cow::Owned(with_what_is_before(&self.delivered.text, piece))
        } else {
            Cow::Borrowed(piece)
        };
        if is_unfit(self.parts, &self.to.place, &seen) {
            return Err(Broken::Unfit);
        }
        let is_first = self.delivered.count == 0;
        if !live && self.growing.is_none() && self.channel.figures.typing.enabled && self.outbox.is_watched()
        {
            if !is_first {
                // A message that was posted has ended the indicator.
                self.typing = None;
                self.typing = Some(self.outbox.typing(self.to));
            }
            let ready = self.typed_at(piece, is_first, &self.channel.figures.typing);
            self.stop.unless_stopped(tokio::time::sleep_until(ready)).await.map_err(Broken::Stopped)?;
        }
        if is_first && !live {
            self.stop.unless_stopped(self.while_they_type()).await.map_err(Broken::Stopped)?;
        }
        if let Some(reason) = self.stop.reason() {
            return Err(Broken::Stopped(reason));
        }
        self.underway.sends(&self.delivered.text, &self.delivered.messages, piece).await;
        let arrived = self.outbox.deliver(self.to, piece, is_first).await.map_err(Broken::Delivery)?;
        self.stop.mark_spoken();
        if is_first {
            self.stage("first_piece");
        }
        let gap = match (live, self.channel.figures.typing.enabled) {
            (true, _) => "",
            (false, true) => "\n\n",
            (false, false) => "\n",
        };
        self.delivered.arrives(gap, piece, arrived.message);
        self.underway.sent(&self.delivered.text, &self.delivered.messages).await;
        // On a live adapter the pieces are one message.
        if is_first || !live {
            self.delivered.count += 1;
        }
        Ok(())
    }

    /// Takes words of a reply whose message grows, and shows what can be.
    async fn grow(&mut self, words: &str) -> Result<(), Broken> {
        let Some(shown) = self.growing.as_mut().and_then(|growing| growing.take(words)) else {
            return Ok(());
        };
        match self.shows(&shown).await {
            // The next edit shows it.
            Err(Broken::Delivery(error)) if self.delivered.count > 0 => {
                tracing::debug!(turn = %self.to.turn, %error, "a reply that grows was not edited");
            }
            shown => shown?,
        }
        if let Some(growing) = &mut self.growing {
            growing.rests();
        }
        Ok(())
    }

    /// The reply is whole, and these are its messages: the one that grew becomes the first. Without any it goes.
    async fn is_grown(&mut self, pieces: &mut Vec<String>) -> Result<(), Broken> {
        let is_held_back = || pieces.first().is_some_and(|first| is_unfit(self.parts, &self.to.place, first));
        if self.growing.is_some() && self.delivered.count == 0 && is_held_back() {
            // What takes its place grows as well.
            return Err(Broken::Unfit);
        }
        let has_grown = self.growing.take().is_some() && self.delivered.count > 0;
        if !has_grown {
            return Ok(());
        }
        if pieces.is_empty() {
            let gone = self.outbox.replace(&self.to.place, &self.delivered.messages, &[], "").await;
            gone.map_err(Broken::Delivery)?;
            self.delivered = HandedOver::default();
            return Ok(());
        }
        let first = pieces.remove(0);
        let shown = self.shows(&first).await;
        if shown.is_err() {
            self.unsaid.push(behind_shown(&first, &self.delivered.text).to_owned());
        }
        shown
    }

    /// The message that grows reads so.
    async fn shows(&mut self, text: &str) -> Result<(), Broken> {
        let Some(message) = self.delivered.messages.first().cloned() else {
            return self.hand_over(text).await;
        };
        let text = without_invitations(text);
        if self.delivered.text == text {
            return Ok(());
        }
        if is_unfit(self.parts, &self.to.place, &text) {
            return Err(Broken::Unfit);
        }
        if let Some(reason) = self.stop.reason() {
            return Err(Broken::Stopped(reason));
        }
        // Written down first: a start after a kill has the message read as it is remembered.
        self.underway.grows_to(&text, &self.delivered.messages).await;
        if self.outbox.amend(self.to, &message, &text).await.map_err(Broken::Delivery)? {
            self.delivered.text = text.into_owned();
            return Ok(());
        }
        // Somebody took it away: they do not want the rest.
        self.delivered = HandedOver::default();
        Err(Broken::Stopped(CancelReason::StoppedByHand))
    }

    /// Returns when whoever is answered does not type, or has typed for long enough: what they add is answered together with
    /// the rest.
    async fn while_they_type(&self) {
        let until = Instant::now() + TYPING_WAIT;
        loop {
            let (world, now) = (self.parts.world.snapshot(), self.parts.clock.now());
            let types = |who: &AccountId| {
                world.for_place(&self.to.place).typing(now).any(|seen| seen.account == *who)
            };
            if !self.to.whom.as_ref().is_some_and(types) || Instant::now() >= until {
                return;
            }
            tokio::time::sleep(TYPING_LOOK).await;
        }
    }

    /// When a person would have finished typing this piece. The time the model took already counts as typing, so a
    /// slow model is not made slower.
    fn typed_at(&self, piece: &str, is_first: bool, typing: &TypingSimulation) -> Instant {
        let letters = u32::try_from(piece.chars().count()).unwrap_or(u32::MAX);
        let seconds = f64::from(letters) / typing.chars_per_second.max(1.0);
        let typed = Duration::try_from_secs_f64(seconds)
            .unwrap_or(typing.max_delay)
            .clamp(typing.min_delay, typing.max_delay);
        if is_first { self.started + typed } else { Instant::now() + typing.inter_line_pause + typed }
    }
}

/// A request that was broken off, by our own count: nobody tells what it used, and it is paid for all the same.
pub(super) fn broken_off(model: String, slot: Slot, prompt_tokens: u32, said: &str) -> ModelCall {
    let completion_tokens = u32::try_from(said.chars().count().div_ceil(4)).unwrap_or(u32::MAX);
    ModelCall {
        usage: Some(Usage { prompt_tokens, completion_tokens, ..Usage::default() }),
        error: Some((ModelErrorClass::Cancelled, "broken off; what it used is our own count".to_owned())),
        ..ModelCall::new(slot, model)
    }
}

/// What of these words comes behind those that are shown of them; what is shown may end in marks that they go on without.
fn behind_shown<'a>(words: &'a str, shown: &str) -> &'a str {
    let same = words.chars().zip(shown.chars()).take_while(|(word, seen)| word == seen);
    words[same.map(|(word, _)| word.len_utf8()).sum::<usize>()..].trim_start()
}

fn answer_words(passed: Passed) -> Result<String, Broken> {
    match passed {
        Passed::Words(words) => Ok(words),
        Passed::Decline(decline) => Err(Broken::Passed(decline)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_growing_message_shows_is_not_left_unsaid() {
        assert_eq!(behind_shown("*She walks. She sits.* So.", "*She walks.*"), "She sits.* So.");
        assert_eq!(behind_shown("All of it.", "All of it."), "");
        assert_eq!(behind_shown("All of it.", ""), "All of it.");
    }
}
