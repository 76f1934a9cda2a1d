# What the program itself says to people on Discord, in English: what it falls back to, and what the other files are held to.
#
# The names of commands, Markdown, mentions and what stands in { } stay as they are. "-# " begins small print.
# A line inside a sentence that would begin with "*" or "[" begins with {"*"} or {"["}.

## Names of Discord's own, as its settings page has them in this language

-manage-channels = Manage Channels
-manage-server = Manage Server
-manage-nicknames = Manage Nicknames
-view-channel = View Channel
-apps = Apps
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] Send Messages
        [Send_Messages_in_Threads] Send Messages in Threads
        [Read_Message_History] Read Message History
        [Connect] Connect
        [Speak] Speak
        [Create_Public_Threads] Create Public Threads
        [Change_Nickname] Change Nickname
       *[other] { $as_it_is }
    }

## Lists and dates

# Between the parts of a list, and before its last one.
list_comma = {", "}
list_and = {" and "}

# As in "1 March 2026".
date = { $day } { month } { $year }
month =
    { $month ->
        [1] January
        [2] February
        [3] March
        [4] April
        [5] May
        [6] June
        [7] July
        [8] August
        [9] September
        [10] October
        [11] November
       *[12] December
    }
weekday =
    { $weekday ->
        [1] Monday
        [2] Tuesday
        [3] Wednesday
        [4] Thursday
        [5] Friday
        [6] Saturday
       *[7] Sunday
    }

## Failures, in the channel. One short line, with the turn to look up

# With the small print and the turn at most 100 characters.
model_failure =
    { $class ->
        [RateLimited] Too many requests to the model right now. Try again in a minute.
        [Server] The model's provider has trouble. Try again in a minute.
        [Network] The model could not be reached. Try again in a minute.
        [BrokeOff] The answer broke off before its end. Try again.
        [Timeout] The model took too long. Try again.
        [ModelMissing] The configured model does not exist. Tell whoever runs this bot.
        [Authentication] The model's key was refused. Tell whoever runs this bot.
        [KeyMissing] The model wants a key and none is set. Tell whoever runs this bot.
        [Quota] There is no credit left for the model. Tell whoever runs this bot.
        [ContextLength] This is longer than the model reads. Tell whoever runs this bot to set `context_window`.
        [ContentFilter] The model's provider refused this. Try to put it another way.
        [Malformed] The model's answer could not be read. Try again.
        [Empty] The model gave no answer that can be shown. Try again, or say it in another way.
        [WebPage] A web page came instead of an answer. Tell whoever runs this bot.
        [BadRequest] The model refused the request. Tell whoever runs this bot.
        [CostCap] Today's budget is used up. It starts again at midnight (UTC).
        [TokenCap] Today's budget is used up. It starts again at midnight (UTC).
       *[Cancelled] That reply was stopped.
    }
notice_model_failed = -# { model_failure } ({ $turn })
# $wait: as in "1 h 5 min".
notice_try_later = -# Too many requests to the model right now. Try again in { $wait }. ({ $turn })
notice_not_stored = -# I could not write that down, so I did not answer. Tell whoever runs this bot. ({ $turn })
notice_too_much_at_once = -# That is more than I can answer at once. Give me a minute; what you write is read all the same.
notice_cut_short = -# That is as long as an answer of mine may be. Ask me to go on for the rest. ({ $turn })
notice_kept_back = -# What I was about to say is not for everybody who may read this, so I kept it back. Ask me in other words. ({ $turn })
notice_keeps_quiet = -# From now on I speak only when spoken to. `/wake` ends that; so does telling me that I may talk again.
notice_joins_in_again = -# I may join in again. `/quiet` ends that.
notice_message_too_long = -# That message is too long for me: it has { $tokens } tokens, and { $fits } fit. Send it in parts. ({ $turn })
notice_prompt_too_large = -# The character is too large for its model. Tell whoever runs this bot. ({ $turn })

## Reading and not reading

# The one answer to a person who may not write direct messages to the familiar.
dm_refused = { $familiar } reads direct messages only from people on a server where it reads along, and from those on its allow-list, so this was not read. Talk to it on such a server, or ask whoever runs this bot to add your id `{ $account }` to `dm_allowlist`.
subscribed = { $familiar } now reads <#{ $channel }> and its threads. Stop with `/unsubscribe-text`.
# Told in a channel itself when it begins to be read there: whoever writes there has to know.
begins_to_read = -# { $familiar } reads this channel and its threads from now on and remembers what is said there. `/help` says more, `/privacy` what is stored about you; there you can also opt out.
begins_alone = -# { $familiar } remembers what you write here. `/help` says more, `/privacy` what is stored about you; there you can also opt out.
# Told to somebody who mentioned it in a channel that it does not read, and who may change that.
does_not_read = -# { $familiar } does not read this channel, so that was not read either. `/subscribe-text` here changes that.
keeps_quiet = { $familiar } speaks only when spoken to. `/wake` ends that; in a call it ends with the call.
keeps_quiet_for = { $familiar } speaks only when spoken to for { $span }. `/wake` ends that; in a call it ends with the call.
joins_in_again = { $familiar } may join in again. `/quiet` ends that.
was_not_quiet = { $familiar } was not being kept quiet here.
# The settings let somebody, or the place they are in, have nothing to do with it.
not_let_in = { $familiar } is not open to you here; whoever runs this bot decides that. `/privacy` shows what is stored about you, and `/forget` deletes it.
reset = The conversation here begins anew: { $familiar } no longer has in view what was said before. It stays remembered, and can come back to mind when it is spoken of; `/forget` is for what is to go.
# The button under that.
undo_reset = Take that back
reset_undone = { $familiar } has in view again what was said before.
# It was begun anew again since.
reset_since = The conversation was begun anew once more since, so this stays as it is.
nothing_to_reset = Nothing was said here that could be left behind.
# `/quiet` or `/wake` in a direct message.
alone_it_answers = In direct messages there is nobody else to be quiet for.
# `/quiet` or `/wake` where it neither reads nor listens.
not_here_and_in_no_call = { $familiar } does not read this channel and is in no call on this server.
# Told to whoever asks it in a message to forget something.
how_to_forget = -# To have something forgotten for good: `/forget what` deletes what you said that contains certain words, `/forget me` everything; `/memory` shows what is noted about you.
# The button under that.
forget_me = Forget everything of mine …
# `/subscribe-text` where there is a subscription.
already_subscribed = { $familiar } already reads <#{ $channel }>. Stop with `/unsubscribe-text`.
# `/subscribe-text` or `/unsubscribe-text` in a direct message.
dm_needs_no_subscription = Direct messages need no subscription. Use this command on a server.
unsubscribed = { $familiar } no longer reads <#{ $channel }>. Start again with `/subscribe-text`.
# `/unsubscribe-text` where there is no subscription.
not_subscribed = { $familiar } does not read <#{ $channel }>. Start with `/subscribe-text`.
# The bot lacks something where it is to talk. $missing: names of permissions.
bot_lacks_permissions =
    { $count ->
        [one] I cannot talk in <#{ $channel }> yet: I lack { $missing }. Give my role this permission in the channel's permissions, then try again.
       *[other] I cannot talk in <#{ $channel }> yet: I lack { $missing }. Give my role these permissions in the channel's permissions, then try again.
    }
# The command was used in a place that cannot be seen or is of no use.
unknown_place = I cannot see this channel. Give my role { -view-channel } here, then try again.
# The person may not decide about a channel they chose.
needs_manage_channels = You need { -manage-channels } in <#{ $channel }> for this. Ask somebody who has it.

## How it writes, and what is going on

mode_set = <#{ $channel }> is now in { mode_name } mode: { mode_words }
mode_name =
    { $mode ->
        [FullRp] full role-play
        [TextConversationRp] text conversation
       *[ImitateVoice] imitate voice
    }
mode_words =
    { $mode ->
        [FullRp] long, novel-style replies in the third person.
        [TextConversationRp] chat-room style, a couple of short lines.
       *[ImitateVoice] one or two short sentences, as if spoken.
    }
# The form's title and the label of its field have at most 45 characters, the example in it 100.
backdrop_title = Backdrop of this channel
backdrop_label = What is going on here (empty clears it)
backdrop_placeholder = A tavern at the crossroads, late evening. Rain outside.
backdrop_set = The backdrop of <#{ $channel }> is set ({ $chars } characters). It counts from the next reply on.
backdrop_cleared = The backdrop of <#{ $channel }> is cleared.
greeted = Said hello.
# `/greet` in a place that is not read.
greet_needs_subscription = { $familiar } does not read this channel. Use `/subscribe-text` first.
# `/greet` with a number that the card does not have.
no_such_greeting =
    { $have ->
        [0] The card has no greeting.
        [1] The card has one greeting: use `/greet` without a number.
       *[other] The card has { $have } greetings: use a number from 1 to { $have }.
    }
# Whether it may begin to speak by itself in a place from now on.
speaks_first_no = { $familiar } speaks here only after somebody else from now on.
speaks_first_nowhere = { $familiar } may begin to speak here by itself, but whoever runs this bot has set that it does so nowhere.
speaks_first_yes =
    { $per_day ->
        [one] { $familiar } may begin to speak here by itself, about days and birthdays that somebody told it of: between { $from_hour }:00 and { $to_hour }:00, 1 time a day at most, and never again before somebody answered. `/speak-first on:False` ends that.
       *[other] { $familiar } may begin to speak here by itself, about days and birthdays that somebody told it of: between { $from_hour }:00 and { $to_hour }:00, { $per_day } times a day at most, and never again before somebody answered. `/speak-first on:False` ends that.
    }
greets_newcomers_yes = { $familiar } greets whoever is new on this server here, once, unless it is asleep or told to be quiet.
greets_newcomers_no = { $familiar } greets no newcomers here.
# It may not, where it does not read.
does_not_speak_first = { $familiar } does not read here, so it says nothing here either. `/subscribe-text` changes that.

## What a turn did

# `/context` without any turn of the caller.
no_turn_yet = There is nothing to explain to you here yet. Say something first, then ask again.
# For a turn that does not exist or is not the caller's; both read the same, so that nothing is told about turns of others.
no_such_turn = There is no turn `{ $given }` that you took part in. Leave it out to see your last one.
# Above the attached record of a turn. $summary: one of the next.
context_attached = Turn { $turn }: { $summary } The attached file says how that came about; only you can see it.
# How a turn ended; of one that failed, what the channel was told of it (`model_failure`). Also where turns are listed.
outcome_replied =
    { $messages ->
        [one] replied in 1 message.
       *[other] replied in { $messages } messages.
    }
outcome_silent = stayed silent because { silence }.
# Inside it: a clause without a full stop, as below.
silence =
    { $reason ->
        [OnlyWhenAddressed] nobody addressed it, and it does not join in here
        [AddressedToSomeoneElse] the message was for somebody else
        [FromBot] bots are not answered
        [NotStored] the message could not be stored
        [SaidMeanwhile] it was said while the program was not running
        [EnoughForNow] strangers get only so many answers, and they had theirs for now
        [TooMuchAtOnce] more was asked than the limits allow for now
        [SomebodyInDistress] somebody is in distress here, so it speaks only when spoken to
        [Asleep] it is asleep, and nobody spoke to it
        [ToldToBeQuiet] it was told to be quiet
        [KeptQuiet] it was told to be quiet here until { $until }
        [KeptQuietUntilWoken] it was told to be quiet here until `/wake`
        [FoundNothingToSay] it found that nothing was to be said
        [Reacted] the emoji that it put under a message is its answer
        [WaitsForTheRest] it found that they were not finished, and waits for the rest
       *[NotAddressed] nobody addressed it ({ $count } of { $threshold } messages until it joins in)
    }
outcome_undelivered =
    { $messages ->
        [0] the reply could not be posted.
        [one] only 1 message of the reply could be posted.
       *[other] only { $messages } messages of the reply could be posted.
    }
outcome_cancelled =
    { $messages ->
        [0] cancelled before anything was said: { cancelled_because }.
        [one] cancelled after 1 message: { cancelled_because }.
       *[other] cancelled after { $messages } messages: { cancelled_because }.
    }
cancelled_because =
    { $reason ->
        [Superseded] more was said first
        [Interrupted] somebody spoke in between
        [StoppedByHand] it was stopped by hand
        [Withdrawn] the message was deleted
        [Shutdown] the program was shutting down
       *[Killed] the program was killed
    }
turn_of_another_place = Turn { $turn } was in another channel. Ask there: only who can see that channel may read it.
why_attached = What turn { $turn } did with those words is attached; only you can see this.

## `/status` and `/help`

status_up = Up { $uptime }, model: { $model }
status_here =
    { $here ->
       *[NotRead] This channel: not read (`/subscribe-text`)
        [Read] This channel: read{ in_mode }
        [ThroughParent] This thread: read with its channel{ in_mode }
        [Dm] Direct messages: read{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] , { mode_name } mode
    }
status_quiet =
    { $until ->
        [wake] Here I speak only when spoken to, until `/wake`
       *[other] Here I speak only when spoken to, until <t:{ $until }:f>
    }
status_mute = I may not write in this channel
status_subscriptions = Channels read on this server: { $count }
status_early = Answers begun early in calls: { $begun }, of which { $given } were given
# $seconds: as in "2.3".
status_last_reply = Last reply here took { $seconds } s
# US dollars.
status_budget = Budget today: ${ $spent } of ${ $cap }
status_spent = Spent today: ${ $spent }, no cap
status_cap = Budget: ${ $cap } a day
status_unpriced = Tokens today whose price is not known: { $used }
status_unpriced_of = Tokens today whose price is not known: { $used } of { $cap }
help =
    {"**"}{ $familiar }** reads the channels it is subscribed to and answers when spoken to: by name, by mention, by reply. Now and then it joins in by itself. Editing or deleting a message changes what it remembers of it.

    For everybody:
    `/memory` — what it has noted about you and may say here; correct or forget it
    `/reminders` — what you asked to be reminded of, and cancelling it
    `/forget me`, `/forget what` — make it forget what you said, everywhere; `/forget undo` takes that back
    `/privacy` — what is stored about you, a copy of it, and opting out
    `/context` — why it said what it said to your last message
    `/lore why` — which world lore your last turn called up, and why
    `/greet` — let it say one of its greetings
    `/pair`, `/pair-past`, `/unpair` — let it know you elsewhere as it does in direct messages, or no longer
    `/persona` — who you are in play, here or everywhere
    `/status` — how it is, and how it writes here
    `/branch`, *{ -apps } → { branch }* — the talk goes on in a thread of its own
    {"*"}{ -apps } → { repair }* on a reply to you — another answer, other words, or none
    `/subscribe-my-voice`, `/unsubscribe-voice` — join your call and listen to you, or stop
    `/quiet`, `/wake` — here and in this server's call, speak only when spoken to, or join in again

    With { -manage-channels }:
    `/subscribe-text`, `/unsubscribe-text` — read this or another channel or forum, or stop
    `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — how it writes here
    `/channel-backdrop` — what is going on here
    `/reset` — begin the conversation here anew; what was said stays remembered
    `/speak-first` — let it begin to speak here by itself, or no longer

    With { -manage-nicknames }:
    `/profile nickname` — what it is called on this server

    Answers to commands are seen only by whoever used them.

## What went wrong with a command

# $what: one of the next six, or in English what a service said.
command_failed = That did not work: { $what }. If it happens again, tell whoever runs this bot.
failed_settings =
    { $why ->
        [Full] the settings could not be saved, as the disk is full: whoever runs this bot must make room there
        [Locked] the settings could not be saved, as I may not write to the disk: whoever runs this bot must let me
       *[none] the settings could not be saved
    }
failed_history = what was said could not be searched
failed_pairing = what is paired could not be written down
failed_trace = the record of that turn could not be read
failed_forget = it is not all forgotten yet; the rest goes at the next start
failed_notes = the notes could not be read
# The log has the rest.
command_broke = That did not work. The log says why; tell whoever runs this bot if it happens again.

## How it is

# In the menu of a message that the talk is to go on from; at most 32 characters.
branch = Go on in a thread
branched = The thread is open: <#{ $thread }>. What was said here before it is known there.
# A command was not carried out. $missing: names of permissions; $words: in English.
not_done =
    { $why ->
        [BotLacks] I may not do that here: I lack { $missing }. Whoever manages the server can give it to my role.
        [AskerLacks] I do that only for people who may do it here themselves: you lack { $missing }.
        [AskerUnseen] I cannot see now what you may do here. Try again in a moment.
        [NoThreadsHere] Threads can be opened only in a server's text channels.
        [Late] Discord did not answer in time. Try again in a moment.
        [MessageGone] That message is gone.
        [HasThread] That message has a thread already.
        [Locked] This thread is locked.
        [ChannelGone] This channel is gone.
        [NotAccepted] Discord does not accept the bot any more. Tell whoever runs it.
        [Closed] I may not do that here.
       *[Said] Discord refused it: “{ $words }”
    }
branches_not_here = { $familiar } does not read here, so nothing goes on from here. `/subscribe-text` changes that.
# Beside its name. $doing: in the card's own words.
asleep = asleep
asleep_doing = asleep, { $doing }
busy = busy
mood =
    { $mood ->
        [elated] elated
        [happy] happy
        [cheerful] cheerful
        [content] content
        [angry] angry
        [downcast] downcast
        [irritated] irritated
        [a_little_low] a little low
        [lively] lively
       *[drowsy] drowsy
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } is asleep until { $until }{ doing }. Whoever speaks to { $familiar } is answered all the same.
        [Busy] { $familiar } is busy until { $until }{ doing }.{ in_mood }
       *[Awake] { $familiar } is up and about{ doing }.{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] : { $doing }
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] {" "}Mood: { mood }.
    }
profile_changed =
    { $what ->
        [Picture] It wears the card's picture now, everywhere on Discord.
        [Name] It has the card's name now, everywhere on Discord.
       *[Nickname] That is what it is called on this server now.
    }
# Names and pictures may be changed a few times an hour. $why: in English.
profile_refused = Discord did not take it: “{ $why }”. Pictures and names can be changed only a few times an hour.
profile_is_the_operators = Its picture and its name are the same on every server, so only whoever runs this bot changes them: people in `discord.operators`. `/profile nickname` is for this server.
no_picture = The card of { $familiar } has no picture that can be read: `memory/self/assets/avatar.png`.
picture_too_large = The card's picture is larger than the 10 MiB that Discord takes.
name_does_not_fit = Discord takes names of 2 to 32 characters, and “{ $name }” has { $chars }.
nicknames_are_of_servers = A nickname can be set only on a server.
needs_manage_nicknames = For that you need the permission { -manage-nicknames } here.

## `/lore why`

no_lore = Turn { $turn } had no lorebook to look through. Whoever runs this bot can add one with `familiar lore import`.
no_such_entry = No lore entry is called “{ $given }”. Leave it out to see what was called up.
lore_called_up =
    { $fired ->
        [0] Turn { $turn } called up none of { $all } lore entries.
       *[other] Turn { $turn } called up { $fired } of { $all } lore entries:
    }
lore_not_called_up = Not called up:
lore_rest = { $rest } more had nothing to do with it. `/lore why entry:` tells about one.
lore_in_turn = In turn { $turn }:
lore_entry =
    { $fired ->
        [yes] - **{ $name }** ({ $book }) was called up: { $why }{ lore_how_much }
       *[no] - **{ $name }** ({ $book }) was not called up: { $why }{ lore_how_much }
    }
lore_line = - **{ $name }**: { $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] ; only its first sentence had room
        [Paragraph] ; only its first paragraph had room
       *[Full] {""}
    }
# The reasons: one clause each, without a full stop.
lore_constant = always on
lore_by_text = its text says @@{ $by }
lore_key = the key "{ $key }" is in { $at }
lore_key_and_filter = the key "{ $key }" is in { $at }, and its filter key "{ $filter }" agrees
lore_lasts =
    { $what ->
        [Sticky] it stays for { lore_messages }
        [Delay] it waits for { lore_messages }
       *[Cooldown] it rests for { lore_messages }
    }
lore_messages =
    { $left ->
        [one] 1 more message
       *[other] { $left } more messages
    }
lore_latched = its key was found before, and that is enough for it
lore_retrieved = it is about what was said (score { $score })
lore_no_key_found = none of its keys is in what was read
lore_no_keys = it has no keys and is not always on
lore_filter_keys = the key "{ $key }" is there, but its filter keys say no ({ lore_rule })
lore_rule =
    { $logic ->
        [and_all] all of them have to be there
        [not_all] one of them has to be missing
        [not_any] none of them may be there
       *[and_any] one of them has to be there
    }
lore_disabled = it is switched off
lore_other_character = it is for other characters
lore_other_trigger = it is not for turns of the kind "{ $trigger }"
lore_waits_for_others = it waits to be called by other entries (level { $level }), and none did
lore_not_by_entries = its key "{ $key }" is only in other entries, and those may not call it
lore_roll = its draw failed ({ $rolled } of 100, it has a chance of { $chance } %)
lore_group = "{ $winner }" was taken from the group "{ $group }"
lore_group_served = the group "{ $group }" was served before
lore_budget = no room: with it the lore would take { $needed } of { $limit } tokens
lore_left_out = it was called up, but did not come into the prompt; `/context` says why
lore_empty = nothing is left of its text
lore_no_outlet = its place is the outlet "{ $outlet }", which nothing opens
lore_in_newest = the newest message ({ $speaker })
lore_in_message = message { $back } from the end ({ $speaker })
lore_in_card = the card's { $field }
lore_in_entry = the entry "{ $name }"
# At the end of a list that is too long.
lore_more = … and { $rest } more lines; `/context` has all of them.

## Remembering and forgetting

# Parts of a list: "12 messages of yours, 1 answer to you and 3 noted facts".
plan_messages =
    { $count ->
        [one] 1 message of yours
       *[other] { $count } messages of yours
    }
plan_replies =
    { $count ->
        [one] 1 answer to you
       *[other] { $count } answers to you
    }
plan_facts =
    { $count ->
        [one] 1 noted fact
       *[other] { $count } noted facts
    }
plan_notes =
    { $count ->
        [one] 1 whole note
       *[other] { $count } whole notes
    }
plan_unread =
    { $count ->
        [one] 1 answer of a model that could not be read
       *[other] { $count } answers of a model that could not be read
    }
plan_traces =
    { $count ->
        [one] 1 other trace of you (such as a reaction)
       *[other] { $count } other traces of you (such as reactions)
    }
plan_transcripts =
    { $count ->
        [one] 1 message of a transcript
       *[other] { $count } messages of transcripts
    }
# Where there is nothing of that.
plan_name = your name
forget_plan_nothing = { $familiar } remembers nothing of yours that fits.
forget_plan = { $familiar } would forget { $plan }. Your words go from its memory, its summaries and its records, on this server and everywhere else; other people's words stay.
forget_plan_transcripts = Transcripts of calls with words of yours are looked through: messages of them that hold these words are deleted, and those that cannot be read. They do not come back.
forget_plan_transcripts_go = Messages of transcripts are deleted and do not come back.
forget_plan_copies = What was forgotten of it before can still be taken back. **{ forget_for_good }** destroys that copy too.
forget_plan_ends = {"**"}{ forget }** can be taken back with `/forget undo` for seven days. **{ forget_for_good }** keeps no copy.
forget_plan_facts = Noted facts among it that may be shown here:
forget_plan_facts_more = …and { $count } more, not shown here
# Nothing is remembered of it, and what was written down is looked through.
transcripts_searched = { $familiar } remembers nothing of yours that fits. Messages with transcripts of calls that hold these words are being deleted.
# The buttons below it.
forget = Forget
forget_for_good = Forget for good
keep = Keep
nothing_to_forget = { $familiar } has nothing of yours that fits. `/memory` shows what it knows about you here.
forgotten = { $familiar } has forgotten { $plan }. `/forget undo` takes it back for seven days.
forgotten_transcripts = { $familiar } has forgotten { $plan }. `/forget undo` takes it back for seven days. Transcripts of calls do not come back.
forgotten_for_good = { $familiar } has forgotten { $plan } for good.
forgotten_copies_for_good = What { $familiar } had forgotten is gone for good: it cannot be taken back any more.
forgotten_all_for_good = { $familiar } has forgotten { $plan } for good, and what was forgotten of it before cannot be taken back any more.
kept = Nothing was forgotten.
# A wish was taken back.
undone = It is back: { $plan }. { $familiar } sums up older conversations anew; records of its replies stay gone.
undone_transcripts = It is back: { $plan }. { $familiar } sums up older conversations anew; records of its replies and transcripts of calls stay gone.
nothing_to_undo = There is nothing that could be taken back: nothing was forgotten for you in the last seven days, or it was for good.
# Above a list, and below it.
known_facts = What { $familiar } knows about you and may say here:
known_fact =
    { $is_past ->
        [yes] - { $words } (no longer) · *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = …and { $count } more; name words with `/memory about` to see others.
known_facts_end = Choose one to correct or forget it. What you told it elsewhere is shown there.
# A fact as it is noted, where it says one of the things that people plainly say of themselves. $what: what of theirs, such as a cat.
noted_fact =
    { $slot ->
        [name] { $who } goes by { $value }.
        [home] { $who } lives in { $value }.
        [origin] { $who } is from { $value }.
        [birthday] { $who }'s birthday is { $value }.
        [allergy] { $who } is allergic to { $value }.
        [favourite] { $who }'s favourite { $what } is { $value }.
        [called] { $who }'s { $what } is called { $value }.
        [work-as] { $who } works as { $value }.
        [work-at] { $who } works at { $value }.
        [work-for] { $who } works for { $value }.
        [pronouns] { $who }'s pronouns are { $value }.
        [time-zone] { $who }'s time zone is { $value }.
       *[diet] { $who } is { $value }.
    }
nothing_known = { $familiar } has noted nothing about you that may be seen here. What you said and did not have forgotten is remembered all the same; `/forget me` forgets it.
nothing_with_these_words = { $familiar } has noted nothing about you with these words that may be seen here. Without them `/memory` shows what there is: { $others }.
# Over the choice of a fact.
choose_fact = Correct or forget one of them
# One fact, with what can be done about it.
one_fact =
    > { $words }
    -# { $learnt }
    Forgetting it also removes your messages it was learnt from, and what was answered to them.
# The button that opens the form; the form's title, and the label of its field: at most 45 characters.
correct = Correct
correct_title = What is right?
correct_label = One sentence, with your name in it
# The fact is gone by now.
fact_gone = That is no longer noted. `/memory` shows what is.
corrected =
    { $familiar } now knows:
    > { $words }
not_corrected = That was not changed: it says the same, or the note was edited meanwhile. Try `/memory` again.
# Where, when, from whom and from what it was learnt: "learnt on the server, 1 March 2026; you said so; from 2 messages".
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] noted by whoever runs this bot
        [Guild] learnt on the server
        [Private] learnt in a closed channel
        [Restricted] learnt in this channel
        [Dm] learnt here, alone with you
       *[Shared] learnt alone with you, and shared with places you paired
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] , { $on }
    }
learnt_by =
    { $by ->
        [You] ; you said so
        [Other] ; <@{ $teller }> said so
        [Familiar] ; its own words
       *[Unknown] {""}
    }
learnt_from =
    { $from ->
        [messages] { learnt_from_messages }
        [notes] { learnt_from_notes }
       *[none] {""}
    }
learnt_from_messages =
    { $count ->
        [one] ; from one message
       *[other] ; from { $count } messages
    }
learnt_from_notes =
    { $count ->
        [one] ; from one lesson of a session
       *[other] ; from { $count } lessons of sessions
    }

## Pairing

pair_code =
    { $from ->
        [alone] Your code: **{ $code }**. Give it with `/pair code:{ $code }` within { $minutes } minutes; it works once. Give it on a server, and I may know you there as I do here; or in a direct message from another account of yours, and I take the two for one person. Show it to nobody: who gives it counts as you.
       *[server] Your code: **{ $code }**. Give it with `/pair code:{ $code }` within { $minutes } minutes; it works once. Give it in a direct message with me, and I may know you here as I do there. Show it to nobody: who gives it counts as you.
    }
paired = Paired. { paired_what } What you told me before stays where it was, unless you use `/pair-past`. `/unpair` ends it.
paired_what =
    { $what ->
        [accounts] From now on, what you tell me alone from either account I know when I am alone with the other.
        [this_server] From now on, what you tell me in direct messages may come up on this server, whoever reads along.
       *[that_server] From now on, what you tell me here may come up on that server, whoever reads along.
    }
pair_asked = This code is from <@{ $other }>. Is that another account of yours? Then I take the two for one person: what you tell me alone from one, I know when I am alone with the other. If somebody else gave you the code, they would learn all that you tell me alone.
pair_is_mine = It is mine
pair_not_mine = It is not mine
not_paired = Nothing was paired.
paired_with = You are paired with { $ends }; `/unpair` ends it.
paired_server = a server
pair_refused =
    { $why ->
        [NotHere] Nothing can be paired here.
        [Wrong] That code does not work here. Codes last ten minutes and work once; get a new one with `/pair`.
        [TooManyTries] Too many wrong codes. Wait { $minutes } minutes, then try again.
        [SamePlace] You asked for that code right here. Give it in the other place.
        [OptedOut] You opted out, so nothing of yours may be kept, and no pairing either. `/privacy` lets you take part again.
        [Already] These two are paired already, or one of them with somebody else. `/unpair` ends it.
       *[TooMany] You have paired as many places as I can keep. `/unpair` one of them first.
    }
# `/pair-past` outside a direct message.
past_only_alone = Use `/pair-past` in a direct message with me: it is about what you told me there.
past_nothing = There is nothing to share: no place is paired, or every paired place knows it already. Use `/pair` first.
past_shared = What you told me here so far may now come up in { $places }, where you paired. `/unpair` takes it back from there.
past_servers =
    { $count ->
        [one] 1 server
       *[other] { $count } servers
    }
past_accounts =
    { $count ->
        [one] 1 direct conversation
       *[other] { $count } direct conversations
    }
unpaired =
    { $was_paired ->
        [yes] Unpaired. What you tell me alone is for us alone again, and what you shared is not used here any more. What I already said in front of others stays said.
       *[no] You have paired nothing with this place.
    }

## Who somebody is in play

# A persona, inside the sentences below.
persona =
    { $description ->
        [none] **{ $name }**.
       *[other] **{ $name }**: { $description }
    }
persona_set =
    Here you now play { $persona }
    People who talk here may learn it from the replies. `/persona clear` ends it.
persona_set_everywhere =
    Wherever you have set no other, you now play { $persona }
    People who talk here may learn it from the replies. `/persona clear everywhere:True` ends it.
no_persona =
    { $why ->
        [Nameless] That cannot be: a persona needs a name.
        [LongName] That cannot be: a persona's name has at most { $name_chars } characters.
        [Taken] That cannot be: somebody else is called that here, or the character is.
       *[LongDescription] That cannot be: what is told about a persona has at most { $chars } characters.
    }
too_many_personas = You have a persona in as many places as are allowed. Clear one with `/persona clear` there, or set one for everywhere.
persona_yourself = You are yourself here. `/persona set` makes you somebody else in play.
persona_here = Here you play { $persona }
persona_elsewhere = Elsewhere you play { $persona }
persona_cleared =
    { $was_set ->
        [yes] It is cleared. You are yourself here.
       *[no] There was none to clear. You are yourself here.
    }
persona_cleared_still =
    { $was_set ->
        [yes] It is cleared. Here you play { $persona }
       *[no] There was none to clear. Here you play { $persona }
    }
persona_clear_everywhere = `/persona clear everywhere:True` ends that.

## Privacy

# Buttons.
copy_of_mine = Copy of my data
opt_out = Opt out …
take_part = Take part again
opt_out_and_forget = Opt out and forget
opt_out_for_good = Opt out and forget for good
not_now = Not now
privacy_nothing = { $familiar } has stored nothing of yours yet.
privacy_stored = { $familiar } has stored { $plan }, on the machine of whoever runs it.
# Behind one of these two.
privacy =
    { $stored } What a reply needs of it goes to the model that writes the reply; what you say in calls and in voice messages that you show it goes to the recogniser. Your direct messages are told to nobody else.
    `/memory` shows and corrects what is noted about you, `/forget` takes things back.
    {"**"}{ copy_of_mine }** gives you your messages, notes, reminders and personas as a file. **{ opt_out }** ends all of it: nothing you write, say or react with is read, stored or sent from then on, on any server.
# The question before somebody opts out.
opting_out =
    { $familiar } would no longer read, store or send anything of yours, in text and in calls, on every server and in direct messages, and could not answer you.{ opting_out_now } What others say about you are their words, and stay. `/privacy` lets you take part again.
    {"**"}{ opt_out_and_forget }** keeps a sealed copy for seven days, which `/forget undo` brings back once you take part again. **{ opt_out_for_good }** keeps none.
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] {" "}What is stored is forgotten now: { $plan }.
    }
# $forgotten: a sentence of the ones above.
opted_out = { $familiar } reads nothing of yours from now on. { $forgotten }
stays_out = You opted out: { $familiar } reads, stores and sends nothing of yours. All that is kept is your account's number, on the list of those who opted out.
takes_part = { $familiar } reads you again from now on. What you wrote in between was not read and stays so.
# Somebody who has opted out speaks to it, or wants to be heard in a call.
opted_out_hint = -# You opted out, so { $familiar } did not read that. `/privacy` lets you take part again.
# Somebody who has opted out wants back what was forgotten.
undo_while_opted_out = You opted out: { $familiar } may store nothing of yours. `/privacy` lets you take part again; then it can come back.
copied =
    { $is_all ->
        [yes] Here is your copy. It has { $messages } messages of yours, all of them, the notes and reminders that may be seen here, and your personas. Ask for it in a direct message to have the notes and reminders of there.
       *[no] Here is your copy. It has { $messages } messages of yours, the newest; whoever runs this bot has the rest, the notes and reminders that may be seen here, and your personas. Ask for it in a direct message to have the notes and reminders of there.
    }

## Learning from what people do with its replies

# Buttons, at most 80 characters: under `/privacy`, and under `/memory` for whoever may.
let_learn = Let it learn
end_learning = Stop learning
unlearn = Forget what was learnt here
# In `/privacy`: that it may learn, or could.
learns = { $familiar } learns from what you do with its replies; `/memory` shows what came of it, and your copy has what was counted. **{ end_learning }** ends that and lets go of it.
learns_not = **{ let_learn }** lets { $familiar } count what you do with its replies: reactions, wanting another one, correcting, deleting or talking over it, and whether you take it up when it joins in. It then joins in sooner or later there, answers shorter or longer, and uses some tools more or less. Counts, never your words; no model is trained.
lets_learn = { $familiar } learns from now on from what you do with its replies, on every server and alone with you. `/memory` shows what came of it where you are, `/privacy` ends it.
# So many responses are gone.
ends_learning =
    { $responses ->
        [0] { $familiar } no longer learns from what you do with its replies.
       *[other] { $familiar } no longer learns from what you do with its replies. What it had counted of yours is gone ({ $responses }).
    }
unlearned =
    { $responses ->
        [0] { $familiar } has learnt nothing here.
       *[other] { $familiar } has let go of what it learnt here ({ $responses }).
    }
# In `/memory`. $came: what came of it, some of the lines below.
learned =
    { $counted ->
        [one] -# What { $familiar } learnt here from what people did with its replies (1 response): { $came }.
       *[other] -# What { $familiar } learnt here from what people did with its replies ({ $counted } responses): { $came }.
    }
learned_nothing = not enough to change anything yet
# $hours: none, or some of the next.
learned_waits = before it joins in it waits for { $percent } % of the usual number of messages{ $hours }
learned_hours = , from { $from } to { $to } o'clock { $percent } %
learned_shorter = its answers are to be shorter
learned_longer = its answers are to be longer
# $tools: their names with percentages.
learned_tools = it uses some tools more or less readily: { $tools }

## Reminders

# Over the choice under `/reminders`.
choose_reminder = Cancel one …
reminders_none = { $familiar } keeps no reminders of yours that may be seen here.
reminders_own = { $familiar } keeps for you:
reminders_rituals = { $familiar } announces to everybody in the channel:
reminders_others = { $familiar } keeps for others what they asked for in this channel, which you manage:
reminders_more = … and { $count } more
reminder_open = still open
# $again: nothing, or how often.
reminder_line =
    { $again ->
        [none] - { $when }: { $words }
       *[other] - { $when }, { $again }: { $words }
    }
reminder_for = { $reminder }, for { $asker }
# How often, at what time.
reminder_again =
    { $repeats ->
        [daily] every day at { $time }
        [weekdays] every weekday at { $time }
        [weekly] every { $days } at { $time }
        [monthly] every month on day { $day } at { $time }
       *[yearly] every year on { day_of_year } at { $time }
    }
# Between two days of the week.
weekday_and = {" and "}
day_of_year = { $day } { month }
reminder_cancelled = Cancelled: { $words }
reminder_gone = That one is not there any more.

## Repairing a reply

# In the menu of a message; at most 32 characters.
repair = Repair this reply
another = Another answer
reword = Edit its words
go_on = Continue
delete = Delete it
take_back = Take the exchange back
# Over the form for its words, and over their field.
reword_title = What this reply says
reword_label = Its words
repaired_stands = “{ $words }”
repaired_stands_of = Answer { $standing } of { $all }: “{ $words }”
# $why: in English.
repaired_refused = {"**"}Discord did not take all of it**: { $why }.
repaired_seen = -# What you do here everybody sees, and { $familiar } remembers the reply as it then reads.
repaired_gone =
    { $left ->
        [0] That is gone, and { $familiar } remembers nothing of it.
        [one] The reply is gone. Your own message before it I may not take away: delete it yourself, and { $familiar } forgets it too.
       *[other] The reply is gone. Your own messages before it I may not take away: delete them yourself, and { $familiar } forgets them too.
    }
repaired_goes_on = { $familiar } goes on.
repaired_not_newest = Something has been said here since: only the last reply can be continued.
repaired_not_known = That is no written reply that { $familiar } remembers.
repaired_not_theirs = That reply answers somebody else. Whoever it answers can repair it, and whoever has { -manage-channels } here.
repaired_no_other = There is no other answer that way.
repaired_busy = { $familiar } is answering something just now. Press again in a moment.
repaired_too_much = That is more than I can answer at once. Give me a minute.
repaired_no_answer = No other answer came; the one that stands is as it was.
# Why not: a clause without a full stop.
not_put =
    { $why ->
        [NotTaken] I am just going down
        [NotWrittenDown] it could not be written down
        [IsFile] part of it is a file, which takes no other words: delete it, and ask again
        [Unfit] it is not for everybody who may read there
        [NotManaging] others read along there, and for other words you need { -manage-channels }
        [Forbidden] I may not write there any more
        [Refused] that cannot be posted
       *[Failed] Discord could not be reached, or did not take it
    }
repaired_unchanged = Nothing was changed: { $why }.
# A form has room for so many letters.
too_long_to_reword = That reply is longer than the { $most } characters that a form of Discord's holds.

## Asking before something is done

yes = Yes
no = No
may_i =
    <@{ $who }>, shall I { $what }?
    -# Only you can answer, within two minutes.
may_i_after_others =
    <@{ $who }>, shall I { $what }?
    -# I have just read what others wrote, so I ask first. Only you can answer, within two minutes.
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> said yes: { $what }.
        [Declined] -# <@{ $who }> said no, so I did not { $what }.
        [Unanswered] -# <@{ $who }> did not answer in time, so I did not { $what }.
       *[Unwanted] -# That is no longer wanted, so I did not { $what }.
    }
# What is asked about, as in "shall I pin your message?" In the other languages it stands behind a colon or by itself.
do_connected = have { $program } do "{ $tool }" with { $arguments }
do_react = put { $emoji } under { $message }
do_poll =
    { $several ->
        [yes] open a poll for { $hours } h: “{ $question }” ({ $answers }, of which people may choose several)
       *[no] open a poll for { $hours } h: “{ $question }” ({ $answers })
    }
do_pin = pin { $message }
do_thread = open the thread “{ $name }”
do_thread_under = open the thread “{ $name }” under { $message }
do_offer_to_forget = show a button that forgets what people said
do_join_call = come into your call and listen to you there
do_leave_call = leave the call
do_play_sound = play the sound “{ $name }” in the call
do_remind = remind you of “{ $words }” ({ $when }{ $again })
do_announce = announce “{ $words }” to everybody here ({ $when }{ $again })
# Behind when something comes.
and_again =
    { $every ->
        [Daily] , every day
        [Weekdays] , every weekday
        [Weekly] , every week
        [Monthly] , every month
        [Yearly] , every year
       *[none] {""}
    }
do_timer = set a timer of { $span }
do_timer_for = set a timer of { $span } for “{ $label }”
timer_span =
    { $form ->
        [seconds] { $seconds } s
        [minutes] { $minutes } min
       *[both] { $minutes } min { $seconds } s
    }
do_keep_in_mind = keep in mind “{ $words }”
do_cancel = cancel the reminder “{ $words }”
do_close = note that “{ $words }” is done with
do_better_mood = let my mood become better
do_worse_mood = let my mood become worse
do_note = note “{ $words }”
do_note_about = note “{ $words }” about “{ $about }”
do_open_page = open { $address }
do_open_picture = open the picture at { $address }
do_make_picture = make and post a picture: { $words }
meant_message =
    { $whose ->
        [Theirs] your message “{ $words }”
        [Own] my message “{ $words }”
        [Of] the message of { $whom }: “{ $words }”
       *[Asked] your message
    }
# Somebody pressed who is not asked.
not_yours_to_answer = That is for somebody else to answer.
answered_already = That has been answered already.
too_late_to_answer = -# It is too late to answer this. If it has not been done, ask me again.

## Calls

# Whom it hears, where there is nobody.
nobody_yet = nobody yet
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } is in this call and listens to { $heard }.** It hears everybody who has read this and does not press **{ decline }**. { becomes_text }{ written_here }; no sound is kept. `/unsubscribe-voice` ends it, `/forget me` has it forget what you said.
       *[no] **{ $familiar } is in this call and listens to { $heard }.** Others are not listened to unless they press **{ agree }**. { becomes_text }{ written_here }; no sound is kept. `/unsubscribe-voice` ends it, `/forget me` has it forget what you said.
    }
# To those who came later.
newcomers =
    { $everybody ->
        [yes] { $who }: **{ $familiar } is in this call and listens.** It hears you from now on unless you press **{ decline }**. { becomes_text }{ written_here }; no sound is kept. `/forget me` has it forget what you said.
       *[no] { $who }: **{ $familiar } is in this call and listens.** It does not listen to you unless you press **{ agree }**, and **{ decline }** ends that. { becomes_text }{ written_here }; no sound is kept. `/forget me` has it forget what you said.
    }
# Inside these two: what becomes of sound.
becomes_text =
    { $by ->
        [here] What it hears stays on its own machine, where { $recogniser } makes text of it that it may remember
        [somewhere_here] What it hears stays on its own machine, where it becomes text that it may remember
        [elsewhere] What it hears is sent to { $recogniser }, which makes text of it that it may remember
        [somewhere_else] What it hears is sent to a speech server of its owner's, which makes text of it that it may remember
       *[unknown] What it hears becomes text that it may remember
    }
written_here =
    { $transcript ->
        [yes] , and what people say who press **{ agree }** or called it in is written into this chat for all who can read it
       *[no] {""}
    }
# Under the channel's name; at most 500 characters.
channel_status = { $familiar } is here and listens; to whom, it says in the chat
# The buttons to agree and to decline; at most 80 characters.
agree = Hear me
decline = Do not hear me
# `/subscribe-my-voice` by somebody who is in no call.
join_a_call_first = You are in no voice channel that I can see. Join one, then use this command again.
# $grace: as in "20 seconds".
called_in = { $familiar } is in <#{ $call }> and listens to you. It follows you to other calls of this server and leaves { $grace } after you. End it with `/unsubscribe-voice`.
# How long it is patient.
seconds =
    { $count ->
        [one] 1 second
       *[other] { $count } seconds
    }
hears_you_too = { $familiar } hears you now too. Press **{ decline }** under its notice in the call's chat to end that.
hears_you_already = { $familiar } is in your call and hears you already.
# It is in another call of the server, with people.
is_elsewhere = { $familiar } is with others in <#{ $call }>, and can be in one call per server. Join them, or wait.
lacks_permissions =
    { $count ->
        [one] I cannot join <#{ $call }> yet: I lack { $missing }. Give my role this permission in the channel's permissions, then try again.
       *[other] I cannot join <#{ $call }> yet: I lack { $missing }. Give my role these permissions in the channel's permissions, then try again.
    }
call_is_full = <#{ $call }> is full. Raise its user limit or make room, then try again.
no_stages = <#{ $call }> is a stage; I can only talk in voice channels.
unknown_call = I cannot see that voice channel. Give my role { -view-channel } there, then try again.
# $why: in English, here and below.
not_joined = I could not join <#{ $call }>: { $why }. Try again in a minute.
no_calls = Calls are switched off here. Whoever runs this bot can switch them on.
# Only who manages channels may have everybody heard.
everybody_needs_manage_channels = To have everybody heard you need { -manage-channels } in <#{ $call }>. Without `everybody` it listens to you alone.
every_call_needs_everybody = `every_call` keeps what `everybody` says: set `everybody` to True or False as well.
every_call_needs_manage_server = To say what holds in every call of this server you need { -manage-server }. Without `every_call` it holds in this call.
everybody_in_every_call = From now on { $familiar } hears everybody in every call of this server who was told so and does not decline. `/subscribe-my-voice everybody:False every_call:True` ends that.
nobody_unasked = In every call of this server { $familiar } hears only who agrees.
call_ended = { $familiar } has left the call.
# `/unsubscribe-voice` by somebody who did not call it in, or the button.
hears_you_no_longer = { $familiar } does not listen to you any more. Whoever called it in, or somebody with { -manage-channels }, can make it leave.
does_not_hear_you = { $familiar } does not listen to you.
in_no_call = { $familiar } is in no call on this server.
# Whom it was with has left.
left_behind = -# { $familiar } has left: whoever called it in is gone. `/subscribe-my-voice` brings it back.
left_alone = -# { $familiar } has left: nobody was here. `/subscribe-my-voice` brings it back.
left_quiet = -# { $familiar } has left: nobody said anything for { $quiet }. `/subscribe-my-voice` brings it back.
# The connection is gone and does not come back.
gave_up = -# { $familiar } has lost the call: { $why }. `/subscribe-my-voice` brings it back.
# It was to follow somebody where it may not go. $why: a sentence of these.
cannot_follow = -# { $familiar } stays here and cannot come to <#{ $call }>. { $why }
# Nothing of what is said can be decrypted.
deaf = -# { $familiar } could not make out what was said and connects again. What was said just now is lost.
still_deaf = -# { $familiar } still cannot make out <@{ $user }>. It may help to leave the call and to come back.
# Somebody speaks, and Discord does not say who.
unplaced = -# { $familiar } gets sound from somebody it cannot place, and connects again. What they said just now is lost.
still_unplaced = -# { $familiar } still gets sound from somebody it cannot place, and does not listen to it. Whoever speaks and is not heard: leave the call and come back.
hears_nothing = -# I can speak here but not hear: { $why }. Write to me in this chat.
misses_words = -# I could not make out what was said just now: { $why }. Say it again in a moment, or write to me in this chat.
hears_again = -# I can hear again.
has_no_voice = -# I can hear here but not speak: { $why }. I answer in this chat.
speaks_again = -# I can speak again.
# One person is not heard for now, or is answered in writing.
not_heard = -# <@{ $who }>, I can't hear you for now: { $why }. Write to me in this chat.
not_spoken_to = -# <@{ $who }>, I'll answer you in this chat for now: { $why }.
# A line of `/status`.
call_state = In call <#{ $call }>: hears { call_people }; packets: { $taken } taken, { $refused } refused unheard{ call_unplaced }, { $lost } lost
call_people =
    { $heard ->
        [0] nobody
        [one] 1 person
       *[other] { $heard } people
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] , { $unplaced } from an unknown speaker
    }
transcript_heading = -# What was said. `/forget me` takes your words out.
# People in a list: "@a, @b and 3 more".
and_more = { $named } and { $count } more

## Commands and their options, as Discord shows them to whoever types one; at most 100 characters each

command_subscribe-text = Read this channel and its threads, and answer when spoken to
command_unsubscribe-text = Stop reading this channel
command_channel = Another channel or forum; this one if left out
command_subscribe-my-voice = Join the call I am in and listen to me; in a call it is in already, listen to me too
command_subscribe-my-voice_everybody = Listen to everybody who does not decline; needs { -manage-channels }
command_subscribe-my-voice_every_call = Keep `everybody` so for every call on this server; needs { -manage-server }
command_unsubscribe-voice = Leave the call, or where somebody else called it in, listen to me no longer
command_quiet = Here and in this server's call, speak only when spoken to
command_quiet_minutes = For so many minutes; until /wake if left out
command_wake = Here and in this server's call, join in again
command_speak-first = Let it begin to speak here by itself, about days and birthdays it was told of
command_speak-first_on = Whether it may
command_speak-first_newcomers = Greet here, once, whoever is new on the server
command_channel-full-rp = Write long, novel-style replies in this channel
command_channel-text-conversation-rp = Write a couple of short lines, as in a chat room, in this channel
command_channel-imitate-voice = Write one or two short sentences, as if spoken, in this channel
command_channel-backdrop = Say what is going on in this channel
command_reset = Begin the conversation here anew; what was said before stays remembered
command_branch = Go on in a thread of its own, which knows what was said here before
command_branch_name = What the thread is called
command_profile = Its card's picture and name on Discord; what it is called on this server
command_profile_picture = The card's picture, everywhere on Discord; for whoever runs the bot
command_profile_name = The card's name, everywhere on Discord; for whoever runs the bot
command_profile_nickname = What it is called on this server
command_profile_nickname_name = The card's name if left out
command_memory = What is noted about you, as far as it may be seen here
command_memory_about = Only what holds these words
command_reminders = What you asked to be reminded of, as far as it may be seen here; cancel it
command_forget = What you said here and elsewhere, and what is noted of it
command_forget_me = Everything you ever said, and everything noted about you
command_forget_what = What you said that holds certain words, and what is noted of it
command_forget_what_words = Words; your messages and facts that hold all of them go
command_forget_undo = Take the last one back, within seven days
command_privacy = What is stored about you and who gets it; a copy of it, and opting out
command_context = Why it said what it said: the record of one of your own turns
command_context_turn = A turn of yours, like t42; your last one here if left out
command_context_why = Words: was it told them, did it leave them out, or not look them up?
command_lore = World lore: what was called up, and why
command_lore_why = Which lore your last turn here called up, and why; or why one entry did or did not
command_lore_why_entry = An entry; everything that was called up if left out
command_greet = Say one of the character's greetings
command_greet_number = Which greeting; the first if left out
command_pair = Link your direct messages with this server, or with another account of yours
command_pair_code = The code you were given elsewhere; without one you get one
command_pair-past = Let what you told it before pairing be known where you paired, too
command_unpair = End what you paired with this place
command_persona = Who you are in play, here or everywhere
command_persona_set = Say who you are; whoever talks here with it may learn that
command_persona_set_name = What you are called in play
command_persona_set_description = Who that is, in your own words
command_persona_set_everywhere = Wherever you have set no other; just here if left out
command_persona_show = Who you are here, and everywhere else
command_persona_clear = Be yourself again
command_persona_clear_everywhere = The one that holds everywhere; the one here if left out
command_status = How it is, and how it writes here
command_help = What this bot does and which commands it has
