//! Made-up secrets of every form, and ordinary text that looks a little like them. For tests.

use proptest::prelude::*;

pub(crate) struct SecretSample {
    before: &'static str,
    pub(crate) value: String,
    after: &'static str,
}

impl SecretSample {
    pub(crate) fn in_context(&self) -> String {
        format!("{}{}{}", self.before, self.value, self.after)
    }

    /// Returns what must not be seen; a private key has a secret in each line.
    pub(crate) fn values(&self) -> Vec<&str> {
        self.value.lines().filter(|line| !line.starts_with("-----") && !line.is_empty()).collect()
    }
}

/// Put together from pieces, so that no scanner takes this file for a leak.
fn joined(beginning: &str, rest: &str) -> String {
    format!("{beginning}{rest}")
}

const RANDOM: &str = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1bC3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xYzA1bC3dE5fG7hJ9kL1mN2pQ4r";

pub(crate) fn secrets() -> Vec<SecretSample> {
    let random = |length: usize| &RANDOM[..length];
    let hex = "0123456789abcdef".repeat(4);
    let upper = RANDOM.to_ascii_uppercase();
    let pem = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj".to_owned()
        + "\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nNMoSfm76oqFvAp8Gy0iz5sxj\n";
    let putty = "AAAAgQDHbwvZ8Yz0yqrf4oX1rTnTq0Q5sXoZ8mC3Dd0l5o2mB9kQ1u7c8GJ6t4Rz\nAAAAQQD9x2Jm\n".to_owned();
    let sample = |before, value: String, after| SecretSample { before, value, after };
    vec![
        sample("key=", joined("sk-", random(48)), "\n"),
        sample("'", joined("sk-ant-", &format!("api03-{}-{}AA", random(40), random(40))), "'"),
        sample("OPENAI=", joined("sk-proj-", random(80)), "."),
        sample("(", joined("sk-or-v1-", &hex), ")"),
        sample("\"", joined("ghp_", random(36)), "\""),
        sample("token ", joined("github_pat_", &format!("11{}_{}", random(20), random(59))), " "),
        sample("", joined("glpat-", random(20)), ""),
        sample("", joined("xoxb-", &format!("123456789012-1234567890123-{}", random(24))), ", x"),
        sample("id ", joined("AKIA", &upper[..16]), " "),
        sample("aws_secret_access_key = ", random(40).to_owned(), "\n"),
        sample("{\"SecretAccessKey\": \"", random(40).to_owned(), "\"}"),
        sample("", joined("AIza", random(35)), "&x=1"),
        sample("//r/:_authToken=", joined("npm_", random(36)), "\n"),
        sample("", joined("pypi-", random(80)), ""),
        sample("", joined("glsa_", &format!("{}_{}", random(32), &hex[..8])), ""),
        sample("'", joined("glc_", random(80)), "'"),
        sample("", joined("tskey-auth-", &format!("k123456CNTRL-{}", random(32))), "\n"),
        sample("=", joined("HRKU-", &format!("AA{}", random(58))), ""),
        sample("", joined("dp.st.", &format!("prd.{}", random(43))), ""),
        sample("", joined("pscale_tkn_", random(43)), ";"),
        sample("FlyV1 ", joined("fm2_", &random(80).repeat(2)), ",x"),
        sample("", joined("sbp_", &hex[..40]), ""),
        sample("", joined("sntrys_", &format!("eyJ{}_{}", random(80), random(43))), ""),
        sample("", joined("sk_live_", random(24)), ";"),
        sample("", joined("SG.", &format!("{}.{}", random(22), random(43))), ""),
        sample("", joined("hf_", random(34)), ""),
        sample("https://", joined("hooks.slack.com/services/", &format!("T0123ABCD/B0123ABCD/{}", random(24))), ""),
        sample("Cookie: s=", joined("eyJ", &format!("{}.eyJ{}.{}", random(30), random(60), random(43))), "; b"),
        sample("Authorization: Bearer ", random(30).to_owned(), "\r\n"),
        sample("'authorization': 'Basic ", "YWxhZGRpbjpvcGVuc2VzYW1l".to_owned(), "'"),
        sample("x-api-key: ", random(32).to_owned(), "\n"),
        sample("postgres://app:", "s3cr3t-pa55w0rd".to_owned(), "@db.example.org/app"),
        sample("DefaultEndpointsProtocol=https;AccountKey=", random(86).to_owned(), "==;x"),
        sample("-----BEGIN PRIVATE KEY-----\n", pem.clone(), "-----END PRIVATE KEY-----\n"),
        sample("x -----BEGIN RSA PRIVATE KEY-----\n", pem, "-----END RSA PRIVATE KEY----- y"),
        sample("sid=", joined("SK", &hex[..32]), "\n"),
        sample("api.telegram.org/bot110201543:", joined("AAHdqTcvCH1vGWJxfSeofSAs", "0K5PALDsaw7"), "/getMe"),
        sample("bot = '", joined("MTk4NjIyNDgzNDcxOTI1MjQ4", ".Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"), "'"),
        sample("curl -s -u admin:", "tr0ub4dor&3".to_owned(), " https://example.org"),
        sample("$ curl \\\n  --user 'me:", "correct-horse".to_owned(), "' x"),
        sample("[\"curl\", \"-u\", \"me:", "correct-horse".to_owned(), "\"]"),
        sample("Set-Cookie: theme=dark; sid=", random(32).to_owned(), "; Path=/; HttpOnly\r\n"),
        sample("-H 'Cookie: a=1; _session=", random(40).to_owned(), "'"),
        sample("Private-Lines: 2\r\n", putty, "Private-MAC: "),
        sample("password = '", "hunter2horse".to_owned(), "'\n"),
        sample("\"clientSecret\": \"", "k8Qv-2xLm.9Zr4Tp7".to_owned(), "\",\n"),
        sample("DB_PASSWORD=", "Zr4Tp7wQ9x".to_owned(), "\n"),
        sample("curl 'https://example.org/a?x=1&api_key=", random(32).to_owned(), "&y=2'"),
        sample("<password>", "Tr0ub4dor&3x".to_owned(), "</password>"),
        sample("tool --db-password ", "Tr0ub4dor3x!".to_owned(), " next"),
        sample("  12\t  - name: DB_PASSWORD\n  13\t    value: ", "q8Zr2Lx0Vt6".to_owned(), "\n"),
        sample("let token: &str = \"", random(20).to_owned(), "\";"),
        sample("{\\\"password\\\": \\\"", "q8Zr2Lx0Vt6".to_owned(), "\\\"}"),
        sample("mysql -u root -p", "abc123xyz".to_owned(), " shop\n"),
        sample("curl -X POST -sSu 'me:", "abc123xyz".to_owned(), "' -H 'Accept: a' x"),
        sample("[\"redis-cli\", \"-a\", \"", "abc123xyz".to_owned(), "\"]"),
        sample("machine h login me password ", "abc123xyz".to_owned(), "\n"),
        sample("db:5432:shop:app:", "abc123xyz".to_owned(), "\n"),
        sample("curl -b 'a=1; sid=", "abc123xyz".to_owned(), "' x\n"),
        sample("password = ", "abc123xyz".to_owned(), "\n"),
        sample("-H 'X-Auth-Token: ", "abc123xyz".to_owned(), "' x"),
        sample("value: ", "sk-secret-123".to_owned(), "-x"),
        sample("value: ", "sk-secret-123-and-more".to_owned(), ""),
        sample("value: ", "two words of it".to_owned(), " here"),
    ]
}

/// Text that must come out as it went in.
pub(crate) const ORDINARY: &[&str] = &[
    "let risk-free = task-sk-loading; // disk-usage sk-fading-circle sk-cube-grid",
    "sha512-eyJhbGciOiJIUzI1NiJ9WqBYGYvYm0xYQ2vZzB0c3RhbmRhcmQ2NDRhc2RmYXNkZmFzZGZhc2Rm==",
    "\"integrity\": \"sha512-UyXmvWqBYGYvYm0xYQ2vZzB0c3RhbmRhcmQgbm90IGEgc2VjcmV0IGF0IGFsbA==\"",
    "checksum = \"9f2a8b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8\"",
    "commit 1d0680b9f2a8b3c4d5e6f708192a3b4c5d6e7f80",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "https://example.org:8080/a@b?c=d#e http://localhost:3000/@scope/name ssh://git@github.com/a/b.git",
    "postgres://postgres:postgres@localhost/db https://user:password@host $PROTO://$USER:$PASS@$HOST",
    "Authorization: Bearer ${token}, authorization: AuthorizationService2Impl, Bearer YOUR_TOKEN_HERE_PLEASE",
    "fn authorization_endpoint(api_key: &str) -> Basic { Basic Authentication }",
    "if line.startswith(\"-----BEGIN PRIVATE KEY-----\") { parse_the_private_key_body(line) }",
    "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END CERTIFICATE-----",
    "npm_config_registry_url npm_package_version hf_hub_download_with_progress whsec_ SG. AKIA eyJ pypi-",
    "import { dapi } from 'dapi'; // figd_ ntn_ lin_api_ ATATT3 ya29. SKIP:SKELETON-KEY",
    "NTFS MTU MjRegular ODBC OT.Object.Key NTLM.Provider.AuthenticationSchemeHandlerFactory2Impl",
    "12:AAAA 01:AA:bb:cc 2024-01-01T10:00:00 12345678:AAA sha256:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw7",
    "docker run -u 1000:1000 --user root:wheel x; sudo -u app:x y; chown -u a:b; curl -u $USER:$PASS -u user:password",
    "curl -u {user}:{password} -u \"<user>:<token>\" --user-agent mozilla:5.0x -u name: -u me; curl --upload me:file2",
    "Set-Cookie: id=a3fWa; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Domain=a1b2c3d4e5f6g7h8i9.example.org; Max-Age=2592000",
    "cookies: CookieJar2048Implementation, Cookie: this text goes on with cookie=cutter_of_a_certain_form; let cookie = x",
    "Private-Lines: 14 and then the Private-MAC: of it",
    "//registry.npmjs.org/:_authToken=${NPM_TOKEN} glsa_prefix glc_ tskey-client pscale_tkn_ dp.st.x fm2_main sbp_",
    "password = get_password(); token = self.next_token(); secret: String, password: string; api_key = config.api_key2",
    "password=changeme PASSWORD=${DB_PASSWORD} token: '{{ token }}', \"password\": \"<your-password>\" password=***",
    "[secret] [secret:prod] [secrets:x#1] \\[secret\\] schlüssel=日本語",
];

pub(crate) fn any_part() -> impl Strategy<Value = String> {
    let secret = (0..secrets().len()).prop_map(|index| secrets()[index].in_context());
    let half = (0..secrets().len(), 0.0..1.0_f64).prop_map(|(index, part)| {
        let text = secrets()[index].in_context();
        let length = (text.len() as f64 * part) as usize;
        text[..text.floor_char_boundary(length)].to_owned()
    });
    let ordinary = (0..ORDINARY.len()).prop_map(|index| ORDINARY[index].to_owned());
    prop_oneof![secret, half, ordinary, "[ -~]{0,12}", Just("日本 \n".to_owned()), Just("sk-sec".to_owned())]
}
