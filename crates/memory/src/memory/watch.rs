//! What changed in the memory folder since somebody last asked: told by the kernel, so that ten thousand notes need not be
//! looked at one by one for every prompt.
//!
//! One watch for the whole folder, and any number of readers that each ask for themselves. The kernel puts an event in
//! the queue before the call that writes returns: whatever was saved before the question is in the answer. Where nobody
//! can promise that, there is no watch, and every file is looked at. Must not know what the files say. Start at
//! [`FolderWatch`].

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// So many changes are remembered for readers that have not asked yet; who comes later looks at everything.
const REMEMBERED: usize = 8_192;

/// What happened since the last question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// These files, by path relative to the folder; none for nothing at all.
    Files(BTreeSet<String>),
    /// Nobody can tell: everything has to be looked at.
    Unknown,
}

/// How far a reader has heard.
#[derive(Debug, Default)]
pub(super) struct FollowMark(Option<u64>);

#[derive(Debug)]
pub(super) struct FolderWatch {
    root: PathBuf,
    told: Mutex<Announced>,
}

#[derive(Debug, Default)]
struct Announced {
    watch: Option<Watch>,
    /// The changes from number `first` on.
    changes: VecDeque<String>,
    first: u64,
}

impl FolderWatch {
    /// Of a folder that need not exist. Watches nothing before the first question.
    pub(super) fn of(root: PathBuf) -> Self {
        Self { root, told: Mutex::default() }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Whether the kernel tells of changes; where it does not, every answer is [`Changes::Unknown`].
    pub(super) fn is_watching(&self) -> bool {
        self.told.lock().watch.is_some()
    }

    /// What a reader has not heard of yet. Blocks.
    pub(super) fn since(&self, heard: &mut FollowMark) -> Changes {
        let mut told = self.told.lock();
        match told.watch.as_mut().map(|watch| watch.changes(&self.root)) {
            Some(Changes::Files(names)) => told.changes.extend(names),
            Some(Changes::Unknown) | None => {
                told.first = told.next() + 1;
                told.changes.clear();
                // Before the files are looked at: what changes meanwhile is told with the next question.
                told.watch = Watch::begin(&self.root);
            }
        }
        let too_many = told.changes.len().saturating_sub(REMEMBERED);
        told.changes.drain(..too_many);
        told.first += too_many as u64;
        let next = told.next();
        let from = heard.0.replace(next);
        match from.and_then(|from| from.checked_sub(told.first)) {
            Some(skipped) if told.watch.is_some() => {
                let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
                Changes::Files(told.changes.iter().skip(skipped).cloned().collect())
            }
            _ => Changes::Unknown,
        }
    }
}

impl Announced {
    fn next(&self) -> u64 {
        self.first + self.changes.len() as u64
    }
}

#[cfg(target_os = "linux")]
use linux::Watch;

#[cfg(not(target_os = "linux"))]
use nowhere::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::{BTreeSet, HashMap};
    use std::fs;
    use std::mem::MaybeUninit;
    use std::os::unix::fs::MetadataExt;

    use rustix::fd::OwnedFd;
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{Changes, Path};

    /// File systems all of whose writers go through this kernel, by their magic numbers (statfs(2)). Of a network's or
    /// a virtual machine's shared folder the kernel hears only what is written here.
    const TOLD_BY_THE_KERNEL: [i64; 9] = [
        0xef53,      // ext2 to ext4
        0x5846_5342, // XFS
        0x9123_683e, // Btrfs
        0x0102_1994, // tmpfs
        0x794c_7630, // overlayfs
        0xf2f5_2010, // F2FS
        0x2fc1_2fc1, // ZFS
        0xca45_1a4e, // bcachefs
        0x8584_58f6, // ramfs
    ];

    /// A question reads the events in pieces of this, in bytes.
    const PIECE: usize = 8 * 1024;

    /// More than this is not waited through: looking at everything is the shorter way, in events.
    const EVENTS_MAX: usize = 4_096;

    /// Folders under one watch at most; the kernel has some thousands to give for everybody.
    const FOLDERS_MAX: usize = 512;

    /// Folders below the root at most, one in the other.
    const DEPTH_MAX: usize = 7;

    /// Who it is: read at the start of every conversation, by others.
    const CARD: &str = "self";

    /// A folder and those below it, under watch.
    #[derive(Debug)]
    pub(super) struct Watch {
        events: OwnedFd,
        /// By the kernel's number: what stands before a file's name.
        folders: HashMap<i32, String>,
        /// Device and number of the root: another folder may have taken its place.
        root: (u64, u64),
    }

    impl Watch {
        /// Watches from now on. `None` where the kernel does not hear of every change, or has no more watches to give.
        pub(super) fn begin(root: &Path) -> Option<Self> {
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let number = inode(root)?;
            let mut watch = Self { events, folders: HashMap::new(), root: number };
            watch.add(root, String::new(), 0)?;
            (self::inode(root)? == number).then_some(watch)
        }

        /// What changed since the beginning or the last question. After [`Changes::Unknown`] a new watch is needed.
        pub(super) fn changes(&mut self, root: &Path) -> Changes {
            if inode(root) != Some(self.root) {
                return Changes::Unknown;
            }
            let mut names = BTreeSet::new();
            let mut piece = [MaybeUninit::uninit(); PIECE];
            let mut events = Reader::new(&self.events, &mut piece);
            for _ in 0..EVENTS_MAX {
                let event = match events.next() {
                    Ok(event) => event,
                    Err(Errno::AGAIN) => return Changes::Files(names),
                    Err(_) => return Changes::Unknown,
                };
                let lost = ReadFlags::QUEUE_OVERFLOW
                    | ReadFlags::IGNORED
                    | ReadFlags::UNMOUNT
                    | ReadFlags::DELETE_SELF
                    | ReadFlags::MOVE_SELF;
                let Some(folder) = self.folders.get(&event.wd()).filter(|_| !event.events().intersects(lost))
                else {
                    return Changes::Unknown;
                };
                // A name that is no UTF-8 is no note's. Without a name it is the folder's own times and rights.
                let Some(name) = event.file_name().and_then(|name| name.to_str().ok()) else { continue };
                if name.starts_with('.') {
                    continue;
                }
                let moved =
                    ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
                if event.events().contains(ReadFlags::ISDIR) {
                    if event.events().intersects(moved) {
                        return Changes::Unknown;
                    }
                    continue;
                }
                names.insert(format!("{folder}{name}"));
            }
            Changes::Unknown
        }

        fn add(&mut self, dir: &Path, prefix: String, depth: usize) -> Option<()> {
            if self.folders.len() >= FOLDERS_MAX || !is_announced(dir) {
                return None;
            }
            let wanted = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::DONT_FOLLOW
                | WatchFlags::ONLYDIR;
            let number = inotify::add_watch(&self.events, dir, wanted).ok()?;
            self.folders.insert(number, prefix.clone());
            for entry in fs::read_dir(dir).ok()?.filter_map(Result::ok) {
                let Ok(name) = entry.file_name().into_string() else { continue };
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                let is_others = name.starts_with('.') || (depth == 0 && name == CARD);
                if is_folder && !is_others && depth < DEPTH_MAX {
                    self.add(&entry.path(), format!("{prefix}{name}/"), depth + 1)?;
                }
            }
            Some(())
        }
    }

    fn is_announced(dir: &Path) -> bool {
        // As wide as a machine's word, and signed or not by the machine; the number itself has 32 bits.
        #[allow(clippy::useless_conversion, reason = "it is one where words have 64 bits")]
        let is_known =
            |about: rustix::fs::StatFs| TOLD_BY_THE_KERNEL.contains(&(i64::from(about.f_type) & 0xffff_ffff));
        rustix::fs::statfs(dir).is_ok_and(is_known)
    }

    fn inode(dir: &Path) -> Option<(u64, u64)> {
        let about = fs::metadata(dir).ok()?;
        Some((about.dev(), about.ino()))
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use super::{Changes, Path};

    /// Never there: every file is looked at.
    #[derive(Debug)]
    pub(super) enum Watch {}

    impl Watch {
        pub(super) fn begin(_root: &Path) -> Option<Self> {
            None
        }

        pub(super) fn changes(&mut self, _root: &Path) -> Changes {
            Changes::Unknown
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    fn files(names: &[&str]) -> Changes {
        Changes::Files(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn y13_every_reader_hears_of_every_change_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("memory");
        let watch = FolderWatch::of(root.clone());
        let (mut one, mut other) = (FollowMark::default(), FollowMark::default());
        assert_eq!(watch.since(&mut one), Changes::Unknown, "there is no folder yet");
        fs::create_dir_all(root.join("topics")).unwrap();
        assert_eq!(watch.since(&mut one), Changes::Unknown);
        assert_eq!(watch.since(&mut one), files(&[]));
        fs::write(root.join("topics/bees.md"), "x").unwrap();
        fs::write(root.join("notes.md"), "x").unwrap();
        fs::write(root.join(".audit.jsonl"), "x").unwrap();
        assert_eq!(watch.since(&mut one), files(&["notes.md", "topics/bees.md"]));
        assert_eq!(watch.since(&mut one), files(&[]));
        assert_eq!(watch.since(&mut other), Changes::Unknown, "who has not asked before looks at everything");
        fs::remove_file(root.join("notes.md")).unwrap();
        assert_eq!(watch.since(&mut other), files(&["notes.md"]));
        assert_eq!(watch.since(&mut one), files(&["notes.md"]));
        fs::create_dir(root.join("people")).unwrap();
        fs::write(root.join("people/discord-1.md"), "x").unwrap();
        assert_eq!(watch.since(&mut one), Changes::Unknown, "a folder came");
        assert_eq!(watch.since(&mut other), Changes::Unknown, "for everybody");
        fs::write(root.join("people/discord-1.md"), "y").unwrap();
        assert_eq!(watch.since(&mut one), files(&["people/discord-1.md"]));
        fs::rename(&root, dir.path().join("before")).unwrap();
        fs::create_dir(&root).unwrap();
        assert_eq!(watch.since(&mut one), Changes::Unknown, "another folder in its place");
    }
}
