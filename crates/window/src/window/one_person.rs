//! Two accounts of one person: first what making them one does, then doing it, and taking them apart again.

use std::collections::HashMap;
use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::door::SentForm;
use super::messages;
use super::note_href::{href, query_of};
use super::operator::{known_names, messages_of};
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::domain::AccountId;
use crate::erase::EraseError;
use crate::memory::store::NotePath;
use crate::text::short::thousands;

/// Where it is said whose accounts somebody's are.
pub(super) const ONE_PERSON: &str = "/memory/accounts";

/// So many accounts are offered to choose from; any other can be written.
const OFFERED: usize = 1_000;

#[derive(Debug, Template)]
#[template(path = "one_person.html")]
struct OnePersonPage {
    page: PageHead,
    path: String,
    back: String,
    problem: Option<String>,
    /// The other accounts of theirs, each with what it is called.
    theirs: Vec<(AccountId, String)>,
    offered: Vec<(AccountId, String)>,
    written: String,
    plan: Option<PlanView>,
}

/// What making them one does.
#[derive(Debug)]
struct PlanView {
    other: AccountId,
    called: [String; 2],
    reaches: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Whose {
    #[serde(default)]
    path: String,
    /// The other account.
    #[serde(default)]
    other: String,
}

/// Where it can be said whose other accounts somebody's are; `None` where a note is about nobody.
pub(super) fn one_person_href(path: &NotePath) -> Option<String> {
    account_of(path).map(|_| format!("{ONE_PERSON}?{}", query_of(path)))
}

fn account_of(path: &NotePath) -> Option<AccountId> {
    AccountId::of_slug(path.stem()).filter(|account| path.as_str() == format!("people/{}.md", account.slug()))
}

/// The note that is meant, and whom it is about.
fn note_and_account(path: String) -> Result<(NotePath, AccountId), Refusal> {
    let path = NotePath::new(path).map_err(|_| Refusal(StatusCode::NOT_FOUND))?;
    let account = account_of(&path).ok_or(Refusal(StatusCode::NOT_FOUND))?;
    Ok((path, account))
}

/// Whose accounts these are, and what it does that another is theirs. Changes nothing.
pub(super) async fn one_person_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(Whose { path, other }): Query<Whose>,
) -> Result<Response, Refusal> {
    let (path, kept) = note_and_account(path)?;
    let names = names_of_people(&shared).await;
    let called = |account: &AccountId| called(&names, account);
    let written = other.trim().to_owned();
    let (mut plan, mut problem) = (None, None);
    if !written.is_empty() {
        match account_to_join(&shared, &kept, &written).await {
            Ok(other) => {
                let told = shared.parts.eraser.plan_join(&kept, &other).await;
                match told {
                    Ok(told) => {
                        let mut reaches = vec![
                            (thousands(told.facts as u64), messages::FACTS_COME.to_owned()),
                            (thousands(told.known as u64), messages::FACTS_KNOWN.to_owned()),
                        ];
                        for account in [&kept, &other] {
                            let said = messages_of(&shared.parts.history, account).await;
                            let said = said.map_err(|error| not_told(&error))?;
                            reaches.push((thousands(said), messages::messages_by(&called(account))));
                        }
                        let called = [called(&kept), called(&other)];
                        plan = Some(PlanView { other, called, reaches });
                    }
                    Err(error) => problem = Some(messages::not_one_person(&error.to_string())),
                }
            }
            Err(why) => problem = Some(why),
        }
    }
    let accounts = shared.parts.memory.accounts_of(&kept).await;
    let named = |account: &AccountId| (account.clone(), called(account));
    let title = messages::accounts_of(&called(&kept));
    let status = if problem.is_some() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let page = OnePersonPage {
        page: shared.door.head(&title, "/memory", &visitor),
        path: path.to_string(),
        back: href(&path),
        problem,
        theirs: accounts.iter().skip(1).map(named).collect(),
        offered: accounts_to_choose(&names, &accounts),
        written,
        plan,
    };
    Ok((status, html_page(&page)).into_response())
}

/// Makes two accounts one person's, or two people's again.
pub(super) async fn post_one_person(
    State(shared): State<Arc<Shared>>,
    mut form: SentForm,
) -> Result<Response, Refusal> {
    let (path, kept) = note_and_account(form.take("path"))?;
    let (written, bad) = (form.take("other"), Refusal(StatusCode::BAD_REQUEST));
    match form.field("do") {
        "join" => {
            // What stands in its way is told on the page before.
            let Ok(other) = account_to_join(&shared, &kept, &written).await else {
                return Ok(Redirect::to(&told_why(&path, &written)).into_response());
            };
            if let Err(error) = shared.parts.eraser.join(&kept, &other).await {
                tracing::warn!(%error, "two accounts were not made one person in the window");
                return Ok(Redirect::to(&told_why(&path, &written)).into_response());
            }
            Ok(Redirect::to(&href(&path)).into_response())
        }
        "part" => {
            let other = written.parse().map_err(|_| bad)?;
            shared.parts.eraser.part(&kept, &other).await.map_err(not_parted)?;
            Ok(Redirect::to(&format!("{ONE_PERSON}?{}", query_of(&path))).into_response())
        }
        _ => Err(bad),
    }
}

fn told_why(path: &NotePath, written: &str) -> String {
    let mut pairs = form_urlencoded::Serializer::new(query_of(path));
    format!("{ONE_PERSON}?{}", pairs.append_pair("other", written).finish())
}

/// The account that is to be theirs too, where it may be.
async fn account_to_join(shared: &Shared, kept: &AccountId, written: &str) -> Result<AccountId, String> {
    let other: AccountId = written.trim().parse().map_err(|_| messages::NO_ACCOUNT.to_owned())?;
    let names = names_of_people(shared).await;
    for account in [kept, &other] {
        if shared.parts.pairing.has_opted_out(account) {
            return Err(messages::has_opted_out(&called(&names, account)));
        }
    }
    // Whoever is somebody's already is taken apart there first.
    let whose = shared.parts.memory.person_of(&other).await;
    if whose != other.slug() && whose != shared.parts.memory.person_of(kept).await {
        return Err(messages::is_somebody_elses(&called(&names, &other)));
    }
    Ok(other)
}

/// Accounts to choose from, by what they are called, without these.
pub(super) fn accounts_to_choose(
    names: &HashMap<AccountId, String>,
    without: &[AccountId],
) -> Vec<(AccountId, String)> {
    let all = names.iter().filter(|(account, _)| !without.contains(account));
    let mut offered: Vec<(AccountId, String)> =
        all.map(|(account, name)| (account.clone(), name.clone())).collect();
    offered.sort_by(|(one, a), (other, b)| (a.to_lowercase(), one).cmp(&(b.to_lowercase(), other)));
    offered.truncate(OFFERED);
    offered
}

/// What everybody who ever spoke is called.
async fn names_of_people(shared: &Shared) -> HashMap<AccountId, String> {
    known_names(&shared.parts.history).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "what people are called could not be read for the window");
        HashMap::new()
    })
}

fn called(names: &HashMap<AccountId, String>, account: &AccountId) -> String {
    names.get(account).cloned().unwrap_or_else(|| account.to_string())
}

fn not_told(error: &crate::history::HistoryError) -> Refusal {
    tracing::warn!(%error, "what somebody said could not be counted for the window");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}

fn not_parted(error: EraseError) -> Refusal {
    tracing::warn!(%error, "two accounts were not taken apart in the window");
    Refusal(StatusCode::INTERNAL_SERVER_ERROR)
}
