//! The kinds of findings, their labels, and how specific each kind is.
//!
//! Rules create findings of these kinds, and callers print [`FindingKind::label`]. Labels appear in
//! stored, redacted texts, so they must not change.

/// The two families of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// A secret, which gives access: a key, a token, a password.
    Secret,
    /// Personal data, which says something about a person.
    Personal,
}

/// How specific a kind is; of two overlapping findings, the more specific one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Specificity {
    /// Personal data; an overlapping secret matters more.
    Personal,
    /// Recognised only by the name of the variable or field.
    Named,
    /// Recognised by its position: in a header, in a URL.
    Positional,
    /// Recognised by its own form.
    Formed,
}

/// Groups of personal data that a scanner can look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PersonalData {
    /// E-mail addresses of people; not accounts of machines, and not examples.
    Mail,
    /// Phone numbers, international and national.
    Phone,
    /// Payment cards with a valid check digit.
    Card,
    /// International bank account numbers (IBAN).
    Iban,
    /// US social security numbers.
    SocialSecurity,
    /// National identity numbers of other countries.
    NationalId,
}

macro_rules! kinds {
    (
        secrets { $($(#[$secret_note:meta])* $secret:ident, $specificity:ident, $secret_label:literal;)* }
        personal { $($(#[$note:meta])* $name:ident, $group:ident, $label:literal;)* }
    ) => {
        /// A kind of secret or of personal data.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FindingKind {
            $($(#[$secret_note])* $secret,)*
            $($(#[$note])* $name,)*
        }

        impl FindingKind {
            /// Every kind, secrets first.
            pub const ALL: &[Self] = &[$(Self::$secret,)* $(Self::$name,)*];

            /// Its label in messages and redactions, in lower case.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$secret => $secret_label,)*
                    $(Self::$name => $label,)*
                }
            }

            /// The group of personal data it belongs to; `None` for a secret.
            pub(crate) fn personal_data(self) -> Option<PersonalData> {
                match self {
                    $(Self::$secret => None,)*
                    $(Self::$name => Some(PersonalData::$group),)*
                }
            }

            pub(crate) fn specificity(self) -> Specificity {
                match self {
                    $(Self::$secret => Specificity::$specificity,)*
                    $(Self::$name => Specificity::Personal,)*
                }
            }
        }
    };
}

impl FindingKind {
    /// The family it belongs to.
    pub fn family(self) -> Family {
        match self.personal_data() {
            None => Family::Secret,
            Some(_) => Family::Personal,
        }
    }
}

kinds! {
    secrets {
        /// An AWS access key id.
        AwsAccessKeyId, Formed, "aws access key id";
        /// An AWS secret access key.
        AwsSecretKey, Formed, "aws secret key";
        /// A Google API key.
        GcpApiKey, Formed, "google api key";
        /// The private key of a Google service account.
        GcpServiceAccountKey, Formed, "google service account key";
        /// A Google OAuth client secret, access or refresh token.
        GoogleOauth, Formed, "google oauth secret";
        /// The key of an Azure storage or Cosmos account.
        AzureStorageKey, Formed, "azure storage key";
        /// The signature of an Azure shared access signature.
        AzureSasToken, Formed, "azure sas signature";
        /// The key in a connection string of an Azure bus, hub or device.
        AzureSharedKey, Formed, "azure shared access key";
        /// The secret of an Azure application.
        AzureClientSecret, Formed, "azure client secret";
        /// A GitHub token, classic or of an app.
        GithubToken, Formed, "github token";
        /// A fine-grained GitHub token.
        GithubFineGrainedToken, Formed, "github fine-grained token";
        /// A GitLab token for any purpose.
        GitlabToken, Formed, "gitlab token";
        /// A Bitbucket app password or access token.
        BitbucketToken, Formed, "bitbucket token";
        /// An Atlassian API token.
        AtlassianToken, Formed, "atlassian token";
        /// A Slack token of a bot, a user or an app (`xox…`).
        SlackToken, Formed, "slack token";
        /// The secret path of a Slack webhook.
        SlackWebhook, Formed, "slack webhook";
        /// A Discord bot token.
        DiscordToken, Formed, "discord token";
        /// The secret path of a Discord webhook.
        DiscordWebhook, Formed, "discord webhook";
        /// The secret path of a Microsoft Teams webhook.
        TeamsWebhook, Formed, "teams webhook";
        /// A Telegram bot token.
        TelegramToken, Formed, "telegram bot token";
        /// A Stripe secret or restricted key, or a webhook secret.
        StripeKey, Formed, "stripe key";
        /// A Twilio API key or account token.
        TwilioKey, Formed, "twilio key";
        /// A SendGrid API key (`SG.`).
        SendgridKey, Formed, "sendgrid key";
        /// A Mailgun API key (`key-`), or one under a name with "mailgun".
        MailgunKey, Formed, "mailgun key";
        /// A Mailchimp API key, which ends in its data centre.
        MailchimpKey, Formed, "mailchimp key";
        /// An npm access token (`npm_`), or an older one under `_authToken`.
        NpmToken, Formed, "npm token";
        /// A PyPI API token (`pypi-`).
        PypiToken, Formed, "pypi token";
        /// A crates.io API token (`cio`).
        CratesIoToken, Formed, "crates.io token";
        /// A RubyGems API key (`rubygems_`).
        RubygemsKey, Formed, "rubygems key";
        /// A Docker Hub token.
        DockerToken, Formed, "docker token";
        /// A Hugging Face token.
        HuggingFaceToken, Formed, "hugging face token";
        /// An OpenAI API key (`sk-`).
        OpenAiKey, Formed, "openai key";
        /// An Anthropic API key (`sk-ant-`).
        AnthropicKey, Formed, "anthropic key";
        /// A key of another provider of models.
        ModelProviderKey, Formed, "model provider key";
        /// A Databricks access token (`dapi`).
        DatabricksToken, Formed, "databricks token";
        /// A DigitalOcean access token (`dop_v1_` and its relatives).
        DigitalOceanToken, Formed, "digitalocean token";
        /// A Heroku API key, a UUID under a name with "heroku".
        HerokuKey, Formed, "heroku key";
        /// A Shopify access token (`shpat_` and its relatives).
        ShopifyToken, Formed, "shopify token";
        /// A Square access token or secret.
        SquareToken, Formed, "square token";
        /// A Linear API key (`lin_api_`).
        LinearKey, Formed, "linear key";
        /// A Notion integration token.
        NotionToken, Formed, "notion token";
        /// A HashiCorp Vault token.
        VaultToken, Formed, "vault token";
        /// A Terraform Cloud token.
        TerraformToken, Formed, "terraform token";
        /// A token of another service that marks its tokens.
        ServiceToken, Formed, "service token";
        /// The secret key of an age identity.
        AgeKey, Formed, "age secret key";
        /// A private key in armour: PEM, OpenSSH or PuTTY.
        PrivateKey, Formed, "private key";
        /// A PGP private key block.
        PgpPrivateKey, Formed, "pgp private key";
        /// A signed or encrypted JSON web token.
        Jwt, Formed, "json web token";
        /// The password in a URL.
        UrlCredentials, Positional, "url password";
        /// The credentials of HTTP basic authentication.
        BasicAuth, Positional, "basic credentials";
        /// The token of an authorization header.
        BearerToken, Positional, "bearer token";
        /// A random value under a name that says secret, token or key.
        NamedSecret, Named, "secret";
        /// A password under a name that says so, or in a sentence.
        Password, Named, "password";
    }
    personal {
        /// An e-mail address of a person.
        Email, Mail, "e-mail address";
        /// A phone number, international or national.
        Phone, Phone, "phone number";
        /// The number of a payment card.
        PaymentCard, Card, "payment card";
        /// An international bank account number.
        Iban, Iban, "iban";
        /// A US social security number.
        UsSocialSecurity, SocialSecurity, "us social security number";
        /// A German tax id.
        GermanTaxId, NationalId, "german tax id";
        /// A British national insurance number.
        UkNationalInsurance, NationalId, "uk national insurance number";
        /// A French social security number.
        FrenchSocialSecurity, NationalId, "french social security number";
        /// A Spanish identity number, of citizens or of foreigners.
        SpanishId, NationalId, "spanish identity number";
        /// A Swiss social security number.
        SwissSocialSecurity, NationalId, "swiss social security number";
        /// An Italian tax code.
        ItalianTaxCode, NationalId, "italian tax code";
        /// A Brazilian tax number.
        BrazilianTaxNumber, NationalId, "brazilian tax number";
    }
}
