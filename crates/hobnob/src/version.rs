//! Which build of Hobnob this is: the release, and the commit where the build script found one.
//!
//! The command line prints it, and `main` tells it to the hub.

/// The version that is printed, such as `0.1.0 (8d95b657 2026-11-18)`, or `0.1.0` alone.
pub(crate) const VERSION: &str = match option_env!("HOBNOB_BUILD") {
    Some(build) => build,
    None => env!("CARGO_PKG_VERSION"),
};
