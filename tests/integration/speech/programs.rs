//! Programs on this machine that speak.
#![cfg(unix)]

use super::*;
use crate::support::programs;
use crate::support::speech::bytes;

/// A program in a folder of its own; gives the folder.
pub(super) fn program(name: &str, script: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = programs::program(folder.path(), name, script).display().to_string();
    (folder, path)
}

#[tokio::test]
async fn a_command_gets_the_text_and_its_samples_are_spoken() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Command;
    set.tts.command_rate = 8_000;
    let (_folder, path) = program("echoing", "cat; head -c 320 /dev/zero");
    set.tts.command = Some(path);
    let speech = soon(set.engines().tts.unwrap().speak(&phrase("abc"))).await.unwrap();
    assert_eq!(speech.rate, 8_000);
    let letters = [i16::from_le_bytes(*b"ab"), i16::from_le_bytes(*b"c\n")];
    let (heard, words, end) = all(speech).await;
    assert_eq!(
        (&heard[..2], heard.len(), words, end),
        (&letters[..], 162, Vec::new(), Ok(())),
        "on its standard input"
    );
    let (_folder, path) = program("printing", "printf '%s' \"$2\"; head -c 320 /dev/zero");
    set.tts.command = Some(format!("{path} --say \"{{text}}\""));
    let heard = all(soon(set.engines().tts.unwrap().speak(&phrase("$(id); 'x' y"))).await.unwrap()).await.0;
    assert_eq!(bytes(&heard)[..13], *b"$(id); 'x' y\0", "as one argument, and no shell looks at it");
}

#[tokio::test]
async fn a_command_that_prints_no_sound_is_found_out() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Command;
    for (prints, said) in [
        ("echo hello", "an answer without sound"),
        ("printf 'ID3\\003'; head -c 9000 /dev/zero", "MP3 instead of a WAV"),
        ("echo '<!DOCTYPE html>'; head -c 9000 /dev/zero", "a web page instead of a WAV"),
        ("exit 0", "an answer without sound"),
    ] {
        let (_folder, path) = program("printing", prints);
        set.tts.command = Some(path);
        let failed = soon(set.engines().tts.unwrap().speak(&phrase("x"))).await.unwrap_err();
        assert!(failed.to_string().contains(said), "{prints}: {failed}");
    }
}

#[tokio::test]
async fn a_command_that_fails_says_why_and_one_that_nobody_hears_is_ended() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Command;
    let (_folder, path) = program("failing", "echo 'no such voice' >&2; exit 3");
    set.tts.command = Some(path);
    let failed = soon(set.engines().tts.unwrap().speak(&phrase("x"))).await.unwrap_err();
    assert!(failed.to_string().contains("no such voice"), "{failed}");
    set.tts.command = Some("/nowhere/at-all".to_owned());
    let missing = soon(set.engines().tts.unwrap().speak(&phrase("x"))).await.unwrap_err();
    assert!(
        matches!(&missing, EngineError::Unsupported { said, .. } if said.contains("/nowhere/at-all")),
        "{missing}"
    );
    // It says its number and then sounds without end; when its pipe is gone from under it, it is gone.
    let (folder, path) = program("endless", "echo $$ > \"$0.pid\"; exec cat /dev/zero");
    set.tts.command = Some(path);
    let speech = soon(set.engines().tts.unwrap().speak(&phrase("x"))).await.unwrap();
    let number = std::fs::read_to_string(folder.path().join("endless.pid")).unwrap();
    drop(speech);
    let process = std::path::PathBuf::from(format!("/proc/{}/exe", number.trim()));
    soon(async {
        while process.read_link().is_ok_and(|program| program.ends_with("cat")) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_command_is_ended_when_whoever_asked_is_gone_before_the_first_sound() {
    let mut set = Set::out();
    set.tts.provider = TtsProvider::Command;
    let (folder, path) = program("slow", "echo $$ > \"$0.pid\"; exec sleep 60");
    set.tts.command = Some(path);
    let voice = set.engines().tts.unwrap();
    let asked = tokio::spawn(async move { voice.speak(&phrase("x")).await.map(drop) });
    let written = folder.path().join("slow.pid");
    let number = soon(async {
        loop {
            let number = std::fs::read_to_string(&written).unwrap_or_default();
            if number.ends_with('\n') {
                return number;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
    let process = std::path::PathBuf::from(format!("/proc/{}/exe", number.trim()));
    asked.abort();
    soon(async {
        // Whatever the shell is called that has not become `sleep` yet.
        while process.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
