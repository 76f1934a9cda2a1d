//! Which files people want read: those that they show to the familiar.

use super::super::opening::own_names;
use super::Conversation;
use crate::config::ReadDocuments;
use crate::documents::{SentFile, Sight};
use crate::domain::{AccountId, Attachment, InboundMessage, ReplyMeasure, StoredTurn};
use crate::identity::caller_in;
use crate::text::names::names_whole_word;

impl Conversation {
    /// Begins to read the files of a message, where it shows them to the familiar or everything here is read. Of programs and of
    /// strangers who are not answered in full nothing is read.
    pub(super) async fn read_files(&self, message: &InboundMessage, stored: &StoredTurn) {
        let config = self.parts.config.current();
        let sight = self.parts.sight();
        // A picture that nobody looks at says no more than its name, which stands in the message.
        let is_for_reading = |attachment: &&Attachment| attachment.kind != "image" || sight.is_some();
        let files: Vec<SentFile> = message
            .attachments
            .iter()
            .filter(is_for_reading)
            .filter_map(|attachment| sent_file(attachment, &message.author.account))
            .collect();
        if files.is_empty() || message.author.is_bot {
            return;
        }
        let is_wanted = match self.parts.config.channel_in(&message.place).documents {
            ReadDocuments::Off => false,
            ReadDocuments::Addressed => self.is_shown(message),
            ReadDocuments::All => true,
        };
        let caller = caller_in(&config, &message.place, Some(&message.author));
        if is_wanted && caller.reply().measure() == ReplyMeasure::Full {
            let sight = sight.unwrap_or(Sight::Described);
            self.parts.documents.begin(stored.id, files, sight).await;
        }
    }

    /// Whether a message is plainly for the familiar.
    fn is_shown(&self, message: &InboundMessage) -> bool {
        message.place.is_one_to_one()
            || message.hints.mentions_familiar
            || message.hints.replies_to_familiar
            || own_names(&self.parts).iter().any(|name| names_whole_word(&message.text, name))
    }
}

fn sent_file(attachment: &Attachment, from: &AccountId) -> Option<SentFile> {
    Some(SentFile {
        name: attachment.name.clone(),
        bytes: attachment.bytes?,
        at: attachment.address.clone()?,
        spoken_by: (attachment.kind == "audio").then(|| from.clone()),
    })
}
