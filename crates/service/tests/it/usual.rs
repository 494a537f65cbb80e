//! Documents are added, checked, looked at and removed.

use lookalike::{Artifacts, Config, Index, IndexOptions};
use lookalike_service::Limits;
use serde_json::json;

use crate::client::{Client, Service, edited, text};

#[test]
fn documents_are_added_checked_looked_at_and_removed() {
    let service = Service::usual();
    let mut client = service.client();
    let first = json!({"id": "a/1", "text": text(1), "title": "One", "lang": "en"});
    let added = client.post("/v1/documents", &first);
    assert_eq!(added.status, 200);
    assert_eq!(
        added.json(),
        json!({"id": "a/1", "status": "new", "matches": [], "added": "added"})
    );
    let many = json!([{"id": "b", "text": edited(1)}, {"id": 7, "text": text(2)}]);
    let added = client.post("/v1/documents", &many).json();
    assert_eq!(added[0]["status"], "duplicate");
    assert_eq!(added[0]["matches"][0]["id"], "a/1");
    assert_eq!((&added[1]["id"], &added[1]["status"]), (&json!("7"), &json!("new")));

    let checked = client.post("/v1/check?explain=1", &json!({"text": edited(1)})).json();
    assert_eq!(checked["status"], "duplicate");
    assert_eq!(checked["matches"].as_array().unwrap().len(), 2);
    let evidence = &checked["matches"][0]["evidence"];
    assert_eq!(evidence["score"], checked["matches"][0]["score"]);
    assert!(evidence["shared"].as_array().is_some_and(|shared| !shared.is_empty()));
    assert!(evidence["difference"].is_null());
    let changed = json!({"text": text(1).replacen(' ', " another ", 1)});
    let compared = client.post("/v1/check?difference=1", &changed).json();
    let evidence = &compared["matches"][0]["evidence"];
    let pieces = evidence["difference"].as_array().unwrap();
    let only_asked = pieces.iter().find(|piece| piece["op"] == "a").unwrap();
    assert_eq!(only_asked["text"].as_str().unwrap().trim(), "another");
    assert_eq!(evidence["difference_truncated"], false);
    let (field, _) = client.post("/v1/check?difference=1", &json!([changed])).problem(422);
    assert_eq!(field, "difference");
    // Refused before it is read, which may end the connection.
    let lines = service.client().lines("/v1/check?difference=1", &changed.to_string());
    assert_eq!(lines.problem(422).0, "difference");
    assert_eq!(client.post("/v1/check", &json!({"text": "?!"})).json()["status"], "too-short");

    let stored = client.get("/v1/documents/a%2F1").json();
    assert_eq!(stored["text"], text(1));
    assert_eq!((&stored["title"], &stored["fields"]), (&json!("One"), &json!({"lang": "en"})));
    assert!(client.get("/v1/documents/a%2F1?text=0").json()["text"].is_null());
    assert_eq!(client.delete("/v1/documents/a%2F1").json(), json!({"id": "a/1", "removed": true}));
    for answer in [client.delete("/v1/documents/a%2F1"), client.get("/v1/documents/a%2F1")] {
        answer.problem(404);
    }
    assert_eq!(client.post("/v1/check", &json!({"text": text(1)})).json()["matches"][0]["id"], "b");
}

#[test]
fn ids_and_duplicates_are_handled_as_asked() {
    let service = Service::usual();
    let mut client = service.client();
    let document = |id: &str, text: &str| json!({"id": id, "text": text});
    client.post("/v1/documents", &document("x", &text(1)));
    let again =
        client.post("/v1/documents", &json!([document("y", &text(3)), document("x", &text(2))]));
    let (field, _) = again.problem(409);
    assert_eq!((field.as_str(), &again.json()["id"]), ("id", &json!("x")));
    client.get("/v1/documents/y").problem(404);
    let skipped = client.post("/v1/documents?on_id=skip", &document("x", &text(2))).json();
    assert_eq!(skipped["added"], "skipped");
    let replaced = client.post("/v1/documents?on_id=replace", &document("x", &text(2))).json();
    assert_eq!(replaced["added"], "replaced");
    assert_eq!(client.get("/v1/documents/x").json()["text"], text(2));

    let near = document("z", &edited(2));
    let left_out = client.post("/v1/documents?on_duplicate=skip", &near).json();
    assert_eq!(
        (&left_out["added"], &left_out["status"]),
        (&json!("left-out"), &json!("duplicate"))
    );
    client.get("/v1/documents/z").problem(404);
    let both = json!([document("p", &text(5)), document("q", &edited(5)), document("r", &text(6))]);
    let rows = client.post("/v1/documents?on_duplicate=skip", &both).json();
    let added: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["added"].as_str()).collect();
    assert_eq!(added, [Some("added"), Some("left-out"), Some("added")]);
    let replaced = client.post("/v1/documents?on_duplicate=replace", &near).json();
    assert_eq!((&replaced["added"], &replaced["matches"][0]["id"]), (&json!("added"), &json!("x")));
    client.get("/v1/documents/x").problem(404);
    assert_eq!(client.get("/v1/documents/z").status, 200);
    let (field, _) = client.post("/v1/documents?on_duplicate=often", &near).problem(422);
    assert_eq!(field, "on_duplicate");
    assert_eq!(client.post("/v1/documents?on_dup=skip", &near).problem(422).0, "on_dup");
}

#[test]
fn lines_are_answered_line_by_line_and_bad_ones_cost_only_themselves() {
    let service = Service::usual();
    let mut client = service.client();
    let mut lines = String::new();
    for number in 0..600 {
        lines += &json!({"id": format!("{number}"), "text": text(number)}).to_string();
        lines += "\n";
    }
    lines += "no json\n\n{\"id\":\"600\"}\n";
    // The last line has no end.
    lines += &json!({"id": "copy", "text": edited(3)}).to_string();
    let rows = client.lines("/v1/documents", &lines).rows();
    assert_eq!(rows.len(), 603);
    assert!(rows[..600].iter().all(|row| row["added"] == "added" && row["status"] == "new"));
    assert_eq!((&rows[600]["line"], &rows[600]["status"]), (&json!(601), &json!("unreadable")));
    assert_eq!((&rows[601]["line"], &rows[601]["field"]), (&json!(603), &json!("text")));
    assert_eq!(rows[602]["matches"][0]["id"], "3");
    let checked = client.lines("/v1/check", &lines).rows();
    assert_eq!(checked.len(), 603);
    assert_eq!(client.get("/v1/stat").json()["index"]["documents"], 601);
    // What is known already ends a stream of additions, with a last line that says so.
    let (field, _) = client.lines("/v1/documents", &lines).problem(409);
    assert_eq!(field, "id");
    // The rest of it was not read, so that the connection is closed.
    let mut client = service.client();
    assert_eq!(client.lines("/v1/documents?on_id=skip", &lines).rows().len(), 603);
}

#[test]
fn concurrent_additions_become_durable_together_and_stay() {
    let mut service = Service::usual();
    let address = service.address();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let mut client = crate::client::Client::new(address);
                for number in 0..20 {
                    let number = thread * 100 + number;
                    let document = json!({"id": number.to_string(), "text": text(number)});
                    assert_eq!(client.post("/v1/documents", &document).json()["added"], "added");
                }
            });
        }
    });
    let metrics = String::from_utf8(service.client().get("/metrics").body).unwrap();
    let value = |name: &str| -> f64 {
        let line = metrics.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(value("lookalike_additions_together_sum"), 160.0);
    assert!(value("lookalike_commits_total") <= 160.0);
    assert_eq!(value("lookalike_index_documents"), 160.0);
    service.restart();
    let mut client = service.client();
    for number in [0, 119, 719] {
        assert_eq!(client.get(&format!("/v1/documents/{number}")).status, 200);
    }
    assert_eq!(client.get("/v1/stat").json()["index"]["documents"], 160);
}

#[test]
fn the_page_and_the_small_endpoints_answer() {
    let service = Service::usual();
    let mut client = service.client();
    let page = client.get("/");
    assert!(page.status == 200 && page.header("content-type").starts_with("text/html"));
    let policy = page.header("content-security-policy");
    assert!(policy.contains("script-src 'self'") && !policy.contains("unsafe"));
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(client.get("/page/index.html").body, page.body);
    client.get("/page/../Cargo.toml").problem(404);
    client.get("/page/no.js").problem(404);
    client.get("/nothing").problem(404);
    client.get("/v1/keep").problem(405);
    assert_eq!(client.get("/healthz").json()["status"], "ok");
    assert_eq!(client.get("/readyz").json()["status"], "ready");
    let session = client.get("/v1/session").json();
    assert_eq!(session["roles"], json!(["read", "write", "judge"]));
    let stat = client.get("/v1/stat?wait=30").json();
    assert_eq!((&stat["method"], &stat["index"]["documents"]), (&json!("minhash"), &json!(0)));
    assert_eq!(stat["findings"]["clusters"], 0);
}

#[test]
fn a_check_under_a_known_id_says_so_and_one_without_an_id_is_compared_with_all() {
    let service = Service::usual();
    let mut client = service.client();
    client.post("/v1/documents", &json!({"id": "a", "text": text(1)}));
    let matches = json!([{"id": "a", "score": 1.0}]);
    let known = client.post("/v1/check", &json!({"id": "a", "text": text(1)})).json();
    assert_eq!((&known["id_exists"], &known["matches"]), (&json!(true), &matches));
    let unnamed = client.post("/v1/check", &json!({"text": text(1)})).json();
    assert_eq!((&unnamed["id_exists"], &unnamed["matches"]), (&json!(null), &matches));
}

#[test]
fn looking_at_the_counts_starts_no_run() {
    let service = Service::usual();
    let mut client = service.client();
    client.post(
        "/v1/documents",
        &json!([{"id": "a", "text": text(1)}, {"id": "b", "text": edited(1)}]),
    );
    for _ in 0..5 {
        let stat = client.get("/v1/stat").json();
        assert_eq!((&stat["findings"], &stat["index"]["documents"]), (&json!(null), &json!(2)));
        assert_eq!(client.get("/v1/pairs/a/b").json()["cluster"], json!({"a": null, "b": null}));
    }
    assert!(client.get("/metrics").body.windows(22).any(|part| part == b"lookalike_runs_total 0"));
    let stat = client.get("/v1/stat?wait=30").json();
    assert_eq!(stat["findings"]["clusters"], 1);
    client.post("/v1/documents", &json!({"id": "c", "text": text(2)}));
    assert_eq!(client.get("/v1/stat").json()["findings"]["stale"], true);
    // What the last run found is answered at once.
    assert_eq!(client.get("/v1/clusters?wait=0").json()["findings"]["stale"], true);
}

#[test]
fn documents_that_have_expired_are_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let config = Config::from_table(toml::Table::new()).unwrap();
    let options = IndexOptions { time_to_live: Some(1), ..IndexOptions::default() };
    drop(Index::create(&path, &config, Artifacts::default(), options).unwrap());
    let service = Service::over(folder, &path, Limits::default(), |_| {});
    let mut client = service.client();
    client.post("/v1/documents", &json!({"id": "a", "text": text(1)}));
    std::thread::sleep(std::time::Duration::from_millis(30));
    let metrics = String::from_utf8(client.get("/metrics").body).unwrap();
    assert!(metrics.contains("lookalike_index_documents 0\n"), "{metrics}");
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named_with_the_systems_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let config = Config::from_table(toml::Table::new()).unwrap();
    drop(Index::create(&path, &config, Artifacts::default(), IndexOptions::default()).unwrap());
    let service = Service::over(folder, &path, Limits::default(), |settings| {
        settings.temp_dir = "/nowhere/at/all".into();
    });
    let mut client = service.client();
    client.post(
        "/v1/documents",
        &json!([{"id": "a", "text": text(1)}, {"id": "b", "text": edited(1)}]),
    );
    let (_, told) = client.get("/v1/questions").problem(500);
    assert!(told.contains("No such file or directory"), "{told}");
}

#[test]
fn a_check_lists_as_many_matches_as_wanted_and_the_nearest_below_the_line() {
    let service = Service::usual();
    let mut client = service.client();
    // Half of its words: it shares keys often enough, and is no duplicate.
    let words: Vec<String> = text(1).split(' ').map(str::to_owned).collect();
    let half = |n: usize| {
        let changed = words
            .iter()
            .enumerate()
            .map(|(at, word)| if at % 10 < n { format!("other{n}x{at}") } else { word.clone() });
        changed.collect::<Vec<_>>().join(" ")
    };
    let mut documents =
        vec![json!({"id": "a", "text": text(1)}), json!({"id": "b", "text": text(1)})];
    documents.extend((1..5).map(|n| json!({"id": format!("near-{n}"), "text": half(n)})));
    assert_eq!(client.post("/v1/documents", &json!(documents)).status, 200);
    let document = json!({"text": text(1)});
    let row = client.post("/v1/check?limit=1", &document).json();
    assert_eq!(row["matches"].as_array().unwrap().len(), 1);
    assert!(row["more_matches"].as_u64() >= Some(1) && row["nearest"].is_null(), "{row}");
    let row = client.post("/v1/check?nearest=2", &document).json();
    let nearest = row["nearest"].as_array().unwrap();
    assert!(nearest.len() <= 2 && !nearest.is_empty(), "{row}");
    assert!(nearest.iter().all(|found| found["score"].as_f64().unwrap() < 0.6), "{row}");
    let row = client.post("/v1/check?nearest=2&threshold=1", &document).json();
    assert_eq!((&row["matches"][0]["score"], &row["nearest"]), (&json!(1.0), &json!(null)));
    client.post("/v1/check?limit=101", &document).problem(422);
    client.post("/v1/check?nearest=-1", &document).problem(422);
}

#[test]
fn many_documents_are_removed_by_ids_by_fields_and_by_age() {
    let service = Service::usual();
    let mut client = service.client();
    let document = |n: usize| {
        let source = if n.is_multiple_of(2) { "even" } else { "odd" };
        json!({"id": format!("d{n}"), "text": text(n), "source": source})
    };
    let documents: Vec<_> = (0..10).map(document).collect();
    assert_eq!(client.post("/v1/documents", &json!(documents)).status, 200);
    let count = |client: &mut Client| client.get("/v1/stat").json()["index"]["documents"].clone();
    let remove = |client: &mut Client, body: serde_json::Value| client.post("/v1/remove", &body);
    let dry = remove(&mut client, json!({"field": "source:odd", "dry_run": true})).json();
    assert_eq!((&dry["removed"], &dry["would_remove"]), (&json!(0), &json!(5)));
    assert_eq!(count(&mut client), 10);
    let told = remove(&mut client, json!({"ids": ["d0", "d2", "none"]})).json();
    assert_eq!(told, json!({"removed": 2, "unknown_ids": 1}));
    assert_eq!(remove(&mut client, json!({"field": "source:odd"})).json()["removed"], 5);
    client.get("/v1/documents/d1").problem(404);
    assert_eq!(remove(&mut client, json!({"added_before": 5})).json()["removed"], 0);
    assert_eq!(remove(&mut client, json!({"expired": true})).json()["removed"], 0);
    for wrong in [
        json!({}),
        json!({"expired": false}),
        json!({"ids": [], "expired": true}),
        json!({"ids": [], "field": "source:odd"}),
        json!({"field": "source"}),
        json!({"everything": true}),
    ] {
        remove(&mut client, wrong).problem(422);
    }
    let maintain = |client: &mut Client, task: &str| {
        let told = client.post("/v1/maintenance", &json!({"task": task}));
        assert_eq!(told.status, 202, "{task}");
        loop {
            let work = client.get("/v1/maintenance").json();
            if work["state"] != "running" {
                return work;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    let work = maintain(&mut client, "compact");
    assert_eq!((&work["state"], &work["result"]["tombstones"]), (&json!("done"), &json!(0)));
    let work = maintain(&mut client, "verify");
    assert_eq!((&work["result"]["documents"], &work["result"]["errors"]), (&json!(3), &json!([])));
    assert_eq!(remove(&mut client, json!({"added_after": 5})).json()["removed"], 3);
    assert_eq!(count(&mut client), 0);
}
