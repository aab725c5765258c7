//! Quotes and list items: the containers that a block can be in, and the prefixes of its lines.

use crate::painter::{Glyph, glyphs};
use crate::style::Ink;
use crate::word_wrap::blank;

/// Deepest nesting of containers; a deeper mark is text.
const MAX_DEPTH: usize = 12;
/// The prefix of each line of a quote.
const QUOTE_BAR: &str = "│ ";

/// One quote or list item that lines can belong to.
#[derive(Debug, Clone)]
pub(crate) enum Container {
    Quote,
    Item(ListItem),
}

/// A list item, its mark, and the indentation of its further lines.
#[derive(Debug, Clone)]
pub(crate) struct ListItem {
    /// The columns before its mark.
    pub(crate) margin: usize,
    /// The columns by which its further lines are indented.
    pub(crate) content: usize,
    mark: ItemMark,
    /// Whether the mark was drawn already.
    drawn: bool,
}

/// The mark of a list item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ItemMark {
    Bullet,
    /// The number as written and as shown, and `.` or `)`.
    Number {
        written: u32,
        shown: u32,
        end: char,
    },
}

impl ItemMark {
    /// Parses the mark `-`, `*`, `+`, `7.` or `7)`. If all items of a list have the same number,
    /// each is shown with the next one.
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

    /// The list item at this level, if one is there.
    pub(crate) fn item(&self, index: usize) -> Option<&ListItem> {
        match self.0.get(index) {
            Some(Container::Item(item)) => Some(item),
            _ => None,
        }
    }

    /// Whether another container, with a mark of `mark` columns, leaves half of the line for text.
    pub(crate) fn has_room(&self, mark: usize, width: usize) -> bool {
        self.0.len() < MAX_DEPTH && self.columns() + mark < width / 2
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

    /// Indents the text of the innermost item by more columns.
    pub(crate) fn widen_item(&mut self, columns: usize) {
        if let Some(Container::Item(item)) = self.0.last_mut() {
            item.content += columns;
        }
    }

    /// The prefix of the next line; the marks of items are drawn once.
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

    /// The prefix of further lines, for the outermost `depth` containers.
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
        Container::Quote => prefix.extend(glyphs(QUOTE_BAR, Ink::DIM)),
        Container::Item(item) => prefix.extend(blank(item.mark.text().chars().count())),
    }
}
