//! What stands behind a name that says secret, and what of that is none.

use super::super::Redactor;

/// Lines with the value that must be masked in them.
const SECRETS: &[(&str, &str)] = &[
    (
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzAbCdEfGhI",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzAbCdEfGhI",
    ),
    (
        "aws_secret_access_key = kd9+Xu/7aGhPqRstUvW2LmNoBcDeFgHiJkLmN0oP",
        "kd9+Xu/7aGhPqRstUvW2LmNoBcDeFgHiJkLmN0oP",
    ),
    (
        "env: CI=true GITHUB_TOKEN=quiet-harbour AWS_SECRET_ACCESS_KEY=yTq/ZlmnOpQwErTyUiOpAs/dFgHjKlZxCvBnMq3W",
        "yTq/ZlmnOpQwErTyUiOpAs/dFgHjKlZxCvBnMq3W",
    ),
    ("env: DB_PASSWORD=letmein NODE_ENV=test", "letmein"),
    ("db_password: correct-horse-battery", "correct-horse-battery"),
    ("  password: correct-horse-battery-staple", "correct-horse-battery-staple"),
    ("password=Sommer2026!", "Sommer2026!"),
    ("the login is admin, password=Sommer2026! for now", "Sommer2026!"),
    (r#"client_secret: "7Qx8~abcDEFghiJKLmnoPQR_stu-vwx.yz1""#, "7Qx8~abcDEFghiJKLmnoPQR_stu-vwx.yz1"),
    (r#""client_secret": "hf8~Q.l1X-abcdefGHIJK","#, "hf8~Q.l1X-abcdefGHIJK"),
    (r#"{"user": "app", "password": "swordfish"}"#, "swordfish"),
    (r#"{"db": {"passwd": "geheim99"}}"#, "geheim99"),
    (r#"password = "hunter2""#, "hunter2"),
    ("password: 'Tr1cky#Pass'", "Tr1cky#Pass"),
    ("spring.datasource.password=Winter!2025", "Winter!2025"),
    ("spring.datasource.password: app-user-2024", "app-user-2024"),
    ("DATABASE_PASSWORD=pa55word-prod", "pa55word-prod"),
    (r#"export STRIPE_SECRET="whatever-this-is""#, "whatever-this-is"),
    ("POSTGRES_PASSWORD: paper-no-more-9", "paper-no-more-9"),
    ("      - MYSQL_ROOT_PASSWORD=rootroot1", "rootroot1"),
    ("docker run -e MYSQL_ROOT_PASSWORD=topgeheim -d mysql", "topgeheim"),
    (r#"      MYSQL_PASSWORD: "qwertz""#, "qwertz"),
    ("ENV API_KEY=zx81spectrum", "zx81spectrum"),
    (r#"api_key: "9f86d081884c7d659a2feaa0c55ad015""#, "9f86d081884c7d659a2feaa0c55ad015"),
    ("apiKey: '2b7e151628aed2a6abf7'", "2b7e151628aed2a6abf7"),
    ("X-Api-Key: 8f14e45fceea167a5a36", "8f14e45fceea167a5a36"),
    ("private_key=MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"),
    ("https://api.example.com/v1?access_token=a8f5f167f44f4964e6c998de", "a8f5f167f44f4964e6c998de"),
    ("https://x.org/login?user=me&password=letmein&x=1", "letmein"),
    ("postgres://app:S0mmer#26@db.internal:5432/shop", "S0mmer#26"),
    ("redis://:geheimnis@cache:6379/0", "geheimnis"),
    ("mongodb+srv://root:p@ssw0rd@cluster0.abc.net/x", "p@ssw0rd"),
    ("Server=db;Database=shop;User Id=sa;Password=Str0ngPass!;Encrypt=true", "Str0ngPass!"),
    ("Driver=x;Uid=sa;Pwd=geheim123;", "geheim123"),
    ("mysql --user=root --password=letmein99 shop", "letmein99"),
    ("curl --token 'zuGeheim2026!' x", "zuGeheim2026!"),
    ("./deploy --password Sommer2026! --host x", "Sommer2026!"),
    ("<password>Sommer-2026</password>", "Sommer-2026"),
    (r#"<add key="x" password="g3heim"/>"#, "g3heim"),
    ("smtp_pass: 'mail!relay'", "mail!relay"),
    ("SMTP_PASS=mailrelay7", "mailrelay7"),
    (r#""DB_PASS": "abc!def""#, "abc!def"),
    ("'password' => 'laravel-geheim',", "laravel-geheim"),
    (r#":password => "rails4ever""#, "rails4ever"),
    (r#"os.environ["DB_PASSWORD"] = "letmein!""#, "letmein!"),
    ("const password = 'Fr1day-night';", "Fr1day-night"),
    (r#"let secret = "s3same-street";"#, "s3same-street"),
    (r#"String password = "Qwertz!123";"#, "Qwertz!123"),
    (r#"password := "golang4ever""#, "golang4ever"),
    ("jwt_secret: keyboard-cat-2000", "keyboard-cat-2000"),
    ("JWT_SECRET=keyboardcat", "keyboardcat"),
    ("SECRET_KEY_BASE=0a1b2c3d4e5f60718293a4b5c6d7e8f9", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
    ("SECRET_KEY = 'django-insecure-8#k2@p!x'", "django-insecure-8#k2@p!x"),
    ("API_TOKEN_PROD=quietharbour", "quietharbour"),
    ("ADMIN_PASSWORD_2=zweitesWort", "zweitesWort"),
    (r#"credentials: "app:geheim"x "password": "a1b2c3""#, "a1b2c3"),
    ("passphrase: tulips-are-red-again", "tulips-are-red-again"),
    (r#"encryption_key="Zm9vYmFyYmF6cXV4MTIzNA==""#, "Zm9vYmFyYmF6cXV4MTIzNA=="),
    (r#"\"password\": \"Sommer2026\""#, "Sommer2026"),
    (
        "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
    ),
];

/// Lines of code, settings and prose in which nothing is a secret.
const ORDINARY: &[&str] = &[
    "password: String,",
    "    pub password: Option<String>,",
    "password: string",
    "  password: string;",
    "password?: string",
    "def login(user: str, password: str) -> bool:",
    "password: SecretString,",
    "let password = get_password();",
    "const token = await getToken();",
    "token = self.next_token()",
    r#"password = prompt("Password: ")"#,
    "password=password,",
    "db.connect(user=user, password=pw)",
    "db.connect(user=user, password=config.password)",
    "password: config.db.password",
    "password: self.password.clone(),",
    r#"password = os.environ["DB_PASSWORD"]"#,
    "DB_PASSWORD=$DB_PASSWORD",
    "DB_PASSWORD=${DB_PASSWORD}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "password: {{ db_password }}",
    "DB_PASSWORD=changeme",
    "SECRET_KEY=development make test",
    "PASSWORD=testing123",
    "docker build --secret id=mysecret2,src=token.txt .",
    r#"api_key: "your-api-key""#,
    "API_KEY=xxxxxxxx",
    "API_KEY=<your key>",
    "password: ********",
    r#"password = """#,
    "password: null",
    "password: false",
    "password: ~",
    "MAX_TOKEN=4096",
    "token: 128000",
    r#""max_token": 4096,"#,
    "password_min: 8",
    "secret: true",
    "token: TokenStream2",
    "token: Token::Ident",
    "Some(token) => token.kind(),",
    "if token == Token::Eof {",
    "if token != expected { return }",
    "let secret = next_value(&mut stream2);",
    "private_key: &PrivateKey,",
    "private_key=/etc/ssl/private/server.key",
    r#"private_key = "keys/server.pem""#,
    r#"api_key_env = "OPENAI_API_KEY""#,
    "api_key: process.env.API_KEY",
    "apiKey: import.meta.env.VITE_KEY,",
    r#"const KEY: &str = "PILOTHOUSE_API_KEY""#,
    "TOKEN_URL=https://auth.example.org/token",
    "password_file: /run/secrets/db",
    "POSTGRES_PASSWORD_FILE=/run/secrets/pg",
    "secretName: shop-tls",
    "secret: shop-tls",
    "  secretKeyRef:",
    "credentials: same-origin",
    "credentials: 'include'",
    r#"fetch(url, { credentials: "same-origin" })"#,
    r#"<input type="password" name="password">"#,
    r#"<input name="password" placeholder="Password">"#,
    r#"<label for="password">Password</label>"#,
    r#"password: "Password","#,
    r#""password": "required","#,
    r#""password": { "type": "string" }"#,
    r#"t("password")"#,
    r#"["user", "password", "token"]"#,
    r#"cache_key: "v2-linux-x86_64-deps""#,
    r#"primary_key: "id""#,
    r#"sort_key="created_at""#,
    "foreign_key: customer_id",
    "The token: it stands for a login.",
    "Password: at least eight characters",
    "A password: what is it good for?",
    "token (see below) = the word that the lexer made",
    "token = tokens[pos]",
    "token = argv[1]",
    "token=yield next_token",
    "type Secret = Box<[u8]>;",
    "secret: Vec<u8>,",
    "let token_count = 12;",
    "tokens: design-tokens",
    r#"token: "ident""#,
    r#"match token { "if" => If, "else" => Else }"#,
    "`password` is checked in login.rs",
    r#"password_hash: "argon2id""#,
    "passwordHash = bcrypt.hash(password, 10)",
    "enum Kind { Password, Token, Secret }",
    "[secret: password] [secret: token]",
    "access_key: AccessKeyId",
    "password: required",
    "token=None",
    "private_key: ed25519.Ed25519PrivateKey,",
    "'secret': 'V1SecretVolumeSource',",
    "The --username and --password options can be used",
    "\"subject_token\": \"subject_token_0\",",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
];

#[test]
fn a_value_behind_a_name_that_says_secret_is_masked_whatever_its_letters() {
    for (line, value) in SECRETS {
        let masked = Redactor::default().mask(line).into_owned();
        assert!(!masked.contains(value), "{line}");
        assert_eq!(Redactor::default().mask(&masked), masked, "once");
    }
}

#[test]
fn code_and_prose_that_only_speak_of_secrets_stay_as_they_are() {
    for line in ORDINARY {
        assert_eq!(Redactor::default().mask(line), *line);
        // The same where it comes in pieces, wherever it is cut.
        for cut in (0..line.len()).filter(|at| line.is_char_boundary(*at)) {
            let mut stream = Redactor::default().stream();
            let (head, tail) = line.split_at(cut);
            let told = [stream.take(head), stream.take(tail), stream.finish()].concat();
            assert_eq!(told, *line, "{cut}");
        }
    }
}

#[test]
fn what_comes_in_pieces_is_masked_as_the_whole_is() {
    for (line, value) in SECRETS {
        let whole = Redactor::default().mask(line).into_owned();
        for cut in (0..line.len()).filter(|at| line.is_char_boundary(*at)) {
            let mut stream = Redactor::default().stream();
            let (head, tail) = line.split_at(cut);
            let first = stream.take(head);
            assert!(!first.contains(value), "{line} at {cut}: {first}");
            let told = [first, stream.take(tail), stream.finish()].concat();
            assert_eq!(told, whole, "{line} at {cut}");
        }
    }
}

#[test]
fn many_names_in_one_run_cost_no_more_than_they_are_and_a_value_has_a_longest() {
    // Without a longest value each of these would be held against all that stand behind it.
    let run = "password=aaaaaaa-".repeat(6_000);
    assert!(super::find(&run).is_empty());
    let of = |len: usize| format!("password = \"{}\"", "Tr1cky#Pass-".repeat(len / 12));
    let (fits, over) = (of(super::LONGEST), of(super::LONGEST + 24));
    assert_eq!(super::find(&fits).len(), 1);
    assert!(super::find(&over).is_empty());
}
