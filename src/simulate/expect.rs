//! Whether what was expected came true.
//!
//! Start reading at [`judge`].

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use super::cast::Cast;
use super::model::ModelAsked;
use super::outbox::{ShownInScene, ShownWhat};
use super::scene::Expect;
use crate::app::App;
use crate::domain::{Outcome, Place, Slot, TokenEncoding, TurnTrace};
use crate::history::RecentQuery;
use crate::text::short::{counted, one_line};

/// How many stored messages of a place are looked through.
const STORED: u32 = 1_000;

/// How many notes are looked through, and how much of each.
const NOTES: usize = 500;
const NOTE_BYTES: usize = 1 << 20;

/// What was expected, and what came instead.
#[derive(Debug, Clone)]
pub struct SceneVerdict {
    /// The byte of the file at which it is expected.
    pub at: Option<usize>,
    pub expected: String,
    /// What came instead, where it did not come true.
    pub but: Option<String>,
}

pub(super) struct StepOutcome<'a> {
    pub was_heard: bool,
    /// Where it is looked at.
    pub place: Option<&'a Place>,
    pub shown: &'a [ShownInScene],
    pub asked: &'a [ModelAsked],
    pub turns: &'a [Arc<TurnTrace>],
    pub cast: &'a Cast,
    pub app: &'a App,
}

/// Collects what came true.
struct Verdicts {
    at: usize,
    all: Vec<SceneVerdict>,
}

impl Verdicts {
    fn hold(&mut self, expected: String, holds: bool, but: impl FnOnce() -> String) {
        let but = (!holds).then(but);
        self.all.push(SceneVerdict { at: Some(self.at), expected, but });
    }

    /// Whether words stand in a text, and others do not.
    fn words(&mut self, what: &str, text: &str, wanted: &[String], unwanted: &[String]) {
        let folded = text.to_lowercase();
        for words in wanted {
            let holds = folded.contains(&words.to_lowercase());
            self.hold(format!("{what}: {words:?}"), holds, || words_at_the_end(text));
        }
        for words in unwanted {
            let holds = !folded.contains(&words.to_lowercase());
            self.hold(format!("{what}, without: {words:?}"), holds, || excerpt_around(text, words));
        }
    }
}

/// What is told of a text in a complaint, in characters.
const EXCERPT: usize = 400;

fn words_at_the_end(text: &str) -> String {
    if text.trim().is_empty() {
        return "there was nothing".to_owned();
    }
    let text = one_line(text);
    let behind = text.chars().count().saturating_sub(EXCERPT);
    let end: String = text.chars().skip(behind).collect();
    if behind > 0 { format!("got: …{end}") } else { format!("got: {end}") }
}

fn excerpt_around(text: &str, words: &str) -> String {
    let folded = text.to_lowercase();
    let at = folded.find(&words.to_lowercase()).unwrap_or_default();
    let from = folded.get(..at).unwrap_or_default().chars().count().saturating_sub(EXCERPT / 4);
    let piece: String = text.chars().skip(from).take(EXCERPT / 2).collect();
    format!("it is there: …{}…", one_line(&piece))
}

/// Judges what came of a step.
pub(super) async fn judge(
    expect: &Expect,
    at: usize,
    seen: &StepOutcome<'_>,
) -> anyhow::Result<Vec<SceneVerdict>> {
    let mut verdicts = Verdicts { at, all: Vec::new() };
    if let Some(heard) = expect.heard {
        let what = if heard { "it is taken in" } else { "it is not taken in" };
        let but = if heard { "it was not" } else { "it was" };
        verdicts.hold(what.to_owned(), seen.was_heard == heard, || but.to_owned());
    }
    judge_said(expect, seen, &mut verdicts);
    judge_reasons(expect, seen, &mut verdicts);
    judge_asked(expect, seen, &mut verdicts);
    if !expect.stored.is_empty() || !expect.stored_not.is_empty() {
        let stored = texts_stored(seen).await?;
        verdicts.words("it keeps", &stored, &expect.stored, &expect.stored_not);
    }
    if !expect.notes.is_empty() || !expect.notes_not.is_empty() {
        let folder = seen.app.config.home().memory_dir();
        let own = seen.app.config.home().self_dir();
        let lore = seen.app.config.home().lore_dir();
        let notes = tokio::task::spawn_blocking(move || notes_in(&folder, &[own, lore])).await?;
        verdicts.words("its notes say", &notes, &expect.notes, &expect.notes_not);
    }
    Ok(verdicts.all)
}

/// What was said where it is looked at.
fn judge_said(expect: &Expect, seen: &StepOutcome<'_>, verdicts: &mut Verdicts) {
    let here: Vec<&ShownInScene> = seen
        .shown
        .iter()
        .filter(|shown| seen.place.is_none_or(|place| shown.channel == place.channel))
        .collect();
    let said: Vec<(&ShownInScene, &str)> = here
        .iter()
        .filter_map(|shown| match &shown.what {
            ShownWhat::Said { text, .. } => Some((*shown, text.as_str())),
            ShownWhat::Notice(_) | ShownWhat::Did(_) | ShownWhat::Asked(_) => None,
        })
        .collect();
    let text = said.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
    if let Some(speaks) = expect.speaks {
        let what = if speaks { "it speaks" } else { "it stays silent" };
        verdicts.hold(what.to_owned(), said.is_empty() != speaks, || match speaks {
            true => why_not(seen),
            false => format!(
                "it said: {text} ({})",
                names_once(seen.turns.iter().map(|turn| turn.trigger.as_str()))
            ),
        });
    }
    let did: Vec<&str> = here
        .iter()
        .filter_map(|shown| match &shown.what {
            ShownWhat::Did(did) => Some(did.as_str()),
            _ => None,
        })
        .collect();
    let all = format!("{text}\n{}", did.join("\n"));
    verdicts.words("it says", &all, &expect.posts, &expect.posts_not);
    let asked = here.iter().filter_map(|shown| match &shown.what {
        ShownWhat::Asked(what) => Some(what.as_str()),
        _ => None,
    });
    let asked = asked.collect::<Vec<_>>().join("\n");
    verdicts.words("it asks whether it may", &asked, &expect.asks, &expect.asks_not);
    if let Some(messages) = expect.messages {
        let but = || format!("it sent {}", counted(said.len() as u64, "message"));
        let expected = format!("it says so in {}", counted(messages as u64, "message"));
        verdicts.hold(expected, said.len() == messages, but);
    }
    if let Some(person) = &expect.answered {
        let name = person.get_ref();
        let account = seen.cast.people.get(name).map(|person| &person.author.account);
        let whom = said.iter().filter_map(|(shown, _)| shown.whom.as_ref());
        let whom: Vec<&str> =
            whom.filter_map(|one| seen.cast.person_of(one)).map(|(name, _)| name.as_str()).collect();
        let holds = said.iter().any(|(shown, _)| shown.whom.is_some() && shown.whom.as_ref() == account);
        let but = || format!("it answered {}", or_else(names_once(whom.into_iter()), "nobody"));
        verdicts.hold(format!("it answers {name}"), holds, but);
    }
    if let Some(notice) = &expect.notice {
        let told = here.iter().filter_map(|shown| match shown.what {
            ShownWhat::Notice(name) => Some(name),
            _ => None,
        });
        let told: Vec<&str> = told.collect();
        let holds = told.contains(&notice.get_ref().as_str());
        let but = || format!("it told {}", or_else(names_once(told.iter().copied()), "nothing"));
        verdicts.hold(format!("the program gives the notice {}", notice.get_ref()), holds, but);
    }
}

fn or_else(names: String, nothing: &str) -> String {
    if names.is_empty() { nothing.to_owned() } else { names }
}

fn why_not(seen: &StepOutcome<'_>) -> String {
    let ends: Vec<String> = seen.turns.iter().map(|turn| turn.outcome.summary()).collect();
    if ends.is_empty() { "nothing came of it".to_owned() } else { ends.join("; ") }
}

/// Why it spoke or stayed silent.
fn judge_reasons(expect: &Expect, seen: &StepOutcome<'_>, verdicts: &mut Verdicts) {
    if let Some(why) = &expect.why {
        let of = |turn: &Arc<TurnTrace>| match &turn.outcome {
            Outcome::Silent { reason } => reason.words(),
            outcome => format!("{}; {}", turn.trigger, outcome.summary()),
        };
        let reasons = seen.turns.iter().map(of).collect::<Vec<_>>().join("\n");
        verdicts.words("because", &reasons, std::slice::from_ref(why), &[]);
    }
    if !expect.lore.is_empty() || !expect.lore_not.is_empty() {
        let records = seen.turns.iter().filter_map(|turn| turn.assembly.as_ref()).flat_map(|one| &one.lore);
        let fired: Vec<&str> =
            records.filter(|record| record.fired).map(|record| record.name.as_str()).collect();
        verdicts.words("lore called up", &fired.join("\n"), &expect.lore, &expect.lore_not);
    }
    if !expect.told.is_empty() {
        let rounds = seen.turns.iter().flat_map(|turn| &turn.processing.rounds);
        let told: Vec<&str> =
            rounds.flat_map(|round| &round.results).map(|result| result.content.as_str()).collect();
        verdicts.words("a tool says", &told.join("\n"), &expect.told, &[]);
    }
}

/// What the model was asked.
fn judge_asked(expect: &Expect, seen: &StepOutcome<'_>, verdicts: &mut Verdicts) {
    let asked: Vec<&ModelAsked> = seen.asked.iter().filter(|asked| asked.slot == Slot::MainProse).collect();
    if let Some(times) = expect.asked {
        let but = || format!("it was asked {}", counted(asked.len() as u64, "time"));
        let expected = format!("the model is asked {}", counted(times as u64, "time"));
        verdicts.hold(expected, asked.len() == times, but);
    }
    let last = asked.last().map(|asked| asked.prompt.as_str()).unwrap_or_default();
    verdicts.words("the prompt says", last, &expect.prompt, &[]);
    let all: Vec<&str> = asked.iter().map(|asked| asked.prompt.as_str()).collect();
    verdicts.words("the prompt", &all.join("\n"), &[], &expect.prompt_not);
    if !expect.offers.is_empty() || !expect.offers_not.is_empty() {
        let tools: Vec<String> =
            asked.iter().flat_map(|asked| &asked.tools).map(|tool| format!("[{tool}]")).collect();
        let bracketed = |names: &[String]| names.iter().map(|name| format!("[{name}]")).collect::<Vec<_>>();
        let (offers, not) = (bracketed(&expect.offers), bracketed(&expect.offers_not));
        verdicts.words("tools offered", &tools.join(" "), &offers, &not);
    }
}

async fn texts_stored(seen: &StepOutcome<'_>) -> anyhow::Result<String> {
    let Some(place) = seen.place else { return Ok(String::new()) };
    let history = &seen.app.history;
    let visible = history.whole().visible().await?;
    let query = RecentQuery { mode: None, max_turns: STORED, until: None, encoding: TokenEncoding::Estimate };
    let turns = history.seen_by(&visible).recent(&place.channel, query).await?;
    Ok(turns.into_iter().map(|turn| turn.content).collect::<Vec<_>>().join("\n"))
}

/// The text of all notes below a folder, but for those in some of its folders.
fn notes_in(folder: &Path, without: &[std::path::PathBuf]) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    let mut left = NOTES;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !without.contains(&path) {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") && left > 0 {
                left -= 1;
                let note = std::fs::read_to_string(&path).unwrap_or_default();
                text.extend(note.chars().take(NOTE_BYTES));
                text.push('\n');
            }
        }
    }
    text
}

/// Everybody of these names, each once.
fn names_once<'n>(of: impl Iterator<Item = &'n str>) -> String {
    of.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}
