# Ce que le programme lui-même dit sur Discord, en français. À quoi sert chaque phrase est dit dans en.ftl.

## Les noms de Discord

-manage-channels = Gérer les salons
-manage-server = Gérer le serveur
-manage-nicknames = Gérer les pseudos
-view-channel = Voir le salon
-apps = Applications
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] Envoyer des messages
        [Send_Messages_in_Threads] Envoyer des messages dans les fils
        [Read_Message_History] Voir les anciens messages
        [Connect] Se connecter
        [Speak] Parler
        [Create_Public_Threads] Créer des fils publics
        [Change_Nickname] Changer de pseudo
       *[other] { $as_it_is }
    }

## Listes et dates

list_comma = {", "}
list_and = {" et "}
date = { $day } { month } { $year }
month =
    { $month ->
        [1] janvier
        [2] février
        [3] mars
        [4] avril
        [5] mai
        [6] juin
        [7] juillet
        [8] août
        [9] septembre
        [10] octobre
        [11] novembre
       *[12] décembre
    }
weekday =
    { $weekday ->
        [1] lundi
        [2] mardi
        [3] mercredi
        [4] jeudi
        [5] vendredi
        [6] samedi
       *[7] dimanche
    }

## Ce qui a échoué, dans le salon

model_failure =
    { $class ->
        [RateLimited] Trop de demandes au modèle pour l'instant. Réessaie dans une minute.
        [Server] Le fournisseur du modèle a des soucis. Réessaie dans une minute.
        [Network] Le modèle est injoignable. Réessaie dans une minute.
        [BrokeOff] La réponse s'est coupée avant la fin. Réessaie.
        [Timeout] Le modèle a mis trop de temps. Réessaie.
        [ModelMissing] Le modèle configuré n'existe pas. Préviens la personne qui gère ce bot.
        [Authentication] La clé du modèle a été refusée. Préviens la personne qui gère ce bot.
        [KeyMissing] Le modèle veut une clé et il n'y en a pas. Préviens la personne qui gère ce bot.
        [Quota] Il n'y a plus de crédit pour le modèle. Préviens la personne qui gère ce bot.
        [ContextLength] C'est plus que ce que lit le modèle. Il faut régler `context_window`.
        [ContentFilter] Le fournisseur du modèle a refusé. Essaie de le dire autrement.
        [Malformed] La réponse du modèle était illisible. Réessaie.
        [Empty] Le modèle n'a donné aucune réponse qui puisse être montrée. Réessaie, ou dis-le autrement.
        [WebPage] Une page web est arrivée au lieu d'une réponse. Préviens la personne qui gère ce bot.
        [BadRequest] Le modèle a refusé la demande. Préviens la personne qui gère ce bot.
        [CostCap] Le budget du jour est épuisé. Il repart à minuit (UTC).
        [TokenCap] Le budget du jour est épuisé. Il repart à minuit (UTC).
       *[Cancelled] Cette réponse a été arrêtée.
    }
notice_model_failed = -# { model_failure } ({ $turn })
notice_try_later = -# Trop de demandes au modèle pour l'instant. Réessaie dans { $wait }. ({ $turn })
notice_not_stored = -# Je n'ai pas pu le noter, alors je n'ai pas répondu. Préviens la personne qui gère ce bot. ({ $turn })
notice_too_much_at_once = -# C'est plus que je ne peux répondre d'un coup. Donne-moi une minute ; ce que tu écris, je le lis quand même.
notice_cut_short = -# Mes réponses ne peuvent pas être plus longues. Demande-moi de continuer pour avoir la suite. ({ $turn })
notice_kept_back = -# Ce que j'allais dire n'est pas pour tous ceux qui peuvent lire ici : je le garde pour moi. Demande-le autrement. ({ $turn })
notice_keeps_quiet = -# À partir de maintenant, je ne parle que si on me parle. `/wake` y met fin ; me dire que je peux parler aussi.
notice_joins_in_again = -# Je peux de nouveau me mêler à la discussion. `/quiet` y met fin.
notice_message_too_long = -# Ce message est trop long pour moi : il fait { $tokens } tokens, et { $fits } tiennent. Envoie-le en plusieurs fois. ({ $turn })
notice_prompt_too_large = -# Le personnage est trop gros pour son modèle. Préviens la personne qui gère ce bot. ({ $turn })

## Lire et ne pas lire

dm_refused = { $familiar } ne lit les messages privés que des gens d'un serveur où il lit, et de ceux de sa liste : celui-ci n'a donc pas été lu. Parle-lui sur un tel serveur, ou demande à la personne qui gère ce bot d'ajouter ton identifiant `{ $account }` à `dm_allowlist`.
subscribed = { $familiar } lit maintenant <#{ $channel }> et ses fils. Pour arrêter : `/unsubscribe-text`.
begins_to_read = -# À partir de maintenant, { $familiar } lit ce salon et ses fils et se souvient de ce qui s'y dit. `/help` en dit plus, `/privacy` ce qui est gardé de toi ; tu peux aussi t'y retirer.
begins_alone = -# { $familiar } se souvient de ce que tu écris ici. `/help` en dit plus, `/privacy` ce qui est gardé de toi ; tu peux aussi t'y retirer.
does_not_read = -# { $familiar } ne lit pas ce salon, et n'a donc pas lu ça non plus. `/subscribe-text` ici change ça.
keeps_quiet = { $familiar } ne parle que si on lui parle. `/wake` y met fin ; dans un appel, ça s'arrête avec l'appel.
keeps_quiet_for = { $familiar } ne parle que si on lui parle, pendant { $span }. `/wake` y met fin ; dans un appel, ça s'arrête avec l'appel.
joins_in_again = { $familiar } peut de nouveau se mêler à la discussion. `/quiet` y met fin.
was_not_quiet = On n'avait pas demandé à { $familiar } de se taire ici.
not_let_in = Tu n'as pas accès à { $familiar } ici ; c'est la personne qui gère ce bot qui décide. `/privacy` montre ce qui est gardé de toi, et `/forget` l'enlève.
reset = La conversation repart ici de zéro : { $familiar } n'a plus sous les yeux ce qui a été dit avant. C'est toujours en mémoire, et ça peut revenir si on en parle ; pour faire disparaître, il y a `/forget`.
undo_reset = Annuler
reset_undone = { $familiar } a de nouveau sous les yeux ce qui a été dit avant.
reset_since = La conversation est repartie de zéro une fois de plus depuis, alors ça reste comme ça.
nothing_to_reset = Il n'y a rien ici qu'on puisse laisser derrière soi.
alone_it_answers = En messages privés, il n'y a personne d'autre pour qui se taire.
not_here_and_in_no_call = { $familiar } ne lit pas ce salon et n'est dans aucun appel sur ce serveur.
how_to_forget = -# Pour faire oublier quelque chose pour de bon : `/forget what` efface ce que tu as dit avec certains mots, `/forget me` efface tout ; `/memory` montre ce qui est noté sur toi.
forget_me = Tout oublier de moi …
already_subscribed = { $familiar } lit déjà <#{ $channel }>. Pour arrêter : `/unsubscribe-text`.
dm_needs_no_subscription = Les messages privés n'ont pas besoin d'abonnement. Utilise cette commande sur un serveur.
unsubscribed = { $familiar } ne lit plus <#{ $channel }>. Pour reprendre : `/subscribe-text`.
not_subscribed = { $familiar } ne lit pas <#{ $channel }>. Pour commencer : `/subscribe-text`.
bot_lacks_permissions =
    { $count ->
        [one] Je ne peux pas encore parler dans <#{ $channel }> : il me manque { $missing }. Donne cette permission à mon rôle dans les permissions du salon, puis réessaie.
       *[other] Je ne peux pas encore parler dans <#{ $channel }> : il me manque { $missing }. Donne ces permissions à mon rôle dans les permissions du salon, puis réessaie.
    }
unknown_place = Je ne vois pas ce salon. Donne ici { -view-channel } à mon rôle, puis réessaie.
needs_manage_channels = Il te faut { -manage-channels } dans <#{ $channel }> pour ça. Demande à quelqu'un qui l'a.

## Comment il écrit, et ce qui se passe

mode_set = <#{ $channel }> est maintenant en mode { mode_name } : { mode_words }
mode_name =
    { $mode ->
        [FullRp] jeu de rôle
        [TextConversationRp] conversation écrite
       *[ImitateVoice] imitation de la voix
    }
mode_words =
    { $mode ->
        [FullRp] de longues réponses façon roman, à la troisième personne.
        [TextConversationRp] comme dans un tchat, une ou deux lignes courtes.
       *[ImitateVoice] une ou deux phrases courtes, comme à l'oral.
    }
backdrop_title = Le décor de ce salon
backdrop_label = Que se passe-t-il ici ? (vide : rien)
backdrop_placeholder = Une taverne au carrefour, tard le soir. Dehors, il pleut.
backdrop_set = Le décor de <#{ $channel }> est en place ({ $chars } caractères). Il compte dès la prochaine réponse.
backdrop_cleared = Le décor de <#{ $channel }> est enlevé.
greeted = C'est dit.
greet_needs_subscription = { $familiar } ne lit pas ce salon. Utilise d'abord `/subscribe-text`.
no_such_greeting =
    { $have ->
        [0] La fiche n'a pas de salutation.
        [1] La fiche a une seule salutation : utilise `/greet` sans numéro.
       *[other] La fiche a { $have } salutations : utilise un numéro de 1 à { $have }.
    }
speaks_first_no = À partir de maintenant, { $familiar } ne parle ici qu'après quelqu'un d'autre.
speaks_first_nowhere = { $familiar } peut commencer à parler ici de sa propre initiative, mais la personne qui gère ce bot ne le permet nulle part.
speaks_first_yes =
    { $per_day ->
        [one] { $familiar } peut commencer à parler ici de sa propre initiative, à propos de dates et d'anniversaires dont on lui a parlé : entre { $from_hour } h et { $to_hour } h, { $per_day } fois par jour au plus, et jamais une deuxième fois avant qu'on ait répondu. `/speak-first on:False` y met fin.
       *[other] { $familiar } peut commencer à parler ici de sa propre initiative, à propos de dates et d'anniversaires dont on lui a parlé : entre { $from_hour } h et { $to_hour } h, { $per_day } fois par jour au plus, et jamais une deuxième fois avant qu'on ait répondu. `/speak-first on:False` y met fin.
    }
greets_newcomers_yes = { $familiar } salue ici, une seule fois, toute personne nouvelle sur ce serveur, sauf pendant son sommeil ou si le silence est demandé.
greets_newcomers_no = { $familiar } ne salue pas ici les personnes nouvelles.
does_not_speak_first = { $familiar } ne lit pas ici, et n'y dit donc rien non plus. `/subscribe-text` change ça.

## Ce qu'un tour a fait

no_turn_yet = Il n'y a encore rien à t'expliquer ici. Dis d'abord quelque chose, puis redemande.
no_such_turn = Il n'y a pas de tour `{ $given }` auquel tu aies participé. Laisse vide pour voir ton dernier.
context_attached = Tour { $turn } : { $summary } Le fichier joint dit comment on en est arrivé là ; personne d'autre ne le voit.
outcome_replied =
    { $messages ->
        [one] réponse donnée en 1 message.
       *[other] réponse donnée en { $messages } messages.
    }
outcome_silent = silence, car { silence }.
silence =
    { $reason ->
        [OnlyWhenAddressed] personne ne lui a parlé, et ici il ne se mêle pas à la discussion de lui-même
        [AddressedToSomeoneElse] le message était pour quelqu'un d'autre
        [FromBot] il ne répond pas aux bots
        [NotStored] le message n'a pas pu être enregistré
        [SaidMeanwhile] cela a été dit pendant que le programme ne tournait pas
        [EnoughForNow] les inconnus n'ont droit qu'à un certain nombre de réponses, déjà atteint pour l'instant
        [TooMuchAtOnce] il y a eu plus de demandes que les limites ne le permettent pour l'instant
        [SomebodyInDistress] quelqu'un va très mal ici, alors il ne parle que si on lui parle
        [Asleep] il dort, et personne ne lui a parlé
        [ToldToBeQuiet] on lui a demandé de se taire
        [KeptQuiet] on lui a demandé de se taire ici jusqu'au { $until }
        [KeptQuietUntilWoken] on lui a demandé de se taire ici jusqu'à `/wake`
        [FoundNothingToSay] il a trouvé qu'il n'y avait rien à dire
        [Reacted] l'emoji mis sous un message est sa réponse
        [WaitsForTheRest] cela ne semblait pas fini, et il attend la suite
       *[NotAddressed] personne ne lui a parlé ({ $count } sur { $threshold } messages avant qu'il se mêle à la discussion)
    }
outcome_undelivered =
    { $messages ->
        [0] la réponse n'a pas pu être publiée.
        [one] un seul message de la réponse a pu être publié.
       *[other] seuls { $messages } messages de la réponse ont pu être publiés.
    }
outcome_cancelled =
    { $messages ->
        [0] interrompu avant d'avoir dit quoi que ce soit : { cancelled_because }.
        [one] interrompu après 1 message : { cancelled_because }.
       *[other] interrompu après { $messages } messages : { cancelled_because }.
    }
cancelled_because =
    { $reason ->
        [Superseded] d'autres messages sont arrivés avant
        [Interrupted] quelqu'un a parlé entre-temps
        [StoppedByHand] quelqu'un l'a arrêté
        [Withdrawn] le message a été supprimé
        [Shutdown] le programme était en train de s'arrêter
       *[Killed] le programme a été arrêté de force
    }
turn_of_another_place = Le tour { $turn } était dans un autre salon. Demande là-bas : seules les personnes qui voient ce salon peuvent le lire.
why_attached = Ce que le tour { $turn } a fait de ces mots est joint ; personne d'autre ne le voit.

## `/status` et `/help`

status_up = En marche depuis { $uptime }, modèle : { $model }
status_here =
    { $here ->
       *[NotRead] Ce salon : pas lu (`/subscribe-text`)
        [Read] Ce salon : lu{ in_mode }
        [ThroughParent] Ce fil : lu avec son salon{ in_mode }
        [Dm] Messages privés : lus{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] , mode { mode_name }
    }
status_quiet =
    { $until ->
        [wake] Ici, je ne parle que si on me parle, jusqu'à `/wake`
       *[other] Ici, je ne parle que si on me parle, jusqu'au <t:{ $until }:f>
    }
status_mute = Je ne peux pas écrire dans ce salon
status_subscriptions = Salons lus sur ce serveur : { $count }
status_early = Réponses commencées d'avance dans les appels : { $begun }, dont données : { $given }
status_last_reply = La dernière réponse ici a pris { $seconds } s
status_budget = Budget du jour : { $spent } $ sur { $cap } $
status_spent = Dépensé aujourd'hui : { $spent } $, sans plafond
status_cap = Budget : { $cap } $ par jour
status_unpriced = Tokens du jour dont le prix n'est pas connu : { $used }
status_unpriced_of = Tokens du jour dont le prix n'est pas connu : { $used } sur { $cap }
help =
    {"**"}{ $familiar }** lit les salons auxquels le bot est abonné et répond quand on lui parle : par son nom, une mention ou une réponse. De temps en temps, il se mêle à la discussion de lui-même. Modifier ou supprimer un message change ce qu'il en retient.

    Pour tout le monde :
    `/memory` — ce qu'il a noté sur toi et peut dire ici ; le corriger ou le faire oublier
    `/reminders` — ce que tu as demandé qu'on te rappelle, et l'annuler
    `/forget me`, `/forget what` — lui faire oublier ce que tu as dit, partout ; `/forget undo` l'annule
    `/privacy` — ce qui est gardé de toi, une copie, et te retirer
    `/context` — pourquoi il a répondu ainsi à ton dernier message
    `/lore why` — quel lore ton dernier tour a fait venir, et pourquoi
    `/greet` — lui faire dire une de ses salutations
    `/pair`, `/pair-past`, `/unpair` — qu'il te connaisse ailleurs comme en messages privés, ou plus
    `/persona` — qui tu es dans le jeu de rôle, ici ou partout
    `/status` — comment il va, et comment il écrit ici
    `/branch`, *{ -apps } → { branch }* — la discussion continue dans son propre fil
    {"*"}{ -apps } → { repair }* sur une réponse à toi — une autre réponse, d'autres mots, ou rien
    `/subscribe-my-voice`, `/unsubscribe-voice` — venir dans ton appel et t'écouter, ou arrêter
    `/quiet`, `/wake` — ici et dans l'appel de ce serveur, ne parler que si on lui parle, ou s'y remettre

    Avec { -manage-channels } :
    `/subscribe-text`, `/unsubscribe-text` — lire ce salon ou ce forum, ou un autre, ou arrêter
    `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — comment il écrit ici
    `/channel-backdrop` — ce qui se passe ici
    `/reset` — repartir ici de zéro ; ce qui a été dit reste en mémoire
    `/speak-first` — le laisser commencer à parler ici de lui-même, ou plus

    Avec { -manage-nicknames } :
    `/profile nickname` — comment il s'appelle sur ce serveur

    Seule la personne qui utilise une commande en voit la réponse.

## Ce qui a échoué dans une commande

command_failed = Ça n'a pas marché : { $what }. Si ça se reproduit, préviens la personne qui gère ce bot.
failed_settings =
    { $why ->
        [Full] les réglages n'ont pas pu être enregistrés, car le disque est plein : la personne qui gère ce bot doit y faire de la place
        [Locked] les réglages n'ont pas pu être enregistrés, car je n'ai pas le droit d'écrire sur le disque : la personne qui gère ce bot doit me l'accorder
       *[none] les réglages n'ont pas pu être enregistrés
    }
failed_history = ce qui a été dit n'a pas pu être parcouru
failed_pairing = ce qui est associé n'a pas pu être noté
failed_trace = le relevé de ce tour n'a pas pu être lu
failed_forget = tout n'est pas encore oublié ; le reste part au prochain démarrage
failed_notes = les notes n'ont pas pu être lues
command_broke = Ça n'a pas marché. Le journal dit pourquoi ; si ça se reproduit, préviens la personne qui gère ce bot.

## Comment il va

branch = Continuer dans un fil
branched = Le fil est ouvert : <#{ $thread }>. Ce qui a été dit ici avant y est connu.
not_done =
    { $why ->
        [BotLacks] Je ne peux pas faire ça ici. Il me manque : { $missing }. La personne qui gère le serveur peut l'accorder à mon rôle.
        [AskerLacks] Je ne le fais que pour les gens qui peuvent le faire ici eux-mêmes. Il te manque : { $missing }.
        [AskerUnseen] Je ne peux pas voir pour l'instant ce que tu peux faire ici. Réessaie dans un moment.
        [NoThreadsHere] Un fil ne peut s'ouvrir que dans les salons textuels d'un serveur.
        [Late] Discord n'a pas répondu à temps. Réessaie dans un moment.
        [MessageGone] Ce message n'existe plus.
        [HasThread] Ce message a déjà un fil.
        [Locked] Ce fil est verrouillé.
        [ChannelGone] Ce salon n'existe plus.
        [NotAccepted] Discord n'accepte plus le bot. Préviens la personne qui gère ce bot.
        [Closed] Je ne peux pas faire ça ici.
       *[Said] Discord a refusé : « { $words } »
    }
branches_not_here = { $familiar } ne lit pas ici, donc rien ne continue d'ici. `/subscribe-text` change ça.
asleep = dort
asleep_doing = dort, { $doing }
busy = pas dispo
mood =
    { $mood ->
        [elated] sur un nuage
        [happy] tout va bien
        [cheerful] de bonne humeur
        [content] tranquille
        [angry] en colère
        [downcast] le moral à zéro
        [irritated] à cran
        [a_little_low] un peu triste
        [lively] en pleine forme
       *[drowsy] ensommeillé
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } dort jusqu'à { $until }{ doing }. Si on lui parle, { $familiar } répond quand même.
        [Busy] { $familiar } n'est pas dispo jusqu'à { $until }{ doing }.{ in_mood }
       *[Awake] { $familiar } est là{ doing }.{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] {" "}: { $doing }
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] {" "}Humeur : { mood }.
    }
profile_changed =
    { $what ->
        [Picture] L'image de la fiche est maintenant la sienne, partout sur Discord.
        [Name] Le nom de la fiche est maintenant le sien, partout sur Discord.
       *[Nickname] Voilà son nom sur ce serveur.
    }
profile_refused = Discord ne l'a pas accepté : « { $why } ». Images et noms ne se changent que quelques fois par heure.
profile_is_the_operators = Son image et son nom sont les mêmes sur tous les serveurs, alors seule la personne qui gère ce bot les change : celles de `discord.operators`. Pour ce serveur, il y a `/profile nickname`.
no_picture = La fiche de { $familiar } n'a pas d'image lisible : `memory/self/assets/avatar.png`.
picture_too_large = L'image de la fiche dépasse les 10 Mio que Discord accepte.
name_does_not_fit = Discord accepte des noms de 2 à 32 caractères, et « { $name } » en a { $chars }.
nicknames_are_of_servers = Un autre nom, c'est seulement sur les serveurs.
needs_manage_nicknames = Il te faut ici la permission { -manage-nicknames } pour ça.

## `/lore why`

no_lore = Le tour { $turn } n'avait pas de lorebook à parcourir. La personne qui gère ce bot peut en ajouter un avec `familiar lore import`.
no_such_entry = Aucune entrée de lore ne s'appelle « { $given } ». Laisse vide pour voir celles qui sont venues.
lore_called_up =
    { $fired ->
        [0] Le tour { $turn } n'a fait venir aucune des { $all } entrées de lore.
       *[other] Le tour { $turn } a fait venir { $fired } des { $all } entrées de lore :
    }
lore_not_called_up = Pas venues :
lore_rest = { $rest } autres n'avaient rien à voir. `/lore why entry:` en dit plus sur l'une d'elles.
lore_in_turn = Dans le tour { $turn } :
lore_entry =
    { $fired ->
        [yes] - **{ $name }** ({ $book }) est venue : { $why }{ lore_how_much }
       *[no] - **{ $name }** ({ $book }) n'est pas venue : { $why }{ lore_how_much }
    }
lore_line = - **{ $name }** : { $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] {" "}; seule sa première phrase a tenu
        [Paragraph] {" "}; seul son premier paragraphe a tenu
       *[Full] {""}
    }
lore_constant = toujours active
lore_by_text = son texte dit @@{ $by }
lore_key = la clé « { $key } » est dans { $at }
lore_key_and_filter = la clé « { $key } » est dans { $at }, et son filtre « { $filter } » concorde
lore_lasts =
    { $what ->
        [Sticky] elle reste encore { lore_messages }
        [Delay] elle attend encore { lore_messages }
       *[Cooldown] elle se repose encore { lore_messages }
    }
lore_messages =
    { $left ->
        [one] 1 message
       *[other] { $left } messages
    }
lore_latched = sa clé est déjà apparue, et cela lui suffit
lore_retrieved = elle parle de ce qui a été dit (score { $score })
lore_no_key_found = aucune de ses clés n'est dans ce qui a été lu
lore_no_keys = elle n'a pas de clés et n'est pas toujours active
lore_filter_keys = la clé « { $key } » est là, mais ses filtres disent non ({ lore_rule })
lore_rule =
    { $logic ->
        [and_all] ils doivent tous être là
        [not_all] l'un d'eux doit manquer
        [not_any] aucun ne doit être là
       *[and_any] l'un d'eux doit être là
    }
lore_disabled = elle est désactivée
lore_other_character = elle est pour d'autres personnages
lore_other_trigger = elle n'est pas pour les tours du genre « { $trigger } »
lore_waits_for_others = elle attend d'être appelée par d'autres entrées (niveau { $level }), et aucune ne l'a fait
lore_not_by_entries = sa clé « { $key } » n'est que dans d'autres entrées, et celles-ci ne peuvent pas l'appeler
lore_roll = elle n'a pas été tirée au sort ({ $rolled } sur 100, sa chance est de { $chance } %)
lore_group = « { $winner } » a été prise dans le groupe « { $group } »
lore_group_served = le groupe « { $group } » était déjà servi
lore_budget = pas de place : avec elle, le lore prendrait { $needed } tokens sur { $limit }
lore_left_out = elle a été appelée, mais n'est pas arrivée dans le prompt ; `/context` dit pourquoi
lore_empty = il ne reste rien de son texte
lore_no_outlet = sa place est l'outlet « { $outlet } », que rien n'ouvre
lore_in_newest = le dernier message ({ $speaker })
lore_in_message = le message { $back } en partant de la fin ({ $speaker })
lore_in_card = la fiche, champ { $field }
lore_in_entry = l'entrée « { $name } »
lore_more = … et { $rest } lignes de plus ; `/context` les a toutes.

## Se souvenir et oublier

plan_messages =
    { $count ->
        [one] { $count } message de toi
       *[other] { $count } messages de toi
    }
plan_replies =
    { $count ->
        [one] { $count } réponse qui t'a été faite
       *[other] { $count } réponses qui t'ont été faites
    }
plan_facts =
    { $count ->
        [one] { $count } fait noté
       *[other] { $count } faits notés
    }
plan_notes =
    { $count ->
        [one] { $count } note entière
       *[other] { $count } notes entières
    }
plan_unread =
    { $count ->
        [one] { $count } réponse illisible d'un modèle
       *[other] { $count } réponses illisibles d'un modèle
    }
plan_traces =
    { $count ->
        [one] { $count } autre trace de toi (comme une réaction)
       *[other] { $count } autres traces de toi (comme des réactions)
    }
plan_transcripts =
    { $count ->
        [one] { $count } message d'une transcription
       *[other] { $count } messages de transcriptions
    }
plan_name = ton nom
forget_plan_nothing = { $familiar } n'a rien de toi en mémoire qui corresponde.
forget_plan = { $familiar } oublierait { $plan }. Tes mots partent de sa mémoire, de ses résumés et de ses relevés, sur ce serveur et partout ailleurs ; ceux des autres restent.
forget_plan_transcripts = Les transcriptions d'appels avec des mots de toi sont parcourues : les messages qui contiennent ces mots sont supprimés, et ceux qu'on ne peut pas lire. Ils ne reviennent pas.
forget_plan_transcripts_go = Des messages de transcriptions sont supprimés et ne reviennent pas.
forget_plan_copies = Ce qui en a été oublié avant peut encore être repris. **{ forget_for_good }** détruit aussi cette copie.
forget_plan_ends = {"**"}{ forget }** peut être annulé avec `/forget undo` pendant sept jours. **{ forget_for_good }** ne garde pas de copie.
forget_plan_facts = Parmi ce qui est noté, voici ce qui peut se montrer ici :
forget_plan_facts_more = …et { $count } de plus, non montrés ici
transcripts_searched = { $familiar } n'a rien de toi en mémoire qui corresponde. Les messages de transcriptions d'appels qui contiennent ces mots sont en train d'être supprimés.
forget = Oublier
forget_for_good = Oublier pour de bon
keep = Garder
nothing_to_forget = { $familiar } n'a rien de toi qui corresponde. `/memory` montre ce qu'il sait de toi ici.
forgotten = { $familiar } a oublié { $plan }. `/forget undo` l'annule pendant sept jours.
forgotten_transcripts = { $familiar } a oublié { $plan }. `/forget undo` l'annule pendant sept jours. Les transcriptions d'appels ne reviennent pas.
forgotten_for_good = { $familiar } a oublié { $plan } pour de bon.
forgotten_copies_for_good = Ce que { $familiar } avait oublié est parti pour de bon : on ne peut plus le reprendre.
forgotten_all_for_good = { $familiar } a oublié { $plan } pour de bon, et ce qui en avait été oublié avant ne peut plus être repris.
kept = Rien n'a été oublié.
undone = C'est revenu : { $plan }. { $familiar } résume à nouveau les anciennes conversations ; les relevés de ses réponses ne reviennent pas.
undone_transcripts = C'est revenu : { $plan }. { $familiar } résume à nouveau les anciennes conversations ; les relevés de ses réponses et les transcriptions d'appels ne reviennent pas.
nothing_to_undo = Il n'y a rien à reprendre : rien n'a été oublié pour toi ces sept derniers jours, ou c'était pour de bon.
known_facts = Ce que { $familiar } sait de toi et peut dire ici :
known_fact =
    { $is_past ->
        [yes] - { $words } (plus maintenant) · *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = …et { $count } de plus ; donne des mots avec `/memory about` pour en voir d'autres.
known_facts_end = Choisis-en un pour le corriger ou le faire oublier. Ce que tu lui as dit ailleurs se montre là-bas.
noted_fact =
    { $slot ->
        [name] { $who } se fait appeler { $value }.
        [home] { $who } habite à { $value }.
        [origin] { $who } vient de { $value }.
        [birthday] Anniversaire de { $who } : { $value }.
        [allergy] Allergie de { $who } : { $value }.
        [favourite] Préférence de { $who } ({ $what }) : { $value }.
        [called] Nom ({ $what } de { $who }) : { $value }.
        [work-as] { $who } travaille comme { $value }.
        [work-at] { $who } travaille chez { $value }.
        [work-for] { $who } travaille pour { $value }.
        [pronouns] Pronoms de { $who } : { $value }.
        [time-zone] Fuseau horaire de { $who } : { $value }.
       *[diet] Régime de { $who } : { $value }.
    }
nothing_known = { $familiar } n'a rien noté sur toi qui puisse se voir ici. Ce que tu as dit sans le faire oublier reste quand même en mémoire ; `/forget me` le fait oublier.
nothing_with_these_words = { $familiar } n'a rien noté sur toi avec ces mots qui puisse se voir ici. Sans eux, `/memory` montre ce qu'il y a : { $others }.
choose_fact = En corriger ou en oublier un
one_fact =
    > { $words }
    -# { $learnt }
    L'oublier enlève aussi tes messages d'où ça vient, et ce qu'on y a répondu.
correct = Corriger
correct_title = Qu'est-ce qui est juste ?
correct_label = Une phrase, avec ton nom dedans
fact_gone = Ce n'est plus noté. `/memory` montre ce qui l'est.
corrected =
    { $familiar } sait maintenant :
    > { $words }
not_corrected = Rien n'a changé : ça dit la même chose, ou la note a été modifiée entre-temps. Réessaie `/memory`.
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] noté par la personne qui gère ce bot
        [Guild] appris sur le serveur
        [Private] appris dans un salon fermé
        [Restricted] appris dans ce salon
        [Dm] appris ici, en privé avec toi
       *[Shared] appris en privé avec toi, et partagé avec des lieux que tu as associés
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] , { $on }
    }
learnt_by =
    { $by ->
        [You] {" "}; c'est toi qui l'as dit
        [Other] {" "}; <@{ $teller }> l'a dit
        [Familiar] {" "}; ses propres mots
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
        [one] {" "}; d'un message
       *[other] {" "}; de { $count } messages
    }
learnt_from_notes =
    { $count ->
        [one] {" "}; d'une leçon d'une session
       *[other] {" "}; de { $count } leçons de sessions
    }

## Associer

pair_code =
    { $from ->
        [alone] Ton code : **{ $code }**. Donne-le avec `/pair code:{ $code }` dans les { $minutes } minutes ; il sert une fois. Donne-le sur un serveur, et je peux t'y connaître comme ici ; ou en message privé depuis un autre compte à toi, et je prends les deux pour une seule personne. Ne le montre à personne : qui le donne compte comme toi.
       *[server] Ton code : **{ $code }**. Donne-le avec `/pair code:{ $code }` dans les { $minutes } minutes ; il sert une fois. Donne-le-moi en message privé, et je peux te connaître ici comme là-bas. Ne le montre à personne : qui le donne compte comme toi.
    }
paired = Associé. { paired_what } Ce que tu m'as dit avant reste là où tu l'as dit, sauf si tu utilises `/pair-past`. `/unpair` y met fin.
paired_what =
    { $what ->
        [accounts] À partir de maintenant, ce que tu me dis en privé depuis l'un des comptes, je le sais aussi en privé avec l'autre.
        [this_server] À partir de maintenant, ce que tu me dis en messages privés peut ressortir sur ce serveur, peu importe qui lit.
       *[that_server] À partir de maintenant, ce que tu me dis ici peut ressortir sur ce serveur-là, peu importe qui lit.
    }
pair_asked = Ce code vient de <@{ $other }>. Est-ce un autre de tes comptes ? Alors je prends les deux pour une seule personne : ce que tu me dis en privé depuis l'un, je le sais quand je suis en privé avec l'autre. Si quelqu'un d'autre t'a donné ce code, il apprendrait tout ce que tu me dis en privé.
pair_is_mine = C'est le mien
pair_not_mine = Ce n'est pas le mien
not_paired = Rien n'a été associé.
paired_with = Tu as une association avec { $ends } ; `/unpair` y met fin.
paired_server = un serveur
pair_refused =
    { $why ->
        [NotHere] Ici, il n'y a rien à associer.
        [Wrong] Ce code ne marche pas ici. Les codes durent dix minutes et servent une fois ; prends-en un nouveau avec `/pair`.
        [TooManyTries] Trop de mauvais codes. Attends { $minutes } minutes, puis réessaie.
        [SamePlace] Tu as demandé ce code ici même. Donne-le dans l'autre lieu.
        [OptedOut] Tu ne participes plus, alors rien de toi ne peut être gardé, une association non plus. Avec `/privacy`, tu peux participer à nouveau.
        [Already] Les deux sont déjà associés, ou l'un d'eux avec quelqu'un d'autre. `/unpair` y met fin.
       *[TooMany] Tu as associé autant de lieux que je peux en garder. Utilise d'abord `/unpair` dans l'un d'eux.
    }
past_only_alone = Utilise `/pair-past` en message privé avec moi : il s'agit de ce que tu m'as dit là.
past_nothing = Il n'y a rien à partager : rien d'associé qui ne le sache déjà. Utilise d'abord `/pair`.
past_shared = Ce que tu m'as dit ici jusqu'à présent peut maintenant ressortir dans { $places }, que tu as associés. `/unpair` le retire de là.
past_servers =
    { $count ->
        [one] { $count } serveur
       *[other] { $count } serveurs
    }
past_accounts =
    { $count ->
        [one] { $count } conversation privée
       *[other] { $count } conversations privées
    }
unpaired =
    { $was_paired ->
        [yes] Dissocié. Ce que tu me dis en privé reste de nouveau entre nous, et ce que tu as partagé ne sert plus ici. Ce que j'ai déjà dit devant d'autres reste dit.
       *[no] Tu n'as rien associé avec ce lieu.
    }

## Qui est quelqu'un dans le jeu de rôle

persona =
    { $description ->
        [none] **{ $name }**.
       *[other] **{ $name }** : { $description }
    }
persona_set =
    Ici, tu es maintenant { $persona }
    Les gens qui parlent ici peuvent l'apprendre par les réponses. `/persona clear` y met fin.
persona_set_everywhere =
    Partout où tu n'en as pas mis d'autre, tu es maintenant { $persona }
    Les gens qui parlent ici peuvent l'apprendre par les réponses. `/persona clear everywhere:True` y met fin.
no_persona =
    { $why ->
        [Nameless] Ce n'est pas possible : un persona a besoin d'un nom.
        [LongName] Ce n'est pas possible : le nom d'un persona a { $name_chars } caractères au plus.
        [Taken] Ce n'est pas possible : quelqu'un d'autre ici s'appelle déjà ainsi, ou c'est le nom du personnage.
       *[LongDescription] Ce n'est pas possible : ce qu'on dit d'un persona a { $chars } caractères au plus.
    }
too_many_personas = Tu as atteint le nombre maximal de lieux où tu peux avoir un persona. Utilise `/persona clear` dans l'un d'eux pour enlever celui de là-bas, ou mets-en un qui vaut partout.
persona_yourself = Ici, tu es toi-même. Avec `/persona set`, tu es quelqu'un d'autre dans le jeu de rôle.
persona_here = Ici, tu es { $persona }
persona_elsewhere = Ailleurs, tu es { $persona }
persona_cleared =
    { $was_set ->
        [yes] C'est enlevé. Ici, tu es toi-même.
       *[no] Il n'y en avait pas à enlever. Ici, tu es toi-même.
    }
persona_cleared_still =
    { $was_set ->
        [yes] C'est enlevé. Ici, tu es { $persona }
       *[no] Il n'y en avait pas à enlever. Ici, tu es { $persona }
    }
persona_clear_everywhere = `/persona clear everywhere:True` y met fin.

## Vie privée

copy_of_mine = Copie de mes données
opt_out = Me retirer …
take_part = Participer à nouveau
opt_out_and_forget = Me retirer et oublier
opt_out_for_good = Me retirer et oublier pour de bon
not_now = Pas maintenant
privacy_nothing = { $familiar } n'a encore rien gardé de toi.
privacy_stored = { $familiar } a gardé { $plan }, sur la machine de la personne qui gère le bot.
privacy =
    { $stored } Ce dont une réponse a besoin va au modèle qui l'écrit ; ce que tu dis dans les appels et dans les messages vocaux que tu lui montres va à la reconnaissance vocale. Tes messages privés ne sont racontés à personne d'autre.
    `/memory` montre et corrige ce qui est noté sur toi, `/forget` retire des choses.
    {"**"}{ copy_of_mine }** te donne tes messages, notes, rappels et personas dans un fichier. **{ opt_out }** met fin à tout : rien de ce que tu écris ou dis, ni aucune de tes réactions, n'est ensuite lu, gardé ni envoyé, sur aucun serveur.
opting_out =
    { $familiar } ne lirait, ne garderait et n'enverrait plus rien de toi, à l'écrit et dans les appels, sur tous les serveurs et en messages privés, et ne pourrait pas te répondre.{ opting_out_now } Ce que d'autres disent de toi, ce sont leurs mots, et ça reste. Avec `/privacy`, tu peux participer à nouveau.
    {"**"}{ opt_out_and_forget }** garde pendant sept jours une copie scellée, que `/forget undo` ramène quand tu participes à nouveau. **{ opt_out_for_good }** n'en garde pas.
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] {" "}Ce qui est gardé est oublié maintenant : { $plan }.
    }
opted_out = { $familiar } ne lit plus rien de toi à partir de maintenant. { $forgotten }
stays_out = Tu ne participes plus : { $familiar } ne lit, ne garde et n'envoie rien de toi. Seul le numéro de ton compte est gardé, sur la liste des personnes qui se sont retirées.
takes_part = { $familiar } te lit de nouveau à partir de maintenant. Ce que tu as écrit entre-temps n'a pas été lu, et ça reste ainsi.
opted_out_hint = -# Tu ne participes plus, alors { $familiar } n'a pas lu ça. Avec `/privacy`, tu peux participer à nouveau.
undo_while_opted_out = Tu ne participes plus : { $familiar } ne peut rien garder de toi. Avec `/privacy`, tu peux participer à nouveau ; ensuite ça peut revenir.
copied =
    { $is_all ->
        [yes] Voici ta copie. Elle contient { $messages } messages de toi, c'est-à-dire tous, les notes et rappels qui peuvent se voir ici, et tes personas. Demande-la en message privé pour avoir les notes et rappels de là-bas.
       *[no] Voici ta copie. Elle contient { $messages } messages de toi, les plus récents (la personne qui gère ce bot a le reste), les notes et rappels qui peuvent se voir ici, et tes personas. Demande-la en message privé pour avoir les notes et rappels de là-bas.
    }

## Apprendre de ce qu'on fait de ses réponses

let_learn = Le laisser apprendre
end_learning = Ne plus apprendre
unlearn = Oublier ce qui a été appris ici
learns = { $familiar } apprend de ce que tu fais de ses réponses ; `/memory` montre ce qui en est sorti, et ta copie ce qui a été compté. **{ end_learning }** y met fin et l'efface.
learns_not = Avec **{ let_learn }**, { $familiar } peut compter ce que tu fais de ses réponses : réagir, en demander une autre, corriger, supprimer ou parler par-dessus, et si tu enchaînes quand il se mêle à la discussion. Il s'y mêle ensuite plus tôt ou plus tard, répond plus court ou plus long, et se sert plus ou moins volontiers d'un outil. Ce sont des comptes, jamais tes mots ; aucun modèle n'est entraîné.
lets_learn = { $familiar } apprend désormais de ce que tu fais de ses réponses, sur tous les serveurs et en privé avec toi. `/memory` montre ce qui en est sorti là où tu es, `/privacy` y met fin.
ends_learning =
    { $responses ->
        [0] { $familiar } n'apprend plus de ce que tu fais de ses réponses.
       *[other] { $familiar } n'apprend plus de ce que tu fais de ses réponses. Ce qui avait été compté de toi est effacé ({ $responses }).
    }
unlearned =
    { $responses ->
        [0] { $familiar } n'a rien appris ici.
       *[other] { $familiar } a oublié ce qu'il avait appris ici ({ $responses }).
    }
learned =
    { $counted ->
        [one] -# Ce que { $familiar } a appris ici de ce que les gens ont fait de ses réponses (compté 1 fois) : { $came }.
       *[other] -# Ce que { $familiar } a appris ici de ce que les gens ont fait de ses réponses (compté { $counted } fois) : { $came }.
    }
learned_nothing = pas encore assez pour changer quoi que ce soit
learned_waits = avant de se mêler à la discussion, il attend { $percent } % du nombre habituel de messages{ $hours }
learned_hours = , de { $from } h à { $to } h { $percent } %
learned_shorter = ses réponses seront plus courtes
learned_longer = ses réponses seront plus longues
learned_tools = certains outils pèsent plus ou moins : { $tools }

## Rappels

choose_reminder = En annuler un …
reminders_none = { $familiar } ne garde aucun rappel de toi qui puisse se voir ici.
reminders_own = { $familiar } garde pour toi :
reminders_rituals = { $familiar } annonce à tout le salon :
reminders_others = { $familiar } garde pour d'autres ce qu'ils ont demandé dans ce salon, que tu gères :
reminders_more = … et { $count } de plus
reminder_open = toujours en suspens
reminder_line =
    { $again ->
        [none] - { $when } : { $words }
       *[other] - { $when }, { $again } : { $words }
    }
reminder_for = { $reminder }, pour { $asker }
reminder_again =
    { $repeats ->
        [daily] tous les jours à { $time }
        [weekdays] tous les jours de semaine à { $time }
        [weekly] chaque { $days } à { $time }
        [monthly] chaque mois le { $day } à { $time }
       *[yearly] chaque année le { day_of_year } à { $time }
    }
weekday_and = {" et "}
day_of_year = { $day } { month }
reminder_cancelled = Annulé : { $words }
reminder_gone = Celui-là n'est plus là.

## Réparer une réponse

repair = Réparer cette réponse
another = Une autre réponse
reword = Modifier ses mots
go_on = Continuer
delete = La supprimer
take_back = Annuler la question et la réponse
reword_title = Ce que dit cette réponse
reword_label = Ses mots
repaired_stands = « { $words } »
repaired_stands_of = Réponse { $standing } sur { $all } : « { $words } »
repaired_refused = {"**"}Discord n'a pas tout accepté** : { $why }.
repaired_seen = -# Ce que tu fais ici, tout le monde le voit, et { $familiar } se souvient de la réponse telle qu'elle est ensuite.
repaired_gone =
    { $left ->
        [0] C'est parti, et { $familiar } ne se souvient de rien.
        [one] La réponse est partie. Ton propre message d'avant, je n'ai pas le droit de l'enlever : supprime-le toi-même, et { $familiar } l'oublie aussi.
       *[other] La réponse est partie. Tes propres messages d'avant, je n'ai pas le droit de les enlever : supprime-les toi-même, et { $familiar } les oublie aussi.
    }
repaired_goes_on = { $familiar } continue.
repaired_not_newest = Quelque chose a été dit ici depuis : seule la dernière réponse peut être continuée.
repaired_not_known = Ce n'est pas une réponse écrite dont { $familiar } se souvienne.
repaired_not_theirs = Cette réponse est pour quelqu'un d'autre. La personne à qui elle répond peut la réparer, et qui a { -manage-channels } ici.
repaired_no_other = Il n'y a pas d'autre réponse de ce côté.
repaired_busy = { $familiar } est en train de répondre à quelque chose. Appuie de nouveau dans un instant.
repaired_too_much = C'est plus que je ne peux répondre d'un coup. Donne-moi une minute.
repaired_no_answer = Aucune autre réponse n'est venue ; celle qui est là n'a pas bougé.
not_put =
    { $why ->
        [NotTaken] je suis en train de m'arrêter
        [NotWrittenDown] cela n'a pas pu être noté
        [IsFile] une partie est un fichier, dont les mots ne se changent pas : supprime la réponse et redemande
        [Unfit] ce n'est pas pour tous ceux qui peuvent lire là
        [NotManaging] d'autres lisent là aussi, et pour d'autres mots il te faut { -manage-channels }
        [Forbidden] je ne peux plus écrire là
        [Refused] cela ne peut pas être publié
       *[Failed] Discord n'était pas joignable, ou ne l'a pas accepté
    }
repaired_unchanged = Rien n'a changé : { $why }.
too_long_to_reword = Cette réponse dépasse les { $most } caractères que contient un formulaire de Discord.

## Demander avant de faire quelque chose

yes = Oui
no = Non
may_i =
    <@{ $who }>, je le fais ? { $what }
    -# Personne d'autre ne peut répondre ; tu as deux minutes.
may_i_after_others =
    <@{ $who }>, je le fais ? { $what }
    -# Je viens de lire ce que d'autres ont écrit, alors je demande d'abord. Personne d'autre ne peut répondre ; tu as deux minutes.
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> a dit oui : { $what }.
        [Declined] -# <@{ $who }> a dit non, alors je ne l'ai pas fait : { $what }.
        [Unanswered] -# <@{ $who }> n'a pas répondu à temps, alors je ne l'ai pas fait : { $what }.
       *[Unwanted] -# Ce n'est plus la peine, alors je ne l'ai pas fait : { $what }.
    }
do_connected = faire exécuter « { $tool } » par { $program } avec { $arguments }
do_react = mettre { $emoji } sous { $message }
do_poll =
    { $several ->
        [yes] ouvrir un sondage de { $hours } h : « { $question } » ({ $answers } ; plusieurs choix possibles)
       *[no] ouvrir un sondage de { $hours } h : « { $question } » ({ $answers })
    }
do_pin = épingler { $message }
do_thread = ouvrir le fil « { $name } »
do_thread_under = ouvrir le fil « { $name } » sous { $message }
do_offer_to_forget = montrer un bouton qui fait oublier ce qui a été dit
do_join_call = venir dans ton appel et t'y écouter
do_leave_call = quitter l'appel
do_play_sound = jouer le son « { $name } » dans l'appel
do_remind = rappeler « { $words } » ({ $when }{ $again })
do_announce = annoncer « { $words } » à tout le salon ({ $when }{ $again })
and_again =
    { $every ->
        [Daily] , chaque jour
        [Weekdays] , chaque jour de semaine
        [Weekly] , chaque semaine
        [Monthly] , chaque mois
        [Yearly] , chaque année
       *[none] {""}
    }
do_timer = régler un minuteur sur { $span }
do_timer_for = régler un minuteur sur { $span } pour « { $label } »
timer_span =
    { $form ->
        [seconds] { $seconds } s
        [minutes] { $minutes } min
       *[both] { $minutes } min { $seconds } s
    }
do_keep_in_mind = garder « { $words } » en tête
do_cancel = annuler le rappel « { $words } »
do_close = noter que « { $words } » est réglé
do_better_mood = laisser mon humeur s'améliorer
do_worse_mood = laisser mon humeur se gâter
do_note = noter « { $words } »
do_note_about = noter « { $words } » à propos de « { $about } »
do_open_page = ouvrir { $address }
do_open_picture = ouvrir l'image à { $address }
do_make_picture = faire et publier une image : { $words }
meant_message =
    { $whose ->
        [Theirs] ton message « { $words } »
        [Own] mon message « { $words } »
        [Of] le message de { $whom } (« { $words } »)
       *[Asked] ton message
    }
not_yours_to_answer = C'est à quelqu'un d'autre de répondre.
answered_already = On y a déjà répondu.
too_late_to_answer = -# Il est trop tard pour répondre. Si ça n'a pas été fait, redemande-moi.

## Appels

nobody_yet = personne pour l'instant
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } est dans cet appel et écoute : { $heard }.** Toute personne qui a lu ceci et n'appuie pas sur **{ decline }** est entendue. { becomes_text }{ written_here } ; aucun son n'est gardé. `/unsubscribe-voice` y met fin, `/forget me` fait oublier ce que tu as dit.
       *[no] **{ $familiar } est dans cet appel et écoute : { $heard }.** Les autres ne sont pas écoutés, sauf s'ils appuient sur **{ agree }**. { becomes_text }{ written_here } ; aucun son n'est gardé. `/unsubscribe-voice` y met fin, `/forget me` fait oublier ce que tu as dit.
    }
newcomers =
    { $everybody ->
        [yes] { $who } : **{ $familiar } est dans cet appel et écoute.** On t'entend à partir de maintenant, sauf si tu appuies sur **{ decline }**. { becomes_text }{ written_here } ; aucun son n'est gardé. `/forget me` fait oublier ce que tu as dit.
       *[no] { $who } : **{ $familiar } est dans cet appel et écoute.** On ne t'écoute pas, sauf si tu appuies sur **{ agree }**, et **{ decline }** y met fin. { becomes_text }{ written_here } ; aucun son n'est gardé. `/forget me` fait oublier ce que tu as dit.
    }
becomes_text =
    { $by ->
        [here] Ce qui est entendu reste sur la machine du bot, où { $recogniser } en fait du texte qui peut rester en mémoire
        [somewhere_here] Ce qui est entendu reste sur la machine du bot, où ça devient du texte qui peut rester en mémoire
        [elsewhere] Ce qui est entendu est envoyé à { $recogniser }, qui en fait du texte qui peut rester en mémoire
        [somewhere_else] Ce qui est entendu est envoyé à un serveur vocal de la personne qui gère le bot, qui en fait du texte qui peut rester en mémoire
       *[unknown] Ce qui est entendu devient du texte qui peut rester en mémoire
    }
written_here =
    { $transcript ->
        [yes] , et ce que disent ceux qui appuient sur **{ agree }** ou l'ont fait venir est écrit dans ce tchat pour qui peut le lire
       *[no] {""}
    }
channel_status = { $familiar } est là et écoute ; qui, c'est dit dans le tchat
agree = Écoute-moi
decline = Ne m'écoute pas
join_a_call_first = Tu n'es dans aucun salon vocal que je voie. Entre dans un, puis utilise de nouveau cette commande.
called_in = { $familiar } est dans <#{ $call }> et t'écoute, te suit dans d'autres appels de ce serveur et part { $grace } après toi. Pour y mettre fin : `/unsubscribe-voice`.
seconds =
    { $count ->
        [one] { $count } seconde
       *[other] { $count } secondes
    }
hears_you_too = { $familiar } t'entend maintenant aussi. Appuie sur **{ decline }** sous son annonce dans le tchat de l'appel pour y mettre fin.
hears_you_already = { $familiar } est dans ton appel et t'entend déjà.
is_elsewhere = { $familiar } est avec d'autres dans <#{ $call }>, et ne peut être que dans un appel par serveur. Rejoins-les, ou attends.
lacks_permissions =
    { $count ->
        [one] Je ne peux pas encore venir dans <#{ $call }> : il me manque { $missing }. Donne cette permission à mon rôle dans les permissions du salon, puis réessaie.
       *[other] Je ne peux pas encore venir dans <#{ $call }> : il me manque { $missing }. Donne ces permissions à mon rôle dans les permissions du salon, puis réessaie.
    }
call_is_full = <#{ $call }> est plein. Augmente sa limite ou fais de la place, puis réessaie.
no_stages = <#{ $call }> est une conférence ; je ne peux parler que dans les salons vocaux.
unknown_call = Je ne vois pas ce salon vocal. Donnes-y { -view-channel } à mon rôle, puis réessaie.
not_joined = Je n'ai pas pu venir dans <#{ $call }> : { $why }. Réessaie dans une minute.
no_calls = Les appels sont désactivés ici. La personne qui gère ce bot peut les activer.
everybody_needs_manage_channels = Pour faire entendre tout le monde, il te faut { -manage-channels } dans <#{ $call }>. Sans `everybody`, il n'écoute que toi.
every_call_needs_everybody = `every_call` garde ce que dit `everybody` : mets aussi `everybody` sur True ou False.
every_call_needs_manage_server = Pour dire ce qui vaut dans tous les appels de ce serveur, il te faut { -manage-server }. Sans `every_call`, ça vaut dans cet appel.
everybody_in_every_call = À partir de maintenant, dans tous les appels de ce serveur, { $familiar } entend quiconque en a été prévenu et ne refuse pas. `/subscribe-my-voice everybody:False every_call:True` y met fin.
nobody_unasked = Dans tous les appels de ce serveur, { $familiar } n'entend que les personnes qui sont d'accord.
call_ended = { $familiar } a quitté l'appel.
hears_you_no_longer = { $familiar } ne t'écoute plus. La personne qui l'a fait venir, ou quelqu'un qui a { -manage-channels }, peut le faire partir.
does_not_hear_you = { $familiar } ne t'écoute pas.
in_no_call = { $familiar } n'est dans aucun appel sur ce serveur.
left_behind = -# { $familiar } a quitté l'appel : la personne qui l'a fait venir n'est plus là. `/subscribe-my-voice` le ramène.
left_alone = -# { $familiar } a quitté l'appel : il n'y avait personne. `/subscribe-my-voice` le ramène.
left_quiet = -# { $familiar } a quitté l'appel : personne n'a rien dit pendant { $quiet }. `/subscribe-my-voice` le ramène.
gave_up = -# { $familiar } a perdu l'appel : { $why }. `/subscribe-my-voice` le ramène.
cannot_follow = -# { $familiar } reste ici et ne peut pas venir dans <#{ $call }>. { $why }
deaf = -# { $familiar } n'a pas pu comprendre ce qui a été dit et se reconnecte. Ce qui vient d'être dit est perdu.
still_deaf = -# { $familiar } ne comprend toujours pas <@{ $user }>. Quitter l'appel et revenir peut aider.
unplaced = -# { $familiar } reçoit du son de quelqu'un qu'on n'arrive pas à identifier, et se reconnecte. Ce que cette personne vient de dire est perdu.
still_unplaced = -# { $familiar } reçoit toujours du son de quelqu'un qu'on n'arrive pas à identifier, et ne l'écoute pas. Qui parle sans être entendu : quitte l'appel et reviens.
hears_nothing = -# Ici, je peux parler mais pas entendre : { $why }. Écris-moi dans ce tchat.
misses_words = -# Je n'ai pas compris ce qui vient d'être dit : { $why }. Redis-le dans un instant, ou écris-moi dans ce tchat.
hears_again = -# J'entends de nouveau.
has_no_voice = -# Ici, je peux entendre mais pas parler : { $why }. Je réponds dans ce tchat.
speaks_again = -# Je parle de nouveau.
not_heard = -# <@{ $who }>, je ne t'entends pas pendant un moment : { $why }. Écris-moi dans ce tchat.
not_spoken_to = -# <@{ $who }>, je te réponds dans ce tchat pendant un moment : { $why }.
call_state = Dans l'appel <#{ $call }> : personnes entendues : { call_people } ; paquets : { $taken } pris, { $refused } refusés sans être entendus{ call_unplaced }, { $lost } perdus
call_people =
    { $heard ->
        [0] aucune
       *[other] { $heard }
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] , { $unplaced } d'origine inconnue
    }
transcript_heading = -# Ce qui a été dit. `/forget me` en retire tes mots.
and_more = { $named } et { $count } de plus

## Les commandes et leurs options

command_subscribe-text = Lire ce salon et ses fils, et répondre quand on lui parle
command_unsubscribe-text = Ne plus lire ce salon
command_channel = Un autre salon ou forum ; sinon celui-ci
command_subscribe-my-voice = Venir dans mon appel et m'écouter ; s'il y est déjà, m'écouter aussi
command_subscribe-my-voice_everybody = Écouter qui ne refuse pas ; demande { -manage-channels }
command_subscribe-my-voice_every_call = Garder `everybody` ainsi pour chaque appel du serveur ; demande { -manage-server }
command_unsubscribe-voice = Quitter l'appel ou, si quelqu'un d'autre l'a fait venir, ne plus m'écouter
command_quiet = Ici et dans l'appel de ce serveur, ne parler que si on lui parle
command_quiet_minutes = Pendant tant de minutes ; sinon jusqu'à /wake
command_wake = Ici et dans l'appel de ce serveur, se mêler de nouveau à la discussion
command_speak-first = Le laisser commencer à parler ici, sur des dates et anniversaires qu'il connaît
command_speak-first_on = S'il peut
command_speak-first_newcomers = Saluer ici, une fois, toute personne nouvelle sur le serveur
command_channel-full-rp = Écrire de longues réponses façon roman dans ce salon
command_channel-text-conversation-rp = Écrire une ou deux lignes courtes, comme dans un tchat, dans ce salon
command_channel-imitate-voice = Écrire une ou deux phrases courtes, comme à l'oral, dans ce salon
command_channel-backdrop = Dire ce qui se passe dans ce salon
command_reset = Repartir ici de zéro ; ce qui a été dit avant reste en mémoire
command_branch = Continuer dans un fil à part, qui sait ce qui a été dit ici avant
command_branch_name = Le nom du fil
command_profile = Image et nom de la fiche sur Discord ; son nom sur ce serveur
command_profile_picture = L'image de la fiche, partout sur Discord ; pour qui gère le bot
command_profile_name = Le nom de la fiche, partout sur Discord ; pour qui gère le bot
command_profile_nickname = Son nom sur ce serveur
command_profile_nickname_name = Sinon le nom de la fiche
command_memory = Ce qui est noté sur toi, pour autant que ça puisse se voir ici
command_memory_about = Seulement ce qui contient ces mots
command_reminders = Ce que tu as demandé qu'on te rappelle, visible ici ; l'annuler
command_forget = Ce que tu as dit ici et ailleurs, et ce qui en est noté
command_forget_me = Tout ce que tu as dit un jour, et tout ce qui est noté sur toi
command_forget_what = Ce que tu as dit avec certains mots, et ce qui en est noté
command_forget_what_words = Des mots ; tes messages et faits qui les contiennent tous partent
command_forget_undo = Annuler le dernier oubli, dans les sept jours
command_privacy = Ce qui est gardé de toi et qui le reçoit ; une copie, et te retirer
command_context = Pourquoi il a dit ce qu'il a dit : le relevé d'un de tes tours
command_context_turn = Un tour à toi, comme t42 ; sinon ton dernier ici
command_context_why = Des mots : les avait-il, les a-t-il laissés de côté, ou ne les a-t-il pas cherchés ?
command_lore = Le lore du monde : ce qui est venu, et pourquoi
command_lore_why = Quel lore ton dernier tour ici a fait venir, et pourquoi ; ou une entrée
command_lore_why_entry = Une entrée ; sinon tout ce qui est venu
command_greet = Dire une des salutations du personnage
command_greet_number = Quelle salutation ; sinon la première
command_pair = Relier tes messages privés à ce serveur, ou à un autre compte à toi
command_pair_code = Le code reçu ailleurs ; sans code, tu en reçois un
command_pair-past = Que ce que tu as dit avant soit connu aussi là où tu as fait l'association
command_unpair = Mettre fin à ce que tu as associé avec ce lieu
command_persona = Qui tu es dans le jeu de rôle, ici ou partout
command_persona_set = Dire qui tu es ; qui parle ici peut l'apprendre
command_persona_set_name = Ton nom dans le jeu de rôle
command_persona_set_description = Qui c'est, avec tes mots
command_persona_set_everywhere = Partout où tu n'en as pas mis d'autre ; sinon juste ici
command_persona_show = Qui tu es ici, et partout ailleurs
command_persona_clear = Redevenir toi-même
command_persona_clear_everywhere = Celui qui vaut partout ; sinon celui d'ici
command_status = Comment il va, et comment il écrit ici
command_help = Ce que fait ce bot et quelles commandes il a
