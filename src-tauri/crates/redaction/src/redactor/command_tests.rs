//! Secrets that programs are given: among the words of commands, in their own files, in headers and cookies.

use super::Redactor;
use super::assignment_tests::marked;

#[test]
fn what_a_program_is_given_as_a_password_is_replaced() {
    for text in [
        "mysql -u root -p‹abc123xyz› shop",
        "mysql shop -uroot -p‹correcthorse›",
        "$ mysqldump -h db -p'‹abc123xyz›' shop >dump.sql",
        "mysqladmin -u root -p\"‹two words 1›\" status",
        "mariadb-dump -P 3306 -p‹abc123xyz›",
        "/usr/bin/mysql \\\n  -u root \\\n  -p‹abc123xyz› \\\n  shop",
        "sshpass -p ‹xyz› ssh me@example.org",
        "sshpass -p '‹abc123xyz›' scp a b:",
        "sshpass -p‹abc123xyz› ssh x",
        "redis-cli -h cache -a ‹abc123xyz› ping",
        "redis-cli --pass ‹abc123xyz› --no-auth-warning",
        "docker login -u me -p ‹abc123xyz› registry.example.org",
        "podman login registry.example.org -u me -p=‹abc123xyz›",
        "helm registry login -u me -p ‹abc123xyz› example.org",
        "mongosh -u me -p ‹abc123xyz› --authenticationDatabase admin",
        "ldapsearch -x -D cn=admin -w ‹abc123xyz› -b dc=x",
        "sqlcmd -S db -U sa -P ‹abc123xyz› -Q 'select 1'",
        "7z a -p‹abc123xyz› out.7z dir",
        "zip -r -P ‹abc123xyz› out.zip dir",
        "unzip -P ‹abc123xyz› a.zip",
        "echo 'root:‹abc123xyz›' | chpasswd",
        "echo \"app:‹hunter2!›\" | sudo chpasswd",
        "echo root:‹abc123xyz›|chpasswd",
        "printf 'root:‹hunter2x›\\n' | chpasswd",
        "mysql -u root --password=‹correcthorse› shop",
        "aws configure set aws_secret_access_key ‹hunter2xk›",
        "twine upload -u me -p ‹abc123xyz› dist/*",
        "twine upload -p ‹abc123xyz› dist/*",
        "htpasswd -b .htpasswd me ‹abc123xyz›",
        "htpasswd -cbB .htpasswd me '‹abc123xyz›'\n",
        "sqlplus scott/‹abc123xyz›@db",
        "sqlplus -s scott/‹abc123xyz›@db",
        "aws configure set aws_secret_access_key ‹abc123xyz›",
        "openssl rsa -in key -passin pass:‹abc123xyz›",
        "curl -u me:‹abc123xyz› https://example.org",
        "curl -sSu me:‹abc123xyz› https://example.org",
        "curl -ume:‹abc123xyz› x",
        "curl -X POST -H 'Accept: text/plain' --user='me:‹abc123xyz›' x",
        "curl --proxy-user me:‹abc123xyz› -x proxy https://example.org",
        "curl -b 'sessionid=‹abc123xyz›' https://example.org",
        "curl -s --cookie \"theme=dark; PHPSESSID=‹8fj2kd93hs7k›\" x",
        "curl -H 'Cookie: a=1; session_id=‹abc123xyz›' x",
        "curl -H \"Authorization: Bearer ‹abc123xyz›\" x",
        "curl -H \"authorization: token ‹abc123xyz›\" x",
        "curl -H 'X-Api-Key: ‹abc123xyz›' x",
        "curl -H 'X-Auth-Token: ‹abc123xyz›' x",
        "curl -H 'PRIVATE-TOKEN: ‹abc123xyz›' x",
        "{\"command\": \"mysql -u root -p‹abc123xyz›\"}",
        "{\"command\": \"curl -u \\\"me:‹abc123xyz›\\\" x\"}",
        "[\"mysql\", \"-u\", \"root\", \"-p‹abc123xyz›\"]",
        "['redis-cli', '-a', '‹abc123xyz›']",
        "Run `mysql -p‹abc123xyz›`, then go on.",
        "a && sshpass -p ‹abc123xyz› ssh b; c",
        "CREATE USER x IDENTIFIED BY '‹abc123xyz›';",
        "requirepass ‹abc123xyz›\n",
        "A temporary password is generated for root@localhost: ‹Xk9#abcd1z›",
    ] {
        check(text);
    }
}

#[test]
fn files_and_headers_of_passwords_are_known_line_by_line() {
    for text in [
        "machine api.example.org login me password ‹abc123xyz›",
        "machine api.example.org login me password ‹correcthorse›\nmachine b",
        "machine api.example.org\n  login me\n  password ‹Tr0ub4dor3x›\n",
        "machine h account x password ‹abc123xyz› login me",
        "  1\tdefault login anonymous password ‹abc123xyz›",
        "db.example.org:5432:shop:app:‹abc123xyz›\n",
        "*:*:*:app:‹correcthorse›",
        "10.0.0.5:5439:shop:app:‹abc123xyz›",
        "localhost:*:shop:app:‹abc123xyz›",
        "  2\tlocalhost:15432:shop:app:‹abc\\:123xyz›\n",
        "https://me:‹abc123xyz›@git.example.org\n",
        "Cookie: sid=‹abc123xyz›; theme=dark\r\n",
        "Set-Cookie: connect.sid=‹s3aBc9xYz1›; Path=/; HttpOnly",
        "Authorization: Basic ‹bWU6YWJjMTIzeHl6›\r\n",
        "X-Auth-Token: ‹abc123xyz›\r\n",
        "Proxy-Authorization: Bearer ‹abc123xyz›",
    ] {
        check(text);
    }
}

#[test]
fn other_options_words_and_examples_are_left_as_they_are() {
    for text in [
        "find /var/lib/mysql -prune -print0 -perm 644 -path x",
        "docker run --name mysql -p3306:3306 -p 127.0.0.1:3306:3306 mysql:8",
        "mysql -u root -p shop && mkdir -p mysql/data1",
        "mysql -p$MYSQL_PWD; mysql -ppassword; mysql -p${PW1}; mysql -p<password>",
        "mysql -uprod2 -hp1server --port 3306 -P3306",
        "mysql is what you want, curl is not: -u me:you2day",
        "sshpass -p \"$PASS1\" ssh x; sshpass -e ssh y1; sshpass -f file2",
        "sshpass -p your_password ssh x; sshpass -p <password> y; sshpass -p '***' z",
        "redis-cli -a $REDIS_1 ping; ls -a redis-cli; redis-cli -h host1 -p 6379",
        "cp -a abc123xyz b; grep -w abc123xyz c; tar -b abc123xyz; login -p",
        "docker login -u me --password-stdin; docker login -p $TOKEN1 x",
        "listens on 0.0.0.0:5432: see the docs; db:5432:x:y:password",
        "- \"127.0.0.1:5432:5432\"\n- 5432:5432\n",
        "the machine can login with a password abc2 of its own",
        "machine example.org login me password <password>",
        "machine example.org login me password $PASSWORD",
        "curl -u me:$PASSWORD -b cookies1.txt -c jar2.txt https://example.org/a1b2c3d4e5f6",
        "curl -b 'theme=dark2light; lang=de' -H 'Accept: x1y2z3a4' x",
        "curl -H 'Authorization: Bearer <token1>' -H \"X-Api-Key: $KEY1\" -H 'X-Auth-Token: your-token' x",
        "Authorization: Bearer token2, Authorization: the user2name of it",
        "session=abc123xyz is no cookie; a cookie is sid of it",
        "mysqlclient==2.2.0 curl-8.5.0 zip 3.0 7z-based redis-cli_7",
    ] {
        assert_eq!(Redactor::default().redact(text), text);
    }
}

/// The value between the marks, and nothing else, is replaced.
fn check(marked_text: &str) {
    let (text, value) = marked(marked_text);
    let redacted = Redactor::default().redact(&text).into_owned();
    let (before, after) = text.split_once(&value).unwrap();
    let is_replaced = redacted.starts_with(before) && redacted.ends_with(after) && !redacted.contains(&value);
    assert!(is_replaced && redacted.contains("[secret:"), "{text:?} gave {redacted:?}");
}
