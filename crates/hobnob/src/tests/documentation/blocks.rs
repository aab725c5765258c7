//! Finds the fenced blocks and the inline code of a Markdown page.

/// One fenced block of a page, with the line that it begins on.
pub(crate) struct Block<'page> {
    pub(crate) language: &'page str,
    /// The attributes after the language, as `,NAME=VALUE`; a reader of the book never sees them.
    attributes: &'page str,
    pub(crate) text: &'page str,
    /// The line of the opening fence, from 1.
    pub(crate) line: usize,
}

impl<'page> Block<'page> {
    /// The value of the attribute with this name.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'page str> {
        let attributes = self.attributes.split(',').filter_map(|it| it.split_once('='));
        attributes.into_iter().find(|(it, _)| *it == name).map(|(_, value)| value)
    }
}

/// The fenced blocks of a page, in order. A fence that is never closed is a mistake of the page.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    let mut offset = 0;
    for (index, line) in page.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line.len();
        let Some(info) = line.trim().strip_prefix("```") else { continue };
        open = match open {
            None => Some((info, offset, index + 1)),
            Some((info, from, line)) => {
                let (language, attributes) = info.split_once(',').unwrap_or((info, ""));
                found.push(Block { language, attributes, text: &page[from..start], line });
                None
            }
        };
    }
    assert!(open.is_none(), "a block is never closed");
    found
}

/// The code between single backticks outside of blocks, with its line.
pub(crate) fn inline_code(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_block = false;
    for (index, line) in page.lines().enumerate() {
        if line.trim().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let code = line.split('`').skip(1).step_by(2);
            found.extend(code.map(|code| (index + 1, code)));
        }
    }
    found
}
