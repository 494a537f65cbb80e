//! Clients that mean ill, or do not know better.

use std::collections::BTreeSet;
use std::io::Read;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use lookalike_service::Limits;
use serde_json::json;

use crate::client::{Client, Service, text};

fn small() -> Limits {
    Limits {
        body_bytes: 64 << 10,
        text_bytes: 16 << 10,
        documents: 10,
        stream_documents: 50,
        concurrency: 4,
        ..Limits::default()
    }
}

fn service() -> Service {
    Service::new("threshold = 0.6", small())
}

#[test]
fn what_cannot_be_read_is_refused_with_a_problem() {
    let service = service();
    let call =
        |body: &[u8]| service.client().call("POST", "/v1/documents", "application/json", body);
    call(b"").problem(400);
    call(b"{\"id\":\"x\",\"text\":\"broken \xff\xfe\"}").problem(400);
    call(b"[{\"id\":\"x\",\"text\":\"broken \xff\xfe\"}]").problem(400);
    call(&b"[".repeat(60_000)).problem(400);
    call(&b"{\"a\":".repeat(10_000)).problem(400);
    let deep = format!(r#"{{"id":"x","text":"t","f":{}1{}}}"#, "[".repeat(5000), "]".repeat(5000));
    assert!(call(deep.as_bytes()).problem(400).1.contains("deep"));
    let (field, told) = call(br#"{"id":"x","text":["no","string"]}"#).problem(422);
    assert_eq!(field, "text");
    assert!(told.contains("not a string"), "{told}");
    let long = json!({"id": "x", "text": "a".repeat(17 << 10)}).to_string();
    assert_eq!(call(long.as_bytes()).problem(413).0, "text");
    let many = json!(vec![json!({"id": "x", "text": "t"}); 11]).to_string();
    call(many.as_bytes()).problem(413);
    let mut client = service.client();
    for path in [
        "/v1/clusters?limit=0",
        "/v1/clusters?limit=x",
        "/v1/pairs?min_score=2",
        "/v1/pairs?cursor=zz",
        "/v1/clusters?field=x",
        "/v1/stat?wait=1e9",
        "/v1/pairs?what=1",
    ] {
        client.get(path).problem(422);
    }
    for (path, body, field) in [
        ("/v1/tune", json!({"budget_s": -1}), "budget_s"),
        ("/v1/tune", json!({"budget_s": 5, "methods": "minhash"}), "methods"),
        ("/v1/tune", json!({"budget": 5}), "budget"),
        ("/v1/keep", json!({"keep": 5, "over": "a"}), "keep"),
        ("/v1/keep", json!({"keep": "a"}), "over"),
    ] {
        assert_eq!(client.post(path, &body).problem(422).0, field, "{path} {body}");
    }
    let (_, told) = call(b"{}").problem(422);
    assert!(told.ends_with("the row has: none"), "{told}");
    let packed = "application/json\r\nContent-Encoding: gzip";
    let refused = service.client().call("POST", "/v1/check", packed, b"\x1f\x8b\x08");
    let (_, told) = refused.problem(415);
    assert!(told.contains("Content-Encoding"), "{told}");
    client.get("/v1/documents/%ff%fe").problem(400);
    assert_eq!(client.get("/v1/stat").json()["index"]["documents"], 0);
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_is_read() {
    let service = service();
    let address = service.address();
    let head = |kind: &str, more: &str| {
        format!(
            "POST /v1/documents HTTP/1.1\r\nHost: {address}\r\nContent-Type: {kind}\r\n{more}\r\n"
        )
    };
    let mut client = service.client();
    client.send(head("application/json", "Content-Length: 1073741824\r\n").as_bytes()).unwrap();
    client.answer().unwrap().problem(413);
    // Without a length it is found out on the way; the sender goes on meanwhile.
    for kind in ["application/json", "application/x-ndjson"] {
        let mut client = service.client();
        client.send(head(kind, "Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
        let chunk = format!("8000\r\n{}\r\n", "a".repeat(0x8000));
        for _ in 0..100 {
            if client.send(chunk.as_bytes()).is_err() {
                break;
            }
        }
        client.answer().unwrap().problem(413);
    }
}

#[test]
fn an_endless_stream_ends() {
    let service = service();
    let address = service.address();
    let mut client = service.client();
    let head = format!(
        "POST /v1/check HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/x-ndjson\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    client.send(head.as_bytes()).unwrap();
    let line = "{\"text\":\"again and again\"}\n";
    for _ in 0..100_000 {
        if client.send(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).is_err() {
            break;
        }
    }
    let answer = client.answer().unwrap();
    let refused = if answer.status == 200 {
        answer.rows().pop().unwrap()["problem"].clone()
    } else {
        answer.json()
    };
    assert_eq!(refused["status"], 413);
    assert_eq!(service.client().get("/healthz").status, 200);
}

/// Whether a connection is closed within a time; reads what comes.
fn is_closed_within(mut stream: &TcpStream, longest: Duration) -> bool {
    let start = Instant::now();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut scratch = [0; 4096];
    while start.elapsed() < longest {
        match stream.read(&mut scratch) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return true,
        }
    }
    false
}

#[test]
fn who_sends_a_letter_at_a_time_is_not_waited_for() {
    use std::io::Write;
    let (header, idle) = (Duration::from_secs(1), Duration::from_secs(1));
    let service = Service::new("threshold = 0.6", Limits { header, idle, ..small() });
    let mut heads: Vec<TcpStream> =
        (0..20).map(|_| TcpStream::connect(service.address()).unwrap()).collect();
    for stream in &mut heads {
        stream.write_all(b"GET /v1/stat HTTP/1.1\r\nHos").unwrap();
    }
    // Bodies that pause are told to go.
    let mut bodies: Vec<Client> = (0..4).map(|_| service.client()).collect();
    for client in &mut bodies {
        let request = client.request_bytes("POST", "/v1/check", "application/json", &[b' '; 100]);
        client.send(&request[..request.len() - 50]).unwrap();
    }
    for client in &mut bodies {
        client.answer().unwrap().problem(408);
    }
    assert!(heads.iter().all(|stream| is_closed_within(stream, Duration::from_secs(20))));
    assert_eq!(service.client().get("/v1/stat").status, 200);
}

#[test]
fn who_does_not_read_the_answers_is_cut_off() {
    use std::io::Write;
    let limits = Limits { concurrency: 64, write: Duration::from_millis(500), ..small() };
    let service = Service::new("threshold = 0.6", limits);
    let long = json!({"id": "x", "text": text(1).repeat(20)});
    assert_eq!(service.client().post("/v1/documents", &long).status, 200);
    let stream = TcpStream::connect(service.address()).unwrap();
    let request = service.client().request_bytes("GET", "/v1/documents/x", "", b"");
    stream.set_write_timeout(Some(Duration::from_secs(5))).unwrap();
    // Answers pile up until the service waits for somebody to read them, and gives up.
    let start = Instant::now();
    let mut is_cut = false;
    while !is_cut && start.elapsed() < Duration::from_mins(1) {
        is_cut = (&stream).write_all(&request).is_err();
    }
    assert!(is_cut);
    assert_eq!(service.client().get("/healthz").status, 200);
}

/// A stream that has a place: who is asked to go on with the body has one.
fn begun_stream(service: &Service) -> Client {
    let mut client = service.client();
    let head = "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\
                content-type: application/x-ndjson\r\nexpect: 100-continue\r\n\r\n";
    client.send(head.as_bytes()).unwrap();
    assert_eq!(client.answer().unwrap().status, 100);
    client
}

#[test]
fn beyond_the_limit_requests_are_told_to_come_again() {
    let service = Service::new("threshold = 0.6", Limits { concurrency: 1, ..small() });
    let mut stream = begun_stream(&service);
    let busy = service.client().get("/v1/documents/x");
    busy.problem(429);
    assert_eq!(busy.header("retry-after"), "1");
    assert_eq!(service.client().get("/healthz").status, 200);
    let line = format!("{}\n", json!({"text": text(1)}));
    stream.send(format!("{:x}\r\n{line}\r\n0\r\n\r\n", line.len()).as_bytes()).unwrap();
    assert_eq!(stream.answer().unwrap().status, 200);
    for _ in 0..100 {
        if service.client().get("/v1/stat").status == 200 {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the place is not given back");
}

#[test]
fn a_body_on_its_way_keeps_nobody_out() {
    let service = service();
    // Far more than there are places, and each is asked to go on with its body.
    let mut slow: Vec<Client> = (0..20).map(|_| service.client()).collect();
    let body = json!({"text": text(1)}).to_string();
    for client in &mut slow {
        let request =
            client.request_bytes("POST", "/v1/check", "application/json", body.as_bytes());
        let head = request.len() - body.len() - 2;
        client.send(&request[..head]).unwrap();
        client.send(b"Expect: 100-continue\r\n\r\n").unwrap();
        assert_eq!(client.answer().unwrap().status, 100);
        client.send(&body.as_bytes()[..body.len() - 1]).unwrap();
    }
    for _ in 0..3 {
        assert_eq!(service.client().post("/v1/check", &json!({"text": text(2)})).status, 200);
        assert_eq!(service.client().get("/v1/stat").status, 200);
    }
    for client in &mut slow {
        client.send(b"}").unwrap();
        assert_eq!(client.answer().unwrap().status, 200);
    }
}

#[test]
fn what_no_browser_of_ours_sends_is_refused_at_once() {
    let service = service();
    let address = service.address();
    let status = |head: &str| {
        let mut client = service.client();
        client.send(format!("{head}\r\n").as_bytes()).unwrap();
        client.answer().unwrap().status
    };
    let get = |path: &str, more: &str| {
        status(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{more}"))
    };
    assert_eq!(get("/v1/stat", &format!("Host: {address}\r\n")), 400);
    assert_eq!(get("/v1/stat", "Host: elsewhere.example\r\n"), 400);
    for site in ["cross-site", "same-site"] {
        let from = format!("Sec-Fetch-Site: {site}\r\nSec-Fetch-Mode: no-cors\r\n");
        assert_eq!(get("/v1/stat", &from), 403, "{site}");
        assert_eq!(get("/", &from), 403, "{site}");
    }
    // Whoever follows a link to the page, types its address, or is the page.
    assert_eq!(get("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), 200);
    let navigated = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
    assert_eq!(get("/v1/stat", navigated), 403);
    assert_eq!(get("/v1/stat", "Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n"), 200);
    assert_eq!(get("/v1/stat", "Sec-Fetch-Site: same-origin\r\n"), 200);
}

#[test]
fn streams_leave_places_to_those_who_ask_once() {
    let service = service();
    let streams: Vec<Client> = (0..2).map(|_| begun_stream(&service)).collect();
    let line = format!("{}\n", json!({"text": text(1)}));
    service.client().lines("/v1/check", &line).problem(429);
    for _ in 0..3 {
        assert_eq!(service.client().post("/v1/check", &json!({"text": text(1)})).status, 200);
    }
    drop(streams);
}

#[test]
fn bodies_share_a_bounded_room() {
    let limits = Limits { buffered_bytes: 100 << 10, concurrency: 64, ..small() };
    let limits = Limits { idle: Duration::from_secs(5), ..limits };
    let service = Service::new("threshold = 0.6", limits);
    let mut clients: Vec<Client> = (0..8).map(|_| service.client()).collect();
    let body = vec![b' '; 40 << 10];
    for client in &mut clients {
        let request = client.request_bytes("POST", "/v1/check", "application/json", &body);
        client.send(&request[..request.len() - 1]).unwrap();
    }
    // Two bodies fit; the others are refused while these wait for their last byte.
    let refused = |client: &mut Client| {
        let stream = client.answer();
        stream.is_ok_and(|answer| answer.status == 429)
    };
    let mut n_refused = 0;
    for client in &mut clients {
        n_refused += usize::from(refused(client));
    }
    assert!(n_refused >= 5, "{n_refused}");
    assert_eq!(service.client().post("/v1/check", &json!({"text": text(1)})).status, 200);
}

#[test]
fn answers_that_nobody_reads_share_the_room_of_bodies() {
    let limits =
        Limits { buffered_bytes: 1 << 20, body_bytes: 1 << 20, text_bytes: 1 << 20, ..small() };
    let limits = Limits { concurrency: 64, write: Duration::from_secs(20), ..limits };
    let service = Service::new("threshold = 0.6", limits);
    let long = json!({"id": "x", "text": text(1).repeat(1000)});
    assert_eq!(service.client().post("/v1/documents", &long).status, 200);
    // Each asks again and again and reads nothing: two such answers fill the room.
    let mut clients: Vec<Client> = (0..8).map(|_| service.client()).collect();
    let request = service.client().request_bytes("GET", "/v1/documents/x", "", b"");
    for client in &mut clients {
        client.send(&request.repeat(40)).unwrap();
    }
    let mut statuses = BTreeSet::new();
    for client in &mut clients {
        for _ in 0..40 {
            statuses.insert(client.answer().unwrap().status);
        }
    }
    assert_eq!(statuses, BTreeSet::from([200, 429]));
    drop(clients);
    for _ in 0..100 {
        let status = service.client().get("/v1/documents/x").status;
        if status == 200 {
            return;
        }
        assert_eq!(status, 429);
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the room is not given back");
}

#[test]
fn what_was_added_is_answered_though_there_is_no_room_for_the_answer() {
    let limits = Limits { documents: 100, body_bytes: 256 << 10, ..small() };
    let service = Service::new("threshold = 0.6", Limits { buffered_bytes: 300 << 10, ..limits });
    let id = |number: usize| format!("{number:0>1000}");
    let copies: Vec<_> = (0..100).map(|n| json!({"id": id(n), "text": text(1)})).collect();
    let answer = service.client().post("/v1/documents", &json!(copies));
    assert!(answer.body.len() > 300 << 10, "{}", answer.body.len());
    assert_eq!((answer.status, answer.json()[99]["added"].as_str()), (200, Some("added")));
    // To look is refused: that can be tried again.
    let checked = service.client().post("/v1/check", &json!(copies));
    assert!(checked.problem(429).1.contains("no room"));
}

#[test]
fn accepted_requests_are_answered_when_the_service_ends() {
    let mut service = Service::new("threshold = 0.6", Limits::default());
    let mut clients: Vec<Client> = (0..8).map(|_| service.client()).collect();
    for (number, client) in clients.iter_mut().enumerate() {
        let body = json!({"id": number.to_string(), "text": text(number)}).to_string();
        let request =
            client.request_bytes("POST", "/v1/documents", "application/json", body.as_bytes());
        client.send(&request).unwrap();
    }
    let mut stream = service.client();
    let request =
        stream.request_bytes("POST", "/v1/documents", "application/x-ndjson", &[b'\n'; 9000]);
    let line = format!("{}\n", json!({"id": "line", "text": text(50)}));
    let end = request.len() - 9000;
    stream.send(&[&request[..end], line.as_bytes()].concat()).unwrap();
    // Let them be accepted: an answered request on a later connection comes after them.
    assert_eq!(service.client().get("/v1/stat?wait=0").status, 200);
    service.end();
    for client in &mut clients {
        assert_eq!(client.answer().unwrap().json()["added"], "added");
    }
    let rows = stream.answer().unwrap().rows();
    assert_eq!((&rows[0]["id"], &rows[0]["added"]), (&json!("line"), &json!("added")));
    assert_eq!(rows.last().unwrap()["problem"]["status"], 503);
}

#[test]
fn who_keeps_asking_while_the_service_ends_is_told_to_go_elsewhere() {
    let mut service = Service::new("threshold = 0.6", Limits::default());
    let asking: Vec<_> = (0..8)
        .map(|_| {
            let mut client = service.client();
            assert_eq!(client.get("/healthz").status, 200);
            // Whether the last answer says that it is the last.
            std::thread::spawn(move || {
                loop {
                    let request = client.request_bytes("GET", "/healthz", "", b"");
                    let answer = client.send(&request).and_then(|()| client.answer());
                    match answer {
                        Ok(answer) if answer.header("connection") == "close" => return true,
                        Ok(_) => {}
                        Err(_) => return false,
                    }
                }
            })
        })
        .collect();
    service.end();
    let told: Vec<bool> = asking.into_iter().map(|thread| thread.join().unwrap()).collect();
    // One that had no turn in the time that is left may find its connection closed.
    assert!(told.contains(&true), "nobody was told");
}
