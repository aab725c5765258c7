//! Shows the address and the code of a login on another device. `login --device` uses it.

use hobnob_mcp_auth::{DeviceCode, DevicePrompt};
use hobnob_terminal::render;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Shows the code on the terminal.
pub(super) struct TerminalDevice {
    /// Set when a person is asked.
    pub(super) asked: Arc<AtomicBool>,
}

impl DevicePrompt for TerminalDevice {
    fn show(&self, code: &DeviceCode) {
        self.asked.store(true, Ordering::Relaxed);
        let minutes = code.life.as_secs().div_ceil(60);
        render::note("Open this address on any device, and type the code there:");
        render::note(&format!("\n{}\n{}\n", code.page, code.user_code));
        if let Some(page) = &code.page_with_code {
            render::note(&format!("Or open this one, which has the code in it:\n\n{page}\n"));
        }
        render::note(&format!("Waiting for the login; the code is good for {minutes} min."));
    }
}
