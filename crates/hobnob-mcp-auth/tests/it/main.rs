//! Every integration test of this crate, in one binary: logins in a world of their own, and the
//! guarded fetch over real sockets.

mod world;

mod devices;
mod embedded;
mod guarding;
mod moving;
mod named_urls;
mod refreshing;
mod refusing;
