//! Time zones by the names people use for them.

use jiff::tz::TimeZone;

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
#[must_use]
pub fn named(text: &str) -> Option<(&'static str, TimeZone)> {
    let text = text.trim_start_matches("the ");
    let begins =
        |name: &str| text.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let (name, zone) = NAMES.iter().filter(|(name, _)| begins(name)).max_by_key(|(name, _)| name.len())?;
    Some((name, TimeZone::get(zone).ok()?))
}

/// The name of a zone of the table, as the tables of time zones have it.
#[must_use]
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
    fn the_longest_name_counts_and_only_as_whole_words() {
        assert_eq!(named("new york right now").unwrap().0, "new york");
        assert_eq!(named("tokyo").unwrap().1.iana_name(), Some("Asia/Tokyo"));
        assert!(named("romeo").is_none() && named("").is_none());
    }
}
