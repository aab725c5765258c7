//! Trees in the tables `trees`, `tree_claims`, `tree_nodes` and `tree_contents`, behind the port
//! [`TreeRepository`](hobnob_store::trees::TreeRepository).
//!
//! Sessions with models use some of the writes, in transactions of their own.

mod work;

mod rows;

mod ancestors;
mod life;
mod open_branches;

mod change;
mod outline;
mod query;
mod search;

mod port;

pub(crate) use change::{append, create};
pub(crate) use life::release;
pub(crate) use rows::find_node;
pub(crate) use work::TreeWork;
