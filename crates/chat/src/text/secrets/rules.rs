//! The table of forms. Prefixes and lengths are those the issuers publish for their own keys. What a password is called
//! stands with the phrases; "token", "api key" and "seed phrase" stand here, as they are written so in every language.

use std::sync::LazyLock;

use super::proof::Proof;
use crate::text::names::is_unspaced;
use crate::text::phrases::{Languages, either, listed_phrases};

/// One form of secret.
#[derive(Debug)]
pub(super) struct Rule {
    /// What it is, for people.
    pub(super) kind: &'static str,
    /// What it looks like, as [`with_words`] takes it; a group named `secret` where more than the secret is matched.
    pub(super) pattern: &'static str,
    /// What else it has to pass.
    pub(super) proof: Proof,
}

const fn key_rule(kind: &'static str, pattern: &'static str) -> Rule {
    Rule { kind, pattern, proof: Proof::Form }
}

const fn checked(kind: &'static str, pattern: &'static str, proof: Proof) -> Rule {
    Rule { kind, pattern, proof }
}

/// In the order in which they are applied: what encloses others comes first.
pub(super) const RULES: &[Rule] = &[
    key_rule(
        "private key",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s:,.()_-]*?-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|(?:\s*[A-Za-z0-9+/=]{16,})+)",
    ),
    key_rule("private key", r"PuTTY-User-Key-File-[23]:[^\n]*(?:\n[^\n]+)*?\nPrivate-MAC: *[0-9a-f]{40,64}"),
    key_rule("private key", r"(?-u:\b)AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    key_rule("private key", r"(?-u:\b)[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,112}"),
    checked(
        "private key",
        r"(?i)(?-u:\b)(?:private key|privkey|wallet key|secret key)(?-u:\b)[^\n0-9]{0,24}(?P<secret>(?:0x)?[0-9a-f]{64})(?-u:\b)",
        Proof::Form,
    ),
    key_rule("session token", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    key_rule("Discord token", r"(?-u:\b)[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}"),
    key_rule("Discord token", r"(?-u:\b)mfa\.[A-Za-z0-9_-]{80,95}"),
    key_rule(
        "webhook",
        r"(?i)(?:https?://)?(?:[a-z]+\.)?discord(?:app)?\.com/api/(?:v[0-9]{1,2}/)?webhooks/[0-9]{15,21}/[A-Za-z0-9_-]{30,120}",
    ),
    key_rule(
        "webhook",
        r"(?i)(?:https?://)?hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,120}",
    ),
    key_rule("webhook", r"(?i)https?://[a-z0-9.-]+\.webhook\.office\.com/webhookb2/[A-Za-z0-9@_/-]{60,}"),
    key_rule("API key", r"(?-u:\b)sk-(?:or-v1|ant|proj|svcacct|admin|None|lf|cp)-[A-Za-z0-9_-]{20,}"),
    key_rule("API key", r"(?-u:\b)sk-[A-Za-z0-9]{32,}"),
    key_rule(
        "API key",
        r"(?-u:\b)(?:(?:gsk|hf|fw|r8|tgp_v1|jina|esecret)_|(?:pplx|xai|nvapi|tvly|csk)-)[A-Za-z0-9_]{30,}",
    ),
    key_rule("API key", r"(?-u:\b)AIza[A-Za-z0-9_-]{35}"),
    key_rule("API key", r"(?-u:\b)GOCSPX-[A-Za-z0-9_-]{24,32}"),
    key_rule("access token", r"(?-u:\b)ya29\.[A-Za-z0-9_-]{20,}"),
    key_rule("access token", r"(?-u:\b)1//0[A-Za-z0-9_-]{35,}"),
    key_rule("access token", r"(?-u:\b)gh[opsur]_[A-Za-z0-9]{36,255}"),
    key_rule("access token", r"(?-u:\b)github_pat_[A-Za-z0-9_]{40,255}"),
    key_rule("access token", r"(?-u:\b)gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,}"),
    key_rule("access token", r"(?-u:\b)xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{12,}"),
    key_rule("access token", r"(?-u:\b)xapp-[0-9]-[A-Z0-9]{8,}-[0-9]+-[a-f0-9]{32,}"),
    key_rule("access token", r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?-u:\b)"),
    checked(
        "access token",
        r"(?i)aws.{0,20}(?:secret|key).{0,20}?[=:]\s*[\x22']?(?P<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        Proof::Made,
    ),
    key_rule("API key", r"(?-u:\b)(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    key_rule("API key", r"(?-u:\b)whsec_[A-Za-z0-9+/=]{24,}"),
    key_rule("API key", r"(?-u:\b)SK[0-9a-f]{32}(?-u:\b)"),
    key_rule("API key", r"(?-u:\b)SG\.[A-Za-z0-9_-]{16,24}\.[A-Za-z0-9_-]{38,48}"),
    key_rule("API key", r"(?-u:\b)key-[0-9a-f]{32}(?-u:\b)"),
    key_rule("API key", r"(?-u:\b)[0-9a-f]{32}-us[0-9]{1,2}(?-u:\b)"),
    key_rule("API key", r"(?-u:\b)xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    key_rule("access token", r"(?-u:\b)npm_[A-Za-z0-9]{36}"),
    key_rule("access token", r"(?-u:\b)pypi-[A-Za-z0-9_-]{60,}"),
    key_rule("access token", r"(?-u:\b)rubygems_[0-9a-f]{48}"),
    key_rule("access token", r"(?-u:\b)cio[A-Za-z0-9]{32}(?-u:\b)"),
    key_rule("access token", r"(?-u:\b)dckr_(?:pat|oat)_[A-Za-z0-9_-]{24,}"),
    key_rule("access token", r"(?-u:\b)do[opr]_v1_[0-9a-f]{64}"),
    key_rule("access token", r"(?-u:\b)shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{32}"),
    key_rule("access token", r"(?-u:\b)sq0[a-z]{3}-[A-Za-z0-9_-]{22,}"),
    key_rule("access token", r"(?-u:\b)EAA[A-Za-z0-9]{60,}"),
    key_rule("access token", r"(?-u:\b)[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34}"),
    key_rule("access token", r"(?-u:\b)(?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}(?-u:\b))"),
    key_rule("access token", r"(?-u:\b)lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    key_rule("access token", r"(?-u:\b)fig[dou]_[A-Za-z0-9_-]{36,}"),
    key_rule("access token", r"(?-u:\b)AT(?:ATT3|CTT3|BB)[A-Za-z0-9_=-]{24,}"),
    key_rule("access token", r"(?-u:\b)dapi[0-9a-f]{32}(?:-[0-9])?(?-u:\b)"),
    key_rule("access token", r"(?-u:\b)hv[bsr]\.[A-Za-z0-9_-]{24,}"),
    key_rule("access token", r"(?-u:\b)dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    key_rule("access token", r"(?-u:\b)[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}"),
    key_rule("access token", r"(?-u:\b)gl(?:sa|c)_[A-Za-z0-9_+/=-]{32,}"),
    key_rule("access token", r"(?-u:\b)NRAK-[A-Z0-9]{27}"),
    key_rule("access token", r"(?-u:\b)sntry[su]_[A-Za-z0-9_+/=-]{40,}"),
    key_rule("access token", r"(?-u:\b)pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,}"),
    key_rule("access token", r"(?-u:\b)sb(?:p_[0-9a-f]{40}|_secret_[A-Za-z0-9_-]{24,})"),
    key_rule("access token", r"(?-u:\b)(?:FlyV1 fm[12]|fo1)_[A-Za-z0-9_+/=,-]{40,}"),
    key_rule("access token", r"(?-u:\b)nf[pcou]_[A-Za-z0-9]{36,}"),
    key_rule("access token", r"(?-u:\b)pat-(?:na|eu)[0-9]-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    key_rule("access token", r"(?-u:\b)PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    key_rule("access token", r"(?-u:\b)oauth:[a-z0-9]{30}(?-u:\b)"),
    key_rule("access token", r"(?-u:\b)sl\.[A-Za-z0-9_-]{100,}"),
    key_rule("access token", r"(?-u:\b)v2\.local\.[A-Za-z0-9_-]{60,}"),
    checked(
        "password in an address",
        r"(?i)(?-u:\b)[a-z][a-z0-9+.-]{1,20}://[^\s:/@\[]*:(?P<secret>[^\s@/\[]{2,})@[^\s@/]",
        Proof::Form,
    ),
    checked(
        "access token",
        r"(?i)(?-u:\b)bearer[ :]+[\x22']?(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)",
        Proof::Made,
    ),
    checked(
        "password",
        r"(?i)(?-u:\b)authorization: *basic +(?P<secret>[A-Za-z0-9+/]{8,}={0,2})",
        Proof::Form,
    ),
    checked(
        "seed phrase",
        r"(?i)(?-u:\b)(?:seed|recovery|backup|mnemonic|wallet)(?: recovery)?(?: phrase| words| seed)?s?(?-u:\b)[^\n]{0,20}?[:=-]\s*[\x22'`]?(?P<secret>(?:(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8}[ ,\n]{1,2}){11,23}(?:[0-9]{1,2}[.)] ?)?[a-z]{3,8})(?-u:\b)",
        Proof::Form,
    ),
    checked(
        "password",
        r"(?i)(?:(?:{password})[\x22'*`]{0,3}(?:\s(?:{password for})\s[^\n.,;:!?=\[\]]{1,40}?)?(?:\s{0,2}(?:=>|:=|[:=：＝])\s{0,2}|\s{1,2}(?:[-–—]\s{1,2})?(?:{is})(?::\s{0,2}|\s{1,2})|(?:{is behind})(?:\s{0,2}[:：、，])?\s{0,2}[\x22'*`|“„«‘「『])|(?:{own is})(?::\s{0,2}|\s{1,2}))[\x22'*`|“„«‘「『]{0,4}(?P<secret>[^\s\x22'`,;\[\]()|“”„«»‘’「」『』]{6,})",
        Proof::Made,
    ),
    // Behind a dash anything may be said: only what ends the line or the sentence is taken for a password.
    checked(
        "password",
        r"(?im)(?:{password})[\x22'*`]{0,3}(?:\s(?:{password for})\s[^\n.,;:!?=\[\]]{1,40}?)?[^\S\n]{1,2}[-–—]\s{1,2}[\x22'*`|“„«‘「『]{0,4}(?P<secret>[^\s\x22'`,;\[\]()|“”„«»‘’「」『』]{6,})(?:[\x22`|“”»」』]|[)'’.!?…]{0,3}(?:[.!?…]\s|\s*$))",
        Proof::Made,
    ),
    // Where nothing sets words apart, anything may be said of a password: only what is written in Latin letters is taken for
    // one, or behind a space what ends so.
    checked(
        "password",
        r"(?i)(?:{password})[\x22'*`]{0,3}(?:{is behind})(?:\s{0,2}[:：、，])?\s{0,2}[（(]?(?P<secret>[[!-~\p{Latin}]--[\x22'`,;\[\]()|]]{6,})",
        Proof::Made,
    ),
    checked(
        "password",
        r"(?i)(?:{password})[\x22'*`]{0,3}(?:{is behind})(?:\s{0,2}[:：、，])?\s{1,2}(?P<secret>[^\s!-~]+[[!-~\p{Latin}]--[\x22'`,;\[\]()|]]{6,})(?:[\s。、，！？]|$)",
        Proof::Made,
    ),
    // Much that is no key is called a secret or a token: only what is long is taken for one.
    checked(
        "password",
        r"(?i)(?:api[ _-]?key|api[ _-]?token|secret[ _-]?key|client[ _-]?secret|access[ _-]?(?:key|token)|auth[ _-]?token|refresh[ _-]?token|bot[ _-]?token|token|secret)[\x22'*`]{0,3}(?:\s{0,2}(?:=>|:=|[:=：＝])\s{0,2}|\s{1,2}(?:{is})(?::\s{0,2}|\s{1,2}))[\x22'*`|“„«‘]{0,4}(?P<secret>[^\s\x22'`,;\[\]()|“”„«»‘’]{8,})",
        Proof::Made,
    ),
    checked(
        "social security number",
        r"(?i)(?-u:\b)(?:ssn|social security)(?-u:\b)[^\n0-9]{0,24}(?P<secret>[0-9]{3}[ -][0-9]{2}[ -][0-9]{4})(?-u:\b)",
        Proof::Form,
    ),
    checked("card number", r"(?-u:\b)[2-6][0-9]{3}(?:[ -]?[0-9]{4,6}){2,3}[0-9]?(?-u:\b)", Proof::Card),
    checked(
        "bank account",
        r"(?-u:\b)[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?-u:\b)",
        Proof::Account,
    ),
];

/// What stands in braces in patterns, and the words that stand for it: those of every language.
static WORDS: LazyLock<[(&str, String); 5]> = LazyLock::new(|| {
    let listed = |section| listed_phrases(section).map(|(_, word)| word).collect::<Vec<_>>();
    let each =
        |of: &[(Languages, &'static str)]| either(&of.iter().map(|(_, word)| *word).collect::<Vec<_>>());
    let opens = listed("password for");
    let (behind, apart): (Vec<_>, Vec<_>) =
        listed_phrases("password is").partition(|(_, word)| word.contains(is_unspaced));
    // "The password to the shed": an "is" of one language stands in another before what a password opens.
    let (own, any): (Vec<_>, Vec<_>) = apart.into_iter().partition(|(_, word)| opens.contains(word));
    let own: Vec<String> = own.into_iter().map(|(language, is)| in_own_words(language, is)).collect();
    let (called, by_itself) = (either(&listed("password")), either(&listed("password by itself")));
    [
        ("{password}", format!(r"{called}|(?:(?-u:\b)|_)(?:{by_itself})")),
        ("{password for}", either(&opens)),
        ("{is}", each(&any)),
        ("{own is}", own.join("|")),
        ("{is behind}", each(&behind)),
    ]
});

/// What leads up to a password in the words of one language alone: "hasło do wifi to".
fn in_own_words(language: Languages, is: &str) -> String {
    let listed = |section| {
        let own = listed_phrases(section).filter(|(of, _)| *of == language);
        either(&own.map(|(_, word)| word).collect::<Vec<_>>())
    };
    let (called, opens) = (listed("password"), listed("password for"));
    let opened = format!(r"(?:\s(?:{opens})\s[^\n.,;:!?=\[\]]{{1,40}}?)?");
    format!(r"(?:{called}){opened}\s{{1,2}}{}", regex::escape(is))
}

/// A pattern with words in the place of what stands in braces.
pub(super) fn with_words(pattern: &str) -> String {
    WORDS.iter().fold(pattern.to_owned(), |pattern, (name, words)| pattern.replace(name, words))
}
