//! Markdown as HTML that can do nothing: every tag in the result is one of ours, everything else is text.

use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

/// Schemes a link may have. Whatever else looks like a link is its text.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// What a model, a person or a card wrote, as HTML. A tag they wrote is shown as they wrote it, a picture as what it is
/// called, a link to anything but a page or an address of mail as its words; nothing is fetched from anywhere.
pub(super) fn html_of_markdown(text: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut links = Vec::new();
    let events = Parser::new_ext(text, options).filter_map(|event| harmless_event(event, &mut links));
    let mut out = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut out, events);
    out
}

/// What ends emphasis, code or a strike that is still open.
const ENDS: [&str; 8] = ["", "*", "**", "***", "_", "__", "`", "~~"];

/// What was written so far of a text that goes on, as it will look once its marks are closed: of the ways to end it, the one
/// that leaves the fewest marks standing as letters. A mark with nothing behind it yet is not shown.
pub(super) fn html_so_far(text: &str) -> String {
    let is_mark = |letter: char| matches!(letter, '*' | '_' | '`' | '~');
    let text = text.trim_end().trim_end_matches(is_mark).trim_end();
    // Emphasis ends with its paragraph.
    let last = text.rsplit("\n\n").next().unwrap_or_default();
    if !last.contains(is_mark) {
        return html_of_markdown(text);
    }
    let left = |end: &&&str| {
        let ended = format!("{last}{end}");
        let letters = Parser::new_ext(&ended, Options::ENABLE_STRIKETHROUGH).map(|event| match event {
            Event::Text(words) => words.matches(is_mark).count(),
            _ => 0,
        });
        letters.sum::<usize>()
    };
    let end = ENDS.iter().min_by_key(left).copied().unwrap_or_default();
    html_of_markdown(&format!("{text}{end}"))
}

/// `links` holds of each link that is open whether it is shown as one.
fn harmless_event<'t>(event: Event<'t>, links: &mut Vec<bool>) -> Option<Event<'t>> {
    Some(match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        // In a chat a line that ends is meant to end.
        Event::SoftBreak => Event::HardBreak,
        // Its column's side would be an inline style.
        Event::Start(Tag::Table(columns)) => {
            Event::Start(Tag::Table(vec![pulldown_cmark::Alignment::None; columns.len()]))
        }
        Event::Start(Tag::Image { .. } | Tag::HtmlBlock) | Event::End(TagEnd::Image | TagEnd::HtmlBlock) => {
            return None;
        }
        Event::Start(Tag::Link { dest_url, link_type, .. }) => {
            let href = if link_type == LinkType::Email {
                format!("mailto:{dest_url}")
            } else {
                dest_url.to_string()
            };
            let lower = href.to_ascii_lowercase();
            links.push(SCHEMES.iter().any(|scheme| lower.starts_with(scheme)));
            if links.last() != Some(&true) {
                return None;
            }
            let mut open = "<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"".to_owned();
            // Writing into a string cannot fail.
            let _written = pulldown_cmark_escape::escape_href(&mut open, &href);
            open.push_str("\">");
            Event::InlineHtml(CowStr::from(open))
        }
        Event::End(TagEnd::Link) => match links.pop() {
            Some(true) => Event::InlineHtml(CowStr::from("</a>")),
            _ => return None,
        },
        event => event,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags there are in a page, without their attributes.
    fn tags(html: &str) -> Vec<&str> {
        let inside = html.split('<').skip(1).map(|tag| tag.split(['>', ' ']).next().unwrap_or_default());
        inside.collect()
    }

    #[test]
    fn what_people_write_becomes_our_few_tags() {
        insta::assert_snapshot!(
            html_of_markdown("*waves* **so**\nand `code`\n\n- one\n- two\n\n> said\n\n[here](https://a.example/?q=1&b=\"2\")"),
            @r#"
        <p><em>waves</em> <strong>so</strong><br />
        and <code>code</code></p>
        <ul>
        <li>one</li>
        <li>two</li>
        </ul>
        <blockquote>
        <p>said</p>
        </blockquote>
        <p><a rel="noopener noreferrer nofollow" target="_blank" href="https://a.example/?q=1&amp;b=%222%22">here</a></p>
        "#
        );
    }

    #[test]
    fn no_words_become_a_tag_or_a_link_that_does_something() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>\n\n<style>*{}</style>",
            "[x](javascript:alert(1))",
            "[x](JaVaScRiPt:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "[x](vbscript:1) ![x](https://a.example/track.png)",
            "<javascript:alert(1)>",
            "[x](https://a.example/\"onmouseover=\"alert(1))",
            "```\"><script>alert(1)</script>\nx\n```",
            "[a]: javascript:alert(1)\n\n[a]",
            "| a |\n| -: |\n| <b onclick=x> |",
            "&lt;script&gt; &#60;script&#62;",
        ] {
            let made = html_of_markdown(hostile);
            let ours = [
                "p", "/p", "br", "code", "/code", "pre", "/pre", "a", "/a", "table", "/table", "thead",
                "/thead", "tbody", "/tbody", "tr", "/tr", "th", "/th", "td", "/td",
            ];
            assert!(tags(&made).iter().all(|tag| ours.contains(tag)), "{hostile}\n{made}");
            let inside = made.split('<').skip(1).filter_map(|tag| tag.split('>').next());
            assert!(
                inside
                    .into_iter()
                    .all(|tag| !tag.contains(" on") && !tag.contains("src=") && !tag.contains("style=")),
                "{hostile}\n{made}"
            );
            for link in made.split("<a ").skip(1) {
                let tag = link.split('>').next().unwrap();
                assert!(tag.contains("href=\"http") || tag.contains("href=\"mailto:"), "{hostile}\n{made}");
                assert_eq!(tag.matches('"').count(), 6, "{hostile}\n{made}");
            }
        }
    }

    #[test]
    fn marks_that_are_still_open_look_as_they_will() {
        for (so_far, shown) in [
            ("*heard", "<p><em>heard</em></p>\n"),
            ("*heard* and **se", "<p><em>heard</em> and <strong>se</strong></p>\n"),
            ("**half closed*", "<p><strong>half closed</strong></p>\n"),
            ("*a **b", "<p><em>a <strong>b</strong></em></p>\n"),
            ("*whole*", "<p><em>whole</em></p>\n"),
            ("say `fi", "<p>say <code>fi</code></p>\n"),
            ("5 * 3 is", "<p>5 * 3 is</p>\n"),
            ("snake_case", "<p>snake_case</p>\n"),
            ("*over.*\n\nand *on", "<p><em>over.</em></p>\n<p>and <em>on</em></p>\n"),
            ("well, *", "<p>well,</p>\n"),
            ("*", ""),
            ("", ""),
        ] {
            assert_eq!(html_so_far(so_far), shown, "{so_far:?}");
        }
    }

    #[test]
    fn every_script_is_left_as_it_is() {
        for text in ["今夜の川は広い。", "Добрый вечер", "مساء الخير", "Guten Abend, Bär", "😀 안녕하세요"]
        {
            assert_eq!(html_of_markdown(text), format!("<p>{text}</p>\n"));
        }
    }
}
