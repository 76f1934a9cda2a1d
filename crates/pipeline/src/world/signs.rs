//! Signs of feeling in what is said or done to the familiar (A9): deterministic, small, and few.
//!
//! Owns what each sign does to mood and warmth. Must not know where feelings are kept. Start reading
//! at [`signs`].

use crate::domain::Feeling;
use crate::text::cues::Cues;
use crate::text::phrases::says;

/// Something that moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoodSign {
    Thanks,
    /// It was praised or told it is liked.
    Praise,
    Insult,
    Apology,
    /// Somebody laughs or plays.
    Play,
    Sadness,
    /// Somebody is back after more than a week.
    Return,
}

impl MoodSign {
    /// What it does to the mood.
    pub fn on_mood(self) -> Feeling {
        let (valence, arousal) = match self {
            Self::Thanks => (0.07, 0.02),
            Self::Praise => (0.12, 0.10),
            Self::Insult => (-0.24, 0.16),
            Self::Apology => (0.08, -0.06),
            Self::Play => (0.06, 0.10),
            Self::Sadness => (-0.08, -0.10),
            Self::Return => (0.12, 0.10),
        };
        Feeling { valence, arousal }
    }

    /// What it does to the warmth for whoever gave it.
    pub fn on_warmth(self) -> f64 {
        match self {
            Self::Thanks => 0.03,
            Self::Praise => 0.06,
            Self::Insult => -0.15,
            Self::Apology => 0.08,
            Self::Play => 0.015,
            Self::Sadness => 0.02,
            Self::Return => 0.03,
        }
    }
}

/// What somebody says who gives one, in every language.
fn is_said(sign: MoodSign, cues: &Cues) -> bool {
    match sign {
        MoodSign::Thanks => says("thanked", cues) && !says("not_thanked", cues),
        MoodSign::Praise => says("praised", cues) || says("fond", cues),
        MoodSign::Insult => says("insulted", cues),
        MoodSign::Apology => says("apologised", cues),
        MoodSign::Play => says("in_play", cues),
        MoodSign::Sadness => says("sad", cues),
        MoodSign::Return => false,
    }
}

const SAID: [MoodSign; 6] = [
    MoodSign::Thanks,
    MoodSign::Praise,
    MoodSign::Insult,
    MoodSign::Apology,
    MoodSign::Play,
    MoodSign::Sadness,
];

const LAUGHS: [char; 8] = ['😂', '🤣', '😄', '😆', '😜', '😹', '😛', '🤪'];
const HEARTS: [char; 9] = ['❤', '💕', '💖', '💜', '💙', '🥰', '😍', '🫶', '🤗'];
const DISLIKES: [char; 5] = ['👎', '🖕', '😡', '🤬', '🤮'];

/// The signs in words that were meant for the familiar, each at most once.
pub fn signs(text: &str) -> Vec<MoodSign> {
    let cues = Cues::of(text);
    let mut found: Vec<MoodSign> = SAID.into_iter().filter(|sign| is_said(*sign, &cues)).collect();
    if text.contains(LAUGHS) && !found.contains(&MoodSign::Play) {
        found.push(MoodSign::Play);
    }
    if text.contains(HEARTS) && !found.contains(&MoodSign::Praise) {
        found.push(MoodSign::Praise);
    }
    found
}

/// What a reaction to one of the familiar's messages is a sign of.
pub fn reaction_sign(emoji: &str) -> Option<MoodSign> {
    let has = |set: &[char]| emoji.contains(set);
    if has(&HEARTS) || has(&['👏', '🙌', '⭐', '🔥', '💯', '👍']) {
        Some(MoodSign::Thanks)
    } else if has(&LAUGHS) {
        Some(MoodSign::Play)
    } else if has(&DISLIKES) {
        Some(MoodSign::Insult)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a9_signs_are_read_from_turns_of_phrase() {
        for (said, sign) in [
            ("Thanks, Mika!", MoodSign::Thanks),
            ("danke dir", MoodSign::Thanks),
            ("good bot", MoodSign::Praise),
            ("here ❤️", MoodSign::Praise),
            ("you're stupid", MoodSign::Insult),
            ("halt die Klappe", MoodSign::Insult),
            ("I'm sorry", MoodSign::Apology),
            ("lol", MoodSign::Play),
            ("no way 😂", MoodSign::Play),
            ("i'm so sad today", MoodSign::Sadness),
        ] {
            assert_eq!(signs(said), [sign], "{said}");
        }
    }

    #[test]
    fn a9_ordinary_words_move_nothing() {
        for said in [
            "what time is it?",
            "the ferry leaves at nine",
            "you are not stupid",
            "Thanksgiving is in November",
            "tell me about boats",
            "> shut up",
            "he said the bot was useless",
            "the type is wrong",
        ] {
            assert_eq!(signs(said), [], "{said}");
        }
        assert_eq!(reaction_sign("🦀"), None);
        assert_eq!(reaction_sign("👍"), Some(MoodSign::Thanks));
        assert_eq!(reaction_sign("👎"), Some(MoodSign::Insult));
    }

    #[test]
    fn a9_a_sign_is_one_in_every_language_and_small_talk_is_none() {
        for said in [
            "thank you so much | well done | you are useless | I'm sorry | just kidding | I feel lonely | we sail on Monday",
            "vielen dank | gut gemacht | halt die klappe | tut mir leid | war nur Spaß | ich bin so traurig | wir segeln am Montag",
            "merci beaucoup | tu es génial | ta gueule | je suis désolée | je plaisante | je me sens seul | on part lundi",
            "muchas gracias | eres genial | te odio | lo siento mucho | es broma | estoy muy triste | salimos el lunes",
            "muito obrigado | você é incrível | cala a boca | me desculpa | tô brincando | estou triste | saímos na segunda",
            "grazie mille | sei fantastica | ti odio | mi dispiace | sto scherzando | mi sento solo | partiamo lunedì",
            "dank je wel | je bent geweldig | hou je mond | het spijt me | grapje | ik ben verdrietig | we varen maandag",
            "dzięki wielkie | jesteś super | zamknij się | przepraszam | żartuję | jestem smutna | płyniemy w poniedziałek",
            "спасибо большое | ты молодец | заткнись | извини меня | шучу | мне грустно | мы плывём в понедельник",
            "teşekkür ederim | harikasın | kapa çeneni | özür dilerim | şaka yapıyorum | çok mutsuzum | pazartesi gidiyoruz",
            "ありがとうね | さすがだね | お前うざい | ごめんね | 冗談だよ | 悲しいです | 月曜日に出発する",
            "谢谢你啊 | 你真棒 | 闭嘴 | 对不起 | 开个玩笑 | 我很难过 | 我们星期一出发",
            "고마워요 | 넌 최고야 | 닥쳐 | 미안해 | 농담이야 | 너무 슬퍼 | 월요일에 출발해",
        ] {
            let each: Vec<&str> = said.split(" | ").collect();
            for (said, sign) in each.iter().zip(SAID) {
                assert_eq!(signs(said), [sign], "{said}");
            }
            assert_eq!(signs(each[SAID.len()]), [], "{}", each[SAID.len()]);
        }
        assert_eq!(signs("thanks, das hilft mir sehr"), [MoodSign::Thanks], "a borrowed word");
        assert_eq!(signs("a co ty na to?"), [], "a word of another language");
    }
}
