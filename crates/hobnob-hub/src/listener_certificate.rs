//! The certificate of `hobnob serve --http`: from the settings to what the HTTP server presents.
//!
//! `serve` loads it at its start, and `doctor` checks it. The server checks the files again while
//! it runs.

use hobnob_config::{ListenerSettings, Places};
use hobnob_mcp_http::{TlsCertificate, TlsFault, TlsFiles, TlsWarning};

/// The files of the certificate and its key, as the settings name them.
pub fn files(places: &Places, listener: &ListenerSettings) -> Option<TlsFiles> {
    let tls = listener.tls.as_ref()?;
    let beside_settings = |path| places.config_dir.join(path);
    let (certificate, key) = (beside_settings(&tls.certificate), beside_settings(&tls.key));
    Some(TlsFiles { certificate, key })
}

/// Loads the files; the warnings say why clients may reject a certificate that can be used.
pub fn load(
    files: TlsFiles,
    listener: &ListenerSettings,
) -> Result<(TlsCertificate, Vec<TlsWarning>), TlsFault> {
    let certificate = TlsCertificate::load(files)?;
    let warnings = certificate.warnings(listener.public_url.as_deref().and_then(host));
    Ok((certificate, warnings))
}

/// Problems of the certificate that clients get now. Every client may read them, so they name no
/// file.
pub fn problems(certificate: &TlsCertificate) -> Vec<String> {
    let mut problems: Vec<String> =
        certificate.warnings(None).iter().map(ToString::to_string).collect();
    if certificate.is_kept() {
        problems.push(
            "the new TLS certificate cannot be used, so the earlier one stays in force; find out \
             why with: hobnob doctor"
                .into(),
        );
    }
    problems
}

/// The host of an origin, without its port.
fn host(origin: &str) -> Option<&str> {
    let authority = origin.split_once("://")?.1.split('/').next()?;
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => Some(host),
        Some(_) | None => Some(authority),
    }
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_of_an_origin_has_no_port() {
        for (origin, expected) in [
            ("https://hub.example.com", Some("hub.example.com")),
            ("https://hub.example.com:8443/", Some("hub.example.com")),
            ("https://[::1]", Some("[::1]")),
            ("https://[::1]:8443", Some("[::1]")),
            ("hub.example.com", None),
        ] {
            assert_eq!(host(origin), expected, "{origin}");
        }
    }
}
