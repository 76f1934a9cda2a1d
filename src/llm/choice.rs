//! Which model was chosen, and what would get a better one.

use std::fmt;
use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};

use super::discover::{LocalKind, LocalPort, LocalServer, discover_on};
use super::endpoint::{BadBaseUrl, Dialect, Endpoint, OPENROUTER};

/// Where the choice came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChosenSource {
    /// `llm.base_url`.
    Configured,
    /// A key without a base URL: OpenRouter.
    Key,
    /// A server found on this machine.
    Local(LocalKind),
    /// Nothing was found.
    Rehearsal,
}

/// A server that was chosen.
#[derive(Debug)]
pub(crate) struct Chosen {
    pub(crate) endpoint: Endpoint,
    /// What was found there, when it was found on this machine.
    pub(crate) local: Option<LocalServer>,
    pub(crate) source: ChosenSource,
}

/// The configured base URL; else OpenRouter when there is a key; else a server found on this machine. Takes up to
/// `patience` to look for local servers, and never waits for a remote one.
///
/// # Errors
/// When the configured base URL is unusable.
pub(crate) async fn choose(
    base_url: Option<&str>,
    key: Option<&SecretString>,
    local_ports: &[LocalPort],
    patience: Duration,
) -> Result<Option<Chosen>, BadBaseUrl> {
    if let Some(url) = base_url.map(str::trim).filter(|url| !url.is_empty()) {
        let endpoint = Endpoint::new(url, key.cloned())?;
        return Ok(Some(Chosen { endpoint, local: None, source: ChosenSource::Configured }));
    }
    if key.is_some_and(|key| !key.expose_secret().trim().is_empty()) {
        let endpoint = Endpoint::new(OPENROUTER, key.cloned())?;
        return Ok(Some(Chosen { endpoint, local: None, source: ChosenSource::Key }));
    }
    let Some(found) = discover_on(local_ports, patience).await else { return Ok(None) };
    let endpoint = Endpoint::new(&found.base_url, None)?.local();
    Ok(Some(Chosen { endpoint, source: ChosenSource::Local(found.kind), local: Some(found) }))
}

/// So many models are named of those that a server has.
const NAMED_MODELS: usize = 6;

/// The choice, for the start banner. `Display` is one line: which model, from where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelChoice {
    /// Why this one.
    pub source: ChosenSource,
    /// The main slot's model.
    pub model: String,
    /// The server; `None` for the rehearsal.
    pub base_url: Option<String>,
    /// What to set to get a better one, a sentence; `None` where nothing is amiss.
    pub advice: Option<String>,
}

impl ModelChoice {
    pub(crate) fn new(source: ChosenSource, endpoint: &Endpoint, model: String) -> Self {
        let advice = match source {
            ChosenSource::Local(LocalKind::Ollama) => Some(
                "Ollama reads 4,096 tokens unless OLLAMA_CONTEXT_LENGTH says more; set it, and \
                 llm.main_prose.context_window to the same figure."
                    .to_owned(),
            ),
            ChosenSource::Local(_) => {
                Some("Set llm.base_url and llm.main_prose.model to keep this choice.".to_owned())
            }
            _ if endpoint.dialect() == Dialect::OpenRouter && !endpoint.has_key() => {
                Some("OpenRouter wants a key: set OPENROUTER_API_KEY in .env.".to_owned())
            }
            _ => None,
        };
        Self { source, model, base_url: Some(endpoint.base_url().to_owned()), advice }
    }

    /// Says so where a server has several models, as nobody named one.
    pub(crate) fn advise_to_name(&mut self, listed: &[String]) {
        if listed.len() > 1 {
            let some = listed.iter().take(NAMED_MODELS).map(String::as_str).collect::<Vec<_>>().join(", ");
            self.advice = Some(format!(
                "This server has several models ({some}); name the one to use as llm.main_prose.model."
            ));
        }
    }

    pub(crate) fn rehearsal() -> Self {
        Self {
            source: ChosenSource::Rehearsal,
            model: "rehearsal".to_owned(),
            base_url: None,
            advice: Some(
                "No language model is connected. Set OPENROUTER_API_KEY in .env, or start Ollama, LM Studio, \
                 llama.cpp or vLLM on this machine, and start again."
                    .to_owned(),
            ),
        }
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.base_url.as_deref().unwrap_or_default();
        match self.source {
            ChosenSource::Configured => write!(f, "{} at {base_url} (llm.base_url)", self.model),
            ChosenSource::Key => write!(f, "{} at OpenRouter", self.model),
            ChosenSource::Local(kind) => write!(f, "{} at {kind} on this machine ({base_url})", self.model),
            ChosenSource::Rehearsal => write!(f, "rehearsal: the character's own lines, no language model"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_banner_says_which_and_from_where() {
        let endpoint = Endpoint::new("http://127.0.0.1:11434/v1", None).unwrap();
        let choice = |source| ModelChoice::new(source, &endpoint, "m".into());
        assert_eq!(
            choice(ChosenSource::Configured).to_string(),
            "m at http://127.0.0.1:11434/v1 (llm.base_url)"
        );
        assert_eq!(
            choice(ChosenSource::Local(LocalKind::Ollama)).to_string(),
            "m at Ollama on this machine (http://127.0.0.1:11434/v1)"
        );
        assert!(choice(ChosenSource::Local(LocalKind::Ollama)).advice.unwrap().contains("4,096"));
        assert_eq!(choice(ChosenSource::Configured).advice, None);
        assert!(ModelChoice::rehearsal().advice.unwrap().contains("OPENROUTER_API_KEY"));
    }

    #[test]
    fn openrouter_without_a_key_is_advised() {
        let endpoint = Endpoint::new("https://openrouter.ai/api/v1", None).unwrap();
        let choice = ModelChoice::new(ChosenSource::Configured, &endpoint, "m".into());
        assert!(choice.advice.unwrap().contains("OPENROUTER_API_KEY"));
    }
}
