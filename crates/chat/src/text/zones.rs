//! Time zones by the names people use for them.

use std::sync::LazyLock;

use jiff::tz::TimeZone;

use super::cues::Cues;
use super::short::one_line;

/// Cities, countries with one zone, and abbreviations.
static NAMES: LazyLock<Vec<ZoneName>> = LazyLock::new(|| {
    let lines = include_str!("zones.txt").lines().filter(|line| !line.starts_with('#'));
    let each = lines.filter_map(|line| line.split_once(": "));
    let names = each.flat_map(|(zone, names)| names.split(", ").map(move |written| (zone, written)));
    names
        .map(|(zone, written)| ZoneName { comparable: Cues::of(written).text().to_owned(), written, zone })
        .collect()
});

#[derive(Debug)]
struct ZoneName {
    /// As [`Cues`] writes it.
    comparable: String,
    written: &'static str,
    zone: &'static str,
}

/// The zone of a name that was kept; UTC where this machine knows none of that name any more.
pub fn named(kept: &str) -> TimeZone {
    TimeZone::get(kept).unwrap_or(TimeZone::UTC)
}

/// The zone whose name `text` begins with, with that name. Both are as [`Cues`] writes them. The name is one of the table's, so
/// it is safe to repeat.
pub fn zone_at_start(text: &str) -> Option<(&'static str, TimeZone)> {
    let text = text.trim_start_matches("the ");
    let begins =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let known = NAMES.iter().filter(|known| begins(&known.comparable));
    let known = known.max_by_key(|known| known.comparable.len())?;
    Some((&known.comparable, TimeZone::get(known.zone).ok()?))
}

/// The zone that `text` names and says nothing else: by a name of the table, or as the tables of time zones have it.
pub fn zone_called(text: &str) -> Option<TimeZone> {
    let cues = Cues::of(text);
    let place = cues.text().trim_start_matches("the ");
    let known = zone_at_start(place).filter(|(name, _)| place == *name).map(|(_, zone)| zone);
    known.or_else(|| TimeZone::get(text.trim()).ok())
}

/// A name of the table as people write it: "New York", "UTC".
pub fn written(name: &str) -> &str {
    NAMES.iter().find(|known| known.comparable == name).map_or(name, |known| known.written)
}

/// The clock that a line noted about somebody tells of: their time zone where it is written down, else that of where they
/// live, as far as the table or the tables of time zones know it. `is_home` tells which.
pub fn noted(line: &str) -> Option<NotedClock> {
    // A small "İ" is an "i" with a dot upon it.
    let line = line.to_lowercase().replace('\u{307}', "");
    let behind = |marks: &[&str]| {
        let found = marks.iter().find_map(|mark| line.find(mark).map(|at| &line[at + mark.len()..]))?;
        Some(found.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'))
    };
    if let Some(told) = behind(&["time zone is ", "time zone: ", "timezone: ", "zeitzone: "]) {
        // "CET" is what people there call it, and a zone of its own in the tables.
        let iana = || told.split_whitespace().next().and_then(|name| TimeZone::get(name).ok());
        let zone = zone_at_start(&single_spaced(told)).map(|(_, zone)| zone).or_else(iana);
        return zone.map(|zone| NotedClock { zone: Some(zone), is_home: false });
    }
    let home = behind(&[" lives in ", "lives in: ", "home: "])?;
    // "Paris, Texas" is not where most people think.
    let place = single_spaced(home);
    let place = place.trim_start_matches("the ");
    let zone = zone_at_start(place).filter(|(name, _)| place == *name).map(|(_, zone)| zone);
    Some(NotedClock { zone, is_home: true })
}

/// A clock that was noted.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedClock {
    /// `None` where they live somewhere that no table names.
    pub zone: Option<TimeZone>,
    /// It was read from where somebody lives.
    pub is_home: bool,
}

fn single_spaced(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    one_line(&spaced)
}

/// The name of a zone of the table, as the tables of time zones have it.
pub fn iana(zone: &TimeZone) -> Option<&'static str> {
    let name = zone.iana_name()?;
    NAMES.iter().map(|known| known.zone).find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_table_exists() {
        for known in NAMES.iter() {
            assert!(TimeZone::get(known.zone).is_ok(), "{known:?}");
        }
        let lines = include_str!("zones.txt").lines().filter(|line| !line.starts_with('#'));
        let names: usize = lines.map(|line| line.split(", ").count()).sum();
        assert_eq!(NAMES.len(), names, "every line is read");
        let mut comparable: Vec<&str> = NAMES.iter().map(|known| known.comparable.as_str()).collect();
        comparable.sort_unstable();
        comparable.dedup();
        assert_eq!(comparable.len(), names, "no name stands twice");
    }

    #[test]
    fn a21_a_clock_is_read_from_what_is_noted() {
        let zone = |line: &str| {
            let noted = noted(line)?;
            Some((noted.zone.and_then(|zone| zone.iana_name().map(str::to_owned)), noted.is_home))
        };
        let told = |name: &str| Some((Some(name.to_owned()), false));
        let home = |name: &str| Some((Some(name.to_owned()), true));
        let somewhere = Some((None, true));
        assert_eq!(zone("- Alice's time zone is Tokyo."), told("Asia/Tokyo"));
        assert_eq!(zone("Time zone: Europe/Lisbon"), told("Europe/Lisbon"));
        assert_eq!(zone("Alice's time zone is CET"), told("Europe/Paris"));
        assert_eq!(zone("- Alice lives in New York."), home("America/New_York"));
        assert_eq!(zone("Alice lives in Paris, Texas."), somewhere);
        assert_eq!(zone("Alice lives in a tree."), somewhere);
        for (place, name) in [
            ("東京", "Asia/Tokyo"),
            ("大阪市", "Asia/Tokyo"),
            ("日本", "Asia/Tokyo"),
            ("서울", "Asia/Seoul"),
            ("上海", "Asia/Shanghai"),
            ("台北", "Asia/Taipei"),
            ("Manchester", "Europe/London"),
            ("Barcelona", "Europe/Madrid"),
            ("Hamburg", "Europe/Berlin"),
            ("Köln", "Europe/Berlin"),
            ("Deutschland", "Europe/Berlin"),
            ("Lyon", "Europe/Paris"),
            ("Marseille", "Europe/Paris"),
            ("İzmir", "Europe/Istanbul"),
            ("Krakowie", "Europe/Warsaw"),
            ("Новосибирске", "Asia/Novosibirsk"),
            ("Florianópolis", "America/Sao_Paulo"),
            ("Corée du Sud", "Asia/Seoul"),
            ("Aix-en-Provence", "Europe/Paris"),
            ("St. Louis", "America/Chicago"),
            ("the UK", "Europe/London"),
        ] {
            assert_eq!(zone(&format!("- Alice lives in {place}.")), home(name), "{place}");
        }
        assert_eq!(zone("Alice likes Tokyo."), None);
    }

    #[test]
    fn the_longest_name_counts_and_only_as_whole_words() {
        assert_eq!(zone_at_start("new york right now").unwrap().0, "new york");
        assert_eq!(zone_at_start("tokyo").unwrap().1.iana_name(), Some("Asia/Tokyo"));
        assert!(zone_at_start("romeo").is_none() && zone_at_start("").is_none());
    }

    #[test]
    fn a_zone_is_called_by_its_places_or_by_its_own_name() {
        let called = |text: &str| zone_called(text).and_then(|zone| zone.iana_name().map(str::to_owned));
        for text in ["Tokyo", " tokyo ", "Asia/Tokyo", "東京"] {
            assert_eq!(called(text).as_deref(), Some("Asia/Tokyo"), "{text}");
        }
        assert_eq!(called("the UK").as_deref(), Some("Europe/London"));
        assert_eq!(called("CET").as_deref(), Some("Europe/Paris"), "what people there call it");
        for text in ["Middle/Earth", "Tokyo Drift"] {
            assert_eq!(called(text), None, "{text}");
        }
    }
}
