//! Notes that somebody asks for.

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::text::short::one_line;
use crate::tools::proposed::Proposed;
use crate::tools::tool::{Effect, Shelf, Tool, ToolContext, ToolEntry, ToolError};
use crate::workers::{AskedNote, AskedNoteFate, Workers};

/// Notes what whoever asks has said. It passes the same checks as everything else that a model wants noted.
#[derive(Debug)]
pub(super) struct MemoryNote(pub(super) Option<Arc<Workers>>);

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoteArguments {
    /// One sentence with names instead of "I" and "you", in the words that were used.
    words: String,
    /// What it is about, where that is not whoever asks.
    topic: Option<String>,
}

#[async_trait]
impl Tool for MemoryNote {
    type Arguments = NoteArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new(
            "memory_note",
            Shelf::Memory,
            "Notes for good what whoever asks has said and wants remembered, about themselves or a topic. Nothing else can be noted.",
        )
        .effect(Effect::Acts)
        .in_own_words()
    }

    fn exists(&self) -> bool {
        self.0.is_some()
    }

    async fn proposed(&self, given: &NoteArguments, _: &ToolContext) -> Result<Option<Proposed>, ToolError> {
        let about = given.topic.as_deref().map(one_line);
        Ok(Some(Proposed::Note { words: one_line(&given.words), about }))
    }

    async fn run(&self, given: NoteArguments, context: &ToolContext) -> Result<String, ToolError> {
        let cannot = || ToolError::Broken("nothing can be noted for whoever is answered".to_owned());
        let workers = self.0.as_ref().ok_or_else(cannot)?;
        let leave = context.change.as_ref().ok_or_else(cannot)?;
        let by = &context.caller.as_ref().ok_or_else(cannot)?.account;
        let topic = given.topic.as_deref().filter(|topic| !topic.trim().is_empty());
        let (place, asked, words) = (&context.place, &context.asked, &given.words);
        let note = AskedNote { place, by, asked, words, topic };
        let noted = match workers.note(leave, note).await.map_err(ToolError::broken)? {
            AskedNoteFate::Written => "it is noted",
            AskedNoteFate::Known => "that was noted already",
            AskedNoteFate::Proposed => "it is noted once whoever runs the program says yes",
        };
        Ok(noted.to_owned())
    }
}
