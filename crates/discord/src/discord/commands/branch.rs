//! `/branch` and *Go on in a thread*: the talk goes on in a thread of its own, which knows what was said before it.

use serenity::all::MessageId;

use super::{Answered, Context, answer, label};
use crate::discord::actions::DiscordActions;
use crate::discord::messages::{self, Here};
use crate::domain::{AccountId, Author};

/// Characters of a thread's name that is made of a message.
const NAME_CHARS: usize = 60;

/// From the message that was chosen, else from here on
pub(super) async fn branch(ctx: Context<'_>, name: Option<String>) -> Answered {
    let to = ctx.tongue();
    let (adapter, interaction) = (ctx.data(), ctx.interaction);
    let (place, here) = adapter.place_read_of(ctx.discord, ctx.spot()).await;
    if here == Here::NotRead {
        return answer(messages::branches_not_here(to, &adapter.name()));
    }
    let from = interaction.data.target_id.map(|target| target.to_message_id());
    let words = from.and_then(|from| interaction.data.resolved.messages.get(&from));
    // A name stays when the message goes: nobody's words become one but by themselves.
    let own = words.filter(|message| message.author.id == interaction.user.id);
    let name = name.or_else(|| own.map(|message| thread_opening(&message.content)));
    let name = name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| adapter.name());
    let user = &interaction.user;
    let shown = interaction.member.as_ref().map_or(user.display_name(), |member| member.display_name());
    let who = Author {
        account: AccountId::discord(user.id.get()),
        display_name: Some(shown.to_owned()),
        username: Some(user.name.clone()),
        is_bot: user.bot,
    };
    let from = from.map(|from: MessageId| from.get().into());
    let actions = DiscordActions { link: adapter.deps.link.clone() };
    let words = match actions.opens_thread(&place, &who, from.as_ref(), &name).await {
        Ok(thread) => messages::branched(to, thread.get()),
        Err(refused) => messages::not_done(to, &refused),
    };
    answer(words)
}

fn thread_opening(text: &str) -> String {
    label("", text).chars().take(NAME_CHARS).collect()
}
