//! Everything that was said and is believed, to take along: the lines of `familiar memory export`.

use std::io::{Seek as _, SeekFrom};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use tokio::io::AsyncReadExt as _;

use super::door::SentForm;
use super::pages::Refusal;
use super::shared::Shared;
use crate::archive::{Span, export};

/// So much is read at a time on its way out, in bytes.
const PIECE: usize = 64 * 1024;

/// Writes the lines into a file without a name in the familiar's folder, and sends them from there: whoever takes them slowly
/// holds up no store. One at a time.
pub(super) async fn post_export(State(shared): State<Arc<Shared>>, _: SentForm) -> Result<Response, Refusal> {
    let Ok(alone) = Arc::clone(&shared.exporting).try_lock_owned() else {
        return Err(Refusal(StatusCode::SERVICE_UNAVAILABLE));
    };
    let written = written_out(&shared).await.map_err(|error| {
        tracing::warn!(error, "memories could not be written out for the window");
        Refusal(StatusCode::INTERNAL_SERVER_ERROR)
    })?;
    let pieces =
        stream::try_unfold((tokio::fs::File::from_std(written), alone), |(mut file, alone)| async move {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece).await?;
            piece.truncate(read);
            Ok::<_, std::io::Error>((read > 0).then(|| (Bytes::from(piece), (file, alone))))
        });
    let day = shared.heads.today();
    let name = format!("attachment; filename=\"memories-{}-{day}.jsonl\"", shared.parts.config.home().id());
    let head =
        [(header::CONTENT_TYPE, "application/x-ndjson".to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((head, Body::from_stream(pieces)).into_response())
}

async fn written_out(shared: &Shared) -> Result<std::fs::File, String> {
    let folder = shared.parts.config.home().root().to_owned();
    let file = tokio::task::spawn_blocking(move || tempfile::tempfile_in(folder)).await;
    let file = file.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
    let mut out = std::io::BufWriter::new(file);
    let (history, memory) = (&shared.parts.history, &shared.parts.memory);
    export(history, memory, Span::Everything, &mut out).await.map_err(|error| error.to_string())?;
    let mut file = out.into_inner().map_err(|error| error.to_string())?;
    file.seek(SeekFrom::Start(0)).map_err(|error| error.to_string())?;
    Ok(file)
}
