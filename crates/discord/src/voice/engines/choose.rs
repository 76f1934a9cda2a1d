//! Which engines are used: the one that is named, else the first that is set up (voice 3.3: degrade, never fail).

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Url};
use secrecy::SecretString;

use super::cost::{Meter, PeoplesHours, Spoken};
use super::failover::{FailoverTranscriber, FailoverVoice};
use super::service::{Service, is_local};
use super::stt::deepgram::Deepgram;
use super::stt::live::{Live, LiveService};
use super::stt::realtime::Realtime;
use super::stt::whole::{Upload, WholeUtterances};
use super::tts::command::{CommandVoice, command_words, installed};
use super::tts::contexts::OverSocket;
use super::tts::http::{HttpVoice, Wire};
use super::tts::socket_voices::{Cartesia, ElevenLabs};
use super::{Synthesizer, Transcriber};
use crate::config::{
    Config, LlmKeySource, Secrets, SttConfig, SttProvider, TtsConfig, TtsProvider, is_openai,
};
use crate::llm::UsageLedger;
use crate::net::server_client;

const OPENAI: &str = "https://api.openai.com/v1";
const OPENROUTER: &str = "https://openrouter.ai/api/v1";
/// What a recogniser is called that only its address is known of.
pub const OWN_SERVER: &str = "the server of stt.openai_url";
/// Gemini thinks about how to say it, and a program may have to load its voice first.
const SLOW_STARTERS: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy)]
pub struct EngineParts<'a> {
    pub stt: &'a SttConfig,
    pub tts: &'a TtsConfig,
    /// Keys, and where programs are.
    pub secrets: &'a Secrets,
    /// `llm.base_url` with what overrides it: whose key the model key is.
    pub llm_base_url: Option<&'a str>,
    /// Where use and cost are written down.
    pub ledger: Option<&'a Arc<UsageLedger>>,
}

impl<'a> EngineParts<'a> {
    /// As the settings have it; nothing is written down.
    pub fn of(config: &'a Config, secrets: &'a Secrets) -> Self {
        Self {
            stt: &config.stt,
            tts: &config.tts,
            secrets,
            llm_base_url: secrets.llm_base_url.as_deref().or(config.llm.base_url.as_deref()),
            ledger: None,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Engines {
    /// What listens. Without it the familiar speaks, but hears nothing.
    pub stt: Option<Arc<dyn Transcriber>>,
    /// What speaks. Without it replies are written.
    pub tts: Option<Arc<dyn Synthesizer>>,
    /// Whether listening falls back on the key for models, which is checked with the models.
    pub stt_by_model_key: bool,
    /// Why there is none, or not the one that was named.
    pub why_not: Vec<WhyNot>,
    /// What else is set up, in the order in which it would be used; nothing where an engine is named.
    pub failover_stt: Vec<Arc<dyn Transcriber>>,
    pub failover_tts: Vec<Arc<dyn Synthesizer>>,
}

impl Engines {
    /// The same, where an engine that fails is replaced by the next one that is set up, until it has rested.
    pub fn with_failover(self) -> Self {
        let (failover_stt, failover_tts) = (self.failover_stt, self.failover_tts);
        let stt = self.stt.map(|first| -> Arc<dyn Transcriber> {
            if failover_stt.is_empty() {
                first
            } else {
                Arc::new(FailoverTranscriber::new(first, failover_stt))
            }
        });
        let tts = self.tts.map(|first| -> Arc<dyn Synthesizer> {
            if failover_tts.is_empty() { first } else { Arc::new(FailoverVoice::new(first, failover_tts)) }
        });
        Self { stt, tts, failover_stt: Vec::new(), failover_tts: Vec::new(), ..self }
    }
}

/// Why an engine is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyNot {
    pub spoken: Spoken,
    /// What is missing, and what to do, as a phrase for people.
    pub reason: String,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

type Made<Engine> = Result<Arc<Engine>, String>;

/// The one that is used, if it is wanted at all, or why there is none; and what else is set up.
type Found<First, Engine> = (Result<Option<First>, String>, Vec<Arc<Engine>>);

/// Makes the engines that the settings ask for. Nothing is connected yet.
pub fn from_config(parts: EngineParts<'_>) -> Engines {
    crate::net::install_tls();
    let (heard, failover_stt) = transcribers(parts);
    let (said, failover_tts) = voices(parts);
    let mut why_not = Vec::new();
    let stt = heard.unwrap_or_else(|reason| {
        why_not.push(WhyNot { spoken: Spoken::Heard, reason });
        None
    });
    let tts = said.unwrap_or_else(|reason| {
        why_not.push(WhyNot { spoken: Spoken::Said, reason });
        None
    });
    let stt_by_model_key = stt.as_ref().is_some_and(|(_, by_model_key)| *by_model_key);
    Engines { stt: stt.map(|(engine, _)| engine), tts, stt_by_model_key, why_not, failover_stt, failover_tts }
}

fn transcriber(parts: EngineParts<'_>, provider: SttProvider) -> Made<dyn Transcriber> {
    match provider {
        SttProvider::Deepgram | SttProvider::Flux => deepgram(parts, provider == SttProvider::Flux),
        SttProvider::OpenAi => openai_files(parts),
        SttProvider::Realtime => realtime(parts),
        SttProvider::OpenRouter => openrouter(parts),
        SttProvider::Auto | SttProvider::None => Err("no engine for hearing is named".to_owned()),
    }
}

/// With the first: whether it is paid for by the key for models.
fn transcribers(parts: EngineParts<'_>) -> Found<(Arc<dyn Transcriber>, bool), dyn Transcriber> {
    let (stt, keys) = (parts.stt, &parts.secrets.speech);
    match stt.provider {
        SttProvider::None => return (Ok(None), Vec::new()),
        SttProvider::Auto => {}
        named => return (transcriber(parts, named).map(|engine| Some((engine, false))), Vec::new()),
    }
    let own = stt.openai_url.as_deref();
    // OpenAI's key goes to OpenAI only where the settings name it.
    let openai = parts.llm_base_url.is_some_and(is_openai) && parts.secrets.openai_api_key.is_some();
    let all = [
        (keys.deepgram.is_some(), false, SttProvider::Deepgram),
        (own.is_some(), false, SttProvider::OpenAi),
        (openrouter_base(parts).is_some(), true, SttProvider::OpenRouter),
        (openai && own.is_none(), true, SttProvider::OpenAi),
    ];
    let mut set_up = all.into_iter().filter(|(is_set_up, ..)| *is_set_up);
    let Some((_, by_model_key, first)) = set_up.next() else {
        let reason = "no engine for hearing is set up: set DEEPGRAM_API_KEY or OPENROUTER_API_KEY, or \
                      name a local server in stt.openai_url";
        return (Err(reason.to_owned()), Vec::new());
    };
    // What is said to a server of one's own is not sent to a service because that server is down.
    let stays = keys.deepgram.is_none() && own.is_some_and(|url| !is_openai(url));
    let failovers = set_up.filter(|_| !stays).filter_map(|(.., one)| transcriber(parts, one).ok()).collect();
    (transcriber(parts, first).map(|engine| Some((engine, by_model_key))), failovers)
}

fn choose_voice(parts: EngineParts<'_>, provider: TtsProvider) -> Made<dyn Synthesizer> {
    match provider {
        TtsProvider::Cartesia => cartesia(parts),
        TtsProvider::ElevenLabs => elevenlabs(parts),
        TtsProvider::Command => command_voice(parts),
        TtsProvider::Espeak => espeak(parts),
        TtsProvider::OpenAi | TtsProvider::Piper | TtsProvider::Azure | TtsProvider::Gemini => {
            over_http(parts, provider)
        }
        TtsProvider::Auto | TtsProvider::None => Err("no engine for speaking is named".to_owned()),
    }
}

fn voices(parts: EngineParts<'_>) -> Found<Arc<dyn Synthesizer>, dyn Synthesizer> {
    let (tts, keys) = (parts.tts, &parts.secrets.speech);
    match tts.provider {
        TtsProvider::None => return (Ok(None), Vec::new()),
        TtsProvider::Auto => {}
        named => return (choose_voice(parts, named).map(Some), Vec::new()),
    }
    // What is named for this very familiar comes before keys that may be there for other reasons.
    let all = [
        (tts.command.is_some(), TtsProvider::Command),
        (tts.openai_url.is_some(), TtsProvider::OpenAi),
        (tts.piper_url.is_some(), TtsProvider::Piper),
        (keys.cartesia.is_some() && tts.cartesia_voice_id.is_some(), TtsProvider::Cartesia),
        (keys.elevenlabs.is_some() && tts.elevenlabs_voice_id.is_some(), TtsProvider::ElevenLabs),
        (keys.azure.is_some() && azure_base(parts).is_some(), TtsProvider::Azure),
        (keys.gemini.is_some(), TtsProvider::Gemini),
    ];
    let mut set_up =
        all.into_iter().filter(|(is_set_up, _)| *is_set_up).map(|(_, one)| choose_voice(parts, one));
    let Some(first) = set_up.next() else {
        let reason = "no engine for speaking is set up: install espeak-ng, or set up another one of [tts]";
        return (espeak(parts).map(Some).map_err(|_| reason.to_owned()), Vec::new());
    };
    let is_paid = first.as_ref().is_ok_and(|first| first.costs());
    // Whoever has a voice of their own does not pay for another one because that is down.
    let failovers = set_up.chain([espeak(parts)]).filter_map(Result::ok);
    let failovers = failovers.filter(|failover| is_paid || !failover.costs()).collect();
    (first.map(Some), failovers)
}

/// What people speak: what is set, else what the familiar speaks; `None` where the recogniser is to find it out.
fn spoken_language(parts: EngineParts<'_>) -> Option<String> {
    parts.stt.language.clone().or_else(|| parts.tts.language.clone())
}

/// The service with its key, or what to set.
fn keyed(engine: &'static str, key: Option<&SecretString>, variable: &str) -> Result<Service, String> {
    match key {
        Some(key) => Ok(Service::new(engine, Some(key))),
        None => Err(format!("{engine} needs a key: set {variable}")),
    }
}

fn meter(parts: EngineParts<'_>, service: &Service, spoken: Spoken, list_price: f64) -> Arc<Meter> {
    let (stt, tts) = (parts.stt, parts.tts);
    let (price, daily_cap_usd, hourly_cap) = match spoken {
        Spoken::Heard => (
            stt.price_per_minute_usd.unwrap_or(list_price) / 60.0,
            stt.daily_cap_usd,
            stt.person_hour_minutes.map(|minutes| minutes * 60.0),
        ),
        Spoken::Said => (
            tts.price_per_1000_characters_usd.unwrap_or(list_price) / 1000.0,
            tts.daily_cap_usd,
            tts.person_hour_characters.map(f64::from),
        ),
    };
    let (engine, ledger, hours) = (service.engine, parts.ledger.cloned(), PeoplesHours::default());
    Arc::new(Meter { engine, spoken, price, daily_cap_usd, hourly_cap, ledger, hours })
}

/// A client for one server.
fn engine_client(engine: &str, url: &str) -> Result<Client, String> {
    Url::parse(url).map_err(|error| format!("{engine}: {url:?} is no address ({error})"))?;
    let client = server_client(url, Duration::from_secs(5));
    client.map_err(|error| format!("{engine}: HTTPS does not work here ({error})"))
}

/// The key for a server with OpenAI's interface. A key goes to the one it belongs to and to nobody else.
fn key_for<'a>(url: &str, secrets: &'a Secrets) -> Option<&'a SecretString> {
    let openrouter =
        secrets.llm_api_key.as_ref().filter(|_| secrets.llm_key_source == Some(LlmKeySource::OpenRouter));
    match Url::parse(url).ok()?.host_str() {
        Some("api.openai.com") => secrets.openai_api_key.as_ref(),
        Some("openrouter.ai") => openrouter,
        _ => secrets.speech.custom.as_ref(),
    }
}

/// Where the model key is OpenRouter's: there itself, or a relay of it, which is known by its path.
fn openrouter_base(parts: EngineParts<'_>) -> Option<String> {
    parts.secrets.llm_api_key.as_ref()?;
    if parts.secrets.llm_key_source != Some(LlmKeySource::OpenRouter) {
        return None;
    }
    let Some(base) = parts.llm_base_url.map(str::trim).filter(|base| !base.is_empty()) else {
        return Some(OPENROUTER.to_owned());
    };
    let base = base.trim_end_matches('/');
    let url = Url::parse(base).ok()?;
    match (url.host_str(), url.path()) {
        (Some("openrouter.ai"), _) => Some(OPENROUTER.to_owned()),
        (_, "/api/v1") => Some(base.to_owned()),
        _ => None,
    }
}

/// A server with OpenAI's interface: its name, its address and its key.
fn compatible(
    parts: EngineParts<'_>,
    url: Option<&String>,
    names: [&'static str; 2],
    setting: &str,
) -> Result<(Service, String), String> {
    let base = url.map_or(OPENAI, |url| url.trim_end_matches('/')).to_owned();
    let openai = is_openai(&base);
    let engine = names[usize::from(!openai)];
    let key = key_for(&base, parts.secrets);
    if openai && key.is_none() {
        return Err(format!("{engine} needs a key: set OPENAI_API_KEY, or name another server in {setting}"));
    }
    Ok((Service::new(engine, key), base))
}

fn live<S: LiveService>(parts: EngineParts<'_>, service: S, price: f64) -> Made<dyn Transcriber> {
    let meter = meter(parts, service.service(), Spoken::Heard, price);
    Ok(Arc::new(Live { service: Arc::new(service), meter }))
}

fn deepgram(parts: EngineParts<'_>, is_flux: bool) -> Made<dyn Transcriber> {
    let stt = parts.stt;
    let (engine, model) =
        if is_flux { ("Deepgram Flux", &stt.flux_model) } else { ("Deepgram", &stt.deepgram_model) };
    let service = keyed(engine, parts.secrets.speech.deepgram.as_ref(), "DEEPGRAM_API_KEY")?;
    let (base, model, language) = (stt.deepgram_url.clone(), model.clone(), spoken_language(parts));
    live(parts, Deepgram { service, base, model, language, is_flux }, 0.0077)
}

/// What OpenAI takes for a minute; servers of one's own take nothing.
fn openai_minute(base: &str) -> f64 {
    if base == OPENAI { 0.006 } else { 0.0 }
}

fn realtime(parts: EngineParts<'_>) -> Made<dyn Transcriber> {
    let names = ["OpenAI Realtime", OWN_SERVER];
    let (service, base) = compatible(parts, parts.stt.openai_url.as_ref(), names, "stt.openai_url")?;
    let (price, model, language) =
        (openai_minute(&base), parts.stt.realtime_model.clone(), spoken_language(parts));
    live(parts, Realtime { service, base, model, language }, price)
}

fn openai_files(parts: EngineParts<'_>) -> Made<dyn Transcriber> {
    let stt = parts.stt;
    let (service, base) =
        compatible(parts, stt.openai_url.as_ref(), ["OpenAI", OWN_SERVER], "stt.openai_url")?;
    let path = stt.openai_path.trim_start_matches('/');
    // whisper.cpp, known by its path, takes everything for English unless it is asked to find out.
    let finds_out = || (path == "inference").then(|| "auto".to_owned());
    Ok(Arc::new(WholeUtterances {
        http: engine_client(service.engine, &base)?,
        url: format!("{base}/{path}"),
        model: stt.openai_model.clone(),
        language: spoken_language(parts).or_else(finds_out),
        upload: Upload::Form,
        meter: meter(parts, &service, Spoken::Heard, openai_minute(&base)),
        service,
    }))
}

fn openrouter(parts: EngineParts<'_>) -> Made<dyn Transcriber> {
    let base = openrouter_base(parts).ok_or("OpenRouter needs a key: set OPENROUTER_API_KEY")?;
    let service = Service::new("OpenRouter", parts.secrets.llm_api_key.as_ref());
    Ok(Arc::new(WholeUtterances {
        http: engine_client(service.engine, &base)?,
        url: format!("{base}/audio/transcriptions"),
        model: parts.stt.openrouter_model.clone(),
        language: spoken_language(parts),
        upload: Upload::Json,
        meter: meter(parts, &service, Spoken::Heard, 0.006),
        service,
    }))
}

/// The voices that answer with one stream of sound, a row each: the service, where it is, how it is asked, its price for
/// 1,000 characters, and how long it may take to begin.
fn over_http(parts: EngineParts<'_>, provider: TtsProvider) -> Made<dyn Synthesizer> {
    let (tts, keys) = (parts.tts, &parts.secrets.speech);
    let (service, url, wire, price, patience) = match provider {
        TtsProvider::Piper => {
            let url = tts.piper_url.clone().ok_or("Piper needs an address: set tts.piper_url")?;
            let wire = Wire::Piper { voice: tts.piper_voice.clone() };
            (Service::new("Piper", None), url, wire, 0.0, tts.timeout)
        }
        TtsProvider::Azure => {
            let service = keyed("Azure", keys.azure.as_ref(), "AZURE_SPEECH_KEY")?;
            let base = azure_base(parts)
                .ok_or("Azure needs a region: set AZURE_SPEECH_REGION or tts.azure_region")?;
            let url = format!("{}/cognitiveservices/v1", base.trim_end_matches('/'));
            (service, url, Wire::Azure { voice: tts.azure_voice.clone() }, 0.016, tts.timeout)
        }
        TtsProvider::Gemini => {
            let service = keyed("Gemini", keys.gemini.as_ref(), "GEMINI_API_KEY")?;
            let (base, model) = (tts.gemini_url.trim_end_matches('/'), &tts.gemini_model);
            let url = format!("{base}/v1beta/models/{model}:streamGenerateContent?alt=sse");
            let (voice, direction) = (tts.gemini_voice.clone(), tts.gemini_direction.clone());
            (service, url, Wire::Gemini { voice, direction }, 0.035, tts.timeout.max(SLOW_STARTERS))
        }
        _ => {
            let names = ["OpenAI", "the server of tts.openai_url"];
            let (service, base) = compatible(parts, tts.openai_url.as_ref(), names, "tts.openai_url")?;
            let price = if is_local(&base) { 0.0 } else { 0.015 };
            let (model, voice) = (tts.openai_model.clone(), tts.openai_voice.clone());
            let direction = tts.openai_direction.clone().filter(|words| !words.trim().is_empty());
            let wire = Wire::OpenAi { model, voice, rate: tts.openai_rate, direction };
            (service, format!("{base}/audio/speech"), wire, price, tts.timeout)
        }
    };
    let (http, meter) = (engine_client(service.engine, &url)?, meter(parts, &service, Spoken::Said, price));
    Ok(Arc::new(HttpVoice { service, http, url, wire, meter, patience }))
}

fn azure_base(parts: EngineParts<'_>) -> Option<String> {
    let region = parts.secrets.speech.azure_region.as_ref().or(parts.tts.azure_region.as_ref());
    let of_region = |region: &String| format!("https://{region}.tts.speech.microsoft.com");
    parts.tts.azure_url.clone().or_else(|| region.map(of_region))
}

fn cartesia(parts: EngineParts<'_>) -> Made<dyn Synthesizer> {
    let tts = parts.tts;
    let service = keyed("Cartesia", parts.secrets.speech.cartesia.as_ref(), "CARTESIA_API_KEY")?;
    let voice_id =
        tts.cartesia_voice_id.clone().ok_or("Cartesia needs a voice: set tts.cartesia_voice_id")?;
    let meter = meter(parts, &service, Spoken::Said, 0.05);
    let (base, model) = (tts.cartesia_url.clone(), tts.cartesia_model.clone());
    let language = tts.language.clone().unwrap_or_else(|| "en".to_owned());
    let voice = Cartesia { service, base, model, voice_id, language };
    Ok(Arc::new(OverSocket::new(voice, meter, tts.timeout)))
}

fn elevenlabs(parts: EngineParts<'_>) -> Made<dyn Synthesizer> {
    let tts = parts.tts;
    let service = keyed("ElevenLabs", parts.secrets.speech.elevenlabs.as_ref(), "ELEVENLABS_API_KEY")?;
    let missing = "ElevenLabs needs a voice: set tts.elevenlabs_voice_id";
    let voice_id = tts.elevenlabs_voice_id.clone().ok_or(missing)?;
    if !voice_id.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err("ElevenLabs: tts.elevenlabs_voice_id must be letters and digits".to_owned());
    }
    let meter = meter(parts, &service, Spoken::Said, 0.05);
    let (base, model) = (tts.elevenlabs_url.clone(), tts.elevenlabs_model.clone());
    Ok(Arc::new(OverSocket::new(ElevenLabs { service, base, model, voice_id }, meter, tts.timeout)))
}

fn command_voice(parts: EngineParts<'_>) -> Made<dyn Synthesizer> {
    let line = parts.tts.command.as_ref().ok_or("a command needs to be set: tts.command")?;
    let mut arguments =
        command_words(line).map_err(|wrong| format!("tts.command cannot be read: {wrong}"))?;
    let program = arguments.remove(0).into();
    let service = Service::new("the command of tts.command", None);
    let patience = parts.tts.timeout.max(SLOW_STARTERS);
    Ok(local(parts, service, program, arguments, (parts.tts.command_rate, patience)))
}

fn espeak(parts: EngineParts<'_>) -> Made<dyn Synthesizer> {
    let found = installed(&["espeak-ng", "espeak"], parts.secrets.search_path.as_deref());
    let program = found.ok_or("espeak-ng is not installed")?;
    let speed = parts.tts.espeak_words_per_minute.to_string();
    let arguments = ["--stdout", "--stdin", "-v", parts.tts.espeak_voice.as_str(), "-s", speed.as_str()];
    let arguments = arguments.map(str::to_owned).into();
    // Its rate, for the case that it leaves out its header.
    let (rate, patience) = (22_050, parts.tts.timeout);
    Ok(local(parts, Service::new("espeak-ng", None), program, arguments, (rate, patience)))
}

fn local(
    parts: EngineParts<'_>,
    service: Service,
    program: PathBuf,
    arguments: Vec<String>,
    (rate, patience): (u32, Duration),
) -> Arc<dyn Synthesizer> {
    let meter = meter(parts, &service, Spoken::Said, 0.0);
    Arc::new(CommandVoice { service, meter, program, arguments, rate, patience })
}
