//! The HTTP client that the endpoint and the download share: how long connecting may take, and which
//! redirects are followed. What all our clients share is in `hobnob-web-client`.

use std::time::Duration;

use hobnob_web_client::client_builder;
use reqwest::redirect::Policy;
use reqwest::{ClientBuilder, Url};

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(10);

/// A client for one server, which follows only what the policy lets it.
pub(crate) fn client(url: &Url, policy: Policy) -> ClientBuilder {
    client_builder(url, CONNECT).redirect(policy)
}
