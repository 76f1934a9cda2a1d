//! *Repair this reply*: another answer, one that was given before, other words, nothing. For whoever caused the reply, and
//! whoever manages the channel.
//!
//! The buttons carry the message that it is about: nothing waits in between.

use serenity::all::{
    ButtonStyle, CreateActionRow, CreateButton, CreateInputText, CreateInteractionResponse, InputTextStyle,
    MessageId,
};

use super::{Answered, CommandError, Context, Deed, ephemeral, form, response};
use crate::discord::messages::{self, Tongue};
use crate::domain::Place;
use crate::session::{GoBack, NotPut, RepairRequest, Repaired, Wanted};

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "repair|";

/// The button that opens a form, and the form.
pub(super) const WORDS: &str = "repair|words|";

/// What a form's field holds, in characters.
const WORDS_MAX: u16 = 4000;

/// How the reply stands, with what can be done about it
pub(super) async fn repair(ctx: Context<'_>) -> Answered {
    let target = ctx.interaction.data.target_id;
    let message = target.map_or_else(MessageId::default, |target| target.to_message_id());
    shown(ctx.deed(), message, Wanted::Look).await
}

/// A button was pressed: what became of it takes the place of what stood there.
pub(super) async fn pressed(deed: Deed<'_>) -> Answered {
    let rest = deed.id.strip_prefix(PREFIX).unwrap_or_default();
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
    shown(deed, message, wanted).await
}

/// Somebody wants other words: the form, filled in with what stands there.
pub(super) async fn rewording(
    deed: Deed<'_>,
    message: &str,
) -> Result<CreateInteractionResponse, CommandError> {
    let to = deed.to;
    let target: MessageId = message.parse().map_err(|_| CommandError::Unknown)?;
    // A form can only be the first response, and Discord waits three seconds for that: nobody is asked.
    Ok(match request_repair(deed, &deed.known_place(), target, Wanted::Look).await {
        Repaired::Stands { text, .. } if text.chars().count() > usize::from(WORDS_MAX) => {
            ephemeral(messages::too_long_to_reword(to, usize::from(WORDS_MAX)))
        }
        Repaired::Stands { text, .. } => {
            let field = CreateInputText::new(InputTextStyle::Paragraph, messages::reword_label(to), "words")
                .max_length(WORDS_MAX)
                .value(text);
            form(format!("{WORDS}{message}"), messages::reword_title(to), field)
        }
        refusal => ephemeral(messages::repaired(to, &deed.adapter.name(), &refusal)),
    })
}

/// The form was submitted.
pub(super) async fn reworded(deed: Deed<'_>, message: &str) -> Answered {
    let message: MessageId = message.parse().map_err(|_| CommandError::Unknown)?;
    let words = deed.given.trim().to_owned();
    let wanted = if words.is_empty() { Wanted::Look } else { Wanted::Words(words) };
    shown(deed, message, wanted).await
}

async fn request_repair(deed: Deed<'_>, place: &Place, message: MessageId, what: Wanted) -> Repaired {
    let request =
        RepairRequest { message: message.get().into(), by: deed.account(), manages: deed.manages(), what };
    let repaired = deed.adapter.deps.session.repair(place, request).await;
    repaired.unwrap_or_else(|why| {
        tracing::info!(channel = %place.channel, why, "a request to repair a reply was not taken");
        Repaired::Unchanged(NotPut::NotTaken)
    })
}

/// What becomes of a request in words, with the buttons where there is something left to repair.
async fn shown(deed: Deed<'_>, message: MessageId, what: Wanted) -> Answered {
    let place = deed.place().await;
    let repaired = request_repair(deed, &place, message, what).await;
    let words = response(messages::repaired(deed.to, &deed.adapter.name(), &repaired));
    Ok(words.components(match repaired {
        Repaired::Gone { .. } | Repaired::NotKnown | Repaired::NotTheirs => Vec::new(),
        _ => buttons(deed.to, message, &repaired, deed.may_change(&place)),
    }))
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
