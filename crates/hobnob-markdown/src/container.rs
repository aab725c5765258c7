//! Quotes and list items: what a block can be inside of, and what stands in front of its lines.

use crate::painter::{Glyph, glyphs};
use crate::style::Ink;
use crate::word_wrap::blank;

/// Containers inside each other; a deeper mark is text.
const DEPTH: usize = 12;
/// What stands in front of each line of a quote.
const BAR: &str = "│ ";

/// One quote or list item that lines can belong to.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    Quote,
    Item(ListItem),
}

/// A list item, its mark, and what a further line of it needs.
#[derive(Debug, Clone)]
pub(crate) struct ListItem {
    /// The columns in front of its mark.
    pub(crate) margin: usize,
    /// The columns that a further line of it is indented by.
    pub(crate) content: usize,
    mark: ItemMark,
    /// Whether the mark is on the terminal already.
    drawn: bool,
}

/// What a list item begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemMark {
    Bullet,
    /// The number as it is written and as it is shown, and `.` or `)`.
    Number {
        written: u32,
        shown: u32,
        end: char,
    },
}

impl ItemMark {
    /// The mark that `-`, `*`, `+`, `7.` or `7)` stands for. A list whose items all have the same
    /// number counts on from the item before.
    pub(crate) fn read(token: &str, before: Option<&ListItem>) -> Self {
        let (digits, end) = token.split_at(token.len().saturating_sub(1));
        let Ok(written) = digits.parse() else { return Self::Bullet };
        let end = end.chars().next().unwrap_or('.');
        let shown = match before.map(|item| &item.mark) {
            Some(Self::Number { written: last, shown, .. }) if *last == written => {
                shown.saturating_add(1)
            }
            _ => written,
        };
        Self::Number { written, shown, end }
    }

    fn text(&self) -> String {
        match self {
            Self::Bullet => "• ".to_owned(),
            Self::Number { shown, end, .. } => format!("{shown}{end} "),
        }
    }
}

/// The containers of the current line, outermost first.
#[derive(Debug, Default)]
pub(crate) struct Containers(Vec<Container>);

impl Containers {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Container> {
        self.0.get(index)
    }

    /// The list item at this place, if one is there.
    pub(crate) fn item(&self, index: usize) -> Option<&ListItem> {
        match self.0.get(index) {
            Some(Container::Item(item)) => Some(item),
            _ => None,
        }
    }

    /// Whether one more, with a mark of so many characters, leaves half of the line for its text.
    pub(crate) fn has_room(&self, mark: usize, width: usize) -> bool {
        self.0.len() < DEPTH && self.columns() + mark < width / 2
    }

    pub(crate) fn close(&mut self, from: usize) {
        self.0.truncate(from);
    }

    pub(crate) fn open_quote(&mut self) {
        self.0.push(Container::Quote);
    }

    pub(crate) fn open_item(&mut self, margin: usize, content: usize, mark: ItemMark) {
        self.0.push(Container::Item(ListItem { margin, content, mark, drawn: false }));
    }

    /// The text of the innermost item begins so many columns further to the right.
    pub(crate) fn widen_item(&mut self, columns: usize) {
        if let Some(Container::Item(item)) = self.0.last_mut() {
            item.content += columns;
        }
    }

    /// What stands in front of the next line; marks of items are drawn once.
    pub(crate) fn first_prefix(&mut self) -> Vec<Glyph> {
        let mut prefix = Vec::new();
        for container in &mut self.0 {
            match container {
                Container::Item(item) if !item.drawn => {
                    item.drawn = true;
                    prefix.extend(glyphs(&item.mark.text(), Ink::PLAIN));
                }
                other => draw_again(other, &mut prefix),
            }
        }
        prefix
    }

    /// What stands in front of further lines, in the outermost containers up to `depth`.
    pub(crate) fn prefix(&self, depth: usize) -> Vec<Glyph> {
        let mut prefix = Vec::new();
        self.0.iter().take(depth).for_each(|it| draw_again(it, &mut prefix));
        prefix
    }

    pub(crate) fn columns(&self) -> usize {
        self.prefix(self.0.len()).len()
    }
}

fn draw_again(container: &Container, prefix: &mut Vec<Glyph>) {
    match container {
        Container::Quote => prefix.extend(glyphs(BAR, Ink::DIM)),
        Container::Item(item) => prefix.extend(blank(item.mark.text().chars().count())),
    }
}
