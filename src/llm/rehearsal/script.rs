//! What a rehearsal has to work with.

/// The lines a rehearsal may say: the character's own. Macros (`{{user}}`, `{{char}}`) may still be raw; they are
/// filled in when a line is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RehearsalScript {
    /// The character's name, as it calls itself.
    pub name: String,
    /// Its greetings, the first one first.
    pub greetings: Vec<String>,
    /// Lines of its example dialogue.
    pub examples: Vec<ExampleLine>,
}

/// Something the character says in its example dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleLine {
    /// What was said to it just before, if anything.
    pub cue: Option<String>,
    /// What it says.
    pub line: String,
}

impl RehearsalScript {
    /// A script from a card's fields: `example_dialogue` is the raw text with `<START>` blocks and lines that begin
    /// with `{{user}}:`, `{{char}}:` or the character's name.
    #[must_use]
    pub fn new(name: &str, greetings: &[String], example_dialogue: &str) -> Self {
        Self {
            name: name.trim().to_owned(),
            greetings: greetings.iter().filter(|line| !line.trim().is_empty()).cloned().collect(),
            examples: read_examples(name.trim(), example_dialogue),
        }
    }
}

enum Voice {
    Character,
    Other,
}

fn read_examples(name: &str, dialogue: &str) -> Vec<ExampleLine> {
    let mut examples = Vec::new();
    let mut cue: Option<String> = None;
    let mut open: Option<(Voice, String)> = None;
    for line in dialogue.lines().map(str::trim).chain(["<START>"]) {
        let starts_block = line.eq_ignore_ascii_case("<start>");
        let opening = if starts_block { None } else { speaker(name, line) };
        if starts_block || opening.is_some() {
            match open.take() {
                Some((Voice::Character, text)) if !text.trim().is_empty() => {
                    examples.push(ExampleLine { cue: cue.take(), line: text.trim().to_owned() });
                }
                Some((Voice::Other, text)) => cue = Some(text.trim().to_owned()),
                _ => {}
            }
        }
        if starts_block {
            cue = None;
        } else if let Some((voice, text)) = opening {
            open = Some((voice, text.to_owned()));
        } else if let Some((_, text)) = &mut open {
            text.push('\n');
            text.push_str(line);
        }
    }
    examples
}

/// Who speaks in a line of example dialogue, and the words after the colon.
fn speaker<'l>(name: &str, line: &'l str) -> Option<(Voice, &'l str)> {
    let (who, words) = line.split_once(':')?;
    let who = who.trim();
    if who.eq_ignore_ascii_case("{{char}}") || who.eq_ignore_ascii_case("<bot>") || who == name {
        Some((Voice::Character, words.trim_start()))
    } else if who.eq_ignore_ascii_case("{{user}}") || who.eq_ignore_ascii_case("<user>") {
        Some((Voice::Other, words.trim_start()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn example_dialogue_becomes_cues_and_lines() {
        let dialogue = "<START>\n{{user}}: What do you sell?\n{{char}}: Lanterns.\nAnd rope.\n\
                        Mira: *She winks.*\n<START>\n{{char}}: Come in!";
        let script = RehearsalScript::new("Mira", &["Hello.".into(), "  ".into()], dialogue);
        assert_eq!(script.greetings, ["Hello."]);
        assert_eq!(
            script.examples,
            [
                ExampleLine { cue: Some("What do you sell?".into()), line: "Lanterns.\nAnd rope.".into() },
                ExampleLine { cue: None, line: "*She winks.*".into() },
                ExampleLine { cue: None, line: "Come in!".into() },
            ]
        );
    }

    #[test]
    fn text_without_speakers_gives_no_lines() {
        assert!(RehearsalScript::new("Mira", &[], "just prose").examples.is_empty());
    }
}
