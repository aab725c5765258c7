//! Tests of the file effects on real files in folders of their own.

#[cfg(target_os = "linux")]
mod deleting;
#[cfg(target_os = "linux")]
mod escapes;
#[cfg(target_os = "linux")]
mod granted;
#[cfg(target_os = "linux")]
mod races;
#[cfg(target_os = "linux")]
mod reading;
#[cfg(target_os = "linux")]
mod writing;
