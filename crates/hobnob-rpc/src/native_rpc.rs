//! Adds the native RPC of one view to an MCP server, which opens an [`RpcConnection`] for each
//! client that sends such a request.

use crate::connection::RpcConnection;
use crate::flow::RpcLimits;
use crate::method_source::MethodSource;
use crate::rpc_view::RpcView;
use hobnob_mcp_server::{OtherCalls, OtherClient, OtherMethods, ServiceCalls};
use std::sync::Arc;

/// The native RPC of one view.
pub struct NativeRpc {
    shared: Arc<RpcView>,
}

impl NativeRpc {
    /// Calls these methods for the clients of a server with this name.
    pub fn new(name: impl Into<String>, methods: Arc<dyn MethodSource>, limits: RpcLimits) -> Self {
        Self { shared: Arc::new(RpcView { name: name.into(), methods, limits }) }
    }
}

impl OtherMethods for NativeRpc {
    fn open(&self, service: ServiceCalls, client: OtherClient) -> Arc<dyn OtherCalls> {
        Arc::new(RpcConnection::new(Arc::clone(&self.shared), service, client))
    }
}

impl std::fmt::Debug for NativeRpc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "NativeRpc({})", self.shared.name)
    }
}
