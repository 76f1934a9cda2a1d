use proptest::prelude::*;

use super::super::sentence::{message_sentences, said_to};
use super::*;

fn said(text: &str) -> Vec<String> {
    message_sentences(text)
        .iter()
        .flat_map(statements)
        .map(|one| {
            if one.ends {
                format!("no longer {}: {}", one.slot.unwrap(), one.value)
            } else {
                one.words("Ana")
            }
        })
        .collect()
}

#[test]
fn m5_what_is_said_plainly_becomes_a_fact() {
    for (text, fact) in [
        ("My name is Noor.", "Ana goes by Noor."),
        ("hey! call me Captain Brandt please", ""),
        ("please call me Noor", "Ana goes by Noor."),
        ("I live in Ghent, near the canal", "Ana lives in Ghent."),
        ("oh and I just moved to Saint Malo because of the sea", "Ana lives in Saint Malo."),
        ("i'm from belgium btw", "Ana is from belgium."),
        ("Actually, my birthday is on the 14th of June!", "Ana's birthday is 14th of June."),
        ("I was born on 3 May 1990", "Ana's birthday is 3 May 1990."),
        ("I'm allergic to nuts and shellfish", "Ana is allergic to nuts and shellfish."),
        ("i’m vegetarian", "Ana is vegetarian."),
        ("My favourite colour is teal now", "Ana's favourite colour is teal."),
        ("my cat is called Biscuit", "Ana's cat is called Biscuit."),
        ("My sister's name is Noor", "Ana's sister is called Noor."),
        ("I work as a ferry pilot and I love it", "Ana works as a ferry pilot."),
        ("ich wohne in Gent", "Ana lives in Gent."),
        ("Ich heiße Noor", "Ana goes by Noor."),
        ("My pronouns are they/them", "Ana's pronouns are they/them."),
        ("Please remember that I live in Ghent", "Ana lives in Ghent."),
        ("remember: the party is on Friday", "Ana asked to remember: \u{201c}the party is on Friday\u{201d}"),
        ("I no longer live in Ghent", "no longer home: Ghent"),
        ("my tortoise is named Bob", "Ana's tortoise is called Bob."),
        ("Je m'appelle Noor", "Ana goes by Noor."),
        ("vivo en Madrid y me gusta", "Ana lives in Madrid."),
        ("no vivo en Madrid", "no longer home: Madrid"),
        ("mieszkam teraz w Krakowie", "Ana lives in Krakowie."),
        ("у меня аллергия на орехи", "Ana is allergic to орехи."),
        ("en sevdiğim renk mavi", "Ana's favourite renk is mavi."),
        ("我最喜欢的颜色是蓝色", "Ana's favourite 颜色 is 蓝色."),
        ("ナッツアレルギーです", "Ana is allergic to ナッツ."),
        ("제 이름은 누르예요", "Ana goes by 누르."),
    ] {
        let expected: Vec<&str> = (!fact.is_empty()).then_some(fact).into_iter().collect();
        assert_eq!(said(text), expected, "{text}");
    }
}

#[test]
fn m5_a_plain_request_to_remember_is_noted_in_every_language() {
    let said = |text: &str| -> Vec<String> {
        let sentences = said_to(&["Pell".to_owned(), "ペル".to_owned()], text);
        sentences.iter().flat_map(statements).map(|one| one.words("Ana")).collect()
    };
    assert_eq!(said("Pell, remember I'm vegan"), ["Ana is vegan."]);
    assert_eq!(said("vergiss nicht, ich hab am 5. Mai Geburtstag"), ["Ana's birthday is 5 Mai."]);
    for (text, words) in [
        ("can you remember that I park on level 3?", "I park on level 3"),
        ("Pell, could you please remember that my seat is 12 C?", "my seat is 12 C"),
        ("don't forget my flight is LH400", "my flight is LH400"),
        ("you should remember that I sing alto", "I sing alto"),
        ("merke dir, dass ich Alt singe", "ich Alt singe"),
        ("denk daran, dass wir morgen proben", "wir morgen proben"),
        ("Pell, kannst du dir merken, dass ich Alt singe?", "ich Alt singe"),
        ("Pell, ¿puedes recordar que canto de contralto?", "canto de contralto"),
        ("ten en cuenta que canto de contralto", "canto de contralto"),
        ("garde en tête que je chante alto", "je chante alto"),
        ("peux-tu retenir que je chante alto ?", "je chante alto"),
        ("tieni presente che canto da contralto", "canto da contralto"),
        ("puoi ricordarti che canto da contralto?", "canto da contralto"),
        ("noteer dat ik alt zing", "ik alt zing"),
        ("kun je onthouden dat ik alt zing?", "ik alt zing"),
        ("zapisz sobie, że śpiewam altem", "śpiewam altem"),
        ("możesz zapamiętać, że śpiewam altem?", "śpiewam altem"),
        ("leva em conta que canto contralto", "canto contralto"),
        ("você pode lembrar que canto contralto?", "canto contralto"),
        ("имей в виду, что я пою альтом", "я пою альтом"),
        ("можешь запомнить, что я пою альтом?", "я пою альтом"),
        ("bunu yarın yapacağımı aklında tut", "bunu yarın yapacağımı"),
        ("ペル、覚えておいて、私は歌手です", "私は歌手です"),
        ("メモして、明日は休みです", "明日は休みです"),
        ("明日は休みだって覚えておいてくれる？", "明日は休みだ"),
        ("能帮我记住明天不上班吗？", "明天不上班"),
        ("내일 쉰다는 걸 기억해 줘", "내일 쉰다"),
        ("내일 쉰다고 기억해 줄래?", "내일 쉰다"),
    ] {
        assert_eq!(said(text), [format!("Ana asked to remember: \u{201c}{words}\u{201d}")], "{text}");
    }
    for text in [
        "do you remember that I park on level 3?",
        "can you remember my name?",
        "can you remember that night?",
        "remember when we missed the ferry",
        "remember me",
        "weißt du noch, dass ich Alt singe?",
        "¿te acuerdas de que canto de contralto?",
        "私の誕生日を覚えてる？",
    ] {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn m5_whoever_only_asks_not_to_be_forgotten_has_said_nothing_to_note() {
    for text in [
        "Don't forget me!",
        "Vergiss mich nicht",
        "Ne m'oublie pas",
        "No te olvides de mí",
        "Não te esqueças de mim",
        "Non dimenticarmi",
        "Vergeet me niet",
        "Nie zapomnij o mnie",
        "Не забывай меня",
        "Beni unutma",
        "sakın beni unutma",
        "bizi asla unutma",
        "beni lütfen hiçbir zaman unutma",
        "私を忘れないで",
        "私のことを忘れないでね",
        "私達のことを忘れないで",
        "みんなのことを忘れないで",
        "あの人のことを忘れないでね",
        "このことを覚えておいて",
        "不要忘记我",
        "别忘了我哦",
        "别忘记大家",
        "记住我们",
        "別忘了他們",
        "別忘了這個",
        "别忘了哦",
        "나를 잊지 마",
    ] {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
    for (text, words) in [
        ("不要忘记我唱女低音哦", "我唱女低音"),
        ("sakın yarın prova olduğunu unutma", "yarın prova olduğunu"),
        ("明日のことを忘れないで", "明日"),
        ("妹のことを忘れないで", "妹"),
        ("别忘了猫", "猫"),
        ("别忘记猫", "猫"),
        ("记住我明晚在酒吧", "我明晚在酒吧"),
        ("asla et yemediğimi unutma", "asla et yemediğimi"),
        ("Remember that I can't be there", "I can't be there"),
    ] {
        assert_eq!(said(text), [format!("Ana asked to remember: \u{201c}{words}\u{201d}")], "{text}");
    }
}

#[test]
fn m5_what_is_said_in_one_breath_becomes_a_fact_each() {
    for (text, facts) in [
        ("My name is Ana and my cat is called Miso", vec!["Ana goes by Ana.", "Ana's cat is called Miso."]),
        (
            "I'm Ana, I live in Porto and I'm allergic to nuts",
            vec!["Ana goes by Ana.", "Ana lives in Porto.", "Ana is allergic to nuts."],
        ),
        ("I'm German, I live in Porto", vec!["Ana lives in Porto."]),
        (
            "I live in Ghent now, and my cat is called Miso",
            vec!["Ana lives in Ghent.", "Ana's cat is called Miso."],
        ),
        ("my name is Ana, she says, and I live in Ghent", vec!["Ana goes by Ana."]),
        ("please remember that I live in Ghent and that my dog is called Rex", vec!["Ana lives in Ghent."]),
        (
            "remember that I live in Ghent and my dog is called Rex",
            vec!["Ana lives in Ghent.", "Ana's dog is called Rex."],
        ),
        (
            "Ich heiße Noor und ich wohne in Gent, mein Geburtstag ist am 14 Juni",
            vec!["Ana goes by Noor.", "Ana lives in Gent.", "Ana's birthday is 14 Juni."],
        ),
        (
            "I no longer live in Ghent, I moved to Bruges",
            vec!["no longer home: Ghent", "Ana lives in Bruges."],
        ),
        ("I live in Ghent and I hate mondays and my cat is called Miso", vec!["Ana lives in Ghent."]),
    ] {
        assert_eq!(said(text), facts, "{text}");
    }
}

#[test]
fn m5_what_is_no_longer_so_and_what_is_instead_are_read_in_every_language() {
    for (text, facts) in [
        ("I don't live in Ghent anymore but in Bruges", vec!["Ana lives in Bruges."]),
        ("Ich wohne nicht mehr in Hamburg, sondern in Bremen", vec!["Ana lives in Bremen."]),
        ("j'habite plus à Lyon, mais à Nantes", vec!["Ana lives in Nantes."]),
        ("ya no vivo en Madrid, sino en Toledo", vec!["Ana lives in Toledo."]),
        ("não moro mais em Lisboa, mas no Porto", vec!["Ana lives in Porto."]),
        ("non abito più a Roma, ma a Ostia", vec!["Ana lives in Ostia."]),
        ("ik woon niet meer in Gent, maar in Brugge", vec!["Ana lives in Brugge."]),
        ("nie mieszkam już w Krakowie, tylko w Łodzi", vec!["Ana lives in Łodzi."]),
        ("я больше не живу в Москве, а в Туле", vec!["Ana lives in Туле."]),
        ("Ankara'da değil, Bursa'da yaşıyorum", vec!["Ana lives in Bursa."]),
        ("違うよ、東京じゃなくて大阪に住んでいる", vec!["Ana lives in 大阪."]),
        ("我不住在北京了，住在上海", vec!["Ana lives in 上海."]),
        ("서울이 아니라 부산에 살아요", vec!["Ana lives in 부산."]),
        ("ich arbeite nicht mehr als Koch, sondern als Bäcker", vec!["Ana works as Bäcker."]),
        ("je ne travaille plus comme cuisinier mais comme boulanger", vec!["Ana works as boulanger."]),
        ("nie pracuję już jako kucharz ale jako piekarz", vec!["Ana works as piekarz."]),
        ("non lavoro più come cuoco ma come fornaio", vec!["Ana works as fornaio."]),
        ("não trabalho mais como cozinheiro mas como padeiro", vec!["Ana works as padeiro."]),
        ("я работаю учителем в школе", vec!["Ana works as учителем в школе."]),
        ("я работаю в Омске", vec!["Ana works at Омске."]),
        ("я работаю старшим поваром", vec!["Ana works as старшим поваром."]),
        ("я работаю врачом", vec!["Ana works as врачом."]),
        ("я работаю даром", vec![]),
        ("я работаю дома", vec![]),
        ("я работаю вечером", vec![]),
        ("I'm no longer vegetarian", vec!["no longer diet: vegetarian"]),
        ("ich bin kein Vegetarier mehr", vec!["no longer diet: Vegetarier"]),
        ("je suis plus végétarienne", vec!["no longer diet: végétarienne"]),
        ("Ya no soy vegetariana", vec!["no longer diet: vegetariana"]),
        ("não sou mais vegetariana", vec!["no longer diet: vegetariana"]),
        ("non sono più vegetariana", vec!["no longer diet: vegetariana"]),
        ("ik ben geen vegetariër meer", vec!["no longer diet: vegetariër"]),
        ("już nie jestem wegetarianką", vec!["no longer diet: wegetarianką"]),
        ("я больше не веган", vec!["no longer diet: веган"]),
        ("もう東京には住んでいないよ", vec!["no longer home: 東京"]),
        ("no vivo en Madrid", vec!["no longer home: Madrid"]),
    ] {
        assert_eq!(said(text), facts, "{text}");
    }
}

#[test]
fn m5_what_does_not_say_whose_it_is_goes_on_about_what_was_said_before() {
    for (text, facts) in [
        ("猫を二匹飼っています。名前はタマとミケです。", vec![]),
        ("犬もいるよ。名前はポチです。", vec![]),
        ("新しいお店ができた。名前はカフェ・ルナ。", vec![]),
        ("バンドを始めました！\n名前はノヴァです", vec![]),
        ("猫を飼い始めた。タマといいます。", vec![]),
        ("この子だれ？名前はポチだよ", vec![]),
        ("名前はタマとミケです", vec![]),
        ("妹がいます。大阪に住んでいます。", vec![]),
        ("여동생이 있어요. 서울에 살아요.", vec![]),
        ("うちの猫の名前はタマです。誕生日は5月3日です。", vec!["Ana's cat is called タマ."]),
        ("犬もいるよ。私の名前はアナです。", vec!["Ana goes by アナ."]),
        (
            "はじめまして！名前はアナです。大阪に住んでいます。",
            vec!["Ana goes by アナ.", "Ana lives in 大阪."],
        ),
        ("저는 민수라고 해요. 서울에 살아요.", vec!["Ana goes by 민수.", "Ana lives in 서울."]),
        ("I have two cats. My name is Noor", vec!["Ana goes by Noor."]),
        ("Tengo dos gatos. Vivo en Madrid", vec!["Ana lives in Madrid."]),
    ] {
        assert_eq!(said(text), facts, "{text}");
    }
}

#[test]
fn m5_a_value_ends_where_somebody_goes_on_about_themselves() {
    for (text, facts) in [
        ("Ich arbeite als Schreiner und hab am 2. Dezember Prüfung", vec!["Ana works as Schreiner."]),
        ("ich bin allergisch gegen Nüsse und mag Katzen sehr", vec!["Ana is allergic to Nüsse."]),
        (
            "ich arbeite bei Airbus und wohne seit gestern in Kiel",
            vec!["Ana works at Airbus.", "Ana lives in Kiel."],
        ),
        (
            "ich arbeite bei Airbus und seit gestern wohne ich in Kiel",
            vec!["Ana works at Airbus.", "Ana lives in Kiel."],
        ),
        (
            "Je travaille comme infirmière à l'hôpital et j'adore ça",
            vec!["Ana works as infirmière à l'hôpital."],
        ),
        ("J'habite à Marseille maintenant", vec!["Ana lives in Marseille."]),
        (
            "J'habite à Lyon et travaille comme infirmière",
            vec!["Ana lives in Lyon.", "Ana works as infirmière."],
        ),
        (
            "je travaille comme cuisinier et habite à Lyon",
            vec!["Ana works as cuisinier.", "Ana lives in Lyon."],
        ),
        ("I work as a teacher and love cats", vec!["Ana works as a teacher."]),
        ("I work as a teacher and live in Ghent", vec!["Ana works as a teacher.", "Ana lives in Ghent."]),
        ("I'm Ana and live in Porto", vec!["Ana goes by Ana.", "Ana lives in Porto."]),
        ("soy alérgica a las nueces y odio el queso", vec!["Ana is allergic to nueces."]),
        ("trabajo como enfermera ahora", vec!["Ana works as enfermera."]),
        ("trabalho como enfermeira e adoro gatos", vec!["Ana works as enfermeira."]),
        ("lavoro come infermiera e adoro i gatti", vec!["Ana works as infermiera."]),
        ("ik werk als leraar en woon in Gent", vec!["Ana works as leraar.", "Ana lives in Gent."]),
        ("pracuję jako nauczyciel i lubię koty", vec!["Ana works as nauczyciel."]),
        ("у меня аллергия на орехи и люблю кошек", vec!["Ana is allergic to орехи."]),
        ("trabajo como cocinero aunque no me gusta", vec!["Ana works as cocinero."]),
        ("je travaille comme cuisinier parce qu'elle aime manger", vec!["Ana works as cuisinier."]),
        ("trabalho como cozinheiro porque gosto", vec!["Ana works as cozinheiro."]),
        ("ich wohne in Kiel obwohl ich in Bonn arbeite", vec!["Ana lives in Kiel."]),
        ("у меня аллергия на орехи потому что не повезло", vec!["Ana is allergic to орехи."]),
        ("je suis végétarien mais je mange du poisson", vec!["Ana is végétarien."]),
        ("je travaille comme cuisinier mais pas le dimanche", vec!["Ana works as cuisinier."]),
        ("pracuję jako kucharz ale tylko w soboty", vec!["Ana works as kucharz."]),
        ("lavoro come cuoco ma solo di sabato", vec!["Ana works as cuoco."]),
        ("doğum günüm 3 Mayıs ama kutlamam", vec!["Ana's birthday is 3 Mayıs."]),
        ("trabalho como cozinheiro mas só aos sábados", vec!["Ana works as cozinheiro."]),
        ("trabalho como cozinheiro pois paga bem", vec!["Ana works as cozinheiro."]),
        ("ich wohne in Kiel bis Juni", vec!["Ana lives in Kiel."]),
        ("ich wohne in Kiel lol", vec!["Ana lives in Kiel."]),
        ("j'habite à Lyon mdr", vec!["Ana lives in Lyon."]),
        (
            "vivo en Granada y mi gato se llama Miso",
            vec!["Ana lives in Granada.", "Ana's cat is called Miso."],
        ),
        // What goes on about the same thing belongs to it, also where another language has a word for "but" or "if" there.
        ("ich bin allergisch gegen Weizen und Mais", vec!["Ana is allergic to Weizen und Mais."]),
        ("je suis allergique aux noix et au mais", vec!["Ana is allergic to noix et au mais."]),
        ("ich bin allergisch gegen alles bis auf Reis", vec!["Ana is allergic to alles bis auf Reis."]),
        ("vivo en Madrid btw", vec!["Ana lives in Madrid."]),
        ("я живу в Омске lol", vec!["Ana lives in Омске."]),
        ("je suis allergique aux petits pois", vec!["Ana is allergic to petits pois."]),
        ("I'm allergic to pale ale", vec!["Ana is allergic to pale ale."]),
        ("ich arbeite als Redakteur beim MDR", vec!["Ana works as Redakteur beim MDR."]),
        ("I live in Niagara Falls", vec!["Ana lives in Niagara Falls."]),
        ("I'm allergic to nuts and shellfish", vec!["Ana is allergic to nuts and shellfish."]),
        ("ich bin allergisch gegen Nüsse und Äpfel", vec!["Ana is allergic to Nüsse und Äpfel."]),
        ("my favourite colours are black and white", vec!["Ana's favourite colours is black and white."]),
        // Of whoever else was spoken of before.
        ("my parents live in Ghent and work as nurses", vec![]),
        ("I know people who live in Ghent and work as nurses", vec![]),
    ] {
        assert_eq!(said(text), facts, "{text}");
    }
}

#[test]
fn m5_a_birthday_is_noted_in_every_language() {
    for (text, day) in [
        ("My birthday is on 14 June", "14 June"),
        ("mein Geburtstag ist der 14. Juni", "14 Juni"),
        ("Ich habe am 14. Juni Geburtstag", "14 Juni"),
        ("mon anniversaire est le 14 juin", "14 juin"),
        ("mi cumple es el 14 de junio", "14 de junio"),
        ("Cumplo años el 14 de junio", "14 de junio"),
        ("meu aniversário é dia 14 de junho", "14 de junho"),
        ("faço anos a 14 de junho", "14 de junho"),
        ("il mio compleanno è il 14 giugno", "14 giugno"),
        ("compio gli anni l'8 giugno", "8 giugno"),
        ("mijn verjaardag is op 14 juni", "14 juni"),
        ("ik ben op 14 juni jarig", "14 juni"),
        ("Mam urodziny 14 czerwca", "14 czerwca"),
        ("Moje urodziny są 3 maja.", "3 maja"),
        ("Мой день рождения 14 июня", "14 июня"),
        ("Мой день рождения — 3 мая", "3 мая"),
        ("у меня день рождения 14 июня", "14 июня"),
        ("doğum günüm 14 Haziran", "14 Haziran"),
        ("Doğum günüm 14 Haziran'da", "14 Haziran"),
        ("私の誕生日は6月14日です", "6月14日"),
        ("我的生日是6月14日", "6月14日"),
        ("我生日在6月14号", "6月14号"),
        ("제 생일은 6월 14일이에요", "6월 14일"),
        ("誕生日は 11 月 12 日です", "11 月 12 日"),
        ("我的生日是 11 月 12 日", "11 月 12 日"),
        ("제 생일은 11 월 12 일이에요", "11 월 12 일"),
    ] {
        assert_eq!(said(text), [format!("Ana's birthday is {day}.")], "{text}");
    }
    for text in [
        "мой день рождения был в июне",
        "mam urodziny niedługo",
        "mi cumple es pronto",
        "mam urodziny w maju i zapraszam 20 osób",
    ] {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn m5_apostrophes_are_not_needed() {
    for (text, fact) in [
        ("im allergic to nuts", "Ana is allergic to nuts."),
        ("my cats name is Miso", "Ana's cat is called Miso."),
        ("my b-day is 3 May", "Ana's birthday is 3 May."),
        ("my bday is 3 May", "Ana's birthday is 3 May."),
        ("Im from Ghent", "Ana is from Ghent."),
        ("ive moved to Ghent", "Ana lives in Ghent."),
        ("i dont live in Ghent any more", "no longer home: Ghent"),
        ("im vegan", "Ana is vegan."),
        ("my names Noor", "Ana goes by Noor."),
        ("je mappelle Noor", "Ana goes by Noor."),
        ("jhabite à Lyon", "Ana lives in Lyon."),
        ("j habite à Lyon", "Ana lives in Lyon."),
        ("ma sœur sappelle Noor", "Ana's sister is called Noor."),
        ("sono allergica alle noci", "Ana is allergic to noci."),
        ("il mio compleanno e il 3 maggio", "Ana's birthday is 3 maggio."),
    ] {
        assert_eq!(said(text), [fact], "{text}");
    }
    assert_eq!(said("my parents called Ben"), Vec::<String>::new());
    assert_eq!(said("my names are long"), Vec::<String>::new());
}

#[test]
fn m5_a_place_ends_before_since_when_and_with_whom() {
    for (text, place) in [
        ("I moved to Bruges last week", "Bruges"),
        ("I moved to Lyon yesterday", "Lyon"),
        ("I moved to Lyon in 2019", "Lyon"),
        ("I moved to Lyon in March", "Lyon"),
        ("I moved to Rome this morning", "Rome"),
        ("I moved to Bruges 2 weeks ago", "Bruges"),
        ("I moved to New York a couple of weeks ago", "New York"),
        ("2 weeks ago I moved to Bruges", "Bruges"),
        ("Last summer I moved to Bruges", "Bruges"),
        ("I live in Ghent with my sister Eva", "Ghent"),
        ("I live in Lyon since I was three", "Lyon"),
        ("I live in Silver Spring", "Silver Spring"),
        ("I live in Stratford on Avon", "Stratford on Avon"),
        ("I live in Houghton le Spring", "Houghton le Spring"),
        ("ich wohne in Angern an der March", "Angern an der March"),
        ("vivo en Madrid desde ayer", "Madrid"),
        ("me mudé a Madrid ayer", "Madrid"),
        ("me mudé a Madrid la semana pasada", "Madrid"),
        ("vivo en Lima desde 2010", "Lima"),
        ("vivo en Lima con mi hermana", "Lima"),
        ("ich wohne in Köln bei meiner Mutter", "Köln"),
        ("ich wohne in Köln seit 2010", "Köln"),
        ("ich bin letzte Woche nach Mainz gezogen", "Mainz"),
        ("ich bin vor zwei Wochen nach Mainz gezogen", "Mainz"),
        ("j'habite à Lyon depuis deux ans", "Lyon"),
        ("j'ai déménagé à Lyon il y a deux ans", "Lyon"),
        ("j'habite à Lyon chez ma sœur", "Lyon"),
        ("mi sono trasferito a Roma due anni fa", "Roma"),
        ("ik woon in Gent bij mijn zus", "Gent"),
        ("mieszkam w Krakowie od dwóch lat", "Krakowie"),
        ("eu moro em Lisboa há dois anos", "Lisboa"),
        ("я живу в Москве с мамой", "Москве"),
        ("昨日大阪に引っ越しました", "大阪"),
        ("先週大阪に引っ越しました", "大阪"),
        ("2019年に大阪に引っ越した", "大阪"),
        ("어제 서울로 이사했어요", "서울"),
        ("Geçen hafta Ankara'ya taşındım", "Ankara"),
        ("我住在上海三年了", "上海"),
        ("我去年搬到了上海", "上海"),
    ] {
        assert_eq!(said(text), [format!("Ana lives in {place}.")], "{text}");
    }
    assert_eq!(
        said("I moved to Bruges last week and my cat is called Miso"),
        ["Ana lives in Bruges.", "Ana's cat is called Miso."]
    );
}

#[test]
fn m5_a_time_or_somebody_beside_them_hides_no_place() {
    for (text, place) in [
        ("Last summer, I moved to Ghent.", "Ghent"),
        ("Two years ago, I moved to Ghent", "Ghent"),
        ("In 2019, I moved to Ghent", "Ghent"),
        ("Since 2019, I live in Ghent", "Ghent"),
        ("In two weeks I live in Ghent", ""),
        ("Next year, I live in Ghent", ""),
        ("The day I moved to Ghent was cold", ""),
        ("The last time I moved to Ghent it rained", ""),
        ("I moved with my sister to Ghent", "Ghent"),
        ("Last summer, I moved with Eva to Ghent", "Ghent"),
        ("I live with my little sister in Ghent", "Ghent"),
        ("I live with Ben and he works in Ghent", ""),
        ("I live with my sister in winter", ""),
        ("ich wohne mit meiner Schwester in Gent", "Gent"),
        ("ich bin letzten Sommer mit meiner Schwester nach Gent gezogen", "Gent"),
        ("Letzten Sommer bin ich nach Gent gezogen", "Gent"),
        ("ich lebe mit meinem Mann in Scheidung", ""),
        ("L'été dernier, j'ai déménagé à Lyon", "Lyon"),
        ("La semaine dernière, j'ai déménagé à Lyon", "Lyon"),
        ("Depuis deux ans, j'habite à Lyon", "Lyon"),
        ("j'habite avec ma sœur à Lyon", "Lyon"),
        ("El verano pasado, me mudé a Madrid", "Madrid"),
        ("Hace dos años me mudé a Madrid", "Madrid"),
        ("me mudé con mi hermana a Madrid", "Madrid"),
        ("vivo con mi hermana en Madrid", "Madrid"),
        ("No ano passado, me mudei para Lisboa", "Lisboa"),
        ("moro com minha irmã em Lisboa", "Lisboa"),
        ("Due anni fa, mi sono trasferito a Roma", "Roma"),
        ("L'estate scorsa mi sono trasferita con mia sorella a Roma", "Roma"),
        ("vivo con mia sorella a Roma", "Roma"),
        ("Vorige zomer ben ik naar Gent verhuisd", "Gent"),
        ("ik woon met mijn zus in Gent", "Gent"),
        ("W zeszłym roku przeprowadziłam się do Krakowa", "Krakowa"),
        ("mieszkam z siostrą w Krakowie", "Krakowie"),
        ("В прошлом году, я переехала в Москву", "Москву"),
        ("я живу с моей сестрой в Москве", "Москве"),
        ("Geçen yaz, Ankara'ya taşındım", "Ankara"),
        ("Kız kardeşimle Ankara'ya taşındım", "Ankara"),
        ("妹とゲントに引っ越した", "ゲント"),
        ("去年、大阪に引っ越しました", "大阪"),
        ("去年、妹と一緒に大阪に引っ越しました", "大阪"),
        ("妹と大阪に住んでいます", "大阪"),
        ("妹は友達と大阪に住んでいます", ""),
        ("やまと市に住んでいます", "やまと市"),
        ("去年，我搬到了上海", "上海"),
        ("我和妹妹搬到了上海", "上海"),
        ("我跟你说妹妹住在上海", ""),
        ("작년에, 서울로 이사했어요", "서울"),
        ("여동생이랑 서울로 이사했어요", "서울"),
        ("피곤해요, 서울에 살아요", ""),
    ] {
        let facts = (!place.is_empty()).then(|| format!("Ana lives in {place}."));
        assert_eq!(said(text), facts.into_iter().collect::<Vec<_>>(), "{text}");
    }
    assert_eq!(
        said("Last summer, I moved to Ghent and my cat is called Miso"),
        ["Ana lives in Ghent.", "Ana's cat is called Miso."]
    );
}

#[test]
fn m5_a_greeting_hides_nothing_in_any_language() {
    let rows: Vec<(&str, Vec<&str>)> = vec![
        ("Hi! I'm Ana, I have a dog called Rex", vec!["Ana goes by Ana.", "Ana's dog is called Rex."]),
        (
            "hey everyone 👋 I'm Ana and I have a cat named Mimi",
            vec!["Ana goes by Ana.", "Ana's cat is called Mimi."],
        ),
        ("lol wow, I've got a little brother whose name is Sam", vec!["Ana's little brother is called Sam."]),
        (
            "Hallo, ich heiße Noor, ich habe einen Hund, der Rex heißt",
            vec!["Ana goes by Noor.", "Ana's dog is called Rex."],
        ),
        (
            "Moin zusammen! Ich bin Noor und ich habe eine Katze namens Mimi",
            vec!["Ana's cat is called Mimi."],
        ),
        (
            "Bonjour à tous, je m'appelle Noor et j'ai un chien qui s'appelle Rex",
            vec!["Ana goes by Noor.", "Ana's dog is called Rex."],
        ),
        ("¡Hola! Soy Noor, tengo un perro que se llama Rex", vec!["Ana's dog is called Rex."]),
        ("Oi gente, eu sou a Noor, tenho um gato chamado Mimi", vec!["Ana's cat is called Mimi."]),
        (
            "Ciao a tutti! Mi chiamo Noor e ho un cane di nome Rex",
            vec!["Ana goes by Noor.", "Ana's dog is called Rex."],
        ),
        (
            "Hoi allemaal, ik heet Noor en ik heb een hond die Rex heet",
            vec!["Ana goes by Noor.", "Ana's dog is called Rex."],
        ),
        ("Cześć, jestem Noor, mam psa o imieniu Rex", vec!["Ana's dog is called Rex."]),
        (
            "Привет всем! Меня зовут Нур, у меня есть собака по кличке Рекс",
            vec!["Ana goes by Нур.", "Ana's dog is called Рекс."],
        ),
        (
            "Merhaba, benim adım Noor. Rex adında bir köpeğim var",
            vec!["Ana goes by Noor.", "Ana's dog is called Rex."],
        ),
        (
            "こんにちは、名前はアナです。ポチという犬を飼っています",
            vec!["Ana goes by アナ.", "Ana's dog is called ポチ."],
        ),
        ("大家好，我叫小明，我养了一只狗叫旺财", vec!["Ana goes by 小明.", "Ana's dog is called 旺财."]),
        (
            "안녕하세요, 저는 민수라고 해요. 뽀삐라는 강아지를 키워요",
            vec!["Ana goes by 민수.", "Ana's dog is called 뽀삐."],
        ),
        // What is had is not always of a name, nor one's own.
        ("hi, my friend has a dog called Rex", vec![]),
        ("I wish I had a dog called Rex", vec![]),
        ("I have a friend whose dog is called Rex", vec![]),
        ("hello Ana, I have a dog", vec![]),
        ("tengo un perro que se llama Rex", vec!["Ana's dog is called Rex."]),
    ];
    let wrong: Vec<_> = rows
        .into_iter()
        .map(|(text, facts)| (text, facts, said(text)))
        .filter(|(_, facts, read)| facts != read)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn m5_what_stands_behind_what_is_not_plain_is_not_taken() {
    for text in [
        "she said she is Ben and I live in Ghent",
        "I wish I was older and I live in Ghent",
        "I dreamt that my name is Ben and I live in Ghent",
        "I'm Ana",
        "I'm Kidding and I hate mondays",
        "I'm not Ana, I live in Ghent",
        "if my name is Ana and I live in Ghent, so be it",
    ] {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

/// Something plain about oneself, and the fact it is.
fn thing() -> impl Strategy<Value = (String, String)> {
    let word = || "Q[a-z]{3,6}";
    prop_oneof![
        word().prop_map(|v| (format!("my name is {v}"), format!("Ana goes by {v}."))),
        word().prop_map(|v| (format!("I live in X{v}"), format!("Ana lives in X{v}."))),
        word().prop_map(|v| (format!("my cat is called {v}"), format!("Ana's cat is called {v}."))),
        "[a-z]{4,8}s".prop_map(|v| (format!("I'm allergic to x{v}"), format!("Ana is allergic to x{v}."))),
        "[a-z]{4,8}".prop_map(|v| (format!("I work as a x{v}"), format!("Ana works as a x{v}."))),
    ]
}

proptest! {
    #[test]
    fn m5_no_fact_is_read_that_was_not_said(
        things in proptest::collection::vec((thing(), prop::sample::select(vec![", ", " and ", ", and ", "; "])), 1..6),
        other in prop::sample::select(vec!["", "I hate mondays", "she says ", "if ", "I think my boss thinks "]),
        at in 0_usize..6,
    ) {
        let at = at.min(things.len());
        let (mut text, mut facts, mut is_plain) = (String::new(), Vec::new(), true);
        for (number, ((words, fact), seam)) in things.iter().enumerate() {
            if number > 0 {
                text.push_str(seam);
            }
            if number == at && !other.is_empty() {
                text.push_str(other);
                // A whole thing of its own, or the beginning of somebody else's words.
                if !other.ends_with(' ') {
                    text.push_str(seam);
                }
                is_plain = false;
            }
            text.push_str(words);
            if is_plain {
                facts.push(fact.clone());
            }
        }
        let read = said(&text);
        prop_assert!(read.iter().all(|fact| facts.contains(fact)), "{} {:?}", text, read);
        if is_plain {
            prop_assert_eq!(read, facts, "{}", text);
        }
    }
}

/// Of each language: who is called so is whoever speaks, something of theirs, or nobody of whom anything is known.
#[test]
fn whose_name_it_is_is_said_in_every_language() {
    for (text, fact) in [
        ("call me Noor", "Ana goes by Noor."),
        ("my dog is called Rex", "Ana's dog is called Rex."),
        ("this is called tofu", ""),
        ("ich heiße Noor", "Ana goes by Noor."),
        ("mein Hund heißt Rex", "Ana's dog is called Rex."),
        ("das heißt Tofu", ""),
        ("je m'appelle Noor", "Ana goes by Noor."),
        ("mon chien s'appelle Rex", "Ana's dog is called Rex."),
        ("ça s'appelle Tofu", ""),
        ("me llamo Noor", "Ana goes by Noor."),
        ("mi perro se llama Rex", "Ana's dog is called Rex."),
        ("esto se llama Tofu", ""),
        ("me chamo Noor", "Ana goes by Noor."),
        ("o meu cachorro se chama Rex", "Ana's dog is called Rex."),
        ("isso se chama Tofu", ""),
        ("mi chiamo Noor", "Ana goes by Noor."),
        ("il mio cane si chiama Rex", "Ana's dog is called Rex."),
        ("questo si chiama Tofu", ""),
        ("ik heet Noor", "Ana goes by Noor."),
        ("mijn hond heet Rex", "Ana's dog is called Rex."),
        ("dit heet Tofu", ""),
        ("nazywam się Noor", "Ana goes by Noor."),
        ("mój pies wabi się Reks", "Ana's dog is called Reks."),
        ("to nazywa się Tofu", ""),
        ("меня зовут Нур", "Ana goes by Нур."),
        ("мою собаку зовут Рекс", "Ana's dog is called Рекс."),
        ("это называется Тофу", ""),
        ("benim adım Noor", "Ana goes by Noor."),
        ("köpeğimin adı Karabaş", "Ana's dog is called Karabaş."),
        ("bunun adı Tofu", ""),
        ("adamın adı Ali", ""),
        ("filmin adı Matrix", ""),
        ("僕は健といいます", "Ana goes by 健."),
        ("わたしははなと申します", "Ana goes by はな."),
        ("ともこといいます", "Ana goes by ともこ."),
        ("僕の犬はポチといいます", "Ana's dog is called ポチ."),
        ("うちの猫はタマといいます", "Ana's cat is called タマ."),
        ("母は佐藤といいます", "Ana's mother is called 佐藤."),
        ("わたしの猫の名前はタマです", "Ana's cat is called タマ."),
        ("これは豆腐といいます", ""),
        ("日本語で豆腐といいます", ""),
        ("僕の国では豆腐といいます", ""),
        ("彼の猫の名前はタマです", ""),
        ("この駅の名前は上野です", ""),
        ("妹は東京に住んでいます", ""),
        ("妹はナッツアレルギーです", ""),
        ("我叫小明", "Ana goes by 小明."),
        ("我叫小明，今年二十岁", "Ana goes by 小明."),
        ("我的狗叫旺财", "Ana's dog is called 旺财."),
        ("我妈叫王芳", "Ana's mother is called 王芳."),
        ("这叫豆腐", ""),
        ("我们叫豆腐", ""),
        ("我不叫小明", ""),
        ("我叫小明去吃饭", ""),
        ("저는 민수라고 해요", "Ana goes by 민수."),
        ("우리 강아지는 뽀삐라고 해요", "Ana's dog is called 뽀삐."),
        ("이건 두부라고 해요", ""),
        ("저는 이걸 두부라고 해요", ""),
        ("우리 말로는 두부라고 해요", ""),
        ("동생은 서울에 살아요", ""),
        // A word is whose it is in the language that is spoken, and not in another.
        ("mia madre si chiama Rosa", "Ana's mother is called Rosa."),
        ("我妹叫王芳", "Ana's sister is called 王芳."),
        ("我娘叫王芳", ""),
        ("mon patron s'appelle Luc", "Ana's boss is called Luc."),
        ("mein Patron heißt Luc", "Ana's patron is called Luc."),
        ("mein Freund und Chef heißt Tom", ""),
        ("my grandma is called Rose", "Ana's grandmother is called Rose."),
        ("my great grandma is called Rose", "Ana's great-grandmother is called Rose."),
        ("my granny flat is called Rose", "Ana's granny flat is called Rose."),
        ("ma grand-mère s'appelle Rose", "Ana's grandmother is called Rose."),
        ("mi primo hermano se llama Luis", "Ana's cousin is called Luis."),
        ("la mia prima macchina si chiama Bianca", "Ana's prima macchina is called Bianca."),
        ("a minha avó se chama Rosa", "Ana's grandmother is called Rosa."),
        ("mijn neef heet Tom", "Ana's neef is called Tom."),
        ("моего двоюродного брата зовут Пётр", "Ana's cousin is called Пётр."),
        ("мою двоюродную бабушку зовут Анна", "Ana's great-aunt is called Анна."),
        ("babaannemin adı Ayşe", "Ana's grandmother is called Ayşe."),
        ("祖母は佐藤といいます", "Ana's grandmother is called 佐藤."),
        ("我表哥叫王芳", "Ana's cousin is called 王芳."),
        ("우리 할머니는 순자라고 해요", "Ana's grandmother is called 순자."),
        ("teyzemin adı Ayşe", "Ana's aunt is called Ayşe."),
        ("dayımın adı Ali", "Ana's uncle is called Ali."),
        ("my mama is called Rosa", "Ana's mother is called Rosa."),
        ("my papa is called Ben", "Ana's father is called Ben."),
        ("il mio papà si chiama Luca", "Ana's father is called Luca."),
        ("minha mamãe se chama Rosa", "Ana's mother is called Rosa."),
        ("meine Ex Frau heißt Lena", "Ana's ex-wife is called Lena."),
        ("ma belle mère s'appelle Rose", "Ana's belle-mère is called Rose."),
        ("mon petit ami s'appelle Luc", "Ana's boyfriend is called Luc."),
        ("mi ex mujer se llama Rosa", "Ana's ex-wife is called Rosa."),
        ("mi tía abuela se llama Rosa", "Ana's great-aunt is called Rosa."),
        ("minha ex esposa se chama Rosa", "Ana's ex-wife is called Rosa."),
        ("il mio ex marito si chiama Luca", "Ana's ex-husband is called Luca."),
        ("mijn ex man heet Tom", "Ana's ex-husband is called Tom."),
        ("moja matka chrzestna nazywa się Anna", "Ana's godmother is called Anna."),
        ("mój brat cioteczny nazywa się Jan", "Ana's cousin is called Jan."),
        ("мою крёстную маму зовут Анна", "Ana's godmother is called Анна."),
        ("мою бывшую жену зовут Анна", "Ana's ex-wife is called Анна."),
        ("моего троюродного брата зовут Пётр", "Ana's second cousin is called Пётр."),
        ("benim üvey annemin adı Ayşe", "Ana's stepmother is called Ayşe."),
        ("kız arkadaşımın adı Zeynep", "Ana's girlfriend is called Zeynep."),
        ("義理の母は佐藤といいます", "Ana's mother-in-law is called 佐藤."),
        ("我干妈叫王芳", "Ana's godmother is called 王芳."),
        ("제 남자 친구는 민수라고 해요", "Ana's boyfriend is called 민수."),
        ("mi ópera prima se llama Luz", "Ana's debut is called Luz."),
        ("minha obra prima se chama Aurora", "Ana's masterpiece is called Aurora."),
        ("mon arrière grand père s'appelle Luc", "Ana's great-grandfather is called Luc."),
    ] {
        let expected: Vec<&str> = (!fact.is_empty()).then_some(fact).into_iter().collect();
        assert_eq!(said(text), expected, "{text}");
    }
}

#[test]
fn what_is_not_plain_is_left_to_a_model() {
    for text in [
        "do you remember that night?",
        "call me maybe",
        "call me later",
        "I live in fear",
        "I live in a house",
        "If I live in Ghent one day",
        "my birthday is soon",
        "I'm from there",
        "my sister is annoying",
        "> I live in Ghent",
        "he said \"my name is Ben\"",
        "is my name is Ben a sentence?",
        "I don't know where I live",
        "my name is {{char}}",
        "I hate mondays",
        "vivo en paz",
        "je suis de retour",
        "私は学生です",
        "我叫他来",
    ] {
        assert_eq!(said(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_there_is_only_one_of_has_a_slot() {
    let slot = |text: &str| statements(&message_sentences(text)[0]).remove(0).slot;
    assert_eq!(slot("I moved to Bruges").as_deref(), Some("home"));
    assert_eq!(slot("my favorite ice cream is lemon").as_deref(), Some("favourite-ice-cream"));
    assert_eq!(slot("I'm allergic to nuts"), None);
}
