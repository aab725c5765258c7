//! What an assistant should remember.
