//! *Repair this reply*: another answer, one that was given before, other words, nothing. For whoever caused the reply, and
//! whoever manages the channel.
//!
//! The buttons carry the message that it is about: nothing waits in between.

use serenity::all::{
    ButtonStyle, ComponentInteraction, CreateActionRow, CreateButton, CreateInputText,
    EditInteractionResponse, InputTextStyle, Member, MessageId, ModalInteraction, UserId,
};

use super::{
    Answered, CommandError, Context, component_spot, ephemeral, field, form, in_time, known_place,
    manages_channel, modal_spot, response, tongue_of,
};
use crate::discord::adapter::Adapter;
use crate::discord::messages::{self, Tongue};
use crate::domain::{AccountId, Place};
use crate::session::{GoBack, NotPut, RepairWish, Repaired, Wanted};

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "repair|";

/// The button that opens a form, and the form.
pub(super) const WORDS: &str = "repair|words|";

/// What a form's field holds, in characters.
const WORDS_MAX: u16 = 4000;

struct Repairer<'a> {
    user: UserId,
    member: Option<&'a Member>,
}

impl Repairer<'_> {
    /// Whether the button for other words is shown to them.
    fn may_reword(&self, place: &Place) -> bool {
        place.is_one_to_one() || manages_channel(self.member)
    }
}

/// How the reply stands, with what can be done about it
pub(super) async fn repair(ctx: Context<'_>) -> Answered {
    let (adapter, interaction) = (ctx.data(), ctx.interaction);
    let place = adapter.place_of(ctx.discord, ctx.spot()).await;
    let message = interaction.data.target_id.map_or_else(MessageId::default, |target| target.to_message_id());
    let who = Repairer { user: interaction.user.id, member: interaction.member.as_deref() };
    let repaired = wished(adapter, &place, message, &who, Wanted::Look).await;
    Ok(shown(ctx.tongue(), adapter, message, &repaired, who.may_reword(&place)))
}

/// A button was pressed: what became of it takes the place of what stood there.
pub(super) async fn pressed(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    pressed: &ComponentInteraction,
) -> Answered {
    let rest = pressed.data.custom_id.strip_prefix(PREFIX).unwrap_or_default();
    let (what, message) = rest.split_once('|').unwrap_or_default();
    let message: MessageId = message.parse().map_err(|_| CommandError::Unknown)?;
    let wanted = match what {
        "again" => Wanted::GoBack(GoBack::Again),
        "earlier" => Wanted::GoBack(GoBack::Earlier),
        "later" => Wanted::GoBack(GoBack::Later),
        "undo" => Wanted::GoBack(GoBack::Undo),
        "delete" => Wanted::Delete,
        "on" => Wanted::GoOn,
        _ => return Err(CommandError::Unknown),
    };
    let place = adapter.place_of(ctx, component_spot(pressed)).await;
    let who = Repairer { user: pressed.user.id, member: pressed.member.as_ref() };
    let repaired = wished(adapter, &place, message, &who, wanted).await;
    Ok(shown(tongue_of(&pressed.locale), adapter, message, &repaired, who.may_reword(&place)))
}

/// Somebody wants other words: the form, filled in with what stands there.
pub(super) async fn rewording(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    pressed: &ComponentInteraction,
    message: &str,
) -> Result<(), CommandError> {
    let to = tongue_of(&pressed.locale);
    let target: MessageId = message.parse().map_err(|_| CommandError::Unknown)?;
    // A form can only be the first response, and Discord waits three seconds for that: nobody is asked.
    let place = known_place(adapter, ctx, component_spot(pressed));
    let who = Repairer { user: pressed.user.id, member: pressed.member.as_ref() };
    let first = match wished(adapter, &place, target, &who, Wanted::Look).await {
        Repaired::Stands { text, .. } if text.chars().count() > usize::from(WORDS_MAX) => {
            ephemeral(messages::too_long_to_reword(to, usize::from(WORDS_MAX)))
        }
        Repaired::Stands { text, .. } => {
            let field = CreateInputText::new(InputTextStyle::Paragraph, messages::reword_label(to), "words")
                .max_length(WORDS_MAX)
                .value(text);
            form(format!("{WORDS}{message}"), messages::reword_title(to), field)
        }
        refusal => ephemeral(messages::repaired(to, &adapter.name(), &refusal)),
    };
    in_time(pressed.create_response(&ctx.http, first)).await
}

/// The form was submitted.
pub(super) async fn reworded(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    modal: &ModalInteraction,
    message: &str,
) -> Answered {
    let message: MessageId = message.parse().map_err(|_| CommandError::Unknown)?;
    let place = adapter.place_of(ctx, modal_spot(modal)).await;
    let who = Repairer { user: modal.user.id, member: modal.member.as_ref() };
    let words = field(modal).trim().to_owned();
    let wanted = if words.is_empty() { Wanted::Look } else { Wanted::Words(words) };
    let repaired = wished(adapter, &place, message, &who, wanted).await;
    Ok(shown(tongue_of(&modal.locale), adapter, message, &repaired, who.may_reword(&place)))
}

async fn wished(
    adapter: &Adapter,
    place: &Place,
    message: MessageId,
    who: &Repairer<'_>,
    what: Wanted,
) -> Repaired {
    let wish = RepairWish {
        message: message.get().into(),
        by: AccountId::discord(who.user.get()),
        manages: manages_channel(who.member),
        what,
    };
    let repaired = adapter.deps.session.repair(place, wish).await;
    repaired.unwrap_or_else(|why| {
        tracing::info!(channel = %place.channel, why, "a wish to repair a reply was not taken");
        Repaired::Unchanged(NotPut::NotTaken)
    })
}

/// In words, with the buttons where there is something left to repair.
fn shown(
    to: Tongue,
    adapter: &Adapter,
    message: MessageId,
    repaired: &Repaired,
    may_reword: bool,
) -> EditInteractionResponse {
    let words = response(messages::repaired(to, &adapter.name(), repaired));
    match repaired {
        Repaired::Gone { .. } | Repaired::NotKnown | Repaired::NotTheirs => words.components(Vec::new()),
        _ => words.components(buttons(to, message, repaired, may_reword)),
    }
}

fn buttons(to: Tongue, message: MessageId, repaired: &Repaired, may_reword: bool) -> Vec<CreateActionRow> {
    // The one that it was opened on may have gone with another answer.
    let message = match repaired {
        Repaired::Stands { message, .. } => message.to_string(),
        _ => message.to_string(),
    };
    let button = |does: &str, label: String, style: ButtonStyle| {
        CreateButton::new(format!("{PREFIX}{does}|{message}")).label(label).style(style)
    };
    let (has_earlier, has_later) = match repaired {
        Repaired::Stands { alternatives, .. } => {
            (alternatives.standing > 1, alternatives.standing < alternatives.all)
        }
        // Which one stands is not known here; a press says so.
        _ => (true, true),
    };
    let mut answers = vec![
        button("again", messages::another(to), ButtonStyle::Primary),
        button("earlier", messages::EARLIER.to_owned(), ButtonStyle::Secondary).disabled(!has_earlier),
        button("later", messages::LATER.to_owned(), ButtonStyle::Secondary).disabled(!has_later),
    ];
    if may_reword {
        answers.push(button("words", messages::reword(to), ButtonStyle::Secondary));
    }
    vec![
        CreateActionRow::Buttons(answers),
        CreateActionRow::Buttons(vec![
            button("on", messages::go_on(to), ButtonStyle::Secondary),
            button("delete", messages::delete(to), ButtonStyle::Danger),
            button("undo", messages::take_back(to), ButtonStyle::Danger),
        ]),
    ]
}
