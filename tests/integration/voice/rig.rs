//! The fake voice server is one that the real voice library joins, hears people in and is heard in; and what that
//! library does to people's packets, which is why the bridge takes them as they come.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex};

use songbird::driver::{Channels, DecodeConfig, DecodeMode, Driver, SampleRate, Scheduler, SchedulerConfig};
use songbird::id::{ChannelId, GuildId, UserId};
use songbird::input::RawAdapter;
use songbird::{Config, ConnectionInfo, CoreEvent, Event, EventContext, EventHandler};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::support::discord::{BOT, Channel, DiscordWorld, PATIENCE, Person};
use crate::support::voice::{
    Coding, Committer, Line, Mode, RATE, SILENCE, Sound, VoiceOptions, VoiceServer, amplitude, decoded,
};

/// A frame and the SSRC it came with.
type Numbered = (u32, Vec<u8>);

/// What songbird tells of the call it is in.
#[derive(Clone, Default)]
struct Told {
    packets: Arc<Mutex<Vec<Numbered>>>,
    ticks: Arc<Mutex<Vec<i16>>>,
    more: Arc<Notify>,
}

#[serenity::async_trait]
impl EventHandler for Told {
    async fn act(&self, context: &EventContext<'_>) -> Option<Event> {
        match context {
            EventContext::RtpPacket(data) => {
                let header = 12 + 4 * usize::from(data.packet[0] & 0x0f);
                let ssrc = u32::from_be_bytes(data.packet[8..12].try_into().unwrap());
                let body = &data.packet[header..];
                let frame = body[data.payload_offset..body.len() - data.payload_end_pad].to_vec();
                self.packets.lock().unwrap().push((ssrc, frame));
            }
            EventContext::VoiceTick(tick) => {
                let heard = tick.speaking.values().filter_map(|voice| voice.decoded_voice.as_ref());
                self.ticks.lock().unwrap().extend(heard.flatten());
            }
            _ => {}
        }
        self.more.notify_one();
        None
    }
}

impl Told {
    async fn until(&self, what: &str, so: impl Fn(&Self) -> bool) {
        let waited = timeout(PATIENCE, async {
            while !so(self) {
                self.more.notified().await;
            }
        });
        assert!(waited.await.is_ok(), "waited in vain for {what}");
    }

    /// The frames with sound that came with an SSRC.
    fn frames(&self, ssrc: u32) -> Vec<Vec<u8>> {
        let packets = self.packets.lock().unwrap();
        packets
            .iter()
            .filter(|(from, frame)| *from == ssrc && *frame != SILENCE)
            .map(|(_, frame)| frame.clone())
            .collect()
    }
}

/// Two people and songbird in a call.
struct Scene {
    voice: VoiceServer,
    call: Channel,
    alice: Person,
    driver: Driver,
    told: Told,
}

async fn scene(options: VoiceOptions, alice_is_first: bool) -> Scene {
    let world = DiscordWorld::start().await;
    let voice = world.opens_voice(options).await;
    let home = world.guild("home");
    let (call, alice) = (home.call("Lounge"), home.member("alice"));
    if alice_is_first {
        alice.joins(&call, false);
    }
    let decode = DecodeConfig::new(Channels::Mono, SampleRate::Hz16000);
    let scheduler = Scheduler::new(SchedulerConfig::default());
    let config = Config::default().decode_mode(DecodeMode::Decode(decode)).scheduler(scheduler);
    let mut driver = Driver::new(config);
    let told = Told::default();
    for event in [CoreEvent::RtpPacket, CoreEvent::VoiceTick] {
        driver.add_global_event(event.into(), told.clone());
    }
    let (endpoint, token) = voice.invites(call.id());
    let id = |number| NonZeroU64::new(number).unwrap();
    let info = ConnectionInfo {
        channel_id: ChannelId(id(call.id())),
        endpoint,
        guild_id: GuildId(id(home.id())),
        session_id: "session".to_owned(),
        token,
        user_id: UserId(id(BOT)),
    };
    driver.connect(info).await.expect("songbird joins");
    if !alice_is_first {
        alice.joins(&call, false);
    }
    voice.bot_is_in(&call).await;
    Scene { voice, call, alice, driver, told }
}

impl Scene {
    /// Alice says something; what came of it, frame for frame.
    async fn heard(&self, sound: &Sound, line: &Line) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let said = self.voice.speaks(&self.alice, &self.call, sound, line).await;
        let count = said.frames.len();
        self.told.until("all frames", |told| told.frames(said.ssrc).len() >= count).await;
        (said.frames, self.told.frames(said.ssrc))
    }

    /// Songbird plays a tone; how loud it is in the call.
    async fn spoken(&mut self) -> f32 {
        let tone = Sound::tone(440.0, 0.5, 400);
        let bytes: Vec<u8> = tone.samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        self.driver.play_input(RawAdapter::new(std::io::Cursor::new(bytes), RATE, 1).into());
        let heard = self.voice.hears(&self.call, "a tone", |probe| probe.audible_ms() >= 380).await;
        // The codec smears the edges over a frame, and more than one of them may be there by now.
        let clear = heard.audible().skip(2).take(15).flat_map(|packet| packet.samples.clone());
        amplitude(&clear.collect::<Vec<_>>(), 440.0, RATE)
    }
}

fn near(found: f32, expected: f32) -> bool {
    (found - expected).abs() <= expected * 0.05
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn songbird_joins_hears_and_is_heard_whatever_the_encryption() {
    let chacha = VoiceOptions { mode: Mode::XChaCha20Poly1305, ..VoiceOptions::default() };
    let cases = [
        ("AES-GCM", VoiceOptions::default(), true),
        ("XChaCha20", chacha, true),
        ("invited by a member", VoiceOptions::encrypted(Committer::People), true),
        ("inviting a member", VoiceOptions::encrypted(Committer::Bot), false),
    ];
    for (case, options, alice_is_first) in cases {
        let mut scene = scene(options, alice_is_first).await;
        let tone = Sound::tone(1000.0, 0.35, 400).coded(Coding::Music);
        let (said, heard) = scene.heard(&tone, &Line::default().shaped(4, true)).await;
        assert_eq!(said, heard, "{case}: every frame arrives as it was sent");
        let loud = amplitude(&decoded(heard.iter().map(Vec::as_slice), 16_000), 1000.0, 16_000);
        assert!(near(loud, 0.35), "{case}: {loud}");
        let loud = scene.spoken().await;
        assert!(near(loud, 0.5), "{case}: {loud}");
        assert_eq!(scene.voice.probe(&scene.call).unreadable, 0, "{case}");
    }
}
