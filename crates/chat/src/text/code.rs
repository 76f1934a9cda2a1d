//! Code that is too long for a message: where it stands in a text, and what a file of it would be called.

use super::fences::{Fence, find_fences};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextPart<'a> {
    Words(&'a str),
    /// A whole code block, with what opens and closes it.
    Code(&'a str),
}

/// A code block, freed of what opens and closes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeBlock<'a> {
    pub code: &'a str,
    /// The ending of a file in its language, without the dot.
    pub ending: &'static str,
}

/// Sets code blocks of more than `max_chars` characters (Unicode scalar values) apart from what stands around them; at most
/// so many of them.
pub fn long_code_apart(text: &str, max_chars: usize, most: usize) -> Vec<TextPart<'_>> {
    let fences = find_fences(text);
    let is_long = |from: usize, to: usize| {
        text[from..to].len() > max_chars && text[from..to].chars().count() > max_chars
    };
    let mut parts = Vec::new();
    let mut from = 0;
    for fence in fences.iter().filter(|fence| is_long(fence.start, fence.end)).take(most) {
        parts.push(TextPart::Words(&text[from..fence.start]));
        parts.push(TextPart::Code(&text[fence.start..fence.end]));
        from = fence.end;
    }
    parts.push(TextPart::Words(&text[from..]));
    parts.retain(|part| !matches!(part, TextPart::Words(words) if words.trim().is_empty()));
    parts
}

/// Whether a text ends in the middle of a code block.
pub fn ends_in_code(text: &str) -> bool {
    find_fences(text).last().is_some_and(Fence::is_unclosed)
}

/// A text that is one code block and nothing else.
pub fn sole_code_block(text: &str) -> Option<CodeBlock<'_>> {
    let text = text.trim();
    let fence =
        find_fences(text).into_iter().next().filter(|fence| fence.start == 0 && fence.end == text.len())?;
    Some(CodeBlock { code: &text[fence.body_start..fence.body_end], ending: ending_of(&fence.info) })
}

/// The ending of files in a language, as people write its name behind a fence. What is not known is text: the name comes from a
/// model, and a file that would run when it is opened is none of its business.
fn ending_of(language: &str) -> &'static str {
    match language.to_ascii_lowercase().as_str() {
        "rust" | "rs" => "rs",
        "python" | "py" | "python3" => "py",
        "javascript" | "js" | "node" => "js",
        "typescript" | "ts" => "ts",
        "jsx" => "jsx",
        "tsx" => "tsx",
        "c" | "h" => "c",
        "c++" | "cpp" | "cc" | "hpp" => "cpp",
        "c#" | "cs" | "csharp" => "cs",
        "go" | "golang" => "go",
        "java" => "java",
        "kotlin" | "kt" => "kt",
        "swift" => "swift",
        "ruby" | "rb" => "rb",
        "php" => "php",
        "lua" => "lua",
        "haskell" | "hs" => "hs",
        "scala" => "scala",
        "sql" => "sql",
        "r" => "r",
        "html" => "html",
        "css" => "css",
        "xml" => "xml",
        "svg" => "svg",
        "json" => "json",
        "toml" => "toml",
        "yaml" | "yml" => "yaml",
        "markdown" | "md" => "md",
        "latex" | "tex" => "tex",
        "csv" => "csv",
        "diff" | "patch" => "diff",
        "ini" => "ini",
        _ => "txt",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_code_stands_apart_and_short_code_stays_where_it_is() {
        let long = format!("```rust\n{}```", "let a = 1;\n".repeat(10));
        let text = format!("See:\n```py\nx\n```\nand\n{long}\nDone.");
        assert_eq!(
            long_code_apart(&text, 60, 2),
            [
                TextPart::Words("See:\n```py\nx\n```\nand\n"),
                TextPart::Code(&long),
                TextPart::Words("\nDone.")
            ]
        );
        assert_eq!(long_code_apart(&text, 60, 0), [TextPart::Words(&text)]);
        assert_eq!(long_code_apart(&text, 1_000, 2), [TextPart::Words(&text)]);
        assert_eq!(long_code_apart(&long, 60, 2), [TextPart::Code(&long)]);
    }

    #[test]
    fn a_sole_block_is_known_with_its_language_also_where_it_was_never_closed() {
        let block = |text| sole_code_block(text).map(|block| (block.code.to_owned(), block.ending));
        assert_eq!(block("```rust\nlet a;\n```"), Some(("let a;\n".to_owned(), "rs")));
        assert_eq!(block("```Py\nx = 1"), Some(("x = 1".to_owned(), "py")));
        assert_eq!(block("```exe\nMZ\n```"), Some(("MZ\n".to_owned(), "txt")));
        assert_eq!(block("```\na\n```\nb"), None);
        assert_eq!(block("a"), None);
    }
}
