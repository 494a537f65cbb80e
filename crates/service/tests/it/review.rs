//! Clusters, pairs, judgments, the labelling queue and what `tune` makes of them.

use std::time::Duration;

use serde_json::json;

use crate::client::{Client, Service, edited, text};

/// Families of one to four documents.
fn filled() -> Service {
    let service = Service::usual();
    let mut documents = Vec::new();
    for family in 0..12 {
        for version in 0..=family % 4 {
            let text = if version == 0 { text(family) } else { varied(family, version) };
            let lang = if family % 2 == 0 { "en" } else { "de" };
            documents
                .push(json!({"id": format!("{family:02}-{version}"), "text": text, "lang": lang}));
        }
    }
    let rows = service.client().post("/v1/documents", &json!(documents)).json();
    assert!(rows.as_array().unwrap().iter().all(|row| row["added"] == "added"));
    service
}

/// A text with so many words changed.
fn varied(family: usize, version: usize) -> String {
    let mut words: Vec<String> = text(family).split(' ').map(str::to_owned).collect();
    for n in 0..version {
        let at = 8 + n * 3;
        words[at] = format!("other{version}x{n}");
    }
    words.join(" ")
}

#[test]
fn clusters_are_listed_page_by_page_and_filtered() {
    let service = filled();
    let mut client = service.client();
    let whole = client.get("/v1/clusters").json();
    assert_eq!(whole["findings"]["stale"], false);
    let clusters = whole["clusters"].as_array().unwrap();
    assert_eq!(clusters.len(), 9);
    let sizes: Vec<u64> =
        clusters.iter().map(|cluster| cluster["size"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [4, 4, 4, 3, 3, 3, 2, 2, 2]);
    assert_eq!(clusters[0]["id"], "03-0");
    assert_eq!(
        clusters[0]["keeper"]["snippet"].as_str().unwrap(),
        text(3).chars().take(300).collect::<String>()
    );
    assert_eq!(client.all("/v1/clusters?", "clusters", 2), *clusters);
    let by_score = client.all("/v1/clusters?sort=score&", "clusters", 2);
    assert_eq!(by_score.len(), 9);
    assert!(by_score.is_sorted_by_key(|cluster| cluster["lowest_score"].as_f64().unwrap()));
    let count = |client: &mut Client, filter: &str| {
        client.all(&format!("/v1/clusters?{filter}&"), "clusters", 4).len()
    };
    assert_eq!(count(&mut client, "min_size=3&max_size=3"), 3);
    assert_eq!(count(&mut client, "field=lang:en"), 3);
    assert_eq!(count(&mut client, "field=lang:fr"), 0);
    assert_eq!(count(&mut client, "added_after=1"), 9);
    assert_eq!(count(&mut client, "added_before=1"), 0);
    let lowest = by_score[0]["lowest_score"].as_f64().unwrap();
    assert!(count(&mut client, &format!("max_score={lowest}")) >= 1);

    let cluster = client.get("/v1/clusters/03-2").json();
    assert_eq!((&cluster["id"], &cluster["size"]), (&json!("03-0"), &json!(4)));
    let members = cluster["members"].as_array().unwrap();
    assert_eq!(members.len(), 4);
    assert!(members[0]["keeper"] == true && members[1]["keeper"] == false);
    assert_eq!(client.all("/v1/clusters/03-0?", "members", 3), *members);
    client.get("/v1/clusters/00-0").problem(404);
}

#[test]
fn pairs_are_listed_and_told_in_full() {
    let service = filled();
    let mut client = service.client();
    let pairs = client.all("/v1/pairs?", "pairs", 5);
    assert!(pairs.len() >= 18 && pairs.is_sorted_by_key(|pair| pair["score"].as_f64().unwrap()));
    let mut descending = client.all("/v1/pairs?sort=-score&", "pairs", 4);
    descending.reverse();
    assert_eq!(descending, pairs);
    let of = client.all("/v1/pairs?id=03-0&", "pairs", 50);
    assert!(of.len() == 3 && of.iter().all(|pair| pair["a"] == "03-0"));
    assert!(client.all("/v1/pairs?cluster=03-0&", "pairs", 50).len() >= 3);
    assert_eq!(client.all("/v1/pairs?judged=none&", "pairs", 50).len(), pairs.len());
    assert!(client.all("/v1/pairs?judged=yes&", "pairs", 50).is_empty());
    let english = client.all("/v1/pairs?field=lang:en&", "pairs", 50).len();
    assert!(english > 0 && english < pairs.len());

    let pair = client.get("/v1/pairs/03-0/03-3").json();
    let listed = of.iter().find(|pair| pair["b"] == "03-3").unwrap();
    assert_eq!(
        pair["verdict"],
        json!({"duplicate": true, "score": listed["score"], "by": "method"})
    );
    assert_eq!(pair["a"]["text"], text(3));
    assert_eq!(pair["cluster"], json!({"a": "03-0", "b": "03-0"}));
    let side = |op: &str| -> String {
        let pieces = pair["difference"].as_array().unwrap().iter();
        pieces
            .filter(|piece| piece["op"] == "same" || piece["op"] == op)
            .map(|piece| piece["text"].as_str().unwrap())
            .collect()
    };
    assert_eq!((side("a"), side("b")), (text(3), varied(3, 3)));
    assert!(pair["shared"].as_array().is_some_and(|shared| !shared.is_empty()));
    let short = client.get("/v1/pairs/03-0/03-3?text=0").json();
    assert_eq!((&short["a"]["text"], &short["b"]["text"]), (&json!(null), &json!(null)));
    assert_eq!(short["difference"], pair["difference"]);
    client.get("/v1/pairs/03-0/03-0").problem(422);
    client.get("/v1/pairs/03-0/none").problem(404);
}

#[test]
fn long_texts_are_judged_whole_and_shown_in_their_beginnings() {
    let service = Service::usual();
    let words = |n: usize| (0..n).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    let documents = json!([
        {"id": "a", "text": words(50_000)},
        {"id": "b", "text": format!("another {} ending", words(50_000))},
    ]);
    let mut client = service.client();
    assert_eq!(client.post("/v1/documents", &documents).status, 200);
    let pair = client.get("/v1/pairs/a/b?text=0").json();
    assert_eq!(pair["difference_truncated"], true);
    let only = pair["only_b"].as_array().unwrap();
    let told = |word: &str| only.iter().any(|told| told["text"].as_str().unwrap().contains(word));
    assert!(told("another") && !told("ending"), "{only:?}");
    assert!(pair["method"]["score"].as_f64().is_some_and(|score| score < 1.0 && score > 0.99));
}

#[test]
fn a_word_keeps_a_pair_apart_also_after_a_restart() {
    let mut service = filled();
    let mut client = service.client();
    assert_eq!(client.get("/v1/clusters/01-1").json()["size"], 2);
    let word = json!({"a": "01-0", "b": "01-1", "duplicate": false});
    let said = client.post("/v1/judgments", &word).json()["judgments"].clone();
    assert_eq!(said[0]["duplicate"], false);
    assert_eq!(said, client.get("/v1/judgments").json()["judgments"], "told as it is kept");
    client.get("/v1/clusters/01-1").problem(404);
    service.restart();
    let mut client = service.client();
    client.get("/v1/clusters/01-1").problem(404);
    let pair = client.get("/v1/pairs/01-1/01-0").json();
    assert_eq!(
        (&pair["verdict"]["duplicate"], &pair["verdict"]["by"]),
        (&json!(false), &json!("person"))
    );
    assert_eq!(
        (&pair["method"]["duplicate"], &pair["judgment"]["duplicate"]),
        (&json!(true), &json!(false))
    );
    let list = client.get("/v1/judgments").json();
    assert_eq!((&list["total"], &list["judgments"][0]["a"]), (&json!(1), &json!("01-0")));
    let lines = client.get("/v1/judgments?format=jsonl");
    let time = &said[0]["time"];
    assert_eq!(
        lines.rows(),
        [json!({"a": "01-0", "b": "01-1", "duplicate": false, "time": time, "how": "http"})]
    );
    // What was exported can be said again, as of when it was said.
    let before = json!({"a": "01-1", "b": "01-0", "duplicate": false, "time": 5});
    assert_eq!(client.post("/v1/judgments", &before).json()["judgments"][0]["time"], 5);
    assert_eq!(client.get("/v1/judgments").json()["judgments"][0]["time"], 5);
    let back = json!([{"a": "01-1", "b": "01-0", "duplicate": null}]);
    assert_eq!(client.post("/v1/judgments", &back).status, 200);
    assert_eq!(client.get("/v1/clusters/01-1").json()["size"], 2);
    for (wrong, status) in [
        (json!({"a": "x", "b": "y"}), 422),
        (json!({"a": "x", "b": "x", "duplicate": true}), 422),
        (json!({"a": "x", "b": "y", "duplicate": "maybe"}), 422),
        (json!(7), 422),
    ] {
        client.post("/v1/judgments", &wrong).problem(status);
    }
    client
        .post("/v1/judgments?known=1", &json!({"a": "x", "b": "y", "duplicate": true}))
        .problem(404);
}

#[test]
fn the_other_one_is_kept_where_the_first_one_was() {
    let service = filled();
    let mut client = service.client();
    assert_eq!(client.get("/v1/clusters/05-1").json()["id"], "05-0");
    let answer = client.post("/v1/keep", &json!({"keep": "05-1", "over": "05-0"}));
    assert_eq!(answer.status, 200);
    assert_eq!(client.get("/v1/clusters/05-0").json()["id"], "05-1");
    assert_eq!(client.get("/v1/documents/05-0").json()["text"], text(5));
    client.post("/v1/keep", &json!({"keep": "05-1", "over": "none"})).problem(404);
    client.post("/v1/keep", &json!({"keep": "05-1", "over": "05-1"})).problem(422);
    // What a person chose stands above every keep rule.
    let longest =
        Service::new("threshold = 0.6\nkeep = \"longest\"", lookalike_service::Limits::default());
    let mut client = longest.client();
    let shorter = text(1).split(' ').skip(1).collect::<Vec<_>>().join(" ");
    client.post(
        "/v1/documents",
        &json!([{"id": "a", "text": text(1)}, {"id": "b", "text": shorter}]),
    );
    assert_eq!(client.get("/v1/clusters/b?wait=30").json()["id"], "a");
    assert_eq!(client.post("/v1/keep", &json!({"keep": "b", "over": "a"})).status, 200);
    assert_eq!(client.get("/v1/clusters/a?wait=30").json()["id"], "b");
}

#[test]
fn a_choice_that_is_taken_back_leaves_everything_as_it_was() {
    let service = filled();
    let mut client = service.client();
    // A cluster of three: whoever moves one behind the others brings the third to the front.
    let state = |client: &mut Client| {
        let cluster = client.get("/v1/clusters/05-0?wait=30").json();
        let mut told = vec![cluster["id"].clone(), cluster["members"].clone()];
        for id in ["05-0", "05-1", "05-2"] {
            told.push(client.get(&format!("/v1/documents/{id}")).json());
        }
        told
    };
    let two = filled_family(5);
    assert_eq!(client.post("/v1/documents", &two).status, 200);
    let before = state(&mut client);
    assert_eq!(before[0], "05-0");
    assert_eq!(before[1].as_array().unwrap().len(), 3);
    assert_eq!(client.post("/v1/keep", &json!({"keep": "05-1", "over": "05-0"})).status, 200);
    let chosen = state(&mut client);
    assert_eq!((&chosen[0], &chosen[2..]), (&json!("05-1"), &before[2..]));
    let back = json!({"a": "05-0", "b": "05-1", "duplicate": null});
    assert_eq!(client.post("/v1/judgments", &back).status, 200);
    assert_eq!(state(&mut client), before);
}

/// One more version of a family of two.
fn filled_family(family: usize) -> serde_json::Value {
    json!({"id": format!("{family:02}-2"), "text": varied(family, 2), "lang": "de"})
}

#[test]
fn clusters_without_an_answer_are_listed_first_or_alone() {
    let service = filled();
    let mut client = service.client();
    let ids = |client: &mut Client, query: &str| -> Vec<String> {
        let all = client.all(&format!("/v1/clusters?{query}&"), "clusters", 2);
        all.iter().map(|cluster| cluster["id"].as_str().unwrap().to_owned()).collect()
    };
    let all = ids(&mut client, "sort=size");
    assert_eq!(ids(&mut client, "sort=open"), all);
    assert_eq!(ids(&mut client, "judged=open"), all);
    for b in ["03-1", "03-2", "03-3"] {
        client.post("/v1/judgments", &json!({"a": "03-0", "b": b, "duplicate": true}));
    }
    // Answers count at once, also where the last run knows nothing of them.
    let open = ids(&mut client, "judged=open&wait=0");
    assert_eq!(open, all[1..]);
    assert_eq!(ids(&mut client, "judged=answered"), ["03-0"]);
    assert_eq!(ids(&mut client, "sort=open"), [&open[..], &["03-0".to_owned()]].concat());
    assert_eq!(ids(&mut client, "judged=open&after=03-0"), open);
    assert_eq!(ids(&mut client, &format!("judged=open&after={}", open[2])), open[3..]);
    let first = client.get("/v1/clusters?limit=1").json()["clusters"][0].clone();
    assert_eq!((&first["open"], &first["disagreed"]), (&json!(0), &json!(0)));
}

#[test]
fn questions_are_asked_until_they_are_answered_and_tune_learns_from_them() {
    let service = filled();
    let mut client = service.client();
    client.post("/v1/tune", &json!({})).problem(422);
    let mut asked = Vec::new();
    let before = client.get("/v1/questions?limit=10").json();
    let open = before["open"].as_u64().unwrap();
    assert!(open >= 10, "{before}");
    for _ in 0..10 {
        let question = client.get("/v1/questions?limit=1").json()["questions"][0].clone();
        let (a, b) = (question["a"]["id"].clone(), question["b"]["id"].clone());
        assert!(!asked.contains(&(a.clone(), b.clone())), "{a} and {b} again");
        let duplicate = question["score"].as_f64().unwrap() > 0.7;
        let word = json!({"a": a, "b": b, "duplicate": duplicate});
        assert_eq!(client.post("/v1/judgments", &word).status, 200);
        asked.push((a, b));
    }
    let after = client.get("/v1/questions").json();
    assert_eq!((after["open"].as_u64(), &after["answered"]), (Some(open - 10), &json!(10)));
    client.post("/v1/judgments", &json!({"a": "00-0", "b": "04-0", "duplicate": false}));
    client.post("/v1/judgments", &json!({"a": "03-0", "b": "03-1", "duplicate": true}));
    client.post("/v1/tune", &json!({"methods": ["nothing"]})).problem(422);
    client.post("/v1/tune", &json!({"budget_s": 0})).problem(422);
    let started = client.post("/v1/tune", &json!({"methods": ["minhash"], "budget_s": 60}));
    assert_eq!(started.status, 202);
    let mut trial = started.json();
    for _ in 0..600 {
        if trial["state"] != "running" {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
        trial = client.get("/v1/tune").json();
    }
    assert_eq!(trial["state"], "done", "{trial}");
    assert!(trial["labels"]["yes"].as_u64() >= Some(1));
    let result = &trial["result"];
    assert!(result["config"].as_str().unwrap().contains("minhash"));
    assert!(result["ranking"][0]["f1"]["mean"].as_f64().is_some());
}

#[test]
fn an_index_in_which_no_two_are_alike_has_nothing_to_ask() {
    let service = Service::usual();
    let mut client = service.client();
    let (_, told) = client.get("/v1/questions").problem(409);
    assert!(!told.is_empty());
    assert_eq!(client.get("/v1/clusters").json()["clusters"], json!([]));
    client.post("/v1/documents", &json!({"id": "a", "text": text(1)}));
    client.post("/v1/documents", &json!({"id": "b", "text": edited(1)}));
    assert_eq!(client.get("/v1/clusters").json()["total"], 1);
}

#[test]
fn a_pair_that_was_judged_keeps_its_measured_score_in_the_list() {
    let service = filled();
    let mut client = service.client();
    let score = |client: &mut Client| {
        let cluster = client.get("/v1/clusters/01-0?wait=30").json();
        cluster["members"][1]["score"].clone()
    };
    let measured = score(&mut client);
    assert!(measured.as_f64().is_some_and(|score| score < 1.0), "{measured}");
    let word = json!({"a": "01-0", "b": "01-1", "duplicate": true});
    assert_eq!(client.post("/v1/judgments", &word).status, 200);
    let cluster = client.get("/v1/clusters/01-0?wait=30").json();
    assert_eq!(cluster["findings"]["stale"], false);
    assert_eq!((score(&mut client), &cluster["members"][1]["judged"]), (measured, &json!(true)));
}
