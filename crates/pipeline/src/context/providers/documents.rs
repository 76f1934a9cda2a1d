//! The documents that came with the messages being answered, or with what these reply to: how they begin, or why they cannot
//! be read.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::context::contribution::{Contribution, DOCUMENT_SOURCE, Importance, Quoted, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::{Attachment, Audience, StoredTurn};
use crate::history::{History, SourceOf, SourceState};
use crate::text::names::prompt_label;
use crate::text::short::{counted, thousands};

/// What is told of how one document begins, in tokens.
const BEGINNING_TOKENS: u32 = 1_200;

/// Passages that are read for it, which are more than that.
const BEGINNING_PASSAGES: u32 = 12;

/// Of what came with a message and nobody looked at or listened to.
const UNPERCEIVED: &str = "You have not seen or heard the pictures, videos and sounds in what you answer: of each you know only \
                           what its line says. Where it matters, look with a tool if you have one, else say plainly that you \
                           cannot; make nothing up about them.";

/// Contributes how documents begin that came with what is being answered, and says what came with it that it does not know.
/// Later a question brings back the passage it is about, as any other.
#[derive(Debug)]
pub(crate) struct DocumentsProvider {
    pub history: Arc<History>,
}

#[async_trait]
impl ContextProvider for DocumentsProvider {
    fn profile(&self) -> Profile {
        Profile::floor("documents", 250)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let visible = request.visible();
        let seen = self.history.seen_by(&visible);
        let parents =
            request.pending.iter().filter_map(|turn| turn.reply_to.as_ref()).map(|parent| parent.id);
        let turns = request.pending.iter().map(|turn| turn.id).chain(parents).collect();
        let has_any = self.history.has_sources() && !request.pending.is_empty();
        let documents = if has_any { seen.documents_of(turns).await? } else { Vec::new() };
        let mut pieces = Vec::new();
        if request.pending.iter().any(|turn| shows_unperceived(turn, &documents)) {
            let (part, source) = (TailPart::Format, "format/unperceived");
            let rule = request.tail(part, Importance::High, Trust::Program, source, UNPERCEIVED);
            pieces.push(Contribution { audience: Audience::Canon, ..rule });
        }
        for document in documents {
            let words = match document.state {
                SourceState::Reading => "is still being read; what stands in it is not known yet".to_owned(),
                SourceState::Unread => format!("cannot be read: {}", document.problem),
                SourceState::Read => {
                    let passages = seen.passages_of(document.id, 0, BEGINNING_PASSAGES).await?;
                    let text: Vec<String> = passages
                        .iter()
                        .map(|one| match one.heading.as_str() {
                            "" => one.text.clone(),
                            heading => format!("{heading}: {}", one.text),
                        })
                        .collect();
                    format!("{}\n{}", told_extent(&document), text.join("\n"))
                }
            };
            pieces.push(document_piece(&document, &words));
        }
        Ok(pieces)
    }
}

/// What is to be seen or heard, by the kind that its line names.
const PERCEIVED: [&str; 3] = ["image", "video", "audio"];

/// Whether a message, or what it replies to, has a picture, video or sound that was not taken in.
fn shows_unperceived(turn: &StoredTurn, documents: &[SourceOf]) -> bool {
    let with = |id| documents.iter().filter(move |document| document.turn == Some(id));
    let is_unperceived = |(kind, name): (&str, &str)| {
        PERCEIVED.contains(&kind) && !with(turn.id).any(|document| name.starts_with(&document.name))
    };
    // Of what it replies to there is only a glimpse.
    let glimpsed = |words: &str| {
        let mut lines = words.split("> [").skip(1).filter_map(|rest| rest.split_once(": "));
        lines.any(|(kind, _)| PERCEIVED.contains(&kind))
    };
    let parent = turn.reply_to.as_ref().filter(|parent| with(parent.id).next().is_none());
    turn.content.lines().filter_map(Attachment::read).any(is_unperceived)
        || parent.is_some_and(|parent| glimpsed(&parent.snippet))
}

/// How much of it there is, so that nobody takes its beginning for all of it.
fn told_extent(document: &SourceOf) -> String {
    let parts = counted(document.passages.into(), "paragraph");
    match document.left_out {
        0 => format!("has {parts} and begins:"),
        left_out => format!(
            "begins as follows; its first {parts} can be read, the {} characters behind them cannot:",
            thousands(left_out)
        ),
    }
}

fn document_piece(document: &SourceOf, words: &str) -> Contribution {
    let quoted =
        Quoted { author: document.author.as_deref().map(prompt_label), place: None, at: Some(document.at) };
    Contribution {
        importance: Importance::High,
        quoted: Some(quoted),
        clip: Some(BEGINNING_TOKENS),
        ..Contribution::looked_up(
            format!("{DOCUMENT_SOURCE}{} {}", document.id.0, document.name),
            TailPart::Recalled,
            document.audience.clone(),
            format!("(the file {} that came with this message) {words}", document.name),
        )
    }
}
