//! `lookalike serve`: killed under load nothing acknowledged is lost, ended it answers what it took.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::Workplace;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_lookalike"))
}

/// A running service.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(workplace: &Workplace, arguments: &[&str]) -> Self {
        let mut child = program()
            .arg("serve")
            .arg("--index")
            .arg(workplace.path("index"))
            .args(["--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(workplace.path("log")).unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_default();
        assert!(!address.is_empty(), "{line:?}");
        Self { address: address.to_owned(), child }
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Waits for the end; whether it was a good one.
    fn wait(mut self) -> bool {
        self.child.wait().unwrap().success()
    }
}

/// A connection that sends one request after the other.
struct Client(BufReader<TcpStream>, String);

impl Client {
    fn new(address: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        Ok(Self(BufReader::new(stream), address.to_owned()))
    }

    fn post(&mut self, path: &str, more: &str, body: &Value) -> std::io::Result<(u16, Value)> {
        self.send(path, more, body)?;
        self.answer()
    }

    fn send(&mut self, path: &str, more: &str, body: &Value) -> std::io::Result<()> {
        let body = body.to_string();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n{more}\
             Content-Length: {}\r\n\r\n{body}",
            self.1,
            body.len()
        );
        self.0.get_mut().write_all(request.as_bytes())
    }

    fn answer(&mut self) -> std::io::Result<(u16, Value)> {
        let wrong = || std::io::Error::other("no answer");
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        let status = line.split(' ').nth(1).and_then(|s| s.parse().ok()).ok_or_else(wrong)?;
        let mut length = 0;
        while line.trim() != "" {
            line.clear();
            self.0.read_line(&mut line)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().map_err(|_| wrong())?;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok((status, serde_json::from_slice(&body)?))
    }
}

fn document(id: &str) -> Value {
    let words: Vec<String> = (0..40).map(|n| format!("{id}w{n}")).collect();
    json!({"id": id, "text": words.join(" ")})
}

fn create(workplace: &Workplace) {
    let created = program().args(["index", "create"]).arg(workplace.path("index")).output();
    assert!(created.unwrap().status.success());
}

/// The ids in the index, as `index export` writes them.
fn exported(workplace: &Workplace) -> BTreeSet<String> {
    let output = program().args(["index", "export"]).arg(workplace.path("index")).output().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    let id = |line: &str| {
        serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
    };
    lines.lines().map(id).collect()
}

/// Adds documents on four connections until the service is gone; returns what was acknowledged,
/// and how many requests that were sent before `end` was set got no answer.
fn add_until_gone(
    address: &str,
    name: &str,
    end: &AtomicBool,
    mut finish: impl FnMut(usize),
) -> (BTreeSet<String>, usize) {
    let acknowledged = Mutex::new(BTreeSet::new());
    let unanswered = Mutex::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (acknowledged, unanswered) = (&acknowledged, &unanswered);
            scope.spawn(move || {
                let mut client = Client::new(address).unwrap();
                for number in 0.. {
                    let id = format!("{name}-{thread}-{number}");
                    let sent = client.send("/v1/documents", "", &document(&id));
                    let is_before = sent.is_ok() && !end.load(Ordering::SeqCst);
                    match sent.and_then(|()| client.answer()) {
                        Ok((200, _)) => {
                            acknowledged.lock().unwrap().insert(id);
                        }
                        Ok((status, body)) => panic!("{status} {body}"),
                        Err(_) => {
                            *unanswered.lock().unwrap() += usize::from(is_before);
                            return;
                        }
                    }
                }
            });
        }
        let start = Instant::now();
        loop {
            let count = acknowledged.lock().unwrap().len();
            if count >= 40 || start.elapsed() > Duration::from_mins(1) {
                finish(count);
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    (acknowledged.into_inner().unwrap(), unanswered.into_inner().unwrap())
}

#[test]
fn killed_under_load_it_loses_nothing_that_was_acknowledged() {
    let workplace = Workplace::new();
    create(&workplace);
    let mut all = BTreeSet::new();
    for round in 0..3 {
        let service = Service::start(&workplace, &["--quiet"]);
        let end = AtomicBool::new(false);
        let (acknowledged, _) =
            add_until_gone(&service.address, &round.to_string(), &end, |_| service.signal("-KILL"));
        assert!(acknowledged.len() >= 40, "{}", acknowledged.len());
        assert!(!service.wait());
        all.extend(acknowledged);
        let there = exported(&workplace);
        assert!(all.is_subset(&there), "{:?}", all.difference(&there).collect::<Vec<_>>());
    }
}

#[test]
fn ended_by_a_signal_it_answers_what_it_took_and_exits_well() {
    let workplace = Workplace::new();
    create(&workplace);
    for (round, signal) in ["-TERM", "-INT"].into_iter().enumerate() {
        let service = Service::start(&workplace, &["--quiet"]);
        let end = AtomicBool::new(false);
        let (acknowledged, unanswered) =
            add_until_gone(&service.address, &round.to_string(), &end, |_| {
                end.store(true, Ordering::SeqCst);
                service.signal(signal);
            });
        assert_eq!(unanswered, 0);
        assert!(service.wait());
        assert!(acknowledged.is_subset(&exported(&workplace)));
    }
}

#[test]
fn the_log_holds_neither_texts_nor_ids_nor_tokens() {
    let workplace = Workplace::new();
    create(&workplace);
    let token = "a-secret-token-0123456789";
    let tokens = workplace.file("tokens", format!("read,write {token}\n"));
    let service = Service::start(&workplace, &["--tokens", &tokens, "--log", "json"]);
    let mut client = Client::new(&service.address).unwrap();
    let own = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(client.post("/v1/documents", &own, &document("private")).unwrap().0, 200);
    assert_eq!(client.post("/v1/documents", &own, &document("private")).unwrap().0, 409);
    let other = "Authorization: Bearer another-secret-0123456789\r\n";
    assert_eq!(client.post("/v1/check?secret=1", other, &document("private")).unwrap().0, 401);
    assert_eq!(
        client.post("/v1/documents/secret", &own, &json!({"id": "private"})).unwrap().0,
        405
    );
    service.signal("-TERM");
    let log = workplace.path("log");
    assert!(service.wait());
    let log = std::fs::read_to_string(log).unwrap();
    let rows: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let statuses: Vec<_> = rows.iter().filter_map(|row| row["status"].as_u64()).collect();
    assert_eq!(statuses, [200, 409, 401, 405]);
    for word in ["secret", "private", "privatew1"] {
        assert!(!log.contains(word), "{word}: {log}");
    }
}

#[test]
fn it_does_not_start_where_it_should_not() {
    let workplace = Workplace::new();
    create(&workplace);
    let run = |arguments: &[&str]| {
        let output = program()
            .arg("serve")
            .arg("--index")
            .arg(workplace.path("index"))
            .args(arguments)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, told) = run(&["--listen", "0.0.0.0:0"]);
    assert!(status == Some(2) && told.contains("--tokens"), "{told}");
    let (status, told) = run(&["--tokens", "no/such/file"]);
    assert!(status == Some(1) && told.contains("no/such/file"), "{told}");
    let cut = workplace.file("cert.pem", "not a certificate");
    let (status, told) = run(&["--tls-cert", &cut, "--tls-key", &cut]);
    assert!(status == Some(1) && told.contains("TLS"), "{told}");
    let (status, _) = run(&["--tls-cert", &cut]);
    assert_eq!(status, Some(2));
    let service = Service::start(&workplace, &["--quiet"]);
    let (status, told) = run(&["--listen", "127.0.0.1:0"]);
    assert!(
        status == Some(1) && told.contains("being written by the service at http://"),
        "{told}"
    );
    service.signal("-TERM");
    assert!(service.wait());
}

/// Runs the service under limits of the shell.
#[cfg(target_os = "linux")]
fn with_limits(workplace: &Workplace, limits: &str, arguments: &[&str]) -> Service {
    let script = format!("{limits}; exec \"$0\" serve --listen 127.0.0.1:0 \"$@\"");
    let mut child = Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_lookalike"), "--index"])
        .arg(workplace.path("index"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(std::fs::File::create(workplace.path("log")).unwrap())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_default();
    assert!(!address.is_empty(), "{line:?}");
    Service { address: address.to_owned(), child }
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_of_open_files_is_raised_or_the_log_says_that_it_is_too_low() {
    let workplace = Workplace::new();
    workplace.succeed(&["index", "create", "index"]);
    for (limits, told) in [
        ("ulimit -Sn 256", "raised the limit of open files"),
        ("ulimit -n 700", "leaves room for 350 connections, not 2048"),
    ] {
        let service = with_limits(&workplace, limits, &[]);
        Client::new(&service.address).unwrap();
        service.signal("-TERM");
        assert!(service.wait());
        let log = std::fs::read_to_string(workplace.path("log")).unwrap();
        assert!(log.contains(told), "{limits}: {log}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_as_such() {
    let workplace = Workplace::new();
    workplace.succeed(&["index", "create", "index"]);
    let service = with_limits(&workplace, "ulimit -f 200", &["--quiet"]);
    let mut client = Client::new(&service.address).unwrap();
    let (mut status, mut problem) = (200, Value::Null);
    for number in 0..400 {
        let text = format!("ferry {number} ").repeat(100 + number);
        let body = json!({"id": number.to_string(), "text": text});
        (status, problem) = client.post("/v1/documents", "", &body).unwrap();
        if status != 200 {
            break;
        }
    }
    assert_eq!(status, 507, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("File too large"), "{problem}");
    service.signal("-TERM");
    service.wait();
}
