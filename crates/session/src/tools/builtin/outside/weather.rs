//! The weather, by Open-Meteo, which asks for no key.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::fresh::Fresh;
use super::service::{Services, service_answer};
use crate::text::names::prompt_label;
use crate::text::short::beginning;
use crate::tools::tool::{Shelf, Tool, ToolContext, ToolEntry, ToolError};

/// Characters of a place's name that are read.
const PLACE_CHARS: usize = 100;

/// Days that are told, today among them.
const DAYS: &str = "4";

/// Tells the weather of a place. Its numbers are a service's and its words ours, but the place's name stands in a register
/// that everybody can write to, so it counts as others' words.
#[derive(Debug)]
pub(super) struct Weather {
    pub(super) services: Arc<Services>,
    pub(super) fresh: Arc<Fresh>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct WeatherOf {
    /// A town.
    place: String,
    /// For °F and mph.
    imperial: Option<bool>,
}

#[async_trait]
impl Tool for Weather {
    type Arguments = WeatherOf;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("weather", Shelf::World, "Tells the weather of a place, now and in the next days.")
    }

    fn let_go(&self) {
        self.fresh.clear();
    }

    async fn run(&self, given: WeatherOf, context: &ToolContext) -> Result<String, ToolError> {
        let place = beginning(given.place.trim(), PLACE_CHARS).to_owned();
        if place.is_empty() {
            return Err(ToolError::Arguments("say where".to_owned()));
        }
        let is_imperial = given.imperial.unwrap_or(false);
        let asked = format!("weather {is_imperial} {}", place.to_lowercase());
        if let Some(found) = self.fresh.find(context, &asked) {
            return Ok(found);
        }
        let services = &*self.services;
        let search = [("name", place.as_str()), ("count", "1"), ("language", "en"), ("format", "json")];
        let found =
            service_answer("the weather service", services.question(&services.at.places, &search)?).await?;
        let Some(town) = found["results"].get(0) else {
            return Err(ToolError::Arguments(
                "no place of that name is known: name a town, in English".to_owned(),
            ));
        };
        let (latitude, longitude) =
            coordinates(town).ok_or_else(|| ToolError::broken("the weather service answers nonsense"))?;
        let (latitude, longitude) = (latitude.to_string(), longitude.to_string());
        let mut wanted = vec![
            ("latitude", latitude.as_str()),
            ("longitude", longitude.as_str()),
            (
                "current",
                "temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m",
            ),
            ("daily", "weather_code,temperature_2m_max,temperature_2m_min,precipitation_probability_max"),
            ("forecast_days", DAYS),
            ("timezone", "auto"),
        ];
        if is_imperial {
            wanted.push(("temperature_unit", "fahrenheit"));
            wanted.push(("wind_speed_unit", "mph"));
        }
        let weather =
            service_answer("the weather service", services.question(&services.at.weather, &wanted)?).await?;
        let told = weather_in_words(&town_name(town), &weather, is_imperial)
            .ok_or_else(|| ToolError::broken("the weather service answers nonsense"))?;
        self.fresh.keep(context, &asked, &told);
        Ok(told)
    }
}

fn coordinates(town: &Value) -> Option<(f64, f64)> {
    Some((town["latitude"].as_f64()?, town["longitude"].as_f64()?))
}

/// The town with where it is, since there are several of most names.
fn town_name(town: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in ["name", "admin1", "country"] {
        let part = prompt_label(town[part].as_str().unwrap_or_default());
        if !part.is_empty() && !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join(", ")
}

/// Numbers and our own words; nothing where the service sent no numbers.
fn weather_in_words(place: &str, weather: &Value, is_imperial: bool) -> Option<String> {
    let (degrees, speed) = if is_imperial { ("°F", "mph") } else { ("°C", "km/h") };
    let now = &weather["current"];
    let number = |value: &Value| value.as_f64().map(|number| format!("{:.0}", number.round() + 0.0));
    let mut told = format!("{place}, now: {}{degrees}", number(&now["temperature_2m"])?);
    if let Some(felt) = number(&now["apparent_temperature"]) {
        let _ = write!(told, " (feels like {felt}{degrees})");
    }
    let _ = write!(told, ", {}", sky(&now["weather_code"]));
    if let Some(wind) = number(&now["wind_speed_10m"]) {
        let _ = write!(told, ", wind {wind} {speed}");
    }
    if let Some(humidity) = number(&now["relative_humidity_2m"]) {
        let _ = write!(told, ", humidity {humidity}%");
    }
    told.push('.');
    let daily = &weather["daily"];
    for (at, day) in daily["time"].as_array().into_iter().flatten().take(7).enumerate() {
        let Some(day) = day.as_str().and_then(|day| day.parse::<jiff::civil::Date>().ok()) else { continue };
        let of = |name: &str| number(&daily[name][at]);
        let (Some(low), Some(high)) = (of("temperature_2m_min"), of("temperature_2m_max")) else { continue };
        let _ = write!(
            told,
            "\n{}: {low} to {high}{degrees}, {}",
            day.strftime("%A %-d %B"),
            sky(&daily["weather_code"][at])
        );
        if let Some(chance) = of("precipitation_probability_max") {
            let _ = write!(told, ", {chance}% chance of rain or snow");
        }
        told.push('.');
    }
    Some(told)
}

/// The World Meteorological Organization's codes, as far as the service uses them.
fn sky(code: &Value) -> &'static str {
    match code.as_u64() {
        Some(0) => "clear",
        Some(1) => "mostly clear",
        Some(2) => "partly cloudy",
        Some(3) => "overcast",
        Some(45 | 48) => "fog",
        Some(51 | 53 | 55) => "drizzle",
        Some(56 | 57) => "freezing drizzle",
        Some(61) => "light rain",
        Some(63) => "rain",
        Some(65) => "heavy rain",
        Some(66 | 67) => "freezing rain",
        Some(71) => "light snow",
        Some(73) => "snow",
        Some(75) => "heavy snow",
        Some(77) => "snow grains",
        Some(80..=82) => "showers",
        Some(85 | 86) => "snow showers",
        Some(95) => "thunderstorm",
        Some(96 | 99) => "thunderstorm with hail",
        _ => "sky unknown",
    }
}
