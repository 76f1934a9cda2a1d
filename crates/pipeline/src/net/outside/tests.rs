use std::io::Write as _;
use std::net::Ipv4Addr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::net::install_tls;

/// A web of one server, as unfriendly as real ones, under the names that lead to it.
struct FakeWeb {
    outside: Outside,
    _server: tokio_util::task::AbortOnDropHandle<()>,
}

/// `page.test` is the server; the others lead where nobody should go.
#[derive(Debug)]
struct FakeNames(SocketAddr);

#[async_trait]
impl HostNames for FakeNames {
    async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        let inside = SocketAddr::from(([10, 0, 0, 1], 80));
        match name {
            "page.test" => Ok(vec![self.0]),
            "inside.test" => Ok(vec![inside]),
            "both.test" => Ok(vec![self.0, inside]),
            "metadata.test" => Ok(vec![SocketAddr::from(([169, 254, 169, 254], 80))]),
            "mapped.test" => Ok(vec!["[::ffff:192.168.0.1]:80".parse().unwrap()]),
            _ => Err(io::Error::new(io::ErrorKind::NotFound, "nobody knows this name")),
        }
    }
}

impl FakeWeb {
    async fn start() -> Self {
        install_tls();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let at = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream));
            }
        });
        let outside = Outside::through(Arc::new(FakeNames(at)), [Ipv4Addr::LOCALHOST.into()]).unwrap();
        Self { outside, _server: tokio_util::task::AbortOnDropHandle::new(server) }
    }

    async fn get(&self, path: &str) -> Result<FetchedPage, OutsideError> {
        self.outside.get(&format!("http://page.test{path}"), WANTED).await
    }
}

const WANTED: FetchRequest = FetchRequest {
    bounds: Bounds { bytes: 64 * 1024, time: Duration::from_secs(20) },
    accept: "text/html",
    takes: |kind| kind.is_empty() || kind.starts_with("text/"),
};

async fn serve(mut stream: TcpStream) {
    let mut asked = Vec::new();
    while !asked.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => asked.push(byte),
            Err(_) => return,
        }
    }
    let asked = String::from_utf8(asked).unwrap();
    let path = asked.split(' ').nth(1).unwrap().to_owned();
    let head = |fields: &str| format!("HTTP/1.1 200 OK\r\n{fields}connection: close\r\n\r\n").into_bytes();
    let html = "content-type: text/html; charset=utf-8\r\n";
    let answer = match path.as_str() {
        "/page" => [head(html), b"<p>Hello".to_vec()].concat(),
        "/asked" => [head(html), asked.into_bytes()].concat(),
        "/bare" => [head(""), b"words".to_vec()].concat(),
        "/image" => [head("content-type: image/png\r\n"), b"\x89PNG".to_vec()].concat(),
        "/brotli" => [head(&format!("{html}content-encoding: br\r\n")), b"x".to_vec()].concat(),
        "/packed" => [head(&format!("{html}content-encoding: gzip\r\n")), packed(b"small")].concat(),
        "/bomb" => {
            [head(&format!("{html}content-encoding: gzip\r\n")), packed(&vec![b'a'; 30_000_000])].concat()
        }
        "/not-packed" => [head(&format!("{html}content-encoding: gzip\r\n")), b"plain".to_vec()].concat(),
        "/torn" => [head(&format!("{html}content-length: 100\r\n")), b"ten bytes.".to_vec()].concat(),
        "/gone" => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_vec(),
        "/noise" => b"\x00\x01\x02 what is this\r\n\r\n".to_vec(),
        "/hang" => std::future::pending().await,
        "/flood" => {
            let _ = stream.write_all(&head(html)).await;
            while stream.write_all(&[b'a'; 4096]).await.is_ok() {}
            return;
        }
        "/drip" => {
            let _ = stream.write_all(&head(html)).await;
            while stream.write_all(b"a").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            return;
        }
        "/circle" => sends_on("/circle"),
        "/home" => sends_on("page"),
        path => match path.strip_prefix("/steps/").and_then(|steps| steps.parse::<u32>().ok()) {
            Some(0) => sends_on("/page"),
            Some(steps) => sends_on(&format!("/steps/{}", steps - 1)),
            None => sends_on(path.strip_prefix("/to/").unwrap()),
        },
    };
    let _ = stream.write_all(&answer).await;
}

fn sends_on(to: &str) -> Vec<u8> {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .into_bytes()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn a_page_is_fetched_whole_and_the_asker_says_who_it_is() {
    let web = FakeWeb::start().await;
    let page = web.get("/page#part").await.unwrap();
    assert_eq!((page.body.as_slice(), page.is_cut), (&b"<p>Hello"[..], false));
    assert_eq!(page.content_type, "text/html; charset=utf-8");
    assert_eq!(web.get("/home").await.unwrap().address.as_str(), "http://page.test/page");
    assert_eq!(web.get("/packed").await.unwrap().body, b"small");
    assert_eq!(web.get("/bare").await.unwrap().content_type, "");
    let asked = String::from_utf8(web.get("/asked").await.unwrap().body).unwrap().to_lowercase();
    assert!(asked.contains("user-agent: familiar-connect/") && !asked.contains("cookie"), "{asked}");
}

/// Addresses of what is not the open internet, however they are written.
const INSIDE: [&str; 28] = [
    "http://127.0.0.2/",
    "http://2130706434/",
    "http://0x7f000002/",
    "http://0177.0.0.2/",
    "http://127.2/",
    "http://127.0.0.2./",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.0.1/",
    "http://100.64.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://0.0.0.0/",
    "http://224.0.0.1/",
    "http://192.0.2.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[2002:a00:1::]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://printer/",
    "http://router.local/",
    "http://inside.test/",
    "http://metadata.test/",
    "http://mapped.test/",
];

/// Addresses of what may not be asked for another reason.
const UNASKED: [&str; 9] = [
    "file:///etc/passwd",
    "ftp://page.test/",
    "gopher://page.test/",
    "http://page.test:22/",
    "https://page.test:8443/",
    "http://me:secret@page.test/",
    "http://me@page.test/",
    "http://",
    "http://both.test/page",
];

#[tokio::test]
async fn nothing_but_the_open_internet_is_asked_however_its_address_is_written() {
    let web = FakeWeb::start().await;
    for address in INSIDE.into_iter().chain(UNASKED) {
        let direct = web.outside.get(address, WANTED).await;
        assert!(matches!(direct, Err(OutsideError::Refused(_))), "{address}: {direct:?}");
        if address == "http://" {
            continue;
        }
        let sent_on = web.get(&format!("/to/{address}")).await;
        assert!(matches!(sent_on, Err(OutsideError::Refused(_))), "to {address}: {sent_on:?}");
    }
    let elsewhere = web.get("/to///10.0.0.1/").await;
    assert!(matches!(elsewhere, Err(OutsideError::Refused(_))), "{elsewhere:?}");
    for no_address in ["", "page.test", "no address", "javascript:alert(1)", &"http://a.test/".repeat(200)] {
        let refused = web.outside.get(no_address, WANTED).await;
        assert!(matches!(refused, Err(OutsideError::Refused(_))), "{no_address}");
    }
}

#[tokio::test]
async fn what_sends_on_is_followed_five_times_and_no_more() {
    let web = FakeWeb::start().await;
    assert_eq!(web.get("/steps/4").await.unwrap().body, b"<p>Hello");
    for path in ["/steps/5", "/circle"] {
        let circle = web.get(path).await;
        assert!(matches!(circle, Err(OutsideError::Circle)), "{path}: {circle:?}");
    }
}

#[tokio::test]
async fn floods_and_bombs_end_at_the_bound_of_bytes() {
    let web = FakeWeb::start().await;
    for path in ["/flood", "/bomb"] {
        let page = web.get(path).await.unwrap();
        assert!(page.is_cut && !page.body.is_empty(), "{path}");
        assert!(page.body.len() as u64 <= WANTED.bounds.bytes, "{path}: {}", page.body.len());
    }
}

#[tokio::test]
async fn who_hangs_or_drips_is_left_at_the_bound_of_time() {
    let web = FakeWeb::start().await;
    let short =
        FetchRequest { bounds: Bounds { time: Duration::from_millis(300), ..WANTED.bounds }, ..WANTED };
    for path in ["/hang", "/drip"] {
        let late = web.outside.get(&format!("http://page.test{path}"), short).await;
        assert!(matches!(late, Err(OutsideError::TooLong(_))), "{path}: {late:?}");
    }
}

#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let web = FakeWeb::start().await;
    for (path, why) in [
        ("/image", "it is image/png, which is not read"),
        ("/brotli", "it is packed as br, which is not read"),
        ("/gone", "its server answers 404 (Not Found)"),
    ] {
        assert_eq!(web.get(path).await.unwrap_err().to_string(), why);
    }
    for path in ["/torn", "/noise", "/not-packed"] {
        let broken = web.get(path).await;
        assert!(matches!(broken, Err(OutsideError::Unreachable(_))), "{path}: {broken:?}");
    }
    let unknown = web.outside.get("http://nobody.test/", WANTED).await.unwrap_err().to_string();
    assert!(unknown.contains("nobody knows this name"), "{unknown}");
}
