//! The query of a request as decoded pairs. The groups that filter read it.

use crate::answers::PageProblem;
use percent_encoding::percent_decode_str;
use std::str::FromStr;

/// The pairs of a query.
pub(super) struct PageQuery<'a>(&'a str);

impl<'a> PageQuery<'a> {
    pub(super) fn of(query: Option<&'a str>) -> Self {
        Self(query.unwrap_or_default())
    }

    /// The text of a key, which may stand there once; an empty one is none.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, PageProblem> {
        let pairs = self.0.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name == key).then_some(value)
        });
        let values: Vec<&str> = pairs.collect();
        match values.as_slice() {
            [] | [""] => Ok(None),
            [value] => decoded(value).map(Some),
            _ => Err(PageProblem::bad_input(format!("`{key}` is repeated; give it once"))),
        }
    }

    /// The number of a key.
    pub(super) fn number<T: FromStr>(&self, key: &str) -> Result<Option<T>, PageProblem> {
        let wrong = |_| PageProblem::bad_input(format!("`{key}` is not a number in its range"));
        self.text(key)?.map(|text| text.parse().map_err(wrong)).transpose()
    }
}

fn decoded(value: &str) -> Result<String, PageProblem> {
    let spaced = value.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let wrong = |_| PageProblem::bad_input("the query is not UTF-8");
    Ok(decoded.map_err(wrong)?.into_owned())
}
