//! Whether words speak of whoever says them, or of whoever hears them.

use std::sync::LazyLock;

use crate::text::phrases::{Folded, Phrases};

static OF_WHOM: LazyLock<Phrases> = LazyLock::new(|| Phrases::of(&["own", "you"]));

/// How much a text speaks of whoever says it: the share of words for them among those for them and for whoever hears it, 0
/// to below 1; one of the latter is always taken to be there.
pub(super) fn speaks_of_itself(text: &str) -> f32 {
    let mut found = OF_WHOM.find(&Folded::of(text));
    found.dedup_by_key(|one| (one.section, one.at));
    let count = |section: usize| {
        let count = found.iter().filter(|one| one.section == section).count();
        f32::from(u16::try_from(count).unwrap_or(u16::MAX))
    };
    count(0) / (count(0) + count(1) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_somebody_tells_of_themselves_is_told_from_what_they_say_of_others() {
        assert!(speaks_of_itself("I'm off to swim with my kids") > 0.6);
        assert!(speaks_of_itself("Ich habe mein Boot verkauft") > 0.6);
        assert!(speaks_of_itself("You'd be a great counselor, I think") < 0.4);
        assert_eq!(speaks_of_itself("The ferry is late"), 0.0);
    }

    #[test]
    fn in_every_language_it_is_told_who_is_spoken_of() {
        for (own, others) in [
            ("I have sold my boat", "You have sold your boat"),
            ("Ich habe mein Boot verkauft", "Du hast dein Boot verkauft"),
            ("J'ai vendu mon bateau", "Tu sais que vous avez un bateau"),
            ("Yo he vendido mi barco", "Tú tienes un barco"),
            ("Eu vendi meu barco", "Você vendeu um barco"),
            ("Io ho venduto la mia barca", "Hai una barca e puoi venderla"),
            ("Ik heb mijn boot verkocht", "Jij hebt jouw boot verkocht"),
            ("Ja mam moją łódź", "Ty masz łódź, wiesz"),
            ("Я продал мою лодку", "Ты продал твою лодку"),
            ("Ben benim teknemi sattım", "Sen bunu biliyor musun"),
            ("私は船を売った", "あなたは船を売った"),
            ("我卖了我的船", "你卖了船"),
            ("나는 내 배를 팔았어", "네가 배를 팔았어"),
        ] {
            assert!(speaks_of_itself(own) >= 0.5, "{own}: {}", speaks_of_itself(own));
            assert!(speaks_of_itself(others) < 0.5, "{others}: {}", speaks_of_itself(others));
        }
    }
}
