//! Messages that ask whoever they are said to for quiet, or that it may talk again. Start at [`asked_for_quiet`].

use std::sync::LazyLock;
use std::time::Duration;

use jiff::{SignedDuration, SpanRelativeTo};

use super::calendar::{folded_time_in_english, span_at_start};
use super::cues::own_words;
use super::keywords::fold;
use super::names::{names_whole_word, without_calls};
use super::phrases::{Folded, Phrases, Piece};

/// What a message asks of how much is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuietAsked {
    /// To be quiet, for so long where it says so.
    Quiet(Option<Duration>),
    /// It may talk as before.
    Over,
}

/// Of what a clause about quiet may be made.
const SECTIONS: [&str; 10] = [
    "quiet asked",
    "being quiet",
    "quiet",
    "quiet over",
    "quiet while",
    "half an hour",
    "quiet beside",
    "after a while",
    "polite",
    "leading",
];

static PARTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&SECTIONS));

/// What one clause says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// Nothing but words that may stand beside it.
    Beside(Option<Duration>),
    Asks(Option<Duration>),
    /// A word that asks for quiet only when somebody is called by their name as well: "quiet!", "loud or quiet? – quiet".
    Word(Option<Duration>),
    Over,
    /// Something else, in so many words.
    Other(usize),
}

/// What a message asks of whoever bears these names. Only somebody's own request counts, and one that is made here and now:
/// every word of its clause belongs to asking for it, so neither "I told my dog to be quiet" nor "be quiet, Sam" is one. In
/// doubt it is none: an answer too many is forgiven sooner than deafness.
pub fn asked_for_quiet(text: &str, names: &[String]) -> Option<QuietAsked> {
    let is_named = names.iter().any(|name| names_whole_word(text, name));
    let own = own_words(text);
    let calls: Vec<String> = names.iter().flat_map(|name| name.split_whitespace()).map(fold).collect();
    let mut asked = None;
    let mut long = None;
    let mut others = Vec::new();
    let mut is_bare = true;
    for sentence in without_calls(&own, names).split(['.', '!', '?', '\n', ';', '…', '。', '！', '？', '；'])
    {
        let mut is_led_up_to = false;
        for clause in sentence.split([',', ':', '，', '、', '：']) {
            match clause_of(clause, &calls) {
                Clause::Beside(span) => long = long.or(span),
                Clause::Other(words) => {
                    others.push(words);
                    is_led_up_to = true;
                }
                // "When it is dark, be quiet."
                Clause::Asks(_) | Clause::Word(_) | Clause::Over if is_led_up_to => return None,
                Clause::Asks(span) => {
                    (asked, is_bare) = (Some(QuietAsked::Quiet(None)), false);
                    long = long.or(span);
                }
                Clause::Word(span) => {
                    asked = asked.or(Some(QuietAsked::Quiet(None)));
                    long = long.or(span);
                }
                Clause::Over => (asked, is_bare) = (Some(QuietAsked::Over), false),
            }
        }
    }
    // One word alone is as likely somebody's name.
    let is_said_to_another = others.contains(&1);
    let is_too_little = is_bare && !(is_named && others.is_empty());
    match asked? {
        _ if is_said_to_another || is_too_little => None,
        QuietAsked::Quiet(_) => Some(QuietAsked::Quiet(long)),
        QuietAsked::Over => Some(QuietAsked::Over),
    }
}

fn clause_of(clause: &str, calls: &[String]) -> Clause {
    let said = Folded::of(clause);
    let other = Clause::Other(said.words());
    // Somebody else's words.
    if clause.contains(['"', '“', '”', '„', '«', '»', '「', '」', '『', '』']) {
        return other;
    }
    let (mut asks, mut is_being, mut is_quiet, mut is_over, mut long) = (false, false, false, false, None);
    for piece in PARTS.pieces(&said) {
        match piece {
            Piece::Phrase(section) => match SECTIONS[section] {
                "quiet asked" => asks = true,
                "being quiet" => is_being = true,
                "quiet" => is_quiet = true,
                "quiet over" => is_over = true,
                "quiet while" if asks || (is_being && is_quiet) => break,
                "quiet while" => return other,
                "half an hour" => long = Some(Duration::from_secs(30 * 60)),
                _ => {}
            },
            Piece::Rest(rest) => {
                let rest: Vec<&str> =
                    rest.split(' ').filter(|word| !calls.iter().any(|call| call == word)).collect();
                let rest = rest.join(" ");
                if !rest.trim().is_empty() {
                    match span_of(&Folded::of(&rest).of_one_language_with(&said)) {
                        Some(span) => long = Some(span),
                        None => return other,
                    }
                }
            }
        }
    }
    match (asks || (is_being && is_quiet), is_over) {
        (true, false) => Clause::Asks(long),
        (false, true) => Clause::Over,
        (false, false) if is_quiet => Clause::Word(long),
        (false, false) if !is_being || said.words() == 0 => Clause::Beside(long),
        _ => other,
    }
}

/// "10 minutes", "eine Stunde", "一時間", and nothing else.
fn span_of(words: &Folded) -> Option<Duration> {
    let english = folded_time_in_english(words);
    let words: Vec<&str> = english.split_whitespace().collect();
    let (_, _, span) = span_at_start(&words).filter(|_| words.len() == 2)?;
    let long: SignedDuration = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Duration::try_from(long).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<QuietAsked> {
        asked_for_quiet(text, &["Pell".to_owned()])
    }

    fn minutes(minutes: u64) -> Option<QuietAsked> {
        Some(QuietAsked::Quiet(Some(Duration::from_secs(60 * minutes))))
    }

    const QUIET: Option<QuietAsked> = Some(QuietAsked::Quiet(None));

    #[test]
    fn in_every_language_quiet_is_asked_for_and_ended() {
        for (quiet, for_an_hour, half, over) in [
            (
                "Pell, be quiet",
                "be quiet for an hour",
                "Pell, quiet for half an hour please",
                "Pell, you can talk again",
            ),
            (
                "Pell, sei still",
                "sei bitte mal eine Stunde lang still",
                "sei eine halbe Stunde ruhig",
                "du darfst jetzt wieder reden",
            ),
            (
                "Pell, tais-toi s'il te plaît",
                "tais-toi pendant une heure",
                "reste silencieux une demi-heure",
                "tu peux parler à nouveau",
            ),
            (
                "cállate un rato",
                "Pell, cállate por una hora",
                "quédate callado media hora",
                "ya puedes hablar, Pell",
            ),
            (
                "Pell, cala a boca",
                "fica quieto por uma hora",
                "fica calado meia hora",
                "já pode falar de novo",
            ),
            (
                "Pell, stai zitto un po'",
                "stai zitta per un'ora",
                "fai silenzio per mezz'ora",
                "adesso puoi parlare di nuovo",
            ),
            (
                "wees eens even stil, Pell",
                "hou je mond voor een uur",
                "wees een half uur stil",
                "je mag weer praten",
            ),
            (
                "Pell, bądź cicho",
                "bądź cicho przez jedną godzinę",
                "siedź cicho pół godziny",
                "możesz już mówić",
            ),
            ("Pell, замолчи!", "помолчи один час", "помолчи полчаса", "можешь снова говорить"),
            ("Pell, sessiz ol", "bir saat sus", "yarım saat sessiz ol", "artık konuşabilirsin"),
            ("Pell、静かにして", "一時間静かにしてください", "30分だけ黙ってて", "もう話していいよ"),
            ("Pell，安静一会儿", "请安静一个小时", "闭嘴半小时", "你可以说话了"),
            ("Pell, 조용히 해 줘", "한 시간 동안 조용히 해", "30분만 조용히 해 줘", "이제 말해도 돼"),
        ] {
            for (text, wanted) in [
                (quiet, QUIET),
                (for_an_hour, minutes(60)),
                (half, minutes(30)),
                (over, Some(QuietAsked::Over)),
            ] {
                assert_eq!(asked(text), wanted, "{text}");
            }
        }
    }

    #[test]
    fn what_belongs_to_asking_may_stand_around_it() {
        for text in [
            "Pell be quiet",
            "@Pell could you please be quiet for a bit?",
            "ok pell, shut up",
            "Quiet, Pell!",
            "Pell: stop talking, I'm trying to work here",
            "be quiet while we watch the film",
            "Pell, sei bitte mal kurz leise, ich muss telefonieren",
            "Kannst du mal still sein?",
            "Pell, only speak when spoken to from now on",
            "> some quote\nPell, hush",
        ] {
            assert_eq!(asked(text), QUIET, "{text}");
        }
        assert_eq!(asked("Pell, be quiet. For ten minutes, please."), minutes(10));
        assert_eq!(asked("Pell, sei mal zwei Stunden still"), minutes(120));
    }

    #[test]
    fn what_is_said_to_others_told_quoted_or_led_up_to_is_no_request() {
        for text in [
            "be quiet, Sam",
            "Sam, be quiet",
            "Sam be quiet!",
            "I told my dog to be quiet",
            "Pell, I told my dog to be quiet",
            "Pell, don't be quiet",
            "she said \"be quiet\" and left",
            "\"Be quiet\", she hissed",
            "> be quiet",
            "When the film starts, be quiet",
            "Pell, stop talking about cats",
            "Pell, shut up! No way!",
            "quiet",
            "silence",
            "It is so quiet here, Pell",
            "Pell, why are you so quiet?",
            "the library is a quiet place",
            "everyone be quiet",
            "sei nicht so still",
            "Ich muss still sein",
            "mein Hund ist still",
            "dile a tu hermano que se calle",
            "il m'a dit de me taire",
            "静かにしないで",
            "静かな場所が好き",
            "这里很安静",
            "不要安静",
            "조용한 곳이 좋아",
            "Он сказал: молчи",
            "ok",
            "please",
            "",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,60}|(be|quiet|Pell|,|\\.| |for|10|minutes|wieder|静かに){0,9}") {
            asked(&text);
        }
    }
}
