//! What each fuzz target does with its bytes. Included by the targets and by the smoke test of the integration binary,
//! so that both run the same code. A target fails by panicking.

use familiar_connect::familiar::{read_card, read_lorebook};
use familiar_connect::llm::{Decoder, Delta};

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

/// The payloads of a model's event stream, one a line, as they come off the wire.
pub fn stream(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut decoder = Decoder::default();
    let mut words = 0;
    for payload in text.split('\n') {
        let Ok(deltas) = decoder.payload(payload) else { return };
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
        Delta::AttemptFailed(_) | Delta::Finished(_) => 0,
    }
}
