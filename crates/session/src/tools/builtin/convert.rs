//! One unit in another, and one currency in another.

use std::sync::LazyLock;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::reflex::reckon::{in_unit, is_unit, render_number};
use crate::tools::tool::{Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// Converts by the units that the reflexes know, and money by a table with a date of its own.
#[derive(Debug)]
pub(super) struct Convert;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Amount {
    amount: f64,
    /// A unit, or a currency's code: km, lb, °F, MB, EUR.
    from: String,
    to: String,
}

#[async_trait]
impl Tool for Convert {
    type Arguments = Amount;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "convert",
            Shelf::Play,
            "Converts lengths, masses, volumes, areas, speeds, times, data, temperatures and money (at rates \
                          of a past day, which it names).",
        )
        .in_own_words()
    }

    async fn run(&self, given: Amount, _: &ToolContext) -> Result<String, ToolError> {
        let Amount { amount, from, to } = given;
        if !amount.is_finite() {
            return Err(ToolError::Arguments("the amount is no number".to_owned()));
        }
        if let Some(told) = in_unit(amount, &from, &to) {
            return Ok(told);
        }
        if let (Some(from), Some(to)) = (RATES.find(&from), RATES.find(&to)) {
            // Money has no smaller part than a hundredth worth telling, unless there is hardly any.
            let worth = amount / from.per_euro * to.per_euro;
            let places = if worth.abs() < 1.0 { 4 } else { 2 };
            return Ok(format!(
                "{} {} = {worth:.places$} {}, by the European Central Bank's rates of {}.",
                render_number(amount),
                from.code,
                to.code,
                RATES.day
            ));
        }
        let is_known = |name: &str| is_unit(name) || RATES.find(name).is_some();
        let unknown: Vec<String> =
            [&from, &to].into_iter().filter(|name| !is_known(name)).map(|name| format!("{name:?}")).collect();
        Err(ToolError::Arguments(match unknown[..] {
            [] => "these two are the same, or do not measure the same".to_owned(),
            _ => {
                format!("{} is not known: use short names such as km, lb, C, MB, EUR", unknown.join(" and "))
            }
        }))
    }
}

/// What one euro was worth on one day.
struct Rates {
    day: &'static str,
    all: Vec<Currency>,
}

struct Currency {
    code: &'static str,
    per_euro: f64,
    names: Vec<&'static str>,
}

static RATES: LazyLock<Rates> = LazyLock::new(|| {
    let mut lines = include_str!("rates.txt").lines().filter(|line| !line.starts_with('#'));
    let day = lines.next().unwrap_or_default();
    let all = lines.filter_map(|line| {
        let (rate, names) = line.split_once(": ")?;
        let (code, per_euro) = rate.split_once(' ')?;
        Some(Currency { code, per_euro: per_euro.parse().ok()?, names: names.split(", ").collect() })
    });
    Rates { day, all: all.collect() }
});

impl Rates {
    fn find(&self, name: &str) -> Option<&Currency> {
        let name = name.trim().to_lowercase();
        self.all.iter().find(|one| one.code.eq_ignore_ascii_case(&name) || one.names.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Audience, ChannelId, Place};
    use crate::tools::builtin::tests::context;

    async fn converted(amount: f64, from: &str, to: &str) -> Result<String, ToolError> {
        let here = context(Place { audience: Audience::Canon, ..Place::terminal(ChannelId::from(1)) });
        Convert.run(Amount { amount, from: from.to_owned(), to: to.to_owned() }, &here).await
    }

    #[tokio::test]
    async fn what_measures_the_same_is_converted() {
        for (amount, from, to, told) in [
            (5.0, "km", "miles", "5 km = 3.106856 miles."),
            (1.0, "Pound", "kg", "1 pounds = 0.453592 kg."),
            (20.0, "°C", "F", "20 °C = 68 °F."),
            (-40.0, "fahrenheit", "Celsius", "-40 °F = -40 °C."),
            (0.0, "K", "C", "0 K = -273.15 °C."),
            (2.0, "l", "ml", "2 l = 2000 ml."),
            (100.0, "km/h", "mph", "100 km/h = 62.137119 mph."),
            (1.0, "acre", "m²", "1 acres = 4046.856422 m²."),
            (1.0, "GiB", "MB", "1 GiB = 1073.741824 MB."),
            (90.0, "minutes", "hours", "90 minutes = 1.5 hours."),
            (
                100.0,
                "EUR",
                "usd",
                "100 EUR = 104.95 USD, by the European Central Bank's rates of 2024-11-25.",
            ),
            (1.0, "quid", "¥", "1 GBP = 193.66 JPY, by the European Central Bank's rates of 2024-11-25."),
            (1.0, "rupiah", "EUR", "1 IDR = 0.0001 EUR, by the European Central Bank's rates of 2024-11-25."),
        ] {
            assert_eq!(converted(amount, from, to).await.unwrap(), told, "{amount} {from} {to}");
        }
    }

    #[tokio::test]
    async fn what_is_not_known_or_not_alike_is_named() {
        for (from, to, why) in [
            ("km", "kg", "do not measure the same"),
            ("km", "kilometres", "are the same"),
            ("EUR", "km", "do not measure the same"),
            ("parsec", "km", "\"parsec\" is not known"),
            ("parsec", "cubit", "\"parsec\" and \"cubit\" is not known"),
        ] {
            let error = converted(1.0, from, to).await.unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert!(converted(f64::INFINITY, "km", "m").await.is_err());
    }

    #[test]
    fn every_row_of_the_rates_is_read() {
        assert_eq!(RATES.all.len(), 31);
        assert!(RATES.day.parse::<jiff::civil::Date>().is_ok());
        assert!(RATES.all.iter().all(|one| one.per_euro > 0.0 && one.code.len() == 3));
    }
}
