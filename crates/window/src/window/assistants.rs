//! The operator's own assistants at the port: who of them is let in, and how much one question may be.

use std::convert::Infallible;
use std::fmt::{self, Debug};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any_service};
use secrecy::SecretString;
use tower_service::Service;

use super::door::ASSISTANTS;
use super::pages::Refusal;
use super::shared::Shared;
use super::sign_in::Entered;
use crate::config::{OPERATOR_TOKEN_CHARS, is_operator_token};

/// The largest question, in bytes.
pub const ASSISTANT_BYTES: usize = 64 * 1024;

/// So long one question may take, with what reading it takes.
const ANSWERED_WITHIN: Duration = Duration::from_secs(60);

/// What answers the operator's own assistants, whatever they speak.
#[derive(Clone)]
pub struct Assistants {
    token: SecretString,
    service: MethodRouter<Arc<Shared>>,
}

impl Debug for Assistants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assistants").finish_non_exhaustive()
    }
}

impl Assistants {
    /// For whoever sends this token; `None` where it is too short to be one.
    pub fn new<S, R, F>(token: SecretString, service: S) -> Option<Self>
    where
        S: Service<Request, Response = R, Error = Infallible, Future = F> + Clone + Send + Sync + 'static,
        R: IntoResponse + 'static,
        F: Future<Output = Result<R, Infallible>> + Send + 'static,
    {
        let is_one = is_operator_token(&token);
        if !is_one {
            tracing::warn!(
                "FAMILIAR_MCP_TOKEN is shorter than {OPERATOR_TOKEN_CHARS} characters: nobody is let in by it"
            );
        }
        is_one.then(|| Self { token, service: any_service(service) })
    }

    pub(super) fn token(&self) -> &SecretString {
        &self.token
    }

    /// The way to it.
    pub(super) fn routes(&self, shared: &Arc<Shared>) -> Router<Arc<Shared>> {
        let asked = self.service.clone().layer(from_fn_with_state(Arc::clone(shared), admitted));
        Router::new().route(ASSISTANTS, asked)
    }
}

/// By the token alone: a browser's session is for its own pages.
async fn admitted(
    State(shared): State<Arc<Shared>>,
    request: Request,
    next: Next,
) -> Result<Response, Refusal> {
    let own =
        shared.parts.assistants.as_ref().map(Assistants::token).ok_or(Refusal(StatusCode::NOT_FOUND))?;
    let sent = request.headers().get(header::AUTHORIZATION).and_then(|sent| sent.to_str().ok());
    let sent = sent.and_then(|sent| sent.split_once(' '));
    let (_, sent) = sent
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .ok_or(Refusal(StatusCode::UNAUTHORIZED))?;
    shared.door.sign_ins.assistants(sent, own).map_err(|refused| {
        Refusal(match refused {
            Entered::NotNow => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::UNAUTHORIZED,
        })
    })?;
    let answered = tokio::time::timeout(ANSWERED_WITHIN, next.run(request)).await;
    answered.map_err(|_| Refusal(StatusCode::REQUEST_TIMEOUT))
}
