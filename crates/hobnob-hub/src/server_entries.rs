//! What a person should know about an entry of a `.mcp.json` before it is written: secrets in it,
//! risks, and whether it is Hobnob itself.
//!
//! `hobnob add`, `hobnob import` and the page use it. What must stay true: it reads and judges only;
//! no message contains a secret.

pub mod entry_secrets;
pub mod literal_secrets;
pub mod risks;
mod self_reference;

pub use self_reference::{own_executable, self_reference};
