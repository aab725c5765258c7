//! From a word to a secret: the name around the word, the link after it, the value it is given.

use std::ops::Range;

use crate::sighting::Sighting;

use super::{judge, link, name, value};

/// The value of the name around `hit`, if it is a secret and not something that stands for one.
pub(crate) fn find(text: &str, hit: Range<usize>) -> Option<Sighting> {
    let name = name::read(text, hit)?;
    let given = |link| {
        let value = value::read(text, link)?;
        let kind = judge::judge(&name, &value)?;
        Some(Sighting::new(kind, value.range))
    };
    let link = link::read(text, &name)?;
    given(link).or_else(|| given(link::read_on(text, &name, link)?))
}
