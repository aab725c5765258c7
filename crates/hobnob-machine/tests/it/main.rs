//! Tests of the file effects on real files in folders of their own.

#[cfg(target_os = "linux")]
mod granted;
#[cfg(target_os = "linux")]
mod reading;
