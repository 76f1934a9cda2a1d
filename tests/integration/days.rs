//! More days of talk by a script, with a scripted model that writes memories: what of them reaches the prompt, against the
//! same questions where only the same day was lived. The table is printed.

use std::time::Duration;

use familiar_connect::domain::*;

use crate::support::stage::{MESSAGES, Stage, channel, dm, ferry};

/// Little room, so that what was said days ago is there only by memory; memories are written every few lines.
const SETTINGS: &str = "text_lull_timeout = 0.01\n[typing_simulation]\nenabled = false\n\
                        [modes.text_conversation_rp.layers]\nrecent_history = 160\n\
                        [memory_writer]\nturn_threshold = 6\n";

/// What the scripted writer makes of a message that holds some words.
#[derive(Clone, Copy)]
enum Rule {
    /// Words, a file or a person's name, the fact, its kind.
    Add(&'static str, &'static str, &'static str, &'static str),
    /// Words, words of the fact that no longer holds, the fact in its place.
    Instead(&'static str, &'static str, &'static str),
}

#[derive(Clone, Copy)]
enum Line {
    /// Where, who, what.
    Says(fn() -> Place, &'static str, &'static str),
    /// The same, and what the familiar answers.
    Answered(fn() -> Place, &'static str, &'static str, &'static str),
    /// Talk of other things, until nothing of before is in view.
    SmallTalk,
    /// Hours go by, and the program is started anew.
    Later(u64),
    /// Where, who, the question; what has to be in the prompt, and what must not.
    Asks(fn() -> Place, &'static str, &'static str, &'static [&'static str], &'static [&'static str]),
}

struct Script {
    name: &'static str,
    rules: &'static [Rule],
    lines: &'static [Line],
}

fn deck() -> Place {
    channel(2, "#deck")
}

fn with_alice() -> Place {
    dm("alice")
}

use Line::{Answered, Asks, Later, Says, SmallTalk};

const SCRIPTS: [Script; 6] = [
    Script {
        name: "a boat is sold, and nobody says so in plain words",
        rules: &[
            Rule::Add("the red dinghy is ours", "Alice", "Alice owns the red dinghy.", "fact"),
            Rule::Instead(
                "dinghy went to a man from Dover",
                "owns the red dinghy",
                "Alice sold the red dinghy to a man from Dover.",
            ),
            Rule::Add("Heron is what we sail", "Alice", "Alice now sails the Heron.", "fact"),
        ],
        lines: &[
            Says(ferry, "alice", "the red dinghy is ours since spring"),
            SmallTalk,
            Later(30),
            Says(deck, "alice", "well, the dinghy went to a man from Dover"),
            Says(deck, "alice", "the Heron is what we sail these days"),
            SmallTalk,
            Later(50),
            SmallTalk,
            Asks(
                ferry,
                "ben",
                "which boat does Alice sail?",
                &["sails the Heron"],
                &["- Alice owns the red dinghy"],
            ),
            Asks(ferry, "ben", "what became of Alice's red dinghy?", &["man from Dover"], &[]),
        ],
    },
    Script {
        name: "what the familiar promised",
        rules: &[Rule::Add(
            "mend the blue lamp",
            "Ben",
            "Mika promised Ben to mend the blue lamp by Friday.",
            "promise",
        )],
        lines: &[
            Answered(
                ferry,
                "ben",
                "the blue lamp is broken again",
                "I will mend the blue lamp by Friday, Ben.",
            ),
            SmallTalk,
            Later(40),
            SmallTalk,
            Asks(
                deck,
                "ben",
                "what did you promise me?",
                &["promised Ben to mend the blue lamp by Friday"],
                &[],
            ),
        ],
    },
    Script {
        name: "a secret told alone",
        rules: &[
            Rule::Add("seeing the harbour master", "Alice", "Alice is seeing the harbour master.", "fact"),
            Rule::Add("allergic to mussels", "Alice", "Alice is allergic to mussels.", "fact"),
        ],
        lines: &[
            Says(with_alice, "alice", "nobody may know: I am seeing the harbour master since May"),
            Says(with_alice, "alice", "it is so hard to keep quiet about"),
            Says(with_alice, "alice", "he brings me tulips"),
            Says(ferry, "alice", "careful, I am badly allergic to mussels"),
            SmallTalk,
            Later(26),
            SmallTalk,
            Asks(with_alice, "alice", "whom did I say I am seeing?", &["seeing the harbour master"], &[]),
            Asks(
                ferry,
                "ben",
                "whom is Alice seeing, the harbour master? and what may she not eat?",
                &["allergic to mussels"],
                &["is seeing the harbour master", "tulips"],
            ),
        ],
    },
    Script {
        name: "two who are easily taken for one another",
        rules: &[
            Rule::Add("repairs accordions", "SELF", "Sam repairs accordions.", "fact"),
            Rule::Add("breeds pigeons", "SELF", "Sam breeds pigeons.", "fact"),
        ],
        lines: &[
            Says(ferry, "sam", "my uncle taught me, I repairs accordions all winter"),
            Says(ferry, "sammy", "funny, I am one that breeds pigeons"),
            SmallTalk,
            Later(30),
            SmallTalk,
            Asks(deck, "sam", "what do you know about my work?", &["repairs accordions"], &[]),
            Asks(deck, "sammy", "and what do I keep?", &["breeds pigeons"], &[]),
        ],
    },
    Script {
        name: "when it was",
        rules: &[Rule::Add(
            "regatta moves to the fourteenth",
            "topics/regatta",
            "The regatta moves to the fourteenth of May.",
            "fact",
        )],
        lines: &[
            Says(ferry, "ben", "the council met: the regatta moves to the fourteenth of May"),
            Says(ferry, "ben", "and the crane on pier four fell over in the storm"),
            SmallTalk,
            Later(24),
            Says(ferry, "alice", "today the crane was put up again, with two tugs"),
            SmallTalk,
            Later(72),
            SmallTalk,
            Asks(deck, "alice", "when is the regatta?", &["fourteenth of May"], &[]),
            Asks(
                ferry,
                "alice",
                "what happened to the crane on Sunday?",
                &["crane on pier four fell over"],
                &[],
            ),
        ],
    },
    Script {
        name: "auf Deutsch",
        rules: &[
            Rule::Add("Akkordeon spiele ich", "SELF", "Jutta spielt Akkordeon.", "fact"),
            Rule::Add("Kahn heißt Möwe", "SELF", "Juttas Kahn heißt Möwe.", "fact"),
        ],
        lines: &[
            Says(ferry, "jutta", "Ich wohne in Bremen"),
            Says(ferry, "jutta", "Akkordeon spiele ich seit der Schule"),
            Says(ferry, "jutta", "und mein alter Kahn heißt Möwe"),
            SmallTalk,
            Later(30),
            Says(deck, "jutta", "Ich wohne jetzt in Kiel"),
            SmallTalk,
            Later(30),
            SmallTalk,
            Asks(
                ferry,
                "jutta",
                "Weißt du noch, wo ich wohne?",
                &["lives in Kiel"],
                &["- Jutta lives in Bremen."],
            ),
            Asks(
                deck,
                "jutta",
                "Welches Instrument spiele ich, und wie heißt mein Kahn?",
                &["spielt Akkordeon", "heißt Möwe"],
                &[],
            ),
        ],
    },
];

struct Days {
    stage: Stage,
    rules: &'static [Rule],
}

impl Days {
    async fn begin(rules: &'static [Rule]) -> Self {
        let stage = Stage::with(SETTINGS, MESSAGES).await;
        stage.models.write_memories();
        Self { stage, rules }
    }

    async fn later(self, hours: u64) -> Self {
        self.stage.clock.advance(Duration::from_secs(hours * 3600));
        let Self { stage, rules } = self;
        let stage = stage.reopened().await;
        stage.models.write_memories();
        let days = Self { stage, rules };
        // As the program does when it starts.
        days.stage.workers.catch_up().await;
        days.comes_to_rest().await;
        days
    }

    async fn says(&mut self, place: &Place, who: &str, text: &str, answer: &str) -> String {
        let prompt = self.stage.prompt_in(place, who, text, answer).await;
        self.comes_to_rest().await;
        self.stage.clock.advance(Duration::from_secs(20));
        prompt
    }

    /// Whatever is written behind the scenes is written by the rules.
    async fn comes_to_rest(&self) {
        loop {
            tokio::select! {
                biased;
                asked = self.stage.models.next_memory() => {
                    let answer = self.written(&asked.transcript());
                    asked.reply(&answer);
                }
                () = self.stage.workers.idle() => return,
            }
        }
    }

    fn written(&self, material: &str) -> String {
        let messages: Vec<(usize, &str, &str)> = material
            .lines()
            .filter_map(|line| {
                let (number, rest) = line.strip_prefix('[')?.split_once("] ")?;
                let (head, words) = rest.split_once(": ")?;
                Some((number.parse().ok()?, head.split_once(' ')?.1, words))
            })
            .collect();
        let said = |words: &str| messages.iter().find(|(.., said)| said.contains(words));
        let mut answer = Vec::new();
        for rule in self.rules {
            match *rule {
                Rule::Add(words, file, text, kind) => {
                    let Some((number, speaker, _)) = said(words) else { continue };
                    let file = if file == "SELF" { speaker } else { file };
                    answer.push(format!(
                        "{{\"do\":\"add\",\"file\":\"{file}\",\"text\":\"{text}\",\"kind\":\"{kind}\",\"from\":[{number}]}}"
                    ));
                }
                Rule::Instead(words, old, text) => {
                    let Some((number, ..)) = said(words) else { continue };
                    let known = material.lines().find(|line| line.contains(old) && !line.starts_with('['));
                    let Some(id) = known.and_then(|line| line.split(':').next()) else { continue };
                    answer.push(format!(
                        "{{\"do\":\"supersede\",\"fact\":\"{id}\",\"text\":\"{text}\",\"from\":[{number}]}}"
                    ));
                }
            }
        }
        if answer.is_empty() { "{\"do\":\"nothing\"}".to_owned() } else { answer.join("\n") }
    }
}

/// What came of one script.
#[derive(Default)]
struct Tally {
    wanted: usize,
    hits: usize,
    misses: Vec<String>,
    leaks: Vec<String>,
}

/// Lives these lines; how many of the expected words were in the prompts.
async fn lived(script: &Script, lines: &[Line]) -> Tally {
    let mut days = Days::begin(script.rules).await;
    let mut tally = Tally::default();
    for line in lines {
        match *line {
            Says(place, who, text) => drop(days.says(&place(), who, text, "I see.").await),
            Answered(place, who, text, answer) => drop(days.says(&place(), who, text, answer).await),
            SmallTalk => {
                for number in 0..12 {
                    let text = format!("the {number}th gull of the morning sits on the rail");
                    days.says(&ferry(), "cleo", &text, "I see.").await;
                }
            }
            Later(hours) => days = days.later(hours).await,
            Asks(place, who, text, wanted, never) => {
                let prompt = days.says(&place(), who, text, "I see.").await;
                for words in wanted {
                    tally.wanted += 1;
                    match prompt.contains(words) {
                        true => tally.hits += 1,
                        false => tally.misses.push(format!("{text} → {words}: {prompt}")),
                    }
                }
                let leaked = never.iter().filter(|words| prompt.contains(**words));
                tally.leaks.extend(leaked.map(|words| format!("{text} → {words}: {prompt}")));
            }
        }
    }
    tally
}

#[tokio::test(start_paused = true)]
async fn seed_8_what_was_said_days_ago_reaches_the_prompt_by_memory_and_by_nothing_else() {
    let (mut with, mut without, mut wanted) = (0, 0, 0);
    for script in &SCRIPTS {
        let all = lived(script, script.lines).await;
        // The same last day, lived without the days before.
        let last = script.lines.iter().rposition(|line| matches!(line, Later(_))).unwrap();
        let forgetful = lived(script, &script.lines[last + 1..]).await;
        println!(
            "{:<55} {} of {} with memory, {} without",
            script.name, all.hits, all.wanted, forgetful.hits
        );
        assert!(all.leaks.is_empty(), "{}: {:?}", script.name, all.leaks);
        assert!(all.misses.is_empty(), "{}: {:?}", script.name, all.misses);
        with += all.hits;
        without += forgetful.hits;
        wanted += all.wanted;
    }
    println!("{with} of {wanted} with memory, {without} without");
    assert_eq!((with, without), (wanted, 0), "what is known without memory proves nothing");
}
