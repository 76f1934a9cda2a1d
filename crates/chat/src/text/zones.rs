//! Time zones by the names people use for them.

use jiff::tz::TimeZone;

use super::short::one_line;

/// Cities, countries with one zone, and abbreviations, as [`Cues`](super::cues::Cues) writes them. Ambiguous
/// abbreviations (IST, CST of China) are read as most people in chats mean them.
const NAMES: &[(&str, &str)] = &[
    ("amsterdam", "Europe/Amsterdam"),
    ("athens", "Europe/Athens"),
    ("athen", "Europe/Athens"),
    ("auckland", "Pacific/Auckland"),
    ("bangkok", "Asia/Bangkok"),
    ("beijing", "Asia/Shanghai"),
    ("peking", "Asia/Shanghai"),
    ("berlin", "Europe/Berlin"),
    ("bogota", "America/Bogota"),
    ("boston", "America/New_York"),
    ("brussels", "Europe/Brussels"),
    ("brüssel", "Europe/Brussels"),
    ("buenos aires", "America/Argentina/Buenos_Aires"),
    ("cairo", "Africa/Cairo"),
    ("kairo", "Africa/Cairo"),
    ("cape town", "Africa/Johannesburg"),
    ("chicago", "America/Chicago"),
    ("copenhagen", "Europe/Copenhagen"),
    ("delhi", "Asia/Kolkata"),
    ("denver", "America/Denver"),
    ("dubai", "Asia/Dubai"),
    ("dublin", "Europe/Dublin"),
    ("france", "Europe/Paris"),
    ("frankreich", "Europe/Paris"),
    ("germany", "Europe/Berlin"),
    ("deutschland", "Europe/Berlin"),
    ("hanoi", "Asia/Ho_Chi_Minh"),
    ("hawaii", "Pacific/Honolulu"),
    ("helsinki", "Europe/Helsinki"),
    ("hong kong", "Asia/Hong_Kong"),
    ("honolulu", "Pacific/Honolulu"),
    ("india", "Asia/Kolkata"),
    ("indien", "Asia/Kolkata"),
    ("istanbul", "Europe/Istanbul"),
    ("italy", "Europe/Rome"),
    ("italien", "Europe/Rome"),
    ("jakarta", "Asia/Jakarta"),
    ("japan", "Asia/Tokyo"),
    ("johannesburg", "Africa/Johannesburg"),
    ("karachi", "Asia/Karachi"),
    ("korea", "Asia/Seoul"),
    ("kyiv", "Europe/Kyiv"),
    ("kyoto", "Asia/Tokyo"),
    ("lagos", "Africa/Lagos"),
    ("lima", "America/Lima"),
    ("lisbon", "Europe/Lisbon"),
    ("lissabon", "Europe/Lisbon"),
    ("london", "Europe/London"),
    ("los angeles", "America/Los_Angeles"),
    ("madrid", "Europe/Madrid"),
    ("manila", "Asia/Manila"),
    ("melbourne", "Australia/Melbourne"),
    ("mexico city", "America/Mexico_City"),
    ("miami", "America/New_York"),
    ("montreal", "America/Toronto"),
    ("moscow", "Europe/Moscow"),
    ("moskau", "Europe/Moscow"),
    ("mumbai", "Asia/Kolkata"),
    ("munich", "Europe/Berlin"),
    ("münchen", "Europe/Berlin"),
    ("nairobi", "Africa/Nairobi"),
    ("new york city", "America/New_York"),
    ("new york", "America/New_York"),
    ("nyc", "America/New_York"),
    ("osaka", "Asia/Tokyo"),
    ("oslo", "Europe/Oslo"),
    ("paris", "Europe/Paris"),
    ("perth", "Australia/Perth"),
    ("poland", "Europe/Warsaw"),
    ("polen", "Europe/Warsaw"),
    ("prague", "Europe/Prague"),
    ("prag", "Europe/Prague"),
    ("reykjavik", "Atlantic/Reykjavik"),
    ("rio", "America/Sao_Paulo"),
    ("rome", "Europe/Rome"),
    ("rom", "Europe/Rome"),
    ("san francisco", "America/Los_Angeles"),
    ("sao paulo", "America/Sao_Paulo"),
    ("seattle", "America/Los_Angeles"),
    ("seoul", "Asia/Seoul"),
    ("shanghai", "Asia/Shanghai"),
    ("singapore", "Asia/Singapore"),
    ("singapur", "Asia/Singapore"),
    ("spain", "Europe/Madrid"),
    ("spanien", "Europe/Madrid"),
    ("stockholm", "Europe/Stockholm"),
    ("sydney", "Australia/Sydney"),
    ("taipei", "Asia/Taipei"),
    ("tehran", "Asia/Tehran"),
    ("tel aviv", "Asia/Jerusalem"),
    ("tokyo", "Asia/Tokyo"),
    ("tokio", "Asia/Tokyo"),
    ("toronto", "America/Toronto"),
    ("uk", "Europe/London"),
    ("england", "Europe/London"),
    ("vancouver", "America/Vancouver"),
    ("vienna", "Europe/Vienna"),
    ("wien", "Europe/Vienna"),
    ("warsaw", "Europe/Warsaw"),
    ("warschau", "Europe/Warsaw"),
    ("wellington", "Pacific/Auckland"),
    ("zurich", "Europe/Zurich"),
    ("zürich", "Europe/Zurich"),
    ("utc", "UTC"),
    ("gmt", "UTC"),
    ("cet", "Europe/Paris"),
    ("cest", "Europe/Paris"),
    ("mez", "Europe/Berlin"),
    ("bst", "Europe/London"),
    ("est", "America/New_York"),
    ("edt", "America/New_York"),
    ("eastern", "America/New_York"),
    ("central", "America/Chicago"),
    ("mountain", "America/Denver"),
    ("pacific", "America/Los_Angeles"),
    ("pst", "America/Los_Angeles"),
    ("pdt", "America/Los_Angeles"),
    ("ist", "Asia/Kolkata"),
    ("jst", "Asia/Tokyo"),
    ("kst", "Asia/Seoul"),
    ("aest", "Australia/Sydney"),
];

/// The zone whose name `text` begins with, with that name. `text` is written as
/// [`Cues`](super::cues::Cues) writes it. The name is one of the table's, so it is safe to repeat.
pub fn zone_at_start(text: &str) -> Option<(&'static str, TimeZone)> {
    let text = text.trim_start_matches("the ");
    let begins =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let (name, zone) = NAMES.iter().filter(|(name, _)| begins(name)).max_by_key(|(name, _)| name.len())?;
    Some((name, TimeZone::get(zone).ok()?))
}

/// The clock that a line noted about somebody tells of: their time zone where it is written down, else that of where they
/// live, as far as the table or the tables of time zones know it. `is_home` tells which.
pub fn noted(line: &str) -> Option<NotedClock> {
    let line = line.to_lowercase();
    let behind = |marks: &[&str]| {
        let found = marks.iter().find_map(|mark| line.find(mark).map(|at| &line[at + mark.len()..]))?;
        Some(found.trim_matches(|c: char| !c.is_alphanumeric() && c != '/'))
    };
    if let Some(told) = behind(&["time zone is ", "time zone: ", "timezone: ", "zeitzone: "]) {
        // "CET" is what people there call it, and a zone of its own in the tables.
        let iana = || told.split_whitespace().next().and_then(|name| TimeZone::get(name).ok());
        let zone = zone_at_start(&single_spaced(told)).map(|(_, zone)| zone).or_else(iana);
        return zone.map(|zone| NotedClock { zone, is_home: false });
    }
    let home = behind(&[" lives in ", "lives in: ", "home: "])?;
    // "Paris, Texas" is not where most people think.
    let place = single_spaced(home);
    let (name, zone) = zone_at_start(&place)?;
    (place == name).then_some(NotedClock { zone, is_home: true })
}

/// A clock that was noted.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedClock {
    pub zone: TimeZone,
    /// It was read from where somebody lives.
    pub is_home: bool,
}

/// Words between single spaces.
fn single_spaced(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    one_line(&spaced)
}

/// The name of a zone of the table, as the tables of time zones have it.
pub fn iana(zone: &TimeZone) -> Option<&'static str> {
    let name = zone.iana_name()?;
    NAMES.iter().map(|(_, zone)| *zone).find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_zone_of_the_table_exists() {
        for (name, zone) in NAMES {
            assert!(TimeZone::get(zone).is_ok(), "{name}: {zone}");
        }
    }

    #[test]
    fn a21_a_clock_is_read_from_what_is_noted() {
        let zone =
            |line: &str| noted(line).map(|noted| (noted.zone.iana_name().unwrap().to_owned(), noted.is_home));
        let told = |name: &str| Some((name.to_owned(), false));
        let home = |name: &str| Some((name.to_owned(), true));
        assert_eq!(zone("- Alice's time zone is Tokyo."), told("Asia/Tokyo"));
        assert_eq!(zone("Time zone: Europe/Lisbon"), told("Europe/Lisbon"));
        assert_eq!(zone("Alice's time zone is CET"), told("Europe/Paris"));
        assert_eq!(zone("- Alice lives in New York."), home("America/New_York"));
        assert_eq!(zone("Alice lives in Paris, Texas."), None);
        assert_eq!(zone("Alice lives in a tree."), None);
        assert_eq!(zone("Alice likes Tokyo."), None);
    }

    #[test]
    fn the_longest_name_counts_and_only_as_whole_words() {
        assert_eq!(zone_at_start("new york right now").unwrap().0, "new york");
        assert_eq!(zone_at_start("tokyo").unwrap().1.iana_name(), Some("Asia/Tokyo"));
        assert!(zone_at_start("romeo").is_none() && zone_at_start("").is_none());
    }
}
