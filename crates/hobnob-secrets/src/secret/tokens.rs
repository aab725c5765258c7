//! The patterns of tokens that services issue, from their documentation or from real tokens.
//!
//! `trigger` searches for all of them at once; to recognise another service, add a line.

use crate::kind::FindingKind;
use crate::text::{
    Class, alphanumeric, base64, base64url, digit, hex, lower_alphanumeric, lower_hex,
    upper_alphanumeric, word,
};

use super::token_pattern::TokenPart::{self, Announced, Mark};
use super::token_pattern::{CharacterRun, TokenPattern};

/// The patterns of all known tokens.
pub(crate) fn all() -> impl Iterator<Item = &'static TokenPattern> {
    TABLES.into_iter().flatten()
}

const TABLES: [&[TokenPattern]; 5] = [CLOUDS, FORGES, MESSAGES, MODELS, SERVICES];

const fn run(class: Class, min: usize, max: usize) -> TokenPart {
    TokenPart::Run(CharacterRun { class, min, max })
}

const fn exactly(count: usize, class: Class) -> TokenPart {
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

const CLOUDS: &[TokenPattern] = &[
    TokenPattern::new(
        FindingKind::AwsAccessKeyId,
        &[Mark("AKIA"), exactly(16, upper_alphanumeric)],
    ),
    TokenPattern::new(
        FindingKind::AwsAccessKeyId,
        &[Mark("ASIA"), exactly(16, upper_alphanumeric)],
    ),
    TokenPattern::new(
        FindingKind::AwsAccessKeyId,
        &[Mark("ABIA"), exactly(16, upper_alphanumeric)],
    ),
    TokenPattern::new(FindingKind::GcpApiKey, &[Mark("AIza"), exactly(35, base64url)]),
    TokenPattern::new(FindingKind::GoogleOauth, &[Mark("GOCSPX-"), exactly(28, base64url)]),
    TokenPattern::new(FindingKind::GoogleOauth, &[Mark("ya29."), run(base64url, 30, 1024)]),
    TokenPattern::new(FindingKind::GoogleOauth, &[Mark("1//0"), run(base64url, 40, 256)]),
    TokenPattern::new(
        FindingKind::AzureStorageKey,
        &[Announced("AccountKey="), exactly(86, base64), Mark("==")],
    ),
    TokenPattern::new(
        FindingKind::AzureSharedKey,
        &[Announced("SharedAccessKey="), exactly(43, base64), Mark("=")],
    ),
    TokenPattern::after(
        CharacterRun { class: azure_secret, min: 4, max: 4 },
        FindingKind::AzureClientSecret,
        &[Mark("Q~"), run(azure_secret, 31, 36)],
    ),
    TokenPattern::new(FindingKind::DatabricksToken, &[Mark("dapi"), exactly(32, lower_hex)]),
    TokenPattern::new(FindingKind::DigitalOceanToken, &[Mark("dop_v1_"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::DigitalOceanToken, &[Mark("doo_v1_"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::DigitalOceanToken, &[Mark("dor_v1_"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::HerokuKey, &[Mark("HRKU-"), run(base64url, 36, 80)]),
    TokenPattern::new(FindingKind::VaultToken, &[Mark("hvs."), run(base64url, 24, 256)]),
    TokenPattern::new(FindingKind::VaultToken, &[Mark("hvb."), run(base64url, 100, 512)]),
    TokenPattern::new(FindingKind::VaultToken, &[Mark("hvr."), run(base64url, 24, 256)]),
    TokenPattern::after(
        CharacterRun { class: alphanumeric, min: 14, max: 14 },
        FindingKind::TerraformToken,
        &[Mark(".atlasv1."), run(base64url, 60, 80)],
    ),
    TokenPattern::new(
        FindingKind::AgeKey,
        &[Mark("AGE-SECRET-KEY-1"), exactly(58, upper_alphanumeric)],
    ),
];

const FORGES: &[TokenPattern] = &[
    TokenPattern::new(FindingKind::GithubToken, &[Mark("ghp_"), run(alphanumeric, 36, 255)]),
    TokenPattern::new(FindingKind::GithubToken, &[Mark("gho_"), run(alphanumeric, 36, 255)]),
    TokenPattern::new(FindingKind::GithubToken, &[Mark("ghu_"), run(alphanumeric, 36, 255)]),
    TokenPattern::new(FindingKind::GithubToken, &[Mark("ghs_"), run(alphanumeric, 36, 255)]),
    TokenPattern::new(FindingKind::GithubToken, &[Mark("ghr_"), run(alphanumeric, 36, 255)]),
    TokenPattern::new(
        FindingKind::GithubFineGrainedToken,
        &[Mark("github_pat_"), run(word, 40, 255)],
    ),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glpat-"), run(base64url, 20, 300)]),
    // Newer tokens have two more short parts.
    TokenPattern::new(
        FindingKind::GitlabToken,
        &[
            Mark("glpat-"),
            run(base64url, 20, 300),
            Mark("."),
            exactly(2, alphanumeric),
            Mark("."),
            run(lower_alphanumeric, 7, 12),
        ],
    ),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("gldt-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glrt-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glptt-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glcbt-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glsoat-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glft-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glimt-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("gloas-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("glagent-"), run(base64url, 20, 300)]),
    TokenPattern::new(FindingKind::GitlabToken, &[Mark("GR1348941"), run(base64url, 20, 24)]),
    TokenPattern::new(FindingKind::BitbucketToken, &[Mark("ATBB"), run(alphanumeric, 32, 40)]),
    TokenPattern::new(FindingKind::BitbucketToken, &[Mark("ATCTT3"), run(atlassian, 60, 300)]),
    TokenPattern::new(FindingKind::AtlassianToken, &[Mark("ATATT3"), run(atlassian, 60, 300)]),
    TokenPattern::new(FindingKind::NpmToken, &[Mark("npm_"), exactly(36, alphanumeric)]),
    TokenPattern::new(FindingKind::PypiToken, &[Mark("pypi-"), run(base64url, 60, 512)]),
    TokenPattern::new(FindingKind::CratesIoToken, &[Mark("cio"), exactly(32, alphanumeric)]),
    TokenPattern::new(FindingKind::RubygemsKey, &[Mark("rubygems_"), exactly(48, lower_hex)]),
    TokenPattern::new(FindingKind::DockerToken, &[Mark("dckr_pat_"), run(base64url, 27, 40)]),
    TokenPattern::new(FindingKind::DockerToken, &[Mark("dckr_oat_"), run(base64url, 27, 40)]),
];

fn atlassian(byte: u8) -> bool {
    base64url(byte) || byte == b'='
}

const MESSAGES: &[TokenPattern] = &[
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxb-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxp-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxa-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxo-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxr-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxs-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxc-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxe-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxe.xoxp-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xoxe.xoxb-"), run(dashed, 20, 255)]),
    TokenPattern::new(FindingKind::SlackToken, &[Mark("xapp-"), run(dashed, 30, 255)]),
    TokenPattern::new(
        FindingKind::SlackWebhook,
        &[Mark("hooks.slack.com/services/"), run(path, 30, 90)],
    ),
    TokenPattern::new(
        FindingKind::SlackWebhook,
        &[Mark("hooks.slack.com/workflows/"), run(path, 30, 120)],
    ),
    TokenPattern::new(
        FindingKind::SlackWebhook,
        &[Mark("hooks.slack.com/triggers/"), run(path, 30, 120)],
    ),
    TokenPattern::new(
        FindingKind::DiscordWebhook,
        &[Mark("discord.com/api/webhooks/"), run(digit, 17, 20), Mark("/"), run(base64url, 60, 80)],
    ),
    TokenPattern::new(
        FindingKind::DiscordWebhook,
        &[
            Mark("discordapp.com/api/webhooks/"),
            run(digit, 17, 20),
            Mark("/"),
            run(base64url, 60, 80),
        ],
    ),
    TokenPattern::new(
        FindingKind::TeamsWebhook,
        &[Mark("webhook.office.com/webhookb2/"), run(path, 60, 255)],
    ),
    TokenPattern::after(
        CharacterRun { class: digit, min: 8, max: 11 },
        FindingKind::TelegramToken,
        &[Mark(":AA"), run(base64url, 32, 34)],
    ),
    TokenPattern::new(
        FindingKind::TelegramToken,
        &[Announced("/bot"), run(digit, 8, 11), Mark(":AA"), run(base64url, 32, 34)],
    ),
    TokenPattern::new(FindingKind::TwilioKey, &[Mark("SK"), exactly(32, lower_hex)]),
    TokenPattern::new(
        FindingKind::SendgridKey,
        &[Mark("SG."), run(base64url, 16, 32), Mark("."), run(base64url, 32, 64)],
    ),
    TokenPattern::new(FindingKind::MailgunKey, &[Mark("key-"), exactly(32, lower_hex)]),
    TokenPattern::after(
        CharacterRun { class: lower_hex, min: 32, max: 32 },
        FindingKind::MailchimpKey,
        &[Mark("-us"), run(digit, 1, 2)],
    ),
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[Mark("xkeysib-"), exactly(64, lower_hex), Mark("-"), exactly(16, alphanumeric)],
    ),
];

const MODELS: &[TokenPattern] = &[
    TokenPattern::new(FindingKind::AnthropicKey, &[Mark("sk-ant-"), run(base64url, 24, 255)]),
    TokenPattern::new(FindingKind::OpenAiKey, &[Mark("sk-proj-"), run(base64url, 32, 255)]),
    TokenPattern::new(FindingKind::OpenAiKey, &[Mark("sk-svcacct-"), run(base64url, 32, 255)]),
    TokenPattern::new(FindingKind::OpenAiKey, &[Mark("sk-admin-"), run(base64url, 32, 255)]),
    TokenPattern::new(FindingKind::OpenAiKey, &[Mark("sk-"), run(alphanumeric, 32, 64)]),
    TokenPattern::new(FindingKind::HuggingFaceToken, &[Mark("hf_"), run(alphanumeric, 30, 40)]),
    TokenPattern::new(
        FindingKind::HuggingFaceToken,
        &[Mark("api_org_"), run(alphanumeric, 30, 40)],
    ),
    TokenPattern::new(FindingKind::ModelProviderKey, &[Mark("sk-or-v1-"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::ModelProviderKey, &[Mark("gsk_"), run(alphanumeric, 48, 60)]),
    TokenPattern::new(FindingKind::ModelProviderKey, &[Mark("pplx-"), run(alphanumeric, 40, 64)]),
    TokenPattern::new(FindingKind::ModelProviderKey, &[Mark("xai-"), run(alphanumeric, 70, 90)]),
    TokenPattern::new(FindingKind::ModelProviderKey, &[Mark("r8_"), exactly(37, alphanumeric)]),
];

const SERVICES: &[TokenPattern] = &[
    TokenPattern::new(FindingKind::StripeKey, &[Mark("sk_live_"), run(alphanumeric, 16, 255)]),
    TokenPattern::new(FindingKind::StripeKey, &[Mark("sk_test_"), run(alphanumeric, 16, 255)]),
    TokenPattern::new(FindingKind::StripeKey, &[Mark("rk_live_"), run(alphanumeric, 16, 255)]),
    TokenPattern::new(FindingKind::StripeKey, &[Mark("rk_test_"), run(alphanumeric, 16, 255)]),
    TokenPattern::new(FindingKind::StripeKey, &[Mark("whsec_"), run(base64, 24, 80)]),
    TokenPattern::new(FindingKind::ShopifyToken, &[Mark("shpat_"), exactly(32, hex)]),
    TokenPattern::new(FindingKind::ShopifyToken, &[Mark("shpca_"), exactly(32, hex)]),
    TokenPattern::new(FindingKind::ShopifyToken, &[Mark("shppa_"), exactly(32, hex)]),
    TokenPattern::new(FindingKind::ShopifyToken, &[Mark("shpss_"), exactly(32, hex)]),
    TokenPattern::new(FindingKind::SquareToken, &[Mark("sq0atp-"), run(base64url, 22, 60)]),
    TokenPattern::new(FindingKind::SquareToken, &[Mark("sq0csp-"), run(base64url, 43, 60)]),
    TokenPattern::new(FindingKind::SquareToken, &[Mark("EAAA"), exactly(60, base64url)]),
    TokenPattern::new(FindingKind::LinearKey, &[Mark("lin_api_"), run(alphanumeric, 32, 64)]),
    TokenPattern::new(FindingKind::LinearKey, &[Mark("lin_oauth_"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::NotionToken, &[Mark("ntn_"), run(alphanumeric, 40, 60)]),
    TokenPattern::new(FindingKind::NotionToken, &[Mark("secret_"), exactly(43, alphanumeric)]),
    // Grafana.
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[Mark("glsa_"), exactly(32, alphanumeric), Mark("_"), exactly(8, hex)],
    ),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("glc_"), run(base64, 32, 400)]),
    // New Relic, Postman, Doppler, Pulumi.
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("NRAK-"), exactly(27, upper_alphanumeric)]),
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[Mark("PMAK-"), exactly(24, lower_hex), Mark("-"), exactly(34, lower_hex)],
    ),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("dp.pt."), run(alphanumeric, 40, 44)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("dp.st."), run(dotted, 40, 80)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("pul-"), exactly(40, lower_hex)]),
    // PlanetScale, Supabase, Netlify, Figma, Airtable.
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("pscale_tkn_"), run(base64url, 32, 64)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("pscale_pw_"), run(base64url, 32, 64)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("sbp_"), exactly(40, lower_hex)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("sb_secret_"), run(base64url, 24, 64)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("nfp_"), run(alphanumeric, 36, 44)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("figd_"), run(base64url, 36, 64)]),
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[Mark("pat"), exactly(14, alphanumeric), Mark("."), exactly(64, lower_hex)],
    ),
    // Sentry, Sourcegraph, Tailscale, 1Password, Dynatrace.
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("sntrys_"), run(atlassian, 60, 400)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("sntryu_"), exactly(64, lower_hex)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("sgp_"), run(word, 40, 80)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("tskey-auth-"), run(dashed, 24, 80)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("tskey-api-"), run(dashed, 24, 80)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("ops_eyJ"), run(base64url, 100, 2048)]),
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[
            Mark("dt0c01."),
            exactly(24, upper_alphanumeric),
            Mark("."),
            exactly(64, upper_alphanumeric),
        ],
    ),
    // Contentful, Buildkite, LangSmith, Prefect, Artifactory, NuGet, Adafruit, Plaid.
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("CFPAT-"), exactly(43, base64url)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("bkua_"), exactly(40, lower_hex)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("lsv2_pt_"), run(word, 40, 48)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("pnu_"), exactly(36, alphanumeric)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("AKCp"), run(alphanumeric, 64, 80)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("oy2"), exactly(43, lower_alphanumeric)]),
    TokenPattern::new(FindingKind::ServiceToken, &[Mark("aio_"), exactly(28, alphanumeric)]),
    TokenPattern::new(
        FindingKind::ServiceToken,
        &[Mark("access-production-"), exactly(36, dashed)],
    ),
];

fn dotted(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')
}
