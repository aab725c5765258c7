//! All integration tests of this crate, in one binary: `http_*` tests HTTP without MCP, `mcp_*` the
//! server half, `client_*` the client half.

mod http_bodies;
mod http_connections;
mod http_heads;
mod http_server;
mod http_shutdown;

mod client;
mod mcp_server;
mod tls_server;

mod client_raw;
mod client_recorder;
mod request_text;

mod client_answers;
mod client_authorized;
mod client_ours;
mod client_sessions;
mod client_sse;
mod client_streams;

mod mcp_answers;
mod mcp_asking;
mod mcp_batches;
mod mcp_guard;
mod mcp_handshake;
mod mcp_headers;
mod mcp_leaving;
mod mcp_limits;
mod mcp_listen;
mod mcp_messages;
mod mcp_modern;
mod mcp_mounts;
mod mcp_open_routes;
mod mcp_polling;
mod mcp_resume;
mod mcp_standing;
mod mcp_stop;
mod mcp_storm;
mod mcp_stream_form;
mod mcp_tls;
mod mcp_tls_files;
mod mcp_tokens;
