//! The HTTP client of the endpoint and the download: connect timeout and redirect policy. What all
//! of our HTTP clients share is in `hobnob-web-client`.

use std::time::Duration;

use hobnob_web_client::client_builder;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};

/// Timeout for connecting to the server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A client for one server that follows redirects only as the policy allows.
pub(crate) fn client(url: &Url, policy: Policy) -> ClientBuilder {
    client_builder(url, CONNECT_TIMEOUT).redirect(policy)
}
