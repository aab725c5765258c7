//! For the tests of servers and clients: both ends in one process, without a port or a program.
//!
//! - [`connect()`] connects a client to your server, so that a test of a server takes three lines.
//! - [`scripted`] connects a client to a server that plays a script, for tests of a client.
//! - [`transcript`] compares a whole conversation with your server line by line.
//!
//! Nothing here needs real time: pause the clock of the test (`start_paused`), and a client that
//! would wait for a minute does not cost you one.
//!
//! ```
//! use hobnob_mcp_server::Server;
//! use hobnob_mcp_toolbox::Kit;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let kit = Kit::plain("greetings").tool("hello", "Greets", || async { "hello" });
//! let server = Server::of(kit).build()?;
//!
//! let client = hobnob_mcp_testkit::connect(&server).await?;
//! let text: String = client.call("hello", &()).await?;
//! assert_eq!(text, "hello");
//! # Ok(()) }
//! ```

mod connect;
#[cfg(feature = "fuzz")]
pub mod fuzz;
mod pipe;
mod script;
mod scripted;
pub mod transcript;

pub use connect::{connect, connect_with};
pub use scripted::{ScriptedServer, scripted, scripted_with};
