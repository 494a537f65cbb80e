//! `openapi.json` says what the service does: its addresses, and the fields of its answers.

use serde_json::{Value, json};

use crate::client::{Service, edited, text};

/// What is wrong with a value under a schema, if anything: kinds, required and unknown fields.
fn wrong(document: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    let resolved = |schema: &Value| match schema["$ref"].as_str() {
        Some(name) => document.pointer(name.trim_start_matches('#')).unwrap().clone(),
        None => schema.clone(),
    };
    let schema = resolved(schema);
    if let Some(any) = schema["oneOf"].as_array() {
        let reasons: Vec<String> =
            any.iter().filter_map(|one| wrong(document, one, value, place)).collect();
        return (reasons.len() == any.len()).then(|| reasons.join(" or "));
    }
    // The parts of a whole: their fields together.
    let mut parts = vec![schema.clone()];
    while let Some(at) = parts.iter().position(|part| part["allOf"].is_array()) {
        let part = parts.remove(at);
        parts.extend(part["allOf"].as_array().unwrap().iter().map(resolved));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let mut properties = serde_json::Map::new();
    for part in &parts {
        let kinds = match &part["type"] {
            Value::String(kind) => vec![kind.as_str()],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let fits = kinds.contains(&kind) || (kind == "integer" && kinds.contains(&"number"));
        if !kinds.is_empty() && !fits {
            return Some(format!("{place} is {kind}, not {kinds:?}"));
        }
        if let Some(words) = part["enum"].as_array()
            && !words.contains(value)
        {
            return Some(format!("{place} is {value}, none of {words:?}"));
        }
        let required = part["required"].as_array().cloned().unwrap_or_default();
        if let Some(object) = value.as_object() {
            for name in required.iter().filter_map(Value::as_str) {
                if !object.contains_key(name) {
                    return Some(format!("{place} has no `{name}`"));
                }
            }
        }
        properties.extend(part["properties"].as_object().cloned().unwrap_or_default());
    }
    match value {
        Value::Array(items) => {
            let of_item = &parts[0]["items"];
            let item = |(at, item)| wrong(document, of_item, item, &format!("{place}/{at}"));
            items.iter().enumerate().find_map(item)
        }
        Value::Object(object) if !properties.is_empty() => {
            object.iter().find_map(|(name, value)| {
                let place = format!("{place}/{name}");
                match properties.get(name) {
                    Some(schema) => wrong(document, schema, value, &place),
                    None => Some(format!("{place} is not in the document")),
                }
            })
        }
        _ => None,
    }
}

#[test]
fn the_document_names_every_address_and_every_field_of_an_answer() {
    let service = Service::usual();
    let mut client = service.client();
    let document = client.get("/openapi.json").json();
    let documents = json!([
        {"id": "a", "text": text(1), "title": "A"}, {"id": "b", "text": edited(1)},
        {"id": "c", "text": text(2)}, {"id": "d", "text": edited(2)},
    ]);
    let mut seen = Vec::new();
    let mut check = |method: &str, route: &str, path: &str, body: Option<&Value>| {
        let answer = match body {
            Some(body) => client.post(path, body),
            None if method == "delete" => client.delete(path),
            None => client.get(path),
        };
        let operation = &document["paths"][route][method];
        assert!(operation.is_object(), "{method} {route} is not in the document");
        let told = &operation["responses"][answer.status.to_string()];
        assert!(told.is_object(), "{method} {route}: {} is not in the document", answer.status);
        let told = match told["$ref"].as_str() {
            Some(name) => document.pointer(name.trim_start_matches('#')).unwrap(),
            None => told,
        };
        let kind = answer.header("content-type").split(';').next().unwrap().to_owned();
        let schema = &told["content"][&kind]["schema"];
        if kind.ends_with("json") {
            assert!(schema.is_object(), "{method} {route}: {kind} is not in the document");
            let reason = wrong(&document, schema, &answer.json(), route);
            assert_eq!(reason, None, "{method} {path}");
        }
        seen.push((method.to_owned(), route.to_owned()));
    };
    let one = json!({"text": edited(1)});
    let word = |duplicate: bool, b: &str| json!({"a": "a", "b": b, "duplicate": duplicate});
    check("post", "/v1/documents", "/v1/documents?explain=1", Some(&documents));
    check("post", "/v1/documents", "/v1/documents", Some(&documents));
    check("post", "/v1/check", "/v1/check?explain=1", Some(&one));
    check("post", "/v1/check", "/v1/check?difference=1", Some(&one));
    check("post", "/v1/check", "/v1/check", Some(&json!([one])));
    check("post", "/v1/check", "/v1/check", Some(&json!(7)));
    check("get", "/v1/documents/{id}", "/v1/documents/a", None);
    check("get", "/v1/documents/{id}", "/v1/documents/none", None);
    check("get", "/v1/documents/{id}", "/v1/documents/a?text=perhaps", None);
    check("get", "/v1/documents/{id}", "/v1/documents/%ff", None);
    check("delete", "/v1/documents/{id}", "/v1/documents/%ff", None);
    check("delete", "/v1/documents/{id}", "/v1/documents/a?really=1", None);
    check("get", "/v1/clusters", "/v1/clusters?limit=1", None);
    check("get", "/v1/clusters/{id}", "/v1/clusters/a", None);
    check("get", "/v1/pairs", "/v1/pairs", None);
    check("get", "/v1/pairs", "/v1/pairs?limit=0", None);
    check("get", "/v1/pairs/{a}/{b}", "/v1/pairs/a/b", None);
    check("get", "/v1/questions", "/v1/questions", None);
    check("post", "/v1/tune", "/v1/tune", Some(&json!({})));
    check("post", "/v1/tune", "/v1/tune?budget_s=5", Some(&json!({})));
    check("post", "/v1/judgments", "/v1/judgments", Some(&word(true, "b")));
    check("post", "/v1/judgments", "/v1/judgments", Some(&json!([word(false, "c")])));
    check("get", "/v1/pairs/{a}/{b}", "/v1/pairs/a/b", None);
    check("get", "/v1/judgments", "/v1/judgments", None);
    check("post", "/v1/tune", "/v1/tune", Some(&json!({"methods": ["exact"], "budget_s": 5})));
    check("get", "/v1/tune", "/v1/tune", None);
    check("post", "/v1/keep", "/v1/keep", Some(&json!({"keep": "b", "over": "a"})));
    check("get", "/v1/stat", "/v1/stat", None);
    check("get", "/v1/session", "/v1/session", None);
    check("get", "/metrics", "/metrics", None);
    check("get", "/healthz", "/healthz", None);
    check("get", "/readyz", "/readyz", None);
    check("get", "/openapi.json", "/openapi.json", None);
    check("get", "/", "/", None);
    check("get", "/page/{name}", "/page/index.html", None);
    check("delete", "/v1/documents/{id}", "/v1/documents/a", None);
    check("post", "/v1/check", "/v1/check?nearest=3&limit=1&threshold=0.1", Some(&one));
    check("post", "/v1/remove", "/v1/remove", Some(&json!({"ids": ["d"], "dry_run": true})));
    check("post", "/v1/remove", "/v1/remove", Some(&json!({"ids": ["d"]})));
    check("post", "/v1/remove", "/v1/remove", Some(&json!({"ids": ["d"], "expired": true})));
    check("get", "/v1/maintenance", "/v1/maintenance", None);
    check("post", "/v1/maintenance", "/v1/maintenance", Some(&json!({"task": "verify"})));
    check("post", "/v1/maintenance", "/v1/maintenance", Some(&json!({"task": "rest"})));
    // Whoever sends JSON can send something else.
    for route in ["/v1/check", "/v1/documents", "/v1/judgments", "/v1/keep", "/v1/tune"] {
        let broken = service.client().call("POST", route, "application/json", b"{");
        let told = &document["paths"][route]["post"]["responses"];
        assert!(told["400"].is_object() && broken.status == 400, "{route}: {}", broken.status);
    }
    for (route, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let called = seen.iter().any(|(m, r)| m == method && r == route);
            assert!(called, "{method} {route} is in the document and was not called");
        }
    }
}
