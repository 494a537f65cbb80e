//! A small blocking client, and services to talk to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use lookalike::{Artifacts, Config, Index, IndexOptions};
use lookalike_service::{Limits, Running, Settings, start};
use serde_json::Value;
use tempfile::TempDir;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// The rows of NDJSON.
    pub fn rows(&self) -> Vec<Value> {
        let lines = self.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    /// A problem document of this status, its field and its sentence.
    #[track_caller]
    pub fn problem(&self, status: u16) -> (String, String) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        assert!(!text("detail").is_empty() && !text("title").is_empty());
        (text("field"), text("detail"))
    }
}

/// A connection.
pub struct Client {
    stream: BufReader<TcpStream>,
    pub token: Option<String>,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        Self { stream: BufReader::new(stream), token: None }
    }

    /// The bytes of a request.
    pub fn request_bytes(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
        let address = self.stream.get_ref().peer_addr().unwrap();
        let mut request = vec![format!("{method} {path} HTTP/1.1"), format!("Host: {address}")];
        if !kind.is_empty() {
            request.push(format!("Content-Type: {kind}"));
            request.push(format!("Content-Length: {}", body.len()));
        }
        request.extend(self.token.as_ref().map(|token| format!("Authorization: Bearer {token}")));
        let request = request.join("\r\n") + "\r\n\r\n";
        let mut bytes = request.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    pub fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    pub fn get(&mut self, path: &str) -> Answer {
        self.call("GET", path, "", b"")
    }

    pub fn delete(&mut self, path: &str) -> Answer {
        self.call("DELETE", path, "", b"")
    }

    pub fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.call("POST", path, "application/json", body.to_string().as_bytes())
    }

    pub fn lines(&mut self, path: &str, lines: &str) -> Answer {
        self.call("POST", path, "application/x-ndjson", lines.as_bytes())
    }

    pub fn call(&mut self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let bytes = self.request_bytes(method, path, kind, body);
        // A refused request may be answered before it is sent to its end.
        let _ = self.send(&bytes);
        self.answer().unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// All rows of a list, page by page.
    pub fn all(&mut self, path: &str, list: &str, limit: usize) -> Vec<Value> {
        let mut rows = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.get(&format!("{path}limit={limit}{cursor}")).json();
            let of_page = page[list].as_array().unwrap();
            assert!(of_page.len() <= limit);
            rows.extend_from_slice(of_page);
            match page["next"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return rows,
            }
        }
    }

    /// Reads an answer.
    pub fn answer(&mut self) -> std::io::Result<Answer> {
        let wrong = || std::io::Error::other("no answer");
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or_else(wrong)?;
        let mut headers = Vec::new();
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let mut answer = Answer { status, headers, body: Vec::new() };
        if answer.header("transfer-encoding") == "chunked" {
            loop {
                line.clear();
                self.stream.read_line(&mut line)?;
                let length = usize::from_str_radix(line.trim(), 16).map_err(|_| wrong())?;
                let mut chunk = vec![0; length + 2];
                self.stream.read_exact(&mut chunk)?;
                if length == 0 {
                    break;
                }
                answer.body.extend_from_slice(&chunk[..length]);
            }
        } else {
            let length = answer.header("content-length").parse().unwrap_or(0);
            answer.body = vec![0; length];
            self.stream.read_exact(&mut answer.body)?;
        }
        Ok(answer)
    }
}

/// A service over an index of its own.
pub struct Service {
    _folder: TempDir,
    running: Option<Running>,
    settings: Settings,
}

impl Service {
    /// The folder with the index and whatever else belongs to it.
    pub fn folder(&self) -> &Path {
        self.settings.index.parent().unwrap()
    }

    /// A service with these limits over a new index.
    pub fn new(config: &str, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = Config::from_table(config.parse().unwrap()).unwrap();
        let path = folder.path().join("index");
        Index::create(&path, &config, Artifacts::default(), IndexOptions::default()).unwrap();
        Self::over(folder, &path, limits, |_| {})
    }

    /// A service over an index that is there.
    pub fn over(
        folder: TempDir,
        index: &Path,
        limits: Limits,
        change: impl FnOnce(&mut Settings),
    ) -> Self {
        let mut settings = Settings::new(index.to_owned());
        settings.listen.set_port(0);
        settings.temp_dir = folder.path().into();
        settings.limits = limits;
        change(&mut settings);
        let running = Some(start(&settings).unwrap());
        Self { _folder: folder, running, settings }
    }

    pub fn usual() -> Self {
        Self::new("method = \"minhash\"\nthreshold = 0.6", Limits::default())
    }

    pub fn client(&self) -> Client {
        Client::new(self.running.as_ref().unwrap().address())
    }

    pub fn address(&self) -> SocketAddr {
        self.running.as_ref().unwrap().address()
    }

    /// Ends it gracefully.
    pub fn end(&mut self) {
        self.running.take().unwrap().end();
    }

    pub fn restart(&mut self) {
        self.end();
        self.running = Some(start(&self.settings).unwrap());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
    }
}

/// A text of words that no other number's text has.
pub fn text(number: usize) -> String {
    let words: Vec<String> =
        (0..60).map(|n| format!("word{}", number.wrapping_mul(7919) + n * n)).collect();
    format!("The story of number {number} begins here: {}.", words.join(" "))
}

/// The same with its end changed.
pub fn edited(number: usize) -> String {
    text(number) + " And so it ended."
}
