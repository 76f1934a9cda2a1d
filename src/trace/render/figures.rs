//! Numbers and quotations as people read them.

use crate::text::short::one_line;
pub(super) use crate::text::short::thousands;

/// Microseconds as milliseconds with one decimal below ten.
pub(super) fn millis(us: u64) -> String {
    if us < 10_000 { format!("{}.{}", us / 1_000, us % 1_000 / 100) } else { thousands(us / 1_000) }
}

/// Microseconds as seconds, `1.84 s`; as milliseconds below one second.
pub(super) fn seconds(us: u64) -> String {
    if us < 1_000_000 {
        format!("{} ms", millis(us))
    } else {
        format!("{}.{:02} s", thousands(us / 1_000_000), us % 1_000_000 / 10_000)
    }
}

/// US dollars, with as many digits as a small call needs.
pub(super) fn cost(dollars: f64) -> String {
    if dollars >= 0.1 { format!("${dollars:.2}") } else { format!("${dollars:.5}") }
}

/// A text as one cell of a table.
pub(super) fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

/// A text word for word, between fences longer than any it holds.
pub(super) fn quoted(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_backticks(text).max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

fn longest_backticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1_000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(millis(1_840), "1.8");
        assert_eq!(seconds(1_845_000), "1.84 s");
        assert_eq!(seconds(80_000), "80 ms");
        assert_eq!(cost(0.00123), "$0.00123");
        assert_eq!(cost(1.5), "$1.50");
    }

    #[test]
    fn a_quotation_cannot_close_its_own_fence() {
        assert_eq!(quoted("a ```` b", ""), "`````\na ```` b\n`````\n");
        assert_eq!(quoted("plain", "json"), "```json\nplain\n```\n");
    }
}
