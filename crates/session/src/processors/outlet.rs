//! A reply on its way out: hidden blocks, other people's lines and what runs on behind its end are taken off as it
//! streams; what is spoken is made speakable sentence by sentence, so that it still streams (cards-and-lore 6.2,
//! "voice variant").

use std::sync::Arc;

use super::chain::Processors;
use super::recast::Polish;
use super::seam::{RunLog, Running, SWITCHED_OFF, TurnView, strs};
use crate::domain::{ChannelMode, Modality, ProcessorSide, ProcessorStatus};
use crate::llm::TagFilter;
use crate::text::control::TurnEndFilter;
use crate::text::heading::HeadingFilter;
use crate::text::looping::{Loop, before_repeats};
use crate::text::names::EchoFilter;
use crate::text::sentences::Cutter;
use crate::text::speech::speakable;

/// Takes what the model streams and gives what may be handed over; nothing before the end where the reply is recast.
#[derive(Debug)]
pub struct Outlet {
    read: StreamFilters,
    /// The same from the beginning.
    anew: StreamFilters,
    form: OutletForm,
    last: TagFilter,
    log: RunLog,
    /// What the model wrote, without what nobody may see.
    written: String,
    given: String,
}

/// What of a stream are words of this reply.
#[derive(Debug, Clone)]
struct StreamFilters {
    hidden: TagFilter,
    end: TurnEndFilter,
    heading: HeadingFilter,
    echo: EchoFilter,
    circles: Loop,
}

impl StreamFilters {
    fn push(&mut self, words: &str) -> String {
        if self.circles.is_stuck() {
            return String::new();
        }
        let words = self.echo.push(&self.heading.push(&self.end.push(&self.hidden.push(words))));
        self.circles.push(&words);
        words
    }

    fn finish(self) -> String {
        let Self { hidden, mut end, mut heading, mut echo, circles } = self;
        if circles.is_stuck() {
            return String::new();
        }
        let mut words = end.push(&hidden.finish());
        words.push_str(&end.finish());
        let mut words = heading.push(&words);
        words.push_str(&heading.finish());
        let mut tail = echo.push(&words);
        tail.push_str(&echo.finish());
        tail
    }
}

/// What is done to the words of a reply. What is spoken, or written as if it were, is made speakable sentence by sentence
/// and still streams; anything else may be recast, and is held back for that.
#[derive(Debug)]
enum OutletForm {
    AsWritten,
    Spoken { speaking: SpeakableForm, cutter: Cutter, run: Running },
    Recast(Polish),
}

impl OutletForm {
    fn of(processors: &Processors, turn: &Arc<TurnView>, log: &RunLog) -> Self {
        let is_heard = turn.plan.modality == Modality::Voice;
        if is_heard || turn.channel.mode == ChannelMode::ImitateVoice {
            if turn.adapter_forms_speech {
                return Self::AsWritten;
            }
            if is_heard || turn.channel.figures.recast {
                let run = log.begin("speech form", ProcessorSide::After);
                return Self::Spoken { speaking: SpeakableForm::default(), cutter: Cutter::new(), run };
            }
            log.skip("speech form", ProcessorSide::After, SWITCHED_OFF);
            return Self::AsWritten;
        }
        match processors.recasts(turn) {
            Ok(polish) => Self::Recast(polish),
            Err(why) => {
                log.skip("recast", ProcessorSide::After, why);
                Self::AsWritten
            }
        }
    }
}

/// The end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// What has not been given yet.
    pub rest: String,
    /// What the model had written, where something else came of it.
    pub written: Option<String>,
}

impl Processors {
    /// The way out for one reply.
    pub fn outlet(&self, turn: &Arc<TurnView>, log: &RunLog) -> Outlet {
        let read = StreamFilters {
            hidden: TagFilter::default(),
            end: TurnEndFilter::default(),
            heading: HeadingFilter::default(),
            echo: EchoFilter::new(&strs(&turn.own_names), &strs(&turn.other_names)),
            circles: Loop::default(),
        };
        Outlet {
            anew: read.clone(),
            read,
            form: OutletForm::of(self, turn, log),
            last: TagFilter::default(),
            log: log.clone(),
            written: String::new(),
            given: String::new(),
        }
    }
}

impl Outlet {
    /// Takes a piece of the reply; gives what can be handed over now.
    pub fn push(&mut self, words: &str) -> String {
        let words = self.read.push(words);
        self.take(words)
    }

    /// Whether the rest of the reply no longer matters: it began to speak for somebody else, wrote on behind its own end or
    /// into the prompt, or goes round in circles.
    pub fn is_cut(&self) -> bool {
        let StreamFilters { end, heading, echo, circles, .. } = &self.read;
        echo.is_cut() || end.is_over() || heading.is_over() || circles.is_stuck()
    }

    /// How many bytes at the end of what is given only say once more what stands before them, where it goes round in circles.
    /// What is recast is given without them.
    pub fn repeats(&self) -> usize {
        if matches!(self.form, OutletForm::Recast(_)) { 0 } else { self.read.circles.repeats() }
    }

    /// Nothing of what came so far was meant for anybody; what was given of it, is.
    pub fn begin_anew(&mut self) {
        self.read = self.anew.clone();
        self.written.clone_from(&self.given);
        if let OutletForm::Spoken { cutter, .. } = &mut self.form {
            *cutter = Cutter::new();
        }
        self.last = TagFilter::default();
    }

    fn take(&mut self, words: String) -> String {
        self.written.push_str(&words);
        let words = match &mut self.form {
            OutletForm::Recast(_) => return String::new(),
            OutletForm::AsWritten => words,
            OutletForm::Spoken { speaking, cutter, .. } => {
                cutter.push(&words).iter().map(|sentence| speaking.sentence(sentence)).collect()
            }
        };
        let words = self.last.push(&words);
        self.given.push_str(&words);
        words
    }

    /// The model is done. Waits until it is recast; dropping the future gives up on that.
    pub async fn finish(self) -> Finished {
        let Self { read, form, mut last, log, mut written, mut given, .. } = self;
        if let OutletForm::Recast(_) = &form {
            written.truncate(before_repeats(&written, read.circles.repeats()).len());
        }
        let tail = read.finish();
        written.push_str(&tail);
        let words = match form {
            OutletForm::AsWritten => tail,
            OutletForm::Recast(_) if written.trim().is_empty() => written.clone(),
            OutletForm::Recast(polish) => polish.rewrite(written.clone(), &log).await,
            OutletForm::Spoken { mut speaking, mut cutter, run } => {
                let mut sentences = cutter.push(&tail);
                sentences.extend(cutter.finish());
                run.end(ProcessorStatus::Ran, None);
                sentences.iter().map(|sentence| speaking.sentence(sentence)).collect()
            }
        };
        let mut rest = last.push(&words);
        rest.push_str(&last.finish());
        if given.trim().is_empty() && rest.trim().is_empty() {
            // A reply of nothing but what is taken away for speech is better said as it was.
            rest.clone_from(&written);
        }
        given.push_str(&rest);
        let written = (given.trim() != written.trim()).then_some(written);
        Finished { rest, written }
    }
}

#[derive(Debug, Default)]
struct SpeakableForm {
    has_spoken: bool,
}

impl SpeakableForm {
    fn sentence(&mut self, sentence: &str) -> String {
        let said = speakable(sentence);
        if said.is_empty() {
            return String::new();
        }
        // What comes between two sentences is a breath, whatever stood there.
        let said = if self.has_spoken { format!(" {said}") } else { said };
        self.has_spoken = true;
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_joined_by_a_breath() {
        let mut speaking = SpeakableForm::default();
        let said: String =
            ["😀 ", "**Hello** there.\n\n", "---\n", "- How are you?"].map(|s| speaking.sentence(s)).concat();
        assert_eq!(said, "Hello there. How are you?");
    }
}
