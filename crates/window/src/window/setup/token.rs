//! What a bot token looks like, and what is copied in its place. Looked at here and, by the same patterns, on the page.

use regex::Regex;
use secrecy::{ExposeSecret as _, SecretString};

use super::super::messages;

/// Three parts, the first of which may end as base64 does.
pub(super) const TOKEN: &str = r"^[A-Za-z0-9_-]+=*\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$";

/// What stands near it on Discord's pages, and what is said of it. For both ends: browsers read these too.
pub(super) const UNLIKE: [(&str, &str); 4] = [
    (r"^[0-9]{15,21}$", messages::AN_ID),
    (r"^[0-9a-f]{64}$", messages::PUBLIC_KEY),
    (r"^[A-Za-z0-9_-]{32}$", messages::CLIENT_SECRET),
    (r"^https?://", messages::AN_ADDRESS),
];

/// What is wrong with what was entered for a token, by its shape alone; `None` where it may be one.
pub(super) fn mistaken(entered: &SecretString) -> Option<&'static str> {
    let entered = entered.expose_secret();
    let fits = |pattern: &str| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(entered));
    let is_token = fits(TOKEN) && crate::discord::application_of(&SecretString::from(entered)).is_some();
    let named = UNLIKE.into_iter().find(|(pattern, _)| fits(pattern));
    (!is_token).then(|| named.map_or(messages::NO_TOKEN, |(_, words)| words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(entered: &str) -> Option<&'static str> {
        mistaken(&SecretString::from(entered.to_owned()))
    }

    #[test]
    fn what_is_copied_in_its_place_is_told_by_its_name() {
        assert_eq!(told("MTAwMDAwMDAwMDAwMDAwMDAwMQ.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"), None);
        assert_eq!(told("MTAwMDAwMDAwMDAwMDAwMDAwMQ==.Cl2FMQ.x-_"), None);
        for (entered, words) in [
            ("1000000000000000001", messages::AN_ID),
            ("0a".repeat(32).as_str(), messages::PUBLIC_KEY),
            ("q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6", messages::CLIENT_SECRET),
            ("https://discord.com/developers", messages::AN_ADDRESS),
            ("hello", messages::NO_TOKEN),
            ("MTAwMDAwMDAwMDAwMDAwMDAwMQ.Cl2FMQ", messages::NO_TOKEN),
            ("mfa.of.somebody", messages::NO_TOKEN),
            ("MTAw.two words.x", messages::NO_TOKEN),
        ] {
            assert_eq!(told(entered), Some(words), "{entered}");
        }
    }
}
