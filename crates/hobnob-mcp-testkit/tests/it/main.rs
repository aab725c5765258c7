//! The one integration binary of this crate.

mod fuzz;
mod properties;
