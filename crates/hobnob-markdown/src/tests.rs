//! Unit tests of the parts: the text that is held back, the growth of work, and diffs.

mod diffs;
mod work;
