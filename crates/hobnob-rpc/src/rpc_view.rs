//! The state that all connections to one view share.

use crate::flow::RpcLimits;
use crate::method_source::MethodSource;
use std::sync::Arc;

/// The native RPC of one view, as its connections see it.
pub(crate) struct RpcView {
    /// The server's name, which is part of every event.
    pub(crate) name: String,
    pub(crate) methods: Arc<dyn MethodSource>,
    pub(crate) limits: RpcLimits,
}
