//! Loads a service: so many connections, checks and additions mixed, for so many seconds.
//!
//!     cargo run --release -p lookalike-service --example load -- 127.0.0.1:7878 64 60 [ADDS_PERCENT [TOKEN]]
//!
//! Prints one JSON object: requests a second, times in milliseconds, answers by status, and the additions
//! of each ten seconds.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for measuring")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What one connection saw.
#[derive(Default)]
struct Seen {
    /// Milliseconds of each answered check and addition.
    checks: Vec<f64>,
    additions: Vec<f64>,
    /// Additions by the ten seconds in which they were answered.
    additions_over_time: BTreeMap<u64, u64>,
    statuses: BTreeMap<u16, u64>,
    failures: u64,
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 27)
    }
}

/// A text of about a kilobyte; one of five is one of a thousand others with a word changed.
fn text(numbers: &mut Numbers) -> String {
    let is_copy = numbers.next().is_multiple_of(5);
    let seed = if is_copy { numbers.next() % 1000 } else { numbers.next() };
    let mut of_text = Numbers(seed);
    let mut words: Vec<String> =
        (0..160).map(|_| format!("w{}", of_text.next() % 50_000)).collect();
    words[(numbers.next() % 160) as usize] = "changed".into();
    words.join(" ")
}

fn answer(stream: &mut BufReader<TcpStream>) -> std::io::Result<u16> {
    let wrong = || std::io::Error::other("no answer");
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(wrong)?;
    let mut length = 0;
    while !line.trim().is_empty() {
        line.clear();
        stream.read_line(&mut line)?;
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().map_err(|_| wrong())?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(status)
}

fn converse(address: &str, place: u64, adds_percent: u64, token: &str, until: Instant) -> Seen {
    let begun = Instant::now();
    let mut seen = Seen::default();
    let mut numbers = Numbers(place << 32);
    let mut stream: Option<BufReader<TcpStream>> = None;
    while Instant::now() < until {
        let connected = match stream.take() {
            Some(stream) => Ok(stream),
            None => TcpStream::connect(address).map(BufReader::new),
        };
        let Ok(mut connected) = connected else {
            seen.failures += 1;
            std::thread::sleep(Duration::from_millis(50));
            continue;
        };
        let adds = numbers.next() % 100 < adds_percent;
        let id = format!("{place}-{:x}", numbers.next());
        let body = format!(r#"{{"id":"{id}","text":"{}"}}"#, text(&mut numbers));
        let path = if adds { "/v1/documents?on_id=skip" } else { "/v1/check" };
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n{token}\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let start = Instant::now();
        let sent = connected.get_mut().write_all(request.as_bytes());
        let Ok(status) = sent.and_then(|()| answer(&mut connected)) else {
            seen.failures += 1;
            continue;
        };
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        *seen.statuses.entry(status).or_default() += 1;
        match (status, adds) {
            (200, true) => {
                seen.additions.push(milliseconds);
                *seen.additions_over_time.entry(begun.elapsed().as_secs() / 10).or_default() += 1;
            }
            (200, false) => seen.checks.push(milliseconds),
            // As the service asks by Retry-After.
            _ => std::thread::sleep(Duration::from_secs(1)),
        }
        stream = Some(connected);
    }
    seen
}

fn times(mut milliseconds: Vec<f64>) -> String {
    milliseconds.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (milliseconds.len() as f64 * share) as usize;
        milliseconds.get(place.min(milliseconds.len().saturating_sub(1))).copied().unwrap_or(0.0)
    };
    let (count, middle, most, all) = (milliseconds.len(), at(0.5), at(0.99), at(1.0));
    format!(r#"{{"count":{count},"p50_ms":{middle:.1},"p99_ms":{most:.1},"max_ms":{all:.1}}}"#)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, connections, seconds, rest @ ..] = arguments.as_slice() else {
        println!("load ADDRESS:PORT CONNECTIONS SECONDS [ADDS_PERCENT [TOKEN]]");
        return;
    };
    let connections: u64 = connections.parse().unwrap();
    let seconds: f64 = seconds.parse().unwrap();
    let adds_percent: u64 = rest.first().map_or(20, |percent| percent.parse().unwrap());
    let token = rest.get(1).map(|token| format!("authorization: Bearer {token}\r\n"));
    let token = token.unwrap_or_default();
    let start = Instant::now();
    let until = start + Duration::from_secs_f64(seconds);
    let mut all = Seen::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections)
            .map(|place| {
                let token = &token;
                scope.spawn(move || converse(address, place, adds_percent, token, until))
            })
            .collect();
        for thread in threads {
            let seen = thread.join().unwrap();
            all.checks.extend(seen.checks);
            all.additions.extend(seen.additions);
            for (at, count) in seen.additions_over_time {
                *all.additions_over_time.entry(at).or_default() += count;
            }
            all.failures += seen.failures;
            for (status, count) in seen.statuses {
                *all.statuses.entry(status).or_default() += count;
            }
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let answered = (all.checks.len() + all.additions.len()) as f64;
    let per_second = answered / seconds;
    let statuses: Vec<String> =
        all.statuses.iter().map(|(status, count)| format!("\"{status}\":{count}")).collect();
    let over_time: Vec<String> = all.additions_over_time.values().map(u64::to_string).collect();
    println!(
        "{{\"connections\":{connections},\"seconds\":{seconds:.1},\"per_second\":{per_second:.1},\
         \"checks\":{},\"additions\":{},\"statuses\":{{{}}},\"failures\":{},\"additions_of_ten_seconds\":[{}]}}",
        times(all.checks),
        times(all.additions),
        statuses.join(","),
        all.failures,
        over_time.join(","),
    );
}
