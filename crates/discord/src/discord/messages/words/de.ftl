# Was das Programm selbst auf Discord sagt, auf Deutsch. Wofür die Sätze da sind, steht in en.ftl.

## Discords eigene Namen

-manage-channels = Kanäle verwalten
-manage-server = Server verwalten
-manage-nicknames = Nicknamen verwalten
-view-channel = Kanal ansehen
-apps = Apps
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] Nachrichten senden
        [Send_Messages_in_Threads] Nachrichten in Threads senden
        [Read_Message_History] Nachrichtenverlauf anzeigen
        [Connect] Verbinden
        [Speak] Sprechen
        [Create_Public_Threads] Öffentliche Threads erstellen
        [Change_Nickname] Nickname ändern
       *[other] { $as_it_is }
    }

## Aufzählungen und Daten

list_comma = {", "}
list_and = {" und "}

date = { $day }. { month } { $year }
month =
    { $month ->
        [1] Januar
        [2] Februar
        [3] März
        [4] April
        [5] Mai
        [6] Juni
        [7] Juli
        [8] August
        [9] September
        [10] Oktober
        [11] November
       *[12] Dezember
    }
weekday =
    { $weekday ->
        [1] Montag
        [2] Dienstag
        [3] Mittwoch
        [4] Donnerstag
        [5] Freitag
        [6] Samstag
       *[7] Sonntag
    }

## Was schiefging, im Kanal

model_failure =
    { $class ->
        [RateLimited] Gerade zu viele Anfragen ans Modell. Versuch es in einer Minute noch mal.
        [Server] Der Anbieter des Modells hat Probleme. Versuch es in einer Minute noch mal.
        [Network] Das Modell war nicht erreichbar. Versuch es in einer Minute noch mal.
        [BrokeOff] Die Antwort ist mittendrin abgebrochen. Versuch es noch mal.
        [Timeout] Das Modell hat zu lange gebraucht. Versuch es noch mal.
        [ModelMissing] Das eingestellte Modell gibt es nicht. Sag dem Betreiber des Bots Bescheid.
        [Authentication] Der Schlüssel fürs Modell wurde abgelehnt. Sag dem Betreiber des Bots Bescheid.
        [KeyMissing] Das Modell braucht einen Schlüssel, und keiner ist gesetzt. Sag dem Betreiber Bescheid.
        [Quota] Das Guthaben fürs Modell ist aufgebraucht. Sag dem Betreiber des Bots Bescheid.
        [ContextLength] Das ist mehr, als das Modell liest. Der Betreiber muss `context_window` setzen.
        [ContentFilter] Der Anbieter des Modells hat das abgelehnt. Versuch, es anders zu sagen.
        [Malformed] Die Antwort des Modells war nicht lesbar. Versuch es noch mal.
        [Empty] Vom Modell kam keine Antwort, die sich zeigen lässt. Versuch es noch mal, oder sag es anders.
        [WebPage] Statt einer Antwort kam eine Webseite. Sag dem Betreiber des Bots Bescheid.
        [BadRequest] Das Modell hat die Anfrage abgelehnt. Sag dem Betreiber des Bots Bescheid.
        [CostCap] Das Budget für heute ist aufgebraucht. Um Mitternacht (UTC) geht es weiter.
        [TokenCap] Das Budget für heute ist aufgebraucht. Um Mitternacht (UTC) geht es weiter.
       *[Cancelled] Diese Antwort wurde abgebrochen.
    }
notice_model_failed = -# { model_failure } ({ $turn })
notice_try_later = -# Gerade zu viele Anfragen ans Modell. Versuch es in { $wait } noch mal. ({ $turn })
notice_not_stored = -# Das konnte ich mir nicht aufschreiben, deshalb habe ich nicht geantwortet. Sag dem Betreiber des Bots Bescheid. ({ $turn })
notice_too_much_at_once = -# Das ist mehr, als ich auf einmal beantworten kann. Gib mir eine Minute; was du schreibst, lese ich trotzdem.
notice_cut_short = -# Länger darf eine Antwort von mir nicht sein. Bitte mich weiterzumachen, dann kommt der Rest. ({ $turn })
notice_kept_back = -# Was ich sagen wollte, ist nicht für alle, die hier mitlesen können; ich behalte es für mich. Frag mich anders. ({ $turn })
notice_keeps_quiet = -# Ab jetzt rede ich nur, wenn man mich anspricht. `/wake` beendet das, oder sag mir, dass ich wieder reden darf.
notice_joins_in_again = -# Ich darf wieder mitreden. `/quiet` beendet das.
notice_message_too_long = -# Diese Nachricht ist mir zu lang: Sie hat { $tokens } Tokens, und { $fits } passen. Schick sie in Teilen. ({ $turn })
notice_prompt_too_large = -# Die Figur ist zu groß für ihr Modell. Sag dem Betreiber des Bots Bescheid. ({ $turn })

## Lesen und nicht lesen

dm_refused = { $familiar } liest Direktnachrichten nur von Leuten, die auf einem Server sind, auf dem mitgelesen wird, und von denen auf der Liste. Deine wurde also nicht gelesen. Schreib auf so einem Server, oder bitte den Betreiber des Bots, deine ID `{ $account }` in `dm_allowlist` einzutragen.
subscribed = { $familiar } liest jetzt <#{ $channel }> und die Threads darin. Mit `/unsubscribe-text` hört das auf.
begins_to_read = -# { $familiar } liest ab jetzt diesen Kanal und seine Threads und merkt sich, was hier gesagt wird. `/help` sagt mehr, `/privacy`, was von dir gespeichert ist; dort kannst du auch widersprechen.
begins_alone = -# { $familiar } merkt sich, was du hier schreibst. `/help` sagt mehr, `/privacy`, was von dir gespeichert ist; dort kannst du auch widersprechen.
does_not_read = -# { $familiar } liest diesen Kanal nicht, also auch das eben nicht. Mit `/subscribe-text` hier ändert sich das.
keeps_quiet = { $familiar } redet nur noch, wenn man es anspricht. `/wake` beendet das; in einem Anruf endet es mit dem Anruf.
keeps_quiet_for = { $familiar } redet für { $span } nur, wenn man es anspricht. `/wake` beendet das; in einem Anruf endet es mit dem Anruf.
joins_in_again = { $familiar } darf wieder mitreden. `/quiet` beendet das.
was_not_quiet = { $familiar } sollte hier gar nicht still sein.
not_let_in = { $familiar } ist hier nicht für dich da; das entscheidet der Betreiber des Bots. `/privacy` zeigt, was von dir gespeichert ist, und `/forget` löscht es.
reset = Das Gespräch hier fängt neu an: { $familiar } hat nicht mehr vor Augen, was vorher gesagt wurde. Gemerkt bleibt es und kann wieder einfallen, wenn die Rede darauf kommt; was ganz verschwinden soll, löscht `/forget`.
undo_reset = Rückgängig machen
reset_undone = { $familiar } hat wieder vor Augen, was vorher gesagt wurde.
reset_since = Das Gespräch wurde seitdem noch einmal neu begonnen, also bleibt es so.
nothing_to_reset = Hier wurde nichts gesagt, was man hinter sich lassen könnte.
alone_it_answers = In Direktnachrichten ist sonst niemand da, für den es still sein könnte.
not_here_and_in_no_call = { $familiar } liest diesen Kanal nicht und ist auf diesem Server in keinem Anruf.
how_to_forget = -# Soll etwas endgültig vergessen werden: `/forget what` löscht, was du mit bestimmten Wörtern gesagt hast, `/forget me` alles; `/memory` zeigt, was über dich notiert ist.
forget_me = Alles von mir vergessen …
already_subscribed = { $familiar } liest <#{ $channel }> schon. Mit `/unsubscribe-text` hört das auf.
dm_needs_no_subscription = Direktnachrichten muss man nicht abonnieren. Benutze den Befehl auf einem Server.
unsubscribed = { $familiar } liest <#{ $channel }> nicht mehr. Mit `/subscribe-text` geht es wieder los.
not_subscribed = { $familiar } liest <#{ $channel }> nicht. Mit `/subscribe-text` geht es los.
bot_lacks_permissions =
    { $count ->
        [one] In <#{ $channel }> kann ich noch nicht reden: Mir fehlt { $missing }. Gib meiner Rolle dieses Recht in den Kanalberechtigungen und versuch es noch mal.
       *[other] In <#{ $channel }> kann ich noch nicht reden: Mir fehlen { $missing }. Gib meiner Rolle diese Rechte in den Kanalberechtigungen und versuch es noch mal.
    }
unknown_place = Ich kann diesen Kanal nicht sehen. Gib meiner Rolle hier { -view-channel } und versuch es noch mal.
needs_manage_channels = Dafür brauchst du in <#{ $channel }> das Recht { -manage-channels }. Frag jemanden, der es hat.

## Wie es schreibt, und was los ist

mode_set = <#{ $channel }> ist jetzt im Modus { mode_name }: { mode_words }
mode_name =
    { $mode ->
        [FullRp] Rollenspiel
        [TextConversationRp] Chat
       *[ImitateVoice] wie gesprochen
    }
mode_words =
    { $mode ->
        [FullRp] lange Antworten wie im Roman, in der dritten Person.
        [TextConversationRp] wie im Chat, ein paar kurze Zeilen.
       *[ImitateVoice] ein oder zwei kurze Sätze, wie gesprochen.
    }
backdrop_title = Was in diesem Kanal los ist
backdrop_label = Was ist hier los? (leer: nichts Besonderes)
backdrop_placeholder = Ein Gasthaus am Kreuzweg, spät am Abend. Draußen regnet es.
backdrop_set = Die Kulisse von <#{ $channel }> steht ({ $chars } Zeichen). Sie gilt ab der nächsten Antwort.
backdrop_cleared = <#{ $channel }> hat keine Kulisse mehr.
greeted = Begrüßung gesagt.
greet_needs_subscription = { $familiar } liest diesen Kanal nicht. Benutze zuerst `/subscribe-text`.
no_such_greeting =
    { $have ->
        [0] Auf der Karte steht keine Begrüßung.
        [1] Auf der Karte steht eine Begrüßung: Benutze `/greet` ohne Zahl.
       *[other] Auf der Karte stehen { $have } Begrüßungen: Nimm eine Zahl von 1 bis { $have }.
    }
speaks_first_no = { $familiar } redet hier ab jetzt nur, nachdem jemand anders etwas gesagt hat.
speaks_first_nowhere = { $familiar } darf hier von selbst anfangen zu reden; der Betreiber des Bots hat aber eingestellt, dass das nirgends geschieht.
speaks_first_yes =
    { $per_day ->
        [one] { $familiar } darf hier von selbst anfangen zu reden, über Tage und Geburtstage, von denen man ihm erzählt hat: zwischen { $from_hour }:00 und { $to_hour }:00 Uhr, höchstens einmal am Tag, und nie ein zweites Mal, bevor jemand geantwortet hat. `/speak-first on:False` beendet das.
       *[other] { $familiar } darf hier von selbst anfangen zu reden, über Tage und Geburtstage, von denen man ihm erzählt hat: zwischen { $from_hour }:00 und { $to_hour }:00 Uhr, höchstens { $per_day }-mal am Tag, und nie ein zweites Mal, bevor jemand geantwortet hat. `/speak-first on:False` beendet das.
    }
greets_newcomers_yes = { $familiar } begrüßt hier einmal, wer neu auf diesem Server ist, außer im Schlaf und wenn Ruhe sein soll.
greets_newcomers_no = { $familiar } begrüßt hier keine Neuen.
does_not_speak_first = { $familiar } liest hier nicht, sagt hier also auch nichts. Mit `/subscribe-text` ändert sich das.

## Was eine Runde getan hat

no_turn_yet = Hier gibt es noch nichts, was sich dir erklären ließe. Sag erst etwas, dann frag noch mal.
no_such_turn = Es gibt keine Runde `{ $given }`, an der du beteiligt warst. Lass sie weg, um deine letzte zu sehen.
context_attached = Runde { $turn }: { $summary } Wie es dazu kam, steht in der Datei im Anhang; nur du siehst sie.
outcome_replied =
    { $messages ->
        [one] in 1 Nachricht geantwortet.
       *[other] in { $messages } Nachrichten geantwortet.
    }
outcome_silent = geschwiegen, denn { silence }.
silence =
    { $reason ->
        [OnlyWhenAddressed] niemand hat es angesprochen, und von selbst redet es hier nicht mit
        [AddressedToSomeoneElse] die Nachricht galt jemand anderem
        [FromBot] Bots bekommen keine Antwort
        [NotStored] die Nachricht ließ sich nicht speichern
        [SaidMeanwhile] das wurde gesagt, während das Programm nicht lief
        [EnoughForNow] Fremde bekommen nur eine bestimmte Zahl von Antworten, und die ist fürs Erste erreicht
        [TooMuchAtOnce] es wurde mehr gefragt, als die Grenzen gerade zulassen
        [SomebodyInDistress] hier geht es jemandem sehr schlecht, deshalb redet es nur, wenn man es anspricht
        [Asleep] es schläft, und niemand hat es angesprochen
        [ToldToBeQuiet] es sollte still sein
        [KeptQuiet] es soll hier bis { $until } still sein
        [KeptQuietUntilWoken] es soll hier bis `/wake` still sein
        [FoundNothingToSay] es fand, dass nichts zu sagen war
        [Reacted] das Emoji unter einer Nachricht ist die Antwort
        [WaitsForTheRest] das klang noch nicht fertig, und es wartet auf den Rest
       *[NotAddressed] niemand hat es angesprochen ({ $count } von { $threshold } Nachrichten, bis es mitredet)
    }
outcome_undelivered =
    { $messages ->
        [0] die Antwort ließ sich nicht posten.
        [one] von der Antwort ließ sich nur 1 Nachricht posten.
       *[other] von der Antwort ließen sich nur { $messages } Nachrichten posten.
    }
outcome_cancelled =
    { $messages ->
        [0] abgebrochen, bevor etwas gesagt war: { cancelled_because }.
        [one] nach 1 Nachricht abgebrochen: { cancelled_because }.
       *[other] nach { $messages } Nachrichten abgebrochen: { cancelled_because }.
    }
cancelled_because =
    { $reason ->
        [Superseded] vorher kam noch etwas dazu
        [Interrupted] dazwischen hat jemand etwas gesagt
        [StoppedByHand] jemand hat es angehalten
        [Withdrawn] die Nachricht wurde gelöscht
        [Shutdown] das Programm wurde beendet
       *[Killed] das Programm wurde gewaltsam beendet
    }
turn_of_another_place = Runde { $turn } war in einem anderen Kanal. Frag dort: Lesen darf sie nur, wer den Kanal sehen kann.
why_attached = Was Runde { $turn } mit diesen Wörtern gemacht hat, hängt an; nur du siehst das.

## `/status` und `/help`

status_up = Läuft seit { $uptime }, Modell: { $model }
status_here =
    { $here ->
       *[NotRead] Dieser Kanal: wird nicht gelesen (`/subscribe-text`)
        [Read] Dieser Kanal: wird gelesen{ in_mode }
        [ThroughParent] Dieser Thread: wird mit seinem Kanal gelesen{ in_mode }
        [Dm] Direktnachrichten: werden gelesen{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] , Modus { mode_name }
    }
status_quiet =
    { $until ->
        [wake] Hier spreche ich bis `/wake` nur, wenn man mich anspricht
       *[other] Hier spreche ich bis <t:{ $until }:f> nur, wenn man mich anspricht
    }
status_mute = Ich darf in diesem Kanal nicht schreiben
status_subscriptions = Gelesene Kanäle auf diesem Server: { $count }
status_early = In Anrufen früh begonnene Antworten: { $begun }, davon gegeben: { $given }
status_last_reply = Die letzte Antwort hier hat { $seconds } s gebraucht
status_budget = Budget heute: { $spent } $ von { $cap } $
status_spent = Heute ausgegeben: { $spent } $, ohne Grenze
status_cap = Budget: { $cap } $ am Tag
status_unpriced = Tokens heute, deren Preis nicht bekannt ist: { $used }
status_unpriced_of = Tokens heute, deren Preis nicht bekannt ist: { $used } von { $cap }
help =
    {"**"}{ $familiar }** liest die abonnierten Kanäle und antwortet, wenn man es anspricht: mit Namen, Erwähnung oder Antwort. Ab und zu redet es von selbst mit. Wer eine Nachricht bearbeitet oder löscht, ändert, was es davon weiß.

    Für alle:
    `/memory` — was es über dich notiert hat und hier sagen darf; berichtigen oder vergessen lassen
    `/reminders` — woran du erinnert werden willst, und absagen
    `/forget me`, `/forget what` — vergessen lassen, was du gesagt hast, überall; `/forget undo` nimmt das zurück
    `/privacy` — was von dir gespeichert ist, eine Kopie davon, und widersprechen
    `/context` — warum es auf deine letzte Nachricht so geantwortet hat
    `/lore why` — welches Weltwissen deine letzte Runde aufgerufen hat, und warum
    `/greet` — eine seiner Begrüßungen sagen lassen
    `/pair`, `/pair-past`, `/unpair` — anderswo so bekannt sein wie in Direktnachrichten, oder nicht mehr
    `/persona` — wer du im Rollenspiel bist, hier oder überall
    `/status` — wie es ihm geht, und wie es hier schreibt
    `/branch`, *{ -apps } → { branch }* — das Gespräch geht in einem eigenen Thread weiter
    {"*"}{ -apps } → { repair }* auf einer Antwort an dich — eine andere, andere Worte oder keine
    `/subscribe-my-voice`, `/unsubscribe-voice` — zu deinem Anruf kommen und dir zuhören, oder aufhören
    `/quiet`, `/wake` — hier und im Anruf des Servers nur reden, wenn man es anspricht, oder wieder mitreden

    Mit { -manage-channels }:
    `/subscribe-text`, `/unsubscribe-text` — diesen oder einen anderen Kanal oder ein Forum lesen, oder aufhören
    `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — wie es hier schreibt
    `/channel-backdrop` — was hier los ist
    `/reset` — das Gespräch hier neu beginnen; gemerkt bleibt, was gesagt wurde
    `/speak-first` — hier von selbst zu reden anfangen dürfen, oder nicht mehr

    Mit { -manage-nicknames }:
    `/profile nickname` — wie es auf diesem Server heißt

    Antworten auf Befehle sieht nur, wer sie benutzt hat.

## Was bei einem Befehl schiefging

command_failed = Das hat nicht geklappt: { $what }. Passiert es noch mal, sag dem Betreiber des Bots Bescheid.
failed_settings =
    { $why ->
        [Full] die Einstellungen ließen sich nicht speichern, weil die Festplatte voll ist: Der Betreiber des Bots muss dort Platz schaffen
        [Locked] die Einstellungen ließen sich nicht speichern, weil ich auf die Festplatte nicht schreiben darf: Der Betreiber des Bots muss es mir erlauben
       *[none] die Einstellungen ließen sich nicht speichern
    }
failed_history = das Gesagte ließ sich nicht durchsuchen
failed_pairing = die Verknüpfung ließ sich nicht festhalten
failed_trace = die Aufzeichnung dieser Runde ließ sich nicht lesen
failed_forget = es ist noch nicht alles vergessen; der Rest geht beim nächsten Start
failed_notes = die Notizen ließen sich nicht lesen
command_broke = Das hat nicht geklappt. Warum, steht im Protokoll; passiert es noch mal, sag dem Betreiber des Bots Bescheid.

## Wie es ihm geht

branch = In einem Thread weiterreden
branched = Der Thread ist offen: <#{ $thread }>. Was hier davor gesagt wurde, ist dort bekannt.
not_done =
    { $why ->
        [BotLacks] Das darf ich hier nicht. Mir fehlt: { $missing }. Wer den Server verwaltet, kann es meiner Rolle geben.
        [AskerLacks] Das tue ich nur für Leute, die es hier selbst dürfen. Dir fehlt: { $missing }.
        [AskerUnseen] Ich kann gerade nicht sehen, was du hier darfst. Versuch es gleich noch mal.
        [NoThreadsHere] Threads lassen sich nur in Textkanälen eines Servers öffnen.
        [Late] Discord hat nicht rechtzeitig geantwortet. Versuch es gleich noch mal.
        [MessageGone] Diese Nachricht gibt es nicht mehr.
        [HasThread] Diese Nachricht hat schon einen Thread.
        [Locked] Dieser Thread ist gesperrt.
        [ChannelGone] Diesen Kanal gibt es nicht mehr.
        [NotAccepted] Discord lässt den Bot nicht mehr zu. Sag dem Betreiber des Bots Bescheid.
        [Closed] Das darf ich hier nicht.
       *[Said] Discord hat das abgelehnt: „{ $words }“
    }
branches_not_here = { $familiar } liest hier nicht, also kann hier nichts weitergehen. Mit `/subscribe-text` ändert sich das.
asleep = schläft
asleep_doing = schläft, { $doing }
busy = beschäftigt
mood =
    { $mood ->
        [elated] überglücklich
        [happy] glücklich
        [cheerful] fröhlich
        [content] zufrieden
        [angry] wütend
        [downcast] niedergeschlagen
        [irritated] gereizt
        [a_little_low] etwas bedrückt
        [lively] aufgekratzt
       *[drowsy] schläfrig
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } schläft bis { $until }{ doing }. Wer { $familiar } anspricht, bekommt trotzdem eine Antwort.
        [Busy] { $familiar } ist bis { $until } beschäftigt{ doing }.{ in_mood }
       *[Awake] { $familiar } ist wach und da{ doing }.{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] : { $doing }
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] {" "}Stimmung: { mood }.
    }
profile_changed =
    { $what ->
        [Picture] Das Bild der Karte ist jetzt überall auf Discord zu sehen.
        [Name] Der Name der Karte gilt jetzt überall auf Discord.
       *[Nickname] So heißt es jetzt auf diesem Server.
    }
profile_refused = Discord hat das nicht angenommen: „{ $why }“. Bilder und Namen lassen sich nur ein paarmal pro Stunde ändern.
profile_is_the_operators = Bild und Name sind auf jedem Server gleich, deshalb ändert sie nur der Betreiber des Bots: die Leute in `discord.operators`. Für diesen Server gibt es `/profile nickname`.
no_picture = Die Karte von { $familiar } hat kein lesbares Bild: `memory/self/assets/avatar.png`.
picture_too_large = Das Bild der Karte ist größer als die 10 MiB, die Discord annimmt.
name_does_not_fit = Discord nimmt Namen von 2 bis 32 Zeichen, und „{ $name }“ hat { $chars }.
nicknames_are_of_servers = Anders heißen kann es nur auf Servern.
needs_manage_nicknames = Dafür brauchst du hier das Recht { -manage-nicknames }.

## `/lore why`

no_lore = Runde { $turn } hatte kein Lorebook zum Durchsehen. Der Betreiber des Bots kann mit `familiar lore import` eins hinzufügen.
no_such_entry = Kein Lore-Eintrag heißt „{ $given }“. Lass ihn weg, um zu sehen, was aufgerufen wurde.
lore_called_up =
    { $fired ->
        [0] Runde { $turn } hat keinen von { $all } Lore-Einträgen aufgerufen.
       *[other] Runde { $turn } hat { $fired } von { $all } Lore-Einträgen aufgerufen:
    }
lore_not_called_up = Nicht aufgerufen:
lore_rest = { $rest } weitere hatten nichts damit zu tun. `/lore why entry:` sagt etwas über einen davon.
lore_in_turn = In Runde { $turn }:
lore_entry =
    { $fired ->
        [yes] - **{ $name }** ({ $book }) wurde aufgerufen: { $why }{ lore_how_much }
       *[no] - **{ $name }** ({ $book }) wurde nicht aufgerufen: { $why }{ lore_how_much }
    }
lore_line = - **{ $name }**: { $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] ; nur der erste Satz hatte Platz
        [Paragraph] ; nur der erste Absatz hatte Platz
       *[Full] {""}
    }
lore_constant = immer an
lore_by_text = sein Text sagt @@{ $by }
lore_key = der Schlüssel „{ $key }“ steht in { $at }
lore_key_and_filter = der Schlüssel „{ $key }“ steht in { $at }, und sein Filter „{ $filter }“ passt dazu
lore_lasts =
    { $what ->
        [Sticky] er bleibt noch { lore_messages }
        [Delay] er wartet noch { lore_messages }
       *[Cooldown] er ruht noch { lore_messages }
    }
lore_messages =
    { $left ->
        [one] 1 Nachricht
       *[other] { $left } Nachrichten
    }
lore_latched = sein Schlüssel kam schon einmal vor, und das genügt ihm
lore_retrieved = er handelt von dem, was gesagt wurde (Wertung { $score })
lore_no_key_found = keiner seiner Schlüssel steht in dem, was gelesen wurde
lore_no_keys = er hat keine Schlüssel und ist nicht immer an
lore_filter_keys = der Schlüssel „{ $key }“ ist da, aber seine Filter sagen Nein ({ lore_rule })
lore_rule =
    { $logic ->
        [and_all] alle müssen da sein
        [not_all] einer muss fehlen
        [not_any] keiner darf da sein
       *[and_any] einer muss da sein
    }
lore_disabled = er ist abgeschaltet
lore_other_character = er ist für andere Charaktere
lore_other_trigger = er ist nicht für Antworten der Art „{ $trigger }“
lore_waits_for_others = er wartet darauf, dass andere Einträge ihn aufrufen (Stufe { $level }), und keiner tat es
lore_not_by_entries = sein Schlüssel „{ $key }“ steht nur in anderen Einträgen, und die dürfen ihn nicht aufrufen
lore_roll = er wurde nicht ausgelost ({ $rolled } von 100, seine Chance ist { $chance } %)
lore_group = „{ $winner }“ wurde aus der Gruppe „{ $group }“ genommen
lore_group_served = die Gruppe „{ $group }“ war schon bedient
lore_budget = kein Platz: mit ihm nähme die Lore { $needed } von { $limit } Tokens ein
lore_left_out = er wurde aufgerufen, kam aber nicht in den Prompt; `/context` sagt, warum
lore_empty = von seinem Text bleibt nichts übrig
lore_no_outlet = sein Platz ist das Outlet „{ $outlet }“, das nichts öffnet
lore_in_newest = der neuesten Nachricht ({ $speaker })
lore_in_message = Nachricht { $back } von hinten ({ $speaker })
lore_in_card = der Karte, Feld { $field }
lore_in_entry = dem Eintrag „{ $name }“
lore_more = … und { $rest } weitere Zeilen; `/context` hat sie alle.

## Erinnern und vergessen

plan_messages =
    { $count ->
        [one] 1 Nachricht von dir
       *[other] { $count } Nachrichten von dir
    }
plan_replies =
    { $count ->
        [one] 1 Antwort darauf
       *[other] { $count } Antworten darauf
    }
plan_facts =
    { $count ->
        [one] 1 notierte Tatsache
       *[other] { $count } notierte Tatsachen
    }
plan_notes =
    { $count ->
        [one] 1 ganze Notiz
       *[other] { $count } ganze Notizen
    }
plan_unread =
    { $count ->
        [one] 1 unlesbare Antwort eines Modells
       *[other] { $count } unlesbare Antworten eines Modells
    }
plan_traces =
    { $count ->
        [one] 1 andere Spur von dir (etwa eine Reaktion)
       *[other] { $count } andere Spuren von dir (etwa Reaktionen)
    }
plan_transcripts =
    { $count ->
        [one] 1 Nachricht mit einer Mitschrift
       *[other] { $count } Nachrichten mit Mitschriften
    }
plan_name = dein Name
forget_plan_nothing = { $familiar } weiß nichts von dir, worauf das passt.
forget_plan = Das würde { $familiar } vergessen: { $plan }. Deine Worte verschwinden aus Gedächtnis, Zusammenfassungen und Aufzeichnungen, auf diesem Server und überall sonst; was andere gesagt haben, bleibt.
forget_plan_transcripts = Mitschriften von Anrufen, in denen du vorkommst, werden durchgesehen: Nachrichten, in denen diese Wörter stehen, werden gelöscht, und solche, die sich nicht lesen lassen. Sie kommen nicht wieder.
forget_plan_transcripts_go = Nachrichten mit Mitschriften werden gelöscht und kommen nicht wieder.
forget_plan_copies = Was davon früher vergessen wurde, lässt sich noch zurückholen. **{ forget_for_good }** vernichtet auch diese Kopie.
forget_plan_ends = {"**"}{ forget }** lässt sich sieben Tage lang mit `/forget undo` zurücknehmen. **{ forget_for_good }** behält keine Kopie.
forget_plan_facts = Notiertes darunter, das hier gezeigt werden darf:
forget_plan_facts_more = … und { $count } weitere, die hier nicht gezeigt werden
transcripts_searched = { $familiar } weiß nichts von dir, worauf das passt. Nachrichten mit Mitschriften von Anrufen, in denen diese Wörter stehen, werden gerade gelöscht.
forget = Vergessen
forget_for_good = Endgültig vergessen
keep = Behalten
nothing_to_forget = { $familiar } hat nichts von dir, worauf das passt. `/memory` zeigt, was hier über dich bekannt ist.
forgotten = { $familiar } hat vergessen: { $plan }. Sieben Tage lang nimmt `/forget undo` das zurück.
forgotten_transcripts = { $familiar } hat vergessen: { $plan }. Sieben Tage lang nimmt `/forget undo` das zurück. Mitschriften von Anrufen kommen nicht wieder.
forgotten_for_good = { $familiar } hat endgültig vergessen: { $plan }.
forgotten_copies_for_good = Was { $familiar } vergessen hatte, ist endgültig weg und lässt sich nicht mehr zurückholen.
forgotten_all_for_good = { $familiar } hat endgültig vergessen: { $plan }. Auch was davon früher vergessen wurde, lässt sich nicht mehr zurückholen.
kept = Es wurde nichts vergessen.
undone = Es ist wieder da: { $plan }. { $familiar } fasst ältere Gespräche neu zusammen; Aufzeichnungen der eigenen Antworten bleiben weg.
undone_transcripts = Es ist wieder da: { $plan }. { $familiar } fasst ältere Gespräche neu zusammen; Aufzeichnungen der eigenen Antworten und Mitschriften von Anrufen bleiben weg.
nothing_to_undo = Es gibt nichts zurückzuholen: In den letzten sieben Tagen wurde für dich nichts vergessen, oder es war endgültig.
known_facts = Was { $familiar } über dich weiß und hier sagen darf:
known_fact =
    { $is_past ->
        [yes] - { $words } (nicht mehr) · *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = … und { $count } weitere; mit `/memory about` und Wörtern daraus siehst du andere.
known_facts_end = Wähle etwas aus, um es zu berichtigen oder vergessen zu lassen. Was du anderswo erzählt hast, wird dort gezeigt.
noted_fact =
    { $slot ->
        [name] { $who } nennt sich { $value }.
        [home] { $who } wohnt in { $value }.
        [origin] { $who } kommt aus { $value }.
        [birthday] Geburtstag von { $who }: { $value }.
        [allergy] { $who } ist allergisch gegen { $value }.
        [favourite] Am liebsten mag { $who } ({ $what }): { $value }.
        [called] Name ({ $what } von { $who }): { $value }.
        [work-as] { $who } arbeitet als { $value }.
        [work-at] { $who } arbeitet bei { $value }.
        [work-for] { $who } arbeitet für { $value }.
        [pronouns] Pronomen von { $who }: { $value }.
        [time-zone] Zeitzone von { $who }: { $value }.
       *[diet] { $who } ist { $value }.
    }
nothing_known = { $familiar } hat über dich nichts notiert, was hier gezeigt werden darf. Was du gesagt hast und nicht vergessen ließest, ist trotzdem gemerkt; `/forget me` lässt es vergessen.
nothing_with_these_words = { $familiar } hat über dich nichts mit diesen Worten notiert, was hier gezeigt werden darf. Ohne sie zeigt `/memory`, was da ist: { $others }.
choose_fact = Etwas davon berichtigen oder vergessen lassen
one_fact =
    > { $words }
    -# { $learnt }
    Wird es vergessen, gehen auch deine Nachrichten, aus denen es stammt, und die Antworten darauf.
correct = Berichtigen
correct_title = Was stimmt?
correct_label = Ein Satz, in dem dein Name steht
fact_gone = Das ist nicht mehr notiert. `/memory` zeigt, was noch notiert ist.
corrected =
    { $familiar } weiß jetzt:
    > { $words }
not_corrected = Das wurde nicht geändert: Es steht schon so da, oder die Notiz wurde inzwischen bearbeitet. Versuch es noch mal mit `/memory`.
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] vom Betreiber des Bots notiert
        [Guild] auf dem Server erfahren
        [Private] in einem geschlossenen Kanal erfahren
        [Restricted] in diesem Kanal erfahren
        [Dm] hier erfahren, mit dir allein
       *[Shared] mit dir allein erfahren und an Orte weitergegeben, die du verknüpft hast
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] , { $on }
    }
learnt_by =
    { $by ->
        [You] ; das hast du gesagt
        [Other] ; das hat <@{ $teller }> gesagt
        [Familiar] ; eigene Worte
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
        [one] ; aus einer Nachricht
       *[other] ; aus { $count } Nachrichten
    }
learnt_from_notes =
    { $count ->
        [one] ; aus einer Erkenntnis aus einem Gespräch
       *[other] ; aus { $count } Erkenntnissen aus Gesprächen
    }

## Verknüpfen

pair_code =
    { $from ->
        [alone] Dein Code: **{ $code }**. Gib ihn innerhalb von { $minutes } Minuten mit `/pair code:{ $code }` ein; er gilt einmal. Gibst du ihn auf einem Server ein, darf ich dich dort kennen wie hier; gibst du ihn in einer Direktnachricht von einem anderen Konto von dir ein, halte ich beide für eine Person. Zeig ihn niemandem: Wer ihn eingibt, gilt als du.
       *[server] Dein Code: **{ $code }**. Gib ihn innerhalb von { $minutes } Minuten mit `/pair code:{ $code }` ein; er gilt einmal. Gibst du ihn in einer Direktnachricht an mich ein, darf ich dich hier kennen wie dort. Zeig ihn niemandem: Wer ihn eingibt, gilt als du.
    }
paired = Verknüpft. { paired_what } Was du mir vorher erzählt hast, bleibt, wo es war, außer du benutzt `/pair-past`. `/unpair` beendet die Verknüpfung.
paired_what =
    { $what ->
        [accounts] Was du mir ab jetzt von einem der beiden Konten allein erzählst, weiß ich auch, wenn ich mit dem anderen allein bin.
        [this_server] Was du mir ab jetzt in Direktnachrichten erzählst, kann auf diesem Server zur Sprache kommen, egal wer mitliest.
       *[that_server] Was du mir ab jetzt hier erzählst, kann auf jenem Server zur Sprache kommen, egal wer mitliest.
    }
pair_asked = Dieser Code ist von <@{ $other }>. Ist das ein anderes Konto von dir? Dann halte ich beide für einen Menschen: Was du mir vom einen aus allein erzählst, weiß ich, wenn ich mit dem anderen allein bin. Hat dir jemand anders den Code gegeben, erführe er alles, was du mir allein erzählst.
pair_is_mine = Es ist meins
pair_not_mine = Es ist nicht meins
not_paired = Es wurde nichts verknüpft.
paired_with = Du bist verknüpft mit { $ends }; `/unpair` beendet das.
paired_server = einem Server
pair_refused =
    { $why ->
        [NotHere] Hier lässt sich nichts verknüpfen.
        [Wrong] Dieser Code gilt hier nicht. Codes gelten zehn Minuten und einmal; einen neuen bekommst du mit `/pair`.
        [TooManyTries] Zu viele falsche Codes. Warte { $minutes } Minuten und versuch es dann noch mal.
        [SamePlace] Den Code hast du genau hier geholt. Gib ihn am anderen Ort ein.
        [OptedOut] Du hast widersprochen, also darf nichts von dir gespeichert werden, auch keine Verknüpfung. Mit `/privacy` kannst du wieder mitmachen.
        [Already] Diese beiden sind schon verknüpft, oder einer davon mit jemand anderem. `/unpair` beendet das.
       *[TooMany] Mehr Orte kann ich nicht verknüpft halten. Löse erst einen mit `/unpair`.
    }
past_only_alone = Benutze `/pair-past` in einer Direktnachricht an mich: Es geht um das, was du mir dort erzählt hast.
past_nothing = Es gibt nichts weiterzugeben: Nichts ist verknüpft, was es nicht schon weiß. Benutze zuerst `/pair`.
past_shared = Was du mir hier bisher erzählt hast, kann jetzt auch dort zur Sprache kommen, wo du verknüpft hast: { $places }. `/unpair` nimmt es von dort zurück.
past_servers =
    { $count ->
        [one] 1 Server
       *[other] { $count } Server
    }
past_accounts =
    { $count ->
        [one] 1 direktes Gespräch
       *[other] { $count } direkte Gespräche
    }
unpaired =
    { $was_paired ->
        [yes] Verknüpfung gelöst. Was du mir allein erzählst, bleibt wieder unter uns, und was du weitergegeben hast, wird hier nicht mehr benutzt. Was ich vor anderen schon gesagt habe, ist gesagt.
       *[no] Mit diesem Ort hast du nichts verknüpft.
    }

## Wer jemand im Rollenspiel ist

persona =
    { $description ->
        [none] **{ $name }**.
       *[other] **{ $name }**: { $description }
    }
persona_set =
    Hier bist du jetzt { $persona }
    Wer hier mitredet, kann es aus den Antworten erfahren. `/persona clear` beendet es.
persona_set_everywhere =
    Überall, wo du keine andere festgelegt hast, bist du jetzt { $persona }
    Wer hier mitredet, kann es aus den Antworten erfahren. `/persona clear everywhere:True` beendet es.
no_persona =
    { $why ->
        [Nameless] Das geht nicht: Eine Persona braucht einen Namen.
        [LongName] Das geht nicht: Der Name einer Persona hat höchstens { $name_chars } Zeichen.
        [Taken] Das geht nicht: So heißt hier schon jemand anders oder die Figur selbst.
       *[LongDescription] Das geht nicht: Was über eine Persona gesagt wird, hat höchstens { $chars } Zeichen.
    }
too_many_personas = Du hast schon an so vielen Orten eine Persona wie erlaubt. Lösche eine, indem du dort `/persona clear` eingibst, oder leg eine für überall fest.
persona_yourself = Hier bist du du selbst. Mit `/persona set` bist du im Rollenspiel jemand anders.
persona_here = Hier bist du { $persona }
persona_elsewhere = Anderswo bist du { $persona }
persona_cleared =
    { $was_set ->
        [yes] Gelöscht. Hier bist du du selbst.
       *[no] Es gab keine zu löschen. Hier bist du du selbst.
    }
persona_cleared_still =
    { $was_set ->
        [yes] Gelöscht. Hier bist du { $persona }
       *[no] Es gab keine zu löschen. Hier bist du { $persona }
    }
persona_clear_everywhere = `/persona clear everywhere:True` beendet das.

## Privates

copy_of_mine = Kopie meiner Daten
opt_out = Widersprechen …
take_part = Wieder mitmachen
opt_out_and_forget = Widersprechen und vergessen
opt_out_for_good = Widersprechen und endgültig vergessen
not_now = Jetzt nicht
privacy_nothing = { $familiar } hat von dir noch nichts gespeichert.
privacy_stored = { $familiar } hat von dir gespeichert: { $plan }. Es liegt auf dem Rechner des Betreibers.
privacy =
    { $stored } Was eine Antwort davon braucht, geht an das Modell, das sie schreibt; was du in Anrufen und in Sprachnachrichten sagst, die du zeigst, geht an die Spracherkennung. Von deinen Direktnachrichten erfährt sonst niemand.
    `/memory` zeigt und berichtigt, was über dich notiert ist, `/forget` löscht, was du gesagt hast.
    {"**"}{ copy_of_mine }** gibt dir deine Nachrichten, Notizen, Erinnerungen und Personas als Datei. **{ opt_out }** beendet alles: Nichts, was du schreibst, sagst oder womit du reagierst, wird ab dann gelesen, gespeichert oder verschickt, auf keinem Server.
opting_out =
    { $familiar } würde nichts mehr von dir lesen, speichern oder verschicken, in Text und Anrufen, auf allen Servern und in Direktnachrichten, und könnte dir nicht antworten.{ opting_out_now } Was andere über dich sagen, sind ihre Worte und bleibt. Mit `/privacy` kannst du wieder mitmachen.
    {"**"}{ opt_out_and_forget }** behält sieben Tage lang eine versiegelte Kopie, die `/forget undo` zurückholt, sobald du wieder mitmachst. **{ opt_out_for_good }** behält keine.
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] {" "}Was gespeichert ist, wird jetzt vergessen: { $plan }.
    }
opted_out = { $familiar } liest ab jetzt nichts mehr von dir. { $forgotten }
stays_out = Du hast widersprochen: { $familiar } liest, speichert und verschickt nichts von dir. Dafür steht dein Konto auf einer Liste, sonst nichts.
takes_part = { $familiar } liest ab jetzt wieder mit. Was du dazwischen geschrieben hast, wurde nicht gelesen, und dabei bleibt es.
opted_out_hint = -# Du hast widersprochen, deshalb hat { $familiar } das nicht gelesen. Mit `/privacy` kannst du wieder mitmachen.
undo_while_opted_out = Du hast widersprochen: { $familiar } darf nichts von dir speichern. Mit `/privacy` kannst du wieder mitmachen, dann kann es zurückkommen.
copied =
    { $is_all ->
        [yes] Hier ist deine Kopie. Darin sind { $messages } Nachrichten von dir, und zwar alle, die Notizen und Erinnerungen, die hier zu sehen sein dürfen, und deine Personas. Frag in einer Direktnachricht danach, um die Notizen und Erinnerungen von dort zu bekommen.
       *[no] Hier ist deine Kopie. Darin sind { $messages } Nachrichten von dir, die neuesten (den Rest hat der Betreiber des Bots), die Notizen und Erinnerungen, die hier zu sehen sein dürfen, und deine Personas. Frag in einer Direktnachricht danach, um die Notizen und Erinnerungen von dort zu bekommen.
    }

## Lernen aus dem, was mit den Antworten gemacht wird

let_learn = Lernen lassen
end_learning = Lernen beenden
unlearn = Hier Gelerntes vergessen
learns = { $familiar } lernt aus dem, was du mit den Antworten machst; `/memory` zeigt, was dabei herauskam, deine Kopie, was gezählt wurde. **{ end_learning }** beendet das und löscht es.
learns_not = Mit **{ let_learn }** darf { $familiar } zählen, was du mit den Antworten machst: Reaktionen, eine andere verlangen, berichtigen, löschen, hineinreden, und ob du darauf eingehst, wenn es von selbst mitredet. Danach redet es dort früher oder später mit, antwortet kürzer oder länger und greift eher oder seltener zu einem Werkzeug. Gezählt wird, was du tust, nie deine Worte; kein Modell wird trainiert.
lets_learn = { $familiar } lernt ab jetzt aus dem, was du mit den Antworten machst, auf jedem Server und allein mit dir. `/memory` zeigt, was dort dabei herauskam, `/privacy` beendet es.
ends_learning =
    { $responses ->
        [0] { $familiar } lernt nicht mehr aus dem, was du mit den Antworten machst.
       *[other] { $familiar } lernt nicht mehr aus dem, was du mit den Antworten machst. Was von dir gezählt war, ist weg ({ $responses }).
    }
unlearned =
    { $responses ->
        [0] { $familiar } hat hier nichts gelernt.
       *[other] { $familiar } hat vergessen, was hier gelernt wurde ({ $responses }).
    }
learned =
    { $counted ->
        [one] -# Was { $familiar } hier daraus gelernt hat, was Leute mit den Antworten gemacht haben (1 Mal gezählt): { $came }.
       *[other] -# Was { $familiar } hier daraus gelernt hat, was Leute mit den Antworten gemacht haben ({ $counted } Mal gezählt): { $came }.
    }
learned_nothing = noch nicht genug, um etwas zu ändern
learned_waits = bevor es mitredet, wartet es { $percent } % der üblichen Zahl von Nachrichten ab{ $hours }
learned_hours = , von { $from } bis { $to } Uhr { $percent } %
learned_shorter = die Antworten sollen kürzer sein
learned_longer = die Antworten sollen länger sein
learned_tools = manche Werkzeuge wiegen mehr oder weniger: { $tools }

## Erinnerungen

choose_reminder = Eine absagen …
reminders_none = { $familiar } hat keine Erinnerungen von dir, die hier zu sehen sein dürfen.
reminders_own = { $familiar } merkt sich für dich:
reminders_rituals = { $familiar } sagt allen im Kanal an:
reminders_others = { $familiar } merkt sich für andere, worum sie in diesem Kanal gebeten haben, den du verwaltest:
reminders_more = … und { $count } weitere
reminder_open = noch offen
reminder_line =
    { $again ->
        [none] - { $when }: { $words }
       *[other] - { $when }, { $again }: { $words }
    }
reminder_for = { $reminder }, für { $asker }
reminder_again =
    { $repeats ->
        [daily] jeden Tag um { $time }
        [weekdays] werktags um { $time }
        [weekly] jeden { $days } um { $time }
        [monthly] jeden Monat am { $day }. um { $time }
       *[yearly] jedes Jahr am { day_of_year } um { $time }
    }
weekday_and = {" und "}
day_of_year = { $day }. { month }
reminder_cancelled = Abgesagt: { $words }
reminder_gone = Die gibt es nicht mehr.

## Eine Antwort nachbessern

repair = Diese Antwort nachbessern
another = Andere Antwort
reword = Wortlaut ändern
go_on = Fortsetzen
delete = Löschen
take_back = Frage und Antwort zurücknehmen
reword_title = Was diese Antwort sagt
reword_label = Ihr Wortlaut
repaired_stands = „{ $words }“
repaired_stands_of = Antwort { $standing } von { $all }: „{ $words }“
repaired_refused = {"**"}Discord hat nicht alles davon angenommen**: { $why }.
repaired_seen = -# Was du hier tust, sehen alle, und { $familiar } merkt sich die Antwort so, wie sie dann dasteht.
repaired_gone =
    { $left ->
        [0] Das ist weg, und { $familiar } weiß nichts mehr davon.
        [one] Die Antwort ist weg. Deine eigene Nachricht davor darf ich nicht löschen: Lösch sie selbst, dann vergisst { $familiar } sie auch.
       *[other] Die Antwort ist weg. Deine eigenen Nachrichten davor darf ich nicht löschen: Lösch sie selbst, dann vergisst { $familiar } sie auch.
    }
repaired_goes_on = { $familiar } macht weiter.
repaired_not_newest = Seitdem wurde hier etwas gesagt: Fortsetzen lässt sich nur die letzte Antwort.
repaired_not_known = Das ist keine geschriebene Antwort, die { $familiar } noch weiß.
repaired_not_theirs = Diese Antwort gilt jemand anderem. Nachbessern kann sie, wem sie gilt, und wer hier { -manage-channels } hat.
repaired_no_other = In dieser Richtung gibt es keine andere Antwort.
repaired_busy = { $familiar } antwortet gerade jemandem. Drück gleich noch mal.
repaired_too_much = Das ist mehr, als ich auf einmal beantworten kann. Gib mir eine Minute.
repaired_no_answer = Es kam keine andere Antwort; die alte steht noch da.
not_put =
    { $why ->
        [NotTaken] ich werde gerade beendet
        [NotWrittenDown] es ließ sich nicht festhalten
        [IsFile] ein Teil davon ist eine Datei, deren Wortlaut sich nicht ändern lässt: lösch die Antwort und frag noch mal
        [Unfit] es ist nicht für alle, die dort mitlesen können
        [NotManaging] dort lesen andere mit, und für einen anderen Wortlaut brauchst du { -manage-channels }
        [Forbidden] ich darf dort nicht mehr schreiben
        [Refused] das lässt sich nicht posten
       *[Failed] Discord war nicht zu erreichen oder hat es nicht angenommen
    }
repaired_unchanged = Es wurde nichts geändert: { $why }.
too_long_to_reword = Diese Antwort ist länger als die { $most } Zeichen, die in ein Formular von Discord passen.

## Fragen, bevor etwas getan wird

yes = Ja
no = Nein
may_i =
    <@{ $who }>, soll ich das tun: { $what }?
    -# Nur du kannst antworten, innerhalb von zwei Minuten.
may_i_after_others =
    <@{ $who }>, soll ich das tun: { $what }?
    -# Ich habe gerade gelesen, was andere geschrieben haben, deshalb frage ich vorher. Nur du kannst antworten, innerhalb von zwei Minuten.
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> hat Ja gesagt: { $what }.
        [Declined] -# <@{ $who }> hat Nein gesagt, also habe ich es gelassen: { $what }.
        [Unanswered] -# <@{ $who }> hat nicht rechtzeitig geantwortet, also habe ich es gelassen: { $what }.
       *[Unwanted] -# Das ist nicht mehr gewünscht, also habe ich es gelassen: { $what }.
    }
do_connected = { $program } „{ $tool }“ ausführen lassen, mit { $arguments }
do_react = { $emoji } unter { $message } setzen
do_poll =
    { $several ->
        [yes] eine Umfrage für { $hours } Std. starten: „{ $question }“ ({ $answers }; mehrere Antworten möglich)
       *[no] eine Umfrage für { $hours } Std. starten: „{ $question }“ ({ $answers })
    }
do_pin = { $message } anpinnen
do_thread = den Thread „{ $name }“ eröffnen
do_thread_under = den Thread „{ $name }“ eröffnen, und zwar unter: { $message }
do_offer_to_forget = einen Knopf zeigen, mit dem sich Gesagtes vergessen lässt
do_join_call = in deinen Anruf kommen und dir dort zuhören
do_leave_call = den Anruf verlassen
do_play_sound = den Sound „{ $name }“ im Anruf abspielen
do_remind = an „{ $words }“ erinnern ({ $when }{ $again })
do_announce = „{ $words }“ hier allen ansagen ({ $when }{ $again })
and_again =
    { $every ->
        [Daily] , jeden Tag
        [Weekdays] , jeden Werktag
        [Weekly] , jede Woche
        [Monthly] , jeden Monat
        [Yearly] , jedes Jahr
       *[none] {""}
    }
do_timer = einen Timer auf { $span } stellen
do_timer_for = einen Timer auf { $span } stellen, für „{ $label }“
timer_span =
    { $form ->
        [seconds] { $seconds } s
        [minutes] { $minutes } min
       *[both] { $minutes } min { $seconds } s
    }
do_keep_in_mind = „{ $words }“ im Hinterkopf behalten
do_cancel = die Erinnerung „{ $words }“ löschen
do_close = vermerken, dass „{ $words }“ erledigt ist
do_better_mood = meine Laune besser werden lassen
do_worse_mood = meine Laune schlechter werden lassen
do_note = „{ $words }“ notieren
do_note_about = „{ $words }“ über „{ $about }“ notieren
do_open_page = { $address } öffnen
do_open_picture = das Bild unter { $address } öffnen
do_make_picture = ein Bild machen und posten: { $words }
meant_message =
    { $whose ->
        [Theirs] deine Nachricht „{ $words }“
        [Own] meine Nachricht „{ $words }“
        [Of] die Nachricht von { $whom } („{ $words }“)
       *[Asked] deine Nachricht
    }
not_yours_to_answer = Das muss jemand anders beantworten.
answered_already = Das ist schon beantwortet.
too_late_to_answer = -# Für eine Antwort ist es zu spät. Wurde es noch nicht getan, bitte mich noch mal darum.

## Anrufe

nobody_yet = noch niemandem
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } ist in diesem Anruf und hört zu: { $heard }.** Zugehört wird allen, die das hier gelesen haben und nicht **{ decline }** drücken. { becomes_text }{ written_here }; Ton wird nicht aufbewahrt. `/unsubscribe-voice` beendet es, `/forget me` lässt vergessen, was du gesagt hast.
       *[no] **{ $familiar } ist in diesem Anruf und hört zu: { $heard }.** Anderen wird nur zugehört, wenn sie **{ agree }** drücken. { becomes_text }{ written_here }; Ton wird nicht aufbewahrt. `/unsubscribe-voice` beendet es, `/forget me` lässt vergessen, was du gesagt hast.
    }
newcomers =
    { $everybody ->
        [yes] { $who }: **{ $familiar } ist in diesem Anruf und hört zu.** Ab jetzt auch dir, außer du drückst **{ decline }**. { becomes_text }{ written_here }; Ton wird nicht aufbewahrt. `/forget me` lässt vergessen, was du gesagt hast.
       *[no] { $who }: **{ $familiar } ist in diesem Anruf und hört zu.** Dir nur, wenn du **{ agree }** drückst, und **{ decline }** beendet das. { becomes_text }{ written_here }; Ton wird nicht aufbewahrt. `/forget me` lässt vergessen, was du gesagt hast.
    }
becomes_text =
    { $by ->
        [here] Was zu hören ist, bleibt auf dem Rechner, auf dem der Bot läuft, wo { $recogniser } Text daraus macht, der gemerkt werden kann
        [somewhere_here] Was zu hören ist, bleibt auf dem Rechner, auf dem der Bot läuft, und wird dort zu Text, der gemerkt werden kann
        [elsewhere] Was zu hören ist, geht an { $recogniser } und wird dort zu Text, der gemerkt werden kann
        [somewhere_else] Was zu hören ist, geht an einen Sprachserver des Betreibers und wird dort zu Text, der gemerkt werden kann
       *[unknown] Was zu hören ist, wird zu Text, der gemerkt werden kann
    }
written_here =
    { $transcript ->
        [yes] , und was diejenigen sagen, die **{ agree }** gedrückt oder es gerufen haben, wird in diesen Chat geschrieben, für alle, die ihn lesen können
       *[no] {""}
    }
channel_status = { $familiar } ist da und hört zu; wem, steht im Chat
agree = Hör mir zu
decline = Hör mir nicht zu
join_a_call_first = Du bist in keinem Sprachkanal, den ich sehen kann. Geh in einen und benutze den Befehl dann noch mal.
called_in = { $familiar } ist in <#{ $call }> und hört dir zu. Es folgt dir in andere Anrufe dieses Servers und geht { $grace } nach dir. Mit `/unsubscribe-voice` beendest du es.
seconds =
    { $count ->
        [one] 1 Sekunde
       *[other] { $count } Sekunden
    }
hears_you_too = { $familiar } hört jetzt auch dir zu. Drück **{ decline }** unter dem Hinweis im Chat des Anrufs, um das zu beenden.
hears_you_already = { $familiar } ist in deinem Anruf und hört dir schon zu.
is_elsewhere = { $familiar } ist mit anderen in <#{ $call }> und kann pro Server nur in einem Anruf sein. Geh dazu, oder warte.
lacks_permissions =
    { $count ->
        [one] In <#{ $call }> kann ich noch nicht kommen: Mir fehlt { $missing }. Gib meiner Rolle dieses Recht in den Kanalberechtigungen und versuch es noch mal.
       *[other] In <#{ $call }> kann ich noch nicht kommen: Mir fehlen { $missing }. Gib meiner Rolle diese Rechte in den Kanalberechtigungen und versuch es noch mal.
    }
call_is_full = <#{ $call }> ist voll. Erhöhe das Nutzerlimit oder mach Platz und versuch es noch mal.
no_stages = <#{ $call }> ist eine Stage; reden kann ich nur in Sprachkanälen.
unknown_call = Ich kann diesen Sprachkanal nicht sehen. Gib meiner Rolle dort { -view-channel } und versuch es noch mal.
not_joined = Ich konnte nicht in <#{ $call }> kommen: { $why }. Versuch es in einer Minute noch mal.
no_calls = Anrufe sind hier ausgeschaltet. Der Betreiber des Bots kann sie einschalten.
everybody_needs_manage_channels = Damit allen zugehört wird, brauchst du { -manage-channels } in <#{ $call }>. Ohne `everybody` wird nur dir zugehört.
every_call_needs_everybody = `every_call` behält, was `everybody` sagt: Setz auch `everybody` auf True oder False.
every_call_needs_manage_server = Um zu bestimmen, was in jedem Anruf dieses Servers gilt, brauchst du { -manage-server }. Ohne `every_call` gilt es in diesem Anruf.
everybody_in_every_call = Ab jetzt hört { $familiar } in jedem Anruf dieses Servers allen zu, denen das gesagt wurde und die nicht ablehnen. `/subscribe-my-voice everybody:False every_call:True` beendet das.
nobody_unasked = In jedem Anruf dieses Servers hört { $familiar } nur denen zu, die zustimmen.
call_ended = { $familiar } hat den Anruf verlassen.
hears_you_no_longer = { $familiar } hört dir nicht mehr zu. Zum Gehen bringen kann es, wer es gerufen hat, oder jemand mit { -manage-channels }.
does_not_hear_you = { $familiar } hört dir nicht zu.
in_no_call = { $familiar } ist auf diesem Server in keinem Anruf.
left_behind = -# { $familiar } ist gegangen: Wer es gerufen hat, ist weg. `/subscribe-my-voice` holt es zurück.
left_alone = -# { $familiar } ist gegangen: Es war niemand mehr da. `/subscribe-my-voice` holt es zurück.
left_quiet = -# { $familiar } ist gegangen: { $quiet } lang hat niemand etwas gesagt. `/subscribe-my-voice` holt es zurück.
gave_up = -# { $familiar } hat den Anruf verloren: { $why }. `/subscribe-my-voice` holt es zurück.
cannot_follow = -# { $familiar } bleibt hier und kann nicht in <#{ $call }> kommen. { $why }
deaf = -# { $familiar } konnte nicht verstehen, was gesagt wurde, und verbindet sich neu. Was gerade gesagt wurde, ist verloren.
still_deaf = -# { $familiar } kann <@{ $user }> immer noch nicht verstehen. Vielleicht hilft es, den Anruf zu verlassen und wiederzukommen.
unplaced = -# { $familiar } hört jemanden, ohne zu wissen wen, und verbindet sich neu. Was gerade gesagt wurde, ist verloren.
still_unplaced = -# { $familiar } hört immer noch jemanden, ohne zu wissen wen, und hört dem nicht zu. Wer spricht und nicht gehört wird: Verlass den Anruf und komm wieder.
hears_nothing = -# Ich kann hier sprechen, aber nichts hören: { $why }. Schreib mir in diesem Chat.
misses_words = -# Ich konnte nicht verstehen, was gerade gesagt wurde: { $why }. Sag es gleich noch mal, oder schreib mir in diesem Chat.
hears_again = -# Ich höre wieder.
has_no_voice = -# Ich kann hier hören, aber nicht sprechen: { $why }. Ich antworte in diesem Chat.
speaks_again = -# Ich spreche wieder.
not_heard = -# <@{ $who }>, dich höre ich eine Weile nicht: { $why }. Schreib mir in diesem Chat.
not_spoken_to = -# <@{ $who }>, dir antworte ich eine Weile in diesem Chat: { $why }.
call_state = Im Anruf <#{ $call }>: hört { call_people }; Pakete: { $taken } angenommen, { $refused } ungehört abgelehnt{ call_unplaced }, { $lost } verloren
call_people =
    { $heard ->
        [0] niemanden
        [one] 1 Person
       *[other] { $heard } Personen
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] , { $unplaced } unbekannter Herkunft
    }
transcript_heading = -# Was gesagt wurde. `/forget me` nimmt deine Worte heraus.
and_more = { $named } und { $count } weitere

## Befehle und ihre Optionen

command_subscribe-text = Diesen Kanal und seine Threads lesen und antworten, wenn man es anspricht
command_unsubscribe-text = Diesen Kanal nicht mehr lesen
command_channel = Ein anderer Kanal oder ein Forum; sonst dieser
command_subscribe-my-voice = In meinen Anruf kommen und mir zuhören; ist es schon da, auch mir zuhören
command_subscribe-my-voice_everybody = Allen zuhören, die nicht ablehnen; braucht { -manage-channels }
command_subscribe-my-voice_every_call = `everybody` für jeden Anruf auf diesem Server so lassen; braucht { -manage-server }
command_unsubscribe-voice = Den Anruf verlassen oder, wenn jemand anders es gerufen hat, mir nicht mehr zuhören
command_quiet = Hier und im Anruf dieses Servers nur reden, wenn man es anspricht
command_quiet_minutes = So viele Minuten lang; sonst bis /wake
command_wake = Hier und im Anruf dieses Servers wieder mitreden
command_speak-first = Hier von selbst anfangen dürfen, über Tage und Geburtstage, von denen es weiß
command_speak-first_on = Ob es darf
command_speak-first_newcomers = Hier einmal begrüßen, wer neu auf dem Server ist
command_channel-full-rp = In diesem Kanal lange Antworten wie im Roman schreiben
command_channel-text-conversation-rp = In diesem Kanal ein paar kurze Zeilen schreiben, wie im Chat
command_channel-imitate-voice = In diesem Kanal ein oder zwei kurze Sätze schreiben, wie gesprochen
command_channel-backdrop = Sagen, was in diesem Kanal los ist
command_reset = Das Gespräch hier neu beginnen; gemerkt bleibt, was vorher gesagt wurde
command_branch = In einem eigenen Thread weiterreden, der weiß, was hier gesagt wurde
command_branch_name = Wie der Thread heißt
command_profile = Bild und Name der Karte auf Discord; wie es auf diesem Server heißt
command_profile_picture = Das Bild der Karte, überall auf Discord; für den Betreiber des Bots
command_profile_name = Der Name der Karte, überall auf Discord; für den Betreiber des Bots
command_profile_nickname = Wie es auf diesem Server heißt
command_profile_nickname_name = Sonst der Name der Karte
command_memory = Was über dich notiert ist, soweit man es hier sehen darf
command_memory_about = Nur, worin diese Wörter stehen
command_reminders = Woran du erinnert werden willst, soweit man es hier sehen darf; absagen
command_forget = Was du hier und anderswo gesagt hast, und was davon notiert ist
command_forget_me = Alles, was du je gesagt hast, und alles, was über dich notiert ist
command_forget_what = Was du mit bestimmten Wörtern gesagt hast, und was davon notiert ist
command_forget_what_words = Wörter; Nachrichten und Tatsachen von dir mit allen davon verschwinden
command_forget_undo = Das Letzte zurücknehmen, innerhalb von sieben Tagen
command_privacy = Was von dir gespeichert ist und wer es bekommt; eine Kopie davon, und widersprechen
command_context = Warum es das gesagt hat: die Aufzeichnung einer deiner Runden
command_context_turn = Eine Runde von dir, etwa t42; sonst deine letzte hier
command_context_why = Wörter: Standen sie ihm da, ließ es sie weg, oder schlug es sie nicht nach?
command_lore = Weltwissen: was aufgerufen wurde, und warum
command_lore_why = Welches Wissen deine letzte Runde hier aufgerufen hat, und warum; oder ein Eintrag
command_lore_why_entry = Ein Eintrag; sonst alles, was aufgerufen wurde
command_greet = Eine Begrüßung der Figur sagen
command_greet_number = Welche Begrüßung; sonst die erste
command_pair = Deine Direktnachrichten mit diesem Server oder einem anderen Konto von dir verknüpfen
command_pair_code = Der Code von anderswo; ohne bekommst du einen
command_pair-past = Auch was du vor dem Verknüpfen erzählt hast, darf dort bekannt sein
command_unpair = Beenden, was du mit diesem Ort verknüpft hast
command_persona = Wer du im Rollenspiel bist, hier oder überall
command_persona_set = Sagen, wer du bist; wer hier mitredet, kann es erfahren
command_persona_set_name = Wie du im Rollenspiel heißt
command_persona_set_description = Wer das ist, in deinen Worten
command_persona_set_everywhere = Überall, wo du keine andere festgelegt hast; sonst nur hier
command_persona_show = Wer du hier bist, und überall sonst
command_persona_clear = Wieder du selbst sein
command_persona_clear_everywhere = Die, die überall gilt; sonst die von hier
command_status = Wie es ihm geht, und wie es hier schreibt
command_help = Was dieser Bot tut und welche Befehle er hat
