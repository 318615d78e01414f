//! The forms. Sources: the vendors' own descriptions of their tokens, and the rules of gitleaks and of GitHub's secret
//! scanning, as far as a token can be told from other text by them.

use super::super::placeholder;
use super::checks::{Outcome, TextAt, Token};
use super::commands::{self, SecretTaker};

pub(super) struct Format {
    pub(super) beginning: &'static str,
    name: &'static str,
    kind: FollowingText,
}

/// The text that has to follow the beginning.
enum FollowingText {
    /// The beginning is a part of the secret, which goes on like this.
    Token(Token),
    Placeholder,
    Jwt,
    PrivateKey,
    UrlPassword,
    Bearer,
    Header,
    AwsSecret,
    TelegramToken,
    DiscordToken,
    /// The name of a program.
    Command(&'static SecretTaker),
    PgPass,
    Oracle,
    Setting,
    OpensslPass,
    Cookies,
    PuttyKey,
    Rest,
    /// A name that says what its value is, whatever assigns it.
    Assigned,
    /// The same of `pass` and `pw`, which are parts of too many words.
    Pass,
    /// `echo 'user:password' | chpasswd`
    ChangedPassword,
    /// `htpasswd -b FILE USER PASSWORD`
    HtPasswd,
}

impl Format {
    pub(super) fn check(&self, text: &str, start: usize, is_end: bool) -> Outcome {
        let text = TextAt { text, start, after: start + self.beginning.len(), is_end };
        match &self.kind {
            FollowingText::Token(token) => text.token(*token, self.name),
            FollowingText::Placeholder => text.placeholder(),
            FollowingText::Jwt => text.jwt(self.name),
            FollowingText::PrivateKey => text.private_key(self.name),
            FollowingText::UrlPassword => text.url_password(self.name),
            FollowingText::Bearer => text.bearer(self.name),
            FollowingText::Header => text.header(self.name),
            FollowingText::AwsSecret => text.aws_secret(self.name),
            FollowingText::TelegramToken => text.telegram_token(self.name),
            FollowingText::DiscordToken => text.discord_token(self.name),
            FollowingText::Command(program) => text.command(program),
            FollowingText::PgPass => text.pgpass(self.name),
            FollowingText::Oracle => text.oracle(self.name),
            FollowingText::Setting => text.setting(self.name),
            FollowingText::OpensslPass
                if ["in ", "out ", "pass "].iter().any(|word| text.text[..start].ends_with(word)) =>
            {
                text.setting(self.name)
            }
            FollowingText::OpensslPass => Outcome::None,
            FollowingText::Cookies => text.cookies(self.name),
            FollowingText::PuttyKey => text.putty_key(self.name),
            FollowingText::Rest => text.rest(self.name),
            FollowingText::Assigned => text.assigned(),
            // The signs behind the name are no part of it.
            FollowingText::Pass => {
                let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
                let letters = self.beginning.bytes().take_while(is_letter).count();
                TextAt { after: start + letters, ..text }.assigned()
            }
            FollowingText::ChangedPassword => text.changed_password(self.name),
            FollowingText::HtPasswd => text.htpasswd(self.name),
        }
    }
}

/// Longer than any token of these forms.
const LONG: usize = 512;

pub(super) static FORMATS: &[Format] = &[
    other(placeholder::OPENING, "", FollowingText::Placeholder),
    // Models.
    token("sk-", "api-key", word, 20, LONG),
    token("sk-ant-", "anthropic-key", word, 20, LONG),
    token("sk-proj-", "openai-key", word, 20, LONG),
    token("sk-svcacct-", "openai-key", word, 20, LONG),
    token("sk-admin-", "openai-key", word, 20, LONG),
    plain("sk-or-v1-", "openrouter-key", hexadecimal, 64, 64),
    plain("AIza", "google-key", word, 35, 35),
    plain("GOCSPX-", "google-client-secret", word, 28, 28),
    token("ya29.", "google-token", word, 20, 4096),
    token("gsk_", "groq-key", alphanumeric, 40, 64),
    token("xai-", "xai-key", alphanumeric, 60, 128),
    token("pplx-", "perplexity-key", alphanumeric, 40, 64),
    token("hf_", "huggingface-token", alphanumeric, 30, 64),
    token("r8_", "replicate-token", alphanumeric, 30, 64),
    // Code, packages.
    plain("ghp_", "github-token", alphanumeric, 30, 255),
    plain("gho_", "github-token", alphanumeric, 30, 255),
    plain("ghu_", "github-token", alphanumeric, 30, 255),
    plain("ghs_", "github-token", dotted, 30, LONG),
    plain("ghr_", "github-token", alphanumeric, 30, 255),
    plain("github_pat_", "github-token", word, 22, 255),
    plain("glpat-", "gitlab-token", dotted, 20, LONG),
    token("gldt-", "gitlab-token", dotted, 20, LONG),
    token("glrt-", "gitlab-token", dotted, 20, LONG),
    token("glptt-", "gitlab-token", dotted, 20, LONG),
    token("glcbt-", "gitlab-token", dotted, 20, LONG),
    plain("npm_", "npm-token", alphanumeric, 36, 64),
    token("pypi-", "pypi-token", word, 60, LONG),
    token("dckr_pat_", "docker-token", word, 20, 64),
    token("dckr_oat_", "docker-token", word, 20, 64),
    token("ATATT3", "atlassian-token", |byte| word(byte) || byte == b'=', 100, LONG),
    // Messages.
    token("xoxb-", "slack-token", word, 20, LONG),
    token("xoxp-", "slack-token", word, 20, LONG),
    token("xoxa-", "slack-token", word, 20, LONG),
    token("xoxe-", "slack-token", word, 20, LONG),
    token("xoxe.", "slack-token", dotted, 20, LONG),
    token("xoxr-", "slack-token", word, 20, LONG),
    token("xoxs-", "slack-token", word, 20, LONG),
    token("xapp-", "slack-token", word, 20, LONG),
    token("SG.", "sendgrid-key", dotted, 60, 80),
    plain("SK", "twilio-key", hexadecimal, 32, 32),
    other("hooks.slack.com/services/", "slack-webhook", FollowingText::Rest),
    other("discord.com/api/webhooks/", "discord-webhook", FollowingText::Rest),
    other(":AA", "telegram-token", FollowingText::TelegramToken),
    // The first digits of a number in Base64.
    other("MT", "discord-token", FollowingText::DiscordToken),
    other("Mj", "discord-token", FollowingText::DiscordToken),
    other("Mz", "discord-token", FollowingText::DiscordToken),
    other("ND", "discord-token", FollowingText::DiscordToken),
    other("NT", "discord-token", FollowingText::DiscordToken),
    other("Nj", "discord-token", FollowingText::DiscordToken),
    other("Nz", "discord-token", FollowingText::DiscordToken),
    other("OD", "discord-token", FollowingText::DiscordToken),
    other("OT", "discord-token", FollowingText::DiscordToken),
    // Clouds.
    plain("AKIA", "aws-key-id", upper, 16, 16),
    plain("ASIA", "aws-key-id", upper, 16, 16),
    other("ws_secret_access_key", "aws-secret", FollowingText::AwsSecret),
    other("WS_SECRET_ACCESS_KEY", "aws-secret", FollowingText::AwsSecret),
    other("ecretAccessKey", "aws-secret", FollowingText::AwsSecret),
    other("AccountKey=", "azure-key", FollowingText::Rest),
    other("SharedAccessKey=", "azure-key", FollowingText::Rest),
    token("dop_v1_", "digitalocean-token", hexadecimal, 64, 64),
    token("doo_v1_", "digitalocean-token", hexadecimal, 64, 64),
    token("hvs.", "vault-token", word, 24, LONG),
    token("glsa_", "grafana-token", word, 40, 64),
    token("glc_", "grafana-token", base64, 60, LONG),
    token("tskey-", "tailscale-key", word, 30, 128),
    token("HRKU-", "heroku-key", word, 36, 128),
    token("dp.st.", "doppler-token", dotted, 40, 80),
    token("dp.pt.", "doppler-token", dotted, 40, 80),
    token("pscale_", "planetscale-token", dotted, 32, 80),
    token("fm2_", "fly-token", base64, 100, LONG),
    token("sbp_", "supabase-token", hexadecimal, 40, 40),
    token("sntrys_", "sentry-token", |byte| base64(byte) || byte == b'_', 60, LONG),
    token("sntryu_", "sentry-token", hexadecimal, 64, 64),
    token("dapi", "databricks-token", hexadecimal, 32, 32),
    token("NRAK-", "newrelic-key", upper, 27, 27),
    token("AGE-SECRET-KEY-1", "age-key", upper, 58, 58),
    // Money, shops, notes.
    token("sk_live_", "stripe-key", alphanumeric, 16, 255),
    token("sk_test_", "stripe-key", alphanumeric, 16, 255),
    token("rk_live_", "stripe-key", alphanumeric, 16, 255),
    token("rk_test_", "stripe-key", alphanumeric, 16, 255),
    token("whsec_", "webhook-secret", base64, 24, 255),
    token("shpat_", "shopify-token", hexadecimal, 32, 32),
    token("shpss_", "shopify-token", hexadecimal, 32, 32),
    token("lin_api_", "linear-key", alphanumeric, 32, 64),
    token("ntn_", "notion-token", alphanumeric, 40, 64),
    token("figd_", "figma-token", word, 35, 64),
    token("PMAK-", "postman-key", word, 50, 80),
    // Known by what they are, or by what stands before them.
    other("eyJ", "jwt", FollowingText::Jwt),
    other("-----BEGIN ", "private-key", FollowingText::PrivateKey),
    other("Private-Lines: ", "private-key", FollowingText::PuttyKey),
    other("://", "url-password", FollowingText::UrlPassword),
    other("curl", "", FollowingText::Command(&commands::CURL)),
    other("mysql", "", FollowingText::Command(&commands::MYSQL)),
    other("mariadb", "", FollowingText::Command(&commands::MYSQL)),
    other("mongo", "", FollowingText::Command(&commands::MONGO)),
    other("ldap", "", FollowingText::Command(&commands::LDAP)),
    other("mosquitto_", "", FollowingText::Command(&commands::MOSQUITTO)),
    other("7z", "", FollowingText::Command(&commands::SEVEN_ZIP)),
    other("zip", "", FollowingText::Command(&commands::ZIP)),
    other("unzip", "", FollowingText::Command(&commands::ZIP)),
    other("twine upload", "", FollowingText::Command(&commands::LOGIN)),
    other("echo ", "password", FollowingText::ChangedPassword),
    other("printf ", "password", FollowingText::ChangedPassword),
    other("sqlplus ", "password", FollowingText::Oracle),
    other("sqlplus -s ", "password", FollowingText::Oracle),
    other("sqlplus -S ", "password", FollowingText::Oracle),
    other("sqlplus -L ", "password", FollowingText::Oracle),
    other("htpasswd ", "password", FollowingText::HtPasswd),
    other("sshpass", "", FollowingText::Command(&commands::SSHPASS)),
    other("redis-cli", "", FollowingText::Command(&commands::REDIS)),
    other("login", "", FollowingText::Command(&commands::LOGIN)),
    other("sqlcmd", "", FollowingText::Command(&commands::SQLCMD)),
    other("bcp", "", FollowingText::Command(&commands::SQLCMD)),
    other(":*:", "password", FollowingText::PgPass),
    other("5432:", "password", FollowingText::PgPass),
    other("5433:", "password", FollowingText::PgPass),
    other("5439:", "password", FollowingText::PgPass),
    other("6432:", "password", FollowingText::PgPass),
    other("6543:", "password", FollowingText::PgPass),
    other("25060:", "password", FollowingText::PgPass),
    other("racle:thin:", "password", FollowingText::Oracle),
    other("requirepass ", "password", FollowingText::Setting),
    other("masterauth ", "password", FollowingText::Setting),
    other("root@localhost: ", "password", FollowingText::Setting),
    other("DENTIFIED BY '", "password", FollowingText::Setting),
    other("dentified by '", "password", FollowingText::Setting),
    other("pass:", "password", FollowingText::OpensslPass),
    other("ookie", "cookie", FollowingText::Cookies),
    other("OOKIE", "cookie", FollowingText::Cookies),
    other("earer ", "bearer-token", FollowingText::Bearer),
    other("uthorization", "authorization", FollowingText::Header),
    other("UTHORIZATION", "authorization", FollowingText::Header),
    other("pi-key", "header-key", FollowingText::Header),
    other("pi-Key", "header-key", FollowingText::Header),
    other("PI-Key", "header-key", FollowingText::Header),
    other("PI-KEY", "header-key", FollowingText::Header),
    // Parts of names; the names tell what they are called.
    other("assword", "", FollowingText::Assigned),
    other("ASSWORD", "", FollowingText::Assigned),
    other("asswd", "", FollowingText::Assigned),
    other("ASSWD", "", FollowingText::Assigned),
    other("asswort", "", FollowingText::Assigned),
    other("assphrase", "", FollowingText::Assigned),
    other("ASSPHRASE", "", FollowingText::Assigned),
    other("_pass", "", FollowingText::Assigned),
    other("_PASS", "", FollowingText::Assigned),
    other("-pass", "", FollowingText::Assigned),
    other("Pass", "", FollowingText::Assigned),
    other("pass=", "", FollowingText::Pass),
    other("pass =", "", FollowingText::Pass),
    other("pass:", "", FollowingText::Pass),
    other("pass\"", "", FollowingText::Pass),
    other("pass'", "", FollowingText::Pass),
    other("PASS=", "", FollowingText::Pass),
    other("PASS:", "", FollowingText::Pass),
    other("PASS\"", "", FollowingText::Pass),
    other("PASS'", "", FollowingText::Pass),
    other("pw=", "", FollowingText::Pass),
    other("pw =", "", FollowingText::Pass),
    other("pw:", "", FollowingText::Pass),
    other("pw\"", "", FollowingText::Pass),
    other("pw'", "", FollowingText::Pass),
    other("PW=", "", FollowingText::Pass),
    other("PW =", "", FollowingText::Pass),
    other("PW:", "", FollowingText::Pass),
    other("PW\"", "", FollowingText::Pass),
    other("PW'", "", FollowingText::Pass),
    other("asscode", "", FollowingText::Assigned),
    other("ASSCODE", "", FollowingText::Assigned),
    other("assWord", "", FollowingText::Assigned),
    other("ass_phrase", "", FollowingText::Assigned),
    other("ASS_PHRASE", "", FollowingText::Assigned),
    other("assPhrase", "", FollowingText::Assigned),
    other("storepass", "", FollowingText::Assigned),
    other("keypass", "", FollowingText::Assigned),
    other("SSHPASS", "", FollowingText::Assigned),
    other("REDISCLI_AUTH", "", FollowingText::Assigned),
    other("_auth", "", FollowingText::Assigned),
    other("pwd", "", FollowingText::Assigned),
    other("Pwd", "", FollowingText::Assigned),
    other("PWD", "", FollowingText::Assigned),
    other("psk", "", FollowingText::Assigned),
    other("PSK", "", FollowingText::Assigned),
    other("ecret", "", FollowingText::Assigned),
    other("ECRET", "", FollowingText::Assigned),
    other("oken", "", FollowingText::Assigned),
    other("OKEN", "", FollowingText::Assigned),
    other("redential", "", FollowingText::Assigned),
    other("REDENTIAL", "", FollowingText::Assigned),
    other("_key", "", FollowingText::Assigned),
    other("_KEY", "", FollowingText::Assigned),
    other("-key", "", FollowingText::Assigned),
    other("-KEY", "", FollowingText::Assigned),
    other(".key", "", FollowingText::Assigned),
    other("Key", "", FollowingText::Assigned),
    other("pikey", "", FollowingText::Assigned),
    other("PIKEY", "", FollowingText::Assigned),
];

const fn token(
    beginning: &'static str,
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Format {
    other(beginning, name, FollowingText::Token(Token { class, least, most, random: true }))
}

/// A beginning that nothing else has.
const fn plain(
    beginning: &'static str,
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Format {
    other(beginning, name, FollowingText::Token(Token { class, least, most, random: false }))
}

const fn other(beginning: &'static str, name: &'static str, kind: FollowingText) -> Format {
    Format { beginning, name, kind }
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn dotted(byte: u8) -> bool {
    word(byte) || byte == b'.'
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn hexadecimal(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}
