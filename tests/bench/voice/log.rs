//! What the program itself says about a call, taken from its log.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

/// One thing that it said.
#[derive(Debug, Clone, Copy)]
pub enum Entry {
    /// Somebody's turn is over: how long was to be waited for that after their last sound, and whether an answer that was
    /// begun before is kept.
    Taken { at: Instant, wait: Duration, ahead: bool },
    /// It falls silent from now on.
    Silent { at: Instant },
    /// A packet has been decoded, and it is known whether there is a voice in it.
    Heard { at: Instant, ssrc: u32, sequence: u16 },
}

/// All that it said.
#[derive(Clone, Default)]
pub struct Log {
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Log {
    /// From now on everything is taken down, for this process; what `RUST_LOG` names is shown, too.
    pub fn open() -> Self {
        let log = Self::default();
        let of_calls = Targets::new().with_target("familiar_connect::voice", LevelFilter::TRACE);
        let shown = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
        let shown = shown.with_filter(tracing_subscriber::EnvFilter::from_default_env());
        let subscriber = tracing_subscriber::registry().with(log.clone().with_filter(of_calls)).with(shown);
        tracing::subscriber::set_global_default(subscriber).unwrap();
        log
    }

    /// What was said since the last look.
    pub fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut *self.entries.lock().unwrap())
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let at = Instant::now();
        let mut fields = Fields::default();
        event.record(&mut fields);
        let entry = match fields.message.as_str() {
            "their turn is over" => {
                Entry::Taken { at, wait: Duration::from_millis(fields.wait_ms), ahead: fields.ahead }
            }
            "it falls silent" => Entry::Silent { at },
            "a packet is heard" => Entry::Heard {
                at,
                ssrc: u32::try_from(fields.ssrc).unwrap(),
                sequence: u16::try_from(fields.sequence).unwrap(),
            },
            _ => return,
        };
        self.entries.lock().unwrap().push(entry);
    }
}

#[derive(Default)]
struct Fields {
    message: String,
    wait_ms: u64,
    ahead: bool,
    ssrc: u64,
    sequence: u64,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "wait_ms" => self.wait_ms = value,
            "ssrc" => self.ssrc = value,
            "sequence" => self.sequence = value,
            _ => {}
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        if field.name() == "ahead" {
            self.ahead = value;
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}
