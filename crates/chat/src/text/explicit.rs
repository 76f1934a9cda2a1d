//! Words that only say something sexual, and say it plainly. What follows from that is the settings' business. Start at
//! [`is_explicit`].

use std::sync::LazyLock;

use super::phrases::{Folded, Phrases};

/// Words of a body and of health are not among them, nor what is something else as well, or only bad temper: a reply held back
/// for nothing is worse than one that passes. A script that sets no words apart is searched within words too, so what stands in
/// a longer harmless one there has to be longer itself.
static EXPLICIT: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["explicit"]));

/// Between these nothing is one phrase: "such a jerk. Off you go". A mark of emphasis or a hyphen is none of them.
const BETWEEN_CLAUSES: &str = ".!?…,;:\n\r¡¿—–/|()\"“”„«»。！？、，；：．｡､（）「」『』";

/// Whether a text holds any of them. What is said in other words, or spelled so that nobody could list it, is not found.
pub fn is_explicit(text: &str) -> bool {
    let whole = Folded::of(text);
    // Hardly any text holds one, and none in a clause that it does not hold as well.
    EXPLICIT.are_in(&whole)
        && text
            .split(|mark: char| BETWEEN_CLAUSES.contains(mark))
            .any(|clause| EXPLICIT.are_in(&Folded::of(clause).of_one_language_with(&whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_sexual_is_found_in_thirteen_languages() {
        for text in [
            "She gives him a blowjob behind the wheelhouse.",
            "*She moans.* Fuck my pussy, she says.",
            "It was late, and then: *suck my* cock!",
            "Er will ficken, und zwar heute Nacht.",
            "Hazme una mamada, le dice ella.",
            "Elle lui fait une fellation dans la cale.",
            "Lei gli fa un pompino nella stiva.",
            "Ze willen de hele nacht neuken.",
            "On chce ją ruchać całą noc.",
            "Ela faz um boquete nele na cozinha.",
            "Она делает минет прямо в рубке.",
            "Bu gece seninle sikişmek istiyorum.",
            "彼女はフェラチオをした。",
            "彼は彼女に中出しした。",
            "그녀는 펠라치오를 했다.",
            "他的鸡巴硬了。",
        ] {
            assert!(is_explicit(text), "{text}");
        }
    }

    #[test]
    fn a_kiss_a_rooster_health_and_bad_temper_are_no_such_thing() {
        for text in [
            "The cock crows at five, and the pussycat is asleep.",
            "Take a bite. It is fucking hot in here, you dick.",
            "They kiss and close the door behind them.",
            "Ask your doctor about contraception, sex and your breasts.",
            "Er wedelt mit dem Schwanz, der Hund.",
            "La polla y el gallo están en el corral.",
            "Un baiser sur la joue, et la chatte dort.",
            "эта чаша не минет нас",
            "路口交通很堵，出口交易所关门了。",
            "体操我喜欢，禁区内射门。",
            "보지 마, 자지 않고 기다려.",
            "くじらが潮吹きをした。",
        ] {
            assert!(!is_explicit(text), "{text}");
        }
    }

    #[test]
    fn everyday_words_that_look_like_it_are_left_alone() {
        for text in [
            "Alan Cumming plays the host.",
            "They eat me out of house and home.",
            "A branch of wet pussy willow stands in the vase.",
            "Tell that jerk off the lawn.",
            "No digas mamadas, güey.",
            "La polla dura toda la temporada.",
            "Hay un boquete en la pared.",
            "Una punheta de bacalhau, por favor.",
            "Uma punheta de bacalhau e um copo de vinho.",
            "Vai te foder!",
            "Vou me foder na prova de amanhã.",
            "Que cara de pau duro.",
            "На крыльце сидит мокрая киска.",
            "Er muss noch die Stiefel wichsen.",
            "Will Ficken kick the field goal?",
            "Vor dem Haus den Hof abspritzen.",
            "Baise-moi la main, dit la reine.",
            "Scopami il pavimento, per favore.",
            "Annem beni sık sık arar.",
            "Pieprz mnie drażni.",
        ] {
            assert!(!is_explicit(text), "{text}");
        }
    }

    #[test]
    fn what_stands_within_longer_words_is_left_alone() {
        for text in [
            "背中出しのワンピースを買った。",
            "一日中出しっぱなしだった。",
            "一晩中出しっぱなしの布団。",
            "若手コキ使うな。",
            "사과를 따먹고 싶어.",
            "그 영화는 보지를 빨리 못했어.",
            "小公鸡巴不得飞出去。",
            "他浸淫水墨画三十年。",
            "火腿肉棒插在签子上。",
        ] {
            assert!(!is_explicit(text), "{text}");
        }
    }

    #[test]
    fn nothing_is_found_across_the_end_of_a_sentence_or_of_a_clause() {
        for text in [
            "He is such a jerk. Off you go.",
            "Fuck me. Hard to believe.",
            "Work was hard. Cock-a-doodle-doo!",
            "Sagt, was ihr wollt: er will. Ficken sagt man nicht.",
            "They suck, my cock crows.",
            "He would suck my…\nCock, the hen said.",
            "小鸡巴，硬了。",
        ] {
            assert!(!is_explicit(text), "{text}");
        }
        assert!(is_explicit("Suck my cock. Off you go."));
    }
}
