//! The forms. Sources: the vendors' own descriptions of their tokens, and the rules of gitleaks and of GitHub's secret
//! scanning, as far as a token can be told from other text by them.

use super::super::placeholder;
use super::checks::{Outcome, TextAt, Token, ensure};
use super::commands;
use std::sync::LazyLock;

/// One beginning, and what has to follow it.
pub(super) struct Format {
    pub(super) beginning: &'static str,
    group: &'static FormatGroup,
}

/// Beginnings that the same has to follow.
struct FormatGroup {
    beginnings: &'static [&'static str],
    name: &'static str,
    kind: FollowingText,
}

/// The text that has to follow the beginning.
enum FollowingText {
    /// The beginning is a part of the secret, which goes on like this.
    Token(Token),
    /// Whatever this check finds; it is given the name of the form.
    Other(FormatCheck),
}

type FormatCheck = fn(TextAt<'_>, &'static str) -> Outcome;

impl Format {
    pub(super) fn check(&self, text: &str, start: usize, is_end: bool) -> Outcome {
        let text = TextAt { text, start, after: start + self.beginning.len(), is_end };
        match &self.group.kind {
            FollowingText::Token(token) => text.token(*token, self.group.name),
            FollowingText::Other(check) => check(text, self.group.name),
        }
    }
}

/// Longer than any token of these forms.
const LONG: usize = 512;

pub(super) static FORMATS: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let formats =
        |group: &'static FormatGroup| group.beginnings.iter().map(move |beginning| Format { beginning, group });
    GROUPS.iter().flat_map(formats).collect()
});

static GROUPS: &[FormatGroup] = &[
    other(&[placeholder::OPENING], "", |text, _| text.placeholder()),
    // Models.
    token(&["sk-"], "api-key", word, 20, LONG),
    token(&["sk-ant-"], "anthropic-key", word, 20, LONG),
    token(&["sk-proj-", "sk-svcacct-", "sk-admin-"], "openai-key", word, 20, LONG),
    plain(&["sk-or-v1-"], "openrouter-key", hexadecimal, 64, 64),
    plain(&["AIza"], "google-key", word, 35, 35),
    plain(&["GOCSPX-"], "google-client-secret", word, 28, 28),
    token(&["ya29."], "google-token", word, 20, 4096),
    token(&["gsk_"], "groq-key", alphanumeric, 40, 64),
    token(&["xai-"], "xai-key", alphanumeric, 60, 128),
    token(&["pplx-"], "perplexity-key", alphanumeric, 40, 64),
    token(&["hf_"], "huggingface-token", alphanumeric, 30, 64),
    token(&["r8_"], "replicate-token", alphanumeric, 30, 64),
    // Code, packages.
    plain(&["ghp_", "gho_", "ghu_", "ghr_"], "github-token", alphanumeric, 30, 255),
    plain(&["ghs_"], "github-token", dotted, 30, LONG),
    plain(&["github_pat_"], "github-token", word, 22, 255),
    plain(&["glpat-"], "gitlab-token", dotted, 20, LONG),
    token(&["gldt-", "glrt-", "glptt-", "glcbt-"], "gitlab-token", dotted, 20, LONG),
    plain(&["npm_"], "npm-token", alphanumeric, 36, 64),
    token(&["pypi-"], "pypi-token", word, 60, LONG),
    token(&["dckr_pat_", "dckr_oat_"], "docker-token", word, 20, 64),
    token(&["ATATT3"], "atlassian-token", |byte| word(byte) || byte == b'=', 100, LONG),
    // Messages.
    token(&["xoxb-", "xoxp-", "xoxa-", "xoxe-", "xoxr-", "xoxs-", "xapp-"], "slack-token", word, 20, LONG),
    token(&["xoxe."], "slack-token", dotted, 20, LONG),
    token(&["SG."], "sendgrid-key", dotted, 60, 80),
    plain(&["SK"], "twilio-key", hexadecimal, 32, 32),
    other(&["hooks.slack.com/services/"], "slack-webhook", |text, name| text.rest(name)),
    other(&["discord.com/api/webhooks/"], "discord-webhook", |text, name| text.rest(name)),
    other(&[":AA"], "telegram-token", |text, name| text.telegram_token(name)),
    // The first digits of a number in Base64.
    other(&["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"], "discord-token", |text, name| {
        text.discord_token(name)
    }),
    // Clouds.
    plain(&["AKIA", "ASIA"], "aws-key-id", upper, 16, 16),
    other(&["ws_secret_access_key", "WS_SECRET_ACCESS_KEY", "ecretAccessKey"], "aws-secret", |text, name| {
        text.aws_secret(name)
    }),
    other(&["AccountKey=", "SharedAccessKey="], "azure-key", |text, name| text.rest(name)),
    token(&["dop_v1_", "doo_v1_"], "digitalocean-token", hexadecimal, 64, 64),
    token(&["hvs."], "vault-token", word, 24, LONG),
    token(&["glsa_"], "grafana-token", word, 40, 64),
    token(&["glc_"], "grafana-token", base64, 60, LONG),
    token(&["tskey-"], "tailscale-key", word, 30, 128),
    token(&["HRKU-"], "heroku-key", word, 36, 128),
    token(&["dp.st.", "dp.pt."], "doppler-token", dotted, 40, 80),
    token(&["pscale_"], "planetscale-token", dotted, 32, 80),
    token(&["fm2_"], "fly-token", base64, 100, LONG),
    token(&["sbp_"], "supabase-token", hexadecimal, 40, 40),
    token(&["sntrys_"], "sentry-token", |byte| base64(byte) || byte == b'_', 60, LONG),
    token(&["sntryu_"], "sentry-token", hexadecimal, 64, 64),
    token(&["dapi"], "databricks-token", hexadecimal, 32, 32),
    token(&["NRAK-"], "newrelic-key", upper, 27, 27),
    token(&["AGE-SECRET-KEY-1"], "age-key", upper, 58, 58),
    // Money, shops, notes.
    token(&["sk_live_", "sk_test_", "rk_live_", "rk_test_"], "stripe-key", alphanumeric, 16, 255),
    token(&["whsec_"], "webhook-secret", base64, 24, 255),
    token(&["shpat_", "shpss_"], "shopify-token", hexadecimal, 32, 32),
    token(&["lin_api_"], "linear-key", alphanumeric, 32, 64),
    token(&["ntn_"], "notion-token", alphanumeric, 40, 64),
    token(&["figd_"], "figma-token", word, 35, 64),
    token(&["PMAK-"], "postman-key", word, 50, 80),
    // Known by what they are, or by what stands before them.
    other(&["eyJ"], "jwt", |text, name| text.jwt(name)),
    other(&["-----BEGIN "], "private-key", |text, name| text.private_key(name)),
    other(&["Private-Lines: "], "private-key", |text, name| text.putty_key(name)),
    other(&["://"], "url-password", |text, name| text.url_password(name)),
    // The names of programs.
    other(&["curl"], "", |text, _| text.command(&commands::CURL)),
    other(&["mysql", "mariadb"], "", |text, _| text.command(&commands::MYSQL)),
    other(&["mongo"], "", |text, _| text.command(&commands::MONGO)),
    other(&["ldap"], "", |text, _| text.command(&commands::LDAP)),
    other(&["mosquitto_"], "", |text, _| text.command(&commands::MOSQUITTO)),
    other(&["7z"], "", |text, _| text.command(&commands::SEVEN_ZIP)),
    other(&["zip", "unzip"], "", |text, _| text.command(&commands::ZIP)),
    other(&["twine upload", "login"], "", |text, _| text.command(&commands::LOGIN)),
    other(&["sshpass"], "", |text, _| text.command(&commands::SSHPASS)),
    other(&["redis-cli"], "", |text, _| text.command(&commands::REDIS)),
    other(&["sqlcmd", "bcp"], "", |text, _| text.command(&commands::SQLCMD)),
    other(&["echo ", "printf "], "password", |text, name| text.changed_password(name)),
    other(&["sqlplus ", "sqlplus -s ", "sqlplus -S ", "sqlplus -L ", "racle:thin:"], "password", |text, name| {
        text.oracle(name)
    }),
    other(&["htpasswd "], "password", |text, name| text.htpasswd(name)),
    other(&[":*:", "5432:", "5433:", "5439:", "6432:", "6543:", "25060:"], "password", |text, name| text.pgpass(name)),
    other(&["requirepass ", "masterauth ", "root@localhost: "], "password", |text, name| text.setting(name)),
    other(&["DENTIFIED BY '", "dentified by '"], "password", |text, name| text.setting(name)),
    other(&["pass:"], "password", openssl_pass),
    other(&["ookie", "OOKIE"], "cookie", |text, name| text.cookies(name)),
    other(&["earer "], "bearer-token", |text, name| text.bearer(name)),
    other(&["uthorization", "UTHORIZATION"], "authorization", |text, name| text.header(name)),
    other(&["pi-key", "pi-Key", "PI-Key", "PI-KEY"], "header-key", |text, name| text.header(name)),
    // Parts of names; the names tell what they are called, whatever assigns the value.
    assigned(&["assword", "ASSWORD", "assWord", "asswd", "ASSWD", "asswort", "asscode", "ASSCODE"]),
    assigned(&["assphrase", "ASSPHRASE", "ass_phrase", "ASS_PHRASE", "assPhrase"]),
    assigned(&["_pass", "_PASS", "-pass", "Pass", "storepass", "keypass", "SSHPASS", "REDISCLI_AUTH", "_auth"]),
    assigned(&["pwd", "Pwd", "PWD", "psk", "PSK", "ecret", "ECRET", "oken", "OKEN", "redential", "REDENTIAL"]),
    assigned(&["_key", "_KEY", "-key", "-KEY", ".key", "Key", "pikey", "PIKEY"]),
    other(&["pass=", "pass =", "pass:", "pass\"", "pass'", "PASS=", "PASS:", "PASS\"", "PASS'"], "", short_name),
    other(&["pw=", "pw =", "pw:", "pw\"", "pw'", "PW=", "PW =", "PW:", "PW\"", "PW'"], "", short_name),
];

/// A beginning that stands elsewhere too, so that what follows has to look random.
const fn token(
    beginnings: &'static [&'static str],
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> FormatGroup {
    FormatGroup { beginnings, name, kind: FollowingText::Token(Token { class, least, most, random: true }) }
}

/// A beginning that nothing else has.
const fn plain(
    beginnings: &'static [&'static str],
    name: &'static str,
    class: fn(u8) -> bool,
    least: usize,
    most: usize,
) -> FormatGroup {
    FormatGroup { beginnings, name, kind: FollowingText::Token(Token { class, least, most, random: false }) }
}

const fn other(beginnings: &'static [&'static str], name: &'static str, check: FormatCheck) -> FormatGroup {
    FormatGroup { beginnings, name, kind: FollowingText::Other(check) }
}

const fn assigned(beginnings: &'static [&'static str]) -> FormatGroup {
    other(beginnings, "", |text, _| text.assigned())
}

/// The same of `pass` and `pw`, which are parts of too many words: the signs behind the name are no part of it.
fn short_name(text: TextAt<'_>, _: &'static str) -> Outcome {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let letters = text.text[text.start..text.after].bytes().take_while(is_letter).count();
    TextAt { after: text.start + letters, ..text }.assigned()
}

fn openssl_pass(text: TextAt<'_>, name: &'static str) -> Outcome {
    ensure(["in ", "out ", "pass "].iter().any(|word| text.text[..text.start].ends_with(word)))?;
    text.setting(name)
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
