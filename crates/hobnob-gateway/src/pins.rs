//! What a tool looked like when a person accepted it, and whether it still does.
//!
//! Canonical definitions are compared, so a server may write its schemas in another order each
//! time. A tool that did change is held back until a person approves it again.

mod canonical;
mod first_form;

use canonical::DefinitionPart;
use hobnob_config::{Pin, PinMode};
use std::fmt;

/// SHA-256 of a tool's canonical definition, shown as 64 hexadecimal digits, as pins store it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ToolDigest(hobnob_config::Digest);

impl ToolDigest {
    /// The digest of an upstream's own definition of a tool (JSON text).
    ///
    /// The order of keys and of lists that are sets, white space, and the spelling of strings and
    /// numbers do not count; an absent member equals `null`.
    pub fn of(definition: &str) -> Self {
        Self(hobnob_config::Digest::of(canonical(definition).as_bytes()))
    }

    /// The 32 bytes, as permits compare them.
    pub fn bytes(&self) -> [u8; 32] {
        self.0.bytes()
    }
}

impl fmt::Display for ToolDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The canonical text of a definition: equal for all definitions that mean the same.
pub fn canonical(definition: &str) -> String {
    canonical::definition(definition, DefinitionPart::Everything)
}

/// The pin of a definition.
pub fn pin(definition: &str) -> Pin {
    let of = |part| digest(&canonical::definition(definition, part));
    Pin::Canonical { definition: of(DefinitionPart::Everything), texts: of(DefinitionPart::Texts) }
}

/// How a definition compares with what was accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The definition matches the pin, as far as the mode requires.
    Same,
    /// The definition matches a pin of the first form; this pin should replace it.
    SameAs(Pin),
    /// The definition differs from the pin.
    Changed,
}

/// Compares a definition with its pin.
pub fn compare(pinned: &Pin, definition: &str, mode: PinMode) -> Comparison {
    if mode == PinMode::Off {
        return Comparison::Same;
    }
    let same = match pinned {
        Pin::FirstForm(pinned) => {
            return if *pinned == digest(&first_form::definition(definition)) {
                Comparison::SameAs(pin(definition))
            } else {
                Comparison::Changed
            };
        }
        Pin::Canonical { texts, .. } if mode == PinMode::Descriptions => {
            *texts == digest(&canonical::definition(definition, DefinitionPart::Texts))
        }
        Pin::Canonical { definition: pinned, .. } => *pinned == digest(&canonical(definition)),
    };
    if same { Comparison::Same } else { Comparison::Changed }
}

/// Whether this text is the very definition that was accepted, so that it may be shown as such.
pub fn is_accepted(pinned: &Pin, definition: &str) -> bool {
    compare(pinned, definition, PinMode::Strict) != Comparison::Changed
}

fn digest(text: &str) -> hobnob_config::Digest {
    hobnob_config::Digest::of(text.as_bytes())
}

#[cfg(test)]
mod tests;
