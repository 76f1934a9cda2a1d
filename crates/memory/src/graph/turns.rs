//! What a stored message says about what hangs together, apart from its words: who speaks of what, and how they stand to
//! whoever it is meant for (G3, G4). Few and plain turns of phrase; what is not sure is nothing.
//!
//! Must not know what stands around the message. Start reading at [`SpokenMessage::of`].

use std::sync::Arc;

use super::kinds::{EdgeKind, NodeId, NodeKind, ONCE, Saying, between, episode_at};
use crate::domain::{Role, Stance};
use crate::history::HeardMessage;
use crate::text::addresses::without_addresses;
use crate::text::cues::Cues;
use crate::text::keywords;
use crate::text::phrases::{phrases, says};
use crate::text::short::one_line;

/// Topics of one message, those of them that whoever is thanked for it knows about, and names called in it.
const TOPICS: usize = 6;
const THANKED_FOR: usize = 3;
const MENTIONS: usize = 4;

/// A stem of fewer letters says little.
const STEM_MIN: usize = 3;

/// Characters of a message that are looked at.
const TEXT_MAX: usize = 1_200;

/// Longer messages tell something; a phrase in them is rarely meant for somebody.
const WORDS_MAX: usize = 40;

/// Words after a phrase like "I know about" that are still what is known.
const KNOWN_WORDS: usize = 3;

/// A reaction is a tap: it weighs half of what is said in words, in thousandths.
const TAPPED: u16 = ONCE / 2;

const HEARTS: [char; 8] = ['❤', '💕', '💖', '💜', '💙', '🥰', '😍', '🫶'];

/// What a message says whatever stands around it; nothing for the familiar's own and for bots'.
#[derive(Debug, Default)]
pub(super) struct SpokenMessage {
    /// By the file name of their note.
    pub person: Option<Arc<str>>,
    /// How it stands to whoever it is meant for, and the first topics of it: words with spaces between.
    pub stance: String,
    pub topics: String,
    pub sayings: Vec<Saying>,
}

impl SpokenMessage {
    pub(super) fn of(heard: &HeardMessage) -> Self {
        let turn = &heard.turn;
        let Some(author) = turn.author.as_ref().filter(|one| turn.role == Role::User && !one.is_bot) else {
            return Self::default();
        };
        let text: String = turn.content.chars().take(TEXT_MAX).collect();
        let stance: Vec<&str> = stances(&text).into_iter().map(Stance::as_str).collect();
        let topics = telling(&without_quotations(&text), TOPICS);
        let (me, at) = (NodeId::person(&author.account), turn.at.as_millisecond());
        let audience: Arc<str> = turn.audience.to_string().into();
        let once = |from: &NodeId, to: &NodeId, kind| Saying::once(from, to, kind, &audience, at);
        let mut sayings = vec![once(&me, &episode_at(heard.channel.as_str(), at), EdgeKind::PartOf)];
        let username = author.username.as_deref().filter(|name| *name != author.label());
        for (rank, name) in (0..).zip([author.label()].into_iter().chain(username)) {
            // Of one message's names the one that is shown counts as the newer one.
            sayings.push(Saying { at: at - rank, ..once(&me, &NodeId::label(name), EdgeKind::Shown) });
        }
        for shown in heard.stances.iter().filter(|one| one.by != author.account) {
            let other = NodeId::person(&shown.by);
            let (from, to, kind) = between(&other, &me, shown.stance);
            let at = shown.at.as_millisecond();
            sayings.push(Saying { at, weight: TAPPED, ..once(from, to, kind) });
        }
        sayings.extend(topics.iter().map(|topic| once(&me, &NodeId::topic(topic), EdgeKind::TalksAbout)));
        let known = behind_phrase(&text, "i_know");
        sayings.extend(known.iter().map(|topic| once(&me, &NodeId::topic(topic), EdgeKind::ExpertIn)));
        for name in mentioned_names(&text) {
            sayings.push(once(&me, &NodeId::new(NodeKind::Alias, name), EdgeKind::Mentions));
        }
        let topics: Vec<&str> = topics.iter().take(THANKED_FOR).map(|topic| &**topic).collect();
        Self { person: Some(me.key), stance: stance.join(" "), topics: topics.join(" "), sayings }
    }
}

/// How a message stands to whoever it answers. Quoted lines and code are not what the person says.
fn stances(text: &str) -> Vec<Stance> {
    let cues = Cues::of(text);
    if cues.words() > WORDS_MAX {
        return Vec::new();
    }
    let any = |section: &str| says(section, &cues);
    let plays = || any("in_play") || text.contains(['😂', '🤣', '😜']);
    let has = |stance: &Stance| match stance {
        Stance::Thanks => any("thanked") && !any("not_thanked"),
        Stance::Agrees => any("of_one_mind") && !any("not_of_one_mind"),
        Stance::Likes => any("fond") || text.contains(HEARTS),
        Stance::Against => (any("hard_on") || any("insulted")) && !plays() && !any("not_hard_on"),
    };
    Stance::ALL.into_iter().filter(has).collect()
}

/// Stems that say what a text is about: each once, in order, at most so many.
pub(super) fn telling(text: &str, most: usize) -> Vec<Arc<str>> {
    let tells = |stem: &String| stem.chars().count() >= STEM_MIN && !stem.chars().all(char::is_numeric);
    each_once(keywords::terms(text).into_iter().filter(tells), most)
}

/// What stands behind the first of these phrases that is found, as stems.
pub(super) fn behind_phrase(text: &str, section: &str) -> Vec<Arc<str>> {
    let cues = Cues::of(text);
    let words = cues.after(phrases(section)).into_iter().flat_map(|rest| rest.split(' ').take(KNOWN_WORDS));
    telling(&words.collect::<Vec<_>>().join(" "), KNOWN_WORDS)
}

/// Each once, in order, at most so many.
pub(super) fn each_once(stems: impl Iterator<Item = String>, most: usize) -> Vec<Arc<str>> {
    let mut each: Vec<Arc<str>> = Vec::new();
    for stem in stems {
        if each.len() < most && !each.iter().any(|known| **known == *stem) {
            each.push(stem.into());
        }
    }
    each
}

/// Without quoted lines and addresses: these are not the person's words.
fn without_quotations(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('>'));
    one_line(&without_addresses(&lines.collect::<Vec<_>>().join("\n")))
}

/// Names that are called with an @, as far as one word of them goes.
fn mentioned_names(text: &str) -> Vec<Arc<str>> {
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let called = text.match_indices('@').filter_map(|(at, _)| {
        let is_address = text[..at].ends_with(char::is_alphanumeric);
        let name: String = text[at + 1..].chars().take_while(is_part).collect();
        let name = keywords::fold(name.trim_end_matches(['.', '-']));
        (!is_address && name.chars().count() > 1).then_some(name)
    });
    each_once(called, MENTIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(each: Vec<Arc<str>>) -> Vec<String> {
        each.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn g3_names_with_an_at_are_called_and_addresses_are_not() {
        assert_eq!(
            words(mentioned_names("@Ben and @queen_bea: ask @Ben. x@example.org @")),
            ["ben", "queen_bea"]
        );
    }

    #[test]
    fn g4_what_somebody_says_they_know_about_is_read() {
        let knows = |text: &str| words(behind_phrase(text, "i_know"));
        assert_eq!(knows("I keep bees behind the house"), ["bee", "behind"]);
        assert_eq!(knows("Ich spiele Cello."), ["cello"]);
        assert!(knows("the ferry is late").is_empty());
        for (said, other) in [
            ("j'élève des abeilles", "les abeilles sont là"),
            ("entiendo de abejas", "las abejas vuelan"),
            ("entendo de abelhas", "as abelhas voam"),
            ("me ne intendo di api", "le api volano"),
            ("ik weet veel van bijen", "de bijen vliegen"),
            ("hoduję pszczoły", "pszczoły latają"),
            ("я развожу пчёл", "пчёлы летают"),
        ] {
            assert!(!knows(said).is_empty(), "{said}");
            assert!(knows(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn g4_quotations_and_addresses_are_no_topics() {
        assert_eq!(without_quotations("> the bees\nhoney https://x.org/bees"), "honey");
        assert_eq!(without_quotations("the hive\nwww.x.org/bees"), "the hive");
    }

    #[test]
    fn g3_stances_are_read_from_turns_of_phrase() {
        for said in ["Thanks, Ben!", "danke dir", "oh wow, that helped"] {
            assert_eq!(stances(said), [Stance::Thanks], "{said}");
        }
        for said in ["no thanks", "Thanks for nothing."] {
            assert!(stances(said).is_empty(), "{said}");
        }
        assert_eq!(stances("Exactly! Couldn't agree more."), [Stance::Agrees]);
        assert!(stances("not exactly").is_empty());
        assert_eq!(stances("miss you"), [Stance::Likes]);
        assert_eq!(stances("❤️"), [Stance::Likes]);
        assert_eq!(stances("You're wrong and you know it."), [Stance::Against]);
        assert!(stances("shut up lol").is_empty(), "play is no quarrel");
        assert!(
            stances("> shut up\nthat is what he said to her").is_empty(),
            "a quotation is somebody else's"
        );
        assert!(stances("The ferry leaves at nine.").is_empty());
    }

    #[test]
    fn g3_a_stance_is_one_in_every_language() {
        use Stance::{Against, Agrees, Likes, Thanks};
        for (said, stance) in [
            ("Danke, Ben! | Genau! | hab dich lieb | du lügst | Die Fähre geht um neun.", "de"),
            ("merci Ben | tu as raison | tu me manques | tu mens | Le bac part à neuf heures.", "fr"),
            ("gracias Ben | tienes razón | te quiero | eres un mentiroso | El barco sale a las nueve.", "es"),
            ("obrigada Ben | concordo | te adoro | você mentiu | O barco sai às nove.", "pt"),
            ("grazie Ben | hai ragione | ti voglio bene | hai mentito | Il traghetto parte alle nove.", "it"),
            ("bedankt Ben | mee eens | ik hou van je | je liegt | De boot vertrekt om negen uur.", "nl"),
            ("dzięki Ben | masz rację | uwielbiam cię | kłamiesz | Prom odpływa o dziewiątej.", "pl"),
            ("спасибо, Бен | ты прав | ты мне нравишься | ты врёшь | Паром отходит в девять.", "ru"),
            ("teşekkürler Ben | haklısın | seni seviyorum | yalancısın | Feribot dokuzda kalkıyor.", "tr"),
            ("ありがとう | 同感です | 愛してる | お前のせいだ | フェリーは九時に出ます。", "ja"),
            ("谢谢你 | 你说得对 | 我爱你 | 你撒谎 | 渡轮九点开。", "zh"),
            ("고마워 | 네 말이 맞아 | 사랑해 | 거짓말쟁이 | 배는 아홉 시에 떠나요.", "ko"),
        ] {
            let each: Vec<Vec<Stance>> = said.split(" | ").map(stances).collect();
            assert_eq!(
                each,
                [vec![Thanks], vec![Agrees], vec![Likes], vec![Against], vec![]],
                "{stance}: {said}"
            );
        }
    }
}
