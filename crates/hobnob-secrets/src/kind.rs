//! What can be found: every kind with the words people read for it, its family and its weight.

use crate::scope::Personal;

/// The two families of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// Something that opens a door: a key, a token, a password.
    Secret,
    /// Something about a person.
    Personal,
}

/// How much a kind says about what was found; where two kinds overlap, the one that says more wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// About a person; a secret around it matters more.
    Personal,
    /// Known only from the name it was given to.
    Named,
    /// Known from where it stands: in a header, in a URL.
    Placed,
    /// Known from its own form.
    Formed,
}

macro_rules! kinds {
    (
        secrets { $($(#[$secret_note:meta])* $secret:ident, $weight:ident, $secret_label:literal;)* }
        personal { $($(#[$note:meta])* $name:ident, $sort:ident, $label:literal;)* }
    ) => {
        /// What was found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[$secret_note])* $secret,)*
            $($(#[$note])* $name,)*
        }

        impl Kind {
            /// Every kind there is.
            pub const ALL: &[Self] = &[$(Self::$secret,)* $(Self::$name,)*];

            /// The words for it, as a person reads them.
            pub fn label(self) -> &'static str {
                match self {
                    $(Self::$secret => $secret_label,)*
                    $(Self::$name => $label,)*
                }
            }

            /// The sort of personal data it is, if it is no secret.
            pub(crate) fn sort(self) -> Option<Personal> {
                match self {
                    $(Self::$secret => None,)*
                    $(Self::$name => Some(Personal::$sort),)*
                }
            }

            pub(crate) fn weight(self) -> Weight {
                match self {
                    $(Self::$secret => Weight::$weight,)*
                    $(Self::$name => Weight::Personal,)*
                }
            }
        }
    };
}

impl Kind {
    /// Which of the two families it belongs to.
    pub fn family(self) -> Family {
        match self.sort() {
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
        /// A GitLab token of any use.
        GitlabToken, Formed, "gitlab token";
        /// A Bitbucket app password or access token.
        BitbucketToken, Formed, "bitbucket token";
        /// An Atlassian API token.
        AtlassianToken, Formed, "atlassian token";
        /// A Slack token.
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
        /// A SendGrid key.
        SendgridKey, Formed, "sendgrid key";
        /// A Mailgun key.
        MailgunKey, Formed, "mailgun key";
        /// A Mailchimp key.
        MailchimpKey, Formed, "mailchimp key";
        /// An npm token.
        NpmToken, Formed, "npm token";
        /// A PyPI token.
        PypiToken, Formed, "pypi token";
        /// A crates.io token.
        CratesIoToken, Formed, "crates.io token";
        /// A RubyGems key.
        RubygemsKey, Formed, "rubygems key";
        /// A Docker Hub token.
        DockerToken, Formed, "docker token";
        /// A Hugging Face token.
        HuggingFaceToken, Formed, "hugging face token";
        /// An OpenAI key.
        OpenAiKey, Formed, "openai key";
        /// An Anthropic key.
        AnthropicKey, Formed, "anthropic key";
        /// A key of another provider of models.
        ModelProviderKey, Formed, "model provider key";
        /// A Databricks token.
        DatabricksToken, Formed, "databricks token";
        /// A DigitalOcean token.
        DigitalOceanToken, Formed, "digitalocean token";
        /// A Heroku key.
        HerokuKey, Formed, "heroku key";
        /// A Shopify token.
        ShopifyToken, Formed, "shopify token";
        /// A Square token.
        SquareToken, Formed, "square token";
        /// A Linear key.
        LinearKey, Formed, "linear key";
        /// A Notion token.
        NotionToken, Formed, "notion token";
        /// A HashiCorp Vault token.
        VaultToken, Formed, "vault token";
        /// A Terraform Cloud token.
        TerraformToken, Formed, "terraform token";
        /// A token of another service that marks its tokens.
        ServiceToken, Formed, "service token";
        /// An age identity.
        AgeKey, Formed, "age secret key";
        /// A private key in armour: PEM, OpenSSH or PuTTY.
        PrivateKey, Formed, "private key";
        /// A PGP private key block.
        PgpPrivateKey, Formed, "pgp private key";
        /// A signed or encrypted JSON web token.
        Jwt, Formed, "json web token";
        /// The password in a URL.
        UrlCredentials, Placed, "url password";
        /// The credentials of HTTP basic authentication.
        BasicAuth, Placed, "basic credentials";
        /// The token of an authorization header.
        BearerToken, Placed, "bearer token";
        /// A random value under a name that says secret, token or key.
        NamedSecret, Named, "secret";
        /// A password.
        Password, Named, "password";
    }
    personal {
        /// An e-mail address.
        Email, Mail, "e-mail address";
        /// A phone number.
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
