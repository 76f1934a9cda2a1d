//! A whole call: the program as it is composed, in a fake Discord with a fake voice server, with scripted services that
//! speak real wire formats, and people who speak over UDP.
//!
//! ```ignore
//! let talk = Talk::start(TalkOptions::default()).await;
//! talk.model_says("What time is it?", "It is late.");
//! talk.ana_calls().await;
//! talk.says(&talk.ana, "What time is it?").await;
//! talk.until_heard("It is late.").await;
//! ```
//!
//! The recogniser knows what people will say, the voice says words as chords that are read back at the other end of the
//! bot's connection: what was heard is known to the word.

#![allow(dead_code, unused_imports, reason = "a world has more in it than the tests of one moment use")]

mod code;
mod delays;
mod ears;
mod people;
mod tongue;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use familiar_connect::app::{App, Duty, SessionCalls, StartOptions, WithoutHistory};
use familiar_connect::config::{FamiliarHome, Secrets, SpeechSecrets};
use familiar_connect::discord::{self, CallHost, DiscordError, Recogniser};
use familiar_connect::domain::{FamiliarId, Place, Slot};
use familiar_connect::history::RecentQuery;
use familiar_connect::voice::CallPort;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

pub use code::{GAP, HeardWord, WORD, bare, bare_words};
pub use delays::{Delays, Profile, Spread};
pub use ears::{Ears, Understood, misheard};
pub use people::{Said, Talker};
pub use tongue::{SpokenPhrase, Tongue};

use self::code::{Codebook, Reader};
use super::discord::{Channel, DiscordWorld, Guild, PATIENCE};
use super::provider::{ChatRequest, ProviderWorld, Reply};
use super::stage::folder::tempdir;
use super::stage::{CARD, moves_in};
use super::voice::{VoiceOptions, VoiceServer};

/// What the main model is called; the others do side jobs.
const MODEL: &str = "scripted/main";

/// How a call is set up.
#[derive(Debug, Clone)]
pub struct TalkOptions {
    pub voice: VoiceOptions,
    pub profile: Profile,
    pub seed: u64,
    /// Which wire format the voice has.
    pub tongue: TongueKind,
    /// Lines of `[voice]`.
    pub settings: String,
    /// Of every so manieth line the last word is misheard until the final words come; 0 of none.
    pub mishears: usize,
    /// `[stt]` and `[tts]` as they are to be, and no key for anything; programs of this machine are found.
    pub keyless: Option<String>,
}

/// A voice's wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TongueKind {
    /// A socket, with the times of words.
    Cartesia,
    /// Plain sound over HTTP.
    OpenAi,
}

impl Default for TalkOptions {
    fn default() -> Self {
        Self {
            voice: VoiceOptions::default(),
            profile: Profile::zero(),
            seed: 1,
            tongue: TongueKind::Cartesia,
            settings: String::new(),
            mishears: 0,
            keyless: None,
        }
    }
}

/// A request that reached the main model.
#[derive(Debug, Clone)]
pub struct AskedModel {
    /// Which line of the script it answers; nothing where none fits.
    pub line: Option<String>,
    pub at: Instant,
    /// How long the first token takes.
    pub delay: Duration,
    /// Words of the answer, were it taken whole.
    pub words: usize,
    pub request: ChatRequest,
}

/// A call.
pub struct Talk {
    pub world: DiscordWorld,
    pub voice: VoiceServer,
    pub home: Guild,
    pub general: Channel,
    pub lounge: Channel,
    pub ana: Talker,
    pub app: App,
    pub ears: Ears,
    pub tongue: Tongue,
    pub delays: Arc<Delays>,
    pub asked: Arc<Mutex<Vec<AskedModel>>>,
    script: Arc<Mutex<Vec<(String, String)>>>,
    brain: ProviderWorld,
    host: Arc<Host>,
    heard: Arc<Mutex<Hearing>>,
    more: watch::Receiver<u64>,
    listening: JoinHandle<()>,
    stop: CancellationToken,
    running: JoinHandle<Result<(), DiscordError>>,
    _folder: tempfile::TempDir,
}

/// What was heard of the bot since it was last asked.
#[derive(Debug, Default)]
pub struct Hearing {
    reader: Reader,
    /// Every packet: when it came, and how loud its loudest sample is.
    pub packets: Vec<(Instant, f32)>,
    /// The newest packet is one of those that end speech.
    pub is_over: bool,
}

impl Hearing {
    /// The words that are over.
    pub fn words(&self) -> &[HeardWord] {
        &self.reader.words
    }

    /// When the first packet with sound came.
    pub fn first_sound(&self) -> Option<Instant> {
        self.packets.iter().find(|(_, peak)| *peak > AUDIBLE).map(|(at, _)| *at)
    }

    /// When the last packet with sound came.
    pub fn last_sound(&self) -> Option<Instant> {
        self.packets.iter().rfind(|(_, peak)| *peak > AUDIBLE).map(|(at, _)| *at)
    }
}

/// Quieter than this nobody hears.
pub const AUDIBLE: f32 = 0.01;

/// The program's own host of calls, and where the calls were.
#[derive(Debug)]
struct Host {
    calls: SessionCalls,
    places: Mutex<Vec<Place>>,
}

impl CallHost for Host {
    fn recogniser(&self) -> Option<Recogniser> {
        self.calls.recogniser()
    }

    fn begins(&self, place: Place, port: CallPort) {
        self.places.lock().unwrap().push(place.clone());
        self.calls.begins(place, port);
    }
}

impl Talk {
    /// Everything is up; Ana is in the call, the familiar is not.
    pub async fn start(options: TalkOptions) -> Self {
        let delays = Arc::new(Delays::new(options.profile, options.seed));
        let book = Arc::new(Codebook::default());
        let ears = Ears::start(Arc::clone(&delays)).await;
        ears.mishears(options.mishears);
        let tongue = Tongue::start(Arc::clone(&delays), Arc::clone(&book)).await;
        let (brain, script, asked) = brain(&delays).await;
        let world = DiscordWorld::start().await;
        let voice = world.opens_voice(options.voice).await;
        let home = world.guild("home");
        let (general, lounge) = (home.channel("general"), home.call("Lounge"));
        let ana = Talker::new(home.member("ana"), "Ana", 0);
        ana.person.joins(&lounge, false);

        let folder = tempdir();
        let familiar = installed(folder.path(), &settings(&options, &ears, &tongue));
        let mut secrets = secrets(&world, &brain);
        if options.keyless.is_some() {
            secrets.llm_api_key = None;
            secrets.speech = SpeechSecrets::default();
            secrets.search_path = std::env::var("PATH").ok();
        }
        let start = StartOptions {
            data_dir: folder.path().to_owned(),
            familiar,
            defaults_dir: None,
            duty: Duty::Serve,
            without_history: WithoutHistory::default(),
        };
        let app = App::start(start, &secrets, None).await.unwrap();
        let host = Arc::new(Host { calls: SessionCalls::of(&app), places: Mutex::default() });
        let stop = CancellationToken::new();
        let token = secrets.discord_token.clone().unwrap();
        let deps = app.connect_discord(token, &secrets, Arc::<Host>::clone(&host));
        let running = tokio::spawn(discord::run_discord(deps, stop.clone()));
        world.bot_is_online().await;
        let heard = Arc::new(Mutex::new(Hearing::default()));
        let (listening, more) = listen(&voice, &lounge, &heard, book);
        Self {
            world,
            voice,
            home,
            general,
            lounge,
            ana,
            app,
            ears,
            tongue,
            delays,
            asked,
            script,
            brain,
            host,
            heard,
            more,
            listening,
            stop,
            running,
            _folder: folder,
        }
    }

    /// What the model answers once this is the newest of what was said.
    pub fn model_says(&self, to: &str, answer: &str) {
        self.script.lock().unwrap().push((to.to_owned(), answer.to_owned()));
    }

    /// The same, and nothing else any more: a prompt may tell at its end what was said elsewhere before.
    pub fn model_says_only(&self, to: &str, answer: &str) {
        *self.script.lock().unwrap() = vec![(to.to_owned(), answer.to_owned())];
    }

    /// Ana calls the familiar in, and has heard its greeting.
    pub async fn ana_calls(&self) {
        self.ana_calls_quietly().await;
        self.until("a greeting", |hearing| !hearing.words().is_empty()).await;
        self.settled().await;
        self.until("the end of the greeting", |hearing| hearing.is_over).await;
        self.forget();
    }

    /// Ana calls the familiar in; it is there, connected.
    pub async fn ana_calls_quietly(&self) {
        let answer = self.ana.person.runs(&self.general, "/subscribe-my-voice", json!({})).await;
        assert!(answer.content.contains("listens to you"), "{answer:?}");
        self.voice.bot_is_in(&self.lounge).await;
    }

    /// Somebody else comes, and agrees to be heard.
    pub async fn joins(&self, name: &str, mark: usize) -> Talker {
        let talker = Talker::new(self.home.member(name), name, mark);
        talker.person.joins(&self.lounge, false);
        let answer = talker.person.runs(&self.general, "/subscribe-my-voice", json!({})).await;
        assert!(answer.content.contains("hears you"), "{answer:?}");
        talker
    }

    /// Somebody says this; returns when the last of it is sent.
    pub async fn says(&self, who: &Talker, text: &str) -> Said {
        who.says(&self.voice, &self.lounge, &self.ears, text).await
    }

    /// Looks at what was heard since [`Self::forget`].
    pub fn hearing<T>(&self, look: impl FnOnce(&Hearing) -> T) -> T {
        look(&self.heard.lock().unwrap())
    }

    /// What was heard so far does not matter any more.
    pub fn forget(&self) {
        *self.heard.lock().unwrap() = Hearing::default();
    }

    /// Waits until what was heard is so.
    pub async fn until(&self, what: &str, so: impl Fn(&Hearing) -> bool) {
        let mut more = self.more.clone();
        let waited = timeout(PATIENCE, async {
            loop {
                more.mark_unchanged();
                if self.hearing(&so) {
                    return;
                }
                more.changed().await.unwrap();
            }
        });
        if waited.await.is_err() {
            let heard = self.hearing(|hearing| {
                hearing.words().iter().map(|heard| heard.word.clone()).collect::<Vec<_>>().join(" ")
            });
            let packets = self.hearing(|hearing| hearing.packets.len());
            let unreadable = self.voice.probe(&self.lounge).unreadable;
            let spoken: Vec<String> = self.tongue.spoken().into_iter().map(|phrase| phrase.text).collect();
            panic!(
                "waited in vain for {what}; heard was {heard:?} in {packets} packets, {unreadable} were unreadable, and the \
                 voice was given {spoken:?}"
            );
        }
    }

    /// Waits until these words were heard, one after the other, and nothing else.
    pub async fn until_heard(&self, text: &str) {
        let words = bare_words(text);
        self.until(text, |hearing| hearing.words().len() >= words.len()).await;
        assert_eq!(self.heard_words(), words);
    }

    /// The words that were heard.
    pub fn heard_words(&self) -> Vec<String> {
        self.hearing(|hearing| hearing.words().iter().map(|heard| heard.word.clone()).collect())
    }

    /// The call's place.
    pub fn place(&self) -> Place {
        self.host.places.lock().unwrap().last().unwrap().clone()
    }

    /// Waits until nothing is being answered or stored.
    pub async fn settled(&self) {
        timeout(PATIENCE, self.app.session.settle(&self.place())).await.expect("an end").unwrap();
    }

    /// What the history holds: (speaker, words), the greeting included.
    pub async fn remembered(&self) -> Vec<(String, String)> {
        self.settled().await;
        let encoding = self.app.models.slot(Slot::MainProse).describe().encoding;
        let visible = self.app.history.whole().visible().await.unwrap();
        let query = RecentQuery { mode: None, max_turns: 1000, until: None, encoding };
        let turns = self.app.history.seen_by(&visible).recent(&self.place().channel, query).await.unwrap();
        turns
            .into_iter()
            .map(|turn| {
                let who = turn.author.map_or_else(|| "Mika".to_owned(), |author| author.label().to_owned());
                (who, turn.content)
            })
            .collect()
    }

    /// Ends everything in order.
    pub async fn ends(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.running).await.expect("the bot ends").unwrap().unwrap();
        self.listening.abort();
        self.app.stop(std::future::pending(), || {}).await;
    }
}

fn listen(
    voice: &VoiceServer,
    lounge: &Channel,
    heard: &Arc<Mutex<Hearing>>,
    book: Arc<Codebook>,
) -> (JoinHandle<()>, watch::Receiver<u64>) {
    let (mut packets, heard) = (voice.taps(lounge), Arc::clone(heard));
    let (tell, more) = watch::channel(0);
    let listening = tokio::spawn(async move {
        while let Some(packet) = packets.recv().await {
            {
                let mut heard = heard.lock().unwrap();
                heard.reader.push(&packet, &book);
                heard.packets.push((packet.at, packet.peak()));
                heard.is_over = packet.is_silence();
            }
            tell.send_modify(|count| *count += 1);
        }
    });
    (listening, more)
}

fn secrets(world: &DiscordWorld, brain: &ProviderWorld) -> Secrets {
    let mut secrets = Secrets::default();
    secrets.discord_token = Some(world.token().into());
    secrets.discord_api_base = Some(world.api_base());
    secrets.llm_api_key = Some("sk-test-key".to_owned().into());
    secrets.llm_base_url = Some(brain.base_url());
    secrets.model_hub = Some("off".to_owned());
    secrets.speech.deepgram = Some("dg-key".to_owned().into());
    secrets.speech.cartesia = Some("ca-key".to_owned().into());
    secrets
}

fn settings(options: &TalkOptions, ears: &Ears, tongue: &Tongue) -> String {
    let provider = match options.tongue {
        TongueKind::Cartesia => "cartesia",
        TongueKind::OpenAi => "openai",
    };
    let scripted = format!(
        r#"
[stt]
provider = "deepgram"
deepgram_url = "{ears}"

[tts]
provider = "{provider}"
cartesia_url = "{tongue}"
cartesia_voice_id = "694f9389-aac1-45b6-b726-9d9369183238"
openai_url = "{tongue}/v1"
"#,
        ears = ears.url(),
        tongue = tongue.url(),
    );
    format!(
        r#"
[llm.main_prose]
model = "{MODEL}"
context_window = 32000
{}
greetings = ["Evening."]

[voice]
{}joining_notice = ""
{}
"#,
        options.keyless.as_ref().unwrap_or(&scripted),
        if options.settings.contains("fillers") { "" } else { "fillers = []\n" },
        options.settings,
    )
}

fn installed(data_dir: &std::path::Path, settings: &str) -> FamiliarId {
    let card = data_dir.join("mika.json");
    std::fs::write(&card, CARD).unwrap();
    moves_in(data_dir, card);
    let id = FamiliarId::new("mika").unwrap();
    std::fs::write(FamiliarHome::new(data_dir, &id).character_toml(), settings).unwrap();
    id
}

type Script = Arc<Mutex<Vec<(String, String)>>>;

/// A model that answers by the script.
async fn brain(delays: &Arc<Delays>) -> (ProviderWorld, Script, Arc<Mutex<Vec<AskedModel>>>) {
    let world = ProviderWorld::start().await;
    world.list_models(json!({"object": "list", "data": [{"id": MODEL, "object": "model"}]}));
    let (script, asked) = (Script::default(), Arc::new(Mutex::new(Vec::new())));
    let (lines, note, delays) = (Arc::clone(&script), Arc::clone(&asked), Arc::clone(delays));
    world.answers(move |request| {
        if request.model() != MODEL {
            return Reply::says("Understood.");
        }
        let at = Instant::now();
        let prompt = request.prompt();
        let lines = lines.lock().unwrap();
        let newest = lines.iter().filter_map(|line| Some((prompt.rfind(line.0.as_str())?, line))).max();
        let (line, answer) = match newest {
            Some((_, (line, answer))) => (Some(line.clone()), answer.clone()),
            None => (None, "Nobody told me.".to_owned()),
        };
        let delay = delays.draw(delays.profile.first_token);
        let words = answer.split_whitespace().count();
        note.lock().unwrap().push(AskedModel { line, at, delay, words, request: request.clone() });
        let mut reply = Reply::stream().pause(delay);
        for word in answer.split_inclusive(' ') {
            reply = reply.text(word).pause(delays.profile.word);
        }
        reply.finish("stop")
    });
    (world, script, asked)
}
