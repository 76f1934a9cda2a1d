//! The voice gateway: a websocket over TLS in the dialect that the voice library speaks (version 4: heartbeats are bare
//! numbers, frames of bytes have no sequence number), and the UDP port of each connection.

use std::net::SocketAddr;
use std::sync::Arc;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UdpSocket};
use tokio::sync::mpsc;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Message};
use tokio_util::task::AbortOnDropHandle;

use super::room::{Link, Out, Room};
use super::transport::Transport;
use super::{BOT_SSRC, Health, VoiceServer, trust};

/// Discord's close code for a wrong token.
const AUTHENTICATION_FAILED: u16 = 4004;

/// Discord's close code for a session that is over.
const SESSION_INVALID: u16 = 4006;

/// The bot tells that it lives this often, in milliseconds.
const HEARTBEAT_MS: f64 = 5_000.0;

/// The size of an IP discovery packet, both ways.
const DISCOVERY: usize = 74;

pub(super) async fn take_connections(server: VoiceServer, listener: TcpListener) {
    let acceptor = trust::acceptor();
    while let Ok((stream, _)) = listener.accept().await {
        match server.health() {
            Health::Well => {}
            Health::Refusing => continue,
            Health::Mute => {
                server.keep(stream);
                continue;
            }
        }
        let (server, acceptor) = (server.clone(), acceptor.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else {
                server.change(|state| state.strangers += 1);
                return;
            };
            if let Ok(socket) = tokio_tungstenite::accept_async(stream).await {
                Connection::open(server, socket).await;
            }
        });
    }
}

struct Connection {
    server: VoiceServer,
    number: u64,
    channel: Option<u64>,
    udp: Arc<UdpSocket>,
    transport: Transport,
    tell: mpsc::UnboundedSender<Out>,
    _listening: Option<AbortOnDropHandle<()>>,
}

impl Connection {
    async fn open<S>(server: VoiceServer, mut socket: WebSocketStream<S>)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let (tell, mut told) = mpsc::unbounded_channel();
        let (number, transport) = server.change(|state| {
            state.connections += 1;
            (state.connections, Transport { mode: state.options.mode, key: rand::random() })
        });
        let udp = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
        let mut connection = Self { server, number, channel: None, udp, transport, tell, _listening: None };
        connection.say(json!({"op": 8, "d": {"v": 4, "heartbeat_interval": HEARTBEAT_MS}}));
        loop {
            let incoming = tokio::select! {
                out = told.recv() => {
                    let Some(out) = out else { break };
                    let closes = matches!(out, Out::Close(_));
                    if socket.send(message(out)).await.is_err() || closes {
                        break;
                    }
                    continue;
                }
                incoming = socket.next() => incoming,
            };
            match incoming {
                Some(Ok(Message::Text(text))) => connection.hears(&serde_json::from_str(&text).unwrap()),
                Some(Ok(Message::Binary(bytes))) => connection.hears_bytes(&bytes),
                Some(Ok(Message::Pong(number))) => connection.pong(&number),
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {}
            }
        }
        connection.in_room(|room, number| room.unlink(number));
    }

    fn say(&self, value: Value) {
        self.tell.send(Out::Json(value)).ok();
    }

    fn in_room<T>(&self, then: impl FnOnce(&mut Room, u64) -> T) -> Option<T> {
        let channel = self.channel?;
        self.server.change(|state| state.rooms.get_mut(&channel).map(|room| then(room, self.number)))
    }

    fn hears(&mut self, frame: &Value) {
        let data = &frame["d"];
        match frame["op"].as_u64() {
            Some(0) => self.identify(data),
            Some(1) => self.select(data),
            Some(3) => self.say(json!({"op": 6, "d": data})),
            // It keeps no sessions: who resumes has to identify anew.
            Some(7) => {
                self.tell.send(Out::Close(SESSION_INVALID)).ok();
            }
            Some(23) => {
                let transition = data["transition_id"].as_u64().unwrap();
                self.in_room(|room, _| {
                    let out = room.delivery.as_mut().map(|group| group.bot_is_ready(transition));
                    room.pass_on(out.unwrap_or_default());
                    room.listen();
                });
            }
            Some(31) => {
                self.in_room(|room, _| room.delivery.as_mut().map(|group| group.refusals += 1));
            }
            _ => {}
        }
    }

    fn identify(&mut self, data: &Value) {
        let token = data["token"].as_str().unwrap_or_default();
        let channel = self.server.look(|state| state.tickets.get(token).copied());
        let Some(channel) = channel else {
            self.tell.send(Out::Close(AUTHENTICATION_FAILED)).ok();
            return;
        };
        self.channel = Some(channel);
        let link = Link::new(self.number, self.tell.clone(), Arc::clone(&self.udp), self.transport);
        self.in_room(|room, _| {
            if let Some(old) = room.link.as_ref().map(|link| link.number) {
                room.unlink(old);
            }
            room.link = Some(link);
            room.connections += 1;
        });
        self._listening = Some(AbortOnDropHandle::new(tokio::spawn(listen(
            self.server.clone(),
            channel,
            self.number,
            Arc::clone(&self.udp),
        ))));
        let port = self.udp.local_addr().unwrap().port();
        let mode = self.transport.mode.name();
        self.say(json!({"op": 2, "d": {"ssrc": BOT_SSRC, "ip": "127.0.0.1", "port": port, "modes": [mode]}}));
    }

    fn select(&self, data: &Value) {
        let (mode, key) = (self.transport.mode.name(), self.transport.key.to_vec());
        assert_eq!(data["data"]["mode"], mode, "the only mode that was offered");
        self.in_room(|room, _| {
            let version = u8::from(room.delivery.is_some());
            self.say(
                json!({"op": 4, "d": {"mode": mode, "secret_key": key, "dave_protocol_version": version}}),
            );
            let users: Vec<String> = room.people.keys().map(u64::to_string).collect();
            if !users.is_empty() {
                self.say(json!({"op": 11, "d": {"user_ids": users}}));
            }
            if let Some(link) = &mut room.link {
                link.is_open = true;
            }
            let greeting = room.delivery.as_ref().map(super::dave::Delivery::greeting);
            room.pass_on(greeting.into_iter().collect());
        });
    }

    fn hears_bytes(&self, bytes: &[u8]) {
        self.in_room(|room, _| {
            let Some(group) = &mut room.delivery else { return };
            let out = match bytes[0] {
                26 => group.bot_sends_key_package(&bytes[1..]),
                28 => group.bot_commits(&bytes[1..]),
                _ => Vec::new(),
            };
            room.pass_on(out);
        });
    }

    fn pong(&self, number: &[u8]) {
        let Ok(number) = number.try_into() else { return };
        let answered = u64::from_be_bytes(number);
        self.in_room(|room, _| {
            if let Some(link) = &mut room.link {
                link.pongs = link.pongs.max(answered);
            }
        });
    }
}

fn message(out: Out) -> Message {
    match out {
        Out::Json(value) => Message::text(value.to_string()),
        Out::Bytes(bytes) => Message::binary(bytes),
        Out::Ping(number) => Message::Ping(Bytes::copy_from_slice(&number.to_be_bytes())),
        Out::Close(code) => Message::Close(Some(CloseFrame { code: code.into(), reason: "".into() })),
    }
}

/// Takes what the bot sends over UDP.
async fn listen(server: VoiceServer, channel: u64, number: u64, udp: Arc<UdpSocket>) {
    let mut buffer = [0_u8; 2048];
    while let Ok((length, from)) = udp.recv_from(&mut buffer).await {
        let packet = &buffer[..length];
        if length == DISCOVERY && packet[..2] == [0, 1] {
            server.change(|state| {
                let link = state.rooms.get_mut(&channel).and_then(|room| room.link.as_mut());
                if let Some(link) = link.filter(|link| link.number == number) {
                    link.peer = Some(from);
                }
            });
            udp.send_to(&discovered(packet, from), from).await.ok();
            continue;
        }
        // Keepalives are eight bytes.
        if length > 12 {
            server.change(|state| {
                if let Some(room) = state.rooms.get_mut(&channel) {
                    room.hears(number, packet);
                }
            });
        }
    }
}

/// The address that a client is seen under.
fn discovered(request: &[u8], from: SocketAddr) -> [u8; DISCOVERY] {
    let mut answer = [0; DISCOVERY];
    answer[1] = 2;
    answer[3] = 70;
    answer[4..8].copy_from_slice(&request[4..8]);
    let address = from.ip().to_string();
    answer[8..8 + address.len()].copy_from_slice(address.as_bytes());
    answer[72..].copy_from_slice(&from.port().to_be_bytes());
    answer
}
