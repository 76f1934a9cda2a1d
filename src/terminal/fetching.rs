//! Tells in the terminal how the embedding model comes: a bar while its files are fetched, and a line at the end.

use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use tokio::sync::watch;

use super::messages;
use super::screen::Screen;
use crate::embedding::Standing;

/// Files smaller than this come too quickly to be worth a bar, in bytes.
const WORTH_A_BAR: u64 = 4 << 20;

/// Follows the model until it is ready or it is clear that there is none. The bar goes to standard error, and only where
/// that is a terminal in which nobody is typing.
pub async fn show_fetching(mut changes: watch::Receiver<Standing>, screen: Arc<Screen>) {
    let mut bar: Option<ProgressBar> = None;
    loop {
        let standing = changes.borrow_and_update().clone();
        match standing {
            Standing::Fetching { done, total } if total >= WORTH_A_BAR => {
                let bar = bar.get_or_insert_with(|| {
                    screen.remark(&messages::fetching_model(total));
                    if screen.is_prompted() { ProgressBar::hidden() } else { new_bar(total) }
                });
                bar.set_position(done);
            }
            Standing::Fetching { .. } | Standing::Loading => {}
            Standing::Ready { .. } => {
                if let Some(bar) = bar {
                    bar.finish_and_clear();
                    screen.remark(messages::MODEL_FETCHED);
                }
                return;
            }
            Standing::Failed(reason) => {
                bar.into_iter().for_each(|bar| bar.finish_and_clear());
                screen.remark(&messages::no_embedding_model(&reason));
                return;
            }
            Standing::Off => return,
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

fn new_bar(total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    // A template that cannot be read leaves the library's own.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}") {
        bar.set_style(style);
    }
    bar
}
