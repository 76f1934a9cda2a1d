//! Services that are asked for something in particular: where they are, and reading what they answer.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, Url};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use super::OutsideParts;
use crate::net::{Bounds, ReadCut, USER_AGENT, client_builder, whole_body};
use crate::text::short::{one_line, shortened};
use crate::tools::tool::ToolError;

/// How much of an answer is read, and how long it is waited for.
const ANSWER: Bounds = Bounds { bytes: 512 * 1024, time: Duration::from_secs(8) };

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Characters of what a service says where it refuses.
const SAID_CHARS: usize = 200;

/// Where the services are that are asked without being set up, and Brave's search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddresses {
    /// Open-Meteo's places by their names.
    pub places: String,
    /// Open-Meteo's weather.
    pub weather: String,
    /// Brave's search.
    pub brave: String,
}

impl Default for ServiceAddresses {
    fn default() -> Self {
        Self {
            places: "https://geocoding-api.open-meteo.com/v1/search".to_owned(),
            weather: "https://api.open-meteo.com/v1/forecast".to_owned(),
            brave: "https://api.search.brave.com/res/v1/web/search".to_owned(),
        }
    }
}

/// A client for services, and where they are. What it asks is what the operator named or what is named here: not what a
/// model named.
#[derive(Debug)]
pub(super) struct Services {
    client: Client,
    pub(super) at: ServiceAddresses,
    pub(super) brave_key: Option<SecretString>,
}

impl Services {
    pub(super) fn new(parts: &OutsideParts) -> Result<Self, reqwest::Error> {
        let client = client_builder(CONNECT).user_agent(USER_AGENT).build()?;
        Ok(Self { client, at: parts.services.clone(), brave_key: parts.brave_key.clone() })
    }

    /// A question to an address that the operator named or that is named here.
    ///
    /// # Errors
    /// When it is no address.
    pub(super) fn question(&self, at: &str, fields: &[(&str, &str)]) -> Result<RequestBuilder, ToolError> {
        let url = Url::parse_with_params(at, fields);
        let url =
            url.map_err(|error| ToolError::Broken(format!("its address in the settings is none: {error}")))?;
        Ok(self.client.get(url))
    }

    /// Something to be posted to such an address, with its key.
    ///
    /// # Errors
    /// When it is no address.
    pub(super) fn posting(
        &self,
        at: &str,
        key: Option<&SecretString>,
        body: &Value,
    ) -> Result<RequestBuilder, ToolError> {
        let url = Url::parse(at);
        let url =
            url.map_err(|error| ToolError::Broken(format!("its address in the settings is none: {error}")))?;
        let request = self.client.post(url).json(body);
        Ok(match key.map(|key| key.expose_secret().trim()) {
            Some(key) if !key.is_empty() => request.bearer_auth(key),
            _ => request,
        })
    }

    /// The bytes at an address of such a service.
    ///
    /// # Errors
    /// When they do not come whole within the bounds.
    pub(super) async fn bytes(&self, at: &str, bounds: Bounds) -> Result<Vec<u8>, ToolError> {
        let broken = || ToolError::Broken("what was made cannot be fetched".to_owned());
        let sent = tokio::time::timeout(bounds.time, self.question(at, &[])?.send()).await;
        let response = sent.map_err(|_| broken())?.map_err(|_| broken())?;
        if !response.status().is_success() {
            return Err(broken());
        }
        let (body, end) = whole_body(response.bytes_stream(), bounds).await;
        end.map(|()| body).map_err(|_| broken())
    }
}

/// What a service answers, as JSON, asked for in so many bytes and within so long as its answers have.
///
/// # Errors
/// In words for the model; they hold no address and no key.
pub(super) async fn service_answer(name: &str, request: RequestBuilder) -> Result<Value, ToolError> {
    answer_within(name, request, ANSWER).await
}

/// The same within other bounds.
///
/// # Errors
/// As [`service_answer`].
pub(super) async fn answer_within(
    name: &str,
    request: RequestBuilder,
    bounds: Bounds,
) -> Result<Value, ToolError> {
    let broken = |what: &str| ToolError::Broken(format!("{name} {what}"));
    let late = || broken(&format!("did not answer within {} s", bounds.time.as_secs_f64()));
    let sent = tokio::time::timeout(bounds.time, request.send()).await.map_err(|_| late())?;
    let response = sent.map_err(|_| broken("cannot be reached"))?;
    let status = response.status();
    let (body, end) = whole_body(response.bytes_stream(), bounds).await;
    let value = serde_json::from_slice::<Value>(&body);
    if !status.is_success() {
        let said = value.ok().and_then(|value| said_in(&value)).unwrap_or_default();
        return Err(broken(&format!("answers {}{said}", status.as_u16())));
    }
    match end {
        Ok(()) => value.map_err(|_| broken("answers what is no JSON")),
        Err(ReadCut::TooLong(_)) => Err(late()),
        Err(ReadCut::TooMuch(_)) => Err(broken("answers without end")),
        Err(ReadCut::Broken(_)) => Err(broken("broke off its answer")),
    }
}

/// What a refusal says, where services put it.
fn said_in(value: &Value) -> Option<String> {
    let places = ["/error/message", "/error/detail", "/message", "/reason", "/error"];
    let said = places.iter().find_map(|place| value.pointer(place)?.as_str())?;
    Some(format!(": {}", shortened(&one_line(said), SAID_CHARS)))
}
