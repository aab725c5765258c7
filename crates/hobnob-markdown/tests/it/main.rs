//! The output that a person sees: terminal screens, text as it arrives, and properties of any text.

mod any_text;
mod arriving;
mod documents;
mod screens;
mod terminal;
