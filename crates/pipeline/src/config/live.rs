//! The settings of a running familiar.

mod field;
mod listed;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use arc_swap::ArcSwap;
use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::sync::broadcast;

pub use self::field::SettingInput;
pub use self::listed::{ChannelSetting, SettingFrom, SettingKind, SettingListed, SettingsWritten};
use super::FamiliarHome;
use super::channel::{BACKDROP_MAX_CHARS, ChannelConfig, ChannelFile};
use super::check::{checked_document, missing_keys, schema_of};
use super::defaults::{Defaults, PromptName, Prompts, character, read_prompts};
use super::document::{Document, Layers, Rank, SourceText, leaves};
use super::edit::Edit;
use super::error::ConfigError;
use super::file::{read_optional, write_atomic};
use super::pages::{PageShelf, Pages};
use super::report::ReloadReport;
use super::settings::Config;
use super::subscriptions::{self, ServerTerms, Subscribed, Subscription, SubscriptionKind, Subscriptions};
use crate::domain::{AccountId, ChannelId, ChannelMode, GuildId, Place};

/// Reports kept for a listener that is slow; it is then told how many it missed.
const REPORTS_KEPT: usize = 32;

/// The target of lines about what a command changed. Whoever gave it is answered, so that it is none of the lines about
/// settings that whoever talks is shown.
const ASKED_FOR: &str = "familiar_pipeline::asked_for";

/// The settings of a running familiar, shared by every part that needs them. What it hands out is a snapshot: a
/// turn that started with one set of settings ends with it.
///
/// Reading is free of disk access, except for a channel's first time. Writing waits for the disk, some milliseconds.
#[derive(Debug)]
pub struct LiveConfig {
    home: FamiliarHome,
    defaults: Defaults,
    state: ArcSwap<FamiliarState>,
    subscriptions: ArcSwap<Subscriptions>,
    pages: ArcSwap<Pages>,
    shelf: Mutex<PageShelf>,
    channels: Mutex<HashMap<ChannelId, Channel>>,
    /// The mistake each file has now.
    mistakes: Mutex<BTreeMap<PathBuf, Arc<ConfigError>>>,
    /// Held while files are read and written back, so that two commands do not undo each other.
    writing: Mutex<()>,
    reports: broadcast::Sender<ReloadReport>,
}

/// `character.toml` over the defaults, and the instructions of the modes.
#[derive(Debug)]
struct FamiliarState {
    layers: Layers,
    has_file: bool,
    is_blank: bool,
    config: Arc<Config>,
    modes: BTreeMap<ChannelMode, Arc<str>>,
    prompts: Prompts,
    /// A channel that does nothing differently.
    plain_channel: Arc<ChannelConfig>,
}

impl FamiliarState {
    fn read(home: &FamiliarHome, defaults: &Defaults) -> Result<Self, ConfigError> {
        let mut layers = defaults.layers()?;
        let path = home.character_toml();
        let text = read_optional(&path)?;
        let has_file = text.is_some();
        let is_blank = text.as_deref().is_none_or(|text| text.trim().is_empty());
        if let Some(text) = text {
            layers = layers.with(&Arc::new(character(path.display(), text, Rank::Familiar)?));
        }
        let config = Arc::new(Config::resolve(&layers)?);
        let mut modes = BTreeMap::new();
        for mode in ChannelMode::ALL {
            let own = read_optional(&home.mode_file(mode))?.filter(|text| !text.trim().is_empty());
            let text = match own {
                Some(text) => text,
                None => defaults.mode_instructions(mode)?,
            };
            modes.insert(mode, Arc::from(text.trim_end()));
        }
        let prompts = read_prompts(home, defaults)?;
        let plain_channel = Arc::new(ChannelConfig::resolve(&layers, &modes)?);
        Ok(Self { layers, has_file, is_blank, config, modes, prompts, plain_channel })
    }

    /// Everything it says, as written, for comparing two moments.
    fn leaves(&self) -> BTreeMap<String, String> {
        let mut leaves = leaves(&self.layers.merged());
        let modes = self.modes.iter().map(|(mode, text)| (format!("modes/{mode}.md"), text));
        let prompts = self.prompts.iter().map(|(name, text)| (format!("prompts/{}.md", name.as_str()), text));
        leaves.extend(modes.chain(prompts).map(|(file, text)| (file, format!("{text:?}"))));
        leaves
    }

    /// A channel with its own file laid over everything.
    fn channel(&self, sidecar: &Arc<Document>) -> Result<ChannelConfig, ConfigError> {
        if let Some(problem) = missing_keys(sidecar, "", &CHANNEL) {
            return Err(problem.into());
        }
        ChannelConfig::resolve(&self.layers.with(sidecar), &self.modes)
    }
}

/// The schema of a channel's file.
static CHANNEL: LazyLock<serde_json::Value> = LazyLock::new(schema_of::<ChannelFile>);

/// A file as it was read.
fn source_at(path: &Path, rank: Rank) -> Result<Option<Arc<SourceText>>, ConfigError> {
    Ok(read_optional(path)?.map(|text| SourceText::of(path.display(), text, rank)))
}

/// A channel's file, parsed and checked.
fn sidecar(source: &Arc<SourceText>) -> Result<Document, ConfigError> {
    checked_document(source, &CHANNEL)
}

/// A channel as it is in force: its last good file, and what came of it.
#[derive(Debug)]
struct Channel {
    sidecar: Option<Arc<Document>>,
    config: Arc<ChannelConfig>,
}

impl Channel {
    fn leaves(&self) -> BTreeMap<String, String> {
        self.sidecar.as_ref().map(|file| leaves(&file.values)).unwrap_or_default()
    }
}

impl LiveConfig {
    /// Reads the settings of a familiar. A mistake in `subscriptions.toml`, a channel's file or an added page does not stop it; see
    /// [`Self::mistakes`].
    ///
    /// # Errors
    /// When `character.toml` or a default file cannot be read, or holds a mistake; the error points into the file.
    pub fn load(home: FamiliarHome, defaults: Defaults) -> Result<Arc<Self>, ConfigError> {
        let state = FamiliarState::read(&home, &defaults)?;
        let live = Arc::new(Self {
            home,
            defaults,
            state: ArcSwap::from_pointee(state),
            subscriptions: ArcSwap::from_pointee(Subscriptions::default()),
            pages: ArcSwap::from_pointee(Pages::default()),
            shelf: Mutex::new(PageShelf::default()),
            channels: Mutex::new(HashMap::new()),
            mistakes: Mutex::new(BTreeMap::new()),
            writing: Mutex::new(()),
            reports: broadcast::Sender::new(REPORTS_KEPT),
        });
        // At start there is nothing to compare with: only mistakes are worth saying.
        let mut report = ReloadReport::default();
        live.reload_subscriptions(&mut report);
        live.reload_pages(&mut report);
        report.changes.clear();
        live.publish(&report);
        Ok(live)
    }

    pub fn home(&self) -> &FamiliarHome {
        &self.home
    }

    /// Where the defaults come from.
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }

    /// The settings as they are now.
    pub fn current(&self) -> Arc<Config> {
        self.state.load().config.clone()
    }

    /// One of the program's own texts: the familiar's own version, else the default one; never empty.
    pub fn prompt(&self, name: PromptName) -> Arc<str> {
        self.state.load().prompts.get(&name).cloned().unwrap_or_else(|| Arc::from(name.built_in()))
    }

    /// The sections, skills and notes about places.
    pub fn pages(&self) -> Arc<Pages> {
        self.pages.load_full()
    }

    pub fn subscriptions(&self) -> Arc<Subscriptions> {
        self.subscriptions.load_full()
    }

    /// The mistakes that files have now; for each of them older settings, or the defaults, are in force.
    pub fn mistakes(&self) -> Vec<Arc<ConfigError>> {
        self.mistakes.lock().values().cloned().collect()
    }

    /// Reports of reloads that changed something or found a mistake.
    pub fn changes(&self) -> broadcast::Receiver<ReloadReport> {
        self.reports.subscribe()
    }

    /// A channel's settings. Its file is read at the first call and kept; a missing one means the default mode. So
    /// does one that is broken at the first call; one that breaks later leaves the settings it had.
    pub fn channel(&self, id: &ChannelId) -> Arc<ChannelConfig> {
        self.look(id).1
    }

    /// The settings of the place of a conversation: those of its own file; without a usable one, a thread or forum
    /// post shares those of its channel. Files are read as by [`Self::channel`].
    pub fn channel_in(&self, place: &Place) -> Arc<ChannelConfig> {
        match (self.look(&place.channel), &place.parent) {
            ((false, _), Some(parent)) => self.channel(parent),
            ((_, own), _) => own,
        }
    }

    /// Whether a channel has a file that was readable at least once, and its settings.
    fn look(&self, id: &ChannelId) -> (bool, Arc<ChannelConfig>) {
        let mut report = ReloadReport::default();
        let found = {
            let mut channels = self.channels.lock();
            if let Some(known) = channels.get(id) {
                return (known.sidecar.is_some(), known.config.clone());
            }
            let channel = self.read_channel(&self.state.load(), id, None, &mut report);
            let found = (channel.sidecar.is_some(), channel.config.clone());
            channels.insert(id.clone(), channel);
            found
        };
        report.changes.clear();
        self.publish(&report);
        found
    }

    /// Gives a place a mode, and writes its name down for people. Everything else in the file stays as it is; a
    /// thread's first file begins as a copy of its channel's, so that nothing but the mode changes there.
    ///
    /// # Errors
    /// When the file, or the one to copy, holds a mistake or cannot be written; nothing changes then.
    pub fn set_mode(&self, place: &Place, mode: ChannelMode) -> Result<(), ConfigError> {
        self.edit_channel(place, |edit| edit.set("mode", mode.as_str()))
    }

    /// Gives a place a backdrop of up to [`BACKDROP_MAX_CHARS`] characters; a blank one takes it away. Line ends of
    /// any sort become plain ones. A thread's first file begins as with [`Self::set_mode`].
    ///
    /// # Errors
    /// When it is too long, or the file, or the one to copy, holds a mistake or cannot be written; nothing changes
    /// then.
    pub fn set_backdrop(&self, place: &Place, text: &str) -> Result<(), ConfigError> {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let length = text.chars().count();
        if length > BACKDROP_MAX_CHARS {
            return Err(ConfigError::Refused {
                reason: format!(
                    "the backdrop has {length} characters, but at most {BACKDROP_MAX_CHARS} are kept; shorten it"
                ),
            });
        }
        self.edit_channel(place, |edit| {
            if text.trim().is_empty() {
                edit.clear_text("backdrop");
            } else {
                edit.set("backdrop", &text);
            }
        })
    }

    /// Has it speak in a place only when spoken to from `now` until that moment, or, without one, no longer so. A thread's
    /// first file begins as with [`Self::set_mode`].
    ///
    /// # Errors
    /// When the file, or the one to copy, holds a mistake or cannot be written; nothing changes then.
    pub fn set_quiet(
        &self,
        place: &Place,
        now: Timestamp,
        until: Option<Timestamp>,
    ) -> Result<(), ConfigError> {
        if until.is_none() && self.channel_in(place).quiet_until.is_none() {
            return Ok(());
        }
        self.edit_channel(place, |edit| {
            for (key, at) in [("quiet_until", until), ("quiet_since", until.map(|_| now))] {
                match at {
                    Some(at) => edit.set(key, at.to_string()),
                    None => edit.clear_text(key),
                }
            }
        })
    }

    /// Has it begin to speak by itself in a place, or no longer. A thread's first file begins as with [`Self::set_mode`];
    /// in a thread it begins only where that was asked for there.
    ///
    /// # Errors
    /// When the file, or the one to copy, holds a mistake or cannot be written; nothing changes then.
    pub fn set_speaks_first(&self, place: &Place, begins: bool) -> Result<(), ConfigError> {
        self.set_asked_for(place, "speaks_first", begins, |own| own.speaks_first)
    }

    /// Has it greet whoever is new on the server in a channel, or no longer; otherwise as [`Self::set_speaks_first`].
    pub fn set_greets_newcomers(&self, place: &Place, greets: bool) -> Result<(), ConfigError> {
        self.set_asked_for(place, "greets_newcomers", greets, |own| own.greets_newcomers)
    }

    /// What holds in a place only where it was asked for there.
    fn set_asked_for(
        &self,
        place: &Place,
        key: &'static str,
        asked_for: bool,
        own: fn(&ChannelConfig) -> bool,
    ) -> Result<(), ConfigError> {
        let (has_file, channel) = self.look(&place.channel);
        if asked_for == (has_file && own(&channel)) {
            return Ok(());
        }
        self.edit_channel(place, |edit| edit.set(key, asked_for))
    }

    /// The channels in which it may begin to speak by itself. Blocks on the disk.
    pub fn speaks_first_in(&self) -> Vec<ChannelId> {
        sidecars(&self.home).into_iter().filter(|channel| self.channel(channel).speaks_first).collect()
    }

    /// The channels in which it greets newcomers. Blocks on the disk.
    pub fn greets_newcomers_in(&self) -> Vec<ChannelId> {
        sidecars(&self.home).into_iter().filter(|channel| self.channel(channel).greets_newcomers).collect()
    }

    fn edit_channel(&self, place: &Place, change: impl FnOnce(&mut Edit)) -> Result<(), ConfigError> {
        let mode = self.channel_in(place).mode;
        let writing = self.writing.lock();
        let id = &place.channel;
        let path = self.home.channel_toml(id);
        let (source, mut edit) = match source_at(&path, Rank::Channel)? {
            Some(own) => {
                sidecar(&own)?;
                let edit = Edit::of(&own)?;
                (own, edit)
            }
            None => {
                let nothing = SourceText::of(path.display(), "", Rank::Channel);
                let mut edit = Edit::of(self.shared(place)?.as_ref().unwrap_or(&nothing))?;
                // The other channel's name would be a wrong one here.
                edit.clear_text("channel_name");
                // Nobody asked for that here.
                edit.clear_text("speaks_first");
                edit.clear_text("greets_newcomers");
                (nothing, edit)
            }
        };
        // The file needs one, and no other setting must change which is in force.
        if !edit.has("mode") {
            edit.set("mode", mode.as_str());
        }
        change(&mut edit);
        let name = place.channel_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        if let Some(name) = name {
            edit.set("channel_name", name);
        }
        let text = edit.into_text();
        // Whatever is written must be readable again, whoever called.
        sidecar(&SourceText::of(&source.name, &text, Rank::Channel))?;
        if text != source.text {
            write_atomic(&path, &text)?;
        }
        let mut report = ReloadReport { is_asked_for: true, ..ReloadReport::default() };
        self.reload_channel(&self.state.load(), id, &mut report);
        drop(writing);
        self.publish(&report);
        Ok(())
    }

    /// The file a thread shares while it has none of its own.
    fn shared(&self, place: &Place) -> Result<Option<Arc<SourceText>>, ConfigError> {
        let Some(parent) = &place.parent else { return Ok(None) };
        let source = source_at(&self.home.channel_toml(parent), Rank::Channel)?;
        source.as_ref().map(sidecar).transpose()?;
        Ok(source)
    }

    /// Starts listening in a channel. Of the calls of one guild only one is kept: a second one takes its place.
    ///
    /// # Errors
    /// Of this and the next three: when the file is not readable as a whole, or cannot be written; nothing changes then.
    pub fn subscribe(&self, subscription: Subscription) -> Result<Subscribed, ConfigError> {
        self.rewrite_subscriptions(|all| all.add(subscription))
    }

    /// Stops listening in a channel; `false` when it did not.
    pub fn unsubscribe(&self, channel: &ChannelId, kind: SubscriptionKind) -> Result<bool, ConfigError> {
        self.rewrite_subscriptions(|all| all.remove(channel, kind))
    }

    /// Changes what holds in every call of a server, at once with reading it: of two changes neither is lost.
    pub fn change_server(
        &self,
        guild: &GuildId,
        change: impl FnOnce(&mut ServerTerms),
    ) -> Result<(), ConfigError> {
        self.rewrite_subscriptions(|all| all.change_server(guild, change))
    }

    /// Takes somebody out of what was agreed about calls.
    pub fn forget_in_calls(&self, person: &AccountId) -> Result<(), ConfigError> {
        self.rewrite_subscriptions(|all| all.forget(person))
    }

    fn rewrite_subscriptions<T>(
        &self,
        change: impl FnOnce(&mut Subscriptions) -> T,
    ) -> Result<T, ConfigError> {
        let writing = self.writing.lock();
        let done = subscriptions::rewrite(&self.home, change)?;
        let mut report = ReloadReport { is_asked_for: true, ..ReloadReport::default() };
        self.reload_subscriptions(&mut report);
        self.publish(&report);
        drop(writing);
        Ok(done)
    }

    /// Reads every file again. Files that say what they said before change nothing; a file with a mistake keeps the
    /// settings it had.
    pub fn reload(&self) -> ReloadReport {
        self.look_at_files(ReloadReport::default())
    }

    /// Reads every file again and takes over what is whole. An editor that saves has a file empty or cut for a moment:
    /// whether there was such a one, or one that is gone or has a mistake. It stays as it was until [`Self::reload`], which
    /// should come when the moment is over.
    pub(super) fn reload_what_is_whole(&self) -> bool {
        self.look_at_files(ReloadReport { is_first_look: true, ..ReloadReport::default() }).is_in_doubt
    }

    fn look_at_files(&self, mut report: ReloadReport) -> ReloadReport {
        let writing = self.writing.lock();
        let file = self.home.character_toml();
        // Without its folder it has no files to follow; it goes on as it is.
        if !self.home.root().is_dir() {
            self.mistake(self.home.root(), vanished(self.home.root()), &mut report);
            drop(writing);
            self.publish(&report);
            return report;
        }
        self.in_order(self.home.root(), &mut report);
        match FamiliarState::read(&self.home, &self.defaults) {
            // The defaults may send everything to another server.
            Ok(new) if self.state.load().has_file && !new.has_file => {
                self.mistake(&file, vanished(&file), &mut report);
            }
            Ok(new) if report.doubts(new.is_blank && !self.state.load().is_blank) => {}
            Ok(new) => {
                report.compare(&file, &self.state.load().leaves(), &new.leaves());
                if !report.changes.is_empty() {
                    self.state.store(Arc::new(new));
                }
                self.in_order(&file, &mut report);
            }
            Err(error) => self.mistake(&file, error, &mut report),
        }
        let state = self.state.load_full();
        let known: Vec<ChannelId> = self.channels.lock().keys().cloned().collect();
        for id in known {
            self.reload_channel(&state, &id, &mut report);
        }
        self.reload_subscriptions(&mut report);
        self.reload_pages(&mut report);
        drop(writing);
        self.publish(&report);
        report
    }

    /// A file with a mistake keeps what it said before; the others are taken over.
    fn reload_pages(&self, report: &mut ReloadReport) {
        let mut shelf = self.shelf.lock();
        let before = shelf.leaves(&self.home);
        let look = shelf.look(&self.home, &self.defaults, report);
        report.compare(self.home.root(), &before, &shelf.leaves(&self.home));
        for file in &look.in_order {
            self.in_order(file, report);
        }
        for (file, error) in look.mistakes {
            self.mistake(&file, error, report);
        }
        self.pages.store(Arc::new(look.pages));
    }

    fn reload_channel(&self, state: &FamiliarState, id: &ChannelId, report: &mut ReloadReport) {
        let mut channels = self.channels.lock();
        let old = channels.remove(id);
        let before = old.as_ref().map(Channel::leaves).unwrap_or_default();
        let new = self.read_channel(state, id, old.and_then(|old| old.sidecar), report);
        report.compare(&self.home.channel_toml(id), &before, &new.leaves());
        channels.insert(id.clone(), new);
    }

    /// A channel from its file; from `last_good` where the file has a mistake; plain where that does not help.
    fn read_channel(
        &self,
        state: &FamiliarState,
        id: &ChannelId,
        last_good: Option<Arc<Document>>,
        report: &mut ReloadReport,
    ) -> Channel {
        let path = self.home.channel_toml(id);
        let read = source_at(&path, Rank::Channel).and_then(|source| {
            let Some(source) = source else { return Ok(None) };
            let mut file = Arc::new(sidecar(&source)?);
            if let Some(before) = last_good.as_ref()
                && report.doubts(file.values.is_empty() && !before.values.is_empty())
            {
                file = before.clone();
            }
            let config = state.channel(&file)?;
            Ok(Some((file, config)))
        });
        let usable = match read {
            Ok(read) => {
                self.in_order(&path, report);
                read
            }
            Err(error) => {
                self.mistake(&path, error, report);
                last_good.and_then(|file| state.channel(&file).ok().map(|config| (file, config)))
            }
        };
        match usable {
            Some((file, config)) => Channel { sidecar: Some(file), config: Arc::new(config) },
            None => Channel { sidecar: None, config: Arc::clone(&state.plain_channel) },
        }
    }

    fn reload_subscriptions(&self, report: &mut ReloadReport) {
        let path = self.home.subscriptions_toml();
        let read = subscriptions::source(&self.home).and_then(|source| Ok(Subscriptions::read(&source)?));
        match read {
            Ok(new) if report.doubts(self.may_be_cut(&new)) => {}
            Ok(new) => {
                report.compare(&path, &self.subscriptions.load().leaves(), &new.leaves());
                match new.problems() {
                    [] => self.in_order(&path, report),
                    problems => self.mistake(&path, ConfigError::Invalid(problems.to_vec()), report),
                }
                self.subscriptions.store(Arc::new(new));
            }
            Err(error) => self.mistake(&path, error, report),
        }
    }

    /// Whether subscriptions look as their file does while it is written.
    fn may_be_cut(&self, new: &Subscriptions) -> bool {
        let is_emptied = new.leaves().is_empty() && !self.subscriptions.load().leaves().is_empty();
        is_emptied || !new.problems().is_empty()
    }

    /// Notes a file's mistake; it is reported once, until the file changes again.
    fn mistake(&self, file: &Path, error: ConfigError, report: &mut ReloadReport) {
        if report.doubts(true) {
            return;
        }
        let mut mistakes = self.mistakes.lock();
        if mistakes.get(file).is_none_or(|known| known.lines() != error.lines()) {
            let error = Arc::new(error);
            mistakes.insert(file.to_owned(), error.clone());
            report.errors.push(error);
        }
    }

    fn in_order(&self, file: &Path, report: &mut ReloadReport) {
        if self.mistakes.lock().remove(file).is_some() {
            report.mended.push(file.to_owned());
        }
    }

    fn publish(&self, report: &ReloadReport) {
        if report.is_empty() {
            return;
        }
        for change in &report.changes {
            let file = change.file.display();
            match report.is_asked_for {
                true => tracing::info!(target: ASKED_FOR, %file, "setting changed: {change}"),
                false => tracing::info!(%file, "setting changed: {change}"),
            }
        }
        for line in report.errors.iter().flat_map(|error| error.lines()) {
            tracing::warn!("settings not taken over, the old ones stay in force: {line}");
        }
        for file in &report.mended {
            tracing::info!(file = %file.display(), "settings are in order again");
        }
        // Nobody listening is normal: commands of the terminal do not.
        let _ = self.reports.send(report.clone());
    }
}

fn vanished(path: &Path) -> ConfigError {
    let reason = format!(
        "{} is gone; what it said holds until the next start: put it back, or restart to go on with the defaults",
        path.display()
    );
    ConfigError::Refused { reason }
}

/// The channels that have a file of their own, in order. Blocks on the disk.
pub fn sidecars(home: &FamiliarHome) -> Vec<ChannelId> {
    let entries = std::fs::read_dir(home.channels_dir()).into_iter().flatten().flatten();
    let mut channels: Vec<ChannelId> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| ChannelId::new(name.strip_suffix(".toml")?).ok())
        .collect();
    channels.sort();
    channels
}

#[cfg(test)]
mod properties_tests;

/// What is in force for somebody whose settings file says this.
#[cfg(test)]
pub(crate) fn settled(settings: &str) -> Result<(tempfile::TempDir, Arc<LiveConfig>), ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &crate::domain::FamiliarId::new("mika").unwrap());
    std::fs::create_dir_all(home.root()).unwrap();
    std::fs::write(home.character_toml(), settings).unwrap();
    Ok((folder, LiveConfig::load(home, Defaults::embedded())?))
}

#[cfg(test)]
mod tests;
