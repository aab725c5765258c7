//! Shows a long text in pages that fit the terminal, before the user decides about it.
//!
//! Lines are wrapped here and not by the terminal, so that a page is never higher than the screen.

use super::person::{NextPage, Person};
use crate::render::{WrapAt, counted, wrapped};

/// A terminal that reports a smaller size is taken to have this one.
const MIN_COLUMNS: usize = 20;
const MIN_ROWS: usize = 8;
/// Lines that the prompt and the choices below a page take.
const PROMPT_ROWS: usize = 5;
/// Shown once, before the first page.
const KEY_HELP: &str = "(Enter: next page, s: skip the rest, q: refuse)";

/// Whether the question follows the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The user has seen as much as they wanted to.
    Enough,
    /// The user refused while reading.
    Refused,
}

/// Shows a text, which must be safe: at once if it fits, otherwise page by page.
pub(super) fn show(text: &str, person: &mut dyn Person) -> Shown {
    let (rows, columns) = person.size();
    let lines = wrapped(text, columns.max(MIN_COLUMNS), WrapAt::Words);
    let height = rows.max(MIN_ROWS).saturating_sub(PROMPT_ROWS).max(1);
    let pages = lines.len().div_ceil(height);
    for (at, page) in lines.chunks(height).enumerate() {
        if at == 0 && 1 < pages {
            person.tell(KEY_HELP);
        }
        person.tell(&page.join("\n"));
        if at + 1 == pages {
            break;
        }
        // Short enough for one line of any terminal, so that it can be cleared.
        match person.next_page(&format!("-- page {} of {pages}", at + 1)) {
            NextPage::Show => {}
            NextPage::Skip => {
                let left = pages - at - 1;
                person.tell(&format!("(skipped {left} of {})", counted(pages, "page")));
                break;
            }
            NextPage::Refuse => return Shown::Refused,
        }
    }
    Shown::Enough
}
