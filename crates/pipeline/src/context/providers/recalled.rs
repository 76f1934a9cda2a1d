//! What was said or noted earlier and belongs to the question.

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until, timeout};

use super::lore::keep_for_turn;
use super::people::{NOTE_CLIP, chosen};
use super::{AnswerReuse, ContextAsk, ContextProvider, Pieces, Profile, ProviderError, newest};
use crate::context::contribution::{Contribution, Facet, Quoted, TailPart};
use crate::context::ingest::chunk_dressing;
use crate::context::recall::{
    Circumstances, Found, FoundLine, PipelineParts, Recall, RecallQuery, Recalled, is_lore,
};
use crate::context::request::TurnRequest;
use crate::context::warm::Lifetime;
use crate::domain::{Category, ExecutionPlan, Intent, RerankFigures, SearchFigures, TurnId, Visible};
use crate::history::OpenStretch;
use crate::text::keywords;
use crate::text::names::prompt_label;
use crate::text::punctuation::ends_as_question;
use crate::text::sentences::typed_sentences;
use crate::text::tokens;

/// A found turn may be so long, in tokens, and one that only came along so long (contradiction 1: snippet
/// 150).
const HIT_CLIP: u32 = 400;
const BESIDE_CLIP: u32 = 150;

/// So long a reply waits for what is found at most, in milliseconds.
const DEADLINE_MS: u64 = 500;

/// Of what is left of it once everything was searched, so much is for a second model: the rest is for what is to be quoted
/// beside the finds.
const FOR_RERANKING: (u32, u32) = (3, 4);

/// So long everything that was begun is waited for, however much the first search found: nobody notices, and where
/// nothing is slow a prompt does not depend on which search was first. Of a shorter deadline a quarter.
const SETTLING: Duration = Duration::from_millis(60);
const SETTLING_SHARE: u32 = 4;

/// Searches about what is still open (A14), and where the numbers of their finds begin.
const REFINING: u32 = 2;
const REFINED_FROM: usize = 50;

/// Below this a find is more likely noise than what was meant (Y14: the threshold is on the calibrated
/// score, not on the rank).
const LIKELY: f32 = 0.25;

/// What only reminds of something, and is not asked for, has to fit better.
const FITTING: f32 = 0.78;

/// Finds that are looked at to fill the room of a question, and the least that one of them has to be worth. On the
/// conversations for tuning .86 of what answers is in the prompts with these, and .77 with the three or five best alone
/// (docs/reference/performance.md).
const FILLING: usize = 16;
const FILLING_LEAST: f32 = 0.1;

/// Of these so many are quoted with what stands around them: with three of them .85 is there, with one .88, but
/// then hardly a find would be told with what it answers.
const WHOLE: usize = 2;

/// What the finds for a plain question, a line of play that asks, and one about what was fill, in tokens. The harder the
/// question, the more.
const FOR_A_QUESTION: u32 = 900;
const FOR_A_LINE: u32 = 1_000;
const FOR_THE_PAST: u32 = 1_100;

/// Contributes what recall finds, each exchange a group of its own.
#[derive(Debug)]
pub(crate) struct RecallProvider {
    recall: Recall,
    parts: PipelineParts,
    /// Of each turn's searches, by the number from which on their finds are told.
    figures: Mutex<VecDeque<((TurnId, usize), Figures)>>,
}

/// What was searched, and what a second model made of its order.
type Figures = (Vec<SearchFigures>, Option<RerankFigures>);

impl RecallProvider {
    /// Asks `recall`. What was said just before a short question stands in the history.
    pub(crate) fn new(recall: Recall, parts: PipelineParts) -> Self {
        Self { recall, parts, figures: Mutex::default() }
    }

    pub(crate) fn recall(&self) -> &Recall {
        &self.recall
    }

    /// Gets ready for the first question.
    pub(crate) async fn warm_up(&self) {
        self.recall.warm_up().await;
    }

    /// What was searched for a turn, and what a second model made of its order; handed out once.
    pub(crate) fn take_figures(&self, turn: TurnId) -> (Vec<SearchFigures>, Vec<RerankFigures>) {
        let mut figures = self.figures.lock();
        let (wanted, others): (VecDeque<_>, VecDeque<_>) =
            figures.drain(..).partition(|((of, _), _)| *of == turn);
        *figures = others;
        let (searches, reranked): (Vec<_>, Vec<_>) = wanted.into_iter().map(|(_, known)| known).unzip();
        (searches.concat(), reranked.into_iter().flatten().collect())
    }

    /// Looks `text` up; the finds are numbered from `first` on. While a search is slow, what the others have found is
    /// told.
    async fn look_up(
        &self,
        text: &str,
        searches: u32,
        first: usize,
        wanted: FindsWanted,
        request: &TurnRequest,
        ask: &ContextAsk<'_>,
    ) -> Result<Vec<Contribution>, ProviderError> {
        let patience = SETTLING.min(request.plan.deadline / SETTLING_SHARE);
        let begun = Instant::now();
        let settled = begun + patience;
        let query = self.query(text, wanted, request, patience).await;
        // There is no default: whoever is nobody that is known is shown what everyone everywhere may see
        // (contradiction 15).
        let visible = match request.author {
            Some(_) => request.visible(),
            None => Visible::of_canon(),
        };
        let mut searching = self.recall.begin(&query, &visible, searches);
        let mut has_settled = false;
        loop {
            tokio::select! {
                biased;
                is_more = searching.step() => if !is_more { break },
                () = sleep_until(settled), if !has_settled => has_settled = true,
            }
            if has_settled && searching.goes_on() {
                let Recalled { found, searches, .. } = searching.so_far();
                keep_for_turn(&self.figures, (request.turn, first), (searches, None));
                let found = wanted.of(found);
                let mut whole = found.clone();
                let finished = timeout(patience, async {
                    searching.complete(&mut whole).await;
                    self.without_shown_notes(whole, request).await
                });
                let found = match finished.await {
                    Ok(Ok(whole)) => whole,
                    // Whatever is slow, what was found stays found.
                    Ok(Err(_)) | Err(_) => found,
                };
                ask.tell(self.pieces(first, &found, wanted, request));
            }
        }
        let whole = request.plan.deadline.min(Duration::from_millis(DEADLINE_MS));
        let left = whole.saturating_sub(begun.elapsed()) / FOR_RERANKING.1 * FOR_RERANKING.0;
        let Recalled { found, searches, reranked } = searching.reranked(left).await;
        keep_for_turn(&self.figures, (request.turn, first), (searches, reranked));
        let mut found = wanted.of(found);
        searching.complete(&mut found).await;
        let found = self.without_shown_notes(found, request).await?;
        Ok(self.pieces(first, &found, wanted, request))
    }

    /// Finds as they are quoted, numbered from `first` on: those that are told in any case, and of the others as many as
    /// there is room for, the best first.
    fn pieces(
        &self,
        first: usize,
        found: &[Found],
        wanted: FindsWanted,
        request: &TurnRequest,
    ) -> Vec<Contribution> {
        let layout = self.parts.config.current().render.mode;
        let mut count = |text: &str| tokens::count(request.model.encoding, text);
        let mut used = 0_u32;
        let mut pieces = Vec::new();
        for (at, one) in found.iter().enumerate() {
            let mut quoted = quote_find(first + at, one, request);
            if wanted.fill > 0 {
                let mut takes = 0_u32;
                for piece in &mut quoted {
                    let words = count(&piece.text);
                    piece.tokens = Some(words);
                    let around = chunk_dressing(piece, layout, &mut count);
                    let whole = request.model.scale(words.saturating_add(around));
                    takes = takes.saturating_add(whole.min(piece.clip.unwrap_or(u32::MAX)));
                }
                if !wanted.is_whole(at, one) && used.saturating_add(takes) > wanted.fill {
                    continue;
                }
                used = used.saturating_add(takes);
            }
            pieces.extend(quoted);
        }
        pieces
    }

    async fn query(
        &self,
        text: &str,
        wanted: FindsWanted,
        request: &TurnRequest,
        patience: Duration,
    ) -> RecallQuery {
        let config = self.parts.config.current();
        let shown = request.pending.iter().map(|turn| turn.ordinal).max().map(|newest| OpenStretch {
            channel: request.place.channel.clone(),
            mode: request.channel.mode,
            // So many stay for certain, as far as they fit.
            above: newest.saturating_sub(u64::from(config.providers.history.window_size.max(1))),
        });
        let before = match RecallQuery::is_short(text) {
            true => timeout(patience, self.before(request)).await.ok().flatten(),
            false => None,
        };
        RecallQuery::new(
            text,
            Circumstances {
                now: request.now,
                tz: request.display_tz.clone(),
                shown,
                until: request.as_of,
                answered: request.pending.iter().map(|turn| turn.id).collect(),
                before,
                method: config.providers.recall.method,
                most: wanted.most,
                least: if wanted.fill > 0 { FILLING_LEAST } else { wanted.least },
            },
        )
    }

    /// What was said just before the question. Without it a short question is understood less well, and that is all.
    async fn before(&self, request: &TurnRequest) -> Option<String> {
        let asked = request.pending.last()?;
        let recent = newest(&self.parts.history, request, None, 4).await.ok()?;
        recent.into_iter().find(|turn| turn.ordinal < asked.ordinal).map(|before| before.content)
    }

    /// Leaves out the parts of notes that stand in the prompt as a whole.
    async fn without_shown_notes(
        &self,
        found: Vec<Found>,
        request: &TurnRequest,
    ) -> Result<Vec<Found>, ProviderError> {
        if !found.iter().any(|one| one.key.starts_with("people/")) {
            return Ok(found);
        }
        let people = self.parts.memory.seen_by(&request.visible()).people().await;
        let chosen = chosen(request, &people, &self.parts.history).await?;
        let whole: Vec<String> = chosen
            .iter()
            .filter(|one| tokens::count(request.model.encoding, &one.note.text) < NOTE_CLIP)
            .map(|one| format!("people/{}.md ", one.note.slug))
            .collect();
        Ok(found.into_iter().filter(|one| !whole.iter().any(|shown| one.key.starts_with(shown))).collect())
    }
}

#[async_trait]
impl ContextProvider for RecallProvider {
    fn profile(&self) -> Profile {
        Profile { looks_again: true, ..Profile::search("recall", DEADLINE_MS) }
    }

    /// A message is a question of its own, asked once: what belongs to it may have been said a moment ago (Y13). What is
    /// found for it, also too late, is of use to those that follow: [`WarmProvider`](super::WarmProvider) offers it.
    fn kept(&self, request: &TurnRequest) -> Option<AnswerReuse> {
        let ids: Vec<String> = request.pending.iter().map(|turn| turn.id.0.to_string()).collect();
        (!ids.is_empty()).then(|| AnswerReuse {
            lifetime: Lifetime::Memory,
            key: format!("{} {} {}", ids.join(","), request.plan.searches, request.utterance()),
        })
    }

    /// What is still open is looked up by its words alone: the rest of the question no longer outweighs them.
    async fn contribute(&self, request: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        let searches = request.plan.searches;
        let wanted = FindsWanted::by(&request.plan, request.utterance());
        let Some(open) = ask.open else {
            return self.look_up(request.utterance(), searches, 1, wanted, request, ask).await;
        };
        let words: Vec<&str> = open.iter().map(Facet::words).collect();
        // The room is filled already.
        let wanted = FindsWanted { most: wanted.whole, fill: 0, ..wanted };
        self.look_up(&words.join(" "), searches.min(REFINING), REFINED_FROM, wanted, request, ask).await
    }
}

/// How many finds a message is worth, and how good they have to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FindsWanted {
    most: usize,
    /// Finds that are told in any case, with what stands around them; each is worth at least `least`.
    pub whole: usize,
    pub least: f32,
    /// So much the finds may fill, in tokens, with turns that are told alone; 0: there are none but whole ones.
    fill: u32,
}

/// Whether a message is talk that may remind of something: nothing is asked that would have to be found.
pub(in crate::context) fn only_reminds(plan: &ExecutionPlan, utterance: &str) -> bool {
    let Intent { asks, category, .. } = &plan.intent;
    let is_talk = matches!(category, Category::SmallTalk | Category::Roleplay);
    is_talk && !(*asks && is_one_question(utterance))
}

impl FindsWanted {
    /// A question gets what its plan has searches for. Talk, or a line of play, in which a question is only a part
    /// ("Great! And how was yours?") is answered from the conversation: it may remind of one thing.
    pub(super) fn by(plan: &ExecutionPlan, utterance: &str) -> Self {
        if only_reminds(plan, utterance) {
            return Self { most: 1, whole: 1, least: FITTING, fill: 0 };
        }
        // Where much is looked for, something may be told that is only perhaps what was meant.
        let (most, least) = match plan.searches {
            0..=2 => (3, LIKELY),
            3..=7 => (5, LIKELY),
            8 => (5, 0.8 * LIKELY),
            9..=16 => (10, 0.6 * LIKELY),
            17..=24 => (16, 0.4 * LIKELY),
            _ => (24, 0.4 * LIKELY),
        };
        // What is to be done is no question of what was, and where many finds are told they fill more than this.
        let fill = match plan.intent.category {
            Category::SmallTalk => FOR_A_QUESTION,
            Category::Roleplay => FOR_A_LINE,
            Category::Recall => FOR_THE_PAST,
            _ => 0,
        };
        match fill.min(plan.found_tokens) {
            0 => Self { most, whole: most, least, fill: 0 },
            fill => Self { most: FILLING, whole: WHOLE, least, fill },
        }
    }

    /// Whether the find in this place, from 0, is told in any case, with what stands around it.
    fn is_whole(self, at: usize, one: &Found) -> bool {
        at < self.whole && one.score >= self.least
    }

    /// Those that are told with what stands around them, and those that may fill the rest of the room without. Where
    /// nothing is likely to be meant, nothing fills anything.
    fn of(self, found: Vec<Found>) -> Vec<Found> {
        let (mut likely, mut others): (Vec<Found>, Vec<Found>) =
            found.into_iter().partition(|one| one.score >= self.least);
        if likely.is_empty() || self.fill == 0 {
            return likely;
        }
        likely.append(&mut others);
        for (at, one) in likely.iter_mut().enumerate() {
            if !self.is_whole(at, one) {
                one.beside.clear();
            }
        }
        likely
    }
}

/// Whether most words of a message stand in what it asks. Without a question mark its first words ask, and so does all
/// of it.
fn is_one_question(text: &str) -> bool {
    let words = |part: &str| keywords::words(part).count();
    let asked: usize =
        typed_sentences(text).into_iter().filter(|part| ends_as_question(part)).map(words).sum();
    asked == 0 || asked * 3 >= words(text) * 2
}

/// Where a line of a find stands: what nobody said is not told as said.
fn part_of(found: &Found, line: &FoundLine) -> TailPart {
    match line.turn {
        None if found.key.starts_with("people/") => TailPart::People,
        None if is_lore(&found.key) => TailPart::Lore,
        _ => TailPart::Recalled,
    }
}

/// A find, line by line; its lines stay or go together.
fn quote_find(rank: usize, found: &Found, request: &TurnRequest) -> Vec<Contribution> {
    let group = (found.lines.len() > 1).then(|| format!("recalled/{rank}"));
    let here = request.world.for_place(&request.place);
    let line = |at: usize, line: &FoundLine| {
        let author = match (line.turn, &line.author) {
            (_, Some(author)) => Some(prompt_label(author)),
            (Some(_), None) => Some("you".to_owned()),
            (None, None) => None,
        };
        let place = line.named_place(here);
        let part = part_of(found, line);
        Contribution {
            relevance: found.score,
            group: group.clone(),
            quoted: Some(Quoted { author, place: place.map(prompt_label), at: line.at }),
            age: line.at.and_then(|at| Duration::try_from(request.now.duration_since(at)).ok()),
            clip: Some(if line.is_hit { HIT_CLIP } else { BESIDE_CLIP }),
            ..Contribution::looked_up(
                format!("recalled/{rank:02}.{at} {}", line.source),
                part,
                line.audience.clone(),
                line.text.clone(),
            )
        }
    };
    found.lines.iter().enumerate().map(|(at, one)| line(at, one)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::recall::entry_key;
    use crate::domain::{Audience, StoredId};

    #[test]
    fn a12_lore_that_was_found_is_told_of_the_world_and_not_as_said() {
        let part = |key: &str, turn: Option<StoredId>| {
            let mut found =
                Found::known(key.to_owned(), "x".to_owned(), Audience::Canon, key.to_owned(), 0.5);
            found.lines[0].turn = turn;
            part_of(&found, &found.lines[0])
        };
        assert_eq!(part(&entry_key("Vell", 99), None), TailPart::Lore);
        assert_eq!(part("people/ana", None), TailPart::People);
        assert_eq!(part("self/diary", None), TailPart::Recalled);
        assert_eq!(part(&entry_key("Vell", 99), Some(StoredId(1))), TailPart::Recalled, "somebody said it");
    }

    #[test]
    fn a5_a_question_inside_a_remark_is_not_one_question() {
        for text in [
            "when did we sail?",
            "what is my cat called",
            "Mika, when was it?",
            "Really? When?",
            "What areas of the U.S. has John been to or is planning to go to?",
            "この港はどこ？",
        ] {
            assert!(is_one_question(text), "{text}");
        }
        for text in [
            "Wow, that is a lovely picture of the harbour! Yours?",
            "I went there twice. The soup was good. And you?",
            "Wow, that is a lovely picture of the harbour! Yours? 😂",
            "i went there twice. the soup was good. and you?",
            "港のすてきな写真だね！君の？",
        ] {
            assert!(!is_one_question(text), "{text}");
        }
    }
}
