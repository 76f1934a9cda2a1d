//! `familiar voice`: the speech engines tried from a terminal. What is used is not written into the account of costs:
//! that file belongs to the familiar that runs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};

use super::report::{self, tell_progress, without_control};
use super::target::{existing, settings_of};
use crate::config::{FamiliarHome, Secrets};
use crate::voice::engines::{
    EngineParts, Engines, Phrase, SpeechEvent, SpeechInput, Spoken, TranscriptEvent, TranscriptionHints,
    from_config, read_wav, to_heard_rate, wav_bytes,
};
use crate::voice::frame::{FRAME, RATE, lasting};

/// The longest file that is heard.
const LONGEST: Duration = Duration::from_secs(120);
/// The longest wait for words after the last sound.
const PATIENCE: Duration = Duration::from_secs(30);

/// What `familiar voice` takes.
#[derive(Debug, Args)]
pub(super) struct VoiceArguments {
    /// Which familiar; default: FAMILIAR_ID, else the only one there is
    #[arg(id = "voice_familiar", long = "familiar", value_name = "ID", global = true)]
    familiar: Option<String>,
    #[command(subcommand)]
    verb: VoiceVerb,
}

#[derive(Debug, Subcommand)]
enum VoiceVerb {
    /// Speak a text with the voice it would have in calls
    Say {
        /// The text
        text: String,
        /// Write the sound into this WAV file
        #[arg(long, alias = "output", value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Print what it would understand of a WAV file
    Hear {
        /// The file: plain 16-bit samples, at most two minutes
        file: PathBuf,
    },
}

/// Runs the verb. Needs no lock, so it works while the familiar runs.
///
/// # Errors
/// When there is no such familiar or engine, the engine fails, or a file cannot be read or written.
pub(super) async fn run_voice(
    arguments: &VoiceArguments,
    data_dir: &Path,
    secrets: &Secrets,
) -> anyhow::Result<ExitCode> {
    let home = FamiliarHome::new(data_dir, &existing(arguments.familiar.as_deref(), data_dir, secrets)?);
    let config = settings_of(home)?.current();
    let engines = from_config(EngineParts::of(&config, secrets));
    match &arguments.verb {
        VoiceVerb::Say { text, out } => speak_text(&engines, text, out.as_deref()).await,
        VoiceVerb::Hear { file } => hear(&engines, file).await,
    }
}

/// Why there is no engine for this.
fn why_not(engines: &Engines, spoken: Spoken, switched_off: &str) -> anyhow::Error {
    let why = engines.why_not.iter().find(|why| why.spoken == spoken);
    anyhow::anyhow!("{}", why.map_or_else(|| switched_off.to_owned(), ToString::to_string))
}

async fn speak_text(engines: &Engines, text: &str, file: Option<&Path>) -> anyhow::Result<ExitCode> {
    let Some(engine) = &engines.tts else {
        return Err(why_not(engines, Spoken::Said, "nothing speaks: tts.provider is \"none\""));
    };
    tell_progress(&format!("{} speaks …", engine.name()));
    engine.warm_up().await;
    let asked = Instant::now();
    let mut speech = engine.speak(&Phrase::of(text)).await?;
    let (mut samples, mut words, mut first) = (Vec::new(), 0, None);
    while let Some(event) = speech.events.recv().await {
        match event {
            SpeechEvent::Samples(more) => {
                first.get_or_insert_with(|| asked.elapsed());
                samples.extend(more);
            }
            SpeechEvent::Words(more) => words += more.len(),
            SpeechEvent::Done => break,
            SpeechEvent::Failed(error) => return Err(error.into()),
        }
    }
    let Some(first) = first else { bail!("{} sent no sound", engine.name()) };
    let times = if words > 0 { format!(", {words} words timed") } else { String::new() };
    report::write_line(&format!(
        "{:.1} s of sound at {} Hz; the first after {} ms, all after {} ms{times}",
        lasting(samples.len(), speech.rate).as_secs_f64(),
        speech.rate,
        first.as_millis(),
        asked.elapsed().as_millis(),
    ))?;
    if let Some(file) = file {
        let wav = wav_bytes(speech.rate, &samples);
        tokio::fs::write(file, wav).await.with_context(|| format!("writing {}", file.display()))?;
        report::write_line(&format!("written to {}", file.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn hear(engines: &Engines, file: &Path) -> anyhow::Result<ExitCode> {
    let bytes = tokio::fs::read(file).await.with_context(|| format!("reading {}", file.display()))?;
    let (rate, samples) = read_wav(&bytes).with_context(|| file.display().to_string())?;
    let samples = to_heard_rate(rate, &samples).with_context(|| file.display().to_string())?;
    let long = lasting(samples.len(), RATE);
    if long > LONGEST {
        bail!("{} is {:.0} s long; {} s are the most", file.display(), long.as_secs_f64(), LONGEST.as_secs());
    }
    let Some(engine) = &engines.stt else {
        return Err(why_not(engines, Spoken::Heard, "nothing listens: stt.provider is \"none\""));
    };
    tell_progress(&format!("{} listens to {:.1} s …", engine.name(), long.as_secs_f64()));
    let mut ear = engine.open(&TranscriptionHints::default()).await?;
    let input = ear.input.clone();
    let feeding = tokio::spawn(async move {
        for frame in samples.chunks(FRAME) {
            if input.send(SpeechInput::Samples(frame.into())).await.is_err() {
                return;
            }
        }
        // One who has gone says why by its events.
        let _ = input.send(SpeechInput::Finalize).await;
    });
    let asked = Instant::now();
    let heard = tokio::time::timeout(long + PATIENCE, understood(&mut ear.events)).await;
    feeding.abort();
    let text = heard.map_err(|_| anyhow::anyhow!("{} did not answer in time", engine.name()))??;
    tell_progress(&format!("understood after {} ms", asked.elapsed().as_millis()));
    report::write_line(&without_control(&text))?;
    Ok(ExitCode::SUCCESS)
}

/// Everything that was said, once it is final.
async fn understood(events: &mut tokio::sync::mpsc::Receiver<TranscriptEvent>) -> anyhow::Result<String> {
    let mut pieces: Vec<String> = Vec::new();
    while let Some(event) = events.recv().await {
        match event {
            TranscriptEvent::Partial { text } if !text.is_empty() => tell_progress(&format!("… {text}")),
            TranscriptEvent::EndOfTurn { text } => pieces.push(text),
            TranscriptEvent::Final { text, finalized } => {
                pieces.push(text);
                if finalized {
                    break;
                }
            }
            TranscriptEvent::Failed(error) => return Err(error.into()),
            TranscriptEvent::Closed => break,
            _ => {}
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    Ok(pieces.join(" "))
}
