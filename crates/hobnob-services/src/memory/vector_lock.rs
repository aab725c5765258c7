//! A lock that lets one process at a time make vectors; the binary implements it with a file lock.
//!
//! What must stay true: the lock is released when its process ends, even by a crash.

/// Tries to acquire the lock among all processes that share the store. The caller makes vectors as
/// long as it holds the returned guard; `None` means that another process holds the lock.
pub type VectorLock = Box<dyn Fn() -> Option<Box<dyn Send>> + Send + Sync>;
