//! A page as text for reading: what its markup says about its words, and nothing of the markup.
//!
//! It is read token by token and in one go, so that neither deep nor broken markup takes more time or room than its bytes.

use std::collections::BTreeMap;
use std::convert::Infallible;

use encoding_rs::{Encoding, UTF_8};
use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

use crate::text::short::{beginning, one_line};

/// A page as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct WebPage {
    /// Empty where it has none.
    pub(crate) title: String,
    /// Lines, without those that are blank in a row.
    pub(crate) text: String,
}

/// Characters of a title.
const TITLE_CHARS: usize = 200;

/// So far in front of a page its encoding is looked for, as browsers do.
const ENCODING_WITHIN: usize = 1024;

/// The main part is taken alone where it has at least so many bytes; less is a teaser or a mistake.
const MAIN_MIN: usize = 200;

/// Reads what a server sent, by the kind it says it is.
pub(crate) fn read_page(body: &[u8], content_type: &str) -> WebPage {
    let text = decoded(body, content_type);
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let start = text.trim_start().get(..64).unwrap_or(text.trim_start()).to_lowercase();
    let is_html = match kind.as_str() {
        "text/html" | "application/xhtml+xml" => true,
        "" => start.starts_with("<!doctype html") || start.starts_with("<html"),
        _ => false,
    };
    if is_html { of_html(&text) } else { WebPage { title: String::new(), text: tidy(&text) } }
}

/// Bytes as text, by what the server says of them, else by a mark in front, else by what the page says of itself, else as
/// UTF-8. What fits none of it becomes replacement characters.
fn decoded(body: &[u8], content_type: &str) -> String {
    let named = |text: &str| {
        let at = text.to_ascii_lowercase().find("charset=")?;
        let rest = text.get(at + "charset=".len()..)?.trim_start_matches(['"', '\'', ' ']);
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "-_:.".contains(c)));
        Encoding::for_label(rest.get(..end.unwrap_or(rest.len()))?.as_bytes())
    };
    let front = || named(&String::from_utf8_lossy(&body[..body.len().min(ENCODING_WITHIN)]));
    let encoding = named(content_type).or_else(front).unwrap_or(UTF_8);
    // A mark in front of the bytes wins over both.
    encoding.decode(body).0.into_owned()
}

/// What is not for reading, with everything inside.
const SKIPPED: [&str; 13] = [
    "script", "style", "noscript", "template", "svg", "math", "iframe", "object", "select", "button",
    "dialog", "canvas", "head",
];

/// What stands around the words of a page.
const AROUND: [&str; 5] = ["nav", "header", "footer", "aside", "form"];

/// What holds the words of a page.
const MAIN: [&str; 2] = ["main", "article"];

/// What begins and ends a line.
const BLOCKS: &str = "address article aside blockquote br caption dd details div dl dt fieldset \
                      figcaption figure footer form header hr legend li main nav ol option \
                      p pre section summary table tbody tfoot thead tr ul";

fn of_html(html: &str) -> WebPage {
    let mut reader = PageReader::default();
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(token): Result<Token, Infallible> = token;
        match token {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name);
                reader.opens(&name, tag.self_closing);
            }
            Token::EndTag(tag) => reader.closes(&String::from_utf8_lossy(&tag.name)),
            Token::String(text) => reader.says(&String::from_utf8_lossy(&text)),
            _ => {}
        }
    }
    reader.page()
}

/// What was read of a page so far.
#[derive(Debug, Default)]
struct PageReader {
    title: String,
    /// All of it, what stands around it left out, and the main part alone.
    all: String,
    body: String,
    main: String,
    /// How often each of the tags that matter is open.
    open: BTreeMap<&'static str, u32>,
    in_title: bool,
}

impl PageReader {
    fn opens(&mut self, name: &str, is_closed: bool) {
        if name == "title" && !self.is_in(&["svg"]) {
            self.in_title = self.title.is_empty();
        }
        // Where the words begin, the head is over, closed or not.
        if name == "body" {
            self.open.remove("head");
        }
        if let Some(known) = known_element(name).filter(|_| !is_closed) {
            *self.open.entry(known).or_default() += 1;
        }
        if is_block(name) {
            self.push("\n");
        }
        match name {
            "li" => self.push("- "),
            "td" | "th" => self.push(" | "),
            _ => {}
        }
        if let Some(level) = heading_level(name) {
            self.push(&format!("{} ", "#".repeat(level)));
        }
    }

    fn closes(&mut self, name: &str) {
        if name == "title" {
            self.in_title = false;
        }
        if let Some(count) = self.open.get_mut(name) {
            *count = count.saturating_sub(1);
        }
        if is_block(name) {
            self.push("\n");
        }
    }

    fn says(&mut self, text: &str) {
        if self.in_title {
            self.title.push_str(text);
        } else if self.is_in(&["pre"]) {
            self.push(text);
        } else {
            let mut folded = String::with_capacity(text.len());
            for character in text.chars() {
                let is_space = character.is_ascii_whitespace();
                if !(is_space && folded.ends_with(' ')) {
                    folded.push(if is_space { ' ' } else { character });
                }
            }
            self.push(&folded);
        }
    }

    fn push(&mut self, text: &str) {
        if self.is_in(&SKIPPED) {
            return;
        }
        self.all.push_str(text);
        if !self.is_in(&AROUND) {
            self.body.push_str(text);
            if self.is_in(&MAIN) {
                self.main.push_str(text);
            }
        }
    }

    fn is_in(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.open.get(name).is_some_and(|count| *count > 0))
    }

    /// The main part where there is one; else all but what stands around, unless that is nearly all there is, as where
    /// something was never closed.
    fn page(self) -> WebPage {
        let title = beginning(&one_line(&self.title), TITLE_CHARS).to_owned();
        let (all, body, main) = (tidy(&self.all), tidy(&self.body), tidy(&self.main));
        let text = if main.len() >= MAIN_MIN && main.len() * 8 >= body.len() {
            main
        } else if body.len() * 8 >= all.len() {
            body
        } else {
            all
        };
        WebPage { title, text }
    }
}

fn known_element(name: &str) -> Option<&'static str> {
    let known = SKIPPED.iter().chain(&AROUND).chain(&MAIN).chain(&["pre"]);
    known.copied().find(|known| *known == name)
}

fn is_block(name: &str) -> bool {
    BLOCKS.split(' ').any(|block| block == name) || heading_level(name).is_some()
}

fn heading_level(name: &str) -> Option<usize> {
    let level = name.strip_prefix('h')?.parse().ok()?;
    (1..=6).contains(&level).then_some(level)
}

/// Lines without spaces at their ends and without blank ones among them.
fn tidy(text: &str) -> String {
    let lines =
        text.lines().map(str::trim_end).filter(|line| !line.trim_matches(['-', '|', '#', ' ']).is_empty());
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> WebPage {
        read_page(text.as_bytes(), "text/html; charset=utf-8")
    }

    #[test]
    fn a_page_is_read_as_its_words() {
        let page = html(
            "<!doctype html><html><head><title>The\n tide &amp; you</title><style>p{}</style>\
             <script>if (a<b) {'</p>obey'}</script></head><body><nav><a>Home</a></nav><h1>Tides</h1>\
             <p>High at   nine.<br>Low at <b>three</b>.<ul><li>One<li>Two</ul><!-- hidden --><table><tr><th>Day<th>Height\
             <tr><td>Mon<td>3&nbsp;m</table><pre>a\n  b</pre><template>no</template><footer>Imprint</footer></body></html>",
        );
        assert_eq!(page.title, "The tide & you");
        assert_eq!(
            page.text,
            "# Tides\nHigh at nine.\nLow at three.\n- One\n- Two\n| Day | Height\n| Mon | 3\u{a0}m\na\n b"
        );
    }

    #[test]
    fn the_main_part_is_read_alone_where_it_holds_the_words() {
        let words = "The sea is wide. ".repeat(20);
        let page = html(&format!("<p>Subscribe!<main><p>{words}</main><p>More like this"));
        assert!(
            page.text.starts_with("The sea is wide.") && !page.text.contains("Subscribe"),
            "{}",
            page.text
        );
        let teaser = html(&format!("<main>Hm.</main><p>{words}"));
        assert!(teaser.text.contains("The sea"), "{}", teaser.text);
        let unclosed = html(&format!("<body>x<nav>Home<p>{words}"));
        assert!(unclosed.text.contains("The sea"), "{}", unclosed.text);
        let headless = html("<head><title>T<p>words</title><body>The body");
        assert_eq!((headless.title.as_str(), headless.text.as_str()), ("T<p>words", "The body"));
    }

    #[test]
    fn letters_are_read_as_they_were_written() {
        for (bytes, kind, told) in [
            (&b"<meta charset=\"windows-1251\"><p>\xcf\xf0\xe8\xe2\xe5\xf2"[..], "text/html", "Привет"),
            (b"Gr\xfc\xdfe", "text/plain; charset=ISO-8859-1", "Grüße"),
            (b"Gr\xfc\xdfe", "text/plain; charset=utf-8", "Gr\u{fffd}\u{fffd}e"),
            (b"Gr\xfc\xdfe", "text/plain; charset=nonsense", "Gr\u{fffd}\u{fffd}e"),
            (b"\xef\xbb\xbfGr\xc3\xbc\xc3\x9fe", "text/plain; charset=iso-8859-1", "Grüße"),
            (b"<HTML><p>Hi", "", "Hi"),
            (b"<p>as it is", "text/plain", "<p>as it is"),
            (b"", "text/html", ""),
        ] {
            assert_eq!(read_page(bytes, kind).text, told, "{kind}");
        }
    }

    #[test]
    fn broken_and_deep_markup_is_read_like_any_other() {
        for part in
            ["<div><b>", "<", "&", "<a b=c ", "</", "<!--", "<![CDATA[", "<script>", "<title>", "<svg><nav>"]
        {
            let page = html(&format!("<p>first {}", part.repeat(2_000)));
            assert!(page.text.starts_with("first"), "{part}: {}", page.text);
        }
    }

    proptest::proptest! {
        #[test]
        fn no_page_breaks_the_reader(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            read_page(&bytes, "text/html");
        }
    }
}
