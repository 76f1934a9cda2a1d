//! Finding macros in a text: a flat reading into pieces, macros nested at most [`MAX_NESTING`] deep.
//!
//! Owns the syntax (braces, escapes, the old angle markers); must not know what any macro means.

/// Deeper braces are plain text.
const MAX_NESTING: usize = 16;

/// The old markers without braces and the macros they stand for (cards-and-lore 2.5).
const MARKERS: [(&str, &str); 5] = [
    ("<user>", "user"),
    ("<bot>", "char"),
    ("<char>", "char"),
    ("<group>", "group"),
    ("<charifnotgroup>", "charifnotgroup"),
];

/// One piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MacroPiece<'t> {
    /// Words as they are.
    Text(&'t str),
    /// `\{` or `\}`: the brace, without its backslash.
    Brace(&'t str),
    /// `<BOT>` and the like, as the macro it stands for, with the text it was.
    Marker { name: &'static str, raw: &'t str },
    /// `{{…}}`, read into pieces itself.
    Macro(MacroCall<'t>),
}

/// The inside of one pair of double braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MacroCall<'t> {
    /// Byte offset of the opening braces in the text that was read.
    pub(super) offset: usize,
    /// What stands between the braces.
    pub(super) inner: Vec<MacroPiece<'t>>,
}

/// A macro's name and where its arguments begin in the first piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Lower-cased name; `//` for comments.
    pub(super) name: String,
    /// Whether anything follows the name: behind `::`, the list form, or `:` or white space, the old form.
    pub(super) has_arguments: bool,
    /// Byte offset of the first argument in the first piece of text.
    pub(super) rest: usize,
}

/// Whether reading `text` could find anything at all.
pub(super) fn may_hold_macros(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'{' | b'<' | b'\\'))
}

/// Reads a text into pieces. Never fails: what does not close is text.
pub(super) fn parse_macros(text: &str) -> Vec<MacroPiece<'_>> {
    MacroReader { text, position: 0, plain_from: 0, open: Vec::new(), current: Vec::new() }.read()
}

struct MacroReader<'t> {
    text: &'t str,
    position: usize,
    plain_from: usize,
    /// The macros that are open, outermost first: where each began and what stood before it.
    open: Vec<(usize, Vec<MacroPiece<'t>>)>,
    current: Vec<MacroPiece<'t>>,
}

impl<'t> MacroReader<'t> {
    fn read(mut self) -> Vec<MacroPiece<'t>> {
        let bytes = self.text.as_bytes();
        while self.position < bytes.len() {
            let rest = &bytes[self.position..];
            match rest[0] {
                b'\\' if matches!(rest.get(1), Some(b'{' | b'}')) => {
                    self.flush();
                    let brace = &self.text[self.position + 1..self.position + 2];
                    self.current.push(MacroPiece::Brace(brace));
                    self.skip(2);
                }
                // Of three or more braces in a row the last two open the macro.
                b'{' if rest.starts_with(b"{{")
                    && rest.get(2) != Some(&b'{')
                    && self.open.len() < MAX_NESTING =>
                {
                    self.flush();
                    let before = std::mem::take(&mut self.current);
                    self.open.push((self.position, before));
                    self.skip(2);
                }
                b'}' if rest.starts_with(b"}}") && !self.open.is_empty() => self.close(),
                b'<' => match marker_at(&self.text[self.position..]) {
                    Some((name, length)) => {
                        self.flush();
                        let raw = &self.text[self.position..self.position + length];
                        self.current.push(MacroPiece::Marker { name, raw });
                        self.skip(length);
                    }
                    None => self.position += 1,
                },
                _ => self.position += 1,
            }
        }
        self.flush();
        // Whatever is still open was never a macro: its braces are text, what is inside stays as read.
        while let Some((offset, mut before)) = self.open.pop() {
            before.push(MacroPiece::Text(&self.text[offset..offset + 2]));
            before.append(&mut self.current);
            self.current = before;
        }
        self.current
    }

    fn close(&mut self) {
        self.flush();
        if let Some((offset, before)) = self.open.pop() {
            let inner = std::mem::replace(&mut self.current, before);
            self.current.push(MacroPiece::Macro(MacroCall { offset, inner }));
        }
        self.skip(2);
    }

    fn flush(&mut self) {
        if self.plain_from < self.position {
            self.current.push(MacroPiece::Text(&self.text[self.plain_from..self.position]));
        }
        self.plain_from = self.position;
    }

    fn skip(&mut self, bytes: usize) {
        self.position += bytes;
        self.plain_from = self.position;
    }
}

fn marker_at(text: &str) -> Option<(&'static str, usize)> {
    MARKERS.iter().find_map(|(marker, name)| {
        let candidate = text.as_bytes().get(..marker.len())?;
        candidate.eq_ignore_ascii_case(marker.as_bytes()).then_some((*name, marker.len()))
    })
}

impl MacroCall<'_> {
    /// The sign of the variable that a condition names: `{{if !.x}}`.
    pub(super) fn sign_behind(&self, head: &Head) -> Option<&'static str> {
        let Some(MacroPiece::Text(text)) = self.inner.first() else { return None };
        let word = text[head.rest..].trim_start().trim_start_matches('!').trim_start();
        [".", "$"].into_iter().find(|sign| word.starts_with(sign))
    }

    /// The macro's name, when what is between the braces begins like a macro.
    pub(super) fn head(&self) -> Option<Head> {
        let text = match self.inner.first() {
            Some(MacroPiece::Text(text)) => *text,
            _ => return None,
        };
        let start = text.len() - text.trim_start().len();
        if text[start..].starts_with("//") {
            return Some(Head { name: "//".to_owned(), has_arguments: true, rest: start + 2 });
        }
        // A variable by its sign: `{{.mood}}`, `{{$count++}}`.
        let begins_name = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
        if let [sign @ (b'.' | b'$'), first, ..] = &text.as_bytes()[start..]
            && begins_name(first)
        {
            let name = char::from(*sign).to_string();
            return Some(Head { name, has_arguments: true, rest: start + 1 });
        }
        let name_length = text[start..]
            .bytes()
            .enumerate()
            .take_while(|(index, byte)| {
                byte.is_ascii_alphabetic()
                    || (*index == 0 && *byte == b'/')
                    || (*index > 0 && (byte.is_ascii_digit() || matches!(byte, b'_' | b'-' | b'+')))
            })
            .count();
        if name_length == 0 || &text[start..start + name_length] == "/" {
            return None;
        }
        let name = text[start..start + name_length].to_ascii_lowercase();
        let after = start + name_length;
        let tail = &text[after..];
        let spaces = tail.len() - tail.trim_start().len();
        let trimmed = &tail[spaces..];
        let only_piece = self.inner.len() == 1;
        let (has_arguments, skip) = if trimmed.starts_with("::") {
            (true, spaces + 2)
        } else if trimmed.starts_with(':') {
            (true, spaces + 1)
        } else if trimmed.is_empty() && only_piece {
            (false, spaces)
        } else if spaces > 0 {
            (true, spaces)
        } else {
            return None;
        };
        Some(Head { name, has_arguments, rest: after + skip })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_close_is_text_and_what_it_holds_is_still_read() {
        let pieces = parse_macros("a {{x {{char}} b");
        assert_eq!(pieces.len(), 5, "{pieces:?}");
        assert!(matches!(&pieces[3], MacroPiece::Macro(call) if call.offset == 6), "{pieces:?}");
    }

    #[test]
    fn of_three_braces_the_last_two_open() {
        assert!(matches!(
            parse_macros("{{{char}}}").as_slice(),
            [MacroPiece::Text("{"), MacroPiece::Macro(_), MacroPiece::Text("}")]
        ));
    }

    #[test]
    fn markers_are_found_in_any_case() {
        assert!(matches!(parse_macros("<Bot>").as_slice(), [MacroPiece::Marker { name: "char", .. }]));
        assert!(matches!(parse_macros("<bots>").as_slice(), [MacroPiece::Text("<bots>")]));
    }
}
