//! Tests of the binary as a whole that need its insides: the documentation and the program agree.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod documentation;
