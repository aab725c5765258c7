//! Shows the page of a login, and takes its answer: on a port of this machine, or pasted by hand.
//!
//! It waits for both at once, so the person need not say beforehand where their browser runs.

use crate::commands::browser;
use hobnob_mcp_auth::{AuthError, LoginPrompt, LoopbackLogin, PendingLogin, Url};
use hobnob_mcp_engine::BoxFuture;
use hobnob_terminal::render;
use std::io::BufRead as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The longest line that is taken for an answer.
const MAX_LINE: usize = 16 * 1024;

/// Shows the page of a login and takes its answer from the port or the terminal.
pub(super) struct TerminalLogin {
    listener: LoopbackLogin,
}

impl TerminalLogin {
    /// `named` is the port that the client is registered with, if it is; `asked` is set when a
    /// person is asked.
    pub(super) fn new(named: Option<u16>, usual: u16, opens: bool, asked: Arc<AtomicBool>) -> Self {
        let listener = LoopbackLogin::new(move |page| {
            asked.store(true, Ordering::Relaxed);
            show(page.as_str(), opens);
        });
        let listener = match named {
            // A registration that other programs share has `localhost` in its redirect.
            Some(port) => listener.port(port).as_localhost(),
            None => listener.port(usual),
        };
        Self { listener }
    }
}

fn show(page: &str, opens: bool) {
    if opens && browser::open(page) {
        render::note("Log in in your browser. If it does not open, open this address yourself:");
    } else {
        render::note("Open this address in a browser, and log in there:");
    }
    render::note(&format!("\n{page}\n"));
    render::note(
        "If the browser is on another machine, its last page cannot be shown. Paste that page's \
         address here then:",
    );
}

impl LoginPrompt for TerminalLogin {
    fn begin(&self) -> BoxFuture<'_, Result<Box<dyn PendingLogin>, AuthError>> {
        Box::pin(async move {
            let listening = self.listener.begin().await?;
            Ok(Box::new(BothWays { listening }) as Box<dyn PendingLogin>)
        })
    }
}

/// A login whose answer comes to a port or is pasted.
struct BothWays {
    listening: Box<dyn PendingLogin>,
}

impl PendingLogin for BothWays {
    fn redirect(&self) -> &str {
        self.listening.redirect()
    }

    fn answer(self: Box<Self>, page: Url) -> BoxFuture<'static, Result<String, AuthError>> {
        let redirect = self.listening.redirect().to_owned();
        Box::pin(async move {
            let listening = self.listening.answer(page);
            tokio::select! {
                answer = listening => answer,
                pasted = pasted(redirect) => Ok(pasted),
            }
        })
    }
}

/// Returns the first line of standard input that is an answer; without one, never returns.
async fn pasted(redirect: String) -> String {
    let read = tokio::task::spawn_blocking(move || {
        let mut lines = std::io::stdin().lock().lines();
        loop {
            let line = lines.next()?.ok()?;
            match line.trim() {
                "" => {}
                text if is_answer(text, &redirect) => return Some(text.to_owned()),
                _ => render::note(&format!(
                    "That is not the page's address: it begins with {redirect}?"
                )),
            }
        }
    });
    match read.await {
        Ok(Some(line)) => line,
        // Standard input has ended, so the answer can come only to the port.
        Ok(None) | Err(_) => std::future::pending().await,
    }
}

fn is_answer(text: &str, redirect: &str) -> bool {
    let query = text.strip_prefix(redirect).and_then(|rest| rest.strip_prefix('?'));
    text.len() <= MAX_LINE && query.is_some_and(|query| !query.is_empty())
}

#[cfg(test)]
mod tests {
    use super::is_answer;

    #[test]
    fn only_the_redirect_with_a_query_is_an_answer() {
        let redirect = "http://127.0.0.1:1/callback";
        for (text, expected) in [
            ("http://127.0.0.1:1/callback?code=a&state=b", true),
            ("http://127.0.0.1:1/callback?", false),
            ("http://127.0.0.1:1/callback", false),
            ("http://127.0.0.1:12/callback?code=a", false),
            ("https://evil.example/?http://127.0.0.1:1/callback?code=a", false),
            ("code", false),
        ] {
            assert_eq!(is_answer(text, redirect), expected, "{text}");
        }
    }
}
