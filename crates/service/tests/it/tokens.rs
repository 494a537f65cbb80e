//! Who may do what.

use lookalike::{Artifacts, Config, Index, IndexOptions};
use lookalike_service::{Limits, ServiceError, Settings, start};
use serde_json::json;

use crate::client::{Client, Service, text};

const READER: &str = "reader-0123456789";
const WRITER: &str = "writer-0123456789";
const JUDGE: &str = "judge-0123456789-judge";

fn with_tokens() -> Service {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let config = Config::from_table("threshold = 0.6".parse().unwrap()).unwrap();
    Index::create(&path, &config, Artifacts::default(), IndexOptions::default()).unwrap();
    let tokens = folder.path().join("tokens");
    let lines = format!("read {READER} reader\nread,write {WRITER}\njudge {JUDGE} # a person\n");
    std::fs::write(&tokens, lines).unwrap();
    Service::over(folder, &path, Limits::default(), |settings| settings.tokens = Some(tokens))
}

fn client(service: &Service, token: &str) -> Client {
    let mut client = service.client();
    client.token = Some(token.to_owned()).filter(|token| !token.is_empty());
    client
}

#[test]
fn without_a_token_nobody_reads_or_writes_and_roles_are_kept_apart() {
    let service = with_tokens();
    let document = json!({"id": "x", "text": text(1)});
    let word = json!({"a": "x", "b": "y", "duplicate": true});
    for token in ["", "wrong", "reader-012345678", "reader-0123456789x"] {
        let mut client = client(&service, token);
        for path in [
            "/v1/stat",
            "/v1/documents/x",
            "/v1/clusters",
            "/v1/pairs",
            "/metrics",
            "/v1/pairs/x/y",
            "/v1/clusters/x",
            "/v1/judgments",
            "/v1/questions",
            "/v1/tune",
        ] {
            let answer = client.get(path);
            answer.problem(401);
            assert!(answer.header("www-authenticate").starts_with("Bearer"));
        }
        for path in ["/v1/check", "/v1/documents", "/v1/judgments", "/v1/keep", "/v1/tune"] {
            client.post(path, &document).problem(401);
        }
        client.delete("/v1/documents/x").problem(401);
        for path in ["/", "/healthz", "/readyz", "/openapi.json"] {
            assert_eq!(client.get(path).status, 200);
        }
        let session = client.get("/v1/session").json();
        assert_eq!((&session["authenticated"], &session["roles"]), (&json!(false), &json!([])));
    }
    let mut reader = client(&service, READER);
    assert_eq!(reader.get("/v1/stat").status, 200);
    assert_eq!(reader.post("/v1/check", &document).status, 200);
    assert_eq!(reader.get("/v1/session").json()["roles"], json!(["read"]));
    reader.post("/v1/documents", &document).problem(403);
    reader.delete("/v1/documents/x").problem(403);
    reader.post("/v1/judgments", &word).problem(403);
    let mut writer = client(&service, WRITER);
    assert_eq!(writer.post("/v1/documents", &document).status, 200);
    writer.post("/v1/judgments", &word).problem(403);
    writer.post("/v1/tune", &json!({})).problem(403);
    let mut judge = client(&service, JUDGE);
    assert_eq!(judge.post("/v1/judgments", &word).status, 200);
    judge.get("/v1/documents/x").problem(403);
    assert_eq!(writer.delete("/v1/documents/x").status, 200);
}

#[test]
fn anywhere_but_on_a_loopback_address_tokens_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = Settings::new(folder.path().to_owned());
    settings.listen = "0.0.0.0:0".parse().unwrap();
    let refused = start(&settings).unwrap_err();
    assert!(matches!(refused, ServiceError::NoTokens(_)));
    assert!(refused.to_string().contains("--tokens"));
}

#[test]
fn pages_of_elsewhere_are_turned_away() {
    let service = Service::usual();
    let address = service.address();
    let call = |method: &str, headers: &str| {
        let mut client = service.client();
        let body = r#"{"id":"x","text":"t"}"#;
        let length = body.len();
        let request = format!(
            "{method} /v1/check HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        client.send(request.as_bytes()).unwrap();
        client.answer().unwrap()
    };
    let json = "Content-Type: application/json\r\n";
    let own = format!("Host: {address}\r\n");
    assert_eq!(call("POST", &format!("{own}{json}")).status, 200);
    assert_eq!(call("POST", &format!("{own}{json}Origin: http://{address}\r\n")).status, 200);
    // A name that somebody else's name server points here.
    call("POST", &format!("Host: evil.example\r\n{json}")).problem(421);
    call("POST", json).problem(400);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "file://"] {
        call("POST", &format!("{own}{json}Origin: {origin}\r\n")).problem(403);
    }
    // What a page can send without being asked first.
    call("POST", &format!("{own}Content-Type: text/plain\r\n")).problem(415);
    call("POST", &own).problem(415);
}

#[test]
fn verdicts_carry_a_name_and_people_may_disagree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let config = Config::from_table("threshold = 0.6".parse().unwrap()).unwrap();
    Index::create(&path, &config, Artifacts::default(), IndexOptions::default()).unwrap();
    let (anna, ben) = ("anna-0123456789-judge", "ben-0123456789-judges");
    let tokens = folder.path().join("tokens");
    let lines =
        format!("read,judge {anna} Anna A.\nread,judge {ben} Ben\nread,write,judge {WRITER}\n");
    std::fs::write(&tokens, lines).unwrap();
    let service =
        Service::over(folder, &path, Limits::default(), |settings| settings.tokens = Some(tokens));
    let (mut anna, mut ben) = (client(&service, anna), client(&service, ben));
    let mut root = client(&service, WRITER);
    let documents = json!([{"id": "a", "text": text(1)}, {"id": "b", "text": text(1)}]);
    assert_eq!(root.post("/v1/documents", &documents).status, 200);
    assert_eq!(anna.get("/v1/session").json()["name"], "Anna A.");
    let word = |duplicate: serde_json::Value| json!({"a": "a", "b": "b", "duplicate": duplicate, "how": "page"});
    assert_eq!(anna.post("/v1/judgments", &word(json!(true))).status, 200);
    assert_eq!(
        root.all("/v1/judgments?disagreed=1&", "judgments", 5),
        Vec::<serde_json::Value>::new()
    );
    assert_eq!(ben.post("/v1/judgments", &word(json!(false))).status, 200);
    let pair = anna.get("/v1/pairs/a/b").json();
    let said = |by: &str| {
        let judgments = pair["judgments"].as_array().unwrap().iter();
        judgments.clone().find(|said| said["by"] == by).cloned().unwrap()
    };
    assert_eq!(
        (&said("Anna A.")["duplicate"], &said("Anna A.")["how"]),
        (&json!(true), &json!("page"))
    );
    assert_eq!(pair["judgment"], said("Ben"));
    assert_eq!(pair["verdict"]["duplicate"], false);
    assert_eq!(root.all("/v1/judgments?disagreed=1&", "judgments", 5).len(), 2);

    // Nobody speaks for another one without the role that restores a backup.
    let forged = json!({"a": "a", "b": "b", "duplicate": true, "by": "Ben"});
    anna.post("/v1/judgments", &forged).problem(403);
    let restored = json!({"a": "x", "b": "y", "duplicate": true, "by": "Ben", "time": 5});
    assert_eq!(root.post("/v1/judgments", &restored).json()["judgments"][0]["by"], "Ben");

    // Whoever takes a verdict back leaves that of the other one.
    assert_eq!(anna.post("/v1/judgments", &word(json!(null))).status, 200);
    assert_eq!(anna.get("/v1/pairs/a/b").json()["judgments"].as_array().unwrap().len(), 1);
    assert_eq!(ben.post("/v1/judgments", &word(json!(null))).status, 200);
    assert_eq!(anna.get("/v1/pairs/a/b").json()["verdict"]["by"], "method");
}

#[test]
fn tokens_change_with_their_file_while_the_service_runs() {
    let service = with_tokens();
    let tokens = service.folder().join("tokens");
    let status = |token: &str| client(&service, token).get("/v1/stat").status;
    assert_eq!((status(READER), status(WRITER)), (200, 200));
    // What cannot be read changes nothing.
    std::fs::write(&tokens, "nonsense\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(status(READER), 200);
    std::fs::write(&tokens, format!("read {JUDGE}\n")).unwrap();
    let changed = || status(READER) == 401 && status(JUDGE) == 200;
    assert!((0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        changed()
    }));
}
