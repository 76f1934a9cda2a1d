//! Which engines are used: the one that is named, else the first that is set up (specs voice 3.3: degrade, never fail).

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::{Client, Url};
use secrecy::SecretString;

use super::cost::{Meter, SpeechLedger, Spoken};
use super::http::Service;
use super::spare::{SpareEars, SpareVoices};
use super::stt::batch::Batch;
use super::stt::deepgram::Deepgram;
use super::stt::flux::Flux;
use super::stt::live::{Live, LiveService, Timing};
use super::stt::openai::OpenAiFiles;
use super::stt::openrouter::OpenRouter;
use super::stt::realtime::Realtime;
use super::tts::azure::Azure;
use super::tts::cartesia::Cartesia;
use super::tts::command::{CommandVoice, installed, words};
use super::tts::contexts::OverSocket;
use super::tts::elevenlabs::ElevenLabs;
use super::tts::gemini::Gemini;
use super::tts::openai::OpenAiVoice;
use super::tts::piper::Piper;
use super::tts::stream::{HttpVoice, OverHttp};
use super::{Synthesizer, Transcriber};
use crate::config::{Config, LlmKeySource, Secrets, SttConfig, SttProvider, TtsConfig, TtsProvider};

/// OpenAI's own address.
const OPENAI: &str = "https://api.openai.com/v1";
/// OpenRouter's own address.
const OPENROUTER: &str = "https://openrouter.ai/api/v1";
/// What a recogniser is called that only its address is known of.
pub const OWN_SERVER: &str = "the server of stt.openai_url";
/// The path of whisper.cpp's own server.
const WHISPER_CPP: &str = "inference";
/// What Cartesia speaks where nothing else is set.
const ENGLISH: &str = "en";
/// How long a TCP and TLS connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Gemini thinks about how to say it, and a program may have to load its voice first.
const SLOW_STARTERS: Duration = Duration::from_secs(10);
/// espeak-ng's rate, for the case that it leaves out its header.
const ESPEAK_RATE: u32 = 22_050;

/// What engines are made of.
#[derive(Debug, Clone, Copy)]
pub struct EngineParts<'a> {
    /// `[stt]`.
    pub stt: &'a SttConfig,
    /// `[tts]`.
    pub tts: &'a TtsConfig,
    /// Keys, and where programs are.
    pub secrets: &'a Secrets,
    /// `llm.base_url` with what overrides it: whose key the model key is.
    pub llm_base_url: Option<&'a str>,
    /// Where use and cost are written down.
    pub ledger: Option<&'a Arc<dyn SpeechLedger>>,
}

impl<'a> EngineParts<'a> {
    /// As the settings have it; nothing is written down.
    #[must_use]
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

/// The engines of a familiar.
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
    pub spare_stt: Vec<Arc<dyn Transcriber>>,
    /// The same of what speaks.
    pub spare_tts: Vec<Arc<dyn Synthesizer>>,
}

impl Engines {
    /// The same, where an engine that fails is replaced by the next one that is set up, until it has rested.
    #[must_use]
    pub fn with_spares(self) -> Self {
        let (spare_stt, spare_tts) = (self.spare_stt, self.spare_tts);
        let stt = self.stt.map(|first| -> Arc<dyn Transcriber> {
            if spare_stt.is_empty() { first } else { Arc::new(SpareEars::new(first, spare_stt)) }
        });
        let tts = self.tts.map(|first| -> Arc<dyn Synthesizer> {
            if spare_tts.is_empty() { first } else { Arc::new(SpareVoices::new(first, spare_tts)) }
        });
        Self { stt, tts, spare_stt: Vec::new(), spare_tts: Vec::new(), ..self }
    }
}

/// Why an engine is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyNot {
    /// What it would do.
    pub spoken: Spoken,
    /// What is missing, and what to do, as a phrase for people.
    pub reason: String,
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

/// Makes the engines that the settings ask for. Nothing is connected yet.
#[must_use]
pub fn from_config(parts: EngineParts<'_>) -> Engines {
    crate::llm::install_tls();
    let (heard, spare_stt) = listeners(parts);
    let (said, spare_tts) = speakers(parts);
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
    let stt = stt.map(|(engine, _)| engine);
    Engines { stt, tts, stt_by_model_key, why_not, spare_stt, spare_tts }
}

type Ear = Arc<dyn Transcriber>;
type Tongue = Arc<dyn Synthesizer>;
type Maker<Engine> = fn(EngineParts<'_>) -> Result<Engine, String>;

/// The one that is used, if it is wanted at all, or why there is none; and what else is set up.
type Found<First, Spare> = (Result<Option<First>, String>, Vec<Spare>);

/// With an ear: whether it is paid for by the key for models.
fn listeners(parts: EngineParts<'_>) -> Found<(Ear, bool), Ear> {
    let named = match parts.stt.provider {
        SttProvider::None => return (Ok(None), Vec::new()),
        SttProvider::Auto => return any_ear(parts),
        SttProvider::Deepgram => deepgram(parts),
        SttProvider::Flux => flux(parts),
        SttProvider::OpenAi => openai_files(parts),
        SttProvider::Realtime => realtime(parts),
        SttProvider::OpenRouter => openrouter(parts),
    };
    (named.map(|ear| Some((ear, false))), Vec::new())
}

fn any_ear(parts: EngineParts<'_>) -> Found<(Ear, bool), Ear> {
    let (stt, keys) = (parts.stt, &parts.secrets.speech);
    let own = stt.openai_url.as_deref();
    // OpenAI's key goes to OpenAI only where the settings name it.
    let openai = parts.llm_base_url.is_some_and(is_openai) && parts.secrets.openai_api_key.is_some();
    let all: [(bool, bool, Maker<Ear>); 4] = [
        (keys.deepgram.is_some(), false, deepgram),
        (own.is_some(), false, openai_files),
        (openrouter_base(parts).is_some(), true, openrouter),
        (openai && own.is_none(), true, openai_files),
    ];
    let mut set_up = all.into_iter().filter(|(is_set_up, ..)| *is_set_up);
    let Some((_, by_model_key, first)) = set_up.next() else {
        let reason = "no engine for hearing is set up: set DEEPGRAM_API_KEY or OPENROUTER_API_KEY, or \
                      name a local server in stt.openai_url";
        return (Err(reason.to_owned()), Vec::new());
    };
    // What is said to a server of one's own is not sent to a service because that server is down.
    let stays = keys.deepgram.is_none() && own.is_some_and(|url| !is_openai(url));
    let spares = set_up.filter(|_| !stays).filter_map(|(.., make)| make(parts).ok()).collect();
    (first(parts).map(|ear| Some((ear, by_model_key))), spares)
}

fn speakers(parts: EngineParts<'_>) -> Found<Tongue, Tongue> {
    let named = match parts.tts.provider {
        TtsProvider::None => return (Ok(None), Vec::new()),
        TtsProvider::Auto => return any_voice(parts),
        TtsProvider::OpenAi => openai_voice(parts),
        TtsProvider::Piper => piper(parts),
        TtsProvider::Command => command(parts),
        TtsProvider::Cartesia => cartesia(parts),
        TtsProvider::ElevenLabs => elevenlabs(parts),
        TtsProvider::Azure => azure(parts),
        TtsProvider::Gemini => gemini(parts),
        TtsProvider::Espeak => espeak(parts),
    };
    (named.map(Some), Vec::new())
}

fn any_voice(parts: EngineParts<'_>) -> Found<Tongue, Tongue> {
    let (tts, keys) = (parts.tts, &parts.secrets.speech);
    // What is named for this very familiar comes before keys that may be there for other reasons.
    let all: [(bool, Maker<Tongue>); 7] = [
        (tts.command.is_some(), command),
        (tts.openai_url.is_some(), openai_voice),
        (tts.piper_url.is_some(), piper),
        (keys.cartesia.is_some() && tts.cartesia_voice_id.is_some(), cartesia),
        (keys.elevenlabs.is_some() && tts.elevenlabs_voice_id.is_some(), elevenlabs),
        (keys.azure.is_some() && azure_base(parts).is_some(), azure),
        (keys.gemini.is_some(), gemini),
    ];
    let mut set_up = all.into_iter().filter(|(is_set_up, _)| *is_set_up).map(|(_, make)| make(parts));
    let Some(first) = set_up.next() else {
        let reason = "no engine for speaking is set up: install espeak-ng, or set up another one of [tts]";
        return (espeak(parts).map(Some).map_err(|_| reason.to_owned()), Vec::new());
    };
    let is_paid = first.as_ref().is_ok_and(|first| first.costs());
    // Whoever has a voice of their own does not pay for another one because that is down.
    let spares = set_up.chain([espeak(parts)]).filter_map(Result::ok);
    let spares = spares.filter(|spare| is_paid || !spare.costs()).collect();
    (first.map(Some), spares)
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

fn meter(parts: EngineParts<'_>, engine: &'static str, spoken: Spoken, list_price: f64) -> Arc<Meter> {
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
    let ledger = parts.ledger.cloned();
    Arc::new(Meter { engine, spoken, price, daily_cap_usd, hourly_cap, ledger, hours: Mutex::default() })
}

/// A client for one server. Redirects would carry the key elsewhere; on this machine proxies and certificate stores
/// must not stand in the way.
fn http_client(engine: &str, url: &str) -> Result<Client, String> {
    let parsed = Url::parse(url).map_err(|error| format!("{engine}: {url:?} is no address ({error})"))?;
    let builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("familiar-connect/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    let plain = parsed.scheme() == "http" && is_loopback(&parsed);
    let built = if plain { builder.no_proxy().tls_certs_only([]).build() } else { builder.build() };
    built.map_err(|error| format!("{engine}: HTTPS does not work here ({error})"))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The key for a server with OpenAI's interface. A key goes to the one it belongs to and to nobody else.
fn key_for<'a>(url: &str, secrets: &'a Secrets) -> Option<&'a SecretString> {
    let url = Url::parse(url).ok()?;
    let openrouter =
        secrets.llm_api_key.as_ref().filter(|_| secrets.llm_key_source == Some(LlmKeySource::OpenRouter));
    match url.host_str() {
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
    let url = Url::parse(base.trim_end_matches('/')).ok()?;
    match (url.host_str(), url.path()) {
        (Some("openrouter.ai"), _) => Some(OPENROUTER.to_owned()),
        (_, "/api/v1") => Some(base.trim_end_matches('/').to_owned()),
        _ => None,
    }
}

fn live<S: LiveService>(service: S, meter: Arc<Meter>) -> Arc<dyn Transcriber> {
    Arc::new(Live { service: Arc::new(service), meter, timing: Timing::default() })
}

fn deepgram(parts: EngineParts<'_>) -> Result<Arc<dyn Transcriber>, String> {
    let service = keyed("Deepgram", parts.secrets.speech.deepgram.as_ref(), "DEEPGRAM_API_KEY")?;
    let meter = meter(parts, service.engine, Spoken::Heard, 0.0077);
    let (base, model) = (parts.stt.deepgram_url.clone(), parts.stt.deepgram_model.clone());
    Ok(live(Deepgram { service, base, model, language: spoken_language(parts) }, meter))
}

fn flux(parts: EngineParts<'_>) -> Result<Arc<dyn Transcriber>, String> {
    let service = keyed("Deepgram Flux", parts.secrets.speech.deepgram.as_ref(), "DEEPGRAM_API_KEY")?;
    let meter = meter(parts, service.engine, Spoken::Heard, 0.0077);
    let (base, model) = (parts.stt.deepgram_url.clone(), parts.stt.flux_model.clone());
    Ok(live(Flux { service, base, model, language: spoken_language(parts) }, meter))
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

fn openai_files(parts: EngineParts<'_>) -> Result<Arc<dyn Transcriber>, String> {
    let stt = parts.stt;
    let names = ["OpenAI", OWN_SERVER];
    let (service, base) = compatible(parts, stt.openai_url.as_ref(), names, "stt.openai_url")?;
    let price = if base == OPENAI { 0.006 } else { 0.0 };
    let meter = meter(parts, service.engine, Spoken::Heard, price);
    let path = stt.openai_path.trim_start_matches('/');
    // whisper.cpp takes everything for English unless it is asked to find out.
    let finds_out = || (path == WHISPER_CPP).then(|| "auto".to_owned());
    let files = OpenAiFiles {
        http: http_client(service.engine, &base)?,
        url: format!("{base}/{path}"),
        model: stt.openai_model.clone(),
        language: spoken_language(parts).or_else(finds_out),
        service,
    };
    Ok(Arc::new(Batch { service: Arc::new(files), meter }))
}

fn realtime(parts: EngineParts<'_>) -> Result<Arc<dyn Transcriber>, String> {
    let names = ["OpenAI Realtime", OWN_SERVER];
    let (service, base) = compatible(parts, parts.stt.openai_url.as_ref(), names, "stt.openai_url")?;
    let price = if base == OPENAI { 0.006 } else { 0.0 };
    let meter = meter(parts, service.engine, Spoken::Heard, price);
    let (model, language) = (parts.stt.realtime_model.clone(), spoken_language(parts));
    Ok(live(Realtime { service, base, model, language }, meter))
}

fn openrouter(parts: EngineParts<'_>) -> Result<Arc<dyn Transcriber>, String> {
    let base = openrouter_base(parts).ok_or("OpenRouter needs a key: set OPENROUTER_API_KEY")?;
    let service = Service::new("OpenRouter", parts.secrets.llm_api_key.as_ref());
    let meter = meter(parts, service.engine, Spoken::Heard, 0.006);
    let openrouter = OpenRouter {
        http: http_client(service.engine, &base)?,
        base,
        model: parts.stt.openrouter_model.clone(),
        language: spoken_language(parts),
        service,
    };
    Ok(Arc::new(Batch { service: Arc::new(openrouter), meter }))
}

fn over_http<V: HttpVoice>(voice: V, meter: Arc<Meter>, patience: Duration) -> Arc<dyn Synthesizer> {
    Arc::new(OverHttp { voice, meter, patience })
}

fn openai_voice(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let tts = parts.tts;
    let names = ["OpenAI", "the server of tts.openai_url"];
    let (service, base) = compatible(parts, tts.openai_url.as_ref(), names, "tts.openai_url")?;
    let price = if is_local(&base) { 0.0 } else { 0.015 };
    let meter = meter(parts, service.engine, Spoken::Said, price);
    let voice = OpenAiVoice {
        http: http_client(service.engine, &base)?,
        base,
        model: tts.openai_model.clone(),
        voice: tts.openai_voice.clone(),
        rate: tts.openai_rate,
        service,
    };
    Ok(over_http(voice, meter, tts.timeout))
}

fn is_openai(base: &str) -> bool {
    Url::parse(base).is_ok_and(|url| url.host_str() == Some("api.openai.com"))
}

/// Whether an address is on this machine.
pub(super) fn is_local(base: &str) -> bool {
    Url::parse(base).is_ok_and(|url| is_loopback(&url))
}

fn piper(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let url = parts.tts.piper_url.clone().ok_or("Piper needs an address: set tts.piper_url")?;
    let service = Service::new("Piper", None);
    let meter = meter(parts, service.engine, Spoken::Said, 0.0);
    let http = http_client(service.engine, &url)?;
    let voice = parts.tts.piper_voice.clone();
    Ok(over_http(Piper { service, http, url, voice }, meter, parts.tts.timeout))
}

fn cartesia(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let (tts, key) = (parts.tts, parts.secrets.speech.cartesia.as_ref());
    let service = keyed("Cartesia", key, "CARTESIA_API_KEY")?;
    let voice_id =
        tts.cartesia_voice_id.clone().ok_or("Cartesia needs a voice: set tts.cartesia_voice_id")?;
    let meter = meter(parts, service.engine, Spoken::Said, 0.05);
    let voice = Cartesia {
        service,
        base: tts.cartesia_url.clone(),
        model: tts.cartesia_model.clone(),
        voice_id,
        language: tts.language.clone().unwrap_or_else(|| ENGLISH.to_owned()),
    };
    Ok(Arc::new(OverSocket::new(voice, meter, tts.timeout)))
}

fn elevenlabs(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let (tts, key) = (parts.tts, parts.secrets.speech.elevenlabs.as_ref());
    let service = keyed("ElevenLabs", key, "ELEVENLABS_API_KEY")?;
    let missing = "ElevenLabs needs a voice: set tts.elevenlabs_voice_id";
    let voice_id = tts.elevenlabs_voice_id.clone().ok_or(missing)?;
    if !voice_id.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err("ElevenLabs: tts.elevenlabs_voice_id must be letters and digits".to_owned());
    }
    let meter = meter(parts, service.engine, Spoken::Said, 0.05);
    let (base, model) = (tts.elevenlabs_url.clone(), tts.elevenlabs_model.clone());
    Ok(Arc::new(OverSocket::new(ElevenLabs { service, base, model, voice_id }, meter, tts.timeout)))
}

fn azure_base(parts: EngineParts<'_>) -> Option<String> {
    let region = parts.secrets.speech.azure_region.as_ref().or(parts.tts.azure_region.as_ref());
    let of_region = |region: &String| format!("https://{region}.tts.speech.microsoft.com");
    parts.tts.azure_url.clone().or_else(|| region.map(of_region))
}

fn azure(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let service = keyed("Azure", parts.secrets.speech.azure.as_ref(), "AZURE_SPEECH_KEY")?;
    let base =
        azure_base(parts).ok_or("Azure needs a region: set AZURE_SPEECH_REGION or tts.azure_region")?;
    let meter = meter(parts, service.engine, Spoken::Said, 0.016);
    let http = http_client(service.engine, &base)?;
    let voice = parts.tts.azure_voice.clone();
    Ok(over_http(Azure { service, http, base, voice }, meter, parts.tts.timeout))
}

fn gemini(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let tts = parts.tts;
    let service = keyed("Gemini", parts.secrets.speech.gemini.as_ref(), "GEMINI_API_KEY")?;
    let meter = meter(parts, service.engine, Spoken::Said, 0.035);
    let voice = Gemini {
        http: http_client(service.engine, &tts.gemini_url)?,
        base: tts.gemini_url.clone(),
        model: tts.gemini_model.clone(),
        voice: tts.gemini_voice.clone(),
        direction: tts.gemini_direction.clone(),
        service,
    };
    Ok(over_http(voice, meter, tts.timeout.max(SLOW_STARTERS)))
}

fn command(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let line = parts.tts.command.as_ref().ok_or("a command needs to be set: tts.command")?;
    let mut words = words(line).map_err(|wrong| format!("tts.command cannot be read: {wrong}"))?;
    let program = words.remove(0).into();
    let service = Service::new("the command of tts.command", None);
    let meter = meter(parts, service.engine, Spoken::Said, 0.0);
    let (rate, patience) = (parts.tts.command_rate, parts.tts.timeout.max(SLOW_STARTERS));
    Ok(Arc::new(CommandVoice { service, meter, program, arguments: words, rate, patience }))
}

fn espeak(parts: EngineParts<'_>) -> Result<Arc<dyn Synthesizer>, String> {
    let found = installed(&["espeak-ng", "espeak"], parts.secrets.search_path.as_deref());
    let program = found.ok_or("espeak-ng is not installed")?;
    let service = Service::new("espeak-ng", None);
    let meter = meter(parts, service.engine, Spoken::Said, 0.0);
    let speed = parts.tts.espeak_words_per_minute.to_string();
    let arguments = ["--stdout", "--stdin", "-v", parts.tts.espeak_voice.as_str(), "-s", speed.as_str()];
    let arguments = arguments.map(str::to_owned).into();
    let patience = parts.tts.timeout;
    Ok(Arc::new(CommandVoice { service, meter, program, arguments, rate: ESPEAK_RATE, patience }))
}
