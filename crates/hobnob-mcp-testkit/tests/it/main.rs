//! The one integration binary of this crate.

mod both_ends;
mod fuzz;
mod properties;
