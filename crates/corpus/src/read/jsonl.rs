//! JSON Lines: only the fields that are needed, borrowed from the line where possible.
//!
//! There are three roads. Plain rows are taken by [`scan`](super::json_scan::scan), which knows
//! just enough JSON for them. What it does not understand, errors among it, goes to serde: one
//! pass that picks the wanted top-level fields and skips the rest. The general lookup
//! ([`nested_fields`]) also knows paths into nested objects and fields with two meanings. All are
//! tested against a reader that parses everything.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::Columns;
use super::json_scan::scan;
use crate::text_key::TextKey;
use crate::{InputOptions, OwnedDocument, RowDocument};

/// How the fields of a row are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldLookup {
    /// Top-level fields, each with one meaning.
    Usual,
    /// Paths into nested objects, or fields with two meanings.
    General,
}

impl FieldLookup {
    /// The lookup that these keys need.
    pub(crate) fn choose(options: &InputOptions) -> Self {
        let titles = options.title_keys.iter().map(String::as_str);
        let keys: Vec<&str> = titles
            .chain([options.text_key.as_str(), &options.url_key])
            .chain(options.id_key.field())
            .collect();
        let repeats = |place: usize| keys[..place].contains(&keys[place]);
        let is_general = is_composed(&options.text_key);
        let is_general =
            is_general || (0..keys.len()).any(|place| keys[place].contains('.') || repeats(place));
        if is_general { Self::General } else { Self::Usual }
    }
}

/// Parses one line; `fallback_id` makes the id of a row that has none, `room` is memory to reuse
/// from row to row.
pub(crate) fn parse<'a>(
    line: &'a [u8],
    options: &InputOptions,
    lookup: FieldLookup,
    room: &'a mut Vec<u8>,
    fallback_id: impl FnOnce() -> String,
) -> Result<RowDocument<'a>, String> {
    let line = simdutf8::compat::from_utf8(line)
        .map_err(|error| format!("invalid UTF-8 at byte {}", error.valid_up_to() + 1))?;
    let line = line.trim_ascii();
    match line.as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') => return Err("the row is a JSON list; give one object a line".into()),
        _ => return Err("the row is not a JSON object".into()),
    }
    let fields = match lookup {
        FieldLookup::Usual => match scan(line, options, room) {
            Some(fields) => Ok(fields),
            None => picked_fields(line, options),
        },
        FieldLookup::General => nested_fields(line, options),
    }
    .map_err(|error| malformed(&error))?;
    let text = match fields.text {
        Some(Found::String(text)) => text,
        // A row whose text is null has none to read, like one whose text is "".
        Some(Found::Null) => Cow::Borrowed(""),
        Some(Found::Other(kind)) => {
            let key = &options.text_key;
            let way = match kind {
                "a list" => format!("; `{key}[]` reads a list of strings"),
                _ => String::new(),
            };
            return Err(format!("field `{key}` is {kind}, not a string{way}"));
        }
        Some(Found::Wrong(reason)) => return Err(format!("field {reason}")),
        None => return Err(without_text(line, &options.text_key)),
    };
    Ok(RowDocument {
        id_is_literal: fields.id.as_ref().is_some_and(|id| id.is_literal),
        id: fields.id.map_or_else(|| Cow::Owned(fallback_id()), |id| id.text),
        text,
        title: fields.title.map(|(_, title)| title),
        url: fields.url,
        columns: Columns::Json { line, nothing_else: fields.nothing_else },
    })
}

/// One row of JSON Lines by itself, with all of its fields but those that are its text and its id:
/// for input that is answered as it comes.
///
/// It is read as a row of a file would be; `place` is its id where it names none.
///
/// # Errors
/// What is wrong with the row, in words.
pub fn parse_json_row(
    line: &[u8],
    options: &InputOptions,
    place: &str,
) -> Result<OwnedDocument, String> {
    if line.len() > options.max_row_bytes {
        return Err(format!("the row has more than {} bytes", options.max_row_bytes));
    }
    let mut room = Vec::new();
    let row = parse(line, options, FieldLookup::choose(options), &mut room, || place.to_owned())?;
    let row = if options.html { super::visible(row)? } else { row };
    let known = [Some(options.text_key.as_str()), options.id_key.field()];
    let fields = row.fields_but(&known.into_iter().flatten().collect::<Vec<_>>());
    Ok(OwnedDocument { fields, ..OwnedDocument::from(&row) })
}

/// The value of a field, by name or by path.
pub(crate) fn field(line: &str, name: &str) -> Option<Value> {
    let raw = lookup(line, name).ok()??;
    serde_json::from_str(raw.get()).ok()
}

/// All fields of a row but those named here; none where it is no object.
pub(crate) fn all_but(line: &str, known: &[&str]) -> serde_json::Map<String, Value> {
    let members = members(line.trim_ascii()).unwrap_or_default().into_iter();
    let wanted = members.filter(|(name, _)| !known.contains(&name.as_ref()));
    wanted
        .filter_map(|(name, raw)| Some((name.into_owned(), serde_json::from_str(raw.get()).ok()?)))
        .collect()
}

/// The names of a row's fields, unless it is no object.
pub(crate) fn names(line: &str) -> Option<Vec<Cow<'_, str>>> {
    Some(members(line.trim_ascii()).ok()?.into_iter().map(|(name, _)| name).collect())
}

/// What a row says of the fields that have a meaning.
#[derive(Default)]
pub(super) struct Fields<'a> {
    pub text: Option<Found<'a>>,
    pub id: Option<FoundId<'a>>,
    /// With its rank among the title keys.
    pub title: Option<(usize, Cow<'a, str>)>,
    pub url: Option<Cow<'a, str>>,
    /// A title key came twice with different kinds of value; only the general lookup sorts that out.
    pub ambiguous: bool,
    /// Whether the row is known to have no other fields than its text and its id.
    pub nothing_else: bool,
}

/// The id of a row.
pub(super) struct FoundId<'a> {
    pub text: Cow<'a, str>,
    /// Whether it is a number or truth value, of which the text is the spelling.
    pub is_literal: bool,
}

/// A value where a string is wanted.
pub(super) enum Found<'a> {
    String(Cow<'a, str>),
    Null,
    Other(&'static str),
    /// What is wrong with the places where the text stands.
    Wrong(String),
}

impl<'a> Found<'a> {
    pub(super) fn string(self) -> Option<Cow<'a, str>> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Other(_) | Self::Wrong(_) => None,
        }
    }
}

fn malformed(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line").map_or(message.as_str(), |(head, _)| head);
    format!("malformed JSON at column {}: {message}", error.column())
}

fn without_text(line: &str, key: &str) -> String {
    let names = members(line).unwrap_or_default();
    let names: Vec<&str> = names.iter().take(12).map(|(name, _)| name.as_ref()).collect();
    let names = if names.is_empty() { "none".into() } else { names.join(", ") };
    format!("no field `{key}`; the row has: {names}")
}

/// An id; `None` where the value cannot name anything.
pub(super) fn id_of(text: &str) -> Option<FoundId<'_>> {
    match text.as_bytes().first()? {
        b'"' => {
            let id = AnyString.deserialize(&mut serde_json::Deserializer::from_str(text)).ok()?;
            let text = id.string().filter(|id| !id.is_empty())?;
            Some(FoundId { text, is_literal: false })
        }
        b'n' | b'[' | b'{' => None,
        _ => Some(FoundId { text: Cow::Borrowed(text), is_literal: true }),
    }
}

/// The usual lookup: one pass over the top-level fields.
fn picked_fields<'a>(
    line: &'a str,
    options: &InputOptions,
) -> Result<Fields<'a>, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(line);
    let fields = Picker { options }.deserialize(&mut parser)?;
    parser.end()?;
    if fields.ambiguous { nested_fields(line, options) } else { Ok(fields) }
}

struct Picker<'k> {
    options: &'k InputOptions,
}

/// What a field means.
pub(super) enum Role {
    Text,
    Id,
    Title(usize),
    Url,
    None,
}

impl Role {
    pub(super) fn of(key: &str, options: &InputOptions) -> Self {
        if key == options.text_key {
            Self::Text
        } else if options.id_key.field() == Some(key) {
            Self::Id
        } else if key == options.url_key {
            Self::Url
        } else if let Some(rank) = options.title_keys.iter().position(|title| title == key) {
            Self::Title(rank)
        } else {
            Self::None
        }
    }
}

impl<'a> Fields<'a> {
    /// Takes the value of a title key; the first key of the options counts.
    pub(super) fn add_title(&mut self, rank: usize, value: Option<Cow<'a, str>>) {
        let best = self.title.as_ref().map(|(best, _)| *best);
        match value {
            Some(title) if best.is_none_or(|best| rank <= best) => self.title = Some((rank, title)),
            Some(_) => {}
            None => self.ambiguous |= best == Some(rank),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Picker<'_> {
    type Value = Fields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, row: D) -> Result<Self::Value, D::Error> {
        row.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Picker<'_> {
    type Value = Fields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(role) = map.next_key_seed(KeyRole { options: self.options })? {
            match role {
                Role::Text => fields.text = Some(map.next_value_seed(AnyString)?),
                Role::Id => fields.id = id_of(map.next_value::<&'de RawValue>()?.get()),
                Role::Title(rank) => {
                    fields.add_title(rank, map.next_value_seed(AnyString)?.string());
                }
                Role::Url => fields.url = map.next_value_seed(AnyString)?.string(),
                Role::None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(fields)
    }
}

struct KeyRole<'k> {
    options: &'k InputOptions,
}

impl<'de> DeserializeSeed<'de> for KeyRole<'_> {
    type Value = Role;

    fn deserialize<D: Deserializer<'de>>(self, key: D) -> Result<Role, D::Error> {
        key.deserialize_identifier(self)
    }
}

impl Visitor<'_> for KeyRole<'_> {
    type Value = Role;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a field name")
    }

    fn visit_str<E>(self, key: &str) -> Result<Role, E> {
        Ok(Role::of(key, self.options))
    }
}

/// A string, or the name of what stands in its place.
struct AnyString;

impl<'de> DeserializeSeed<'de> for AnyString {
    type Value = Found<'de>;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<Found<'de>, D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for AnyString {
    type Value = Found<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Found::String(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Found::String(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Found::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Found::Other("a truth value"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Found::Other("a number"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Found::Other("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other("an object"))
    }
}

/// The general lookup: each field is looked up on its own.
fn nested_fields<'a>(
    line: &'a str,
    options: &InputOptions,
) -> Result<Fields<'a>, serde_json::Error> {
    let any_string = |raw: &'a RawValue| {
        AnyString.deserialize(&mut serde_json::Deserializer::from_str(raw.get()))
    };
    let text = match lookup(line, &options.text_key)? {
        Some(raw) => Some(any_string(raw)?),
        None => composed(line, &options.text_key)?,
    };
    let mut fields = Fields { text, ..Fields::default() };
    if let Some(key) = options.id_key.field() {
        fields.id = lookup(line, key)?.and_then(|raw| id_of(raw.get()));
    }
    for (rank, key) in options.title_keys.iter().enumerate().rev() {
        if let Some(raw) = lookup(line, key)?
            && let Some(title) = any_string(raw)?.string()
        {
            fields.title = Some((rank, title));
        }
    }
    if let Some(raw) = lookup(line, &options.url_key)? {
        fields.url = any_string(raw)?.string();
    }
    Ok(fields)
}

fn is_composed(key: &str) -> bool {
    key.contains(['[', ']', ','])
}

/// The text that stands in several places of a row.
fn composed<'a>(line: &str, key: &str) -> Result<Option<Found<'a>>, serde_json::Error> {
    let key = match TextKey::parse(key) {
        Ok(Some(key)) => key,
        Ok(None) => return Ok(None),
        Err(reason) => return Ok(Some(Found::Wrong(reason))),
    };
    Ok(match key.of_json(&serde_json::from_str(line)?) {
        Ok(text) => text.map(|text| Found::String(Cow::Owned(text))),
        Err(reason) => Some(Found::Wrong(reason)),
    })
}

/// Finds a field by its full name, or else by the path that its dots describe.
fn lookup<'a>(line: &'a str, path: &str) -> Result<Option<&'a RawValue>, serde_json::Error> {
    let find = |members: Vec<(Cow<'a, str>, &'a RawValue)>, name: &str| {
        members.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    };
    if let Some(value) = find(members(line)?, path) {
        return Ok(Some(value));
    }
    let Some((head, tail)) = path.split_once('.') else { return Ok(None) };
    match find(members(line)?, head) {
        Some(inner) if inner.get().starts_with('{') => lookup(inner.get(), tail),
        _ => Ok(None),
    }
}

/// The fields of an object in their order.
fn members(object: &str) -> Result<Vec<(Cow<'_, str>, &RawValue)>, serde_json::Error> {
    struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);
    struct MembersVisitor;

    impl<'de> Visitor<'de> for MembersVisitor {
        type Value = Members<'de>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a JSON object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(key) = map.next_key_seed(AnyString)? {
                members.push((key.string().unwrap_or_default(), map.next_value()?));
            }
            Ok(Members(members))
        }
    }

    impl<'de> Deserialize<'de> for Members<'de> {
        fn deserialize<D: Deserializer<'de>>(row: D) -> Result<Self, D::Error> {
            row.deserialize_map(MembersVisitor)
        }
    }

    Ok(serde_json::from_str::<Members<'_>>(object)?.0)
}
