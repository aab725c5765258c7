//! Which of several processes makes vectors; the binary implements it with a lock on a file.
//!
//! What must stay true: the lock ends with the process, however that ends.

/// Lets one of all processes that share the store make vectors at a time. The caller holds what it
/// gets meanwhile; it gets nothing while another process holds it.
pub type VectorLock = Box<dyn Fn() -> Option<Box<dyn Send>> + Send + Sync>;
