//! All integration tests of this crate, in one binary: logins in a simulated world, and the guarded
//! fetch over real sockets.

mod world;

mod devices;
mod embedded;
mod guarding;
mod moving;
mod named_urls;
mod refreshing;
mod refusing;
