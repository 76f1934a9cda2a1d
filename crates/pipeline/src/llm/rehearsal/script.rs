//! The lines of a card that a rehearsal may say, and reading them. Start at [`RehearsalScript`].

/// The lines a rehearsal may say: the character's own. `{{user}}` and `{{char}}` may still be raw, and are filled in when a
/// line is said; other macros are [filled in](RehearsalScript::filled) before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RehearsalScript {
    /// The character's name, as it calls itself.
    pub name: String,
    /// Its greetings, the first one first.
    pub greetings: Vec<String>,
    /// Lines of its example dialogue.
    pub examples: Vec<RehearsalExample>,
}

/// Something the character says in its example dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RehearsalExample {
    /// What was said to it just before, if anything.
    pub cue: Option<String>,
    pub line: String,
}

impl RehearsalScript {
    /// A script from a card's fields: `example_dialogue` is the raw text with `<START>` blocks and lines that begin
    /// with `{{user}}:`, `{{char}}:` or the character's name.
    pub fn new(name: &str, greetings: &[String], example_dialogue: &str) -> Self {
        Self {
            name: name.trim().to_owned(),
            greetings: greetings.iter().filter(|line| !line.trim().is_empty()).cloned().collect(),
            examples: read_examples(name.trim(), example_dialogue),
        }
    }

    /// With every line as `fill` gives it back; those that it leaves nothing of are gone.
    #[must_use]
    pub fn filled(self, fill: impl Fn(&str) -> String) -> Self {
        let is_there = |line: &String| !line.trim().is_empty();
        let greetings = self.greetings.iter().map(|line| fill(line)).filter(is_there).collect();
        let examples = self.examples.iter().map(|example| RehearsalExample {
            cue: example.cue.as_deref().map(&fill),
            line: fill(&example.line),
        });
        let examples = examples.filter(|example| is_there(&example.line)).collect();
        Self { name: self.name, greetings, examples }
    }
}

enum RehearsalVoice {
    Character,
    Other,
}

fn read_examples(name: &str, dialogue: &str) -> Vec<RehearsalExample> {
    let mut examples = Vec::new();
    let mut cue: Option<String> = None;
    let mut open: Option<(RehearsalVoice, String)> = None;
    for line in dialogue.lines().map(str::trim).chain(["<START>"]) {
        let starts_block = line.eq_ignore_ascii_case("<start>");
        let opening = if starts_block { None } else { speaker(name, line) };
        if let (Some((RehearsalVoice::Character, text)), Some((RehearsalVoice::Character, more))) =
            (&mut open, &opening)
            && breaks_off(text)
        {
            text.push('\n');
            text.push_str(more);
            continue;
        }
        if starts_block || opening.is_some() {
            match open.take() {
                Some((RehearsalVoice::Character, text)) if !text.trim().is_empty() => {
                    examples.push(RehearsalExample { cue: cue.take(), line: text.trim().to_owned() });
                }
                Some((RehearsalVoice::Other, text)) => cue = Some(text.trim().to_owned()),
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

/// Whether a line goes on in the next one: it stops behind a word, or behind a sign that ends no sentence.
fn breaks_off(line: &str) -> bool {
    line.trim_end()
        .ends_with(|last: char| last.is_alphanumeric() || [',', ';', ':', '-', '–', '—'].contains(&last))
}

/// Who speaks in a line of example dialogue, and the words after the colon.
fn speaker<'l>(name: &str, line: &'l str) -> Option<(RehearsalVoice, &'l str)> {
    let (who, words) = line.split_once(':')?;
    let who = who.trim();
    if who.eq_ignore_ascii_case("{{char}}") || who.eq_ignore_ascii_case("<bot>") || who == name {
        Some((RehearsalVoice::Character, words.trim_start()))
    } else if who.eq_ignore_ascii_case("{{user}}") || who.eq_ignore_ascii_case("<user>") {
        Some((RehearsalVoice::Other, words.trim_start()))
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
                RehearsalExample {
                    cue: Some("What do you sell?".into()),
                    line: "Lanterns.\nAnd rope.".into()
                },
                RehearsalExample { cue: None, line: "*She winks.*".into() },
                RehearsalExample { cue: None, line: "Come in!".into() },
            ]
        );
    }

    /// A message that is sent in the middle of a sentence makes no answer without the one behind it.
    #[test]
    fn a_line_that_breaks_off_is_said_with_the_one_behind_it() {
        let dialogue = "{{user}}: 12 colours!\n{{char}}: Twelve. That's a responsible number, that's\n\
                        {{char}}: Sorry. What colour is it on?\n{{char}}: Purely for the log.";
        let script = RehearsalScript::new("Mira", &[], dialogue);
        let lines: Vec<&str> = script.examples.iter().map(|example| example.line.as_str()).collect();
        assert_eq!(
            lines,
            [
                "Twelve. That's a responsible number, that's\nSorry. What colour is it on?",
                "Purely for the log."
            ]
        );
    }

    #[test]
    fn text_without_speakers_gives_no_lines() {
        assert!(RehearsalScript::new("Mira", &[], "just prose").examples.is_empty());
    }
}
