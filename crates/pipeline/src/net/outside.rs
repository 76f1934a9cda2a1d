//! Fetching from addresses that somebody else chose: a model, or whoever writes to it.
//!
//! Whoever may name an address could name one of this machine, of its network, or of a cloud's inside, so only the open
//! internet is reached: the address is looked at, its name is looked up once, and the connection goes to what was looked at
//! and to nothing else. Every redirect is looked at the same way. Start reading at [`Outside::get`].

use std::error::Error as StdError;
use std::fmt::Debug;
use std::io::{self, Read as _};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Response, StatusCode, Url};
use tokio::time::timeout;

use super::addresses::is_public;
use super::{Bounds, ReadCut, client_builder, whole_body};

/// How often one page may send us on to another.
const MOST_REDIRECTS: usize = 5;

/// The ports of the web. What listens elsewhere is seldom meant for everybody.
const PORTS: [u16; 2] = [80, 443];

/// The longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// Longest address that is read, in bytes.
const ADDRESS_MAX: usize = 2_000;

/// Who asks, as every server is told.
pub const USER_AGENT: &str =
    concat!("familiar-connect/", env!("CARGO_PKG_VERSION"), " (a Discord companion; reads for people)");

/// Names and the addresses behind them. A trait because tests have names that lead to their own servers, or where nobody may
/// go.
#[async_trait]
pub trait HostNames: Send + Sync + Debug {
    /// Where a name is. A port other than 0 is the one to connect to where the address names none.
    ///
    /// # Errors
    /// When nobody knows the name.
    async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>>;
}

/// Names as this machine looks them up.
#[derive(Debug)]
struct SystemNames;

#[async_trait]
impl HostNames for SystemNames {
    async fn look_up(&self, name: &str) -> io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.collect())
    }
}

/// What is wanted of an address.
#[derive(Debug, Clone, Copy)]
pub struct FetchRequest {
    /// So much is read, from the first look-up to the last byte.
    pub bounds: Bounds,
    /// The kinds that are asked for, as an `Accept` header.
    pub accept: &'static str,
    /// Whether a kind of content is read, by its name without parameters in small letters; empty where none was said.
    pub takes: fn(&str) -> bool,
}

/// What was found at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedPage {
    /// Where it was found in the end.
    pub address: Url,
    /// What it is, as its server says: `text/html; charset=utf-8`. Empty where it says nothing.
    pub content_type: String,
    /// Unpacked.
    pub body: Vec<u8>,
    /// There was more of it.
    pub is_cut: bool,
}

/// Why nothing was brought.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    /// It is no address, or none that may be asked.
    #[error("{0}")]
    Refused(&'static str),
    #[error("it sends on to other addresses without end")]
    Circle,
    #[error("its server answers {}", status_and_reason(*.0))]
    Status(StatusCode),
    #[error("it is {0}, which is not read")]
    Kind(String),
    #[error("it did not come within {} s", .0.as_secs_f64())]
    TooLong(Duration),
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
}

fn status_and_reason(status: StatusCode) -> String {
    let name = status.canonical_reason().map(|name| format!(" ({name})"));
    format!("{}{}", status.as_u16(), name.unwrap_or_default())
}

const NO_ADDRESS: &str = "this is no address: give a whole one, with http:// or https://";
const NO_SCHEME: &str = "only http:// and https:// addresses are read";
const HAS_LOGIN: &str = "an address with a user name or password in it is not read";
const OTHER_PORT: &str = "only the usual ports of the web are read, 80 and 443";
const NOT_PUBLIC: &str = "this address is not on the open internet, and only that is read";

/// A way out to the open internet and to nowhere else. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outside {
    client: Client,
    reach: InnerAddresses,
}

/// What is reached beside the open internet.
#[derive(Debug, Clone)]
struct InnerAddresses(Arc<[IpAddr]>);

impl InnerAddresses {
    fn holds(&self, address: IpAddr) -> bool {
        is_public(address) || self.0.contains(&address)
    }
}

/// Looks names up and gives out nothing that may not be reached.
#[derive(Debug)]
struct Lookup {
    names: Arc<dyn HostNames>,
    reach: InnerAddresses,
}

/// A name leads to somewhere that may not be reached.
#[derive(Debug, thiserror::Error)]
#[error("{NOT_PUBLIC}")]
struct LeadsInside;

impl Resolve for Lookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, reach) = (Arc::clone(&self.names), self.reach.clone());
        Box::pin(async move {
            let found = names.look_up(name.as_str()).await?;
            // A name that leads both ways is no accident.
            if !found.iter().all(|address| reach.holds(address.ip())) {
                return Err(LeadsInside.into());
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

impl Outside {
    /// By the names that this machine knows.
    pub fn new() -> Result<Self, reqwest::Error> {
        Self::through(Arc::new(SystemNames), [])
    }

    /// By other names, and to these addresses as well, whatever they are.
    pub fn through(
        names: Arc<dyn HostNames>,
        also: impl IntoIterator<Item = IpAddr>,
    ) -> Result<Self, reqwest::Error> {
        let reach = InnerAddresses(also.into_iter().collect());
        let client = client_builder(CONNECT)
            .user_agent(USER_AGENT)
            .referer(false)
            // A proxy would look names up by itself, and where it sits is where an inside can be reached.
            .no_proxy()
            .pool_max_idle_per_host(0)
            .dns_resolver(Lookup { names, reach: reach.clone() })
            .build()?;
        Ok(Self { client, reach })
    }

    /// Fetches what is at an address.
    ///
    /// # Errors
    /// See [`OutsideError`].
    pub async fn get(&self, address: &str, wanted: FetchRequest) -> Result<FetchedPage, OutsideError> {
        let all = timeout(wanted.bounds.time, self.follow(address, wanted)).await;
        all.unwrap_or(Err(OutsideError::TooLong(wanted.bounds.time)))
    }

    async fn follow(&self, address: &str, wanted: FetchRequest) -> Result<FetchedPage, OutsideError> {
        let mut address = self.checked(address)?;
        for _ in 0..=MOST_REDIRECTS {
            let request = self.client.get(address.clone());
            let request = request.header(ACCEPT, wanted.accept).header(ACCEPT_ENCODING, "gzip");
            let response = request.send().await.map_err(|error| innermost_cause(&error))?;
            match next_address(&address, &response) {
                Some(next) => address = self.checked(&next?)?,
                None => return read_response(address, response, wanted).await,
            }
        }
        Err(OutsideError::Circle)
    }

    /// An address that may be asked, as far as that can be told before its name is looked up.
    ///
    /// # Errors
    /// [`OutsideError::Refused`] where it may not.
    pub fn checked(&self, address: &str) -> Result<Url, OutsideError> {
        if address.len() > ADDRESS_MAX {
            return Err(OutsideError::Refused(NO_ADDRESS));
        }
        let url = Url::parse(address.trim()).map_err(|_| OutsideError::Refused(NO_ADDRESS))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(OutsideError::Refused(NO_SCHEME));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(OutsideError::Refused(HAS_LOGIN));
        }
        if !url.port_or_known_default().is_some_and(|port| PORTS.contains(&port)) {
            return Err(OutsideError::Refused(OTHER_PORT));
        }
        // Numbers in whatever notation are plain addresses by now: the parser reads them as browsers do.
        let host = url.host_str().ok_or(OutsideError::Refused(NO_ADDRESS))?;
        let may_be_asked = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(number) => self.reach.holds(number),
            Err(_) => is_name_of_the_internet(host),
        };
        if may_be_asked { Ok(url) } else { Err(OutsideError::Refused(NOT_PUBLIC)) }
    }
}

/// Whether a name may be one that everybody knows: those of one word, and these endings, are a machine's or a network's
/// own (RFC 6761, RFC 6762, RFC 9476, RFC 8375).
fn is_name_of_the_internet(name: &str) -> bool {
    const OWN: [&str; 8] =
        [".localhost", ".local", ".internal", ".localdomain", ".home.arpa", ".lan", ".intranet", ".onion"];
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name.contains('.') && !OWN.iter().any(|ending| name.ends_with(ending))
}

/// Where a page sends us on to.
fn next_address(from: &Url, response: &Response) -> Option<Result<String, OutsideError>> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let to = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    let joined = to.to_str().ok().and_then(|to| from.join(to).ok());
    Some(joined.map(String::from).ok_or(OutsideError::Refused("it sends on to what is no address")))
}

async fn read_response(
    address: Url,
    response: Response,
    wanted: FetchRequest,
) -> Result<FetchedPage, OutsideError> {
    if !response.status().is_success() {
        return Err(OutsideError::Status(response.status()));
    }
    let said = |name| {
        let value = response.headers().get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().trim().to_owned()
    };
    let (content_type, packing) = (said(CONTENT_TYPE), said(CONTENT_ENCODING).to_lowercase());
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    if !(wanted.takes)(&kind) {
        return Err(OutsideError::Kind(if kind.is_empty() { "of no named kind".to_owned() } else { kind }));
    }
    if !matches!(packing.as_str(), "" | "identity" | "gzip" | "x-gzip") {
        return Err(OutsideError::Kind(format!("packed as {packing}")));
    }
    let (body, end) = whole_body(response.bytes_stream(), wanted.bounds).await;
    let is_cut = match end {
        Ok(()) => false,
        Err(ReadCut::TooMuch(_)) => true,
        Err(ReadCut::TooLong(time)) => return Err(OutsideError::TooLong(time)),
        Err(ReadCut::Broken(error)) => return Err(innermost_cause(&error)),
    };
    let is_packed = packing.ends_with("gzip");
    let (body, is_cut) =
        if is_packed { unpacked(&body, wanted.bounds.bytes, is_cut)? } else { (body, is_cut) };
    Ok(FetchedPage { address, content_type, body, is_cut })
}

/// What was packed, up to so many bytes; and whether there was more.
fn unpacked(packed: &[u8], most: u64, is_cut: bool) -> Result<(Vec<u8>, bool), OutsideError> {
    let mut body = Vec::new();
    let reader = flate2::read::MultiGzDecoder::new(packed);
    let end = reader.take(most + 1).read_to_end(&mut body);
    match end {
        Ok(read) if read as u64 > most => {
            body.pop();
            Ok((body, true))
        }
        Ok(_) => Ok((body, is_cut)),
        // What was cut cannot be unpacked to its end.
        Err(_) if is_cut && !body.is_empty() => Ok((body, true)),
        Err(error) => Err(OutsideError::Unreachable(format!("it is packed wrongly ({error})"))),
    }
}

/// The innermost cause says what happened; the outer ones repeat the address.
fn innermost_cause(error: &reqwest::Error) -> OutsideError {
    let mut cause: &dyn StdError = error;
    loop {
        if cause.is::<LeadsInside>() {
            return OutsideError::Refused(NOT_PUBLIC);
        }
        match cause.source() {
            Some(inner) => cause = inner,
            None => return OutsideError::Unreachable(cause.to_string()),
        }
    }
}

#[cfg(test)]
mod tests;
