//! From what somebody said to what is looked for: the words, the time, the people, and other ways to put it.

use std::collections::HashSet;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::time::{TimeWindow, asks_when, named_in, window_in};
use crate::config::RecallMethod;
use crate::context::each_once;
use crate::domain::StoredId;
use crate::history::OpenStretch;
use crate::text::keywords;
use crate::text::phrases::{Folded, Phrases, asks};
use crate::text::punctuation::{ends_as_question, has_question_mark};
use crate::text::sentences::typed_sentences;

/// A message of fewer telling words than this needs the one before it to be understood.
const SHORT: usize = 3;

/// How surely a time is meant that is told from today on.
const POINTS_SOMEWHERE: f32 = 0.5;

/// Of a pasted text only so much is a question, in characters.
const TEXT_MAX: usize = 1_000;

/// What the words as they were said count, of all ways to put a question; and what they count with those before them,
/// or more, which is somebody's own words too.
pub(super) const AS_THEY_WERE_SAID: f32 = 1.0;
pub(super) const IN_OWN_WORDS: f32 = 0.3;

/// What a part of what was asked counts: its searches come behind those for all of it. Its best find stands beside the
/// best of all (docs/architecture/decisions.md has the figures).
const PART: f32 = 0.4;
const PART_REACH: f32 = 0.99;

/// Looser ways to put one question only fill up behind its best finds.
const LOOSELY: f32 = 0.02;
const NAME_REACH: f32 = 0.92;
const REST_REACH: f32 = 0.90;

/// More questions at once are not followed up, nor more names.
const PARTS_MAX: usize = 6;
const NAMES_MAX: usize = 3;

/// What sort of question it is; decides how much each source counts (contradiction 13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum QueryClass {
    /// What was it, how was it.
    Fact,
    /// When was it, or what was then.
    Time,
    Person,
    /// What two people have to do with each other.
    Relation,
}

/// Under what circumstances a question is asked.
#[derive(Debug, Clone)]
pub struct Circumstances {
    pub now: Timestamp,
    /// By which clock "yesterday" is meant.
    pub tz: TimeZone,
    /// What the prompt shows anyway.
    pub shown: Option<OpenStretch>,
    /// What was said later is not looked at.
    pub until: Option<Timestamp>,
    /// The turns that are being answered.
    pub answered: Vec<StoredId>,
    /// What was said just before, for a question that says little by itself.
    pub before: Option<String>,
    /// How candidates are ordered.
    pub method: RecallMethod,
    pub most: usize,
    /// The least a find has to be worth, 0 to 1, on the scale that is the same for every question.
    pub least: f32,
}

impl Circumstances {
    /// A question put by itself, now: nothing is shown, answered or said before it, and any find is worth something.
    pub fn alone(now: Timestamp, most: usize) -> Self {
        Self {
            now,
            tz: TimeZone::UTC,
            shown: None,
            until: None,
            answered: Vec::new(),
            before: None,
            method: RecallMethod::Fused,
            most,
            least: 0.0,
        }
    }

    /// Whether a turn was before what is being answered: neither one of the messages being answered, nor later than them
    /// where the question is asked again.
    pub fn is_past(&self, turn: StoredId) -> bool {
        let last = self.until.and(self.answered.iter().max());
        !self.answered.contains(&turn) && last.is_none_or(|last| turn <= *last)
    }
}

/// One thing to look for.
#[derive(Debug, Clone)]
pub struct RecallQuery {
    /// What is looked for, as text.
    pub text: String,
    /// Its telling words, stemmed, each once.
    pub terms: Vec<String>,
    /// What sort of question.
    pub class: QueryClass,
    /// Whether it asks for a time.
    pub asks_when: bool,
    /// The time it means.
    pub window: Option<TimeWindow>,
    /// How surely it means that time, 0 to 1: "on 7 May" names a day, "recently" only points somewhere.
    pub sureness: f32,
    /// Words that may be names, as written.
    pub named: Vec<String>,
    /// How much this way of putting it counts, and how soon it is searched for; 1 for the words as they were said.
    pub weight: f32,
    /// Which question this is a way to put: 0 is all that was said, each of its parts is one of its own.
    pub part: u32,
    /// How far to the front the best find of this question may stand, 0 to 1; 1: beside the best of all that was said.
    pub reach: f32,
    pub circumstances: Circumstances,
}

impl RecallQuery {
    /// A question as it was put.
    pub fn new(utterance: &str, circumstances: Circumstances) -> Self {
        let text: String = utterance.chars().take(TEXT_MAX).collect();
        let named = each_once(keywords::possible_names(&text).map(str::to_owned));
        let named_window = named_in(&text, circumstances.now, &circumstances.tz);
        let sureness = if named_window.is_some() { 1.0 } else { POINTS_SOMEWHERE };
        let window = named_window.or_else(|| window_in(&text, circumstances.now, &circumstances.tz));
        let asks_when = asks_when(&text);
        let class = if relates(&text) && named.len() >= 2 {
            QueryClass::Relation
        } else if asks_when || window.is_some() {
            QueryClass::Time
        } else if !named.is_empty() {
            QueryClass::Person
        } else {
            QueryClass::Fact
        };
        Self {
            terms: telling_stems(&text),
            text,
            class,
            asks_when,
            window,
            sureness,
            named,
            weight: AS_THEY_WERE_SAID,
            part: 0,
            reach: 1.0,
            circumstances,
        }
    }

    /// Whether it says so little by itself that what was said before it is needed to understand it.
    pub fn is_short(text: &str) -> bool {
        telling_stems(text).len() < SHORT
    }

    /// Its telling words in the order of `terms`, each in all its forms.
    pub(super) fn forms(&self) -> Vec<Vec<String>> {
        let mut forms = keywords::forms(&self.text);
        let mut seen = HashSet::new();
        forms.retain(|forms| seen.insert(forms[0].clone()));
        forms
    }

    /// The question and other ways to put it, the most telling first (A5: query variants). Whoever asks
    /// several things at once is answered each; a single question is also asked of each name alone and of none, for what
    /// comes after the best finds.
    pub fn variants(&self) -> Vec<Self> {
        let mut variants = vec![self.clone()];
        if let Some(before) = self.circumstances.before.as_deref().filter(|_| self.terms.len() < SHORT) {
            let text = format!("{}\n{before}", self.text);
            variants.push(Self { terms: telling_stems(&text), text, weight: IN_OWN_WORDS, ..self.clone() });
        }
        let alone = Circumstances { before: None, ..self.circumstances.clone() };
        let mut others: Vec<(String, f32, f32)> =
            parts_of(&self.text).into_iter().map(|part| (part, PART, PART_REACH)).collect();
        if others.is_empty() {
            // In a talk among few, everybody is named everywhere.
            let rest = self.rest();
            if !self.named.is_empty() && telling_stems(&rest).len() >= 2 {
                if self.named.len() >= 2 {
                    let of_one = |name: &String| (format!("{name} {rest}"), LOOSELY, NAME_REACH);
                    others.extend(self.named.iter().take(NAMES_MAX).map(of_one));
                }
                others.push((rest, LOOSELY, REST_REACH));
            }
        }
        variants.extend((1..).zip(others).map(|(part, (text, weight, reach))| Self {
            weight,
            part,
            reach,
            ..Self::new(&text, alone.clone())
        }));
        variants
    }

    /// The telling words that are no names, as they were said.
    fn rest(&self) -> String {
        let words = self.text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '\'');
        let words = words.map(|word| word.trim_end_matches("'s").trim_matches(['-', '\'']));
        let tells = |word: &&str| {
            !word.is_empty()
                && !keywords::is_stop_word(&keywords::fold(word))
                && !self.named.iter().any(|name| name == word)
        };
        words.filter(tells).collect::<Vec<_>>().join(" ")
    }
}

/// What is asked in a text that asks several things: its questions, and in each what follows "and what", "and when" and
/// the like. Empty where it asks one thing.
fn parts_of(text: &str) -> Vec<String> {
    let parts_a_list = [';', '；'];
    let sentences = typed_sentences(text).into_iter();
    let pieces = sentences.flat_map(|sentence| sentence.split_inclusive(parts_a_list));
    let pieces: Vec<&str> = pieces.map(str::trim).filter(|piece| !piece.is_empty()).collect();
    // What is only told between questions is none of them. Without a question mark a list is told part by part.
    let is_list = !has_question_mark(text) && text.contains(parts_a_list);
    let asks = |piece: &&str| is_list || ends_as_question(piece);
    let mut parts: Vec<String> = pieces
        .into_iter()
        .filter(asks)
        .flat_map(joined_questions)
        .filter(|part| telling_stems(part).len() >= 2)
        .collect();
    parts.truncate(PARTS_MAX);
    if parts.len() < 2 { Vec::new() } else { parts }
}

/// A sentence as the questions it joins: "and" with a question word behind it begins another. Where no spaces part words,
/// only a part that a comma sets off is one.
fn joined_questions(sentence: &str) -> Vec<String> {
    let is_unspaced = sentence.chars().any(keywords::is_unspaced_letter);
    let pieces: Vec<&str> = match is_unspaced {
        true => sentence.split_inclusive(['，', '、', ',']).collect(),
        false => sentence.split_whitespace().collect(),
    };
    // The whole sentence tells which language a word is of.
    let found = JOINING.find(&Folded::of(sentence));
    let lengths: Vec<usize> = pieces.iter().map(|piece| Folded::of(piece).words()).collect();
    let starts: Vec<usize> =
        lengths.iter().scan(0, |next, length| Some(std::mem::replace(next, *next + length))).collect();
    let begins_with = |at: usize, sections: &[usize]| {
        let start = starts.get(at)?;
        found.iter().find(|one| one.at == *start && sections.contains(&one.section))
    };
    let begins = |at: usize| match begins_with(at, &[0]) {
        Some(_) if is_unspaced => asks(pieces[at].trim_end_matches(['，', '、', ','])),
        Some(joins) => joins.len == lengths[at] && begins_with(at + 1, &[1, 2]).is_some(),
        None => false,
    };
    let mut parts: Vec<Vec<&str>> = vec![Vec::new()];
    for (at, piece) in pieces.iter().enumerate() {
        match parts.last_mut() {
            Some(part) if at == 0 || !begins(at) => part.push(piece),
            // Where words are parted by spaces, "and" itself is no word of the question.
            _ if is_unspaced => parts.push(vec![piece]),
            _ => parts.push(Vec::new()),
        }
    }
    let between = if is_unspaced { "" } else { " " };
    let parts: Vec<String> = parts.iter().map(|part| part.join(between)).collect();
    if parts.iter().all(|part| telling_stems(part).len() >= 2) { parts } else { vec![sentence.to_owned()] }
}

/// What joins questions, and what a question begins with.
static JOINING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["and asked", "asked", "asking"]));

/// The stems of the telling words, each once.
fn telling_stems(text: &str) -> Vec<String> {
    each_once(keywords::terms(text))
}

/// Whether it asks how people are connected.
fn relates(text: &str) -> bool {
    static RELATES: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["relates"]));
    RELATES.are_in(&Folded::of(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> RecallQuery {
        RecallQuery::new(
            text,
            Circumstances {
                before: Some("the ferry to Ruk is late".to_owned()),
                ..Circumstances::alone("2026-03-18T15:30:00Z".parse().unwrap(), 10)
            },
        )
    }

    #[test]
    fn a12_a_question_is_told_by_its_words() {
        for (text, class) in [
            ("how do Ana and Ben know each other?", QueryClass::Relation),
            ("Woher kennen sich Ana und Ben?", QueryClass::Relation),
            ("when did we sail?", QueryClass::Time),
            ("what was that yesterday?", QueryClass::Time),
            ("what does Ana like?", QueryClass::Person),
            ("which rope was it?", QueryClass::Fact),
        ] {
            assert_eq!(query(text).class, class, "{text}");
        }
    }

    #[test]
    fn a12_other_ways_to_put_it_follow_the_words_as_they_were_said() {
        let texts = |text: &str| query(text).variants().into_iter().map(|v| v.text).collect::<Vec<_>>();
        assert_eq!(
            texts("why is it late?"),
            ["why is it late?", "why is it late?\nthe ferry to Ruk is late"]
        );
        let all = texts("what did Ana buy at \"the old quay\" in 2024?");
        assert_eq!(all[0], "what did Ana buy at \"the old quay\" in 2024?");
        assert_eq!(all[1..], ["buy old quay 2024"], "of nobody in particular");
        assert_eq!(
            texts("did Ana and Ben see the whale at Ruk?")[1..],
            ["Ana see whale", "Ben see whale", "Ruk see whale", "see whale"]
        );
    }

    #[test]
    fn a5_whoever_asks_several_things_at_once_asks_each_of_them() {
        let parts = |text: &str| -> Vec<String> {
            let all = query(text).variants();
            assert!(all[0].part == 0 && all[0].text == text);
            all[1..].iter().map(|part| part.text.clone()).collect()
        };
        assert_eq!(
            parts("It rained. Where did Ana leave the boat keys? And when did Ben paint the wheelhouse?"),
            ["Where did Ana leave the boat keys?", "And when did Ben paint the wheelhouse?"]
        );
        assert_eq!(
            parts("where are the boat keys and who painted the wheelhouse?"),
            ["where are the boat keys", "who painted the wheelhouse?"]
        );
        assert_eq!(
            parts("tell me of the boat keys; the wheelhouse paint; the rye bread").len(),
            3,
            "a list of things to tell"
        );
        for one in [
            "what about bread and butter pudding?",
            "Wow, what a picture! Yours? Really?",
            "it rained; we stayed",
        ] {
            assert!(query(one).variants().iter().all(|variant| variant.weight != PART), "{one}");
        }
        let when = query("where are the boat keys? and what did we sail on 7 May 2025?").variants();
        assert!(when[2].window.is_some() && when[1].window.is_none(), "each has a time of its own");
    }

    #[test]
    fn a5_in_every_language_two_questions_in_one_sentence_are_two() {
        for (two, one) in [
            ("where are the boat keys and who painted the wheelhouse?", "are bread and butter on the boat?"),
            (
                "wo sind die Bootsschlüssel und wer hat das Steuerhaus gestrichen?",
                "gibt es Brot und Butter im Boot?",
            ),
            ("où sont les clés du bateau et qui a peint la cabine ?", "il y a du pain et du beurre à bord ?"),
            (
                "dónde están las llaves del barco y quién pintó la cabina?",
                "hay pan y mantequilla en el barco?",
            ),
            ("onde estão as chaves do barco e quem pintou a cabine?", "tem pão e manteiga no barco?"),
            (
                "dove sono le chiavi della barca e chi ha dipinto la cabina?",
                "ci sono pane e burro sulla barca?",
            ),
            (
                "waar zijn de sleutels van de boot en wie heeft de kajuit geverfd?",
                "is er brood en boter aan boord?",
            ),
            ("gdzie są klucze do łodzi i kto pomalował kabinę?", "czy na łodzi jest chleb i masło?"),
            ("где ключи от лодки и кто покрасил рубку?", "на лодке есть хлеб и масло?"),
            ("tekne anahtarları nerede ve ne zaman kamarayı boyadın?", "teknede ekmek ve tereyağı var mı?"),
            ("船の鍵はどこですか、それと誰が操舵室を塗りましたか？", "船にパンとバターはありますか？"),
            ("船钥匙在哪里，还有谁粉刷了驾驶室？", "船上有面包和黄油吗？"),
            ("배 열쇠는 어디 있어 그리고 누가 조타실을 칠했어?", "배에 빵하고 버터 있어?"),
            (
                "where is the red key? when did we sail to Hull? 😂",
                "i lost my key. when did we sail to Hull?",
            ),
            ("鍵はどこにありますか？昨日は何を食べましたか？", "雨が降りました。鍵はどこにありますか？"),
        ] {
            let parts = |text| query(text).variants().iter().filter(|variant| variant.weight == PART).count();
            assert_eq!((parts(two), parts(one)), (2, 0), "{two} {one}");
        }
    }

    #[test]
    fn a12_in_every_language_it_is_told_what_relates_people() {
        for (asked, not) in [
            ("how do Ana and Ben know each other?", "what did Ana eat?"),
            ("Woher kennen sich Ana und Ben?", "Was hat Ana gegessen?"),
            ("comment Ana et Ben se connaissent ?", "qu'a mangé Ana ?"),
            ("¿cómo se conocieron Ana y Ben?", "¿qué comió Ana?"),
            ("como a Ana e o Ben se conheceram?", "o que a Ana comeu?"),
            ("come si conoscono Ana e Ben?", "cosa ha mangiato Ana?"),
            ("hoe kennen Ana en Ben elkaar?", "wat heeft Ana gegeten?"),
            ("skąd znają się Ana i Ben?", "co zjadła Ana?"),
            ("как познакомились Аня и Бен?", "что съела Аня?"),
            ("Ana ve Ben nasıl tanıştı?", "Ana ne yedi?"),
            ("アナとベンの関係は？", "アナは何を食べた？"),
            ("安娜和本是什么关系？", "安娜吃了什么？"),
            ("아나와 벤은 어떤 관계야?", "아나는 뭘 먹었어?"),
        ] {
            assert!(relates(asked), "{asked}");
            assert!(!relates(not), "{not}");
        }
    }
}
