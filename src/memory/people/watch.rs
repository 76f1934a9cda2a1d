//! What changed in the folder since it was last asked: told by the kernel, so that ten thousand notes need not be looked
//! at one by one for every prompt.
//!
//! The kernel puts an event in the queue before the call that writes returns: whatever was saved before the question is
//! in the answer. Where nobody can promise that, there is no watch, and every file is looked at. Start at [`Watch`].

use std::collections::BTreeSet;
use std::path::Path;

/// What happened since the last question.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Changes {
    /// These files, by name; none for nothing at all.
    Files(BTreeSet<String>),
    /// Nobody can tell: everything has to be looked at.
    Unknown,
}

#[cfg(target_os = "linux")]
pub(super) use linux::Watch;

#[cfg(not(target_os = "linux"))]
pub(super) use nowhere::Watch;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeSet;
    use std::fs;
    use std::mem::MaybeUninit;
    use std::os::unix::fs::MetadataExt;

    use rustix::fd::OwnedFd;
    use rustix::fs::FsWord;
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::Errno;

    use super::{Changes, Path};

    /// File systems all of whose writers go through this kernel, by their magic numbers (statfs(2)). Of a network's or
    /// a virtual machine's shared folder the kernel hears only what is written here.
    const TOLD_BY_THE_KERNEL: [FsWord; 9] = [
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

    /// A folder under watch.
    #[derive(Debug)]
    pub(in super::super) struct Watch {
        events: OwnedFd,
        /// Device and number: another folder may have taken its place.
        folder: (u64, u64),
    }

    impl Watch {
        /// Watches from now on. `None` where the kernel does not hear of every change, or has no more watches to give.
        pub(in super::super) fn begin(dir: &Path) -> Option<Self> {
            let magic = rustix::fs::statfs(dir).ok()?.f_type;
            if !TOLD_BY_THE_KERNEL.contains(&magic) {
                return None;
            }
            let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            let folder = number(dir)?;
            let wanted = WatchFlags::MODIFY
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::ATTRIB
                | WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            inotify::add_watch(&events, dir, wanted).ok()?;
            (number(dir)? == folder).then_some(Self { events, folder })
        }

        /// What changed since the beginning or the last question. After [`Changes::Unknown`] a new watch is needed.
        pub(in super::super) fn changes(&self, dir: &Path) -> Changes {
            if number(dir) != Some(self.folder) {
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
                if event.events().intersects(lost) {
                    return Changes::Unknown;
                }
                // A name that is no UTF-8 is no note's. Without a name it is the folder's own times and rights.
                names.extend(event.file_name().and_then(|name| name.to_str().ok()).map(str::to_owned));
            }
            Changes::Unknown
        }
    }

    fn number(dir: &Path) -> Option<(u64, u64)> {
        let about = fs::metadata(dir).ok()?;
        Some((about.dev(), about.ino()))
    }
}

#[cfg(not(target_os = "linux"))]
mod nowhere {
    use super::{Changes, Path};

    /// Never there: every file is looked at.
    #[derive(Debug)]
    pub(in super::super) enum Watch {}

    impl Watch {
        pub(in super::super) fn begin(_dir: &Path) -> Option<Self> {
            None
        }

        pub(in super::super) fn changes(&self, _dir: &Path) -> Changes {
            Changes::Unknown
        }
    }
}
