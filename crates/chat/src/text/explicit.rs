//! Words that only say something sexual, and say it plainly. What follows from that is the settings' business. Start at
//! [`is_explicit`].

use std::sync::LazyLock;

use super::phrases::{Folded, Phrases};

/// Words of a body and of health are not among them, nor what is something else as well.
static EXPLICIT: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["explicit"]));

/// Whether a text holds any of them. What is said in other words, or spelled so that nobody could list it, is not found.
pub fn is_explicit(text: &str) -> bool {
    !EXPLICIT.find(&Folded::of(text)).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plainly_sexual_is_found_in_thirteen_languages() {
        for text in [
            "She gives him a blowjob behind the wheelhouse.",
            "*She moans.* Fuck me harder, she says.",
            "Er will sie heute Nacht noch ficken.",
            "Ella le hace una mamada en la cocina.",
            "Elle lui fait une fellation dans la cale.",
            "Lei gli fa un pompino nella stiva.",
            "Ze willen de hele nacht neuken.",
            "On chce ją ruchać całą noc.",
            "Ela faz um boquete nele na cozinha.",
            "Она делает минет прямо в рубке.",
            "Bu gece seninle sikişmek istiyorum.",
            "彼女はフェラチオをした。",
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
}
