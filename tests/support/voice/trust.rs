//! The certificate that fake voice servers and a fake Discord show, and how a bot comes to trust it.
//!
//! The voice library connects over TLS only and offers no setting for what it trusts, but it reads the machine's
//! certificates, and `SSL_CERT_FILE` says where those are. All tests of one process share one authority.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

struct Authority {
    file: PathBuf,
    acceptor: TlsAcceptor,
}

/// Takes connections as `localhost`. From the first call on, this process trusts them.
pub fn acceptor() -> TlsAcceptor {
    authority().acceptor.clone()
}

/// The authority's certificate, for `SSL_CERT_FILE` of a program that is started.
pub fn certificate_file() -> &'static Path {
    &authority().file
}

fn authority() -> &'static Authority {
    static AUTHORITY: OnceLock<Authority> = OnceLock::new();
    AUTHORITY.get_or_init(|| {
        rustls::crypto::ring::default_provider().install_default().ok();
        let key = KeyPair::generate().unwrap();
        let mut own = CertificateParams::new(Vec::new()).unwrap();
        own.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = own.self_signed(&key).unwrap();
        let issuer = Issuer::new(own, key);
        let leaf_key = KeyPair::generate().unwrap();
        let names = ["localhost", "127.0.0.1", "discord.com"].map(str::to_owned).to_vec();
        let leaf = CertificateParams::new(names).unwrap().signed_by(&leaf_key, &issuer).unwrap();
        let config = rustls::ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(
                vec![leaf.der().clone()],
                PrivateKeyDer::try_from(leaf_key.serialize_der()).unwrap(),
            )
            .unwrap();
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("voice-{}.pem", std::process::id()));
        std::fs::write(&file, certificate.pem()).unwrap();
        // Setting a variable is not allowed here; reading a settings file is, and comes to the same.
        let line = format!("SSL_CERT_FILE=\"{}\"\n", file.display());
        dotenvy::from_read_override(line.as_bytes()).unwrap();
        Authority { file, acceptor: TlsAcceptor::from(Arc::new(config)) }
    })
}
