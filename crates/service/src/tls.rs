//! TLS, where a certificate is given.

#[cfg(feature = "tls")]
mod with {
    use std::path::Path;
    use std::sync::Arc;

    use tokio::net::TcpStream;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::crypto::ring::default_provider;
    use tokio_rustls::rustls::pki_types::pem::PemObject;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio_rustls::server::TlsStream;

    /// A certificate and its key.
    #[derive(Clone)]
    pub struct Tls(tokio_rustls::TlsAcceptor);

    impl Tls {
        /// Reads a chain of certificates and a private key.
        ///
        /// # Errors
        /// A file cannot be read, or they do not fit each other.
        pub fn read(chain: &Path, key: &Path) -> Result<Self, String> {
            let certificates = CertificateDer::pem_file_iter(chain)
                .and_then(Iterator::collect::<Result<Vec<_>, _>>)
                .map_err(|error| format!("{}: {error}", chain.display()))?;
            let secret = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| format!("{}: {error}", key.display()))?;
            let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
                .with_safe_default_protocol_versions()
                .and_then(|config| {
                    config.with_no_client_auth().with_single_cert(certificates, secret)
                })
                .map_err(|error| format!("{} and {}: {error}", chain.display(), key.display()))?;
            Ok(Self(Arc::new(config).into()))
        }

        /// Greets a client; `None` where it does not speak TLS.
        pub async fn accept(&self, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
            self.0.accept(stream).await.ok()
        }
    }
}

#[cfg(not(feature = "tls"))]
mod with {
    use std::path::Path;

    use tokio::net::TcpStream;

    /// A certificate and its key, which this build cannot use.
    #[derive(Clone)]
    pub enum Tls {}

    impl Tls {
        /// Refuses.
        ///
        /// # Errors
        /// Always.
        pub fn read(_: &Path, _: &Path) -> Result<Self, String> {
            Err("this program was built without TLS".into())
        }

        /// There is no such value.
        pub async fn accept(&self, _: TcpStream) -> Option<TcpStream> {
            match *self {}
        }
    }
}

pub use with::Tls;
