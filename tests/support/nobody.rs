//! An address where nobody is.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port of this machine that refuses every connection for as long as this lives: it is taken, so that nobody else's
/// server gets it, and nobody listens on it.
#[derive(Debug)]
pub struct Nobody {
    address: SocketAddr,
    _taken: TcpSocket,
}

impl Nobody {
    pub fn there() -> Self {
        let taken = TcpSocket::new_v4().unwrap();
        taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self { address: taken.local_addr().unwrap(), _taken: taken }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}
