//! One question after the other, each answered aloud: how long it takes from the last sound of the one to the first
//! sound of the other, and how much of that is nobody's but ours.

use std::time::Duration;

use tokio::time::Instant;

use crate::figures::{Figures, timing_of_answer};
use crate::log::{Entry, Log};
use crate::pass;
use crate::support::talk::{AUDIBLE, GAP, Profile, Talk, TalkOptions, bare_words, misheard};
use crate::table::Table;

/// Nothing to be heard for so long: the answer is over, even if the voice is slow to say its second sentence.
const OVER: Duration = Duration::from_secs(2);

/// No answer within this is none.
const PATIENCE: Duration = Duration::from_secs(12);

/// What was measured.
#[derive(Default)]
pub struct Turns {
    profile: Profile,
    voice_to_voice: Vec<Duration>,
    overhead: Vec<Duration>,
    /// Of it: until their turn was taken, and from its first sound's being asked for to the packet.
    taken_late: Vec<Duration>,
    spoken_late: Vec<Duration>,
    waits: Vec<Duration>,
    efficiency: Vec<f64>,
    gaps: Vec<Duration>,
    asked: usize,
    /// Turns with an answer; with the right words; with an answer that was begun early and kept.
    answered: usize,
    right: usize,
    kept: usize,
    /// Early answers, thrown away ones included.
    early: usize,
    /// First phrases that were spoken before they were wanted.
    spoken_ahead: usize,
    /// Words that the model was made to say, and those of them that nobody heard.
    words: usize,
    wasted: usize,
}

/// What is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Questions that sound finished.
    Questions,
    /// Questions, statements, fillers in front, and lines as a recogniser writes them that knows no punctuation.
    Mixed,
}

impl Lines {
    fn line(self, number: usize) -> String {
        let name = name(number);
        match (self, number % 5) {
            (Self::Questions, _) | (Self::Mixed, 0) => format!("Where is {name}?"),
            (Self::Mixed, 1) => format!("I went to see {name} this morning."),
            (Self::Mixed, 2) => format!("Um, so, I was thinking about {name}."),
            (Self::Mixed, 3) => format!("tell me what you know of {name}"),
            (Self::Mixed, _) => format!("i have never liked {name}"),
        }
    }
}

/// Asks so many questions.
pub async fn measure(options: &TalkOptions, log: &Log, count: usize, lines: Lines) -> Turns {
    let settings = format!("answer_ahead = true\n{}", options.settings);
    let talk = Talk::start(TalkOptions { settings, ..options.clone() }).await;
    talk.ana_calls().await;
    let mut turns = Turns { profile: options.profile, asked: count, ..Turns::default() };
    for number in 0..count {
        turns.ask(&talk, log, (number, &lines.line(number))).await;
    }
    talk.ends().await;
    turns
}

/// A name that nobody else has, of three syllables.
fn name(number: usize) -> String {
    let syllables = ["ba", "do", "fi", "ga", "ke", "lu", "mo", "ni", "pa", "ru", "so", "ta"];
    let syllable = |place: usize| syllables[number / syllables.len().pow(place as u32) % syllables.len()];
    let name = format!("{}{}{}", syllable(0), syllable(1), syllable(2));
    name[..1].to_uppercase() + &name[1..]
}

const ANSWERS: [&str; 4] = [
    "Down by the pier. All quiet there.",
    "On the ferry, as ever. Ask again tomorrow.",
    "Nobody knows. The river keeps what it takes.",
    "Up in the light. It burns all night long.",
];

impl Turns {
    async fn ask(&mut self, talk: &Talk, log: &Log, (number, line): (usize, &str)) {
        let answer = ANSWERS[number % ANSWERS.len()];
        talk.model_says(line, answer);
        // Asked early, where the last word is misheard.
        talk.model_says(&misheard(line), "Nowhere at all. Why do you ask?");
        talk.settled().await;
        pass(Duration::from_millis(60)).await;
        talk.forget();
        log.take();
        let (asked, spoken) = (talk.asked.lock().unwrap().len(), talk.tongue.spoken().len());
        let understood = talk.ears.understood().len();
        let said = talk.says(&talk.ana, line).await;
        let expected = bare_words(answer);
        wait_for_answer(talk, expected.len(), OVER).await;

        let requests = talk.asked.lock().unwrap()[asked..].to_vec();
        let phrases = talk.tongue.spoken()[spoken..].to_vec();
        let understood = talk.ears.understood()[understood..].to_vec();
        let entries = log.take();
        let taken = entries.iter().find_map(|entry| match *entry {
            Entry::Taken { at, wait, ahead } => Some((at, wait, ahead)),
            _ => None,
        });
        let (words, first) = talk.hearing(|hearing| (hearing.words().to_vec(), hearing.first_sound()));
        self.words += requests.iter().map(|request| request.words).sum::<usize>();
        let (Some(first), Some((taken, wait, ahead))) = (first, taken) else { return };
        let (Some(request), Some(phrase), Some(told)) = (requests.last(), phrases.first(), understood.last())
        else {
            return;
        };
        self.answered += 1;
        let heard: Vec<&str> = words.iter().map(|word| word.word.as_str()).collect();
        self.right += usize::from(heard == expected.iter().map(String::as_str).collect::<Vec<_>>());
        self.kept += usize::from(ahead);
        self.early += requests.iter().filter(|request| request.at < taken).count();
        self.wasted += requests[..requests.len() - 1].iter().map(|request| request.words).sum::<usize>();
        self.waits.push(wait);

        // The way it took, made of nothing but what others needed and what was said to be waited for.
        let profile = self.profile;
        let clause = profile.word * (phrase.text.split_whitespace().count() as u32).saturating_sub(1);
        let over = said.ended + wait.max(told.delay);
        let model = request.delay + clause;
        // What was begun early is listened through: until its first word, or its first sound where it is spoken early.
        let spoken_ahead = phrase.asked < taken;
        let sound = request.at + model + phrase.delay;
        let (settled, way) = match (ahead, spoken_ahead) {
            (false, _) => (over, over + model + phrase.delay),
            (true, false) => {
                (over.max(request.at + request.delay), over.max(request.at + model) + phrase.delay)
            }
            (true, true) => (over.max(sound), over.max(sound)),
        };
        self.spoken_ahead += usize::from(spoken_ahead);
        self.overhead.push(first.saturating_duration_since(way));
        self.taken_late.push(taken.saturating_duration_since(settled));
        self.spoken_late.push(first.saturating_duration_since(phrase.asked + phrase.delay));
        let voice_to_voice = first.saturating_duration_since(said.ended);
        self.voice_to_voice.push(voice_to_voice);
        // The best way: the model begins with the last partial, everything else at once.
        let best = wait.max(profile.partial + model + phrase.delay);
        self.efficiency.push(voice_to_voice.as_secs_f64() / best.as_secs_f64());

        let in_first = bare_words(&phrase.text).len();
        if let Some(gap) = words.get(in_first).filter(|_| phrases.len() > 1) {
            let extra = gap.gap.map_or(Duration::from_secs(1), |gap| gap.saturating_sub(GAP));
            self.gaps.push(extra);
        }
    }

    /// The figures; `is_aimed` where the aims are meant for these delays.
    pub fn table(self, title: &str, is_aimed: bool) -> Table {
        let mut figures = Figures::new(&format!("Turns, {title}"));
        let is_zero = self.profile == Profile::zero();
        let unanswered = std::iter::repeat_n(0.0, self.asked - self.answered);
        let answered = self.voice_to_voice.iter().map(|after| timing_of_answer(*after));
        let marks: Vec<f64> = answered.chain(unanswered).collect();
        let of_zero = |aims| if is_zero { aims } else { (None, None) };
        let of_cloud = |aims| if is_aimed { aims } else { (None, None) };
        figures.times("own overhead", self.overhead, of_zero((Some(45), Some(80))));
        figures.times("  of it until the turn is taken", self.taken_late, (None, None));
        figures.times("  of it from the voice to the first packet", self.spoken_late, (None, None));
        figures.times("voice to voice", self.voice_to_voice, of_cloud((Some(900), Some(1300))));
        figures.score("timing of answers, by EVA's curve", &marks, is_aimed.then_some(0.95));
        figures.times("declared wait for the end of a turn", self.waits, (None, None));
        if !is_zero {
            figures.ratio("voice to voice / best way", self.efficiency, is_aimed.then_some(1.08));
        }
        figures.times("more silence between sentences than was made", self.gaps, (None, Some(40)));
        figures.share("turns answered", self.answered, self.asked, Some(1.0));
        figures.share("answers with every word heard", self.right, self.answered, Some(0.99));
        figures.share("early answers kept, of all turns", self.kept, self.answered, is_aimed.then_some(0.7));
        figures.waste("words of the model thrown away", self.wasted, self.words, 0.25);
        figures.note(format!(
            "{} early answers were begun, {} first phrases of kept ones spoken early",
            self.early, self.spoken_ahead
        ));
        figures.table()
    }
}

/// Waits until so many words were heard and nothing more comes, or it was quiet for `over`.
pub async fn wait_for_answer(talk: &Talk, words: usize, over: Duration) {
    let began = Instant::now();
    loop {
        pass(Duration::from_millis(20)).await;
        let (count, last) = talk.hearing(|hearing| (hearing.words().len(), hearing.last_sound()));
        let is_quiet = last.is_some_and(|last| last.elapsed() > over);
        let is_all = count >= words && last.is_some_and(|last| last.elapsed() > Duration::from_millis(80));
        if is_all || is_quiet && count > 0 || began.elapsed() > PATIENCE {
            return;
        }
    }
}

/// The packets that can be heard, with how loud they are.
pub fn audible(packets: &[(Instant, f32)]) -> Vec<(Instant, f32)> {
    packets.iter().copied().filter(|(_, peak)| *peak > AUDIBLE).collect()
}
