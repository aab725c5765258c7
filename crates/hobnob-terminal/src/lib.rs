//! A person at a terminal: what commands print and ask, how they end, and the hub that they reach.
//!
//! Commands and the chat use it. What must stay true: only `render` writes to standard output, and
//! text of peers is made safe before it is shown.

pub mod ended;

pub mod render;

pub mod signals;
pub mod terminal;

pub mod hub;
