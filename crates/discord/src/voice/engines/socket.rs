//! A websocket to a speech service, as two bounded queues.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error as WsError, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

use super::EngineError;
use super::service::Service;
use crate::net::retry_after;

/// How long a connection may take to come up, TLS and handshake included.
const DIAL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long one message may take to leave.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a service may take to answer a goodbye.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);
/// Messages larger than this are refused.
const MESSAGE_LIMIT: usize = 8 * 1024 * 1024;
/// Messages that may wait in each direction.
const QUEUE: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Out {
    Text(String),
    Binary(Vec<u8>),
}

/// A connection. Letting go of `to` says goodbye properly.
#[derive(Debug)]
pub(crate) struct Link {
    pub to: mpsc::Sender<Out>,
    /// Text messages as they come; the last item says why it ended.
    pub from: mpsc::Receiver<Result<String, EngineError>>,
}

/// Connects to a service whose address is given as `http(s)://` or `ws(s)://`. The key goes into a header: addresses end up
/// in logs.
///
/// # Errors
/// When the address or the key cannot be used, nobody is there, the handshake is refused, or it takes too long.
pub(super) async fn dial(
    service: &Service,
    base: &str,
    path: &str,
    query: &[(&str, &str)],
    headers: &[(&'static str, &str)],
) -> Result<Link, EngineError> {
    let no_address = || service.unsupported(format!("{base:?} is no address"));
    let mut url = Url::parse(&format!("{}{path}", base.trim_end_matches('/'))).map_err(|_| no_address())?;
    let scheme = if matches!(url.scheme(), "https" | "wss") { "wss" } else { "ws" };
    url.set_scheme(scheme).map_err(|()| no_address())?;
    url.query_pairs_mut().extend_pairs(query);
    let mut request =
        url.as_str().into_client_request().map_err(|_| service.unsupported("its address cannot be used"))?;
    for (name, value) in headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| EngineError::Refused {
            engine: service.engine,
            said: "the key holds characters that no key holds".to_owned(),
        })?;
        value.set_sensitive(true);
        request.headers_mut().insert(HeaderName::from_static(name), value);
    }
    let mut limits = WebSocketConfig::default();
    limits.max_message_size = Some(MESSAGE_LIMIT);
    let dialling = connect_async_with_config(request, Some(limits), true);
    let dialled = tokio::time::timeout(DIAL_TIMEOUT, dialling).await;
    let (socket, _) = dialled
        .map_err(|_| service.unreachable(&format!("no connection within {DIAL_TIMEOUT:?}")))?
        .map_err(|error| handshake(service, error))?;
    let (to, outgoing) = mpsc::channel(QUEUE);
    let (incoming, from) = mpsc::channel(QUEUE);
    // Ends by itself when either side is let go of, or the connection breaks.
    tokio::spawn(carry(socket, service.clone(), outgoing, incoming));
    Ok(Link { to, from })
}

/// The next message of a connection; waits for ever while there is none. Can be dropped and asked again.
pub(super) async fn next_message(link: &mut Option<Link>, service: &Service) -> Result<String, EngineError> {
    let Some(link) = link else { return std::future::pending().await };
    let message = link.from.recv().await;
    message.unwrap_or_else(|| Err(service.unreachable("the connection ended")))
}

fn handshake(service: &Service, error: WsError) -> EngineError {
    match error {
        WsError::Http(response) => {
            let body = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
            service.refused(
                response.status().as_u16(),
                retry_after(response.headers(), jiff::Timestamp::now()),
                &body,
            )
        }
        other => service.unreachable(&other.to_string()),
    }
}

async fn carry(
    mut socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    service: Service,
    mut outgoing: mpsc::Receiver<Out>,
    incoming: mpsc::Sender<Result<String, EngineError>>,
) {
    let ended = loop {
        tokio::select! {
            out = outgoing.recv() => {
                let message = match out {
                    Some(Out::Text(text)) => Message::text(text),
                    Some(Out::Binary(bytes)) => Message::binary(bytes),
                    None => {
                        let goodbye = socket.close(None);
                        // Whoever let go does not care whether the other side answers.
                        let _ = tokio::time::timeout(CLOSE_TIMEOUT, goodbye).await;
                        return;
                    }
                };
                match tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await {
                    Ok(Ok(())) => {}
                    // What was received last tells more than that sending failed.
                    Ok(Err(WsError::ConnectionClosed | WsError::Protocol(_))) => {}
                    Ok(Err(error)) => break service.unreachable(&error.to_string()),
                    Err(_) => break service.stalled(SEND_TIMEOUT),
                }
            }
            message = socket.next() => {
                let text = match message {
                    Some(Ok(Message::Text(text))) => text.as_str().to_owned(),
                    Some(Ok(Message::Binary(bytes))) => String::from_utf8_lossy(&bytes).into_owned(),
                    Some(Ok(Message::Close(frame))) => break close_error(&service, frame.as_ref()),
                    Some(Ok(_)) => continue,
                    Some(Err(WsError::Capacity(error))) => break service.protocol(&error.to_string()),
                    Some(Err(error)) => break service.unreachable(&error.to_string()),
                    None => break service.unreachable("the connection ended"),
                };
                if incoming.send(Ok(text)).await.is_err() {
                    // Nobody reads; whoever dialled has let go or is about to.
                    break service.unreachable("nobody listens");
                }
            }
        }
    };
    // Nobody needs to know any more if this fails.
    let _ = incoming.send(Err(ended)).await;
}

/// What a close code means (RFC 6455, 7.4). 1008 and 4000 to 4999 are final: the same again would be closed again.
fn close_error(service: &Service, frame: Option<&CloseFrame>) -> EngineError {
    let Some(frame) = frame else { return service.unreachable("the connection was closed") };
    let (code, reason) = (u16::from(frame.code), frame.reason.as_str());
    let said = if reason.is_empty() { format!("closed with code {code}") } else { reason.to_owned() };
    match (code, service.complaint(&said)) {
        (_, known @ (EngineError::OutOfQuota { .. } | EngineError::Refused { .. })) => known,
        (_, known @ EngineError::RateLimited { .. }) => known,
        (1008 | 4000..=4999, _) => service.unsupported(service.shown(&said)),
        _ => service.unreachable(&said),
    }
}
