//! What each fuzz target does with its bytes. Included by the targets and by the smoke test of the integration binary,
//! so that both run the same code. A target fails by panicking.

use familiar_connect::context::{Contribution, Placement, TailPart, Trust, ingest, screen};
use familiar_connect::domain::{Audience, ChannelId, Layer, Place, RenderMode, TokenEncoding};
use familiar_connect::familiar::{
    CardTexts, Fallback, LoreLibrary, LoreMode, LoreScene, LoreSettings, SceneLine, Shelved, TokenCount,
    WordBoundary, read_card, read_lorebook,
};
use familiar_connect::llm::{Decoder, Delta, ModelDescription};
use familiar_connect::mcp::{read_any_frames, read_any_message};
use familiar_connect::text::control::{TurnEndFilter, with_broken_tokens};
use familiar_connect::text::due::read_due;
use familiar_connect::text::secrets::redact;
use familiar_connect::text::unicode::{comparing_form, visible};
use familiar_connect::tools::read_any_arguments;
use familiar_connect::voice::frame::{FRAME_TIME, Packet};
use familiar_connect::voice::receive::{Listener, Perception};

/// A card reader takes the bytes or refuses them in one line that is not empty.
fn card(bytes: &[u8]) {
    match read_card(bytes) {
        Ok(card) => {
            // Reading twice is reading the same.
            assert_eq!(read_card(bytes).as_ref(), Ok(&card));
        }
        Err(refusal) => {
            let line = refusal.to_string();
            assert!(!line.trim().is_empty() && !line.contains('\n'), "{line:?}");
        }
    }
}

fn behind(head: &[u8], bytes: &[u8]) {
    card(bytes);
    card(&[head, bytes].concat());
}

/// PNG and APNG.
pub fn png_card(bytes: &[u8]) {
    behind(b"\x89PNG\r\n\x1a\n", bytes);
}

/// JSON of every spec and dialect.
pub fn json_card(bytes: &[u8]) {
    behind(b"{\"spec\":\"chara_card_v2\",\"data\":", bytes);
}

/// Zip, alone and behind a picture.
pub fn charx(bytes: &[u8]) {
    behind(b"\xff\xd8\xff\xd9", bytes);
}

/// WEBP and JPEG comments.
pub fn webp(bytes: &[u8]) {
    behind(b"RIFF\xff\xff\0\0WEBP", bytes);
    behind(b"\xff\xd8\xff\xe1", bytes);
}

/// YAML.
pub fn yaml(bytes: &[u8]) {
    behind(b"name: x\n", bytes);
}

/// Every lorebook format.
pub fn lorebook(bytes: &[u8]) {
    if let Err(refusal) = read_lorebook(bytes) {
        assert!(!refusal.to_string().contains('\n'));
    }
    let wrapped = [b"{\"entries\":", bytes, b"}"].concat();
    let _ = read_lorebook(&wrapped);
}

/// A book in front of a zero byte and a chat behind it, scanned twice under every setting that changes the way.
pub fn lore_scan(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (book, chat) = bytes.split_at(at);
    let Ok((book, _)) = read_lorebook(book) else { return };
    let chat = String::from_utf8_lossy(chat.get(1..).unwrap_or_default());
    let messages: Vec<SceneLine> = chat.lines().take(50).map(SceneLine::written).collect();
    let entries = book.entries.len();
    let library = LoreLibrary::new(&[Shelved { name: "book".to_owned(), book, is_characters: true }]);
    let scene = LoreScene {
        messages: &messages,
        chat_length: messages.len() as u64,
        replies: 1,
        trigger: "normal",
        character: &["Ada"],
        card: CardTexts { description: &chat, ..CardTexts::default() },
        seed: "t1",
        budget: 300,
        tokens: TokenCount::Quarters,
        expand: &|text| text.replace("{{char}}", "Ada"),
    };
    for (mode, boundary, fallback) in [
        (LoreMode::Keywords, WordBoundary::St, Fallback::None),
        (LoreMode::Hybrid, WordBoundary::Unicode, Fallback::Levels),
    ] {
        let settings =
            LoreSettings { mode, boundary, fallback, min_activations: 2, ..LoreSettings::default() };
        let scan = library.scan(&settings, &scene, &[]);
        assert_eq!(scan.fired.len() + scan.not_fired.len(), entries);
        // What lasts is taken up again, and leaves an answer for every entry, too.
        let later = LoreScene { chat_length: scene.chat_length + 1, ..scene };
        let again = library.scan(&settings, &later, &scan.effects);
        assert_eq!(again.fired.len() + again.not_fired.len(), entries);
    }
}

/// The payloads of a model's event stream, one a line, as they come off the wire.
pub fn stream(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut decoder = Decoder::default();
    let mut words = 0;
    for payload in text.split('\n') {
        let Ok(payload) = serde_json::from_str(payload) else { continue };
        let Ok(deltas) = decoder.value(&payload) else { return };
        words += deltas.iter().map(length).sum::<usize>();
    }
    let (rest, _ending) = decoder.end();
    words += rest.iter().map(length).sum::<usize>();
    // JSON escapes shrink when they are read; nothing grows.
    assert!(words <= text.len(), "{words} bytes of words from {} bytes of stream", text.len());
}

fn length(delta: &Delta) -> usize {
    match delta {
        Delta::Text(words) | Delta::Reasoning(words) => words.len(),
        Delta::ToolCall(call) => call.arguments.len(),
        Delta::ThoughtAloud | Delta::AttemptFailed(_) | Delta::Finished(_) => 0,
    }
}

/// Hidden characters leave no trace, neither in what is shown nor in what is compared.
pub fn skeleton(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let seen = visible(&text);
    assert_eq!(visible(&seen), seen);
    let hidden: String = text.chars().flat_map(|c| [c, '\u{200b}', '\u{e0041}']).collect();
    assert_eq!(comparing_form(&hidden), comparing_form(&text));
}

/// What was redacted holds no more secrets.
pub fn secrets(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let once = redact(&text);
    assert_eq!(once.kinds.is_empty(), once.text == text);
    let twice = redact(&once.text);
    assert_eq!(twice.text, once.text);
}

/// What is taken apart holds no control token any more, and what ends a turn does so however it arrives.
pub fn control(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let safe = with_broken_tokens(&text).into_owned();
    assert_eq!(with_broken_tokens(&safe), safe.as_str());
    let (mut whole, mut chopped) = (TurnEndFilter::default(), TurnEndFilter::default());
    let mut words = whole.push(&text);
    words.push_str(&whole.finish());
    let mut letters: String = text.chars().map(|c| chopped.push(c.encode_utf8(&mut [0; 4]))).collect();
    letters.push_str(&chopped.finish());
    assert_eq!(words, letters);
}

/// The stages in front of the budget take pieces of every trust and standing, and cut what is too long. One piece a
/// line.
pub fn screening(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(channel) = ChannelId::new("fuzz") else { return };
    let model = ModelDescription::plain("fuzz", 8_000, TokenEncoding::CharsOver4);
    let places =
        [Placement::Main, Placement::Tail(TailPart::Recalled), Placement::Summary(1), Placement::Mode];
    let pieces = text.lines().zip(places.iter().cycle()).enumerate().map(|(number, (line, placement))| {
        let trust = [Trust::Held, Trust::Chat, Trust::Canon][number % 3];
        let source = format!("fuzz/{number}");
        Contribution {
            clip: (number % 2 == 0).then_some(16),
            ..Contribution::new(source, Layer::Content, placement.clone(), trust, Audience::Canon, line)
        }
    });
    let _ = screen(ingest(pieces.collect(), &model, RenderMode::Layered), &Place::terminal(channel));
}

/// What speech services answer, and sound from programs.
pub fn speech(bytes: &[u8]) {
    // What is understood is bounded by what came: JSON of a few bytes an entry, samples of two.
    let understood = familiar_connect::voice::engines::read_any(bytes);
    assert!(understood <= 16 + bytes.len() * 4, "{understood} things from {} bytes", bytes.len());
}

/// What a voice server sends for one speaker: RTP packets of Opus, each behind a byte for its length and one for the two
/// bounds of its payload.
pub fn packets(bytes: &[u8]) {
    let (mut listener, mut out) = (Listener::default(), Perception::default());
    let (mut now, mut rest, mut taken) = (tokio::time::Instant::now(), bytes, 0_usize);
    let mut heard = 0;
    while let [length, bounds, after @ ..] = rest {
        let (packet, after) = after.split_at(usize::from(*length).min(after.len()));
        let (offset, padding) = (usize::from(bounds >> 4), usize::from(bounds & 0x0f));
        if let Some(packet) = Packet::from_rtp(packet, offset, padding, now) {
            assert!(packet.opus.len() <= usize::from(*length));
            listener.packet(packet, now, &mut out);
            (taken, heard) = (taken + 1, heard + out.samples.len());
        }
        now += FRAME_TIME;
        listener.tick(now, &mut out);
        heard += out.samples.len();
        rest = after;
    }
    // A packet is at most 120 ms, and stands for at most 25 that were lost in front of it.
    assert!(heard <= taken * (1_920 + 25 * 320), "{heard} samples of {taken} packets");
}

/// What a server of tools says: messages, lists, schemas.
pub fn mcp(bytes: &[u8]) {
    read_any_message(bytes);
    let head = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\",";
    read_any_message(&[&head[..], bytes].concat());
}

/// What a program writes, in pieces of every size: the same is let through, however it is cut.
pub fn mcp_frames(bytes: &[u8]) {
    let whole = read_any_frames(bytes, usize::MAX);
    assert_eq!(whole.passed, bytes.len(), "no message of a fuzzer is too long");
    assert!(whole.longest_complaint <= 1_500, "{} bytes", whole.longest_complaint);
    for piece in [1, 7] {
        assert_eq!(read_any_frames(bytes, piece), whole);
    }
}

/// What a model writes as arguments, and as the time of a reminder among them.
pub fn tool_arguments(bytes: &[u8]) {
    let takers = read_any_arguments(bytes);
    let wrapped = [b"{\"query\":", bytes, b"}"].concat();
    assert!(takers <= 64 && read_any_arguments(&wrapped) <= 64);
    let _ = read_due(&String::from_utf8_lossy(bytes), jiff::Timestamp::UNIX_EPOCH, &jiff::tz::TimeZone::UTC);
}
