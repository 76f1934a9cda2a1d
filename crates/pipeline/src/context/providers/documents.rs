//! The documents that came with the messages being answered: how they begin, or why they cannot be read.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::context::contribution::{
    Contribution, DOCUMENT_SOURCE, Importance, Placement, Quoted, TailPart, Trust,
};
use crate::context::request::TurnRequest;
use crate::domain::Layer;
use crate::history::{History, SourceOf, SourceState};
use crate::text::names::prompt_label;
use crate::text::short::{counted, thousands};

/// What is told of how one document begins, in tokens.
const BEGINNING_TOKENS: u32 = 1_200;

/// Passages that are read for it, which are more than that.
const BEGINNING_PASSAGES: u32 = 12;

/// Contributes how documents begin that came with what is being answered. Later a question brings back the passage it is
/// about, as any other.
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
        if !self.history.has_sources() || request.pending.is_empty() {
            return Ok(Vec::new());
        }
        let visible = request.visible();
        let seen = self.history.seen_by(&visible);
        let turns = request.pending.iter().map(|turn| turn.id).collect();
        let mut pieces = Vec::new();
        for document in seen.documents_of(turns).await? {
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
        ..Contribution::new(
            format!("{DOCUMENT_SOURCE}{} {}", document.id.0, document.name),
            Layer::Content,
            Placement::Tail(TailPart::Recalled),
            Trust::Held,
            document.audience.clone(),
            format!("(the file {} that came with this message) {words}", document.name),
        )
    }
}
