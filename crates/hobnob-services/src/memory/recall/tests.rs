//! Recall, as data.
