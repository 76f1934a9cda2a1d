//! Pictures in the talk of the window.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;

const BOUNDARY: &str = "----pictures";
const SEES: &str = "[llm.main_prose]\nsees_pictures = true\n";

/// The beginning of a PNG, which is all that is looked at here.
fn png(length: usize) -> Vec<u8> {
    let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
    picture.resize(length, 7);
    picture
}

fn multipart() -> String {
    format!("multipart/form-data; boundary={BOUNDARY}")
}

/// What a browser sends: its proof, the words, the pictures.
fn sent(csrf: &str, text: &str, pictures: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in [("csrf", csrf), ("text", text)] {
        let head =
            format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(head.bytes());
    }
    for (name, bytes) in pictures {
        let head = format!("Content-Disposition: form-data; name=\"picture\"; filename=\"{name}\"");
        body.extend(format!("--{BOUNDARY}\r\n{head}\r\nContent-Type: image/png\r\n\r\n").bytes());
        body.extend(bytes);
        body.extend(b"\r\n");
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    body
}

async fn shows(ada: &Browser, text: &str, pictures: &[(&str, Vec<u8>)]) -> Shown {
    let body = sent(&ada.csrf().await, text, pictures);
    let request = ada.request(Method::POST, "/talk/pictures").header(ORIGIN, &ada.origin);
    Shown::of(request.header(CONTENT_TYPE, multipart()).body(body).send().await.unwrap()).await
}

#[tokio::test]
async fn a_picture_is_shown_to_the_model_that_sees_and_stands_by_its_name_in_the_talk() {
    let open = Open::with(SEES, CARD).await;
    let ada = open.browser().await;
    let mut live = ada.follows("talk").await;
    ada.finds("/talk", &["Add pictures", "multipart/form-data"]).await;
    let cat = png(2_000);
    let told = shows(&ada, "Who is that?", &[("cat <img src=x onerror=alert(1)>.png", cat.clone())]).await;
    assert_eq!(told.header("location"), "/talk");
    let html = live.next_named("message").await["html"].as_str().unwrap().to_owned();
    assert!(html.contains("Who is that?") && html.contains("image: cat"), "{html}");
    assert!(!html.contains("<img"), "{html}");
    let asked = open.stage.next_request().await;
    let seen: Vec<&[u8]> = asked.request.pictures.iter().map(|picture| &*picture.bytes).collect();
    assert_eq!(seen, [&cat[..]]);
    assert!(asked.transcript().contains("a picture, which you see yourself"), "{}", asked.transcript());
    live.hears(asked, "The ship's cat.").await;

    // Words need not come with it, and four are looked at.
    let five: Vec<(&str, Vec<u8>)> =
        ["1.png", "2.png", "3.png", "4.png", "5.png"].into_iter().map(|name| (name, png(64))).collect();
    shows(&ada, "", &five).await;
    let told = live.next_named("notice").await;
    assert!(told["html"].as_str().unwrap().contains("Only the first 4 pictures were sent."), "{told}");
    let asked = open.stage.next_request().await;
    assert_eq!(asked.request.pictures.len(), 4);
    live.hears(asked, "Four of them.").await;

    // What is no picture, and what is too large, is said by its name, and the words go all the same.
    for (name, bytes) in [("notes.txt", b"just words".to_vec()), ("huge.png", png(4 * 1024 * 1024 + 1))] {
        shows(&ada, "And that?", &[(name, bytes)]).await;
        let told = live.next_named("notice").await["html"].as_str().unwrap().to_owned();
        assert!(told.contains(&format!("{name} was not sent")) && told.contains("4 MiB"), "{told}");
        let asked = open.stage.next_request().await;
        let seen = asked.request.pictures.iter().filter(|picture| picture.bytes.len() > 4 * 1024 * 1024);
        assert_eq!(seen.count(), 0);
        live.hears(asked, "What?").await;
    }
}

#[tokio::test]
async fn where_nothing_looks_at_pictures_the_page_says_so_and_only_the_words_are_sent() {
    let (open, ada, mut live) = Open::followed().await;
    let page = ada.goes_to("/talk").await.body;
    assert!(!page.contains("Add pictures"), "{page}");
    assert!(page.contains("data-nobody-sees=\"Pictures are not sent: nothing looks at them here."), "{page}");
    shows(&ada, "Who is that?", &[("cat.png", png(64))]).await;
    let told = live.next_named("notice").await["html"].as_str().unwrap().to_owned();
    assert!(told.contains("sees_pictures = true"), "{told}");
    let asked = open.stage.next_request().await;
    assert!(asked.request.pictures.is_empty() && !asked.transcript().contains("cat.png"));
    live.hears(asked, "Who?").await;
}

#[tokio::test]
async fn pictures_are_taken_from_the_talks_own_page_only_and_never_beyond_their_bound() {
    let open = Open::with(SEES, CARD).await;
    let ada = open.browser().await;
    let csrf = ada.csrf().await;
    for (csrf, origin) in [("guess", ada.origin.as_str()), (csrf.as_str(), "http://evil.example")] {
        let request = ada.request(Method::POST, "/talk/pictures").header(CONTENT_TYPE, multipart());
        let body = sent(csrf, "Look.", &[("cat.png", png(64))]);
        let refused = request.header(ORIGIN, origin).body(body).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::FORBIDDEN, "{origin}");
    }
    let stranger = Browser { cookie: String::new(), ..ada.clone() };
    let request = stranger.request(Method::POST, "/talk/pictures").header(ORIGIN, &ada.origin);
    let refused = request.header(CONTENT_TYPE, multipart()).body(sent(&csrf, "Look.", &[])).send().await;
    assert_eq!(refused.unwrap().status(), StatusCode::UNAUTHORIZED);
    // One form holds what is looked at, and not more; other forms of the talk keep their own bound.
    let much: Vec<(&str, Vec<u8>)> = (0..5).map(|_| ("much.png", png(4 * 1024 * 1024))).collect();
    assert_eq!(shows(&ada, "", &much).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let long = "x".repeat(300 * 1024);
    assert_eq!(ada.sends("/talk", &[("text", &long)]).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(!open.stage.models.was_asked_again().await);
}

#[tokio::test]
async fn whoever_sends_far_too_much_reads_why_it_was_refused() {
    let open = Open::with(SEES, CARD).await;
    let ada = open.browser().await;
    let much: Vec<(&str, Vec<u8>)> = (0..10).map(|_| ("much.png", png(4 * 1024 * 1024))).collect();
    let body = sent(&ada.csrf().await, "Look.", &much);
    let head = format!(
        "POST /talk/pictures HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\nCookie: {}\r\nContent-Type: {}\r\n\
         Content-Length: {}\r\n\r\n",
        ada.origin.trim_start_matches("http://"),
        ada.origin,
        ada.cookie,
        multipart(),
        body.len()
    );
    let to = ada.origin.trim_start_matches("http://");
    let mut stream = tokio::net::TcpStream::connect(to).await.unwrap();
    // A browser reads nothing before it has sent everything.
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 413") && answer.contains("That is too much at once"), "{answer}");
}
