use proptest::prelude::*;

use super::*;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE58: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Forms with what is made up in braces: `{letters:36}`. Written like this, no scanner takes this file for a leak.
const SAMPLES: [(&str, &str); 73] = [
    (
        "private key",
        "-----BEGIN OPENSSH PRIVATE KEY-----\n{letters:64}\n{letters:30}==\n-----END OPENSSH PRIVATE KEY-----",
    ),
    (
        "private key",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{letters:64}\n-----END RSA PRIVATE KEY-----",
    ),
    (
        "private key",
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{letters:64}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
    ),
    ("private key", "-----BEGIN PRIVATE KEY-----\n{letters:64}\n{letters:64}"),
    ("private key", "AGE-SECRET-KEY-1{capitals:58}"),
    ("private key", "xprv9{base58:106}"),
    ("private key", "my private key is 0x{hex:64}"),
    ("session token", "eyJ{letters:20}.eyJ{letters:40}.{letters:43}"),
    ("Discord token", "M{letters:25}.G{letters:5}.{letters:38}"),
    ("Discord token", "mfa.{letters:84}"),
    ("webhook", "https://discord.com/api/webhooks/112233445566778899/{letters:68}"),
    ("webhook", "https://canary.discordapp.com/api/v10/webhooks/112233445566778899/{letters:68}"),
    ("webhook", "https://hooks.slack.com/services/T{capitals:8}/B{capitals:8}/{letters:24}"),
    ("webhook", "https://firm.webhook.office.com/webhookb2/{hex:36}@{hex:36}/IncomingWebhook/{hex:32}"),
    ("API key", "sk-or-v1-{hex:64}"),
    ("API key", "sk-ant-api03-{letters:93}AA"),
    ("API key", "sk-proj-{letters:74}"),
    ("API key", "sk-{letters:48}"),
    ("API key", "gsk_{letters:52}"),
    ("API key", "hf_{letters:34}"),
    ("API key", "xai-{letters:80}"),
    ("API key", "pplx-{letters:48}"),
    ("API key", "AIza{letters:35}"),
    ("API key", "GOCSPX-{letters:28}"),
    ("access token", "ya29.{letters:60}"),
    ("access token", "1//0{letters:60}"),
    ("access token", "ghp_{letters:36}"),
    ("access token", "gho_{letters:36}"),
    ("access token", "github_pat_{letters:22}_{letters:59}"),
    ("access token", "glpat-{letters:20}"),
    ("access token", "xoxb-123456789012-1234567890123-{letters:24}"),
    ("access token", "xapp-1-A{capitals:10}-1234567890123-{hex:64}"),
    ("access token", "AKIA{capitals:16}"),
    ("access token", "aws_secret_access_key = 7{letters:39}"),
    ("API key", "sk_live_{letters:24}"),
    ("API key", "whsec_{letters:32}"),
    ("API key", "SK{hex:32}"),
    ("API key", "SG.{letters:22}.{letters:43}"),
    ("API key", "key-{hex:32}"),
    ("API key", "{hex:32}-us12"),
    ("API key", "xkeysib-{hex:64}-{letters:16}"),
    ("access token", "npm_{letters:36}"),
    ("access token", "pypi-AgEIcHlwaS5vcmc{letters:60}"),
    ("access token", "rubygems_{hex:48}"),
    ("access token", "cio{letters:32}"),
    ("access token", "dckr_pat_{letters:27}"),
    ("access token", "dop_v1_{hex:64}"),
    ("access token", "shpat_{hex:32}"),
    ("access token", "sq0csp-{letters:43}"),
    ("access token", "EAA{letters:120}"),
    ("access token", "123456789:AA{letters:33}"),
    ("access token", "ntn_{letters:46}"),
    ("access token", "lin_api_{letters:40}"),
    ("access token", "figd_{letters:40}"),
    ("access token", "ATATT3{letters:60}={capitals:8}"),
    ("access token", "dapi{hex:32}"),
    ("access token", "hvs.{letters:90}"),
    ("access token", "dp.pt.{letters:43}"),
    ("access token", "{letters:14}.atlasv1.{letters:67}"),
    ("access token", "glsa_{letters:32}_{hex:8}"),
    ("access token", "NRAK-{capitals:27}"),
    ("access token", "sntrys_{letters:60}"),
    ("access token", "sbp_{hex:40}"),
    ("access token", "oauth:{lower:30}"),
    ("password in an address", "postgres://admin:{letters:9}@db.home.lan:5432/app"),
    ("access token", "curl -H 'Authorization: Bearer 8{letters:40}'"),
    ("password", "Authorization: Basic {letters:24}=="),
    ("password", "password: 7{letters:11}"),
    ("password", "the wifi password is 4{letters:10}"),
    ("password", "API_KEY=\"9{letters:20}\""),
    ("password", "client_secret => '5{letters:20}'"),
    ("card number", "4111 1111 1111 1111"),
    ("social security number", "my SSN is 078-05-1120"),
];

/// Fills in a form, differently for every seed.
fn filled(form: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut parts = form.split('{');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (blank, after) = part.split_once('}').unwrap();
        let (kind, length) = blank.split_once(':').unwrap();
        let alphabet = match kind {
            "hex" => HEX,
            "capitals" => CAPITALS,
            "base58" => BASE58,
            "lower" => &LETTERS[..26],
            _ => LETTERS,
        };
        for _ in 0..length.parse::<usize>().unwrap() {
            made.push(char::from(alphabet.as_bytes()[next(alphabet.len())]));
        }
        made.push_str(after);
    }
    made
}

#[test]
fn every_pattern_compiles() {
    assert!(COMPILED.is_some());
}

#[test]
fn a16_samples_of_every_form_are_found() {
    let (mut found, mut all) = (0, 0);
    let mut missed = Vec::new();
    for (kind, form) in SAMPLES {
        for seed in 0..8 {
            let sample = filled(form, seed);
            let text = format!("here you go: {sample} , don't lose it");
            let redacted = redact(&text);
            all += 1;
            if redacted.kinds.contains(&kind) && !redacted.text.contains(&sample) {
                found += 1;
            } else {
                missed.push(sample);
            }
        }
    }
    println!("secrets: {found} of {all} samples found");
    assert!(f64::from(found) / f64::from(all) >= 0.99, "{missed:#?}");
}

#[test]
fn a16_what_is_said_around_a_secret_stays() {
    let key = filled("ghp_{letters:36}", 1);
    assert_eq!(
        redact(&format!("my key {key}, keep it")).text,
        "my key [secret removed: access token], keep it"
    );
    assert_eq!(
        redact("postgres://admin:hunter2@db/app").text,
        "postgres://admin:[secret removed: password in an address]@db/app"
    );
    for (said, left) in [
        (
            "“the wifi password is hunter2” (said on Monday)",
            "“the wifi password is [secret removed: password]” (said on Monday)",
        ),
        ("my password for netflix is abc123", "my password for netflix is [secret removed: password]"),
        (
            "Mein Passwort für das WLAN ist abc123.",
            "Mein Passwort für das WLAN ist [secret removed: password]",
        ),
        ("le mot de passe du wifi c’est abc123", "le mot de passe du wifi c’est [secret removed: password]"),
        ("minha senha é abc123", "minha senha é [secret removed: password]"),
        ("パスワードはabc123", "パスワードは[secret removed: password]"),
        ("la password del wifi è abc123", "la password del wifi è [secret removed: password]"),
        (
            "mijn wachtwoord voor het wifi is abc123",
            "mijn wachtwoord voor het wifi is [secret removed: password]",
        ),
        ("hasło do wifi to jest abc123", "hasło do wifi to jest [secret removed: password]"),
        ("пароль от вайфая: abc123", "пароль от вайфая: [secret removed: password]"),
        ("şifre: abc123", "şifre: [secret removed: password]"),
        ("wifi şifresi: abc123", "wifi şifresi: [secret removed: password]"),
        ("密码：abc123", "密码：[secret removed: password]"),
        ("das Passwort lautet abc123", "das Passwort lautet [secret removed: password]"),
        ("密码是abc123", "密码是[secret removed: password]"),
        ("비밀번호는 abc123", "비밀번호는 [secret removed: password]"),
        ("пароль от вайфая — abc123", "пароль от вайфая — [secret removed: password]"),
        ("пароль от вайфая — abc123. Не забудь", "пароль от вайфая — [secret removed: password]. Не забудь"),
        ("(wifi password - abc123)", "(wifi password - [secret removed: password])"),
        ("wifi password - \"abc123\", keep it", "wifi password - \"[secret removed: password]\", keep it"),
        ("пароль — это abc123", "пароль — это [secret removed: password]"),
        ("moje hasło to abc123", "moje hasło to [secret removed: password]"),
        ("hasło do wifi to abc123", "hasło do wifi to [secret removed: password]"),
        ("wifi parolası: abc123", "wifi parolası: [secret removed: password]"),
        ("db_senha=abc123", "db_senha=[secret removed: password]"),
        ("minhasenha=abc123", "minhasenha=[secret removed: password]"),
        ("dbsenha: abc123", "dbsenha: [secret removed: password]"),
        ("パスワードは「abc123」です", "パスワードは「[secret removed: password]」です"),
        ("パスワードは||abc123||です", "パスワードは||[secret removed: password]||です"),
        ("密码是|さくら123abc|", "密码是|[secret removed: password]|"),
        ("비밀번호는 ||abc123||", "비밀번호는 ||[secret removed: password]||"),
        ("パスワードは（abc123）です", "パスワードは（[secret removed: password]）です"),
        ("密码是(abc123)", "密码是([secret removed: password])"),
        ("パスワードはñandu2024", "パスワードは[secret removed: password]"),
        ("パスワードは さくらabc123 です", "パスワードは [secret removed: password] です"),
        ("비밀번호는 홍길동abc123", "비밀번호는 [secret removed: password]"),
        ("密码是 小明abc123。", "密码是 [secret removed: password]。"),
        ("パスワードは、abc123です", "パスワードは、[secret removed: password]です"),
        ("resenha: nota8de10", "resenha: nota8de10"),
        ("I changed the password - iPhone15 asks again", "I changed the password - iPhone15 asks again"),
        ("forgot my password – GPT-4o told me so", "forgot my password – GPT-4o told me so"),
        ("new password - step-2 of setup", "new password - step-2 of setup"),
        ("я забыл пароль — iphone15 разбился", "я забыл пароль — iphone15 разбился"),
        ("lost: my password\n- iPhone15", "lost: my password\n- iPhone15"),
        ("la parola del giorno è covid-19", "la parola del giorno è covid-19"),
        ("In una parola: covid-19!", "In una parola: covid-19!"),
        ("I sent the password to user42", "I sent the password to user42"),
        ("パスワードは8文字以上でA-Zを含む", "パスワードは8文字以上でA-Zを含む"),
        ("パスワードは（8文字以上でA-Zを含む）", "パスワードは（8文字以上でA-Zを含む）"),
        ("비밀번호는 8자리이상A-Z포함이에요", "비밀번호는 8자리이상A-Z포함이에요"),
        ("비밀번호는 최소 영문소문자8자리이상이에요", "비밀번호는 최소 영문소문자8자리이상이에요"),
        ("密码是 在Windows11里改的", "密码是 在Windows11里改的"),
        ("비밀번호는 중요해요", "비밀번호는 중요해요"),
        ("the password for the film is “swordfish”", "the password for the film is “swordfish”"),
        (
            "the wifi password for my ESP32-CAM keeps failing",
            "the wifi password for my ESP32-CAM keeps failing",
        ),
        ("I need a token for GitHub issue-4521", "I need a token for GitHub issue-4521"),
        ("the secret of good bread is 24-hour rest", "the secret of good bread is 24-hour rest"),
        ("the secret is 3-part harmony", "the secret is 3-part harmony"),
    ] {
        assert_eq!(redact(said).text, left);
    }
    assert_eq!(redact("card 4111-1111-1111-1111!").text, "card [secret removed: card number]!");
    assert_eq!(
        redact("to GB29 NWBK 6016 1331 9268 19 please").text,
        "to [secret removed: bank account] please"
    );
    let phrase = "abandon ability able about above absent absorb abstract absurd abuse access accident";
    assert_eq!(redact(&format!("seed phrase: {phrase}")).text, "seed phrase: [secret removed: seed phrase]");
}

#[test]
fn a16_ordinary_talk_holds_no_secrets() {
    for text in [
        "the password is swordfish, like in the film",
        "my token of appreciation: a whole cake!",
        "order 1234567890123456, tracking 4111111111111112",
        "message 1123456789012345678 in channel 998877665544332211",
        "call me at +49 170 1234567 or 0123 4567 8901 2345",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
        "the secret: always add butter. The secret ingredient is = 2 eggs",
        "https://example.org:8080/path and user@example.org, ssh://git@host/repo",
        "sk-i-resort tomorrow? sk-eleton costume",
        "password: your-password-here1 / api_key = <insert 1 here>",
        "recovery words of wisdom: be kind to yourself and rest more often than you think you need to",
        "The secret is 12:30-13:15, every day",
        "DE00 1234 5678 9012 3456 78 is made up",
        "eyJ is how these begin",
        "ISBN 9783161484100, EAN 4006381333931",
    ] {
        assert_eq!(redact(text), Redacted { text: Cow::Borrowed(text), kinds: Vec::new() }, "{text}");
    }
}

proptest! {
    #[test]
    fn a16_secrets_never_survive_and_once_is_enough(
        picks in prop::collection::vec((0..SAMPLES.len(), any::<u64>()), 1..4),
        words in prop::collection::vec("[a-zé ,.!\n]{0,20}", 4),
    ) {
        let mut text = words[0].clone();
        let mut samples = Vec::new();
        for ((pick, seed), between) in picks.into_iter().zip(&words[1..]) {
            let sample = filled(SAMPLES[pick].1, seed);
            text.push_str(&format!(" {sample} {between}"));
            samples.push(sample);
        }
        let once = redact(&text);
        for sample in samples {
            prop_assert!(!once.text.contains(&sample), "{} in {}", sample, once.text);
        }
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.kinds.is_empty());
    }

    #[test]
    fn a16_any_text_is_taken(text in "\\PC{0,80}|.{0,80}") {
        let once = redact(&text).text.into_owned();
        let twice = redact(&once);
        prop_assert_eq!(twice.text.as_ref(), once.as_str());
    }
}
