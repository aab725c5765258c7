//! Who may do what, and the record of it.
