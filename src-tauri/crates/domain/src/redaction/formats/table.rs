//! The forms. Sources: the vendors' own descriptions of their tokens, and the rules of gitleaks and of GitHub's secret
//! scanning, as far as a token can be told from other text by them.

use super::super::placeholder;
use super::checks::{Outcome, Text, Token};
use super::commands::{self, Program};

pub(super) struct Format {
    pub(super) beginning: &'static str,
    name: &'static str,
    kind: Kind,
}

/// The text that has to follow the beginning.
enum Kind {
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
    Command(&'static Program),
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
        let text = Text { text, start, after: start + self.beginning.len(), is_end };
        match &self.kind {
            Kind::Token(token) => text.token(*token, self.name),
            Kind::Placeholder => text.placeholder(),
            Kind::Jwt => text.jwt(self.name),
            Kind::PrivateKey => text.private_key(self.name),
            Kind::UrlPassword => text.url_password(self.name),
            Kind::Bearer => text.bearer(self.name),
            Kind::Header => text.header(self.name),
            Kind::AwsSecret => text.aws_secret(self.name),
            Kind::TelegramToken => text.telegram_token(self.name),
            Kind::DiscordToken => text.discord_token(self.name),
            Kind::Command(program) => text.command(program),
            Kind::PgPass => text.pgpass(self.name),
            Kind::Oracle => text.oracle(self.name),
            Kind::Setting => text.setting(self.name),
            Kind::OpensslPass if ["in ", "out ", "pass "].iter().any(|word| text.text[..start].ends_with(word)) => {
                text.setting(self.name)
            }
            Kind::OpensslPass => Outcome::None,
            Kind::Cookies => text.cookies(self.name),
            Kind::PuttyKey => text.putty_key(self.name),
            Kind::Rest => text.rest(self.name),
            Kind::Assigned => text.assigned(),
            // The signs behind the name are no part of it.
            Kind::Pass => {
                let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
                let letters = self.beginning.bytes().take_while(is_letter).count();
                Text { after: start + letters, ..text }.assigned()
            }
            Kind::ChangedPassword => text.changed_password(self.name),
            Kind::HtPasswd => text.htpasswd(self.name),
        }
    }
}

/// Longer than any token of these forms.
const LONG: usize = 512;

pub(super) static FORMATS: &[Format] = &[
    other(placeholder::OPENING, "", Kind::Placeholder),
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
    other("hooks.slack.com/services/", "slack-webhook", Kind::Rest),
    other("discord.com/api/webhooks/", "discord-webhook", Kind::Rest),
    other(":AA", "telegram-token", Kind::TelegramToken),
    // The first digits of a number in Base64.
    other("MT", "discord-token", Kind::DiscordToken),
    other("Mj", "discord-token", Kind::DiscordToken),
    other("Mz", "discord-token", Kind::DiscordToken),
    other("ND", "discord-token", Kind::DiscordToken),
    other("NT", "discord-token", Kind::DiscordToken),
    other("Nj", "discord-token", Kind::DiscordToken),
    other("Nz", "discord-token", Kind::DiscordToken),
    other("OD", "discord-token", Kind::DiscordToken),
    other("OT", "discord-token", Kind::DiscordToken),
    // Clouds.
    plain("AKIA", "aws-key-id", upper, 16, 16),
    plain("ASIA", "aws-key-id", upper, 16, 16),
    other("ws_secret_access_key", "aws-secret", Kind::AwsSecret),
    other("WS_SECRET_ACCESS_KEY", "aws-secret", Kind::AwsSecret),
    other("ecretAccessKey", "aws-secret", Kind::AwsSecret),
    other("AccountKey=", "azure-key", Kind::Rest),
    other("SharedAccessKey=", "azure-key", Kind::Rest),
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
    other("eyJ", "jwt", Kind::Jwt),
    other("-----BEGIN ", "private-key", Kind::PrivateKey),
    other("Private-Lines: ", "private-key", Kind::PuttyKey),
    other("://", "url-password", Kind::UrlPassword),
    other("curl", "", Kind::Command(&commands::CURL)),
    other("mysql", "", Kind::Command(&commands::MYSQL)),
    other("mariadb", "", Kind::Command(&commands::MYSQL)),
    other("mongo", "", Kind::Command(&commands::MONGO)),
    other("ldap", "", Kind::Command(&commands::LDAP)),
    other("mosquitto_", "", Kind::Command(&commands::MOSQUITTO)),
    other("7z", "", Kind::Command(&commands::SEVEN_ZIP)),
    other("zip", "", Kind::Command(&commands::ZIP)),
    other("unzip", "", Kind::Command(&commands::ZIP)),
    other("twine upload", "", Kind::Command(&commands::LOGIN)),
    other("echo ", "password", Kind::ChangedPassword),
    other("printf ", "password", Kind::ChangedPassword),
    other("sqlplus ", "password", Kind::Oracle),
    other("sqlplus -s ", "password", Kind::Oracle),
    other("sqlplus -S ", "password", Kind::Oracle),
    other("sqlplus -L ", "password", Kind::Oracle),
    other("htpasswd ", "password", Kind::HtPasswd),
    other("sshpass", "", Kind::Command(&commands::SSHPASS)),
    other("redis-cli", "", Kind::Command(&commands::REDIS)),
    other("login", "", Kind::Command(&commands::LOGIN)),
    other("sqlcmd", "", Kind::Command(&commands::SQLCMD)),
    other("bcp", "", Kind::Command(&commands::SQLCMD)),
    other(":*:", "password", Kind::PgPass),
    other("5432:", "password", Kind::PgPass),
    other("5433:", "password", Kind::PgPass),
    other("5439:", "password", Kind::PgPass),
    other("6432:", "password", Kind::PgPass),
    other("6543:", "password", Kind::PgPass),
    other("25060:", "password", Kind::PgPass),
    other("racle:thin:", "password", Kind::Oracle),
    other("requirepass ", "password", Kind::Setting),
    other("masterauth ", "password", Kind::Setting),
    other("root@localhost: ", "password", Kind::Setting),
    other("DENTIFIED BY '", "password", Kind::Setting),
    other("dentified by '", "password", Kind::Setting),
    other("pass:", "password", Kind::OpensslPass),
    other("ookie", "cookie", Kind::Cookies),
    other("OOKIE", "cookie", Kind::Cookies),
    other("earer ", "bearer-token", Kind::Bearer),
    other("uthorization", "authorization", Kind::Header),
    other("UTHORIZATION", "authorization", Kind::Header),
    other("pi-key", "header-key", Kind::Header),
    other("pi-Key", "header-key", Kind::Header),
    other("PI-Key", "header-key", Kind::Header),
    other("PI-KEY", "header-key", Kind::Header),
    // Parts of names; the names tell what they are called.
    other("assword", "", Kind::Assigned),
    other("ASSWORD", "", Kind::Assigned),
    other("asswd", "", Kind::Assigned),
    other("ASSWD", "", Kind::Assigned),
    other("asswort", "", Kind::Assigned),
    other("assphrase", "", Kind::Assigned),
    other("ASSPHRASE", "", Kind::Assigned),
    other("_pass", "", Kind::Assigned),
    other("_PASS", "", Kind::Assigned),
    other("-pass", "", Kind::Assigned),
    other("Pass", "", Kind::Assigned),
    other("pass=", "", Kind::Pass),
    other("pass =", "", Kind::Pass),
    other("pass:", "", Kind::Pass),
    other("pass\"", "", Kind::Pass),
    other("pass'", "", Kind::Pass),
    other("PASS=", "", Kind::Pass),
    other("PASS:", "", Kind::Pass),
    other("PASS\"", "", Kind::Pass),
    other("PASS'", "", Kind::Pass),
    other("pw=", "", Kind::Pass),
    other("pw =", "", Kind::Pass),
    other("pw:", "", Kind::Pass),
    other("pw\"", "", Kind::Pass),
    other("pw'", "", Kind::Pass),
    other("PW=", "", Kind::Pass),
    other("PW =", "", Kind::Pass),
    other("PW:", "", Kind::Pass),
    other("PW\"", "", Kind::Pass),
    other("PW'", "", Kind::Pass),
    other("asscode", "", Kind::Assigned),
    other("ASSCODE", "", Kind::Assigned),
    other("assWord", "", Kind::Assigned),
    other("ass_phrase", "", Kind::Assigned),
    other("ASS_PHRASE", "", Kind::Assigned),
    other("assPhrase", "", Kind::Assigned),
    other("storepass", "", Kind::Assigned),
    other("keypass", "", Kind::Assigned),
    other("SSHPASS", "", Kind::Assigned),
    other("REDISCLI_AUTH", "", Kind::Assigned),
    other("_auth", "", Kind::Assigned),
    other("pwd", "", Kind::Assigned),
    other("Pwd", "", Kind::Assigned),
    other("PWD", "", Kind::Assigned),
    other("psk", "", Kind::Assigned),
    other("PSK", "", Kind::Assigned),
    other("ecret", "", Kind::Assigned),
    other("ECRET", "", Kind::Assigned),
    other("oken", "", Kind::Assigned),
    other("OKEN", "", Kind::Assigned),
    other("redential", "", Kind::Assigned),
    other("REDENTIAL", "", Kind::Assigned),
    other("_key", "", Kind::Assigned),
    other("_KEY", "", Kind::Assigned),
    other("-key", "", Kind::Assigned),
    other("-KEY", "", Kind::Assigned),
    other(".key", "", Kind::Assigned),
    other("Key", "", Kind::Assigned),
    other("pikey", "", Kind::Assigned),
    other("PIKEY", "", Kind::Assigned),
];

const fn token(
    beginning: &'static str,
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Format {
    other(beginning, name, Kind::Token(Token { class, least, most, random: true }))
}

/// A beginning that nothing else has.
const fn plain(
    beginning: &'static str,
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> Format {
    other(beginning, name, Kind::Token(Token { class, least, most, random: false }))
}

const fn other(beginning: &'static str, name: &'static str, kind: Kind) -> Format {
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
