//! Work on a whole database that takes more than a moment is told of while it goes on.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use crate::text::short::thousands;

/// Steps of SQLite's machine between two looks at the clock: well below a millisecond.
pub(super) const STEPS_BETWEEN_LOOKS: i32 = 1_000;

/// For so long nobody wonders why nothing happens.
const MOMENT: Duration = Duration::from_secs(2);

/// After so long it is said again that it goes on.
const AGAIN: Duration = Duration::from_secs(30);

/// The file is copied or gets a new layout on this connection: where that takes its time the log says so, as a warning,
/// which is shown also to whoever sits at a terminal and waits. Until [`is_done`].
pub(super) fn tells_of_layout(connection: &Connection, path: &Path) -> rusqlite::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let megabytes = thousands(std::fs::metadata(path).map_or(0, |file| file.len()) / 1_000_000);
    tells(connection, (MOMENT, AGAIN), move |so_far| {
        let seconds = so_far.as_secs();
        tracing::warn!(
            "the database {name} ({megabytes} MB) is brought to the layout of this version. That takes a while, once; let it \
             finish ({seconds} s so far)"
        );
    })
}

/// Has `tell` hear how long the work on a connection has taken, after `first` and then each time after `again`.
fn tells(
    connection: &Connection,
    (first, again): (Duration, Duration),
    mut tell: impl FnMut(Duration) + Send + 'static,
) -> rusqlite::Result<()> {
    let (began, mut due) = (Instant::now(), first);
    let looks = move || {
        let so_far = began.elapsed();
        if so_far >= due {
            tell(so_far);
            due = so_far + again;
        }
        // It is never broken off.
        false
    };
    connection.progress_handler(STEPS_BETWEEN_LOOKS, Some(looks))
}

/// Nothing more is told of this connection.
pub(super) fn is_done(connection: &Connection) -> rusqlite::Result<()> {
    connection.progress_handler(0, None::<fn() -> bool>)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// So many thousand steps of SQLite's machine that the clock is looked at again and again.
    fn works(connection: &Connection) {
        let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT count(*) FROM n";
        assert_eq!(connection.query_row(count, [], |row| row.get::<_, i64>(0)), Ok(50_000));
    }

    #[test]
    fn what_takes_its_time_is_told_of_until_it_is_done_and_what_is_quick_never() {
        let connection = Connection::open_in_memory().unwrap();
        let told = Arc::new(AtomicU32::new(0));
        let counted = |told: &Arc<AtomicU32>| {
            let told = Arc::clone(told);
            move |_: Duration| {
                told.fetch_add(1, Ordering::Relaxed);
            }
        };
        let day = Duration::from_secs(86_400);
        tells(&connection, (day, day), counted(&told)).unwrap();
        works(&connection);
        assert_eq!(told.load(Ordering::Relaxed), 0);

        tells(&connection, (Duration::ZERO, day), counted(&told)).unwrap();
        works(&connection);
        assert_eq!(told.load(Ordering::Relaxed), 1, "once, and then after a while");

        tells(&connection, (Duration::ZERO, Duration::ZERO), counted(&told)).unwrap();
        works(&connection);
        let so_far = told.load(Ordering::Relaxed);
        assert!(so_far > 2, "{so_far}");
        is_done(&connection).unwrap();
        works(&connection);
        assert_eq!(told.load(Ordering::Relaxed), so_far);
    }
}
