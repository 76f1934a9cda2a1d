//! A Markdown file with settings on top: TOML between two lines of `+++`, then the text.

use std::sync::Arc;

use crate::config::check::check;
use crate::config::error::{ConfigError, Problem, ProblemKind};
use crate::config::schema::Key;
use crate::config::source::{Place, Source};
use crate::config::tree::{Item, Node};

/// The line that opens and closes the settings.
const FENCE: &str = "+++";

/// A file in its two parts.
#[derive(Debug)]
pub(super) struct Page {
    /// The settings; an empty table where the file has none.
    pub front: Node,
    /// The text, trimmed, with plain line ends.
    pub text: String,
}

impl Page {
    /// Reads a file whose settings may be those of `keys`.
    pub(super) fn read(source: &Arc<Source>, keys: &[Key]) -> Result<Self, ConfigError> {
        let (settings, text) = parts(source)?;
        let front = Node::parse_part(source, &settings)?;
        match check(&front, keys) {
            problems if problems.is_empty() => Ok(Self { front, text }),
            problems => Err(ConfigError::Invalid(problems)),
        }
    }

    /// Where a key's value stands; the file's beginning where it is not written.
    pub(super) fn place(&self, key: &str) -> &Place {
        self.front.get([key]).map_or(&self.front.place, |node| &node.place)
    }

    /// A contradiction, pointed at in the file.
    pub(super) fn conflict(&self, key: &str, what: String) -> ConfigError {
        Problem::at(self.place(key), ProblemKind::Conflict { what }).into()
    }

    /// Whether nothing of it is wanted.
    pub(super) fn is_off(&self) -> bool {
        let enabled = self.front.get(["enabled"]).map(|node| &node.item);
        matches!(enabled, Some(Item::Flag(false))) || self.text.is_empty()
    }
}

/// The settings, blank up to where they begin, and the text.
fn parts(source: &Arc<Source>) -> Result<(String, String), Problem> {
    let whole = source.text.as_str();
    let plain = |text: &str| text.replace("\r\n", "\n").trim().to_owned();
    let mut lines = whole.split_inclusive('\n');
    let Some(opening) = lines.next().filter(|line| line.trim_end() == FENCE) else {
        return Ok((String::new(), plain(whole)));
    };
    let mut end = opening.len();
    for line in lines {
        if line.trim_end() == FENCE {
            // Blanks as wide as the opening keep every place where it is in the file.
            let settings = format!("{}{}", opening.replace(FENCE, "   "), &whole[opening.len()..end]);
            return Ok((settings, plain(&whole[end + line.len()..])));
        }
        end += line.len();
    }
    let place = Place { source: Arc::clone(source), span: 0..FENCE.len() };
    let message = "the settings that begin here never end; put a line `+++` under them".to_owned();
    Err(Problem::at(&place, ProblemKind::Syntax { message }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::schema::Kind;
    use crate::config::source::Rank;

    const KEYS: &[Key] = &[Key { path: "order", kind: Kind::Count(0, 9), doc: "" }];

    fn page(text: &str) -> Result<Page, ConfigError> {
        Page::read(
            &Arc::new(Source { name: "a.md".to_owned(), text: text.to_owned(), rank: Rank::Familiar }),
            KEYS,
        )
    }

    #[test]
    fn y3_settings_stand_on_top_and_the_rest_is_text() {
        let read = page("+++\r\norder = 3\r\n+++\r\n\r\nOne.\r\n\r\nTwo.\r\n").unwrap();
        assert_eq!(read.text, "One.\n\nTwo.");
        assert_eq!(read.front.get(["order"]).unwrap().item.to_string(), "3");
        assert_eq!(page("Only text.\n+++\nmore").unwrap().text, "Only text.\n+++\nmore");
        assert!(page("+++\n+++\n").unwrap().is_off());
    }

    #[test]
    fn y3_mistakes_are_pointed_at_where_they_stand_in_the_file() {
        let lines = |text| page(text).unwrap_err().lines();
        assert_eq!(
            lines("+++\n\n ordr = 3\n+++\nx"),
            ["a.md:3:2: unknown key `ordr`; did you mean `order`?"]
        );
        assert_eq!(
            lines("+++\norder = 3\nx"),
            [
                "a.md:1:1: this is not valid TOML: the settings that begin here never end; put a line `+++` under them"
            ]
        );
    }
}
