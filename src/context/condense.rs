//! What was found and has no room, told in a few lines by a side model (specs mechanisms A14: map-reduce compression).
//!
//! Owns when it is worth asking, what the model is shown, and what of its answer is taken. Every line has to name the
//! finds it rests on, by number; what names none is left out, since nobody could say where it is from. The result is
//! held text like the finds themselves, for the smallest circle that any of them is for. Must not know which model is
//! asked, nor how. Start reading at [`condensed`].

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::timeout;

use super::chunk::Chunk;
use super::contribution::{Contribution, Importance};
use super::finds::{best, excerpt, in_short, said_by};
use super::plan::extra_content;
use super::request::TurnRequest;
use crate::domain::{Effort, Layer, Modality};
use crate::text::tokens;

/// Easier messages are answered from what fits (A14).
const EFFORT: u8 = 7;

/// Less than this is not worth a model's time, in tokens.
const WORTH_TOKENS: u32 = 300;

/// What the lines may take, in tokens, and at most this share of the room for finds.
const NOTE_TOKENS: u32 = 300;
const NOTE_SHARE: u32 = 4;

/// Lines taken of an answer, and letters of each.
const LINES: usize = 8;
const LINE_CHARS: usize = 400;

/// Whoever can tell many excerpts in few lines.
#[async_trait]
pub trait Condenser: Send + Sync + Debug {
    /// Whether it could, and may, in this turn: no other model may be asked before the reply's first word.
    fn is_free(&self) -> bool;

    /// Lines that begin with the numbers of the excerpts they rest on, `[1, 3]`; the excerpts are numbered from 1.
    /// `None` where nothing came of it.
    async fn condense(&self, question: &str, excerpts: &[String]) -> Option<String>;
}

/// How many tokens of finds a turn holds, and how many of them are left to the lines where some do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub finds: u32,
    pub note: u32,
}

impl Room {
    /// A turn's room; `None` where finds are not condensed.
    pub(super) fn of(request: &TurnRequest, condenser: &dyn Condenser) -> Option<Self> {
        let effort = request.plan.intent.effort;
        let is_worth_it = effort >= Effort::new(EFFORT);
        let cap = request.channel.layers.get(&Layer::Content).copied().flatten();
        let cap = cap.map(|cap| cap.saturating_add(extra_content(&request.channel, effort)));
        let finds = cap.map_or(request.plan.found_tokens, |cap| cap.min(request.plan.found_tokens));
        let is_for = is_worth_it && request.modality == Modality::Text && request.as_of.is_none();
        (is_for && condenser.is_free()).then(|| Self { finds, note: NOTE_TOKENS.min(finds / NOTE_SHARE) })
    }
}

/// The finds that have no room in a few lines; `None` where they are too few, time is up, or nothing came of it.
pub(super) async fn condensed(
    surplus: &[Chunk],
    room: Room,
    request: &TurnRequest,
    condenser: &dyn Condenser,
    most: Duration,
) -> Option<Contribution> {
    let tokens: u32 = surplus.iter().map(|chunk| chunk.tokens).fold(0, u32::saturating_add);
    if tokens < WORTH_TOKENS || room.note == 0 || most.is_zero() {
        return None;
    }
    let finds = best(surplus.iter());
    let from: Vec<String> = finds.iter().map(|find| provenance(find, request)).collect();
    let excerpts: Vec<String> =
        finds.iter().zip(&from).map(|(find, from)| excerpt(find, Some(from))).collect();
    let answer = timeout(most, condenser.condense(request.utterance(), &excerpts)).await.ok()??;
    let text = lines(&answer, &from, room.note, request)?;
    let source = format!("recalled/condensed from {}", finds.len());
    Some(in_short(source, text, Importance::Normal, &finds, std::iter::empty()))
}

fn provenance(find: &Chunk, request: &TurnRequest) -> String {
    // A find's number means nothing to anybody; behind it stands where it is from.
    let source = || find.source.split_once(' ').map_or(find.source.as_str(), |(_, from)| from).to_owned();
    said_by(find, request).unwrap_or_else(source)
}

/// The lines of an answer that say what they rest on, their numbers made names, as many as fit.
fn lines(answer: &str, from: &[String], most: u32, request: &TurnRequest) -> Option<String> {
    let mut told = String::from("In short, from more that was found:");
    let mut taken = 0;
    for (numbers, words) in answer.lines().filter_map(numbered) {
        let sources: Vec<&str> = numbers
            .iter()
            .filter_map(|number| from.get(number.checked_sub(1)?))
            .map(String::as_str)
            .collect();
        if sources.is_empty() || words.chars().count() > LINE_CHARS || taken == LINES {
            continue;
        }
        let longer = format!("{told}\n- {words} ({})", sources.join("; "));
        if request.model.scale(tokens::count(request.model.encoding, &longer)) > most {
            break;
        }
        told = longer;
        taken += 1;
    }
    (taken > 0).then_some(told)
}

/// A line that begins with numbers in square brackets, and what it says.
fn numbered(line: &str) -> Option<(BTreeSet<usize>, &str)> {
    let line = line.trim().trim_start_matches(['-', '*', '•']).trim_start();
    let (numbers, words) = line.strip_prefix('[')?.split_once(']')?;
    let numbers: BTreeSet<usize> =
        numbers.split([',', ' ']).filter_map(|number| number.trim().parse().ok()).collect();
    let words = words.trim_start_matches(':').trim();
    (!numbers.is_empty() && !words.is_empty()).then_some((numbers, words))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::time::Instant;

    use super::*;
    use crate::context::chunk::ingest;
    use crate::context::contribution::{Placement, TailPart, Trust};
    use crate::context::reflex::tests::{harbour, request};
    use crate::context::weed::may_be_used;
    use crate::domain::{Audience, ChannelId, ExecutionPlan, Intent, Place, RenderMode};

    #[derive(Debug)]
    struct Says(Option<&'static str>);

    #[async_trait]
    impl Condenser for Says {
        fn is_free(&self) -> bool {
            true
        }

        async fn condense(&self, _question: &str, _excerpts: &[String]) -> Option<String> {
            match self.0 {
                Some(words) => Some(words.to_owned()),
                None => std::future::pending().await,
            }
        }
    }

    fn hard(level: u8) -> TurnRequest {
        let request = request(&harbour(), "tell me everything about the lighthouse");
        let intent = Intent { effort: Effort::new(level), ..request.plan.intent.clone() };
        TurnRequest {
            plan: Arc::new(ExecutionPlan { intent, found_tokens: 2000, ..request.plan.as_ref().clone() }),
            ..request
        }
    }

    fn finds(audiences: &[Audience], request: &TurnRequest) -> Vec<Chunk> {
        let find = |audience: &Audience| Contribution {
            tokens: Some(400),
            ..Contribution::new(
                format!("recalled/01.0 {audience}"),
                Layer::Content,
                Placement::Tail(TailPart::Recalled),
                Trust::Held,
                audience.clone(),
                format!("what {audience} said"),
            )
        };
        ingest(audiences.iter().map(find).collect(), &request.model, RenderMode::Layered).chunks
    }

    const ROOM: Room = Room { finds: 1000, note: 300 };

    #[tokio::test]
    async fn a14_what_is_told_in_short_is_for_the_smallest_circle_of_its_sources() {
        let request = hard(8);
        let private = Audience::Private(ChannelId::from(1));
        let open = request.place.audience.clone();
        let told = async |audiences: &[Audience]| {
            let finds = finds(audiences, &request);
            let most = Duration::from_secs(1);
            condensed(&finds, ROOM, &request, &Says(Some("[1] So it is.")), most).await.unwrap()
        };
        let of_all = told(&[Audience::Canon, private.clone(), open.clone()]).await;
        assert_eq!(of_all.audience, private);
        assert!(!may_be_used(&of_all.audience, &request.place), "it would be a leak here");
        assert_eq!(told(&[Audience::Canon, open.clone()]).await.audience, open);
        assert_eq!((of_all.trust, of_all.quoted.is_some()), (Trust::Held, true));
        let elsewhere = Place { audience: private.clone(), ..request.place.clone() };
        assert!(may_be_used(&of_all.audience, &elsewhere));
    }

    #[tokio::test(start_paused = true)]
    async fn a14_a_model_that_hangs_is_given_up_in_time() {
        let request = hard(8);
        let started = Instant::now();
        let most = Duration::from_millis(700);
        let finds = finds(&[Audience::Canon], &request);
        assert_eq!(condensed(&finds, ROOM, &request, &Says(None), most).await, None);
        assert_eq!(started.elapsed(), most);
        let few = ingest(Vec::new(), &request.model, RenderMode::Layered).chunks;
        assert_eq!(condensed(&few, ROOM, &request, &Says(None), most).await, None, "not even asked");
    }

    #[test]
    fn a14_only_hard_written_messages_of_today_are_worth_it() {
        let room = |request: &TurnRequest| Room::of(request, &Says(None));
        assert_eq!(room(&hard(7)), Some(Room { finds: 2000, note: 300 }));
        assert_eq!(room(&hard(6)), None);
        let mut much = hard(9);
        Arc::make_mut(&mut much.plan).found_tokens = 16_000;
        Arc::make_mut(&mut much.channel).layers.insert(Layer::Content, Some(1_000));
        assert_eq!(
            room(&much),
            Some(Room { finds: 2_000, note: 300 }),
            "twice its layer's cap, as the prompt takes"
        );
        assert_eq!(room(&TurnRequest { modality: Modality::Voice, ..hard(9) }), None);
        assert_eq!(room(&TurnRequest { as_of: Some(jiff::Timestamp::UNIX_EPOCH), ..hard(9) }), None);
    }

    #[test]
    fn a14_only_lines_that_say_what_they_rest_on_are_taken() {
        for (line, expected) in [
            ("[1] Ana keeps bees.", Some((vec![1], "Ana keeps bees."))),
            ("- [2, 14]: Ben sails.", Some((vec![2, 14], "Ben sails."))),
            ("Ana keeps bees.", None),
            ("[Ana] keeps bees.", None),
            ("[1]", None),
            ("NOTHING", None),
        ] {
            let found =
                numbered(line).map(|(numbers, words)| (numbers.into_iter().collect::<Vec<_>>(), words));
            assert_eq!(found, expected, "{line}");
        }
    }
}
