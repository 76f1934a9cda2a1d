//! Commands that somebody is told to run. Start at [`Commands`].

use std::fs;
use std::path::Path;

use super::{DATA_DIR, FamiliarHome};
use crate::domain::FamiliarId;

/// How every command begins.
const PROGRAM: &str = "familiar ";

/// How commands are written that are to work on the data folder, and on the familiar, that this program was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// The options that name them, each with a space before it; empty for the usual folder, and where no familiar is named.
    folder: String,
    familiar: String,
}

impl Commands {
    /// What is said of one familiar, which is named where others live beside it. Blocks.
    pub fn of(home: &FamiliarHome) -> Self {
        let folder = home.root().parent().and_then(|folder| fs::read_dir(folder).ok());
        let is_alone = !folder.into_iter().flatten().filter_map(Result::ok).any(|entry| {
            let another = entry.file_name().into_string().ok().and_then(|name| FamiliarId::new(name).ok());
            another.is_some_and(|another| another != *home.id()) && entry.path().is_dir()
        });
        Self::new(home.data_dir(), (!is_alone).then(|| home.id().as_str()))
    }

    /// `familiar` is the one that was named, if one was.
    pub fn new(data_dir: &Path, familiar: Option<&str>) -> Self {
        let is_usual = data_dir == Path::new(DATA_DIR);
        let named = || format!(" --data-dir {}", for_a_shell(&data_dir.display().to_string()));
        let folder = if is_usual { String::new() } else { named() };
        let familiar = familiar.map(|id| format!(" --familiar {}", for_a_shell(id))).unwrap_or_default();
        Self { folder, familiar }
    }

    /// A text in which commands stand in backticks or behind a colon, with each as it works when it is pasted.
    pub fn in_text(&self, text: &str) -> String {
        let mut told = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(PROGRAM) {
            told.push_str(&rest[..at]);
            let is_command = told.ends_with('`') || told.ends_with(": ");
            let behind = &rest[at + PROGRAM.len()..];
            let verb = &behind[..behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len())];
            told.extend([PROGRAM, verb]);
            rest = &behind[verb.len()..];
            match verb {
                _ if !is_command => {}
                // It makes a familiar, so none is named there.
                "init" => told.push_str(&self.folder),
                "context" | "doctor" | "forget" | "memory" | "run" | "window" => {
                    told.extend([self.folder.as_str(), self.familiar.as_str()]);
                }
                _ => {}
            }
        }
        told.push_str(rest);
        told
    }
}

/// One word of a command line. Every shell knows double quotes, but some read on between them.
pub fn for_a_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '\\' | ':' | '~');
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.contains(['"', '$', '`', '!']) {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        // A backslash in front of the quote would take it for a part of the word.
        let end = if word.ends_with('\\') { "\\" } else { "" };
        format!("\"{word}{end}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(folder: &str, familiar: Option<&str>, text: &str) -> String {
        Commands::new(Path::new(folder), familiar).in_text(text)
    }

    #[test]
    fn commands_name_a_folder_that_is_not_the_usual_one_and_a_familiar_that_was_named() {
        let text = "look with `familiar context --list`; make one with: familiar init <card>; or start `familiar run`";
        assert_eq!(told("data", None, text), text);
        assert_eq!(
            told("/srv/ada", Some("mika"), text),
            "look with `familiar context --data-dir /srv/ada --familiar mika --list`; make one with: familiar init \
             --data-dir /srv/ada <card>; or start `familiar run --data-dir /srv/ada --familiar mika`"
        );
        assert_eq!(told("data", Some("mika"), "in: familiar window"), "in: familiar window --familiar mika");
    }

    #[test]
    fn commands_name_whom_they_are_about_where_others_live_beside_it() {
        let data = tempfile::tempdir().unwrap();
        let home = |id: &str| FamiliarHome::new(data.path(), &FamiliarId::new(id).unwrap());
        let told = || Commands::of(&home("mika")).in_text("look with: familiar doctor");
        assert!(!told().contains("--familiar"), "there is no folder yet");
        for beside in ["mika", ".new-one"] {
            fs::create_dir_all(data.path().join("familiars").join(beside)).unwrap();
        }
        fs::write(data.path().join("familiars/notes"), "").unwrap();
        assert!(!told().contains("--familiar"), "{}", told());
        fs::create_dir_all(home("other").root()).unwrap();
        assert!(told().ends_with(" --familiar mika"), "{}", told());
    }

    #[test]
    fn what_only_reads_like_a_command_stays_as_it_is() {
        let text = "the familiar runs; `familiar chat` opens no window: familiar memories, familiar context";
        assert_eq!(told("elsewhere", Some("mika"), text), text);
    }

    #[test]
    fn a_folder_with_a_space_or_with_the_name_of_a_command_is_one_word_of_it() {
        assert_eq!(told("/my data", None, "`familiar run`"), "`familiar run --data-dir \"/my data\"`");
        assert_eq!(
            told("/familiar memory ", None, "none in /familiar memory /familiars: familiar init <card>"),
            "none in /familiar memory /familiars: familiar init --data-dir \"/familiar memory \" <card>"
        );
        // A shell would cut it there, and put in a variable's value.
        assert_eq!(told("/ada&bob's", None, "`familiar run`"), "`familiar run --data-dir \"/ada&bob's\"`");
        assert_eq!(told("/$ada", None, "`familiar run`"), "`familiar run --data-dir '/$ada'`");
    }
}
