use super::*;

#[test]
fn every_language_asks_what_time_and_what_day_it_is() {
    for (language, file) in LANGUAGES {
        let mut names: Vec<&str> =
            file.split("\n[").skip(1).filter_map(|section| Some(section.split_once("]\n")?.0)).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{language}: a section stands twice");
        for section in ["time", "date", "who_is_here", "what_did_i_miss", "birthday"] {
            assert!(names.contains(&section), "{language}: {section}");
        }
    }
    assert!(phrases("time").len() >= LANGUAGES.len() && phrases("no such section").is_empty());
}

#[test]
fn no_phrase_stands_twice_in_a_section() {
    for (section, texts) in SECTIONS.iter().filter(|(section, _)| !section.starts_with("said:")) {
        for (language, text) in texts {
            let mut phrases: Vec<&str> = split_phrases(text).collect();
            phrases.sort_unstable();
            let twice: Vec<_> = phrases.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]).collect();
            assert!(twice.is_empty(), "{section} {language:?}: {twice:?}");
        }
    }
}

#[test]
fn a_word_counts_in_its_own_language_and_a_phrase_in_any() {
    let known = Phrases::grouped([
        (0, Languages::of("de"), "die"),
        (1, Languages::of("es"), "te acuerdas"),
        (2, Languages::of("ja"), "覚えて"),
        (3, Languages::of("de"), "vor _ Tagen"),
        (4, Languages::of("fr"), "où"),
    ]);
    let found = |text: &str| -> Vec<usize> {
        known.find(&Folded::of(text)).into_iter().map(|one| one.section).collect()
    };
    assert_eq!(found("I want to die"), Vec::<usize>::new());
    assert_eq!(found("wo ist die Katze"), [0]);
    assert_eq!(found("die"), [0], "nothing tells");
    assert_eq!(found("hey there, ¿te acuerdas de mi?"), [1]);
    assert_eq!(found("船の話、覚えてる？"), [2]);
    assert_eq!(found("was war vor drei Tagen?"), [3]);
    assert_eq!(found("OÙ est le chat"), [4]);
    let at = known.find(&Folded::of("und vor drei Tagen?"));
    assert_eq!((at[0].at, at[0].len), (1, 3));
}

#[test]
fn what_is_exclaimed_or_told_asks_nothing() {
    for text in [
        "Wow, what an amazing journey. Congrats!",
        "How lovely to see you!",
        "Can't wait to see the video!",
        "Don't let anything stop you.",
        "My sister is called Ana, don't tell anyone.",
        "don't mention what I said",
        "Have a good evening",
        "Wie schön dass du da bist",
        "Quelle belle journée !",
        "¡Qué bonito es esto!",
        "Che bella giornata oggi!",
        "Que lindo dia hoje!",
        "Wat een mooie dag",
        "Jaki piękny dzień!",
        "Какой красивый день",
        "Ne kadar güzel bir gün!",
        "Mi hermana dice que el barco es muy bonito",
        "Espero que estés bien",
        "Avísame cuando llegues a casa",
        "I'm tired — have to work tomorrow",
        "lol :why_are_you_like_this:",
    ] {
        assert!(!asks(text), "{text}");
    }
    for text in [
        "how do I get to the harbour",
        "how are you doing!",
        "have you seen Ben!",
        "don't you like it there",
        "can't we sail tomorrow",
        "was für ein Hund ist das",
        "wie spät ist es!",
        "quelle heure est il là bas",
        "qué hora es ahora",
        "oye y dónde está Ana",
        "no entiendo qué dices",
        "какой сегодня день недели",
        "сколько это стоит!",
        "Bugün mü gidiyoruz",
        "Şimdi mi gidiyorsun",
        "hm… how do I get there",
    ] {
        assert!(asks(text), "{text}");
    }
}

#[test]
fn a_word_that_ends_questions_begins_none() {
    for text in ["Mi chiamo Nina.", "Mi perra ladra mucho", "oh no, mi dispiace"] {
        assert!(!asks(text), "{text}");
    }
    for text in ["Geldin mi", "Sen mi yaptın", "Bu kitap mı güzel"] {
        assert!(asks(text), "{text}");
    }
}

#[test]
fn a_turkish_particle_asks_unless_a_phrase_of_another_language_stands_beside_it() {
    for text in [
        "hola mi amor",
        "Hola mi gente linda!",
        "buenas noches mi reina",
        "gracias mi vida",
        "Przykro mi",
        "Tak przykro mi",
        "Miło mi",
        "Miło mi poznać",
        "hej, daj mi spokój",
        "dai mi",
        "scusa mi dispiace",
        "ciao mi chiamo Ana",
    ] {
        assert!(!asks(text), "{text}");
    }
    for text in [
        "Bugün mü gidiyoruz",
        "sen mi geldin",
        "merhaba Ahmet mi geldi",
        "merhaba iyi mi",
        "Ahmet mi geldi",
        "kahve mi",
        "ok mi",
        "ok bitti mi",
        "ah geldi mi",
        "Şimdi mi gidiyorsun",
        "hola mi amor, cuándo vienes",
        "hola qué tal",
    ] {
        assert!(asks(text), "{text}");
    }
}

#[test]
fn accents_and_marks_tell_apart_languages_that_share_a_word() {
    let of = |text: &str| Folded::of(text).languages();
    for (text, language) in [
        ("Hola, ¿qué tal?", "es"),
        ("qué tal", "es"),
        ("que\u{301} tal", "es"),
        ("QUE\u{301} TAL", "es"),
        ("¿que tal?", "es"),
        ("sí", "es"),
        ("sì", "it"),
        ("mylisz się", "pl"),
        ("amanhã às 8", "pt"),
        ("Où est Ana ?", "fr"),
    ] {
        assert_eq!(of(text), Languages::of(language), "{text}");
    }
    assert!(!of("hola que tal").is_one());
    assert!(of("qué tal, Аня").overlaps(Languages::of("ru")), "its letters tell that");
}

#[test]
fn what_no_japanese_has_without_kana_is_chinese() {
    let of = |text: &str| Folded::of(text).languages();
    for text in ["忘记我的妹妹", "我妹妹叫什么名字？", "她住在北京", "忘了我说的话吧。"]
    {
        assert_eq!(of(text), Languages::of("zh"), "{text}");
    }
    for text in ["了解", "東京都", "誕生日", "永住在留資格申請中", "兄弟弟子同士仲良", "横浜媽祖廟訪問予定"]
    {
        assert!(of(text).overlaps(Languages::of("ja")), "{text}");
    }
    assert_eq!(of("妹妹って読むの？"), Languages::of("ja"));
}

#[test]
fn digits_beside_letters_of_a_script_of_their_own_tell_no_other_language() {
    let of = |text: &str| Folded::of(text).languages();
    for (text, language) in [
        ("5分後にお茶のことを教えて", "ja"),
        ("10 分後に起こして", "ja"),
        ("10분 뒤에", "ko"),
        ("5 лодок", "ru"),
        ("7я лодка", "ru"),
    ] {
        assert_eq!(of(text), Languages::of(language), "{text}");
    }
    assert!(of("2d6を振って").overlaps(Languages::of("en")), "one of its letters is Latin");
    assert!(
        of("22:00").overlaps(Languages::of("en")) && !of("22:00").is_one(),
        "of numbers alone it is open"
    );
}

#[test]
fn what_is_in_no_known_language_is_known_for_that() {
    for text in ["muistatko mitä kerroin sinulle veneestäni", "क्या तुम्हें मेरी नाव याद है"]
    {
        assert!(Folded::of(text).is_unknown(), "{text}");
    }
    for text in ["I have a boat", "船があります", "у меня есть лодка", "ok then"] {
        assert!(!Folded::of(text).is_unknown(), "{text}");
    }
}
