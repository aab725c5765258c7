//! The built-in services, one file each. None knows another.

pub(crate) mod health;
