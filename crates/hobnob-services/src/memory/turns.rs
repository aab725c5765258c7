//! Who of several processes makes vectors.

/// Lets one of all processes that share the store make vectors at a time. The caller holds what it
/// gets meanwhile; it gets nothing while another process holds it.
pub type Turns = Box<dyn Fn() -> Option<Box<dyn Send>> + Send + Sync>;
