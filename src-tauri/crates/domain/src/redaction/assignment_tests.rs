//! Secrets that are known by the name they are assigned to.

use super::Redactor;

/// Returns what is replaced of each line; the value stands between `‹` and `›`.
fn marked(line: &str) -> (String, String) {
    let (before, rest) = line.split_once('‹').unwrap();
    let (value, after) = rest.split_once('›').unwrap();
    (format!("{before}{value}{after}"), value.to_owned())
}

#[test]
fn a_secret_is_known_by_its_name_in_every_usual_form() {
    for line in [
        // INI, TOML, properties.
        "aws_secret_access_key = '‹wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzTOPqLmwK›'",
        "aws_secret_access_key=‹wJalrXUtnFEMI/K7MDENG+bPxRfiCYzzTOP›",
        "[database]\npassword = ‹Xk29-vQpl!77aa›\nport = 1",
        "password = '‹hunter2horse›'",
        "password = \"‹Winter2024!›\"",
        "spring.datasource.password=‹q8Zr2Lx0Vt6›",
        "db.password = ‹q8Zr2Lx0Vt6› # live",
        "client_secret = \"‹8fj2Kd93hs7Kq0Zx41›\"",
        "private_token = '‹Zr4Tp7wQ9xKd93hs7Kq0›'",
        "//registry.example.org/:_authToken=‹Zr4Tp7wQ9xKd93hs7Kq0›",
        // YAML.
        "db:\n  password: ‹Xk29-vQpl!77aa›\n  user: x\n",
        "  api_key: \"‹8fj2Kd93hs7Kq0Zx41Tp7wQ9›\"",
        "    - name: DB_PASSWORD\n      value: \"‹Xk29vQpl77aa›\"\n",
        "stringData:\n  client-secret: ‹8fj2Kd93hs7Kq0Zx41›\n",
        "      - POSTGRES_PASSWORD=‹Tr0ub4dor3x›\n",
        // JSON.
        "{\"password\": \"‹hunter2horse!›\"}",
        "{\"user\":\"me\",\"passwd\":\"‹S3cr3t-Pa55w0rd!›\",\"port\":1}",
        "\"apiKey\" : \"‹8fj2Kd93-hs7K-q0Zx-41Tp›\",",
        "{\"name\": \"API_TOKEN\", \"value\": \"‹8fj2Kd93hs7Kq0Zx41›\"}",
        "'{\\\"token\\\": \\\"‹8fj2Kd93hs7Kq0Zx41›\\\"}'",
        // Shell, containers.
        "export DB_PASSWORD=‹hunter2horse9›",
        "PGPASSWORD=‹S3cr3tPa55w0rd› psql -h db",
        "mysqldump --user=x --password=‹Tr0ub4dor3x› db",
        "tool login --token ‹Zr4Tp7wQ9xKd93hs7Kq0› --url x",
        "docker run -e 'MYSQL_ROOT_PASSWORD=‹Tr0ub4dor3x›' mysql",
        "ENV API_TOKEN=‹Zr4Tp7wQ9xKd93hs7Kq0›",
        "ENV API_TOKEN ‹Zr4Tp7wQ9xKd93hs7Kq0›",
        "setenv DB_PASSWORD ‹Tr0ub4dor3x›",
        "password=‹sBCkotq0ZcfcDOrHIPESvjRm›",
        "Password=‹q8Zr2Lx0Vt6›;",
        "password=‹Xk29vQpl77aa› dbname=x",
        "setx CLIENT_SECRET \"‹8fj2Kd93hs7Kq0Zx41›\"",
        // Addresses, forms, connection strings.
        "https://example.org/v1?access_token=‹8fj2Kd93hs7Kq0Zx41Tp›&x=1",
        "-d 'grant_type=password&password=‹Tr0ub4dor3x›&scope=a'",
        "\"Server=db;User Id=sa;Password=‹Tr0ub4dor!3x›;Encrypt=true\"",
        "host=db user=app password=‹Xk29vQpl77aa› dbname=x",
        // XML.
        "<password>‹Tr0ub4dor!3x›</password>",
        "<add key=\"ApiKey\" value=\"‹8fj2Kd93hs7Kq0Zx41Tp›\" />",
        "<bean password=\"‹Tr0ub4dor!3x›\"/>",
        // Source.
        "const char *password = \"‹Tr0ub4dor!3x›\";",
        "let password: &str = \"‹Tr0ub4dor!3x›\";",
        "const apiSecret: string = '‹8fj2Kd93hs7Kq0Zx41›';",
        "var dbPassword string = \"‹Tr0ub4dor!3x›\"",
        "password := \"‹Tr0ub4dor!3x›\"",
        "define('DB_PASSWORD', '‹Tr0ub4dor!3x›');",
        "$config['password'] = '‹Tr0ub4dor!3x›';",
        "'password' => '‹Tr0ub4dor!3x›',",
        ":secret_key_base => \"‹8fj2Kd93hs7Kq0Zx41Tp8fj2Kd93›\"",
        "connect(user=\"x\", password=\"‹Tr0ub4dor!3x›\")",
        "builder.setPassword(\"‹Tr0ub4dor!3x›\")",
        "password: String::from(\"‹Tr0ub4dor!3x›\"),",
        "if password == \"‹Tr0ub4dor!3x›\" {",
        "password = b'‹Tr0ub4dor!3x›'",
        "CREATE USER x WITH PASSWORD '‹Tr0ub4dor!3x›';",
        "  12\tpassword = '‹hunter2horse›'",
        "+api_secret: '‹8fj2Kd93hs7Kq0Zx41›'",
    ] {
        let (text, value) = marked(line);
        let redacted = Redactor::default().redact(&text).into_owned();
        assert!(!redacted.contains(&value) && redacted.contains("[secret:"), "{text:?} gave {redacted:?}");
        let (before, after) = text.split_once(&value).unwrap();
        assert!(redacted.starts_with(before) && redacted.ends_with(after), "{text:?} gave {redacted:?}");
    }
}

#[test]
fn code_types_templates_examples_and_words_are_left_as_they_are() {
    for line in [
        "password = get_password()",
        "password = getpass.getpass('Password: ')",
        "password = os.environ[\"DB_PASSWORD_2\"]",
        "password = user.password2;",
        "let token = tokens.next().unwrap_or(token2);",
        "password: string;",
        "password: Option<String>,",
        "token: Token2<'a>,",
        "pub secret: SecretBox<str>,",
        "api_key: &'static str",
        "password: \"changeme\"",
        "password = 'password123'",
        "password: your-password",
        "API_KEY=your-api-key-here",
        "PASSWORD=${DB_PASSWORD}",
        "PASSWORD=$DB_PASSWORD_1",
        "password: {{ vault_password_1 }}",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "\"password\": \"<password>\"",
        "password=%DB_PASSWORD1%",
        "--password <PASSWORD1>",
        "--token TOKEN",
        "secret = \"{secret1}-suffix2\"",
        "password = f\"{user}2024\"",
        "\"token\": \"%s1\"",
        "password: \"At least 8 characters\"",
        "placeholder=\"Password\" name=\"password1\"",
        "label_password: 'Ihr Passwort für user2'",
        "token = \"Bearer\"",
        "token_type = \"oauth2-access-token\"",
        "password_encoding = \"utf8\"",
        "password_hash = \"5f4dcc3b5aa765d61d8327deb882cf99\"",
        "PublicKeyToken=b77a5c561934e089",
        "public_key = \"AAAAC3NzaC1lZDI1NTE5AAAAIJ7z8s\"",
        "cache_key = \"user_2024_profile_a1b2c3\"",
        "key = \"8fj2Kd93hs7Kq0Zx41\"",
        "next_page_token = \"CAESBkEyQzREMQ8fj2Kd93\"",
        "token = '=>'",
        "tokens = [\"a1b2c3d4e5f6\"]",
        "secret_path = \"/run/secrets/db2\"",
        "private_key = \"./keys/server1.pem\"",
        "private_key_file: id_ed25519",
        "secretName: my-app-secret-v2",
        "<password>${password}</password>",
        "<token>IDENTIFIER2</token>",
        "pattern: password = \"^[a-z0-9]{8,}$\"",
        "checksum = \"9f2a8b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8\"",
        "password: sha256",
        "assert_eq!(token, \"abc123\")",
        "the password: it must be kept secret: always",
        "Enter password:\nvalue2 of it",
        "password = '[secret:password#0123456789ab]'",
        "password = 'xxxxxxxx1'",
        "api_key = \"abcdef1234567890\"",
    ] {
        assert_eq!(Redactor::default().redact(line), line);
    }
}
