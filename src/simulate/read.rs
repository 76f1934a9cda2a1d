//! Reading a scene from a file, and what is wrong with one, with its line.
//!
//! Start reading at [`Scene::read`].

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use super::checks;
use super::scene::{SCENE_BYTES_MAX, Scene};

/// Why a file is no scene that can be played: a line for everything that is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct SceneError(pub Vec<String>);

impl Scene {
    /// Reads a scene from a file, and checks that everything in it is there.
    ///
    /// # Errors
    /// When it cannot be read, or something in it is wrong; with the lines.
    pub fn read(file: &Path) -> Result<Self, SceneError> {
        let name = file.display().to_string();
        let io = |error: std::io::Error| SceneError(vec![format!("{name}: {error}")]);
        let mut text = String::new();
        File::open(file).map_err(io)?.take(SCENE_BYTES_MAX + 1).read_to_string(&mut text).map_err(io)?;
        if text.len() as u64 > SCENE_BYTES_MAX {
            let why = format!("{name}: a scene has at most {SCENE_BYTES_MAX} bytes; divide it");
            return Err(SceneError(vec![why]));
        }
        Self::of(&text, &name)
    }

    /// Reads a scene. `file` is what it is called in complaints.
    ///
    /// # Errors
    /// When something in it is wrong.
    pub fn of(text: &str, file: &str) -> Result<Self, SceneError> {
        let scene: Self = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let what = error.message().trim().replace('\n', "; ");
            SceneError(vec![complaint(text, file, at, &what)])
        })?;
        let mistakes = checks::mistakes(&scene);
        if mistakes.is_empty() {
            return Ok(scene);
        }
        let lines = mistakes.iter().map(|mistake| complaint(text, file, mistake.at, &mistake.what));
        Err(SceneError(lines.collect()))
    }
}

/// `file:line:column: what`.
fn complaint(text: &str, file: &str, at: usize, what: &str) -> String {
    let (line, column) = line_of(text, at);
    format!("{file}:{line}:{column}: {what}")
}

/// Line and column of a byte of a text, from 1.
pub fn line_of(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}
