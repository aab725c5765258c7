//! The parameters of a request: JSON text whose members have been located.
//!
//! A caller that needs one member decodes that member, once, into its exact type.

use crate::error::RpcError;
use crate::json::{Cursor, Field, JsonError, ObjectWriter, Span, unescape};
use crate::lookalike::is_disguised;
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// The parameters of a request, as text.
#[derive(Debug, Clone, Default)]
pub struct Params {
    /// The whole message; spans point into it.
    text: String,
    whole: Option<Span>,
    fields: ParamFields,
}

/// The spans of the members, found in the pass that validates the text.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParamFields {
    members: Vec<Field>,
    /// The members of `_meta`, which every edge reads; empty if `_meta` is not an object.
    meta: Vec<Field>,
}

impl ParamFields {
    /// Moves past an object and notes its members.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, JsonError> {
        let mut found = Self { members: Vec::with_capacity(4), meta: Vec::new() };
        cursor.members(|cursor, key, span| {
            // Only the plain spelling counts, as everywhere in `params`.
            let is_meta = key == META && span.end - span.start == META.len() as u32;
            let value = if is_meta && cursor.peek() == Some(b'{') {
                let start = cursor.position();
                found.meta.reserve(4);
                cursor.object(|_, field| found.meta.push(field))?;
                Span::new(start, cursor.position())
            } else {
                cursor.value()?
            };
            found.members.push(Field { key: span, value });
            Ok(())
        })?;
        Ok(found)
    }
}

const META: &str = "_meta";

/// Keys that decide which code runs and with which input. Lookalikes of them are refused.
const GUARDED_KEYS: [&str; 5] = ["name", "uri", "arguments", "_meta", "taskId"];

impl Params {
    pub(crate) fn new(text: String, whole: Option<Span>, fields: ParamFields) -> Self {
        Self { text, whole, fields }
    }

    /// Parameters from JSON text that is known to be an object (for calls made in-process).
    pub fn from_json(text: String) -> Result<Self, RpcError> {
        let refuse = |_| RpcError::invalid_params("`params` must be an object");
        let fields = ParamFields::read(&mut Cursor::new(&text)).map_err(refuse)?;
        let whole = Span::new(0, text.len());
        Ok(Self { text, whole: Some(whole), fields })
    }

    /// The JSON text; an absent `params` reads as an empty object.
    pub fn raw(&self) -> &str {
        self.whole.map_or("{}", |span| span.of(&self.text))
    }

    /// The JSON text of one member.
    pub fn get(&self, key: &str) -> Option<&str> {
        let named = |field: &&Field| field.key.holds(&self.text, key);
        self.fields.members.iter().find(named).map(|field| field.value.of(&self.text))
    }

    /// The JSON text of one member of `_meta`.
    pub fn meta(&self, key: &str) -> Option<&str> {
        let named = |field: &&Field| {
            let name = field.key.of(&self.text);
            // An escaped key is longer than its meaning. Some encoders write `\/`.
            name == key
                || name.len() > key.len()
                    && name.contains('\\')
                    && unescape(name).is_some_and(|name| name == key)
        };
        self.fields.meta.iter().find(named).map(|field| field.value.of(&self.text))
    }

    /// Every member of `_meta` in its order: its name, and its JSON text.
    pub fn meta_members(&self) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
        self.fields.meta.iter().map(|field| {
            let name = field.key.of(&self.text);
            let name = unescape(name).unwrap_or(Cow::Borrowed(name));
            (name, field.value.of(&self.text))
        })
    }

    /// Refuses parameters that are not an object, and keys that resemble `GUARDED_KEYS`.
    pub fn check(&self) -> Result<(), RpcError> {
        if !self.raw().starts_with('{') {
            return Err(RpcError::invalid_params("`params` must be an object"));
        }
        for field in &self.fields.members {
            let key = field.key.of(&self.text);
            // An escaped spelling of a key is legal JSON, but a reader that compares bytes
            // (`get` above) would miss it.
            if key.as_bytes().contains(&b'\\') || is_disguised(key, &GUARDED_KEYS) {
                let message = format!("`params` has a member `{key}` that could be misread");
                return Err(RpcError::invalid_params(message));
            }
        }
        Ok(())
    }

    /// A member that must be a string.
    pub fn string(&self, key: &'static str) -> Result<Cow<'_, str>, RpcError> {
        let missing = || RpcError::invalid_params(format!("`params.{key}` must be a string"));
        let raw = self.get(key).ok_or_else(missing)?;
        let inside = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        unescape(inside.ok_or_else(missing)?).ok_or_else(missing)
    }

    /// Decodes the whole parameters into `T`.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, RpcError> {
        serde_json::from_str(self.raw())
            .map_err(|error| RpcError::invalid_params(format!("`params`: {error}")))
    }

    /// Every member in its order: its name as written, and its JSON text.
    pub fn members(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .members
            .iter()
            .map(|field| (field.key.of(&self.text), field.value.of(&self.text)))
    }

    /// The parameters with these texts in `_meta`, which must not have them yet; `None` if `_meta`
    /// is no object.
    pub fn with_meta(&self, added: &[(&str, &str)]) -> Option<Self> {
        let mut out = String::with_capacity(self.raw().len() + 256);
        let mut params = ObjectWriter::new(&mut out);
        for (key, value) in self.members().filter(|(key, _)| *key != META) {
            params.raw(key, value);
        }
        let known = self.get(META).unwrap_or("{}");
        if !known.starts_with('{') {
            return None;
        }
        let mut meta = ObjectWriter::new(params.key(META));
        meta.members_of(known);
        for (key, text) in added {
            meta.string(key, text);
        }
        meta.end();
        params.end();
        Self::from_json(out).ok()
    }

    /// The parameters as JSON text without the members `keys`.
    pub fn without(&self, keys: &[&str]) -> String {
        let mut out = String::with_capacity(self.raw().len());
        let mut writer = ObjectWriter::new(&mut out);
        for field in &self.fields.members {
            let key = field.key.of(&self.text);
            if !keys.contains(&key) {
                writer.raw(key, field.value.of(&self.text));
            }
        }
        writer.end();
        out
    }
}
