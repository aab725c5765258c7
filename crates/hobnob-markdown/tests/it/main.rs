//! What a person sees: screens of a terminal, text as it arrives, and what must hold for any text.

mod any_text;
mod arriving;
mod documents;
mod screens;
mod terminal;
