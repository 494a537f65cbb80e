//! Messages: the subject, and the body decoded from whatever it was sent in.
//!
//! The text of a message is its subject and its body, as in the 2008 paper. Of alternatives the
//! plain one counts; a message that is only HTML gives the visible text of its page.

use std::borrow::Cow;

use mail_parser::{DateTime, HeaderName, HeaderValue, Message, MessageParser, PartType};
use memchr::memmem;
use serde_json::Value;

use super::Columns;
use super::mail_nesting as nesting;
use super::mbox::FROM;
use crate::{InputOptions, RowDocument};

/// Parses one message.
pub(crate) fn parse<'a>(
    raw: Cow<'a, [u8]>,
    options: &InputOptions,
    fallback_id: impl FnOnce() -> String,
) -> Result<RowDocument<'a>, String> {
    let id_key = options.id_key.field();
    let (subject, text, id) = nesting::with_room(&raw, |raw| {
        // The parser takes nearly any bytes; only known headers show that this is mail.
        let is_mail = |message: &Message<'_>| {
            message.headers().iter().any(|header| !matches!(header.name, HeaderName::Other(_)))
        };
        let message = MessageParser::default()
            .parse(raw)
            .filter(is_mail)
            .ok_or("not a mail message: it has no mail header")?;
        let subject = message.subject().unwrap_or_default().to_owned();
        let text = format!("{subject}\n\n{}", body(&message)?);
        let id = id_key.and_then(|key| header(&message, key));
        Ok::<_, String>((subject, text, id))
    })??;
    let subject = nesting::unmasked(Cow::Owned(subject)).into_owned();
    let text = nesting::unmasked(Cow::Owned(text)).into_owned();
    Ok(RowDocument {
        id_is_literal: false,
        id: Cow::Owned(id.filter(|id| !id.is_empty()).unwrap_or_else(fallback_id)),
        text: Cow::Owned(text),
        title: (!subject.is_empty()).then_some(Cow::Owned(subject)),
        url: None,
        columns: Columns::Mail(raw),
    })
}

/// The message without its separator, and with quoted `>From ` lines as they were.
pub(crate) fn from_mbox(record: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if !record.starts_with(FROM) {
        return Err("the file does not begin with a line `From ...`; is it an mbox?".into());
    }
    let body = memchr::memchr(b'\n', record).map_or(&[][..], |end| &record[end + 1..]);
    if memmem::find(body, b"\n>").is_none() {
        return Ok(Cow::Borrowed(body));
    }
    let mut plain = Vec::with_capacity(body.len());
    for line in body.split_inclusive(|byte| *byte == b'\n') {
        let quotes = line.iter().take_while(|byte| **byte == b'>').count();
        let quoted = quotes > 0 && line[quotes..].starts_with(FROM);
        plain.extend_from_slice(if quoted { &line[1..] } else { line });
    }
    Ok(Cow::Owned(plain))
}

/// The value of a header; dates as `2008-07-20T12:00:00Z`, so that they sort.
pub(crate) fn field(raw: &[u8], name: &str) -> Option<Value> {
    nesting::with_room(raw, |raw| {
        let message = MessageParser::default().parse(raw)?;
        header(&message, name).map(Value::String)
    })
    .ok()?
}

fn body(message: &Message<'_>) -> Result<String, String> {
    let mut body = String::new();
    for part in message.text_bodies() {
        if !body.is_empty() {
            body.push('\n');
        }
        match &part.body {
            PartType::Text(text) => body.push_str(text),
            PartType::Html(page) => body.push_str(&visible_text(page)?),
            _ => {}
        }
    }
    Ok(body)
}

#[cfg(feature = "html")]
fn visible_text(page: &str) -> Result<String, String> {
    let page = lookalike_text::extract::html(page).map_err(|error| error.to_string())?;
    Ok(page.text)
}

#[cfg(not(feature = "html"))]
#[expect(clippy::unnecessary_wraps, reason = "the other reading of pages may fail")]
fn visible_text(page: &str) -> Result<String, String> {
    Ok(mail_parser::decoders::html::html_to_text(page))
}

fn header(message: &Message<'_>, name: &str) -> Option<String> {
    match message.header(name.to_owned())? {
        HeaderValue::Text(text) => Some(text.to_string()),
        HeaderValue::TextList(texts) => Some(texts.join(", ")),
        HeaderValue::DateTime(date) => {
            Some(DateTime::from_timestamp(date.to_timestamp()).to_rfc3339())
        }
        _ => message.header_raw(name.to_owned()).map(|raw| raw.trim().to_owned()),
    }
}
