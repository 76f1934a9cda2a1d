//! The marks that end questions, sentences and clauses, in every script.
//!
//! Must not know the words that ask; those are phrases. Start at [`ends_as_question`].

/// What stands behind a question. The Greek mark is left out: it is a semicolon everywhere else.
pub const QUESTION_MARKS: [char; 4] = ['?', '？', '؟', '⁇'];

/// Whether a text ends with a question mark, but for what says nothing: "and you? 😊", "really?!", "(what?)".
pub fn ends_as_question(text: &str) -> bool {
    let says_nothing = |c: char| !c.is_alphanumeric() && !QUESTION_MARKS.contains(&c);
    text.trim_end_matches(says_nothing).ends_with(QUESTION_MARKS)
}

/// Whether a question mark stands anywhere in a text. Spanish has one in front, and people leave out the other.
pub fn has_question_mark(text: &str) -> bool {
    text.contains(QUESTION_MARKS) || text.contains('¿')
}

/// Whether a mark ends a sentence, as people type: so does the end of a line.
pub fn ends_sentence(mark: char) -> bool {
    matches!(mark, '.' | '!' | ';' | '…' | '\n' | '。' | '！' | '；' | '؛') || QUESTION_MARKS.contains(&mark)
}

/// Whether a mark ends a clause: every one that ends a sentence does, and those that part clauses within one.
pub fn ends_clause(mark: char) -> bool {
    ends_sentence(mark) || matches!(mark, ',' | ':' | '—' | '–' | '，' | '、' | '：' | '،')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_marked_in_every_script() {
        for text in ["really?", "本当？ ", "حقا؟", "what⁇\n"] {
            assert!(ends_as_question(text) && has_question_mark(text), "{text}");
        }
        for text in ["really? I see.", "¿de verdad", "本当？そうか。"] {
            assert!(!ends_as_question(text) && has_question_mark(text), "{text}");
        }
        for text in ["", "really", "本当。", "first this; then that;"] {
            assert!(!ends_as_question(text) && !has_question_mark(text), "{text}");
        }
    }
}
