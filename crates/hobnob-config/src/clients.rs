//! Other programs that use MCP servers: which ones Hobnob knows, and where each keeps its files.
//!
//! `connect` writes their files, and `import` reads them.

mod folders;
mod program;

pub use folders::{ClientFolders, HostSystem};
pub use program::{ClientForm, ClientProgram, ClientScope};
