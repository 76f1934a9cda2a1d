//! Which figures of sampling a server takes for a model (specs familiar-connect 2.7: sampling is part of the prompt).
//!
//! Owns who refuses what. A figure that would be refused is not sent, and `familiar doctor` says so: a request that fails
//! for the sake of a taste helps nobody. Through OpenRouter a figure that the model behind it does not know is dropped
//! there. Must not know what the figures do. Start reading at [`sent`].

use serde_json::Value;

use super::endpoint::Dialect;
use crate::config::SlotConfig;

/// One figure, by its key in the settings and on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SamplingField {
    /// The likeliest words that make up a share of all.
    TopP,
    /// The likeliest words by number.
    TopK,
    /// The least share of the likeliest.
    MinP,
    /// What was there is avoided.
    PresencePenalty,
    /// What was there often is avoided more.
    FrequencyPenalty,
}

impl SamplingField {
    /// Its key under `[llm.<slot>]`, and in a request.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::TopP => "top_p",
            Self::TopK => "top_k",
            Self::MinP => "min_p",
            Self::PresencePenalty => "presence_penalty",
            Self::FrequencyPenalty => "frequency_penalty",
        }
    }
}

/// The figures that are set and sent.
pub(super) fn sent(
    settings: &SlotConfig,
    model: &str,
    dialect: Dialect,
) -> impl Iterator<Item = (SamplingField, Value)> {
    let refused = refused(settings, model, dialect);
    set(settings).into_iter().filter(move |(field, _)| !refused.contains(field))
}

/// The figures that are set and not sent, as this server would refuse the request.
pub(super) fn refused(settings: &SlotConfig, model: &str, dialect: Dialect) -> Vec<SamplingField> {
    let is_refused = |field: SamplingField| match dialect {
        // Its reasoning models take none, the others know neither of the last two.
        Dialect::OpenAi => {
            matches!(field, SamplingField::TopK | SamplingField::MinP) || is_openai_reasoning(model)
        }
        Dialect::OpenRouter | Dialect::Compatible | Dialect::Local => {
            let is_penalty =
                matches!(field, SamplingField::PresencePenalty | SamplingField::FrequencyPenalty);
            (field == SamplingField::TopP && is_one_of_two(settings, model))
                || (is_penalty && is_grok_reasoning(model))
        }
    };
    set(settings).into_iter().map(|(field, _)| field).filter(|field| is_refused(*field)).collect()
}

fn set(settings: &SlotConfig) -> Vec<(SamplingField, Value)> {
    let sampling = &settings.sampling;
    let figures = [
        (SamplingField::TopP, sampling.top_p.map(Value::from)),
        (SamplingField::TopK, sampling.top_k.map(Value::from)),
        (SamplingField::MinP, sampling.min_p.map(Value::from)),
        (SamplingField::PresencePenalty, sampling.presence_penalty.map(Value::from)),
        (SamplingField::FrequencyPenalty, sampling.frequency_penalty.map(Value::from)),
    ];
    figures.into_iter().filter_map(|(field, figure)| Some((field, figure?))).collect()
}

/// OpenAI's reasoning models: "Unsupported parameter: 'top_p' is not supported with this model".
fn is_openai_reasoning(model: &str) -> bool {
    let name = bare(model);
    !name.contains("chat") && ["o1", "o3", "o4", "gpt-5"].iter().any(|family| name.starts_with(family))
}

/// Newer Claudes: "`temperature` and `top_p` cannot both be specified for this model".
fn is_one_of_two(settings: &SlotConfig, model: &str) -> bool {
    settings.temperature.is_some() && bare(model).starts_with("claude")
}

/// xAI: penalties are refused by reasoning models.
fn is_grok_reasoning(model: &str) -> bool {
    let name = bare(model);
    (name.starts_with("grok-4") || name.starts_with("grok-3-mini")) && !name.contains("non-reasoning")
}

/// A model's name without whose it is.
fn bare(model: &str) -> &str {
    model.rsplit('/').next().unwrap_or(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sampling;

    fn settings(temperature: Option<f64>) -> SlotConfig {
        SlotConfig {
            model: "m".to_owned(),
            is_named: true,
            temperature,
            sampling: Sampling {
                top_p: Some(0.9),
                top_k: Some(40),
                min_p: Some(0.05),
                presence_penalty: Some(0.5),
                frequency_penalty: Some(-0.5),
            },
            fallbacks_are_named: true,
            ..SlotConfig::default()
        }
    }

    fn keys(model: &str, dialect: Dialect, temperature: Option<f64>) -> Vec<&'static str> {
        sent(&settings(temperature), model, dialect).map(|(field, _)| field.key()).collect()
    }

    const ALL: [&str; 5] = ["top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty"];

    #[test]
    fn fc_2_7_every_figure_goes_where_it_is_taken() {
        for model in ["z-ai/glm-5.1", "deepseek/deepseek-v4", "google/gemini-3-flash", "x-ai/grok-3"] {
            assert_eq!(keys(model, Dialect::OpenRouter, Some(0.7)), ALL, "{model}");
        }
        assert_eq!(keys("llama", Dialect::Local, Some(0.7)), ALL);
    }

    #[test]
    fn fc_2_7_what_a_family_refuses_is_not_sent() {
        assert_eq!(
            keys("gpt-4.1", Dialect::OpenAi, Some(0.7)),
            ["top_p", "presence_penalty", "frequency_penalty"]
        );
        assert_eq!(keys("gpt-5-mini", Dialect::OpenAi, Some(0.7)), Vec::<&str>::new());
        assert_eq!(keys("o3", Dialect::OpenAi, None), Vec::<&str>::new());
        assert_eq!(keys("anthropic/claude-opus-4.8", Dialect::OpenRouter, Some(0.7)), ALL[1..]);
        assert_eq!(keys("anthropic/claude-opus-4.8", Dialect::OpenRouter, None), ALL);
        assert_eq!(keys("grok-4-fast", Dialect::Compatible, Some(0.7)), ALL[..3]);
        assert_eq!(keys("grok-4-fast-non-reasoning", Dialect::Compatible, Some(0.7)), ALL);
    }

    #[test]
    fn fc_2_7_what_is_not_set_is_not_sent() {
        let bare = SlotConfig { sampling: Sampling::default(), ..settings(Some(0.7)) };
        assert_eq!(sent(&bare, "m", Dialect::OpenRouter).count(), 0);
        assert!(refused(&bare, "gpt-5", Dialect::OpenAi).is_empty());
    }
}
