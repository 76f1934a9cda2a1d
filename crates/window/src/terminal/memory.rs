//! `/memory`, `/reminders` and `/forget`: what is kept of whoever sits there, and having it forgotten.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::watch;

use super::messages::Noted;
use super::screen::Screen;
use super::{Terminal, messages};
use crate::domain::{AccountId, Persona, Place, ReminderId, Visible};
use crate::embedding::EmbeddingState;
use crate::erase::{Asker, EraseError, ForgetRequest, ForgetWhat, KeepCopy, Plan};
use crate::identity::PlayedIn;
use crate::text::keywords::terms;

/// Facts shown at once.
const SHOWN: usize = 10;

/// What is noted with some words, of which one page is shown.
struct NotedPage {
    noted: Vec<Noted>,
    about: String,
    /// From 1.
    page: usize,
}

impl NotedPage {
    fn told(&self, name: &str) -> String {
        let rest = self.noted.get((self.page - 1) * SHOWN..).unwrap_or_default();
        let (shown, left) = rest.split_at(rest.len().min(SHOWN));
        let about = if self.about.is_empty() { String::new() } else { format!(" {}", self.about) };
        messages::noted_told(name, shown, left.len(), &format!("/memory{about} {}", self.page + 1))
    }
}

/// Whatever becomes of who waits for it: conversations stand still until it is done.
async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, EraseError>> + Send + 'static,
) -> Result<T, String> {
    tokio::spawn(work).await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}

fn operator_asks() -> Asker {
    Asker::Person(AccountId::operator())
}

fn asked_here(what: ForgetWhat) -> ForgetRequest {
    ForgetRequest { what, by: operator_asks(), keep: KeepCopy::SevenDays }
}

fn words_of_operator(words: &str) -> ForgetWhat {
    ForgetWhat::Words { person: AccountId::operator(), words: words.to_owned() }
}

fn unless_empty(plan: Plan) -> Option<Plan> {
    (!plan.is_empty()).then_some(plan)
}

impl Terminal {
    /// What is noted and may be said in a place that holds all of these words: what holds comes first, the newest of it.
    async fn noted(&self, place: &Place, about: &str) -> Result<Vec<Noted>, String> {
        let here = self.parts.pairing.entered(place).await;
        let wanted: BTreeSet<String> = terms(about).into_iter().collect();
        let found = self.parts.memory.seen_by(&Visible::at(&here)).facts_of(AccountId::operator()).await;
        let found = found.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let today = self.parts.clock.now().to_zoned(self.parts.config.current().display_tz.clone()).date();
        let mut noted: Vec<Noted> = found
            .into_iter()
            .filter(|fact| fact.holds(&wanted))
            .map(|fact| Noted { is_past: fact.is_past(today), on: fact.data.on, words: fact.words })
            .collect();
        noted.sort_by_key(|fact| (fact.is_past, Reverse(fact.on)));
        Ok(noted)
    }

    /// What [`noted`](Self::noted) gives for these words, and which page of it is asked for: a number behind them is one
    /// where there is such a page, from 2 on.
    async fn noted_page(&self, place: &Place, about: &str) -> Result<NotedPage, String> {
        let (words, number) = about.rsplit_once(' ').unwrap_or(("", about));
        if let Ok(page @ 2..) = number.parse::<usize>() {
            let (noted, from) = (self.noted(place, words).await?, (page - 1).saturating_mul(SHOWN));
            if from < noted.len() {
                return Ok(NotedPage { noted, about: words.trim().to_owned(), page });
            }
        }
        Ok(NotedPage { noted: self.noted(place, about).await?, about: about.to_owned(), page: 1 })
    }

    /// Who they are in play there from now on; themselves without a persona.
    async fn play(&self, place: &Place, persona: Option<Persona>) -> Result<(), String> {
        let (pairing, here) = (Arc::clone(&self.parts.pairing), PlayedIn::Channel(place.channel.clone()));
        let kept = tokio::task::spawn_blocking(move || match persona {
            Some(persona) => pairing.play(&AccountId::operator(), here, persona),
            None => pairing.clear_persona(&AccountId::operator(), &here),
        });
        kept.await.map_err(|error| error.to_string())?.map(drop).map_err(|error| error.to_string())
    }

    /// How much a request covers, and the first of the facts among it; `None` where there is nothing.
    async fn would_forget(&self, what: &ForgetWhat) -> Result<Option<(Plan, Vec<String>)>, String> {
        let looked = self.parts.eraser.preview(&asked_here(what.clone())).await;
        let (plan, first) = looked.map_err(|error| error.to_string())?;
        Ok(unless_empty(plan).map(|plan| (plan, first.facts)))
    }

    pub(super) async fn show_memory(&self, about: &str) {
        let name = self.name();
        self.screen.note(&match self.noted_page(&self.place, about).await {
            Ok(page) if page.noted.is_empty() => {
                let left = self.would_forget(&ForgetWhat::Person(AccountId::operator())).await;
                let is_heard = left.is_ok_and(|left| left.is_some_and(|(plan, _)| plan.messages > 0));
                messages::nothing_noted(&name, about, is_heard)
            }
            Ok(page) => page.told(&name),
            Err(error) => error,
        });
    }

    /// Lists what the operator asked to be reminded of, or cancels one of it: "cancel 3".
    pub(super) async fn show_reminders(&self, what: &str) {
        let (session, operator) = (&self.parts.session, AccountId::operator());
        if what.is_empty() {
            return self.screen.note(&match session.reminders(&operator, &self.place, false).await {
                Ok(kept) => messages::reminders_told(&self.name(), &kept),
                Err(error) => error.to_string(),
            });
        }
        let Some(Ok(id)) = what.strip_prefix("cancel").map(|id| id.trim().parse()) else {
            return self.screen.note(messages::REMINDERS_USAGE);
        };
        self.screen.note(
            &match session.cancel_reminder(ReminderId(id), &operator, &self.place, false).await {
                Ok(Some(_)) => messages::reminder_cancelled(id),
                Ok(None) => messages::no_such_reminder(id),
                Err(error) => error.to_string(),
            },
        );
    }

    /// Tells who they are in play here; before, makes them somebody ("Vane: a retired captain") or themselves ("clear").
    pub(super) async fn persona(&self, said: &str) {
        let pairing = &self.parts.pairing;
        let played = match said {
            // As it is done on Discord.
            "" | "show" | "set" | "list" => Ok(()),
            "clear" | "clear all" | "clear everywhere" => self.play(&self.place, None).await,
            words => {
                let words = words.strip_prefix("set ").unwrap_or(words);
                let (name, description) = words.split_once(':').unwrap_or((words, ""));
                let own = pairing.personas_of(&AccountId::operator());
                // A name alone takes up whom they were before.
                let before = own.named(words).cloned();
                let persona = before.map_or_else(|| Persona::new(name, description), Ok);
                let session = &self.parts.session;
                match persona.and_then(|persona| session.playable(&AccountId::operator(), persona)) {
                    Ok(persona) => self.play(&self.place, Some(persona)).await,
                    Err(error) => Err(messages::no_persona(error)),
                }
            }
        };
        self.screen.note(&match played {
            Ok(()) => {
                let now = pairing.persona_at(&AccountId::operator(), &self.place);
                messages::persona_told(now.as_ref())
            }
            Err(error) => error,
        });
    }

    /// Says what would go. It goes with the next line, if that says so.
    pub(super) async fn ask_to_forget(&self, what: &str) {
        let name = self.name();
        let (first, words) = what.split_once(char::is_whitespace).unwrap_or((what, ""));
        let first = first.to_lowercase();
        let unwanted = match (&*first, words) {
            ("me", "") => ForgetWhat::Person(AccountId::operator()),
            ("undo", "") => {
                let eraser = Arc::clone(&self.parts.eraser);
                let undone = to_its_end(async move { eraser.undo(&operator_asks()).await }).await;
                return self.screen.note(&match undone.map(|plan| plan.and_then(unless_empty)) {
                    Ok(Some(plan)) => messages::is_back(&name, plan),
                    Ok(None) => messages::NOTHING_TO_UNDO.to_owned(),
                    Err(error) => error,
                });
            }
            // "/forget me everything" asks for no word that could be found or not.
            ("" | "what", "") | ("me" | "undo", _) => return self.screen.note(messages::FORGET_WHAT),
            ("what", words) => words_of_operator(words.trim()),
            // What would go is said, and goes only with a yes.
            _ => words_of_operator(what),
        };
        let told = match self.would_forget(&unwanted).await {
            Ok(Some((plan, facts))) => {
                *self.unwanted.lock() = Some(unwanted);
                messages::would_forget(&name, plan, &facts)
            }
            Ok(None) if matches!(&*first, "me" | "what") => messages::nothing_noted_to_forget(&name),
            Ok(None) => messages::nothing_holds(what),
            Err(error) => error,
        };
        self.screen.note(&told);
    }

    /// What was asked about, where this line is the answer.
    pub(super) fn answered_whether_to_forget(&self) -> Option<ForgetWhat> {
        self.unwanted.lock().take()
    }

    pub(super) async fn forget(&self, unwanted: ForgetWhat) {
        let name = self.name();
        let eraser = Arc::clone(&self.parts.eraser);
        let forgot = to_its_end(async move { eraser.forget(asked_here(unwanted)).await }).await;
        self.screen.note(&match forgot.map(unless_empty) {
            Ok(Some(plan)) => messages::forgotten_here(&name, plan),
            Ok(None) => messages::nothing_noted_to_forget(&name),
            Err(error) => error,
        });
    }

    pub(super) fn name(&self) -> String {
        self.parts.character.current().spoken_name().to_owned()
    }
}

/// Files smaller than this come too quickly to be worth a bar, in bytes.
const WORTH_A_BAR: u64 = 4 << 20;

/// Follows the model until it is ready or it is clear that there is none. The bar goes to standard error, and only where
/// that is a terminal in which nobody is typing.
pub async fn show_fetching(mut changes: watch::Receiver<EmbeddingState>, screen: Arc<Screen>) {
    let mut bar: Option<ProgressBar> = None;
    loop {
        let standing = changes.borrow_and_update().clone();
        match standing {
            EmbeddingState::Fetching { done, total } if total >= WORTH_A_BAR => {
                let bar = bar.get_or_insert_with(|| {
                    screen.remark(&messages::fetching_model(total));
                    if screen.is_prompted() { ProgressBar::hidden() } else { new_bar(total) }
                });
                bar.set_position(done);
            }
            EmbeddingState::Fetching { .. } | EmbeddingState::Loading => {}
            EmbeddingState::Ready { .. } => {
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                    screen.remark(messages::MODEL_FETCHED);
                }
                return;
            }
            EmbeddingState::Failed(reason) => {
                bar.into_iter().for_each(|bar| bar.finish_and_clear());
                // Where nobody sits there, the log has said so.
                if screen.is_prompted() {
                    screen.remark(&messages::no_embedding_model(&reason));
                }
                return;
            }
            EmbeddingState::Off => return,
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn new_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // A template that cannot be read leaves the library's own.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_comes_ten_at_a_time_and_each_page_says_how_it_goes_on() {
        let fact = |number| Noted { words: format!("fact {number}."), is_past: false, on: None };
        let told = |about: &str, page| {
            let page = NotedPage { noted: (1..=15).map(fact).collect(), about: about.to_owned(), page };
            page.told("Ada")
        };
        let first = told("", 1);
        assert!(first.contains("fact 10.") && !first.contains("fact 11."), "{first}");
        assert!(first.ends_with("… and 5 more; /memory 2 goes on."), "{first}");
        assert!(told("boat", 1).ends_with("; /memory boat 2 goes on."));
        let second = told("", 2);
        assert!(second.contains("fact 11.") && second.ends_with("fact 15."), "{second}");
    }
}
