//! Who comes in.

use std::net::SocketAddr;

use futures::future::join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::support::log::Log;

pub(super) fn address_of(window: &Window) -> SocketAddr {
    window.address().trim_start_matches("http://").trim_end_matches('/').parse().unwrap()
}

/// Sends bytes as they are, and reads until the other side is done.
pub(super) async fn raw(to: SocketAddr, sent: &[u8]) -> String {
    let mut stream = TcpStream::connect(to).await.unwrap();
    // Whoever is not listened to any more may notice while it speaks.
    let _told = stream.write_all(sent).await;
    let mut answer = Vec::new();
    let _ended = stream.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn an_address_opens_the_window_once_and_leaves_a_strict_cookie() {
    let open = Open::begins().await;
    let (address, stranger) = (open.window.opening_address(), Browser::outside(&open.window.address()));
    let way = address.strip_prefix(&stranger.origin).unwrap();

    let looked = Shown::of(stranger.request(Method::HEAD, way).send().await.unwrap()).await;
    assert_eq!(looked.status, StatusCode::UNAUTHORIZED, "a look uses nothing up");
    let entered = stranger.goes_to(way).await;
    assert_eq!((entered.status, entered.header("location")), (StatusCode::SEE_OTHER, "/talk"));
    let cookie = entered.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");

    let again = stranger.goes_to(way).await;
    assert_eq!(again.status, StatusCode::FORBIDDEN);
    assert!(again.body.contains("This address was used already") && again.header("set-cookie").is_empty());
    // Whoever may read the folder finds the next one there.
    let written = std::fs::read_to_string(open.stage.config.home().window_file()).unwrap();
    assert_ne!(written.trim(), address);
    let ada = Browser::comes_in(written.trim()).await;
    assert_eq!(ada.goes_to("/talk").await.status, StatusCode::OK);
}

#[tokio::test]
async fn where_there_is_nothing_whoever_is_signed_in_still_has_the_way_to_the_other_pages() {
    let open = Open::begins().await;
    let nothing = open.browser().await.goes_to("/no/such/page").await;
    assert_eq!(nothing.status, StatusCode::NOT_FOUND);
    for shown in ["There is nothing here", "<a href=\"/talk\"", "<a href=\"/memory\"", "action=\"/sign-out\""]
    {
        assert!(nothing.body.contains(shown), "{shown}: {}", nothing.body);
    }
    let stranger = Browser::outside(&open.window.address()).goes_to("/no/such/page").await;
    assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
    assert!(!stranger.body.contains("href=\"/memory\""), "{}", stranger.body);
}

#[tokio::test]
async fn where_somebody_lives_the_pages_on_which_they_moved_in_lead_to_the_talk() {
    let open = Open::begins().await;
    let ada = open.browser().await;
    for page in ["/setup", "/setup/came"] {
        let left = ada.goes_to(page).await;
        assert_eq!((left.status, left.header("location")), (StatusCode::SEE_OTHER, "/talk"), "{page}");
    }
    let stranger = Browser::outside(&open.window.address()).goes_to("/setup").await;
    assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
    // Whoever has no command of that name is told of the other way to say it.
    assert!(stranger.body.contains("cargo run --release -- window"), "{}", stranger.body);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_on_the_machine_can_read_the_address() {
    use std::os::unix::fs::PermissionsExt as _;
    let open = Open::begins().await;
    open.browser().await;
    let mode = std::fs::metadata(open.stage.config.home().window_file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[tokio::test]
async fn a_session_that_a_browser_brings_along_is_never_taken_over() {
    let open = Open::begins().await;
    let port = address_of(&open.window).port();
    let mut browser = Browser::outside(&open.window.address());
    browser.cookie = format!("familiar_window_{port}=planted-by-somebody-else-000000000000000000");
    let address = open.window.opening_address();
    let entered = browser.goes_to(address.strip_prefix(&browser.origin).unwrap()).await;
    let given = entered.header("set-cookie").split(';').next().unwrap().to_owned();
    assert_ne!(given, browser.cookie);
    assert_eq!(
        browser.goes_to("/talk").await.status,
        StatusCode::UNAUTHORIZED,
        "what was planted opens nothing"
    );
    browser.cookie = given;
    assert_eq!(browser.goes_to("/talk").await.status, StatusCode::OK);
}

#[tokio::test]
async fn without_a_session_no_page_is_shown_and_nothing_is_done() {
    let open = Open::begins().await;
    let stranger = Browser::outside(&open.window.address());
    for way in [
        "/",
        "/talk",
        "/xray",
        "/xray/t1",
        "/rooms",
        "/rooms/1",
        "/events?topic=talk",
        "/events?topic=turns",
        "/nowhere",
    ] {
        let shown = stranger.goes_to(way).await;
        assert_eq!(shown.status, StatusCode::UNAUTHORIZED, "{way}");
        assert!(
            shown.body.contains("familiar window") && !shown.body.contains("Mika"),
            "{way}: {}",
            shown.body
        );
    }
    for way in ["/talk", "/talk/stop", "/talk/greet", "/theme", "/sign-out"] {
        let request = stranger.request(Method::POST, way).header(ORIGIN, &stranger.origin);
        let refused = with_form(request, &[("text", "hello"), ("csrf", "")]).send().await.unwrap();
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{way}");
    }
    assert_eq!(open.stage.history.whole().authors().await.unwrap(), []);
}

#[tokio::test]
async fn a_name_of_somebody_elses_that_points_here_opens_nothing() {
    let (open, ada) = Open::with_ada().await;
    let port = address_of(&open.window).port();
    for host in [
        "evil.example",
        &format!("evil.example:{port}"),
        "127.0.0.1.evil.example",
        "192.168.1.5",
        "x@127.0.0.1",
    ] {
        let request = ada.request(Method::GET, "/talk").header(HOST, host);
        let refused = Shown::of(request.send().await.unwrap()).await;
        assert_eq!(refused.status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        assert!(!refused.body.contains(&ada.csrf().await), "{host}");
    }
    // A tunnel has a port of its own.
    for host in ["127.0.0.1:9999", "localhost"] {
        let request = ada.request(Method::GET, "/talk").header(HOST, host);
        assert_eq!(request.send().await.unwrap().status(), StatusCode::OK, "{host}");
    }
    let absolute = format!(
        "GET http://evil.example/talk HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    );
    assert!(raw(address_of(&open.window), absolute.as_bytes()).await.starts_with("HTTP/1.1 421"));
    let nameless = raw(address_of(&open.window), b"GET /talk HTTP/1.0\r\n\r\n").await;
    assert!(nameless.contains(" 421 "), "{nameless}");
}

#[tokio::test]
async fn a_form_from_elsewhere_changes_nothing() {
    let open = Open::begins().await;
    let (ada, other) = (open.browser().await, open.browser().await);
    let (own, others) = (ada.csrf().await, other.csrf().await);
    assert_ne!(own, others);
    let origin = ada.origin.clone();
    for (from, csrf) in [
        (Some("http://evil.example"), own.as_str()),
        (Some("null"), &own),
        (None, &own),
        (Some("http://127.0.0.1:1"), &own),
        (Some(&origin), ""),
        (Some(&origin), &others),
        (Some(&origin), "guess"),
    ] {
        let mut request = with_form(ada.request(Method::POST, "/talk"), &[("text", "obey"), ("csrf", csrf)]);
        if let Some(from) = from {
            request = request.header(ORIGIN, from);
        }
        assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{from:?} {csrf}");
    }
    let sites = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")];
    let peeked =
        sites.iter().fold(ada.request(Method::GET, "/events?topic=talk"), |request, (name, value)| {
            request.header(*name, *value)
        });
    assert_eq!(peeked.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    let listened = ada.request(Method::GET, "/events?topic=talk").header(ORIGIN, "http://evil.example");
    assert_eq!(listened.send().await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(open.stage.history.whole().authors().await.unwrap(), [], "nothing was said");
}

#[tokio::test]
async fn every_answer_forbids_what_its_page_need_not_do() {
    let open = Open::begins().await;
    let (ada, stranger) = (open.browser().await, Browser::outside(&open.window.address()));
    let answers = [
        ada.goes_to("/talk").await,
        ada.goes_to("/xray").await,
        ada.goes_to("/xray/t999").await,
        ada.goes_to("/nowhere").await,
        ada.goes_to("/assets/app.css").await,
        ada.goes_to("/assets/nothing.css").await,
        stranger.goes_to("/talk").await,
        stranger.goes_to("/sign-in").await,
        Shown::of(ada.request(Method::DELETE, "/talk").header(ORIGIN, &ada.origin).send().await.unwrap())
            .await,
        Shown::of(ada.request(Method::GET, "/").header(HOST, "evil.example").send().await.unwrap()).await,
    ];
    for answer in answers {
        let policy = answer.header("content-security-policy");
        for rule in [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(rule), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        let is_asset = answer.header("content-type") == "text/css; charset=utf-8";
        assert_eq!(answer.header("cache-control"), if is_asset { "private, no-cache" } else { "no-store" });
        assert!(
            !answer.header("content-type").is_empty()
                && answer.header("access-control-allow-origin").is_empty()
        );
        assert!(!answer.body.contains("style=\"") && !answer.body.contains("<style"), "{}", answer.body);
    }
}

#[tokio::test]
async fn no_path_leads_out_of_what_is_compiled_in() {
    let (open, ada) = Open::with_ada().await;
    let to = address_of(&open.window);
    for path in [
        "/assets/../character.toml",
        "/assets/../../../../etc/passwd",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/%2fetc%2fpasswd",
        "/assets//etc/passwd",
        "/assets/app.css%00.txt",
        "/assets/..\\..\\windows",
        "/xray/../../etc/passwd",
        "/xray/t1%2f..",
        "//etc/passwd",
        "/%c0%ae%c0%ae/",
    ] {
        let asked = format!(
            "GET {path} HTTP/1.1\r\nHost: {to}\r\nCookie: {}\r\nConnection: close\r\n\r\n",
            ada.cookie
        );
        let answer = raw(to, asked.as_bytes()).await;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(["400", "404"].contains(&status), "{path}: {answer}");
        assert!(!answer.contains("root:"), "{path}");
    }
}

#[tokio::test]
async fn a_hundred_megabytes_are_refused_unread() {
    let (open, ada) = Open::with_ada().await;
    let to = address_of(&open.window);
    let head = |length: &str| {
        format!(
            "POST /talk HTTP/1.1\r\nHost: {to}\r\nOrigin: {}\r\nCookie: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n{length}\r\n\r\n",
            ada.origin, ada.cookie
        )
    };
    // As long as it says: nothing of it is waited for.
    let answer = raw(to, head("Connection: close\r\nContent-Length: 104857600").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // Without saying how long it is.
    let mut endless = head("Connection: close\r\nTransfer-Encoding: chunked").into_bytes();
    for _ in 0..20 {
        endless.extend_from_slice(b"8000\r\n");
        endless.extend(std::iter::repeat_n(b'a', 0x8000));
        endless.extend_from_slice(b"\r\n");
    }
    let answer = raw(to, &endless).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // Nor a head that does not end.
    let long = format!("GET /talk HTTP/1.1\r\nHost: {to}\r\nX: {}\r\n\r\n", "a".repeat(200_000));
    let answer = raw(to, long.as_bytes()).await;
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert_eq!(ada.goes_to("/talk").await.status, StatusCode::OK, "it goes on serving");
}

/// Time goes on by itself where nothing else can happen: deadlines are over at once.
#[tokio::test(start_paused = true)]
async fn a_client_that_takes_its_time_is_let_go() {
    let mut open = Open::begins().await;
    open.stage.goes_on();
    let to = address_of(&open.window);
    let head = raw(to, format!("GET /talk HTTP/1.1\r\nHost: {to}\r\nX-Slow: ").as_bytes()).await;
    assert!(head.is_empty() || head.starts_with("HTTP/1.1 408"), "{head}");
    let silent = raw(to, b"").await;
    assert!(silent.is_empty() || silent.starts_with("HTTP/1.1 408"), "{silent}");
    // A form that never comes, from somebody who needs no session for it.
    let form = format!(
        "POST /sign-in HTTP/1.1\r\nHost: {to}\r\nOrigin: http://{to}\r\nConnection: close\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\ntoken="
    );
    let answer = raw(to, form.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn of_a_thousand_who_follow_as_many_get_in_as_there_are_places() {
    let (open, ada) = Open::with_ada().await;
    let to = address_of(&open.window);
    let asked = format!("GET /events?topic=talk HTTP/1.1\r\nHost: {to}\r\nCookie: {}\r\n\r\n", ada.cookie);
    let follow = async || {
        let mut stream = TcpStream::connect(to).await.ok()?;
        stream.write_all(asked.as_bytes()).await.ok()?;
        let mut head = [0; 12];
        stream.read_exact(&mut head).await.ok()?;
        Some((String::from_utf8_lossy(&head).into_owned(), stream))
    };
    let mut all = Vec::new();
    for _ in 0..20 {
        all.extend(join_all((0..50).map(|_| follow())).await.into_iter().flatten());
    }
    let got_in = all.iter().filter(|(head, _)| head == "HTTP/1.1 200").count();
    let were_told = all.iter().filter(|(head, _)| head == "HTTP/1.1 503").count();
    assert_eq!(got_in, 24);
    // One may be the browser's own.
    let served = got_in + were_told;
    assert!((127..=128).contains(&served), "{served}: the others are closed at once");
    drop(all);
    // Places are free again once the server has noticed.
    for _ in 0..10_000 {
        if let Some((head, _stream)) = follow().await
            && head == "HTTP/1.1 200"
        {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("no place is free again");
}

#[tokio::test]
async fn others_may_reach_it_only_where_the_operator_set_a_token() {
    let dir = Stage::installed("[window]\nport = 0\naddress = \"0.0.0.0\"\n", CARD);
    let stage = Stage::of(dir, DeliveryStyle::Live).await;
    for token in [None, Some("too short")] {
        let refused = super::open(&stage, token).await.unwrap_err();
        assert!(matches!(refused, WindowError::TokenWanted), "{refused}");
    }
    let token = "a token of the operator's own";
    let window = super::open(&stage, Some(token)).await.unwrap();
    let mut browser = Browser::outside(&window.address());
    let form = browser.goes_to("/sign-in").await;
    assert!(form.body.contains("name=\"token\""), "{}", form.body);
    let entered = async |browser: &Browser, token: &str| {
        let request = browser.request(Method::POST, "/sign-in").header(ORIGIN, &browser.origin);
        Shown::of(with_form(request, &[("token", token)]).send().await.unwrap()).await
    };
    let wrong = entered(&browser, "a token of somebody else").await;
    assert_eq!(wrong.status, StatusCode::FORBIDDEN);
    assert!(wrong.body.contains("That is not the token."), "{}", wrong.body);
    for _ in 0..2 {
        let entered = entered(&browser, token).await;
        assert_eq!(entered.status, StatusCode::SEE_OTHER);
        browser.cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
        assert_eq!(browser.goes_to("/talk").await.status, StatusCode::OK);
    }
    for _ in 0..9 {
        entered(&browser, "guess").await;
    }
    assert_eq!(entered(&browser, token).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_port_that_is_taken_gives_way_to_a_free_one() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let dir = Stage::installed(&format!("[window]\nport = {port}\n"), CARD);
    let stage = Stage::of(dir, DeliveryStyle::Live).await;
    let (log, _logged) = Log::of_this_thread();
    let window = super::open(&stage, None).await.unwrap();
    let other = address_of(&window).port();
    assert_ne!(other, port);
    let told = format!("Another program has port {port}, so the window is at port {other} this time");
    assert_eq!(log.text().matches(&told).count(), 1, "{}", log.text());
    Browser::comes_in(&window.opening_address()).await;
}

#[tokio::test]
async fn a_closed_window_ends_what_follows_it_and_leaves_nothing() {
    let (open, ada) = Open::with_ada().await;
    let live = ada.follows("talk").await;
    let (to, file) = (address_of(&open.window), open.stage.config.home().window_file());
    assert!(file.exists());
    open.window.close().await;
    live.ends().await;
    assert!(!file.exists() && TcpStream::connect(to).await.is_err());
}

#[tokio::test]
async fn signing_out_ends_the_session_and_what_it_follows() {
    let open = Open::begins().await;
    let (ada, other) = (open.browser().await, open.browser().await);
    let live = ada.follows("turns").await;
    assert_eq!(ada.sends("/sign-out", &[]).await.header("location"), "/sign-in");
    live.ends().await;
    assert_eq!(ada.goes_to("/talk").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(other.goes_to("/talk").await.status, StatusCode::OK);
}

#[tokio::test]
async fn colours_are_chosen_and_lead_back_to_a_page_of_ours_only() {
    let (_open, ada) = Open::with_ada().await;
    for (back, leads) in
        [("/xray", "/xray"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\evil", "/")]
    {
        let chosen = ada.sends("/theme", &[("theme", "dark"), ("back", back)]).await;
        assert_eq!((chosen.status, chosen.header("location")), (StatusCode::SEE_OTHER, leads));
        assert!(chosen.header("set-cookie").starts_with("theme=dark;"));
    }
    assert_eq!(
        ada.sends("/theme", &[("theme", "x\"><script>"), ("back", "/")]).await.status,
        StatusCode::BAD_REQUEST
    );
    let mut dark = ada.clone();
    dark.cookie.push_str("; theme=dark");
    assert!(dark.goes_to("/talk").await.body.contains("data-theme=\"dark\""));
    dark.cookie.push_str("\"><script>");
    assert!(dark.goes_to("/talk").await.body.contains("data-theme=\"system\""));
}

#[tokio::test]
async fn what_is_compiled_in_is_sent_once() {
    let (_open, ada) = Open::with_ada().await;
    for (file, kind) in [
        ("app.css", "text/css; charset=utf-8"),
        ("app.js", "text/javascript; charset=utf-8"),
        ("icons.svg", "image/svg+xml"),
        ("literata-licence.txt", "text/plain; charset=utf-8"),
    ] {
        let way = format!("/assets/{file}");
        let first = ada.goes_to(&way).await;
        assert_eq!((first.status, first.header("content-type")), (StatusCode::OK, kind));
        assert!(file != "app.js" || first.body.len() < 60 * 1024, "the page's own script is small");
        let known = ada.request(Method::GET, &way).header("if-none-match", first.header("etag"));
        assert_eq!(known.send().await.unwrap().status(), StatusCode::NOT_MODIFIED);
    }
}

#[tokio::test]
async fn every_page_that_the_palette_leads_to_is_there() {
    let (_open, ada) = Open::with_ada().await;
    let page = ada.goes_to("/health").await.body;
    let places = page.split("data-go>").nth(1).unwrap().split("</div>").next().unwrap();
    let ways: Vec<&str> =
        places.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert!(ways.len() >= 10, "{ways:?}");
    for way in ways {
        assert_eq!(ada.goes_to(way).await.status, StatusCode::OK, "{way}");
    }
}

#[tokio::test]
async fn pages_take_their_colour_from_the_picture_and_are_plain_without_one() {
    let dir = Stage::installed(ANY_PORT, CARD);
    let avatar = dir.path().join("familiars/mika/memory/self/assets/avatar.png");
    std::fs::create_dir_all(avatar.parent().unwrap()).unwrap();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 8, 8);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[40, 80, 200].repeat(64)).unwrap();
    writer.finish().unwrap();
    std::fs::write(&avatar, bytes).unwrap();
    let open = Open::on(Stage::of(dir, DeliveryStyle::Live).await).await;
    let ada = open.browser().await;
    assert!(ada.goes_to("/talk").await.body.contains("href=\"/assets/accent.css\""));
    let css = loop {
        let css = ada.goes_to("/assets/accent.css").await;
        assert_eq!(css.header("content-type"), "text/css; charset=utf-8");
        if !css.body.is_empty() {
            break css.body;
        }
        tokio::task::yield_now().await;
    };
    assert!(css.starts_with(":root { --hue: 26"), "{css}");
    let plain = Open::begins().await;
    assert_eq!(plain.browser().await.goes_to("/assets/accent.css").await.body, "");
}
