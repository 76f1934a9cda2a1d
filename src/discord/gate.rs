//! How often a connection to the gateway is tried, and what is found out when none lasts.
//!
//! Serenity connects anew as fast as it is thrown out. It asks for the gateway's address before each attempt, so
//! whoever holds the address decides how fast that is. Start reading at [`keep`].

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::{self, Message};

use super::watch::Watch;
use crate::text::short::{one_line, shortened};

/// Shortest pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// How often somebody who waits for the first connection is let through.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// Attempts without a connection that lasts before the whole is begun anew, which asks Discord how many are left. After
/// that each beginning has one.
const ATTEMPTS: u32 = 5;

/// Longest pause between two attempts, as a power of two of [`PAUSE`].
const LONGEST: u32 = 8;

/// How long the gateway may take to say what is wrong.
const ASKING: Duration = Duration::from_secs(10);

/// Longest reason shown, in characters.
const REASON: usize = 100;

/// Lets one attempt through at a time, at ever longer distances while none lasts. Returns when that leads to nothing.
pub(super) async fn keep(address: Arc<Mutex<String>>, watch: &Watch) {
    watch.begins_anew();
    tokio::select! {
        () = pace(address, watch) => {}
        () = watch.comes_to_nothing() => {}
    }
}

async fn pace(address: Arc<Mutex<String>>, watch: &Watch) {
    let mut pause = FIRST_PAUSE;
    let mut is_first = true;
    let mut held = address.lock().await;
    loop {
        sleep(pause).await;
        drop(held);
        // Who waits has it before it can be had here.
        let is_taken = address.try_lock().is_err();
        held = address.lock().await;
        if is_taken {
            let attempt = watch.tries();
            if attempt > ATTEMPTS && !is_first {
                return;
            }
            is_first = false;
            pause = PAUSE * 2_u32.pow((attempt - 1).min(LONGEST));
        } else if pause > PAUSE {
            pause = PAUSE;
        }
    }
}

/// What the gateway says to a bot that it lets in no longer: one attempt of our own, as serenity keeps it to itself.
pub(super) async fn ask(address: &str, token: &str, intents: u64) -> String {
    match timeout(ASKING, asked(address, token, intents)).await {
        Ok(Ok(words)) => words,
        Ok(Err(error)) => match *error {
            tungstenite::Error::Http(answer) => format!("the gateway answers {}", answer.status().as_u16()),
            _ => "the gateway breaks the connection off".to_owned(),
        },
        Err(_) => "the gateway does not answer".to_owned(),
    }
}

async fn asked(address: &str, token: &str, intents: u64) -> Result<String, Box<tungstenite::Error>> {
    let (mut socket, _) = tokio_tungstenite::connect_async(format!("{address}?v=10&encoding=json")).await?;
    while let Some(message) = socket.next().await {
        let frame: Value = match message? {
            Message::Text(text) => serde_json::from_str(&text).unwrap_or_default(),
            Message::Close(frame) => {
                let Some(frame) = frame else { break };
                let reason = shortened(&one_line(&frame.reason), REASON);
                return Ok(format!("the gateway closes with {} {reason}", u16::from(frame.code))
                    .trim()
                    .to_owned());
            }
            _ => continue,
        };
        match (frame["op"].as_u64(), frame["t"].as_str()) {
            (Some(10), _) => {
                let properties =
                    json!({"os": std::env::consts::OS, "browser": "familiar", "device": "familiar"});
                let data = json!({"token": token, "intents": intents, "properties": properties});
                socket.send(Message::text(json!({"op": 2, "d": data}).to_string())).await?;
            }
            (_, Some("READY")) => {
                socket.close(None).await?;
                return Ok("the gateway lets the bot in and its connection does not last".to_owned());
            }
            (Some(9), _) => return Ok("the gateway calls the session invalid".to_owned()),
            _ => {}
        }
    }
    Ok("the gateway hangs up without a word".to_owned())
}
