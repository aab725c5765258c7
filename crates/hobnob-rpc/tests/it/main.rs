//! Every integration test of this crate, in one binary.

mod test_view;

mod http;
mod load;
mod stdio;
mod websocket;
