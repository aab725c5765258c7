//! Files of one user: private folders and files, atomic writes, locks between processes.
//!
//! Every crate that keeps files beside the store uses this crate. All of its functions block.

mod private;

mod atomic_write;
mod lock;

pub use atomic_write::{FileMode, check_folder, flush_folder, replace_file, write_atomic};
pub use lock::{Lock, LockError};
pub use private::{create_private, is_open_to_others, make_folder, private};
