//! The world at Discord's own address: what is sent to `https://discord.com` through this proxy arrives here.
//!
//! A bot that is given no other address is the one people run, with serenity's own rate limiter.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use super::DiscordWorld;
use crate::support::voice::trust;

/// Longest request for a way through, in bytes.
const REQUEST_MAX: usize = 8 * 1024;

impl DiscordWorld {
    /// Opens the way: what `HTTPS_PROXY` is to be. The bot has to trust [`trust::certificate_file`].
    pub async fn opens_front_door(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let world = self.shared.address;
        tokio::spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                tokio::spawn(async move {
                    // Whoever hangs up has what they wanted.
                    let _over = let_through(caller, world).await;
                });
            }
        });
        proxy
    }
}

async fn let_through(mut caller: TcpStream, world: std::net::SocketAddr) -> std::io::Result<()> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") && request.len() < REQUEST_MAX {
        request.push(caller.read_u8().await?);
    }
    if !request.starts_with(b"CONNECT discord.com:443 ") {
        return caller.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").await;
    }
    caller.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    let mut caller = trust::acceptor().accept(caller).await?;
    let mut world = TcpStream::connect(world).await?;
    copy_bidirectional(&mut caller, &mut world).await.map(drop)
}
