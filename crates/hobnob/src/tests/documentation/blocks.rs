//! Finds the fenced blocks and the inline code of a Markdown page.

/// One fenced block of a page, with the line that it begins on.
pub(super) struct Block<'page> {
    pub(super) language: &'page str,
    pub(super) text: &'page str,
    /// The line of the opening fence, from 1.
    pub(super) line: usize,
}

/// The fenced blocks of a page, in order. A fence that is never closed is a mistake of the page.
pub(super) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    let mut offset = 0;
    for (index, line) in page.split_inclusive('\n').enumerate() {
        let start = offset;
        offset += line.len();
        let Some(language) = line.trim().strip_prefix("```") else { continue };
        open = match open {
            None => Some((language, offset, index + 1)),
            Some((language, from, line)) => {
                found.push(Block { language, text: &page[from..start], line });
                None
            }
        };
    }
    assert!(open.is_none(), "a block is never closed");
    found
}

/// The code between single backticks outside of blocks, with its line.
pub(super) fn inline_code(page: &str) -> Vec<(usize, &str)> {
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
