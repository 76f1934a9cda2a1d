//! Whatever is changed through commands, in whatever order, the rest of the files stays as people wrote it.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::domain::{FamiliarId, GuildId};

/// What a command may do to one channel and its subscriptions.
#[derive(Debug, Clone)]
enum Step {
    Mode(ChannelMode, Option<String>),
    Backdrop(String),
    Subscribe { channel: u64, kind: SubscriptionKind, guild: u64 },
    Unsubscribe { channel: u64, kind: SubscriptionKind },
}

const SIDECARS: [&str; 4] = [
    "",
    "# notes of mine\n\nmode = 'full_rp'   # novel\n\n# how fast\n[typing_simulation]\nenabled=true # yes\n\n  max_delay_s = 2 # quick\n# the end\n",
    "channel_name = \"#a\"\r\nmode = \"imitate_voice\" # said\r\ntyping_simulation.enabled = false # no\r\n",
    "# only a comment\n[typing_simulation]\nchars_per_second = 1_0.5",
];

const SUBSCRIPTIONS: [&str; 3] = [
    "",
    "# Where Ada listens.\n\n[[subscription]]\nchannel_id = 900 # the den\nkind = 'text'\n\n# broken, and mine to mend\n[[subscription]]\nchannel_id = 901\nkind = \"smoke signals\"\n# the end\n",
    "subscription = [\n  { channel_id = 900, kind = \"text\" }, # the den\n  { channel_id = 901 }, # broken\n]\n",
];

/// Lines that no command may touch.
const KEPT_SIDECAR: [&str; 9] = [
    "# notes of mine",
    "# how fast",
    "enabled=true # yes",
    "  max_delay_s = 2 # quick",
    "# the end",
    "typing_simulation.enabled = false # no",
    "# only a comment",
    "chars_per_second = 1_0.5",
    "[typing_simulation]",
];
const KEPT_SUBSCRIPTIONS: [&str; 8] = [
    "# Where Ada listens.",
    "channel_id = 900 # the den",
    "kind = 'text'",
    "# broken, and mine to mend",
    "channel_id = 901",
    "kind = \"smoke signals\"",
    "# the end",
    "  { channel_id = 900, kind = \"text\" }, # the den",
];

fn mode() -> impl Strategy<Value = ChannelMode> {
    proptest::sample::select(ChannelMode::ALL.to_vec())
}

fn kind() -> impl Strategy<Value = SubscriptionKind> {
    proptest::sample::select(vec![SubscriptionKind::Text, SubscriptionKind::Voice, SubscriptionKind::Muted])
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (mode(), proptest::option::of("[#a-z \"]{1,8}")).prop_map(|(mode, name)| Step::Mode(mode, name)),
        "(?s).{0,30}".prop_map(Step::Backdrop),
        "[a-z\"'\\\\\n#=\\[\\]]{0,30}".prop_map(Step::Backdrop),
        (1..5_u64, kind(), 1..3_u64).prop_map(|(channel, kind, guild)| Step::Subscribe {
            channel,
            kind,
            guild
        }),
        (1..5_u64, kind()).prop_map(|(channel, kind)| Step::Unsubscribe { channel, kind }),
    ]
}

/// The kept lines a text holds, in order.
fn kept(text: &str, lines: &[&str]) -> Vec<String> {
    text.lines().filter(|line| lines.contains(line)).map(str::to_owned).collect()
}

fn pairs(subscriptions: &Subscriptions) -> BTreeSet<(String, SubscriptionKind)> {
    subscriptions.iter().map(|row| (row.channel.to_string(), row.kind)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn commands_in_any_order_keep_what_people_wrote(
        sidecar in proptest::sample::select(SIDECARS.to_vec()),
        rows in proptest::sample::select(SUBSCRIPTIONS.to_vec()),
        steps in proptest::collection::vec(step(), 1..12),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        let id = ChannelId::from(7);
        fs::create_dir_all(home.channels_dir()).unwrap();
        if !sidecar.is_empty() {
            fs::write(home.channel_toml(&id), sidecar).unwrap();
        }
        if !rows.is_empty() {
            fs::write(home.subscriptions_toml(), rows).unwrap();
        }
        let live = LiveConfig::load(home.clone(), Defaults::embedded()).unwrap();
        let mut listens = pairs(&live.subscriptions());

        for step in steps {
            match step {
                Step::Mode(mode, name) => {
                    let backdrop = live.channel(&id).backdrop.clone();
                    let place = Place { channel_name: name, ..Place::terminal(id.clone()) };
                    live.set_mode(&place, mode).unwrap();
                    prop_assert_eq!(live.channel(&id).mode, mode);
                    prop_assert_eq!(&live.channel(&id).backdrop, &backdrop);
                }
                Step::Backdrop(text) => {
                    let mode = live.channel(&id).mode;
                    live.set_backdrop(&Place::terminal(id.clone()), &text).unwrap();
                    let expected = Some(text.clone()).filter(|text| !text.trim().is_empty());
                    let expected = expected.map(|text| text.replace("\r\n", "\n").replace('\r', "\n"));
                    prop_assert_eq!(&live.channel(&id).backdrop, &expected);
                    prop_assert_eq!(live.channel(&id).mode, mode);
                }
                Step::Subscribe { channel, kind, guild } => {
                    let new = Subscription::new(channel.into(), kind, Some(GuildId::from(guild)));
                    if let Subscribed::MovedFrom(old) = live.subscribe(new).unwrap() {
                        listens.remove(&(old.to_string(), SubscriptionKind::Voice));
                    }
                    listens.insert((channel.to_string(), kind));
                    prop_assert_eq!(&pairs(&live.subscriptions()), &listens);
                }
                Step::Unsubscribe { channel, kind } => {
                    let was_there = listens.remove(&(channel.to_string(), kind));
                    prop_assert_eq!(live.unsubscribe(&channel.into(), kind).unwrap(), was_there);
                    prop_assert_eq!(&pairs(&live.subscriptions()), &listens);
                }
            }
        }

        let now = fs::read_to_string(home.channel_toml(&id)).unwrap_or_default();
        prop_assert_eq!(kept(sidecar, &KEPT_SIDECAR), kept(&now, &KEPT_SIDECAR), "{}", now);
        let now = fs::read_to_string(home.subscriptions_toml()).unwrap_or_default();
        prop_assert_eq!(kept(rows, &KEPT_SUBSCRIPTIONS), kept(&now, &KEPT_SUBSCRIPTIONS), "{}", now);
        let restarted = LiveConfig::load(home, Defaults::embedded()).unwrap();
        prop_assert_eq!(restarted.channel(&id), live.channel(&id));
        prop_assert_eq!(pairs(&restarted.subscriptions()), listens);
    }
}
