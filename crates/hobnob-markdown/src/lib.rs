//! Markdown and diffs for terminals: pieces of text in, terminal text out, without waiting for the
//! end of the document. Pure: no I/O, no clock, and no queries to a terminal.
//!
//! `hobnob chat` writes a model's text through a [`MarkdownStream`], and shows edits with
//! [`render_diff`].
//!
//! # What is held back, and for how long
//!
//! Written text is never rewritten, and the cursor only moves forward. So text waits until its
//! style is decided:
//!
//! - a word in the middle of a line, until it ends; at the start of a line each character is shown
//!   when it arrives;
//! - the marks at the start of a line (`#`, `>`, `-`, `1.`), until the character after them; lines of
//!   `-`, `*`, `_`, and those that begin with three backticks or tildes, until they end;
//! - with colours: text after `*`, `_`, `~~`, a backtick or `[`, until the mark is closed, the line
//!   ends, or 2,048 characters wait; marks that are still open then are shown as they are;
//! - a line of code, until it ends or 1 KiB of it is there;
//! - a table, until a line comes that is not a row of it, or 64 KiB of it are there.
//!
//! A line break of the source is a line break on the terminal, as in chats.
//!
//! # What reaches the terminal
//!
//! Every character of the input that a terminal would act on, reorder or hide first becomes visible
//! (`display_safe` of `hobnob-text`). The only sequences in the output are styles that this crate
//! makes; each ends on its line. The address of a link is always shown, HTML is text.
//!
//! # Why the highlighter is our own
//!
//! `syntect` 5.3 without its defaults (grammars as a dump, `fancy-regex`) makes a small program 1.9
//! MB larger, takes 44 s of processor time to compile, and loads for 40 ms before the first line.
//! This whole crate is 150 KB and compiles in 3 s. Models write short pieces of code in common
//! languages; one tokenizer and a table of words and marks are enough for them.

mod cleaned;
mod code_block;
mod container;
mod diff;
mod highlight;
mod inline;
mod languages;
mod line_start;
mod measure;
mod painter;
mod renderer;
mod steps;
mod stream;
mod style;
mod table;
mod table_layout;
#[cfg(test)]
mod tests;
mod word_wrap;

pub use diff::{render_diff, render_unified, signed_lines, unified};
pub use stream::MarkdownStream;
pub use style::{Colour, MIN_WIDTH, Style};
