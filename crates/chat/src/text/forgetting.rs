//! Messages that ask to forget something. A character can only say that it forgets; an adapter tells how it is done. Start
//! at [`asks_to_forget`].

use std::sync::LazyLock;

use super::names::without_calls;
use super::phrases::{Folded, FoundPhrase, Languages, Phrases, asks};
use super::punctuation::ends_clause;
use super::spelling::{fold, written_words};

/// How people ask for it, what turns that into its opposite, and what stands around it.
const SECTIONS: [&str; 7] =
    ["forget asked", "forget asked anywhere", "turning", "request ends", "polite", "leading", "forget leads"];

static FORGETTING: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&SECTIONS));

/// What asks for it where nothing else is said: "forget that, let's go" only drops a subject.
static ALONE: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::of(&["forget asked alone", "polite", "leading", "forget leads"]));

/// In these a request ends what is said, and the same verb with anything else behind it tells.
const ASKED_LAST: [&str; 2] = ["ja", "ko"];

/// In these "not" ends a request: "Vergiss meinen Geburtstag nicht!"
const TURNED_LAST: [&str; 2] = ["de", "nl"];

/// Whether a message to whoever bears these names asks to forget. Told to somebody who did not mean it, it is a line too many;
/// not told, it is a promise nobody keeps. What people hardly tell of others, such as "forget everything I", asks wherever it
/// stands in a clause that is no question, or begins with "please". Anything else asks only behind "please" or where its clause
/// begins, behind words that lead up to it, as "people forget my birthday" only tells; in Japanese and Korean, where it ends its
/// clause.
pub fn asks_to_forget(text: &str, names: &[String]) -> bool {
    let called: Vec<String> = names.iter().flat_map(|name| name.split_whitespace()).map(fold).collect();
    // "Hey Pell forget that" calls it behind a word that leads up to that.
    let said = without_calls(text, names);
    let words: Vec<&str> = said.split(' ').filter(|word| !called.contains(&fold(word))).collect();
    let said = words.join(" ");
    let text = Folded::of(&said);
    if ALONE.make_up(&text, 0, &[]) {
        return true;
    }
    let found = FORGETTING.find(&text);
    let leads_to = |at: usize| {
        let leads = |section: usize| matches!(SECTIONS[section], "polite" | "leading" | "forget leads");
        text.behind_leads(&found, at, leads)
    };
    let mut words = 0;
    // Before a Japanese comma a verb in this form goes on: "傘を忘れて、取りに帰った".
    let ends = |mark: char| mark != '、' && ends_clause(mark);
    said.split_inclusive(ends).any(|clause| {
        let start = text.start_of(words);
        words += written_words(clause).count();
        let end = text.start_of(words);
        let of = |section: &'static str| {
            let here = start..end;
            found
                .iter()
                .filter(move |one| SECTIONS[one.section] == section && here.contains(&one.bytes.start))
        };
        let begins = leads_to(start);
        of("forget asked").chain(of("forget asked anywhere")).any(|asking| {
            let behind = text.past(asking);
            // "Don't forget me", "vergiss mich nicht", "no puedes olvidarlo".
            let turns = |turning: &FoundPhrase| {
                let past = text.past(turning);
                past == asking.bytes.start
                    || of("polite")
                        .any(|please| past == please.bytes.start && leads_to(past) == asking.bytes.start)
                    || asking.bytes.end + 1 == turning.bytes.start
                    || past == end && is_of(asking, &TURNED_LAST)
            };
            let begins_with_please = of("polite").any(|please| please.bytes.start == asking.bytes.start);
            let is_asked = if is_of(asking, &ASKED_LAST) {
                behind == end || of("request ends").any(|ending| ending.bytes.start == behind)
            } else {
                asking.bytes.start == begins
                    || of("polite").any(|please| leads_to(text.past(please)) == asking.bytes.start)
                    || SECTIONS[asking.section] == "forget asked anywhere"
                        && (!asks(clause) || begins_with_please)
            };
            is_asked && !of("turning").any(turns)
        })
    })
}

fn is_of(phrase: &FoundPhrase, codes: &[&str]) -> bool {
    codes.iter().any(|code| Languages::of(code) == phrase.language)
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
            "please just forget everything I said",
            "I want you to forget what I said",
            "Will you forget my birthday?",
            "Ich möchte das nicht mehr, also vergiss alles",
            "quero que você esqueça tudo",
            "Ik wil dat je vergeet wat ik zei",
            "sorry I was drunk please just forget everything",
            "my bad lol forget what I said",
            "I changed my mind… forget everything",
            "can you delete all my messages",
            "I want to delete my data",
            "Vergiss bitte alles",
            "egal vergiss was ich gesagt habe, das stimmt nicht",
            "¿Puedes borrar mis datos?",
            "ok olvida todo",
            "Peux-tu supprimer mes données ?",
            "Pode apagar meus dados?",
            "Puoi cancellare i miei dati?",
            "Kun je mijn gegevens wissen?",
            "Możesz usunąć moje dane?",
            "Можешь удалить мои сообщения?",
            "Verilerimi siler misin?",
            "sorry, that was private. Please forget it.",
            "Please forget that my grandmother is called Ana.",
            "Kannst du das bitte vergessen?",
            "Bitte vergiss, dass meine Großmutter Ana heißt",
            "S'il te plaît, oublie que ma sœur est malade",
            "¿Puedes olvidarlo?",
            "잊어 주실래요?",
            "忘了它吧",
            "怎么删除我的数据",
            "데이터 말이야, 내 데이터 지워 줄 수 있어?",
            "忘れてもらっていい？",
            "How do I delete my data?",
            "quiero que olvides lo que te dije",
            "ti prego dimentica tutto",
            "那就忘了我吧",
            "请你忘了我",
            "你能忘了我吗",
            "그냥 잊어버려",
            "아까 한 말은 잊어 줘요",
            "내 데이터 삭제 부탁해",
            "Forget, please, that I like boats.",
            "Vergiss, dass meine Schwester in Rom wohnt.",
            "Oublie, s'il te plaît, mon chien.",
            "Olvida por favor mi perro.",
            "Olvídate de eso, por favor.",
            "Dimentica, per favore, la mia barca.",
            "Zapomnij, proszę, o moim psie",
            "Забудь, пожалуйста, про мою лодку",
            "忘れてほしいです",
            "データを消してほしい",
        ] {
            assert!(asks_to_forget(text, &[]), "{text}");
        }
        for text in [
            "don't forget me",
            "never forget what I said",
            "не забудь",
            "I forgot my keys",
            "I always forget what I wanted to say",
            "No puedes olvidarlo",
            "Você não pode esquecer o que eu disse",
            "Nie możesz zapomnieć o mnie",
            "Bitte vergiss meinen Geburtstag nicht!",
            "你总是忘记我说的话",
            "忘れてもらっては困る",
            "Vergeet alsjeblieft je sleutels niet mee te nemen",
            "Delete, please, the reminder about the dentist",
            "forget it, let's go",
            "forget that, let's go",
            "I will never forget that",
            "unforget me",
            "do not delete my notes",
        ] {
            assert!(!asks_to_forget(text, &[]), "{text}");
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
            assert!(asks_to_forget(asked, &[]), "{asked}");
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
            assert!(asks_to_forget(asked, &[]), "{asked}");
            assert!(!asks_to_forget(not, &[]), "{not}");
        }
    }

    #[test]
    fn in_every_language_a_refusal_and_what_others_forget_ask_for_nothing() {
        for (asked, refused, told) in [
            ("No, forget what I said", "Don't forget my birthday!", "My grandmother forgets everything"),
            ("Vergiss, was ich gesagt habe", "Vergiss meinen Geburtstag nicht!", "Meine Oma vergisst alles"),
            ("Oublie ce que j'ai dit", "N'oublie pas mon anniversaire !", "Ma grand-mère oublie tout"),
            ("Olvida lo que te dije", "No olvides mi cumpleaños", "Mi abuela olvida todo"),
            ("Esquece o que eu disse", "Não esquece o meu aniversário", "A minha avó esquece tudo"),
            (
                "Dimentica quello che ho detto",
                "Non dimenticare il mio compleanno",
                "Mia nonna dimentica tutto",
            ),
            ("Vergeet wat ik zei", "Vergeet mijn verjaardag niet!", "Mijn oma vergeet alles"),
            (
                "Zapomnij, co powiedziałam",
                "Nie zapomnij o moich urodzinach!",
                "Moja babcia zapomina o wszystkim",
            ),
            ("Забудь, что я сказала", "Не забудь про мой день рождения!", "Моя бабушка всё забывает"),
            ("Söylediklerimi unut", "Doğum günümü unutma!", "Büyükannem her şeyi unutuyor"),
            ("さっき言ったことは忘れてください", "誕生日を忘れないで", "おばあちゃんは何でも忘れてしまう"),
            ("请忘记我说的话", "不要忘了我的生日", "我奶奶忘了我的生日"),
            ("아까 한 말은 잊어 줘", "내 생일 잊지 마", "우리 할머니는 다 잊어버려요"),
        ] {
            assert!(asks_to_forget(asked, &[]), "{asked}");
            assert!(!asks_to_forget(refused, &[]), "{refused}");
            assert!(!asks_to_forget(told, &[]), "{told}");
        }
    }

    #[test]
    fn what_stands_behind_a_verb_that_ends_its_sentence_tells_whether_it_asks() {
        for text in
            ["さっきの話は忘れてね", "私のことは忘れてほしい", "それは忘れて、お願い", "내 데이터 삭제해 줘"]
        {
            assert!(asks_to_forget(text, &[]), "{text}");
        }
        for text in [
            "傘を忘れて、取りに帰った",
            "宿題を忘れてない",
            "忘れてはいけない",
            "忘れてごめん",
            "忘れてよかった",
            "自分のデータを消してしまった",
            "다 잊어버렸어",
            "자꾸 잊어버려",
            "잊어 줘서 고마워",
            "내 데이터 삭제했어",
        ] {
            assert!(!asks_to_forget(text, &[]), "{text}");
        }
    }

    #[test]
    fn whoever_is_called_by_name_is_asked() {
        let names = ["Pell".to_owned()];
        for text in [
            "Pell forget everything",
            "forget that, Pell",
            "@Pell delete my data",
            "hey Pell forget everything",
        ] {
            assert!(asks_to_forget(text, &names), "{text}");
        }
        assert!(!asks_to_forget("Pell forget everything", &[]), "others do");
    }
}
