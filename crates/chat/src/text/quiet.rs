//! Messages that ask whoever they are said to for quiet, or that it may talk again. Start at [`asked_for_quiet`].

use std::sync::LazyLock;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, SpanRelativeTo, Timestamp};

use super::calendar::{folded_time_in_english, span_at_start};
use super::clock_time::clock_times;
use super::cues::own_words;
use super::due::read_due;
use super::names::{names_whole_word, without_calls};
use super::phrases::{Folded, Phrases, Piece, is_listed};
use super::punctuation::{ends_clause, ends_sentence};
use super::spelling::fold;

/// What a message asks of how much is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuietAsked {
    /// To be quiet, for so long where it says so.
    Quiet(Option<QuietLength>),
    /// It may talk as before.
    Over,
}

/// For how long somebody asks for quiet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuietLength {
    For(Duration),
    /// Until the moment of these words, which [`moment`] reads.
    Until(String),
}

/// Of what a clause about quiet may be made.
const SECTIONS: [&str; 12] = [
    "quiet denied",
    "quiet asked",
    "being quiet",
    "quiet",
    "quiet over",
    "quiet over if called",
    "quiet while",
    "half an hour",
    "quiet beside",
    "after a while",
    "polite",
    "leading",
];

static PARTS: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&SECTIONS));
/// What every request has one of.
static ASKING: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of(&["quiet asked", "quiet", "quiet over", "quiet over if called", "quiet over in short"])
});
/// Of what a clause may be made that only says "you may again". Longer phrases begin so, too.
static IN_SHORT: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::of(&["quiet over in short", "quiet denied", "quiet beside", "polite", "leading"])
});
static UNTIL: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["quiet until"]));
static CONDITION: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["quiet on condition"]));

/// Words of which a moment is at most made.
const MOMENT_WORDS: usize = 8;

/// What one clause says.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Clause {
    /// Nothing but words that may stand beside it.
    Beside(Option<QuietLength>),
    Asks(Option<QuietLength>),
    /// A word that asks for quiet only when somebody is called by their name as well: "quiet!", "loud or quiet? – quiet".
    Word(Option<QuietLength>),
    Over,
    /// The same of words that people say to each other as well: "wake up", "unmute".
    OverIfCalled,
    /// Something else, in so many words.
    Other(usize),
}

/// What a message asks of whoever bears these names. Only somebody's own request counts, and one that is made here and now:
/// every word of its clause belongs to asking for it, so neither "I told my dog to be quiet" nor "be quiet, Sam" is one. In
/// doubt it is none: an answer too many is forgiven sooner than deafness. Said by its name, that it may talk again can stand
/// behind anything but a condition.
pub fn asked_for_quiet(text: &str, names: &[String]) -> Option<QuietAsked> {
    let whole = Folded::of(text).of_any_language();
    if !ASKING.are_in(&whole) && !ASKING.are_in(&without_small_words(&whole)) {
        return None;
    }
    let own = with_whole_hours(&own_words(text));
    let said = without_calls(&own, names);
    let is_called = said.len() < own.trim().len();
    let calls: Vec<String> = names.iter().flat_map(|name| name.split_whitespace()).map(fold).collect();
    let mut asked: Option<QuietAsked> = None;
    let mut long = None;
    let mut others = Vec::new();
    let mut is_bare = true;
    for sentence in said.split(ends_sentence) {
        let (mut is_led_up_to, mut is_conditional, mut is_over) = (false, false, false);
        for clause in sentence.split(ends_clause) {
            match clause_of(clause, &calls) {
                Clause::Beside(span) => long = long.or(span),
                Clause::Other(words) => {
                    // "Until 5–6": a figure is nobody's name.
                    let is_figure = clause.trim_start().starts_with(char::is_numeric);
                    others.push(if is_figure { words.max(2) } else { words });
                    is_led_up_to = true;
                    is_conditional |= CONDITION.are_in(&Folded::of(clause));
                }
                // "When it is dark, be quiet."
                Clause::Asks(_) | Clause::Word(_) if is_led_up_to => return None,
                Clause::Asks(span) => {
                    (asked, is_bare) = (Some(QuietAsked::Quiet(None)), false);
                    long = long.or(span);
                }
                Clause::Word(span) => {
                    asked = asked.or(Some(QuietAsked::Quiet(None)));
                    long = long.or(span);
                }
                Clause::Over => is_over = true,
                Clause::OverIfCalled if is_called => is_over = true,
                Clause::OverIfCalled => others.push(2),
            }
        }
        if is_over && !is_conditional && (is_called || others.is_empty()) {
            (asked, is_bare) = (Some(QuietAsked::Over), false);
        }
    }
    // One word alone is as likely somebody's name.
    let is_named = || names.iter().any(|name| names_whole_word(text, name));
    let is_told_so = is_called && asked == Some(QuietAsked::Over);
    let is_said_to_another = others.contains(&1) && !is_told_so;
    let is_too_little = is_bare && !(others.is_empty() && is_named());
    match asked? {
        _ if is_said_to_another || is_too_little => None,
        QuietAsked::Quiet(_) => Some(QuietAsked::Quiet(long)),
        QuietAsked::Over => Some(QuietAsked::Over),
    }
}

/// When the words behind "until" are. A bare number, or an hour and minutes that nothing says more of, is the next such hour
/// on a clock of twelve.
pub fn moment(words: &str, now: Timestamp, tz: &TimeZone) -> Option<Timestamp> {
    let is_bare = words.starts_with(|c: char| matches!(c, '1'..='9'))
        && words.bytes().all(|byte| byte.is_ascii_digit() || byte == b'h');
    let said = match is_bare {
        true => vec![format!("today at {words}"), format!("at {words}")],
        false => vec![words.to_owned()],
    };
    said.iter().find_map(|said| Some(read_due(said, now, tz).ok()?.at))
}

/// A text with its hours of the day as "21h30": a colon or a full stop in them ends nothing. Of the morning is "09h30"; "9h30"
/// may be of the evening.
fn with_whole_hours(text: &str) -> String {
    let mut whole = text.to_owned();
    for one in clock_times(text).into_iter().rev() {
        let written = &text[one.bytes.clone()];
        if let Some(time) = one.time().filter(|_| written.contains([':', '.'])) {
            let is_plain = written.starts_with('0') || written.contains(char::is_alphabetic);
            let shape = if is_plain { "%Hh%M" } else { "%-Hh%M" };
            whole.replace_range(one.bytes, &time.strftime(shape).to_string());
        }
    }
    whole
}

fn clause_of(clause: &str, calls: &[String]) -> Clause {
    let said = Folded::of(clause);
    // Somebody else's words.
    if clause.contains(['"', '“', '”', '„', '«', '»', '「', '」', '『', '』']) {
        return Clause::Other(said.words());
    }
    let timed = parted_at_until(&said, calls).and_then(|(rest, until)| {
        let until = Some(QuietLength::Until(until));
        match plain_clause(&Folded::of(&rest).of_one_language_with(&said), calls) {
            Clause::Asks(_) => Some(Clause::Asks(until)),
            Clause::Word(_) => Some(Clause::Word(until)),
            Clause::Beside(_) => Some(Clause::Beside(until)),
            Clause::Over | Clause::OverIfCalled | Clause::Other(_) => None,
        }
    });
    timed.unwrap_or_else(|| plain_clause(&said, calls))
}

/// "Be quiet until 9 pm please", "9時まで静かにして": what else a clause says, and the words that say until when. In some
/// languages these stand in front.
fn parted_at_until(said: &Folded, calls: &[String]) -> Option<(String, String)> {
    let is_moment = |words: &str| moment(words, Timestamp::UNIX_EPOCH, &TimeZone::UTC).is_some();
    // A moment beside it tells more than the words around do.
    UNTIL.find(&said.clone().of_any_language()).iter().find_map(|until| {
        let (before, behind) = (without(said.before(until), calls), without(said.behind(until), calls));
        if is_moment(&before) {
            return Some((behind, before));
        }
        let behind: Vec<&str> = behind.split(' ').collect();
        (1..=behind.len().min(MOMENT_WORDS)).rev().find_map(|count| {
            let (until, rest) = behind.split_at(count);
            let until = until.join(" ");
            is_moment(&until).then(|| (format!("{before} {}", rest.join(" ")), until))
        })
    })
}

/// Words without those by which somebody is called.
fn without(words: &str, calls: &[String]) -> String {
    let rest: Vec<&str> =
        words.split_whitespace().filter(|word| !calls.iter().any(|call| call == word)).collect();
    rest.join(" ")
}

/// What a clause says beside until when: as it is, in short, or without the words that stand within what asks: "halt jetzt
/// bitte den Mund".
fn plain_clause(said: &Folded, calls: &[String]) -> Clause {
    let whole = whole_clause(said, calls);
    if !matches!(whole, Clause::Other(_) | Clause::Beside(None)) {
        return whole;
    }
    if is_over_in_short(said, calls) {
        return Clause::OverIfCalled;
    }
    let bare = without_small_words(said);
    // "So still hier": one word that is left tells how it is.
    if bare.each_word().count() < 2 {
        return whole;
    }
    match whole_clause(&bare, calls) {
        found @ (Clause::Asks(_) | Clause::Over | Clause::OverIfCalled) => found,
        _ => whole,
    }
}

/// What was said without the words that change nothing about what it asks, wherever they stand.
fn without_small_words(said: &Folded) -> Folded {
    let is_small = |word: &str| ["quiet beside", "polite"].iter().any(|of| is_listed(of, word));
    Folded::of_words(said.each_word().filter(|word| !is_small(word))).of_one_language_with(said)
}

/// Whether a clause says no more than that somebody may again.
fn is_over_in_short(said: &Folded, calls: &[String]) -> bool {
    let pieces = IN_SHORT.pieces(said);
    pieces.contains(&Piece::Phrase(0))
        && !pieces.contains(&Piece::Phrase(1))
        && pieces.iter().all(|piece| match piece {
            Piece::Phrase(_) => true,
            Piece::Rest(rest) => without(rest, calls).is_empty(),
        })
}

/// What the whole of a clause says, word for word.
fn whole_clause(said: &Folded, calls: &[String]) -> Clause {
    let other = Clause::Other(said.words());
    let (mut asks, mut is_being, mut is_quiet, mut long) = (false, false, false, None);
    let (mut is_over, mut is_over_if_called, mut is_denied) = (false, false, false);
    for piece in PARTS.pieces(said) {
        match piece {
            Piece::Phrase(section) => match SECTIONS[section] {
                "quiet denied" => is_denied = true,
                "quiet asked" => asks = true,
                "being quiet" => is_being = true,
                "quiet" => is_quiet = true,
                "quiet over" => is_over = true,
                "quiet over if called" => is_over_if_called = true,
                "quiet while" if asks || (is_being && is_quiet) => break,
                "quiet while" => return other,
                "half an hour" => long = Some(QuietLength::For(Duration::from_secs(30 * 60))),
                _ => {}
            },
            Piece::Rest(rest) => {
                let rest = without(rest, calls);
                if !rest.is_empty() {
                    match span_of(&Folded::of(&rest).of_one_language_with(said)) {
                        Some(span) => long = Some(QuietLength::For(span)),
                        None => return other,
                    }
                }
            }
        }
    }
    // Alone it is an answer.
    if is_denied && (asks || is_being || is_quiet || is_over || is_over_if_called) {
        return other;
    }
    match (asks || (is_being && is_quiet), is_over || is_over_if_called) {
        (true, false) => Clause::Asks(long),
        (false, true) if is_over => Clause::Over,
        (false, true) => Clause::OverIfCalled,
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
        Some(QuietAsked::Quiet(Some(QuietLength::For(Duration::from_secs(60 * minutes)))))
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
            ("Pell, sessiz ol", "bir saat sus", "yarım saat sessiz ol", "Pell, artık konuşabilirsin"),
            ("Pell、静かにして", "一時間静かにしてください", "30分だけ黙ってて", "Pell、もう話していいよ"),
            ("Pell，安静一会儿", "请安静一个小时", "闭嘴半小时", "Pell，你可以说话了"),
            ("Pell, 조용히 해 줘", "한 시간 동안 조용히 해", "30분만 조용히 해 줘", "Pell, 이제 말해도 돼"),
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
            "Pell, be quiet – I'm on the phone",
            "be quiet while we watch the film",
            "Pell, sei bitte mal kurz leise, ich muss telefonieren",
            "Kannst du mal still sein?",
            "Pell, only speak when spoken to from now on",
            "> some quote\nPell, hush",
            "sé callado un rato",
            "sé callada, por favor",
            "sé silenciosa un rato",
            "estate callado un rato",
            "estate en silencio",
            "quédate en silencio un rato",
            "quédese callado",
            "¿puedes estar callada un rato?",
            "guarda silencio un rato",
            "ya no hables",
        ] {
            assert_eq!(asked(text), QUIET, "{text}");
        }
        assert_eq!(asked("Pell, be quiet. For ten minutes, please."), minutes(10));
        assert_eq!(asked("Pell, be quiet, 5–10 minutes"), minutes(10));
        assert_eq!(asked("Pell, sei mal zwei Stunden still"), minutes(120));
    }

    #[test]
    fn small_words_may_stand_within_what_asks_and_it_may_be_said_in_short() {
        for text in [
            "Pell, halt mal die Klappe",
            "halt jetzt bitte den Mund",
            "misch dich hier bitte nicht ein",
            "hou eens je mond",
            "cierra ya la boca",
            "ferme-la un peu, Pell",
            "закрой уже рот",
            "помолчи-ка",
            "kapa artık çeneni",
            "입 좀 다물어",
            "ペル、喋るな",
            "把嘴闭上",
        ] {
            assert_eq!(asked(text), QUIET, "{text}");
        }
        for text in [
            "Pell, halt mal die Klappe für ne Stunde",
            "Pell, sei mal ne Stunde still",
            "hou een uur je mond",
        ] {
            assert_eq!(asked(text), minutes(60), "{text}");
        }
        for text in [
            "Pell, jetzt kannst du wieder",
            "Pell, you can again now",
            "Pell, ya puedes",
            "Pell, tu peux à nouveau",
            "Pell, ora puoi",
            "Pell, já pode",
            "Pell, je mag weer",
            "Pell, już możesz",
            "Pell, теперь можно",
            "Pell, artık serbestsin",
            "ペル、また喋っていいよ",
            "また話していいよ",
            "Pell，现在可以了",
            "Pell, 이제 괜찮아",
        ] {
            assert_eq!(asked(text), Some(QuietAsked::Over), "{text}");
        }
        for text in [
            "jetzt kannst du wieder",
            "Pell, kannst du wieder laufen?",
            "Pell, ya puedes comer",
            "Pell, wenn der Film vorbei ist, kannst du wieder",
            "Pell, halt mal das Seil",
            "halt bitte nicht die Klappe",
            "no te calles",
            "non stare zitto",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }

    #[test]
    fn it_may_be_asked_for_until_a_moment() {
        let now: Timestamp = "2026-03-18T18:30:00Z".parse().unwrap();
        for (text, wanted) in [
            ("Pell, be quiet until 9pm", "18 21:00"),
            ("Pell, be quiet until 9:30 p.m. please", "18 21:30"),
            ("Pell, be quiet until 9", "18 21:00"),
            ("Pell, be quiet until 9:30", "18 21:30"),
            ("Pell, be quiet until 9:30 a.m.", "19 09:30"),
            ("Pell, be quiet until 21:15, we watch a film", "18 21:15"),
            ("Pell, quiet until tomorrow", "19 09:00"),
            ("Pell, sei still bis 21 Uhr", "18 21:00"),
            ("Pell, sei bis morgen still", "19 09:00"),
            ("Pell, cállate hasta las 21:00", "18 21:00"),
            ("Pell, cállate hasta mañana", "19 09:00"),
            ("Pell, tais-toi jusqu'à demain", "19 09:00"),
            ("Pell、午後9時まで静かにして", "18 21:00"),
            ("Pell, 내일까지 조용히 해 줘", "19 09:00"),
            ("Pell，安静到明天", "19 09:00"),
        ] {
            let Some(QuietAsked::Quiet(Some(QuietLength::Until(words)))) = asked(text) else {
                panic!("{text}: {:?}", asked(text));
            };
            let until = moment(&words, now, &TimeZone::UTC).map(|at| at.strftime("%d %H:%M").to_string());
            assert_eq!(until.as_deref(), Some(wanted), "{text}");
        }
        for text in ["Pell, be quiet until the film is over", "Pell, sei still bis der Film vorbei ist"] {
            assert_eq!(asked(text), QUIET, "{text}");
        }
        assert_eq!(asked("hey Pell, can you shut up for like an hour"), minutes(60));
        assert_eq!(asked("Pell, sei mal ungefähr eine Stunde still"), minutes(60));
    }

    #[test]
    fn that_it_may_talk_again_stands_behind_anything_but_a_condition() {
        for text in [
            "ok you can talk again",
            "Pell, we're done, you can talk again",
            "Pell, done, you can talk again",
            "Pell, Film ist vorbei, du darfst wieder reden",
            "Pell, la película terminó, ya puedes hablar",
            "Pell, le film est fini, tu peux parler à nouveau",
            "Pell, you're allowed to talk again",
            "Pell, unmute yourself",
            "Pell, hör auf zu schweigen",
            "Pell, tienes permiso para hablar de nuevo",
            "Pell, tu as de nouveau le droit de parler",
            "Pell, hai il permesso di parlare di nuovo",
            "Pell, você tem permissão para falar de novo",
            "Pell, haal jezelf van mute",
            "Pell, nie musisz już milczeć",
            "Pell, тебе снова можно говорить",
            "Pell, tekrar konuşmana izin var",
            "Pell、映画が終わったから、もう話しても大丈夫だよ",
            "Pell，电影结束了，解除静音吧",
            "Pell, 영화 끝났어, 이제 말해도 괜찮아",
        ] {
            assert_eq!(asked(text), Some(QuietAsked::Over), "{text}");
        }
        for text in [
            "Pell, when the film is over, you can talk again",
            "Pell, you can talk again, once the film is over",
            "Pell, wenn der Film vorbei ist, darfst du wieder reden",
            "Pell, cuando termine la película, ya puedes hablar",
            "Pell, quand le film est fini, tu peux parler à nouveau",
            "Pell, quando il film finisce, puoi parlare di nuovo",
            "Pell, puedes hablar y escribir en español?",
            "Sam, you can talk again",
            "Sam, you can talk, Pell is muted",
            "we can't hear you, unmute",
            "the mic works now, you can talk",
            "Good morning! Wake up!",
            "Gotta go. Talk again tonight.",
            "no te oímos, actívate el micrófono",
            "wake up",
            "Pell be like shhh",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
        assert_eq!(asked("Pell, be quiet; when the film is over, you can talk again"), QUIET);
    }

    #[test]
    fn what_is_said_to_others_told_quoted_or_led_up_to_is_no_request() {
        for text in [
            "be quiet, Sam",
            "Sam, be quiet",
            "Sam be quiet!",
            "be quiet, Sam42",
            "sei still, R2D2",
            "cállate, player1",
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
            "se quedó callado un rato",
            "no sé, estaba callada",
            "sé guardar silencio",
            "se calla un momento",
            "aquí se guarda silencio",
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

    #[test]
    fn who_no_longer_wants_or_need_not_be_quiet_is_not_asked_for_it_in_any_language() {
        for text in [
            "Pell, you no longer want to be quiet",
            "Pell, du willst nicht mehr still sein",
            "Pell, tu ne veux plus te taire",
            "Pell, ya no quieres estar callado",
            "ya no quieres callarte",
            "Pell, já não quer ficar calado",
            "Pell, non vuoi più stare zitto",
            "Pell, je wilt niet meer stil zijn",
            "Pell, już nie chcesz być cicho",
            "Pell, ты больше не хочешь молчать",
            "Pell, artık sessiz olmak istemiyorsun",
            "Pell、もう静かにしていたくないよね",
            "Pell，你不想再保持安静了",
            "Pell, 이제 조용히 있고 싶지 않지",
            "no puedes estar callado",
            "não fica quieto",
            "nie siedź cicho",
            "Pell, nie możesz już mówić",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
        for text in ["não, cala a boca", "nie, zamknij się", "nie zamknij się", "no, cállate", "no cállate"]
        {
            assert_eq!(asked(text), QUIET, "{text}");
        }
        for text in [
            "Pell, you no longer have to be quiet",
            "Pell, you should no longer be quiet",
            "Pell, ya no tienes que estar callado",
        ] {
            assert_eq!(asked(text), Some(QuietAsked::Over), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "\\PC{0,60}|(be|quiet|Pell|,|\\.| |for|10|minutes|wieder|静かに){0,9}") {
            asked(&text);
        }
    }
}
