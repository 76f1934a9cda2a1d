//! The character in use, read again when its files change.

use std::fs::File;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use jiff::Timestamp;

use super::character::load_character;
use super::on_disk::{Stamp, WatchedFiles, stamp_of, stamp_of_file};
use super::schedule::{DayPart, SCHEDULE_BYTES_MAX, Schedule, read_schedule};
use crate::config::{Config, FamiliarHome};
use crate::domain::ChannelMode;
use crate::home::if_there;
use familiar_cards::Character;
use familiar_cards::Refusal;

/// `memory/self/*.md` as one [`Character`], and `schedule.md`; hand edits are picked up within a second, a broken edit keeps
/// the last good character and leaves out of the schedule what cannot be read.
#[derive(Debug)]
pub struct LiveCharacter {
    home: FamiliarHome,
    current: ArcSwap<Character>,
    schedule: ArcSwap<Schedule>,
    generation: AtomicU64,
    files: WatchedFiles,
}

impl LiveCharacter {
    /// Reads the character of `home`.
    ///
    /// # Errors
    /// When its files cannot be read or it has no name.
    pub fn load(home: FamiliarHome) -> Result<Self, Refusal> {
        let character = load_character(&home)?;
        Ok(Self::starting_as(character, home))
    }

    /// A character that is already at hand. Files of `home` that change from now on replace it.
    pub fn starting_as(character: Character, home: FamiliarHome) -> Self {
        Self {
            files: WatchedFiles::new(folder_stamp(&home)),
            current: ArcSwap::from_pointee(character),
            schedule: ArcSwap::from_pointee(schedule_or_none(&home)),
            home,
            generation: AtomicU64::new(1),
        }
    }

    /// The character as it was last read; looks at no file, see [`Self::look_again`].
    pub fn current(&self) -> Arc<Character> {
        self.current.load_full()
    }

    /// What it does at a moment, where its schedule says and the settings have it followed. In a novel the story has its own
    /// hours. Looks at no file either.
    pub fn day_part(&self, config: &Config, mode: ChannelMode, now: Timestamp) -> Option<DayPart> {
        let schedule = self.schedule.load();
        if schedule.is_empty() || !config.schedule.follow || mode == ChannelMode::FullRp {
            return None;
        }
        schedule.at(&now.to_zoned(config.display_tz.clone())).cloned()
    }

    /// Looks at the files on a blocking thread, if nobody has within the last second: before a turn, so that it has what
    /// was saved.
    pub async fn look_again(self: &Arc<Self>) {
        if !self.files.are_due() {
            return;
        }
        let this = Arc::clone(self);
        if let Err(error) = tokio::task::spawn_blocking(move || this.refresh()).await {
            tracing::warn!(%error, "the character's files could not be looked at");
        }
    }

    /// Looks at the files now, whatever the time. Blocks.
    pub fn refresh(&self) {
        self.files.look(|| folder_stamp(&self.home), || self.read_again());
    }

    /// Changes whenever [`Self::current`] does; what was computed from an older one is stale.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn read_again(&self) {
        self.schedule.store(Arc::new(schedule_or_none(&self.home)));
        match load_character(&self.home) {
            Ok(character) => {
                if **self.current.load() != character {
                    tracing::info!(name = %character.name, "character reloaded");
                    self.current.store(Arc::new(character));
                    self.generation.fetch_add(1, Ordering::AcqRel);
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the edited character cannot be read; the last good one stays")
            }
        }
    }
}

fn folder_stamp(home: &FamiliarHome) -> Stamp {
    let mut stamp = stamp_of(&[home.self_dir(), home.self_dir().join("greetings")]);
    stamp.extend(stamp_of_file(home.schedule_md()));
    stamp
}

/// What a familiar does at which hours, and a sentence for each line of its file that is left out; nothing where it has no
/// file. Blocks.
///
/// # Errors
/// When the file cannot be read.
pub fn load_schedule(home: &FamiliarHome) -> Result<(Schedule, Vec<String>), Refusal> {
    let path = home.schedule_md();
    let failed = |error| Refusal::io("read", &path, &error);
    let mut bytes = Vec::new();
    if let Some(file) = if_there(File::open(&path)).map_err(failed)? {
        file.take(SCHEDULE_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(read_schedule(&String::from_utf8_lossy(&bytes)))
}

/// The same, with all that is wrong in it said in the log.
fn schedule_or_none(home: &FamiliarHome) -> Schedule {
    let (schedule, problems) = load_schedule(home).unwrap_or_else(|error| {
        tracing::warn!(%error, "schedule.md cannot be read");
        Default::default()
    });
    for problem in problems {
        tracing::warn!("schedule.md, {problem}; this line is left out");
    }
    schedule
}
