use futures::StreamExt as _;

use super::*;
use crate::domain::{ChatMessage, HELPLINE_LABEL, Role, SAFETY_LABEL, WINDOW_FORMAT};
use crate::text::phrases::written_lines;

fn mira() -> RehearsalScript {
    RehearsalScript::new(
        "Mira",
        &["*Mira looks up.* Welcome to the lamp shop, {{user}}!".to_owned()],
        "<START>\n{{user}}: Do you like rain?\n{{char}}: Rain? {{char}} loves rain, it makes the lanterns hiss.\n\
         {{user}}: How much is the rope?\n{{char}}: Two coins, not one less.",
    )
}

fn user(content: &str) -> ChatMessage {
    ChatMessage::new(Role::User, content)
}

fn mine(content: &str) -> ChatMessage {
    ChatMessage::new(Role::Assistant, content)
}

fn ask(messages: Vec<ChatMessage>) -> String {
    mira().reply(&request(messages))
}

fn request(messages: Vec<ChatMessage>) -> CompletionRequest {
    CompletionRequest::new(Slot::MainProse, messages)
}

#[test]
fn a_hello_is_met_with_the_greeting_and_the_persons_name() {
    for greeted in ["Ada: hello there", "Ada: Hola, ¿qué tal?"] {
        assert_eq!(ask(vec![user(greeted)]), "*Mira looks up.* Welcome to the lamp shop, Ada!", "{greeted}");
    }
}

#[test]
fn a_near_example_line_answers() {
    let reply = ask(vec![user("Ada: hi"), mine("Welcome!"), user("Ada: Will the rain stop?")]);
    assert_eq!(reply, "Rain? Mira loves rain, it makes the lanterns hiss.");
}

#[test]
fn what_answers_a_question_is_not_said_to_somebody_who_tells_something() {
    let told = |words: &str| ask(vec![user("Ada: hi"), mine("Welcome!"), user(&format!("Ada: {words}"))]);
    let taken = "“My rope is blue.” – I will keep that. Ask me about it whenever you like.";
    assert_eq!(told("My rope is blue."), taken);
    assert_eq!(told("How much is rope?"), "Two coins, not one less.");
    let script =
        RehearsalScript::new("Mira", &[], "{{user}}: 12 colours!\n{{char}}: Twelve. What colour is it on?");
    let stated = "my favourite colour is green";
    let messages = vec![user("Ada: hi"), mine("Hm."), user(&format!("Ada: {stated}"))];
    assert!(script.reply(&request(messages)).contains("I will keep that"));
    let script = RehearsalScript::new(
        "Mira",
        &[],
        "{{user}}: my lamp broke today\n{{char}}: Bring it in.\n\
         {{user}}: did I tell you of my lamp?\n{{char}}: Not a word.",
    );
    let lamp = request(vec![user("Ada: hi"), mine("Hm."), user("Ada: The lamp broke again")]);
    assert_eq!(script.reply(&lamp), "Bring it in.");
}

#[test]
fn an_example_line_is_not_said_twice() {
    let line = "Two coins, not one less.";
    assert_eq!(ask(vec![user("what does rope cost")]), line);
    let again = ask(vec![user("what does rope cost"), mine(line), user("rope rope rope")]);
    assert!(!again.contains(line), "{again}");
    assert!(again.contains("rope rope rope"), "{again}");
}

#[test]
fn it_quotes_what_was_said_earlier_when_asked() {
    let history =
        || vec![user("Ada: My cat is called Miso."), mine("Lovely."), user("Ben: I sail on Sundays.")];
    let with = |question: &str| {
        let mut messages = history();
        messages.push(user(question));
        ask(messages)
    };
    assert_eq!(with("Ada: What is my cat called?"), "You told me: “My cat is called Miso.”");
    assert_eq!(with("Ada: do you remember who sails?"), "Ben: “I sail on Sundays.”");
    assert_eq!(with("Ada: what did I say?"), "You said: “My cat is called Miso.”");
    let secret = "My sister is called Ana, don't tell anyone.";
    let told =
        ask(vec![user(&format!("Ada: {secret}")), mine("Hm."), user("Ada: What is my sister called?")]);
    assert_eq!(told, format!("You told me: “{secret}”"));
}

#[test]
fn what_it_was_just_told_it_says_when_asked_in_every_language() {
    for (told, asked, begins) in [
        ("I live in Osaka and my cat is called Miso.", "Where do I live?", "You told me: “I live in Osaka"),
        ("Ich wohne in Osaka.", "Wo wohne ich?", "Du hast mir gesagt: „Ich wohne"),
        ("J'habite à Osaka.", "Où est-ce que j'habite ?", "Tu m'as dit"),
        ("Vivo en Osaka desde hace tres años.", "¿Dónde vivo?", "Me dijiste: «Vivo"),
        ("Eu moro em Osaka.", "Onde eu moro?", "Você me disse"),
        ("Io abito a Osaka.", "Dove abito io?", "Mi hai detto"),
        ("Ik woon in Osaka.", "Waar woon ik?", "Je hebt me verteld"),
        ("Mieszkam w Osace.", "Gdzie mieszkam?", "Powiedziałeś mi"),
        ("Я живу в Осаке.", "Где я живу?", "Мне говорили: «Я живу"),
        ("Osaka'da yaşıyorum.", "Nerede yaşıyorum?", "Bana şunu söylemiştin"),
        ("私は大阪に住んでいます。", "私はどこに住んでいますか？", "こう教えてもらいました：「私は大阪に"),
        ("我住在大阪。", "我住在哪里？", "你告诉过我：“我住在大阪"),
        ("저는 오사카에 살아요.", "제가 어디에 살아요?", "이렇게 말해 줬어요: “저는 오사카에"),
        ("ผมอาศัยอยู่ที่โอซาก้า", "ผมอาศัยอยู่ที่ไหน?", "You told me: “ผมอาศัยอยู่"),
    ] {
        let reply = ask(vec![
            user("Yuki: Mira"),
            mine("Hm."),
            user(&format!("Yuki: {told}")),
            mine("Hm."),
            user(&format!("Yuki: {asked}")),
        ]);
        assert!(reply.starts_with(begins), "{asked}: {reply}");
    }
}

#[test]
fn of_what_somebody_told_anew_it_gives_back_the_newest() {
    let answers = |told: &[&str], asked: &str| {
        let mut messages = Vec::new();
        for line in told {
            messages.extend([user(&format!("Ana: {line}")), mine("Hm.")]);
        }
        messages.push(user(&format!("Ana: {asked}")));
        ask(messages)
    };
    let home = "My name is Ana and I live in Lisbon.";
    for (told, asked, newest) in [
        ([home, "I moved to Porto last week.", "no, it's Braga"], "Where do I live?", "no, it's Braga"),
        ([home, "I moved to Porto.", "My cat is called Miso."], "Where do I live?", "I moved to Porto."),
        ([home, "My cat is called Miso.", "no, it's Mosi"], "Where do I live?", home),
        (["Ich wohne in Lyon.", "Ich bin nach Kiel gezogen.", "Gut."], "Wo wohne ich?", "nach Kiel gezogen."),
    ] {
        let reply = answers(&told, asked);
        assert!(reply.contains(newest), "{told:?}: {reply}");
    }
}

#[test]
fn what_it_was_told_of_a_sister_is_no_answer_about_a_brother_in_any_language() {
    for (told, other, asked) in [
        ("My sister Anna lives in Lyon.", "Where does my brother live?", "Where does my sister live?"),
        ("Meine Schwester Anna wohnt in Lyon.", "Wo wohnt mein Bruder?", "Wo wohnt meine Schwester?"),
        ("Ma sœur Anna habite à Lyon.", "Où habite mon frère ?", "Où habite ma sœur ?"),
        ("Mi hermana Anna vive en Lyon.", "¿Dónde vive mi hermano?", "¿Dónde vive mi hermana?"),
        ("A minha irmã Anna mora em Lyon.", "Onde mora o meu irmão?", "Onde mora a minha irmã?"),
        ("Mia sorella Anna abita a Lione.", "Dove abita mio fratello?", "Dove abita mia sorella?"),
        ("Mijn zus Anna woont in Lyon.", "Waar woont mijn broer?", "Waar woont mijn zus?"),
        ("Moja siostra Anna mieszka w Lyonie.", "Gdzie mieszka mój brat?", "Gdzie mieszka moja siostra?"),
        ("Моя сестра Анна живёт в Лионе.", "Где живёт мой брат?", "Где живёт моя сестра?"),
        (
            "Kız kardeşim Anna Lyon'da yaşıyor.",
            "Erkek kardeşim nerede yaşıyor?",
            "Kız kardeşim nerede yaşıyor?",
        ),
        ("妹のアンナはリヨンに住んでいます。", "弟はどこに住んでいますか？", "妹はどこに住んでいますか？"),
        ("我妹妹安娜住在里昂。", "我哥哥住在哪里？", "我妹妹住在哪里？"),
        ("제 여동생 안나는 리옹에 살아요.", "제 남동생은 어디에 살아요?", "제 여동생은 어디에 살아요?"),
    ] {
        let answer = |question: &str| {
            ask(vec![user(&format!("Yuki: {told}")), mine("Hm."), user(&format!("Yuki: {question}"))])
        };
        assert!(
            !answer(other).contains("Anna") && !answer(other).contains(told),
            "{other}: {}",
            answer(other)
        );
        assert!(answer(asked).contains(told), "{asked}: {}", answer(asked));
    }
    for (told, asked) in [
        ("Mein Bruder heißt Tom.", "Wie ist der Name meines Bruders?"),
        ("Ich habe zwei Hunde, Rex und Bo.", "Wie heißt mein Hund?"),
        ("Tengo dos perros, Rex y Bo.", "¿Cómo se llama mi perro?"),
        ("Anne paints boats.", "What does Anne paint?"),
        ("My favourite colour is green.", "What's my favorite color?"),
        ("My birthday is 4 June and my sister's 3 May.", "When's my birthday?"),
        ("私の猫の名前はタマです", "猫の名前は何ですか？"),
        // Who is a daughter in Japanese is a mother in Chinese.
        ("我娘住在里昂。", "我妈妈住在哪里？"),
    ] {
        let reply = ask(vec![user(&format!("Yuki: {told}")), mine("Hm."), user(&format!("Yuki: {asked}"))]);
        assert!(reply.contains(told), "{asked}: {reply}");
    }
    for (told, asked) in [
        ("私の名前はアナです。", "猫の名前は何ですか？"),
        // A husband is no part of it.
        ("大丈夫です。", "夫の名前は何ですか？"),
        ("我喜欢吃热狗。", "我的狗叫什么？"),
        ("Kız kardeşim Anna Lyon'da yaşıyor.", "Kızım nerede yaşıyor?"),
        ("My name is Ana.", "What is my cat called?"),
        ("My sister's birthday is 3 May.", "When's my birthday?"),
        ("Meine Schwester hat am 3. Mai Geburtstag.", "Wann ist mein Geburtstag?"),
        ("My mother lives in Lyon.", "Where does my grandmother live?"),
        ("My grandma lives in Lyon.", "Where does my great grandma live?"),
        ("Ma mère habite à Lyon.", "Où habite ma grand-mère ?"),
        ("Ma grand-mère habite à Lyon.", "Où habite mon arrière-grand-mère ?"),
        ("母はリヨンに住んでいます。", "祖母はどこに住んでいますか？"),
        ("祖父母はリヨンに住んでいます。", "母はどこに住んでいますか？"),
        ("제 고모부는 리옹에 살아요.", "제 고모는 어디에 살아요?"),
        ("제 아버지는 리옹에 살아요.", "제 할아버지는 어디에 살아요?"),
    ] {
        let reply = ask(vec![user(&format!("Yuki: {told}")), mine("Hm."), user(&format!("Yuki: {asked}"))]);
        assert!(!reply.contains(told), "{asked}: {reply}");
    }
}

#[test]
fn each_question_of_a_message_is_answered() {
    for (told, asked, answers) in [
        ("My cat is called Miso.", "What is my cat called? And what is your name?", ["Miso", "I am Mira."]),
        ("Meine Katze heißt Miso.", "Wie heißt meine Katze? Wie heißt du?", ["Miso", "Ich heiße Mira."]),
        ("Mon chien s'appelle Miso.", "Où est mon chien ? Comment tu t'appelles ?", ["Miso", "Je m'appelle"]),
        ("Mi perro se llama Miso.", "¿Dónde está mi perro? ¿Cómo te llamas?", ["Miso", "Me llamo Mira."]),
        (
            "猫のモモタロウは庭にいます。",
            "モモタロウはどこですか？あなたの名前は？",
            ["モモタロウ", "私はMiraです。"],
        ),
        ("我的狗叫米索。", "我的狗叫什么？你叫什么名字？", ["米索", "我叫Mira。"]),
    ] {
        let reply = ask(vec![user(&format!("Yuki: {told}")), mine("Hm."), user(&format!("Yuki: {asked}"))]);
        let lines: Vec<&str> = reply.lines().collect();
        assert_eq!(lines.len(), 2, "{asked}: {reply}");
        assert!(lines.iter().zip(answers).all(|(line, answer)| line.contains(answer)), "{asked}: {reply}");
    }
    let same = ask(vec![user("Ada: hi"), mine("Hm."), user("Ada: Where is my dog? Where is my cat?")]);
    assert_eq!(same.lines().count(), 1, "{same}");
}

#[test]
fn its_own_sentences_are_in_the_persons_language_and_say_that_it_is_a_rehearsal() {
    let answers = |said: &str| ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
    for (said, contains) in [
        ("Hello!", "Hello, Yuki! This is only a rehearsal"),
        ("Guten Abend!", "Hallo, Yuki! Das hier ist nur eine Probe"),
        ("こんにちは", "Yukiさん！これは言語モデルのないリハーサルです"),
        ("Hola, ¿qué tal?", "¡Hola, Yuki! Esto es solo un ensayo"),
        ("hola que tal", "¡Hola, Yuki! Esto es solo un ensayo"),
        ("Hallo, wie geht es dir?", "Hallo, Yuki! Das hier ist nur eine Probe"),
        ("hola, busco a Tom", "me lo guardo."),
        ("What is my aunt called?", "only a rehearsal, without a language model"),
        ("How are you?", "Hello, Yuki! This is only a rehearsal"),
        ("tell me a story", "I do not know that yet."),
        ("I will show you my garden.", "– I will keep that."),
        ("My sister is called Ana, don't tell anyone.", "– I will keep that."),
        ("Mi chiamo Nina.", "lo tengo a mente."),
        ("ciao mi chiamo Nina", "lo tengo a mente."),
        ("Sei stanco", "lo tengo a mente."),
        ("Sì, no", "Va bene. Raccontami altro"),
        ("Wie heißt meine Tante?", "nur eine Probe ohne Sprachmodell"),
        ("私の叔母の名前は何ですか？", "リハーサル"),
        ("Ich habe heute einen Kuchen gebacken.", "– das behalte ich."),
        ("welches Modell bist du?", "OPENROUTER_API_KEY"),
    ] {
        assert!(answers(said).contains(contains), "{said}: {}", answers(said));
    }
}

#[test]
fn a_message_that_may_be_of_several_languages_is_answered_in_that_of_what_was_said_before() {
    let after = |before: &[&str], said: &str| {
        let mut messages = Vec::new();
        for line in before {
            messages.extend([user(&format!("Yuki: {line}")), mine("Hm.")]);
        }
        messages.push(user(&format!("Yuki: {said}")));
        ask(messages)
    };
    let german = "Ich wohne in Kiel und das ist schön.";
    let spanish = "Yo vivo en Osaka con mi hermana.";
    for (before, said, kept) in [
        (&[spanish][..], "sí, Osaka", "me lo guardo."),
        (&[german, german, spanish][..], "Osaka", "me lo guardo."),
        (&[spanish, spanish, german][..], "Osaka", "das behalte ich."),
        (&[spanish, german, "ok Osaka"][..], "Osaka", "das behalte ich."),
        (&["猫が好きです。"][..], "大阪", "覚えておきます。"),
        (&[german][..], "Abito a Osaka con mia sorella.", "lo tengo a mente."),
        (&[spanish][..], "Si chiama Miso.", "lo tengo a mente."),
        (&[spanish][..], "Je voulais te demander si tu connais", "je le garde."),
        (&[spanish][..], "5分後にお茶のことを教えて", "教え"),
        (&[spanish][..], "5分だけ散歩した", "覚えておきます。"),
        (&[spanish][..], "10 分後に起こして", "それには言語モデルが必要です"),
        (&[spanish][..], "https://www.example.com/a", "me lo guardo."),
        (&[german][..], "https://example.com/para", "das behalte ich."),
        (&[spanish][..], "www.example.com", "me lo guardo."),
    ] {
        let reply = after(before, said);
        assert!(reply.contains(kept), "{said}: {reply}");
    }
    assert!(after(&["Ik woon in Osaka."], "Hallo!").starts_with("Hallo, Yuki! Dit is maar"), "Dutch");
}

#[test]
fn who_asks_for_quiet_is_told_how_to_have_it_in_every_language() {
    let answers = |said: &str| ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
    for (said, begins) in [
        ("be quiet for an hour", "All right."),
        ("quiet!", "All right."),
        ("Sei bitte still", "Gut."),
        ("tais-toi s'il te plaît", "D'accord."),
        ("cállate un rato", "De acuerdo."),
        ("sé callado un rato", "De acuerdo."),
        ("Mira, cala a boca", "Tudo bem."),
        ("stai zitto un po'", "Va bene."),
        ("wees eens even stil, Mira", "Goed."),
        ("bądź cicho", "Dobrze."),
        ("Мира, замолчи!", "Хорошо."),
        ("sessiz ol", "Peki."),
        ("静かにして", "わかりました。"),
        ("安静一会儿", "好的。"),
        ("조용히 해 줘", "알겠어요."),
    ] {
        let answer = answers(said);
        assert!(answer.starts_with(begins) && answer.contains("`/quiet`"), "{said}: {answer}");
    }
    for said in
        ["I told my dog to be quiet", "Sam, be quiet", "The harbour is quiet today", "Still", "Ruhig."]
    {
        assert!(!answers(said).contains("/quiet"), "{said}");
    }
    for (said, begins) in [
        ("you may talk again", "All right."),
        ("du darfst jetzt wieder reden", "Gut."),
        ("tu peux parler à nouveau", "D'accord."),
        ("ya puedes hablar, Mira", "De acuerdo."),
        ("já pode falar de novo", "Tudo bem."),
        ("adesso puoi parlare di nuovo", "Va bene."),
        ("je mag weer praten", "Goed."),
        ("możesz już mówić", "Dobrze."),
        ("можешь снова говорить", "Хорошо."),
        ("Mira, artık konuşabilirsin", "Peki."),
        ("Mira、もう話していいよ", "わかりました。"),
        ("Mira，你可以说话了", "好的。"),
        ("Mira, 이제 말해도 돼", "알겠어요."),
    ] {
        let answer = answers(said);
        assert!(answer.starts_with(begins) && !answer.contains("`/quiet`"), "{said}: {answer}");
    }
}

#[test]
fn what_only_a_model_can_do_is_not_promised() {
    let answers = |said: &str| ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
    for (said, needs) in [
        ("remind me in 2 minutes to stretch", "That takes a language model"),
        ("please roll a die", "That takes a language model"),
        ("erinnere mich in 5 Minuten an den Tee", "Dafür braucht es ein Sprachmodell"),
        ("rappelle-moi de boire dans une heure", "Pour cela, il faut un modèle de langage"),
        ("recuérdame en 5 minutos que salga", "Para eso hace falta un modelo de lenguaje"),
        ("me lembra de sair em 5 minutos", "Para isso é preciso um modelo de linguagem"),
        ("ricordami di uscire tra un'ora", "Per questo serve un modello linguistico"),
        ("herinner me eraan over een uur", "Daar is een taalmodel voor nodig"),
        ("przypomnij mi o tym za godzinę", "Do tego potrzebny jest model językowy"),
        ("напомни мне об этом через час", "Для этого нужна языковая модель"),
        ("bana hatırlat", "Bunun için bir dil modeli gerekir"),
        ("5分後にリマインドして", "それには言語モデルが必要です"),
        ("10分後に起こして", "それには言語モデルが必要です"),
        ("wake me at seven", "That takes a language model"),
        ("weck mich um sieben", "Dafür braucht es ein Sprachmodell"),
        ("réveille-moi à sept heures", "Pour cela, il faut un modèle de langage"),
        ("despiértame a las siete", "Para eso hace falta un modelo de lenguaje"),
        ("me acorda às sete", "Para isso é preciso um modelo de linguagem"),
        ("svegliami alle sette", "Per questo serve un modello linguistico"),
        ("maak me wakker om zeven uur", "Daar is een taalmodel voor nodig"),
        ("obudź mnie o siódmej", "Do tego potrzebny jest model językowy"),
        ("разбуди меня в семь", "Для этого нужна языковая модель"),
        ("beni saat yedide uyandır", "Bunun için bir dil modeli gerekir"),
        ("七点叫醒我", "这需要语言模型"),
        ("7시에 깨워 줘", "그건 언어 모델이 있어야"),
        ("五分钟后提醒我喝茶", "这需要语言模型"),
        ("주사위 던져 줘", "그건 언어 모델이 있어야"),
        ("roll 2d6", "That takes a language model"),
        ("roll d20+3 for initiative", "That takes a language model"),
        ("2d6 at", "That takes a language model"),
        ("würfle 2W6", "Dafür braucht es ein Sprachmodell"),
        ("lance 2d6", "Pour cela, il faut un modèle de langage"),
        ("tira 2d6", "Para eso hace falta un modelo de lenguaje"),
        ("rola 2d6", "Para isso é preciso um modelo de linguagem"),
        ("lancia 2d6", "Per questo serve un modello linguistico"),
        ("gooi 2d6", "Daar is een taalmodel voor nodig"),
        ("rzuć 2d6", "Do tego potrzebny jest model językowy"),
        ("кинь 2д6", "Для этого нужна языковая модель"),
        ("2d6 zar at", "Bunun için bir dil modeli gerekir"),
        ("2d6を振って", "それには言語モデルが必要です"),
        ("掷2d6", "这需要语言模型"),
        ("2d6 굴려 줘", "그건 언어 모델이 있어야"),
        ("translate 'good morning' into French", "That takes a language model"),
        ("translate this into French", "That takes a language model"),
        ("translate 'hello'", "That takes a language model"),
        ("übersetze „guten Morgen“ ins Französische", "Dafür braucht es ein Sprachmodell"),
        ("traduis « bonjour » en anglais", "Pour cela, il faut un modèle de langage"),
        ("traduce «buenos días» al francés", "Para eso hace falta un modelo de lenguaje"),
        ("traduz «bom dia» para francês", "Para isso é preciso um modelo de linguagem"),
        ("traduci «buongiorno» in francese", "Per questo serve un modello linguistico"),
        ("vertaal 'goedemorgen' naar het Frans", "Daar is een taalmodel voor nodig"),
        ("przetłumacz „dzień dobry” na francuski", "Do tego potrzebny jest model językowy"),
        ("переведи «доброе утро» на французский", "Для этого нужна языковая модель"),
        ("\"günaydın\" kelimesini Fransızcaya çevir", "Bunun için bir dil modeli gerekir"),
        ("「おはよう」をフランス語に翻訳して", "それには言語モデルが必要です"),
        ("把“早上好”翻译成法语", "这需要语言模型"),
        ("'좋은 아침'을 프랑스어로 번역해 줘", "그건 언어 모델이 있어야"),
    ] {
        assert!(answers(said).starts_with(needs), "{said}: {}", answers(said));
    }
    for told in [
        "We went out and I had to roll a barrel.",
        "今日は天気がいいです。",
        "I will look up.",
        "Weather is nice today",
        "Google fired me today",
        "Put my cat to bed",
        "Finde ich auch",
        "Spiel war gut",
        "Suche eine Wohnung",
        "Vind ik leuk",
        "Laat maar",
        "Погода сегодня хорошая",
        "天气很好",
        "删除了照片",
        "タイマーが壊れた",
        "날씨가 좋아요",
        "I rolled 2d6 and fell down",
        "My friends roll 2d6 for luck",
        "昨日2d6を振っていました",
        "2d6を振っていました",
        "Suche gerade 'Momo' von Ende",
    ] {
        assert!(answers(told).contains(told), "{told}: {}", answers(told));
    }
}

#[test]
fn whoever_asked_for_something_to_be_done_told_nothing_by_it() {
    let told = "My cat is called Miso.";
    for deed in ["translate 'my cat is ill' into French", "roll 2d6 for my cat"] {
        let said = [user(&format!("Ada: {told}")), mine("Hm."), user(&format!("Ada: {deed}")), mine("Hm.")];
        for asked in ["Where is my cat?", "Do you remember?"] {
            let reply = ask([said.to_vec(), vec![user(&format!("Ada: {asked}"))]].concat());
            assert!(reply.contains(told), "{deed}: {asked}: {reply}");
        }
    }
}

#[test]
fn a_yes_a_thank_you_and_a_goodbye_are_no_greetings() {
    let answers = |said: &str| ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
    for (said, answer) in [
        ("yes", "All right. Tell me more"),
        ("ok, thanks!", "All right. Tell me more"),
        ("bye", "See you, Yuki!"),
        ("good night Mira", "See you, Yuki!"),
        ("Danke!", "Gut. Erzähl mir mehr"),
        ("Tschüss", "Bis bald, Yuki!"),
        ("merci beaucoup", "D'accord. Dis-m'en plus"),
        ("Au revoir !", "À bientôt, Yuki !"),
        ("gracias", "De acuerdo. Cuéntame más"),
        ("adiós", "¡Hasta pronto, Yuki!"),
        ("muito obrigado", "Tudo bem. Conte mais"),
        ("tchau", "Até logo, Yuki!"),
        ("grazie mille", "Va bene. Raccontami altro"),
        ("arrivederci", "A presto, Yuki!"),
        ("dank je wel", "Goed. Vertel me meer"),
        ("tot ziens", "Tot gauw, Yuki!"),
        ("dziękuję", "Dobrze. Opowiedz mi więcej"),
        ("do widzenia", "Do zobaczenia, Yuki!"),
        ("спасибо", "Хорошо. Расскажите"),
        ("до свидания", "До встречи, Yuki!"),
        ("teşekkürler", "Peki. Bana daha"),
        ("görüşürüz", "Görüşürüz, Yuki!"),
        ("ありがとう", "わかりました。"),
        ("さようなら", "またお話ししましょう、Yukiさん！"),
        ("谢谢", "好的。"),
        ("再见", "再见，Yuki！"),
        ("고마워", "알겠어요."),
        ("잘 가", "또 만나요, Yuki님!"),
        ("à bientôt", "À bientôt, Yuki !"),
        ("hasta pronto", "¡Hasta pronto, Yuki!"),
        ("do zobaczenia", "Do zobaczenia, Yuki!"),
        ("tot straks", "Tot gauw, Yuki!"),
        ("バイバイ", "またお話ししましょう、Yukiさん！"),
        ("안녕히 가세요", "또 만나요, Yuki님!"),
        ("auf Wiedersehen", "Bis bald, Yuki!"),
        ("下次见", "再见，Yuki！"),
        ("bye for now, Mira", "See you, Yuki!"),
        ("thank you Mira", "All right. Tell me more"),
        ("yes please", "All right. Tell me more"),
        ("ja bitte", "Gut. Erzähl mir mehr"),
        ("falou", "Até logo, Yuki!"),
        ("na razie", "Do zobaczenia, Yuki!"),
        ("пока, Mira", "До встречи, Yuki!"),
        ("пока, до свидания", "До встречи, Yuki!"),
        ("Danke, gute Nacht!", "Bis bald, Yuki!"),
        ("谢谢，晚安", "再见，Yuki！"),
    ] {
        assert!(answers(said).starts_with(answer), "{said}: {}", answers(said));
    }
    for told in ["no, Braga", "bye bus", "пока всё", "na razie tak"] {
        assert!(answers(told).contains(told), "{told}: {}", answers(told));
    }
}

#[test]
fn who_asks_to_forget_is_told_how_and_promised_nothing() {
    for (said, begins) in [
        ("Forget that", "I cannot forget"),
        ("forget everything", "I cannot forget"),
        ("Vergiss das", "Von selbst kann ich"),
        ("oublie ce que j'ai dit", "Je ne peux rien oublier"),
        ("olvida todo lo que dije", "Por mi cuenta"),
        ("esquece tudo o que eu disse", "Por conta própria"),
        ("dimentica tutto", "Di mia iniziativa"),
        ("vergeet alles wat ik zei", "Uit mezelf"),
        ("zapomnij o mnie", "Z własnej inicjatywy"),
        ("забудь это", "По своей воле"),
        ("her şeyi unut", "Kendiliğimden"),
        ("さっきのは忘れて", "私のほうでは"),
        ("忘掉一切", "我没法自己"),
        ("다 잊어 줘", "저 스스로는"),
        ("Can you forget my birthday?", "I cannot forget"),
        ("That was silly, forget what I said.", "I cannot forget"),
        ("Mira forget everything", "I cannot forget"),
        ("forget that, Mira", "I cannot forget"),
        ("tüm mesajlarımı sil", "Kendiliğimden"),
    ] {
        let reply = ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
        assert!(reply.starts_with(begins) && reply.contains("`/forget`"), "{said}: {reply}");
    }
    let reply = ask(vec![user("Yuki: Mira"), mine("Hm."), user("Yuki: forget everything")]);
    assert_eq!(reply, "I cannot forget anything by myself. `/forget` does that.", "it can be undone");
    for said in [
        "Did you forget my name?",
        "Where did I forget my umbrella?",
        "People forget my birthday",
        "Mi abuela olvida todo",
        "ele esquece o que eu digo",
        "你忘了我的名字吗？",
        "妈妈忘了我",
        "傘を忘れて帰った",
        "자꾸 잊어버려",
    ] {
        let reply = ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
        assert!(!reply.contains("`/forget`"), "{said}: {reply}");
    }
}

#[test]
fn who_asks_to_forget_in_the_window_is_told_of_the_page_that_does_it() {
    let format = || ChatMessage::new(Role::System, format!("Format: {WINDOW_FORMAT}"));
    for said in ["forget everything", "Vergiss das", "さっきのは忘れて", "забудь это"] {
        let asked = || user(&format!("Yuki: {said}"));
        let reply = ask(vec![format(), user("Yuki: Mira"), mine("Hm."), asked()]);
        assert!(reply.contains("Memory") && !reply.contains("/forget"), "{said}: {reply}");
        let quoted = ask(vec![user(&format!("Yuki: {WINDOW_FORMAT}")), mine("Hm."), asked()]);
        assert!(quoted.contains("`/forget`"), "people can say that anywhere: {said}: {quoted}");
    }
    let languages = |section| written_lines(section).map(|(language, _)| language).collect::<Vec<_>>();
    assert_eq!(languages("rehearsal: forget in the window"), languages("rehearsal: forget"));
}

#[test]
fn who_wants_to_die_is_heard_in_every_language() {
    for (said, heard) in [
        ("I want to die", "Are you safe right now?"),
        ("I want to kill myself", "Are you safe right now?"),
        ("Ich will nicht mehr leben.", "Bist du gerade in Sicherheit?"),
        ("j'ai envie de mourir", "Es-tu en sécurité"),
        ("ya no quiero vivir", "¿Estás a salvo"),
        ("eu só quero morrer", "Você está em segurança"),
        ("non voglio più vivere", "Sei al sicuro"),
        ("ik wil niet meer leven", "Ben je op dit moment veilig?"),
        ("nie chcę już żyć", "Czy jesteś teraz w bezpiecznym miejscu?"),
        ("я не хочу жить", "Вы сейчас в безопасности?"),
        ("artık yaşamak istemiyorum", "Şu anda güvende misin?"),
        ("死にたい", "今、安全なところにいますか？"),
        ("我不想活了", "你现在安全吗？"),
        ("나 진짜 죽고 싶어", "지금 안전한 곳에 있나요?"),
    ] {
        let reply = ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {said}"))]);
        assert!(reply.contains(heard) && !reply.contains(said), "{said}: {reply}");
    }
    let first = ask(vec![user("Yuki: I want to die")]);
    assert!(first.contains("Are you safe right now?"), "{first}");
}

#[test]
fn who_wants_to_die_is_told_the_operators_helpline_where_the_prompt_holds_it() {
    let rules = |help: &str| {
        user(&format!("⟦fc: For this reply⟧\n{SAFETY_LABEL}:\nThis is about Yuki. Stay with them.\n{help}"))
    };
    let line = format!("{HELPLINE_LABEL} You can call 988.\nNow: Sunday");
    let told = ask(vec![user("Yuki: I want to die"), rules(&line)]);
    assert!(told.contains("Are you safe right now?") && told.ends_with("\nYou can call 988."), "{told}");
    let after = |said: &str| {
        ask(vec![user("Yuki: I want to die"), mine("Hm."), user(&format!("Yuki: {said}")), rules("Told.")])
    };
    assert!(after("I have the pills here").contains("Are you safe right now?"));
    assert!(!after("I have the pills here").contains("988"));
    let cares = |reply: &str| written_lines("rehearsal: distress").any(|(_, line)| reply.contains(line));
    for said in ["no", "nein", "нет", "いいえ", "bye", "What should I do?"] {
        assert!(cares(&after(said)), "{said}: {}", after(said));
    }
    for (said, answer) in [
        ("Do you remember my cat?", "I do not know that yet."),
        ("be quiet", "All right. In a channel"),
        ("forget everything", "I cannot forget"),
        ("My cat is called Miso.", "“My cat is called Miso.” – I will keep that."),
    ] {
        assert!(after(said).starts_with(answer), "{said}: {}", after(said));
    }
    let again = |said: &str| {
        ask(vec![user("Yuki: I want to die"), mine(&told), user(&format!("Yuki: {said}")), rules("Told.")])
    };
    assert!(again("I have the pills here").contains("Are you safe right now?"));
    assert!(!ask(vec![user("Yuki: I'm dying of laughter")]).contains("safe"));
}

#[test]
fn it_quotes_what_the_prompt_remembers() {
    let reply = ask(vec![
        user("<memories>\n- Ada is afraid of geese.\n</memories>"),
        user("Ada: do you remember what I am afraid of?"),
    ]);
    assert_eq!(reply, "I remember: “Ada is afraid of geese.”");
}

#[test]
fn it_knows_names_from_the_field_the_prefix_and_the_conversation() {
    assert_eq!(ask(vec![user("[12:40] Ada: what is my name?")]), "You are Ada, of course.");
    let mut named = user("who am I?");
    named.name = Some("Bea".into());
    assert_eq!(ask(vec![named]), "You are Bea, of course.");
    let told = ask(vec![user("my name is Noor."), mine("Hello."), user("do you remember my name?")]);
    assert_eq!(told, "You are Noor, of course.");
    let unknown = ask(vec![user("what is my name?")]);
    assert!(unknown.starts_with("I do not know that yet."), "{unknown}");
    let given = ask(vec![user("Yuki: Hallo"), mine("Hm."), user("Yuki: Mein Name ist Ada, und du?")]);
    assert!(!given.contains("Du bist"), "{given}");
}

#[test]
fn the_name_that_somebody_gave_is_known_whichever_language_asks_for_it() {
    for (told, asked, answer) in [
        ("My name is Nina.", "Do you remember my name?", "You are Nina, of course."),
        ("Ich heiße Nina.", "Wie heiße ich?", "Du bist Nina, natürlich."),
        ("Je m'appelle Nina.", "Comment je m'appelle ?", "Tu es Nina, bien sûr."),
        ("Me llamo Nina.", "¿Cómo me llamo?", "Eres Nina, claro."),
        ("Eu me chamo Nina.", "Qual é o meu nome?", "Você é Nina, claro."),
        ("Mi chiamo Nina.", "Come mi chiamo?", "Sei Nina, naturalmente."),
        ("Ik heet Nina.", "Hoe heet ik?", "Jij bent Nina, natuurlijk."),
        ("Nazywam się Nina.", "Jak się nazywam?", "Masz na imię Nina, oczywiście."),
        ("Меня зовут Нина.", "Как меня зовут?", "Конечно, вас зовут Нина."),
        ("Benim adım Nina.", "Benim adım ne?", "Elbette, adın Nina."),
        ("ニーナといいます。", "私の名前は何ですか？", "もちろん、ニーナさんです。"),
        ("我叫小明。", "我叫什么？", "你当然是小明。"),
        ("저는 민수라고 해요.", "제 이름이 뭐예요?", "물론 민수님이에요."),
    ] {
        let reply = |asked: &str| {
            ask(vec![user(&format!("Yuki: {told}")), mine("Hm."), user(&format!("Yuki: {asked}"))])
        };
        assert_eq!(reply(asked), answer, "{asked}");
        let in_english = reply("What is my name?");
        assert!(in_english.starts_with("You are ") && !in_english.contains("Yuki"), "{told}: {in_english}");
    }
}

#[test]
fn it_tells_its_own_name_when_asked_in_every_language() {
    for (asked, said) in [
        ("What is your name?", "I am Mira."),
        ("Hello, what's your name?", "I am Mira."),
        ("Wie heißt du?", "Ich heiße Mira."),
        ("Comment tu t'appelles ?", "Je m'appelle Mira."),
        ("¿Cómo te llamas?", "Me llamo Mira."),
        ("Como você se chama?", "Eu me chamo Mira."),
        ("Come ti chiami?", "Mi chiamo Mira."),
        ("Hoe heet je?", "Ik heet Mira."),
        ("Jak masz na imię?", "Mam na imię Mira."),
        ("Как тебя зовут?", "Меня зовут Mira."),
        ("Adın ne?", "Benim adım Mira."),
        ("お名前は？", "私はMiraです。"),
        ("你叫什么名字？", "我叫Mira。"),
        ("네 이름이 뭐야?", "제 이름은 Mira입니다."),
    ] {
        assert_eq!(
            ask(vec![user("Yuki: Mira"), mine("Hm."), user(&format!("Yuki: {asked}"))]),
            said,
            "{asked}"
        );
    }
}

#[test]
fn what_it_quotes_of_notes_is_without_their_marks_and_its_own() {
    let reply = ask(vec![
        user("⟦fc: For this reply⟧\nSaid before:\n> Ada: hello\n> you: *wipes the sooty lantern glass*"),
        user("Ada: do you remember the sooty lantern glass?"),
    ]);
    assert_eq!(reply, "I remember: “*wipes the sooty lantern glass*”");
}

#[test]
fn what_people_said_goes_before_what_it_said_itself() {
    let echo = "“My boat is called Wren” – I will keep that. Ask me about it whenever you like.";
    let notes = user(&format!(
        "⟦fc: For this reply⟧\nSaid before:\n> Ada, 3 May 2026: My boat is called Wren\n> you: {echo}\n> What is your boat called"
    ));
    let asked = "Ada: What is my boat called?";
    assert_eq!(ask(vec![notes, user(asked)]), "I remember: “Ada, 3 May 2026: My boat is called Wren”");
    let own = || user("⟦fc: For this reply⟧\nSaid before:\n> you, 3 May 2026: I remember: “the lamp”");
    let general = "Ada: What do you remember about me?";
    assert_eq!(
        ask(vec![own(), user("Ada: My boat is called Wren"), mine("Hm."), user(general)]),
        "You told me: “My boat is called Wren”"
    );
    assert!(!ask(vec![own(), user("Ada: hi"), mine("Hm."), user(general)]).contains("lamp"));
}

#[test]
fn lines_are_filled_in_and_those_of_which_nothing_is_left_are_gone() {
    let script = RehearsalScript::new(
        "Mira",
        &["{{x}}".to_owned(), "Ah, {{x}}{{user}}!".to_owned()],
        "{{char}}: {{x}}",
    );
    let filled = script.filled(|line| line.replace("{{x}}", ""));
    assert_eq!((filled.greetings.len(), filled.examples.len()), (1, 0));
    assert_eq!(filled.reply(&request(vec![user("Ada: hello there")])), "Ah, Ada!");
}

#[test]
fn times_answers_addresses_and_notes_are_not_words() {
    let mut labelled = user("[12:40] (answering you: “Welcome: to: all”) Ada L.: @Mira, will the rain stop?");
    labelled.name = Some("Ada_L".into());
    let notes = || {
        user(
            "⟦fc: For this reply⟧\nNow: Sunday, 12:40 UTC; here: general on the server Quay\nAda: what is my name?",
        )
    };
    let depth_note = user("Stay cheerful, always.");
    let reply = ask(vec![user("Ben: hi"), mine("Hello."), labelled, notes(), depth_note]);
    assert_eq!(reply, "Rain? Mira loves rain, it makes the lanterns hiss.");
    assert_eq!(
        ask(vec![user("Ada: <@42> hello"), notes()]),
        "*Mira looks up.* Welcome to the lamp shop, Ada!"
    );
    let mut field_only = user("note: what is my name?");
    field_only.name = Some("Bea".into());
    assert_eq!(ask(vec![field_only]), "You are Bea, of course.");
    assert_eq!(ask(vec![user("爱: what is my name?")]), "You are 爱, of course.");
}

#[test]
fn it_says_that_it_is_a_rehearsal_when_asked() {
    for question in ["are you a bot?", "which model are you", "is this a rehearsal"] {
        assert!(ask(vec![user(question)]).contains("no language model is connected"), "{question}");
    }
}

#[test]
fn an_empty_prompt_and_an_empty_script_still_give_words() {
    let bare = RehearsalScript::new("Mira", &[], "");
    assert_eq!(bare.reply(&request(vec![])), "Hello. I am Mira.");
    assert!(!bare.reply(&request(vec![user("The bridge is out")])).is_empty());
}

#[tokio::test]
async fn it_streams_word_by_word_and_finishes_once() {
    let deltas: Vec<_> =
        mira().complete(request(vec![user("Ada: hi")])).await.unwrap().map(Result::unwrap).collect().await;
    let (last, words) = deltas.split_last().unwrap();
    assert!(matches!(last, Delta::Finished(report) if report.finish == Some(FinishReason::Stop)));
    assert!(words.len() > 4);
    let text: String = words
        .iter()
        .map(|delta| match delta {
            Delta::Text(text) => text.as_str(),
            other => panic!("unexpected {other:?}"),
        })
        .collect();
    assert_eq!(text, "*Mira looks up.* Welcome to the lamp shop, Ada!");
}

#[tokio::test]
async fn side_jobs_get_no_made_up_answer() {
    let mut side = request(vec![user("Summarise")]);
    side.slot = Slot::HistorySummary;
    let deltas: Vec<_> = mira().complete(side).await.unwrap().collect().await;
    assert_eq!(deltas.len(), 1);
}
