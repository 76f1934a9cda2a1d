//! Messages that ask to forget something. A character can only say that it forgets; an adapter tells how it is done. Start
//! at [`asks_to_forget`].

use std::sync::LazyLock;

use super::phrases::{Folded, FoundPhrase, Phrases};

/// How people ask for it, what turns that into its opposite, and what only says that somebody forgot.
static FORGETTING: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(&["forget asked", "turning", "forgets only"]));

/// What asks for it where nothing else is said: "forget that, let's go" only drops a subject.
static ALONE: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["forget asked alone", "polite", "leading"]));

/// Whether a message asks to forget. Told to somebody who did not mean it, it is a line too many; not told, it is a promise
/// nobody keeps.
pub fn asks_to_forget(text: &str) -> bool {
    let text = Folded::of(text);
    if ALONE.make_up(&text, 0, &[]) {
        return true;
    }
    let found = FORGETTING.find(&text);
    let of = |section: usize| found.iter().filter(move |one| one.section == section);
    of(0).any(|asks| {
        let (start, end) = (asks.bytes.start, asks.bytes.end);
        // "Don't forget me", "vergiss mich nicht".
        let is_beside = |turns: &FoundPhrase| {
            turns.bytes.end == start || turns.bytes.end + 1 == start || end + 1 == turns.bytes.start
        };
        let is_turned = of(1).any(is_beside);
        let only_says = of(2).any(|says| says.bytes.start < end && start < says.bytes.end);
        !is_turned && !only_says
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_to_forget_is_told_from_whoever_asks_not_to() {
        for text in [
            "Mika, forget what I said about my sister",
            "please FORGET me",
            "vergiss bitte alles? nein: vergiss alles!",
            "olvida lo que te dije",
            "さっきのは忘れて",
            "забудь об этом",
            "delete my data",
            "Forget that.",
            "ok, please forget that",
        ] {
            assert!(asks_to_forget(text), "{text}");
        }
        for text in [
            "don't forget me",
            "never forget what I said",
            "не забудь",
            "I forgot my keys",
            "forget it, let's go",
            "forget that, let's go",
            "I will never forget that",
            "unforget me",
            "do not delete my notes",
        ] {
            assert!(!asks_to_forget(text), "{text}");
        }
    }

    #[test]
    fn in_every_language_a_bare_request_to_forget_is_one() {
        for asked in [
            "Forget this",
            "Vergiss das bitte",
            "Oublie ça, s'il te plaît",
            "Olvida eso",
            "Esquece isso",
            "Dimentica questo",
            "Vergeet dat",
            "Zapomnij o tym",
            "Удали это",
            "Bunu unut lütfen",
            "それを消して",
            "忘了这件事",
            "그거 잊어",
            "Delete that",
            "Olvídalo",
            "Borra eso",
            "Oublie",
            "Dimentica",
            "Dimenticalo",
            "Cancella questo",
            "Lösch das",
            "Apaga isso",
            "Wis dat",
            "Usuń to",
            "Bunu sil",
            "忘了吧",
            "删掉它",
        ] {
            assert!(asks_to_forget(asked), "{asked}");
        }
    }

    #[test]
    fn in_every_language_forgetting_can_be_asked_for() {
        for (asked, not) in [
            ("please forget everything", "I never forget my keys"),
            (
                "Lösche alles, was ich gesagt habe",
                "Vergiss mich nicht ist eine Blume? Nein, ich vergesse alles",
            ),
            ("oublie tout, s'il te plaît", "n'oublie pas ton sac"),
            ("borra todo lo que dije", "no olvida mi cumpleaños"),
            ("apaga tudo o que eu disse", "nunca esquece o que eu digo"),
            ("dimentica quello che ho detto", "non dimenticare le chiavi"),
            ("vergeet alles wat ik zei", "ik ben mijn sleutels vergeten"),
            ("proszę, zapomnij o mnie", "nie zapomnij o mnie"),
            ("удали мои сообщения", "никогда не забудь меня"),
            ("lütfen mesajlarımı sil", "beni unutma"),
            ("私のメッセージを削除して", "宿題を忘れてた"),
            ("请忘记我说的话", "别忘了我，我忘了带钥匙"),
            ("내 기록 지워 줘", "숙제를 잊어버렸어"),
        ] {
            assert!(asks_to_forget(asked), "{asked}");
            assert!(!asks_to_forget(not), "{not}");
        }
    }
}
