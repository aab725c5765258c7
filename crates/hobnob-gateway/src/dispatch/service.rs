//! The gateway as one view's clients are answered by it: the pair that every file here works on.
//!
//! `open_view` makes one for each view; `router` implements the protocol's `Service` for it.

use crate::gateway::Gateway;
use crate::view::{View, ViewId};
use std::sync::Arc;

/// The gateway as one view's clients are answered by it.
#[derive(Debug, Clone)]
pub struct GatewayService {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) view: Arc<View>,
}

impl GatewayService {
    /// The view it answers for, as `Gateway::replace_kit` wants it.
    pub fn view(&self) -> ViewId {
        self.view.id
    }
}
