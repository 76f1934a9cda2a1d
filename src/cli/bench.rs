//! `familiar bench`: how long things take here, with what is set up.

mod measure;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use super::report::{self, tell_progress, without_control};
use super::target::looking_on;
use crate::app::App;
use crate::config::Secrets;
use crate::domain::{ChannelId, Place, Slot};
use crate::llm::CompletionRequest;
use crate::voice::engines::{EngineParts, from_config};

/// What somebody asks, in the familiar's own voice, and what is answered.
const QUESTION: &str = "What time is it?";
const ANSWER: &str = "It is late, very late.";

/// How long a finished sentence is waited for (voice 2.2).
const WAIT: Duration = Duration::from_millis(270);

/// From a track to Discord's network, as measured with songbird (voice 0.3).
const TO_AIR: Duration = Duration::from_millis(38);

/// What `familiar bench` takes.
#[derive(Debug, Args)]
pub(super) struct BenchArguments {
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(id = "bench_familiar", long = "familiar", value_name = "ID", global = true)]
    familiar: Option<String>,
    #[command(subcommand)]
    verb: BenchVerb,
}

#[derive(Debug, Subcommand)]
enum BenchVerb {
    /// Measure what listens, answers and speaks in calls, without Discord; the services are paid as usual
    Voice {
        /// How often each is measured
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=50))]
        rounds: u32,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
}

/// Runs the verb. Nothing is stored or posted, so it works while the familiar runs.
///
/// # Errors
/// When there is no such familiar, or what is measured fails.
pub(super) async fn run_bench(
    arguments: &BenchArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let app = looking_on(arguments.familiar.as_deref(), data_dir, secrets).await?;
    let BenchVerb::Voice { rounds, json } = arguments.verb;
    let measured = bench_voice(&app, secrets, rounds).await;
    app.stop(std::future::ready(()), || {}).await;
    let rows = measured?;
    if json {
        let rows: Vec<_> = rows.iter().map(BenchRow::json).collect();
        report::write_line(&serde_json::to_string_pretty(&json!({ "rounds": rounds, "figures": rows }))?)?;
    } else {
        report::write_line(&bench_table(&rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A line of the table.
struct BenchRow {
    what: String,
    times: Vec<Duration>,
    /// Milliseconds: in half of all rounds, and in 95 of a hundred.
    aim: Option<(u64, u64)>,
}

impl BenchRow {
    fn new(what: String, mut times: Vec<Duration>, aim: Option<(u64, u64)>) -> Self {
        times.sort();
        Self { what, times, aim }
    }

    /// Milliseconds within which so many of a hundred were.
    fn within(&self, percent: usize) -> u128 {
        let at = (self.times.len() * percent).div_ceil(100).saturating_sub(1);
        self.times.get(at).map_or(0, Duration::as_millis)
    }

    fn json(&self) -> serde_json::Value {
        let p = |percent| u64::try_from(self.within(percent)).unwrap_or(u64::MAX);
        json!({ "what": self.what, "p50_ms": p(50), "p95_ms": p(95), "aim_ms": self.aim })
    }
}

fn bench_table(rows: &[BenchRow]) -> String {
    let widest = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or_default();
    let mut lines = vec![format!("{:widest$}  p50 ms  p95 ms  aim", "")];
    for row in rows {
        let aim = row.aim.map_or_else(|| "-".to_owned(), |(p50, p95)| format!("{p50} / {p95}"));
        let what = without_control(&row.what);
        lines.push(format!("{what:widest$}  {:>6}  {:>6}  {aim}", row.within(50), row.within(95)));
    }
    lines.push(String::new());
    lines.push(
        "Voice to voice is added up: the wait for a finished sentence or the last words, whichever is longer, the model, the \
         voice, the way to Discord. An answer that is begun early (voice.answer_ahead) comes up to a third of a second sooner."
            .to_owned(),
    );
    lines.join("\n")
}

async fn bench_voice(app: &App, secrets: &Secrets, rounds: u32) -> anyhow::Result<Vec<BenchRow>> {
    let config = app.config.current();
    let engines = from_config(EngineParts::of(&config, secrets));
    for why in &engines.why_not {
        tell_progress(&format!("not measured: {why}"));
    }
    let model = app.models.slot(Slot::MainProse);
    let (mut words, mut first_words, mut sounds, mut own, mut whole) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let question = match &engines.tts {
        Some(voice) => {
            Some(measure::spoken(&**voice, QUESTION).await.context("the question could not be spoken")?)
        }
        None => None,
    };
    for round in 1..=rounds {
        tell_progress(&format!("round {round} of {rounds} …"));
        let mut sum = WAIT;
        if let (Some(ears), Some(question)) = (&engines.stt, &question) {
            let heard = measure::heard(&**ears, question).await.context(ears.name().to_owned())?;
            if round == 1 {
                tell_progress(&format!("{} understood: {}", ears.name(), heard.text));
            }
            sum = sum.max(heard.last_words);
            words.push(heard.last_words);
        }
        let request = CompletionRequest {
            max_tokens: Some(60),
            ..CompletionRequest::instructed(Slot::MainProse, "Answer in one short sentence.", QUESTION)
        };
        let answered = measure::first_word_after(&*model, request).await.context(model.describe().model)?;
        first_words.push(answered);
        sum += answered;
        if let Some(voice) = &engines.tts {
            let spoken = measure::spoken(&**voice, ANSWER).await.context(voice.name().to_owned())?;
            sounds.push(spoken.first);
            sum += spoken.first;
        }
        let through = measure::own(Place::terminal(ChannelId::from(0))).await?;
        own.push(through);
        sum += through + TO_AIR;
        whole.push(sum);
    }
    let name = |name: Option<&str>, what: &str| format!("{what} ({})", name.unwrap_or("none"));
    let is_whole = engines.stt.is_some() && engines.tts.is_some();
    let ears = engines.stt.as_ref().map(|ears| ears.name());
    let tongue = engines.tts.as_ref().map(|voice| voice.name());
    let mut rows = vec![
        BenchRow::new(name(ears, "end of speech to last words"), words, Some((250, 300))),
        BenchRow::new(
            name(Some(&model.describe().model), "question to first word"),
            first_words,
            Some((410, 600)),
        ),
        BenchRow::new(name(tongue, "phrase to first sound"), sounds, Some((190, 260))),
        BenchRow::new("first word to a frame of sound, the program alone".to_owned(), own, Some((45, 80))),
    ];
    rows.retain(|row| !row.times.is_empty());
    if is_whole {
        rows.push(BenchRow::new("voice to voice, added up".to_owned(), whole, Some((900, 1_300))));
    }
    Ok(rows)
}
