//! A process of its own for every PDF.
//!
//! A hostile PDF can unpack to more than there is memory, recurse until the stack ends, or loop. A
//! thread is no protection against the first two; a process is, and the system enforces its limits.

use std::env;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::OnceLock;

/// The argument by which this program knows that it is to read one PDF and nothing else.
const ARGUMENT: &str = "read-pdf-from-standard-input";
/// What a file may take: seconds of the processor, and bytes of memory with all that is reserved.
const MAX_SECONDS: u64 = 60;
const MAX_MEMORY: u64 = 1 << 30;
/// The limit of the operating system is for its own thread; the parser runs on a larger one.
const STACK_BYTES: usize = 64 << 20;

/// The program to start, once it has said that it can be started.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Lets this program read PDF; to be called first thing in `main`, which ends if there is a status.
///
/// Each PDF is read by another process of the same program, so that a hostile one is a row that
/// cannot be read and nothing more. Without this call every PDF is such a row.
pub fn document_process() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|argument| argument != ARGUMENT) {
        if let Some(program) = program() {
            // A second call changes nothing.
            let _ = PROGRAM.set(program);
        }
        return None;
    }
    let max_bytes = arguments.next().and_then(|limit| limit.to_str()?.parse().ok());
    Some(read_standard_input(max_bytes.unwrap_or(0)))
}

/// This program, even if its file was exchanged for another meanwhile.
fn program() -> Option<PathBuf> {
    if cfg!(target_os = "linux") { Some("/proc/self/exe".into()) } else { env::current_exe().ok() }
}

/// The text of a PDF, read in a process of its own.
///
/// # Errors
/// The reason why there is none, in words.
pub(crate) fn text(bytes: &[u8], max_bytes: usize) -> Result<String, String> {
    let program = PROGRAM.get().ok_or(
        "a PDF is read in a process of its own, which this program does not offer \
         (lookalike_corpus::document_process)",
    )?;
    let failed = |error: io::Error| format!("the process that reads it cannot be started: {error}");
    let mut process = Command::new(program)
        .arg(ARGUMENT)
        .arg(max_bytes.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    // It reads all before it writes anything; one that has died reads nothing more, and says so by
    // its status.
    if let Some(mut input) = process.stdin.take() {
        let _ = input.write_all(bytes);
    }
    let output = process.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        return Err(end_of(output.status));
    }
    let answer = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    match answer.split_at_checked(1) {
        Some(("+", text)) => Ok(text.to_owned()),
        Some(("-", reason)) => Err(reason.to_owned()),
        _ => Err("the process that reads it gave no answer".into()),
    }
}

/// Why a process ended before it could answer.
fn end_of(status: ExitStatus) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        let xcpu = rustix::process::Signal::XCPU.as_raw();
        match status.signal() {
            Some(signal) if signal == xcpu => {
                return format!("reading the PDF takes more than {MAX_SECONDS} seconds");
            }
            Some(_) => return "the PDF takes more memory or stack than a document may".into(),
            None => {}
        }
    }
    format!("the PDF is damaged in a way that stops the parser ({status})")
}

fn read_standard_input(max_bytes: usize) -> ExitCode {
    limit();
    let mut bytes = Vec::new();
    if io::stdin().lock().read_to_end(&mut bytes).is_err() {
        return ExitCode::FAILURE;
    }
    let thread = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || super::pdf::text(bytes, max_bytes));
    let answer = match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(text))) => format!("+{text}"),
        Ok(Ok(Err(reason))) => format!("-{reason}"),
        Ok(Err(_)) | Err(_) => return ExitCode::FAILURE,
    };
    match io::stdout().lock().write_all(answer.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let at_most = |limit| Rlimit { current: Some(limit), maximum: Some(limit) };
    // A limit that the system does not know is one less; the counts of the reader still hold.
    let _ = setrlimit(Resource::As, at_most(MAX_MEMORY));
    let _ = setrlimit(Resource::Cpu, at_most(MAX_SECONDS));
    let _ = setrlimit(Resource::Core, at_most(0));
}

#[cfg(not(unix))]
fn limit() {
    std::thread::spawn(|| {
        std::thread::sleep(std::time::Duration::from_secs(MAX_SECONDS));
        std::process::exit(1);
    });
}
