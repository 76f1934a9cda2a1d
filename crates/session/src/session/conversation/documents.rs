//! Which files people want read: those of messages that are for the familiar, and those it is asked about right after.

use std::collections::VecDeque;
use std::time::Duration;

use jiff::Timestamp;

use super::Conversation;
use crate::config::ReadDocuments;
use crate::documents::{PictureUse, SentFile};
use crate::domain::{AccountId, Attachment, InboundMessage, MessageId, ReplyMeasure, StoredId, StoredTurn};
use crate::identity::caller_in;
use crate::session::policy::Decision;

/// So long the next message of whoever sent a file may be about it.
const NEXT_WITHIN: Duration = Duration::from_secs(600);

/// Messages whose files are known and not read, the newest.
const KEPT: usize = 16;

/// The files of a message that was for nobody in particular.
#[derive(Debug)]
struct Unread {
    turn: StoredId,
    message: Option<MessageId>,
    by: AccountId,
    at: Timestamp,
    files: Vec<SentFile>,
    /// Whoever sent it has written since.
    is_past: bool,
}

/// Where files are that nobody asked it about yet, the newest last. They are kept nowhere else.
#[derive(Debug, Default)]
pub(super) struct UnreadFiles(VecDeque<Unread>);

impl UnreadFiles {
    fn put(&mut self, unread: Unread) {
        self.0.push_back(unread);
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    /// Takes those that a message is about, where it is for the familiar: what it answers, and what its author sent right before.
    fn meant_by(&mut self, message: &InboundMessage, is_for_it: bool) -> Vec<Unread> {
        let is_meant = |one: &Unread| {
            let is_next = one.by == message.author.account
                && !one.is_past
                && Duration::try_from(message.at.duration_since(one.at)).is_ok_and(|age| age < NEXT_WITHIN);
            is_next || message.reply_to.is_some() && message.reply_to == one.message
        };
        let all = std::mem::take(&mut self.0);
        let (meant, mut left): (VecDeque<Unread>, VecDeque<Unread>) =
            all.into_iter().partition(|one| is_for_it && is_meant(one));
        left.iter_mut().filter(|one| one.by == message.author.account).for_each(|one| one.is_past = true);
        self.0 = left;
        meant.into()
    }
}

impl Conversation {
    /// Begins to read the files of a message that is for the familiar, and those that it is about; where everything is read,
    /// every file. Of programs, of strangers who are not answered in full and of whoever opted out nothing is read.
    pub(super) async fn read_files(
        &mut self,
        message: &InboundMessage,
        stored: &StoredTurn,
        decision: &Decision,
    ) {
        let reads = self.parts.config.channel_in(&message.place).documents;
        let caller = caller_in(&self.parts.config.current(), &message.place, Some(&message.author));
        let is_full = caller.reply().measure() == ReplyMeasure::Full;
        if reads == ReadDocuments::Off || message.author.is_bot || !is_full {
            return;
        }
        let is_for_it = decision.call().is_some_and(|call| !call.joins_in());
        for unread in self.unread.meant_by(message, is_for_it) {
            if !self.parts.pairing.has_opted_out(&unread.by) {
                self.begin_reading(unread.turn, unread.files).await;
            }
        }
        let by = &message.author.account;
        let files: Vec<SentFile> = message.attachments.iter().filter_map(|one| sent_file(one, by)).collect();
        if files.is_empty() {
            return;
        }
        if is_for_it || reads == ReadDocuments::All {
            self.begin_reading(stored.id, files).await;
        } else {
            let (turn, message, by, at) = (stored.id, message.message.clone(), by.clone(), message.at);
            self.unread.put(Unread { turn, message, by, at, files, is_past: false });
        }
    }

    async fn begin_reading(&self, turn: StoredId, mut files: Vec<SentFile>) {
        let picture_use = self.parts.picture_use();
        // A picture that nobody looks at says no more than its name, which stands in the message.
        files.retain(|file| !file.is_picture || picture_use.is_some());
        self.parts.documents.begin(turn, files, picture_use.unwrap_or(PictureUse::Described)).await;
    }
}

fn sent_file(attachment: &Attachment, from: &AccountId) -> Option<SentFile> {
    Some(SentFile {
        name: attachment.name.clone(),
        bytes: attachment.bytes?,
        at: attachment.address.clone()?,
        is_picture: attachment.kind == "image",
        spoken_by: (attachment.kind == "audio").then(|| from.clone()),
    })
}
