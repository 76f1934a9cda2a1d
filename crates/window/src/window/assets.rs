//! What pages are dressed in, compiled in. What is not in this table is not there, whatever a path says.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest as _, Sha256};

use super::accent::Accent;
use super::shared::Shared;
use crate::text::short::hex;

macro_rules! asset {
    ($name:literal, $kind:literal) => {
        ($name, $kind, include_bytes!(concat!("assets/", $name)))
    };
}

const ASSETS: &[(&str, &str, &[u8])] = &[
    asset!("app.css", "text/css; charset=utf-8"),
    asset!("app.js", "text/javascript; charset=utf-8"),
    asset!("favicon.svg", "image/svg+xml"),
    asset!("icons.svg", "image/svg+xml"),
    asset!("literata.woff2", "font/woff2"),
    asset!("literata-cyrillic.woff2", "font/woff2"),
    asset!("literata-cyrillic-italic.woff2", "font/woff2"),
    asset!("literata-ext.woff2", "font/woff2"),
    asset!("literata-ext-italic.woff2", "font/woff2"),
    asset!("literata-italic.woff2", "font/woff2"),
    asset!("literata-licence.txt", "text/plain; charset=utf-8"),
];

/// Sent once, and again only where it has changed since: by what it holds, not by the time.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((_, kind, bytes)) = ASSETS.iter().find(|(known, ..)| *known == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("\"{}\"", hex(&Sha256::digest(bytes)[..8]));
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| *known == tag) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    ([(header::CONTENT_TYPE, (*kind).to_owned()), (header::ETAG, tag)], *bytes).into_response()
}

/// What the picture adds to the stylesheet; nothing until it was looked at, or where it has no colour.
pub(super) async fn accent_css(State(shared): State<Arc<Shared>>) -> Response {
    let css = shared.accent.get().copied().flatten().map(Accent::css).unwrap_or_default();
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], css).into_response()
}

#[cfg(test)]
mod tests {
    /// What the stylesheet says of a selector where it stands alone.
    fn rule_of(selector: &str) -> &'static str {
        let mut lines = include_str!("assets/app.css").lines();
        lines.find_map(|line| line.strip_prefix(selector)?.strip_prefix(" {")).unwrap()
    }

    #[test]
    fn a_caption_is_no_wider_than_what_is_seen_of_its_table() {
        assert!(rule_of(".scroll").contains("container-type: inline-size"));
        assert!(rule_of(".scroll caption").contains("max-width: 100cqi"));
    }

    #[test]
    fn links_in_a_list_that_wraps_are_high_enough_to_be_hit() {
        let rule = rule_of(".sorts a");
        assert!(rule.contains("min-width: 1.75rem") && rule.contains("line-height: 1.75rem"), "{rule}");
    }

    #[test]
    fn an_opened_why_moves_nothing_of_its_reply() {
        assert!(rule_of(".why").contains("grid-row: 1 / span 2"));
        assert!(rule_of(".message:has(.why)").contains("grid-template-rows: auto 1fr"));
    }

    #[test]
    fn what_the_program_tells_stands_in_the_column_of_what_was_said_at_every_width() {
        let rules = include_str!("assets/app.css").lines().filter_map(|line| line.split_once(" {"));
        let columns = rules.filter(|(_, rule)| rule.contains("grid-template-columns"));
        let selectors: Vec<Vec<&str>> =
            columns.map(|(selectors, _)| selectors.split(',').map(str::trim).collect()).collect();
        let of_messages: Vec<_> = selectors.iter().filter(|rule| rule.contains(&".message")).collect();
        assert_eq!(of_messages.len(), 3, "wide, narrower and narrow: {of_messages:?}");
        assert!(of_messages.iter().all(|rule| rule.contains(&".told")), "{of_messages:?}");
    }
}
