//! Over TLS, where a certificate is given.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use lookalike::{Artifacts, Config, Index, IndexOptions};
use lookalike_service::Limits;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::Service;

fn own(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

#[test]
fn with_a_certificate_it_speaks_tls_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let config = Config::from_table(toml::Table::new()).unwrap();
    Index::create(&path, &config, Artifacts::default(), IndexOptions::default()).unwrap();
    let service = Service::over(folder, &path, Limits::default(), |settings| {
        settings.tls = Some((own("certificate.pem"), own("key.pem")));
    });
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(own("certificate.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = "localhost".try_into().unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let stream = TcpStream::connect(service.address()).unwrap();
    let mut stream = StreamOwned::new(connection, stream);
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    // The connection may be closed without TLS's own farewell.
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"ok\""), "{answer}");

    let mut plain = TcpStream::connect(service.address()).unwrap();
    plain.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP"));
}
