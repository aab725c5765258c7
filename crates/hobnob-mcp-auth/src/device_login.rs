//! A login on another device (RFC 8628): a person types a short code there, while this program
//! polls the authorization server.
//!
//! The login flow uses it if the user has no browser here. What must stay true: the authorization
//! server's answers set the polling interval, and polling ends when the code expires.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;
use tokio::time::Instant;

use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::FetchResponse;
use crate::secret::SecretText;
use crate::token_endpoint::{IssuedToken, refused};

/// The grant type of RFC 8628.
pub(crate) const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The polling interval unless the authorization server names one, in seconds.
const DEFAULT_INTERVAL: u64 = 5;
/// The longest polling interval, in seconds.
const MAX_INTERVAL: u64 = 60;
/// How long a person may take at most, in seconds.
const MAX_LIFE_SECONDS: u64 = 10 * 60;
/// The longest code that a person is shown, in characters.
const MAX_USER_CODE: usize = 64;

/// Shows a person where to log in, and with which code.
pub trait DevicePrompt: Send + Sync + 'static {
    /// Shows the code. Must return at once.
    fn show(&self, code: &DeviceCode);
}

/// What a person needs to log in on another device.
#[derive(Debug, Clone)]
pub struct DeviceCode {
    /// The code that the person types there.
    pub user_code: Box<str>,
    /// The page to open; it is checked like every URL of a login.
    pub page: Url,
    /// The same page with the code already in its URL, for a link or a QR code.
    pub page_with_code: Option<Url>,
    /// How long the code is valid.
    pub life: Duration,
}

/// The prompt that shows a person the code.
#[derive(Clone)]
pub(crate) struct DeviceDisplay(pub(crate) Arc<dyn DevicePrompt>);

impl std::fmt::Debug for DeviceDisplay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DeviceDisplay(…)")
    }
}

/// A device login that has begun.
pub(crate) struct PendingDevice {
    pub(crate) code: DeviceCode,
    /// The device code, which the token requests carry.
    pub(crate) secret: SecretText,
    interval: u64,
}

#[derive(Deserialize)]
struct DeviceAnswer {
    device_code: Box<str>,
    user_code: Box<str>,
    verification_uri: Box<str>,
    verification_uri_complete: Option<Box<str>>,
    expires_in: u64,
    interval: Option<u64>,
}

impl PendingDevice {
    /// Reads the response of the device authorization endpoint.
    pub(crate) fn read(response: &FetchResponse, rule: EndpointRule) -> Result<Self, AuthError> {
        match response.status {
            200 => {}
            400..=499 if response.status != 429 => return Err(refused(response)),
            status => {
                let why = format!("the authorization server answers with HTTP {status}");
                return Err(AuthError::Unavailable(why.into()));
            }
        }
        let answer: DeviceAnswer = response.read("answer of the device endpoint")?;
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_graphic() || c == ' ');
        if MAX_USER_CODE < answer.user_code.len() || !plain(&answer.user_code) {
            return Err(AuthError::stop(
                "the authorization server sent a code that is too long or has characters other \
                 than printable ASCII",
            ));
        }
        let page = rule.check(&answer.verification_uri, "page to log in")?;
        let complete = answer.verification_uri_complete.as_deref();
        let page_with_code = complete.map(|text| rule.check(text, "page to log in")).transpose()?;
        let life = Duration::from_secs(answer.expires_in.clamp(1, MAX_LIFE_SECONDS));
        Ok(Self {
            code: DeviceCode { user_code: answer.user_code, page, page_with_code, life },
            secret: SecretText::new(answer.device_code),
            interval: answer.interval.unwrap_or(DEFAULT_INTERVAL).clamp(1, MAX_INTERVAL),
        })
    }

    /// Begins the polling; the code's lifetime starts now.
    pub(crate) fn questions(&self) -> DeviceQuestions {
        DeviceQuestions { end: Instant::now() + self.code.life, interval: self.interval }
    }
}

/// Polls whether the person has logged in: knows when the next request is due, and when to give up.
pub(crate) struct DeviceQuestions {
    end: Instant,
    interval: u64,
}

impl DeviceQuestions {
    /// Waits until the next token request is due.
    pub(crate) async fn next(&self) -> Result<(), AuthError> {
        let next = Instant::now() + Duration::from_secs(self.interval);
        if self.end < next {
            return Err(late());
        }
        tokio::time::sleep_until(next).await;
        Ok(())
    }

    /// The meaning of a response; `None` if the person has not logged in yet.
    pub(crate) fn judge(
        &mut self,
        answer: Result<IssuedToken, AuthError>,
    ) -> Option<Result<IssuedToken, AuthError>> {
        match answer {
            Err(error) if error.is_code("authorization_pending") => None,
            Err(error) if error.is_code("slow_down") => {
                // RFC 8628, 3.5: five seconds more, for all requests that follow.
                self.interval += 5;
                None
            }
            Err(AuthError::Unavailable(_)) => {
                self.interval = (self.interval * 2).min(MAX_INTERVAL);
                None
            }
            Err(error) if error.is_code("expired_token") => Some(Err(late())),
            Err(error) if error.is_code("access_denied") => {
                Some(Err(AuthError::LoginAbandoned("it was refused on the page".into())))
            }
            outcome => Some(outcome),
        }
    }
}

fn late() -> AuthError {
    AuthError::LoginAbandoned("nobody logged in in time; try again".into())
}
