//! The folders, file by file: what was last read of each, and its last good version.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Origin, Pages, PlaceNote, PromptSection, Skill};
use crate::config::FamiliarHome;
use crate::config::defaults::Defaults;
use crate::config::document::{Rank, SourceSpan, SourceText};
use crate::config::error::{ConfigError, Problem, advice_on};
use crate::config::file::read_optional;
use crate::config::report::ReloadReport;
use crate::domain::ChannelMode;
use crate::home::if_there;

/// Most files of one folder that are read, in the order of their names.
const FILES_MAX: usize = 500;

/// The largest file that is read, in bytes.
const FILE_MAX: usize = 256 * 1024;

/// Every file that was read.
#[derive(Debug, Default)]
pub(in crate::config) struct PageShelf {
    files: BTreeMap<PathBuf, PageFile>,
}

#[derive(Debug, Default)]
struct PageFile {
    text: String,
    good: Option<ReadFile>,
    mistake: Option<ConfigError>,
}

/// What a file was found to be; `None` inside where it switches something off.
#[derive(Debug, Clone)]
enum ReadFile {
    Section(Option<Arc<PromptSection>>),
    Skill(Option<Arc<Skill>>),
    Place(Option<Arc<PlaceNote>>),
}

/// What the files of a folder are.
#[derive(Debug, Clone, Copy)]
enum FolderSort {
    /// Those of one mode, or of all.
    Section(Option<ChannelMode>),
    Skill(Origin),
    Place,
}

/// A folder, in the order in which folders lie over each other.
#[derive(Debug)]
struct PageFolder {
    path: PathBuf,
    sort: FolderSort,
    rank: Rank,
}

/// What one look at the folders gave.
#[derive(Debug)]
pub(in crate::config) struct ShelfLook {
    /// What is in force.
    pub pages: Pages,
    /// Files and folders with a mistake; of a file its last good version is in force, where it had one.
    pub mistakes: Vec<(PathBuf, ConfigError)>,
    /// Every other file that is or was there.
    pub in_order: Vec<PathBuf>,
}

impl PageShelf {
    /// Reads the folders. Only files that changed are parsed. What is empty now and was not before, `report` may doubt.
    pub(in crate::config) fn look(
        &mut self,
        home: &FamiliarHome,
        defaults: &Defaults,
        report: &mut ReloadReport,
    ) -> ShelfLook {
        let mut mistakes = Vec::new();
        let folders = folders(home, defaults, &mut mistakes);
        let mut last = std::mem::take(&mut self.files);
        let mut in_order = Vec::new();
        let mut layers = Vec::new();
        for folder in &folders {
            let mut found = BTreeMap::new();
            for (name, path) in markdown_names(&folder.path, &mut mistakes) {
                let before = last.remove(&path);
                let had_words = before.as_ref().is_some_and(|before| !before.text.trim().is_empty());
                let file = match read_optional(&path) {
                    Ok(Some(text)) if report.doubts(had_words && text.trim().is_empty()) => {
                        before.unwrap_or_default()
                    }
                    Ok(Some(text)) => read_page(folder, &name, &path, text, before),
                    Ok(None) => continue,
                    Err(error) => PageFile { mistake: Some(error), ..before.unwrap_or_default() },
                };
                if let Some(good) = &file.good {
                    found.insert(name, good.clone());
                }
                match &file.mistake {
                    Some(error) => mistakes.push((path.clone(), error.clone())),
                    None => in_order.push(path.clone()),
                }
                self.files.insert(path, file);
            }
            layers.push((folder, found));
        }
        in_order.extend(last.into_keys());
        ShelfLook { pages: pages_in_force(&layers), mistakes, in_order }
    }

    /// Every file as written, for comparing two moments.
    pub(in crate::config) fn leaves(&self, home: &FamiliarHome) -> BTreeMap<String, String> {
        let name =
            |path: &Path| path.strip_prefix(home.root()).unwrap_or(path).to_string_lossy().replace('\\', "/");
        self.files.iter().map(|(path, file)| (name(path), format!("{:?}", file.text))).collect()
    }
}

fn read_page(
    folder: &PageFolder,
    name: &str,
    path: &Path,
    text: String,
    before: Option<PageFile>,
) -> PageFile {
    if let Some(before) = &before
        && before.text == text
        && !matches!(before.mistake, Some(ConfigError::Io { .. }))
    {
        return PageFile { text, good: before.good.clone(), mistake: before.mistake.clone() };
    }
    let source = SourceText::of(path.display(), text.clone(), folder.rank);
    match parse_page(folder.sort, name, &source) {
        Ok(good) => PageFile { text, good: Some(good), mistake: None },
        Err(error) => PageFile { text, good: before.and_then(|file| file.good), mistake: Some(error) },
    }
}

fn parse_page(sort: FolderSort, name: &str, source: &Arc<SourceText>) -> Result<ReadFile, ConfigError> {
    if source.text.len() > FILE_MAX {
        let place = SourceSpan { source: Arc::clone(source), span: 0..0 };
        let what = format!("the file has {} bytes, but at most {FILE_MAX} are read", source.text.len());
        return Err(Problem::at(&place, what).labelled("this one").into());
    }
    Ok(match sort {
        FolderSort::Section(_) => ReadFile::Section(PromptSection::read(name, source)?.map(Arc::new)),
        FolderSort::Skill(origin) => ReadFile::Skill(Skill::read(name, origin, source)?.map(Arc::new)),
        FolderSort::Place => ReadFile::Place(PlaceNote::read(name, source)?.map(Arc::new)),
    })
}

/// All folders, each laid over those before it: what a familiar's own files say comes last.
fn folders(
    home: &FamiliarHome,
    defaults: &Defaults,
    mistakes: &mut Vec<(PathBuf, ConfigError)>,
) -> Vec<PageFolder> {
    let mut folders = Vec::new();
    let of_defaults = defaults.dir().map(|dir| (dir.join("prompts").join("sections"), Rank::Defaults));
    for (path, rank) in of_defaults.into_iter().chain([(home.sections_dir(), Rank::Familiar)]) {
        mistakes.extend(no_modes(&path));
        let modes = ChannelMode::ALL.map(|mode| PageFolder {
            path: path.join(mode.as_str()),
            sort: FolderSort::Section(Some(mode)),
            rank,
        });
        folders.push(PageFolder { path, sort: FolderSort::Section(None), rank });
        folders.extend(modes);
    }
    let own = |path, sort| PageFolder { path, sort, rank: Rank::Familiar };
    folders.push(own(home.skills_dir().join("imported"), FolderSort::Skill(Origin::Imported)));
    folders.push(own(home.skills_dir(), FolderSort::Skill(Origin::Own)));
    folders.push(own(home.places_dir(), FolderSort::Place));
    folders
}

/// Folders among the sections that are named after no mode.
fn no_modes(sections: &Path) -> Vec<(PathBuf, ConfigError)> {
    let Ok(entries) = fs::read_dir(sections) else { return Vec::new() };
    let modes = ChannelMode::ALL.map(|mode| mode.as_str());
    let mut wrong: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            if modes.contains(&name.as_str()) {
                return None;
            }
            let advice = advice_on(&name, "the modes are", &modes);
            let reason = format!("{}: there is no channel mode `{name}`; {advice}", entry.path().display());
            Some((entry.path(), ConfigError::Refused { reason }))
        })
        .collect();
    wrong.sort_by(|a, b| a.0.cmp(&b.0));
    wrong
}

/// The Markdown files of a folder in order: name without ending, and path.
fn markdown_names(folder: &Path, mistakes: &mut Vec<(PathBuf, ConfigError)>) -> Vec<(String, PathBuf)> {
    let entries = if_there(fs::read_dir(folder)).unwrap_or_else(|error| {
        mistakes.push((folder.to_owned(), ConfigError::io("read", folder, error)));
        None
    });
    let mut names: Vec<_> = entries
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(".md")?;
            // Editors and systems keep files of their own beside these.
            (!name.starts_with('.') && !name.is_empty()).then(|| (name.to_owned(), path.clone()))
        })
        .collect();
    names.sort();
    if names.len() > FILES_MAX {
        let reason = format!(
            "{} holds {} files, but only the first {FILES_MAX} are read",
            folder.display(),
            names.len()
        );
        mistakes.push((folder.to_owned(), ConfigError::Refused { reason }));
        names.truncate(FILES_MAX);
    }
    names
}

/// What the folders come to, each laid over those before it.
fn pages_in_force(layers: &[(&PageFolder, BTreeMap<String, ReadFile>)]) -> Pages {
    let mut pages = Pages::default();
    let mut skills = BTreeMap::new();
    for (_, found) in layers {
        for (name, read) in found {
            match read {
                ReadFile::Skill(skill) => {
                    skills.insert(name.clone(), skill.clone());
                }
                ReadFile::Place(Some(note)) => pages.places.push(Arc::clone(note)),
                ReadFile::Place(None) | ReadFile::Section(_) => {}
            }
        }
    }
    pages.skills = skills.into_values().flatten().collect();
    for mode in ChannelMode::ALL {
        let mut by_name = BTreeMap::new();
        for (folder, found) in layers {
            if matches!(folder.sort, FolderSort::Section(Some(of)) if of != mode) {
                continue;
            }
            for (name, read) in found {
                if let ReadFile::Section(section) = read {
                    by_name.insert(name.clone(), section.clone());
                }
            }
        }
        let mut sections: Vec<Arc<PromptSection>> = by_name.into_values().flatten().collect();
        sections.sort_by(|a, b| a.order.cmp(&b.order).then_with(|| a.name.cmp(&b.name)));
        pages.sections.insert(mode, sections);
    }
    pages
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
