//! Who may do what: tokens with roles, from a file.
//!
//! A line is `ROLES TOKEN [NAME]`: `read,write 3f9c… crawler`. The token may be given as
//! `sha256:HEX` instead, so that the file holds no secret. `#` begins a comment.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app::App;

/// Shorter tokens can be guessed.
const LEAST_CHARACTERS: usize = 16;

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// To look and to check.
    Read,
    /// To add and to remove.
    Write,
    /// To say what is a duplicate.
    Judge,
}

impl Role {
    /// All roles, by their names.
    pub const ALL: [(&'static str, Self); 3] =
        [("read", Self::Read), ("write", Self::Write), ("judge", Self::Judge)];

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

/// Some roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roles(u8);

impl Roles {
    /// Every role.
    pub const ALL: Self = Self(0b111);

    /// Whether a role is among them.
    pub fn has(self, role: Role) -> bool {
        self.0 & role.bit() != 0
    }

    /// Their names.
    pub fn names(self) -> Vec<&'static str> {
        Role::ALL.iter().filter(|(_, role)| self.has(*role)).map(|(name, _)| *name).collect()
    }
}

/// The tokens of a file; only their digests are held.
#[derive(Default)]
pub struct Tokens(Vec<Token>);

struct Token {
    digest: [u8; 32],
    client: Client,
}

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// What it may do.
    pub roles: Roles,
    /// The name beside its token; empty where there is none.
    pub name: Arc<str>,
}

impl Tokens {
    /// Reads a file of tokens.
    ///
    /// # Errors
    /// It cannot be read, a line is no token, or it has none.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        Self::parse(&text).map_err(|reason| format!("{}: {reason}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut tokens = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let Some(roles) = words.next() else { continue };
            // The line is not repeated: it may hold the secret.
            let wrong = |what: &str| format!("line {}: {what}", at + 1);
            let roles = parse_roles(roles)
                .ok_or_else(|| wrong("it begins with roles, some of read,write,judge"))?;
            let token = words.next().ok_or_else(|| wrong("there is no token after the roles"))?;
            let digest = match token.strip_prefix("sha256:") {
                Some(hex) => parse_hex(hex)
                    .ok_or_else(|| wrong("sha256: is followed by 64 hexadecimal digits"))?,
                None if token.len() < LEAST_CHARACTERS => {
                    return Err(wrong("the token has fewer than 16 characters"));
                }
                None => Sha256::digest(token).into(),
            };
            let name = words.collect::<Vec<_>>().join(" ").into();
            tokens.push(Token { digest, client: Client { roles, name } });
        }
        if tokens.is_empty() {
            return Err("it has no token".into());
        }
        Ok(Self(tokens))
    }

    /// Whose token it is, if it is one. Every token is compared, each in constant time.
    pub fn client(&self, token: &str) -> Option<&Client> {
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for known in &self.0 {
            if bool::from(known.digest.ct_eq(&digest)) {
                found = Some(&known.client);
            }
        }
        found
    }
}

/// How often the file of tokens is looked at.
const LOOKED_AT: Duration = Duration::from_secs(1);

/// Exchanges the tokens whenever their file changes, for as long as the service runs. While the file
/// cannot be read, those that there are stay.
pub async fn reload(path: PathBuf, app: Arc<App>) {
    let changed = |path: &Path| {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    let mut ending = app.ending.clone();
    // Looked at once more at the start: it may have changed since it was read.
    let mut known = None;
    loop {
        let found = changed(&path);
        if found != known {
            known = found;
            match (Tokens::read(&path), &app.tokens) {
                (Ok(read), Some(tokens)) => {
                    *tokens.write().unwrap_or_else(PoisonError::into_inner) = read;
                }
                (Err(reason), _) => {
                    tracing::error!(
                        reason,
                        "the file of tokens cannot be read; the earlier ones hold"
                    );
                }
                (Ok(_), None) => return,
            }
        }
        let is_ending = ending.wait_for(|ending| *ending);
        if tokio::time::timeout(LOOKED_AT, is_ending).await.is_ok() {
            return;
        }
    }
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} tokens", self.0.len())
    }
}

fn parse_roles(text: &str) -> Option<Roles> {
    let mut roles = Roles(0);
    for name in text.split(',') {
        let (_, role) = Role::ALL.iter().find(|(known, _)| *known == name)?;
        roles.0 |= role.bit();
    }
    Some(roles)
}

fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    let mut bytes = [0; 32];
    if digits.len() != 64 {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_the_roles_of_their_lines() {
        let digest = Sha256::digest("a-judge-with-a-long-token");
        let hex: Vec<String> = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let hex = hex.concat();
        let text = format!(
            "# who\n\nread,write 0123456789abcdef crawler # the crawler\njudge sha256:{hex}\n"
        );
        let tokens = Tokens::parse(&text).unwrap();
        assert_eq!(tokens.client("0123456789abcdef").unwrap().roles.names(), ["read", "write"]);
        assert_eq!(&*tokens.client("0123456789abcdef").unwrap().name, "crawler");
        let judge = tokens.client("a-judge-with-a-long-token").unwrap().roles;
        assert!(judge.has(Role::Judge) && !judge.has(Role::Read));
        for wrong in ["", "0123456789abcde", "0123456789abcdeg", &hex] {
            assert_eq!(tokens.client(wrong), None);
        }
        assert_eq!(format!("{tokens:?}"), "2 tokens");
    }

    #[test]
    fn lines_that_are_no_token_are_named_without_the_secret() {
        for (text, word) in [
            ("", "no token"),
            ("# nothing\n", "no token"),
            ("read", "no token after"),
            ("\nadmin 0123456789abcdef", "line 2"),
            ("read short-secret", "16 characters"),
            ("read sha256:12", "64 hexadecimal"),
        ] {
            let reason = Tokens::parse(text).unwrap_err();
            assert!(reason.contains(word) && !reason.contains("secret"), "{reason}");
        }
    }
}
