//! A reply on its way out: hidden blocks, other people's lines and what runs on behind its end are taken off as it
//! streams, then come the post-processors. One of them is here: the speech form, a reply as it can be said aloud, a formatter
//! that works sentence by sentence, so that the reply still streams (specs cards-and-lore 6.2, "voice variant").

use std::sync::Arc;

use super::seam::{PostProcessor, RunLog, Running, SentenceWork, TurnView, WholeWork, Work};
use super::tags::TagFilter;
use crate::domain::{ChannelMode, Modality, ProcessorSide, ProcessorStatus};
use crate::text::control::TurnEnd;
use crate::text::looping::Loop;
use crate::text::names::EchoFilter;
use crate::text::sentences::Cutter;
use crate::text::speech::speakable;

/// Takes what the model streams and gives what may be handed over. Holds everything back until the end where a
/// processor wants the whole reply.
#[derive(Debug)]
pub struct Outlet {
    read: Reading,
    /// The same from the beginning.
    anew: Reading,
    stages: Vec<Stage>,
    last: TagFilter,
    log: RunLog,
    /// What the model wrote, without what nobody may see.
    written: String,
    /// What was given so far.
    given: String,
    holds_back: bool,
}

/// What of a stream are words of this reply.
#[derive(Debug, Clone)]
struct Reading {
    hidden: TagFilter,
    end: TurnEnd,
    echo: EchoFilter,
    circles: Loop,
}

impl Reading {
    fn push(&mut self, words: &str) -> String {
        if self.circles.is_stuck() {
            return String::new();
        }
        let words = self.echo.push(&self.end.push(&self.hidden.push(words)));
        self.circles.push(&words);
        words
    }

    fn finish(self) -> String {
        let Self { hidden, mut end, mut echo, circles } = self;
        if circles.is_stuck() {
            return String::new();
        }
        let mut tail = echo.push(&end.push(&hidden.finish()));
        tail.push_str(&echo.push(&end.finish()));
        tail.push_str(&echo.finish());
        tail
    }
}

#[derive(Debug)]
enum Stage {
    Sentences { work: Box<dyn SentenceWork>, cutter: Cutter, run: Running },
    Whole(Box<dyn WholeWork>),
}

/// The end of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// What has not been given yet.
    pub rest: String,
    /// What the model had written, where something else came of it.
    pub written: Option<String>,
}

impl Outlet {
    pub(super) fn new<'p>(
        processors: impl Iterator<Item = &'p dyn PostProcessor>,
        turn: &Arc<TurnView>,
        log: &RunLog,
    ) -> Self {
        let mut stages = Vec::new();
        for processor in processors {
            let name = processor.name();
            match processor.begin(turn) {
                Work::Nothing => {}
                Work::Skip(why) => log.skip(name, ProcessorSide::After, why),
                Work::Sentences(work) => stages.push(Stage::Sentences {
                    work,
                    cutter: Cutter::new(),
                    run: log.begin(name, ProcessorSide::After),
                }),
                Work::Whole(work) => stages.push(Stage::Whole(work)),
            }
        }
        let holds_back = stages.iter().any(|stage| matches!(stage, Stage::Whole(_)));
        let read = Reading {
            hidden: TagFilter::default(),
            end: TurnEnd::default(),
            echo: EchoFilter::new(&as_strs(&turn.own_names), &as_strs(&turn.other_names)),
            circles: Loop::default(),
        };
        Self {
            anew: read.clone(),
            read,
            stages,
            last: TagFilter::default(),
            log: log.clone(),
            written: String::new(),
            given: String::new(),
            holds_back,
        }
    }

    /// Takes a piece of the reply; gives what can be handed over now.
    pub fn push(&mut self, words: &str) -> String {
        let words = self.read.push(words);
        self.take(words)
    }

    /// Whether the rest of the reply no longer matters: it began to speak for somebody else, wrote on behind its own end, or
    /// goes round in circles.
    pub fn is_cut(&self) -> bool {
        self.read.echo.is_cut() || self.read.end.is_over() || self.read.circles.is_stuck()
    }

    /// Nothing of what came so far was meant for anybody; what was given of it, is.
    pub fn begin_anew(&mut self) {
        self.read = self.anew.clone();
        self.written.clone_from(&self.given);
        for stage in &mut self.stages {
            if let Stage::Sentences { cutter, .. } = stage {
                *cutter = Cutter::new();
            }
        }
        self.last = TagFilter::default();
    }

    fn take(&mut self, words: String) -> String {
        self.written.push_str(&words);
        if self.holds_back {
            return String::new();
        }
        let mut words = words;
        for stage in &mut self.stages {
            if let Stage::Sentences { work, cutter, .. } = stage {
                words = cutter.push(&words).iter().map(|sentence| work.sentence(sentence)).collect();
            }
        }
        let words = self.last.push(&words);
        self.given.push_str(&words);
        words
    }

    /// The model is done. Waits for the processors that want the whole reply; dropping the future gives up on them.
    pub async fn finish(self) -> Finished {
        let Self { read, stages, mut last, log, mut written, mut given, holds_back, .. } = self;
        let tail = read.finish();
        written.push_str(&tail);
        let mut words = if holds_back { written.clone() } else { tail };
        for stage in stages {
            words = match stage {
                Stage::Whole(work) if !words.trim().is_empty() => work.rewrite(words, &log).await,
                Stage::Whole(_) => words,
                Stage::Sentences { mut work, mut cutter, run } => {
                    let mut sentences = cutter.push(&words);
                    sentences.extend(cutter.finish());
                    let said = sentences.iter().map(|sentence| work.sentence(sentence)).collect();
                    run.end(ProcessorStatus::Ran, None);
                    said
                }
            };
        }
        let mut rest = last.push(&words);
        rest.push_str(&last.finish());
        if given.trim().is_empty() && rest.trim().is_empty() {
            // A reply of nothing but what a processor takes away is better said as it was.
            rest.clone_from(&written);
        }
        given.push_str(&rest);
        let written = (given.trim() != written.trim()).then_some(written);
        Finished { rest, written }
    }
}

fn as_strs(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Makes what is spoken, or written as if spoken, speakable.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeechForm;

/// Whether the turn's reply is heard, or is to read as if it were.
pub(super) fn is_spoken(turn: &TurnView) -> bool {
    turn.plan.modality == Modality::Voice || turn.channel.mode == ChannelMode::ImitateVoice
}

impl PostProcessor for SpeechForm {
    fn name(&self) -> &'static str {
        "speech form"
    }

    fn begin(&self, turn: &Arc<TurnView>) -> Work {
        if turn.rim_forms_speech || !is_spoken(turn) {
            Work::Nothing
        } else if turn.plan.modality == Modality::Voice || turn.channel.recast {
            Work::Sentences(Box::new(Speaking::default()))
        } else {
            Work::Skip("switched off for this channel or its mode".to_owned())
        }
    }
}

#[derive(Debug, Default)]
struct Speaking {
    has_spoken: bool,
}

impl SentenceWork for Speaking {
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
mod speech_tests {
    use super::*;

    #[test]
    fn sentences_are_joined_by_a_breath() {
        let mut speaking = Speaking::default();
        let said: String =
            ["😀 ", "**Hello** there.\n\n", "---\n", "- How are you?"].map(|s| speaking.sentence(s)).concat();
        assert_eq!(said, "Hello there. How are you?");
    }
}
