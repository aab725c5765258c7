//! The trees in SQLite, behind the port `TreeRepository`.
//!
//! Every answer is one transaction. The shape of a tree and the content of its nodes are two
//! tables, so walks read no texts; no function recurses, so the depth of a tree is unlimited.

mod transaction;

mod rows;

mod ancestors;
mod change;
mod life;
mod open_branches;
mod outline;
mod query;
mod search;

mod port;

// A session with a model changes its tree in its own transactions.
pub(super) use change::{append, create};
pub(super) use life::release;
pub(super) use rows::find_node;
pub(super) use transaction::{TreeTransaction, on_trees};
