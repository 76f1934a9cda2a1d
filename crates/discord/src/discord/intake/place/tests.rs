use super::*;
use serde_json::{Value, json};

const VIEW: u64 = Permissions::VIEW_CHANNEL.bits();
const GUILD: u64 = 100;

fn channel(id: u64, kind: u8, parent: Option<u64>, overwrites: &Value) -> GuildChannel {
    serde_json::from_value(json!({
        "id": id.to_string(), "type": kind, "guild_id": GUILD.to_string(), "name": format!("c{id}"), "position": 0,
        "permission_overwrites": overwrites, "parent_id": parent.map(|id| id.to_string()), "nsfw": false
    }))
    .unwrap()
}

fn plain(id: u64) -> GuildChannel {
    channel(id, 0, None, &json!([]))
}

fn guild(parents: &[GuildChannel]) -> GuildFacts {
    GuildFacts {
        name: Some("home".to_owned()),
        everyone: Some(Permissions::VIEW_CHANNEL | Permissions::CONNECT),
        bot_roles: HashSet::from([RoleId::new(70)]),
        bots: HashSet::from([UserId::new(71)]),
        parents: parents.iter().map(|parent| (parent.id, parent.clone())).collect(),
        ..GuildFacts::unknown(GuildId::new(GUILD))
    }
}

fn overwrite(kind: u8, id: u64, allow: u64, deny: u64) -> Value {
    json!({"id": id.to_string(), "type": kind, "allow": allow.to_string(), "deny": deny.to_string()})
}

fn everybody() -> Audience {
    Audience::Guild(GUILD.into())
}

fn only(id: u64) -> Audience {
    Audience::Private(id.into())
}

#[test]
fn a_channel_open_to_everyone_is_heard_by_the_guild() {
    let place = in_guild(&guild(&[]), &plain(1));
    assert_eq!((place.kind, place.audience), (PlaceKind::GuildText, everybody()));
    assert_eq!(place.channel_name.as_deref(), Some("#c1"));
    assert_eq!(place.guild_name.as_deref(), Some("home"));
}

#[test]
fn whatever_shuts_somebody_out_makes_a_channel_private() {
    for shut in [overwrite(0, GUILD, 0, VIEW), overwrite(0, 5, 0, VIEW), overwrite(1, 6, 0, VIEW)] {
        let place = in_guild(&guild(&[]), &channel(1, 0, None, &json!([shut])));
        assert_eq!(place.audience, only(1), "{shut}");
    }
}

#[test]
fn shutting_out_a_bot_shuts_out_nobody() {
    let overwrites = json!([overwrite(0, 70, 0, VIEW), overwrite(1, 71, 0, VIEW)]);
    assert_eq!(in_guild(&guild(&[]), &channel(1, 0, None, &overwrites)).audience, everybody());
}

#[test]
fn a_role_that_may_look_in_does_not_open_a_closed_channel() {
    let overwrites = json!([overwrite(0, GUILD, 0, VIEW), overwrite(0, 5, VIEW, 0)]);
    assert_eq!(in_guild(&guild(&[]), &channel(1, 0, None, &overwrites)).audience, only(1));
}

#[test]
fn in_a_guild_that_shows_nothing_by_default_a_channel_opens_only_for_everyone() {
    let mut closed = guild(&[]);
    closed.everyone = Some(Permissions::empty());
    assert_eq!(in_guild(&closed, &plain(1)).audience, only(1));
    let opened = channel(1, 0, None, &json!([overwrite(0, GUILD, VIEW, 0)]));
    assert_eq!(in_guild(&closed, &opened).audience, everybody());
}

#[test]
fn what_is_not_known_counts_as_private() {
    let nothing_known = GuildFacts::unknown(GuildId::new(GUILD));
    assert_eq!(in_guild(&nothing_known, &plain(1)).audience, only(1));
    assert_eq!(unknown(GuildId::new(GUILD), ChannelId::new(9)).audience, only(9));
    let orphan = channel(2, 11, Some(1), &json!([]));
    assert_eq!(in_guild(&guild(&[]), &orphan).audience, only(2));
}

#[test]
fn text_in_a_voice_channel_is_heard_by_those_who_may_connect() {
    assert_eq!(in_guild(&guild(&[]), &channel(1, 2, None, &json!([]))).audience, everybody());
    let locked = channel(1, 2, None, &json!([overwrite(0, GUILD, 0, Permissions::CONNECT.bits())]));
    assert_eq!(in_guild(&guild(&[]), &locked).audience, only(1));
}

#[test]
fn threads_and_posts_are_named_after_their_parent_and_heard_with_it() {
    let secret = channel(1, 0, None, &json!([overwrite(0, GUILD, 0, VIEW)]));
    let thread = in_guild(&guild(&[secret]), &channel(2, 11, Some(1), &json!([])));
    assert_eq!((thread.kind, thread.audience), (PlaceKind::Thread, only(1)));
    assert_eq!(thread.channel_name.as_deref(), Some("#c1 -> c2"));
    assert_eq!(thread.parent, Some(1.into()));

    let forum = channel(3, 15, None, &json!([]));
    let post = in_guild(&guild(&[forum]), &channel(4, 11, Some(3), &json!([])));
    assert_eq!((post.kind, post.audience), (PlaceKind::ForumPost, everybody()));
    assert_eq!(post.channel_name.as_deref(), Some("forum:c3 -> c4"));
}

#[test]
fn a_threads_channel_counts_even_when_nothing_is_known_of_it_but_a_category_does_not() {
    let orphan = in_guild(&guild(&[]), &channel(2, 11, Some(1), &json!([])));
    assert_eq!(orphan.parent, Some(1.into()));
    assert_eq!(in_guild(&guild(&[]), &channel(3, 0, Some(1), &json!([]))).parent, None);
}

#[test]
fn a_private_thread_is_heard_by_its_members_only() {
    let thread = in_guild(&guild(&[plain(1)]), &channel(2, 12, Some(1), &json!([])));
    assert_eq!((thread.kind, thread.audience), (PlaceKind::Thread, only(2)));
}

#[test]
fn a_dm_is_heard_by_one_person() {
    let place = dm_place(ChannelId::new(8), UserId::new(9));
    assert_eq!(place.audience, Audience::Dm(AccountId::discord(9)));
    assert!(place.is_one_to_one());
}

#[test]
fn what_is_age_restricted_is_an_audience_of_its_own_with_its_threads() {
    let mut adult = plain(1);
    adult.nsfw = true;
    let own = Audience::Restricted(1.into());
    assert_eq!(in_guild(&guild(&[]), &adult).audience, own);
    let facts = guild(&[adult]);
    assert_eq!(in_guild(&facts, &channel(2, 11, Some(1), &json!([]))).audience, own);
    let hush = in_guild(&facts, &channel(3, 12, Some(1), &json!([])));
    assert_eq!(hush.audience, Audience::Restricted(3.into()));
}

/// Whether everybody who sees a channel with these overwrites sees one with those.
fn are_among(these: &Value, those: &Value) -> bool {
    let facts = GuildFacts {
        roles: [(5, 0), (6, 0), (7, VIEW), (8, Permissions::ADMINISTRATOR.bits())]
            .map(|(role, may)| (RoleId::new(role), Permissions::from_bits_retain(may)))
            .into(),
        everyone: Some(Permissions::empty()),
        ..guild(&[])
    };
    let viewers = |overwrites: &Value| viewers(&facts, &channel(1, 0, None, overwrites));
    viewers(these).zip(viewers(those)).is_some_and(|(these, those)| these.are_among(&those))
}

#[test]
fn who_sees_a_channel_is_told_by_roles_and_people_and_in_doubt_by_the_very_same_rules() {
    let closed = overwrite(0, GUILD, 0, VIEW);
    let (crew, officers, alice) =
        (overwrite(0, 5, VIEW, 0), overwrite(0, 6, VIEW, 0), overwrite(1, 9, VIEW, 0));
    let no_crew = overwrite(0, 5, 0, VIEW);
    for (these, those, expected) in [
        (json!([closed, crew]), json!([closed, crew]), true),
        (json!([closed, crew]), json!([closed, crew, officers]), true),
        (json!([closed, crew, officers]), json!([closed, crew]), false),
        (json!([closed, crew, alice]), json!([closed, crew]), false),
        (json!([closed, crew]), json!([closed, crew, alice]), true),
        // A server behind one role that sees everything but what is closed to everybody.
        (json!([]), json!([]), true),
        (json!([closed, crew]), json!([]), false),
        (json!([]), json!([closed, crew]), false),
        // Open to all.
        (json!([crew]), json!([overwrite(0, GUILD, VIEW, 0)]), true),
        (json!([overwrite(0, GUILD, VIEW, 0)]), json!([closed, crew]), false),
        // Somebody is shut out by name.
        (json!([no_crew]), json!([no_crew]), true),
        (json!([no_crew]), json!([]), false),
        (json!([]), json!([no_crew]), false),
        (json!([no_crew, officers]), json!([no_crew]), false),
    ] {
        assert_eq!(are_among(&these, &those), expected, "{these} among {those}");
    }
}

#[test]
fn what_takes_two_roles_to_get_into_is_compared_with_nothing() {
    let connect = Permissions::CONNECT.bits();
    let closed = overwrite(0, GUILD, 0, VIEW | connect);
    let halves = json!([closed, overwrite(0, 5, VIEW, 0), overwrite(0, 6, connect, 0)]);
    let facts = GuildFacts {
        roles: [5, 6].map(|role| (RoleId::new(role), Permissions::empty())).into(),
        ..guild(&[])
    };
    assert_eq!(viewers(&facts, &channel(1, 2, None, &halves)), None);
}
