//! The forms of tokens that services give out, as their documentation or the tokens show them.

use crate::kind::Kind;
use crate::text::{
    Class, alphanumeric, base64, base64url, digit, hex, lower_alphanumeric, lower_hex,
    upper_alphanumeric, word,
};

use super::token::Part::{self, Announced, Mark};
use super::token::{Run, Token};

/// All tables, in reading order.
pub(crate) const TABLES: [&[Token]; 5] = [CLOUDS, FORGES, MESSAGES, MODELS, SERVICES];

const fn run(class: Class, least: usize, most: usize) -> Part {
    Part::Run(Run { class, least, most })
}

const fn exactly(count: usize, class: Class) -> Part {
    run(class, count, count)
}

fn dashed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

fn path(byte: u8) -> bool {
    base64url(byte) || matches!(byte, b'/' | b'@')
}

fn azure_secret(byte: u8) -> bool {
    base64url(byte) || matches!(byte, b'.' | b'~')
}

const CLOUDS: &[Token] = &[
    Token::new(Kind::AwsAccessKeyId, &[Mark("AKIA"), exactly(16, upper_alphanumeric)]),
    Token::new(Kind::AwsAccessKeyId, &[Mark("ASIA"), exactly(16, upper_alphanumeric)]),
    Token::new(Kind::AwsAccessKeyId, &[Mark("ABIA"), exactly(16, upper_alphanumeric)]),
    Token::new(Kind::GcpApiKey, &[Mark("AIza"), exactly(35, base64url)]),
    Token::new(Kind::GoogleOauth, &[Mark("GOCSPX-"), exactly(28, base64url)]),
    Token::new(Kind::GoogleOauth, &[Mark("ya29."), run(base64url, 30, 1024)]),
    Token::new(Kind::GoogleOauth, &[Mark("1//0"), run(base64url, 40, 256)]),
    Token::new(Kind::AzureStorageKey, &[Announced("AccountKey="), exactly(86, base64), Mark("==")]),
    Token::new(
        Kind::AzureSharedKey,
        &[Announced("SharedAccessKey="), exactly(43, base64), Mark("=")],
    ),
    Token::after(
        Run { class: azure_secret, least: 4, most: 4 },
        Kind::AzureClientSecret,
        &[Mark("Q~"), run(azure_secret, 31, 36)],
    ),
    Token::new(Kind::DatabricksToken, &[Mark("dapi"), exactly(32, lower_hex)]),
    Token::new(Kind::DigitalOceanToken, &[Mark("dop_v1_"), exactly(64, lower_hex)]),
    Token::new(Kind::DigitalOceanToken, &[Mark("doo_v1_"), exactly(64, lower_hex)]),
    Token::new(Kind::DigitalOceanToken, &[Mark("dor_v1_"), exactly(64, lower_hex)]),
    Token::new(Kind::HerokuKey, &[Mark("HRKU-"), run(base64url, 36, 80)]),
    Token::new(Kind::VaultToken, &[Mark("hvs."), run(base64url, 24, 256)]),
    Token::new(Kind::VaultToken, &[Mark("hvb."), run(base64url, 100, 512)]),
    Token::new(Kind::VaultToken, &[Mark("hvr."), run(base64url, 24, 256)]),
    Token::after(
        Run { class: alphanumeric, least: 14, most: 14 },
        Kind::TerraformToken,
        &[Mark(".atlasv1."), run(base64url, 60, 80)],
    ),
    Token::new(Kind::AgeKey, &[Mark("AGE-SECRET-KEY-1"), exactly(58, upper_alphanumeric)]),
];

const FORGES: &[Token] = &[
    Token::new(Kind::GithubToken, &[Mark("ghp_"), run(alphanumeric, 36, 255)]),
    Token::new(Kind::GithubToken, &[Mark("gho_"), run(alphanumeric, 36, 255)]),
    Token::new(Kind::GithubToken, &[Mark("ghu_"), run(alphanumeric, 36, 255)]),
    Token::new(Kind::GithubToken, &[Mark("ghs_"), run(alphanumeric, 36, 255)]),
    Token::new(Kind::GithubToken, &[Mark("ghr_"), run(alphanumeric, 36, 255)]),
    Token::new(Kind::GithubFineGrainedToken, &[Mark("github_pat_"), run(word, 40, 255)]),
    Token::new(Kind::GitlabToken, &[Mark("glpat-"), run(base64url, 20, 300)]),
    // The newer ones have two short parts more.
    Token::new(
        Kind::GitlabToken,
        &[
            Mark("glpat-"),
            run(base64url, 20, 300),
            Mark("."),
            exactly(2, alphanumeric),
            Mark("."),
            run(lower_alphanumeric, 7, 12),
        ],
    ),
    Token::new(Kind::GitlabToken, &[Mark("gldt-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glrt-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glptt-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glcbt-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glsoat-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glft-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glimt-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("gloas-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("glagent-"), run(base64url, 20, 300)]),
    Token::new(Kind::GitlabToken, &[Mark("GR1348941"), run(base64url, 20, 24)]),
    Token::new(Kind::BitbucketToken, &[Mark("ATBB"), run(alphanumeric, 32, 40)]),
    Token::new(Kind::BitbucketToken, &[Mark("ATCTT3"), run(atlassian, 60, 300)]),
    Token::new(Kind::AtlassianToken, &[Mark("ATATT3"), run(atlassian, 60, 300)]),
    Token::new(Kind::NpmToken, &[Mark("npm_"), exactly(36, alphanumeric)]),
    Token::new(Kind::PypiToken, &[Mark("pypi-"), run(base64url, 60, 512)]),
    Token::new(Kind::CratesIoToken, &[Mark("cio"), exactly(32, alphanumeric)]),
    Token::new(Kind::RubygemsKey, &[Mark("rubygems_"), exactly(48, lower_hex)]),
    Token::new(Kind::DockerToken, &[Mark("dckr_pat_"), run(base64url, 27, 40)]),
    Token::new(Kind::DockerToken, &[Mark("dckr_oat_"), run(base64url, 27, 40)]),
];

fn atlassian(byte: u8) -> bool {
    base64url(byte) || byte == b'='
}

const MESSAGES: &[Token] = &[
    Token::new(Kind::SlackToken, &[Mark("xoxb-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxp-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxa-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxo-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxr-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxs-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxc-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxe-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxe.xoxp-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xoxe.xoxb-"), run(dashed, 20, 255)]),
    Token::new(Kind::SlackToken, &[Mark("xapp-"), run(dashed, 30, 255)]),
    Token::new(Kind::SlackWebhook, &[Mark("hooks.slack.com/services/"), run(path, 30, 90)]),
    Token::new(Kind::SlackWebhook, &[Mark("hooks.slack.com/workflows/"), run(path, 30, 120)]),
    Token::new(Kind::SlackWebhook, &[Mark("hooks.slack.com/triggers/"), run(path, 30, 120)]),
    Token::new(
        Kind::DiscordWebhook,
        &[Mark("discord.com/api/webhooks/"), run(digit, 17, 20), Mark("/"), run(base64url, 60, 80)],
    ),
    Token::new(
        Kind::DiscordWebhook,
        &[
            Mark("discordapp.com/api/webhooks/"),
            run(digit, 17, 20),
            Mark("/"),
            run(base64url, 60, 80),
        ],
    ),
    Token::new(Kind::TeamsWebhook, &[Mark("webhook.office.com/webhookb2/"), run(path, 60, 255)]),
    Token::after(
        Run { class: digit, least: 8, most: 11 },
        Kind::TelegramToken,
        &[Mark(":AA"), run(base64url, 32, 34)],
    ),
    Token::new(
        Kind::TelegramToken,
        &[Announced("/bot"), run(digit, 8, 11), Mark(":AA"), run(base64url, 32, 34)],
    ),
    Token::new(Kind::TwilioKey, &[Mark("SK"), exactly(32, lower_hex)]),
    Token::new(
        Kind::SendgridKey,
        &[Mark("SG."), run(base64url, 16, 32), Mark("."), run(base64url, 32, 64)],
    ),
    Token::new(Kind::MailgunKey, &[Mark("key-"), exactly(32, lower_hex)]),
    Token::after(
        Run { class: lower_hex, least: 32, most: 32 },
        Kind::MailchimpKey,
        &[Mark("-us"), run(digit, 1, 2)],
    ),
    Token::new(
        Kind::ServiceToken,
        &[Mark("xkeysib-"), exactly(64, lower_hex), Mark("-"), exactly(16, alphanumeric)],
    ),
];

const MODELS: &[Token] = &[
    Token::new(Kind::AnthropicKey, &[Mark("sk-ant-"), run(base64url, 24, 255)]),
    Token::new(Kind::OpenAiKey, &[Mark("sk-proj-"), run(base64url, 32, 255)]),
    Token::new(Kind::OpenAiKey, &[Mark("sk-svcacct-"), run(base64url, 32, 255)]),
    Token::new(Kind::OpenAiKey, &[Mark("sk-admin-"), run(base64url, 32, 255)]),
    Token::new(Kind::OpenAiKey, &[Mark("sk-"), run(alphanumeric, 32, 64)]),
    Token::new(Kind::HuggingFaceToken, &[Mark("hf_"), run(alphanumeric, 30, 40)]),
    Token::new(Kind::HuggingFaceToken, &[Mark("api_org_"), run(alphanumeric, 30, 40)]),
    Token::new(Kind::ModelProviderKey, &[Mark("sk-or-v1-"), exactly(64, lower_hex)]),
    Token::new(Kind::ModelProviderKey, &[Mark("gsk_"), run(alphanumeric, 48, 60)]),
    Token::new(Kind::ModelProviderKey, &[Mark("pplx-"), run(alphanumeric, 40, 64)]),
    Token::new(Kind::ModelProviderKey, &[Mark("xai-"), run(alphanumeric, 70, 90)]),
    Token::new(Kind::ModelProviderKey, &[Mark("r8_"), exactly(37, alphanumeric)]),
];

const SERVICES: &[Token] = &[
    Token::new(Kind::StripeKey, &[Mark("sk_live_"), run(alphanumeric, 16, 255)]),
    Token::new(Kind::StripeKey, &[Mark("sk_test_"), run(alphanumeric, 16, 255)]),
    Token::new(Kind::StripeKey, &[Mark("rk_live_"), run(alphanumeric, 16, 255)]),
    Token::new(Kind::StripeKey, &[Mark("rk_test_"), run(alphanumeric, 16, 255)]),
    Token::new(Kind::StripeKey, &[Mark("whsec_"), run(base64, 24, 80)]),
    Token::new(Kind::ShopifyToken, &[Mark("shpat_"), exactly(32, hex)]),
    Token::new(Kind::ShopifyToken, &[Mark("shpca_"), exactly(32, hex)]),
    Token::new(Kind::ShopifyToken, &[Mark("shppa_"), exactly(32, hex)]),
    Token::new(Kind::ShopifyToken, &[Mark("shpss_"), exactly(32, hex)]),
    Token::new(Kind::SquareToken, &[Mark("sq0atp-"), run(base64url, 22, 60)]),
    Token::new(Kind::SquareToken, &[Mark("sq0csp-"), run(base64url, 43, 60)]),
    Token::new(Kind::SquareToken, &[Mark("EAAA"), exactly(60, base64url)]),
    Token::new(Kind::LinearKey, &[Mark("lin_api_"), run(alphanumeric, 32, 64)]),
    Token::new(Kind::LinearKey, &[Mark("lin_oauth_"), exactly(64, lower_hex)]),
    Token::new(Kind::NotionToken, &[Mark("ntn_"), run(alphanumeric, 40, 60)]),
    Token::new(Kind::NotionToken, &[Mark("secret_"), exactly(43, alphanumeric)]),
    // Grafana.
    Token::new(
        Kind::ServiceToken,
        &[Mark("glsa_"), exactly(32, alphanumeric), Mark("_"), exactly(8, hex)],
    ),
    Token::new(Kind::ServiceToken, &[Mark("glc_"), run(base64, 32, 400)]),
    // New Relic, Postman, Doppler, Pulumi.
    Token::new(Kind::ServiceToken, &[Mark("NRAK-"), exactly(27, upper_alphanumeric)]),
    Token::new(
        Kind::ServiceToken,
        &[Mark("PMAK-"), exactly(24, lower_hex), Mark("-"), exactly(34, lower_hex)],
    ),
    Token::new(Kind::ServiceToken, &[Mark("dp.pt."), run(alphanumeric, 40, 44)]),
    Token::new(Kind::ServiceToken, &[Mark("dp.st."), run(dotted, 40, 80)]),
    Token::new(Kind::ServiceToken, &[Mark("pul-"), exactly(40, lower_hex)]),
    // PlanetScale, Supabase, Netlify, Figma, Airtable.
    Token::new(Kind::ServiceToken, &[Mark("pscale_tkn_"), run(base64url, 32, 64)]),
    Token::new(Kind::ServiceToken, &[Mark("pscale_pw_"), run(base64url, 32, 64)]),
    Token::new(Kind::ServiceToken, &[Mark("sbp_"), exactly(40, lower_hex)]),
    Token::new(Kind::ServiceToken, &[Mark("sb_secret_"), run(base64url, 24, 64)]),
    Token::new(Kind::ServiceToken, &[Mark("nfp_"), run(alphanumeric, 36, 44)]),
    Token::new(Kind::ServiceToken, &[Mark("figd_"), run(base64url, 36, 64)]),
    Token::new(
        Kind::ServiceToken,
        &[Mark("pat"), exactly(14, alphanumeric), Mark("."), exactly(64, lower_hex)],
    ),
    // Sentry, Sourcegraph, Tailscale, 1Password, Dynatrace.
    Token::new(Kind::ServiceToken, &[Mark("sntrys_"), run(atlassian, 60, 400)]),
    Token::new(Kind::ServiceToken, &[Mark("sntryu_"), exactly(64, lower_hex)]),
    Token::new(Kind::ServiceToken, &[Mark("sgp_"), run(word, 40, 80)]),
    Token::new(Kind::ServiceToken, &[Mark("tskey-auth-"), run(dashed, 24, 80)]),
    Token::new(Kind::ServiceToken, &[Mark("tskey-api-"), run(dashed, 24, 80)]),
    Token::new(Kind::ServiceToken, &[Mark("ops_eyJ"), run(base64url, 100, 2048)]),
    Token::new(
        Kind::ServiceToken,
        &[
            Mark("dt0c01."),
            exactly(24, upper_alphanumeric),
            Mark("."),
            exactly(64, upper_alphanumeric),
        ],
    ),
    // Contentful, Buildkite, LangSmith, Prefect, Artifactory, NuGet, Adafruit, Plaid.
    Token::new(Kind::ServiceToken, &[Mark("CFPAT-"), exactly(43, base64url)]),
    Token::new(Kind::ServiceToken, &[Mark("bkua_"), exactly(40, lower_hex)]),
    Token::new(Kind::ServiceToken, &[Mark("lsv2_pt_"), run(word, 40, 48)]),
    Token::new(Kind::ServiceToken, &[Mark("pnu_"), exactly(36, alphanumeric)]),
    Token::new(Kind::ServiceToken, &[Mark("AKCp"), run(alphanumeric, 64, 80)]),
    Token::new(Kind::ServiceToken, &[Mark("oy2"), exactly(43, lower_alphanumeric)]),
    Token::new(Kind::ServiceToken, &[Mark("aio_"), exactly(28, alphanumeric)]),
    Token::new(Kind::ServiceToken, &[Mark("access-production-"), exactly(36, dashed)]),
];

fn dotted(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')
}
