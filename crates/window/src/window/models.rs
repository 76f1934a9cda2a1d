//! The models that can be asked, with window and price, and the choice of one for a job.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Extension, Query, State};
use axum::response::Response;
use serde::Deserialize;

use super::health::{ModelNow, a_million};
use super::messages;
use super::pages::{PageHead, Refusal, Visitor, html_page};
use super::shared::Shared;
use crate::domain::Slot;
use crate::llm::ModelFacts;
use crate::text::short::thousands;

#[derive(Debug, Template)]
#[template(path = "models.html")]
struct ModelsPage {
    page: PageHead,
    jobs: Vec<JobChoice>,
    models: Vec<OfferedRow>,
}

/// A job that a model can be chosen for.
#[derive(Debug)]
struct JobChoice {
    /// Of the setting.
    key: String,
    name: &'static str,
    is_chosen: bool,
}

#[derive(Debug)]
struct OfferedRow {
    model: String,
    window: Option<String>,
    /// For a million tokens in, from the provider's cache, and out.
    prices: Option<[String; 3]>,
    /// Where its server says.
    takes_tools: Option<bool>,
}

impl OfferedRow {
    fn of((model, facts): (String, ModelFacts)) -> Self {
        Self {
            model,
            window: facts.context_window.map(|window| thousands(window.into())),
            prices: facts.prices.map(a_million),
            takes_tools: facts.takes_tools,
        }
    }
}

/// The setting that names the model of a job.
fn model_key(job: Slot) -> String {
    format!("llm.{job}.model")
}

/// Where a model can be chosen for the job whose setting this is.
pub(super) fn models_href(key: &str) -> Option<String> {
    let job = Slot::ALL.iter().copied().find(|job| is_asked(*job) && model_key(*job) == key)?;
    Some(format!("/settings/models?job={job}"))
}

/// The model that is asked now for the job whose setting this is, where that is another than the setting says: a server that
/// nobody named a model of is asked for one that it has.
pub(super) fn asked_instead(now: &[ModelNow], key: &str, said: &str) -> Option<String> {
    let asked = now.iter().find(|known| model_key(known.job) == key)?;
    (asked.model != said.trim_matches('"')).then(|| asked.model.clone())
}

/// Whether a job asks a model of its own.
fn is_asked(job: Slot) -> bool {
    job != Slot::InterjectionDecision
}

#[derive(Debug, Deserialize)]
pub(super) struct JobQuery {
    #[serde(default)]
    job: String,
}

pub(super) async fn models_page(
    State(shared): State<Arc<Shared>>,
    Extension(visitor): Extension<Visitor>,
    Query(JobQuery { job: wanted }): Query<JobQuery>,
) -> Result<Response, Refusal> {
    let jobs = Slot::ALL.iter().copied().filter(|job| is_asked(*job)).map(|job| JobChoice {
        key: model_key(job),
        name: messages::job_name(job),
        is_chosen: job.as_str() == wanted,
    });
    Ok(html_page(&ModelsPage {
        page: shared.door.head(messages::MODELS, "/settings", &visitor),
        jobs: jobs.collect(),
        models: shared.parts.health.offered().into_iter().map(OfferedRow::of).collect(),
    }))
}
