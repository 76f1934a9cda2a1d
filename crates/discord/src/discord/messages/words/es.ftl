# Lo que el propio programa dice en Discord, en español. Para qué sirve cada frase está en en.ftl.

## Nombres de Discord

-manage-channels = Gestionar canales
-manage-server = Gestionar servidor
-manage-nicknames = Gestionar apodos
-view-channel = Ver canal
-apps = Aplicaciones
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] Enviar mensajes
        [Send_Messages_in_Threads] Enviar mensajes en hilos
        [Read_Message_History] Leer el historial de mensajes
        [Connect] Conectar
        [Speak] Hablar
        [Create_Public_Threads] Crear hilos públicos
        [Change_Nickname] Cambiar apodo
       *[other] { $as_it_is }
    }

## Listas y fechas

list_comma = {", "}
list_and = {" y "}
date = { $day } de { month } de { $year }
month =
    { $month ->
        [1] enero
        [2] febrero
        [3] marzo
        [4] abril
        [5] mayo
        [6] junio
        [7] julio
        [8] agosto
        [9] septiembre
        [10] octubre
        [11] noviembre
       *[12] diciembre
    }
weekday =
    { $weekday ->
        [1] lunes
        [2] martes
        [3] miércoles
        [4] jueves
        [5] viernes
        [6] sábado
       *[7] domingo
    }

## Fallos, en el canal

model_failure =
    { $class ->
        [RateLimited] Demasiadas peticiones al modelo ahora mismo. Prueba otra vez en un minuto.
        [Server] El proveedor del modelo tiene problemas. Prueba otra vez en un minuto.
        [Network] No se pudo llegar al modelo. Prueba otra vez en un minuto.
        [BrokeOff] La respuesta se cortó antes de acabar. Prueba otra vez.
        [Timeout] El modelo ha tardado demasiado. Prueba otra vez.
        [ModelMissing] El modelo configurado no existe. Avisa a quien lleva este bot.
        [Authentication] La clave del modelo fue rechazada. Avisa a quien lleva este bot.
        [KeyMissing] El modelo pide una clave y no hay ninguna. Avisa a quien lleva este bot.
        [Quota] No queda saldo para el modelo. Avisa a quien lleva este bot.
        [ContextLength] Es más de lo que lee el modelo. Quien lleva este bot tiene que ajustar `context_window`.
        [ContentFilter] El proveedor del modelo lo ha rechazado. Prueba a decirlo de otra manera.
        [Malformed] La respuesta del modelo no se podía leer. Prueba otra vez.
        [Empty] El modelo no dio ninguna respuesta que se pueda mostrar. Prueba otra vez, o dilo de otra manera.
        [WebPage] En vez de una respuesta llegó una página web. Avisa a quien lleva este bot.
        [BadRequest] El modelo rechazó la petición. Avisa a quien lleva este bot.
        [CostCap] Se acabó el presupuesto de hoy. Vuelve a empezar a medianoche (UTC).
        [TokenCap] Se acabó el presupuesto de hoy. Vuelve a empezar a medianoche (UTC).
       *[Cancelled] Esa respuesta se ha parado.
    }
notice_model_failed = -# { model_failure } ({ $turn })
notice_try_later = -# Demasiadas peticiones al modelo ahora mismo. Prueba otra vez en { $wait }. ({ $turn })
notice_not_stored = -# No he podido apuntarlo, así que no he contestado. Avisa a quien lleva este bot. ({ $turn })
notice_too_much_at_once = -# Es más de lo que puedo contestar a la vez. Dame un minuto; lo que escribas lo leo igual.
notice_cut_short = -# Mis respuestas no pueden ser más largas. Pídeme que siga y te digo el resto. ({ $turn })
notice_kept_back = -# Lo que iba a decir no es para todo el que pueda leer esto, así que me lo guardo. Pregúntame de otra forma. ({ $turn })
notice_keeps_quiet = -# A partir de ahora solo hablo si me hablan. `/wake` lo termina; también decirme que ya puedo hablar.
notice_joins_in_again = -# Ya puedo volver a meterme en la charla. `/quiet` lo termina.
notice_message_too_long = -# Ese mensaje es demasiado largo para mí: tiene { $tokens } tokens y caben { $fits }. Mándalo por partes. ({ $turn })
notice_prompt_too_large = -# El personaje es demasiado grande para su modelo. Avisa a quien lleva este bot. ({ $turn })

## Leer y no leer

dm_refused = { $familiar } solo lee mensajes directos de gente de un servidor donde lee, y de quienes están en su lista, así que esto no se ha leído. Háblale en un servidor así, o pide a quien lleva este bot que añada tu ID `{ $account }` a `dm_allowlist`.
subscribed = { $familiar } ahora lee <#{ $channel }> y sus hilos. Para pararlo: `/unsubscribe-text`.
begins_to_read = -# A partir de ahora { $familiar } lee este canal y sus hilos, y recuerda lo que se dice aquí. `/help` cuenta más, `/privacy` qué hay guardado de ti; allí también puedes darte de baja.
begins_alone = -# { $familiar } recuerda lo que escribes aquí. `/help` cuenta más, `/privacy` qué hay guardado de ti; allí también puedes darte de baja.
does_not_read = -# { $familiar } no lee este canal, así que eso tampoco lo ha leído. Aquí lo cambia `/subscribe-text`.
keeps_quiet = { $familiar } solo habla si le hablan. `/wake` lo termina; en una llamada se acaba con la llamada.
keeps_quiet_for = { $familiar } solo habla si le hablan durante { $span }. `/wake` lo termina; en una llamada se acaba con la llamada.
joins_in_again = { $familiar } ya puede volver a meterse en la charla. `/quiet` lo termina.
was_not_quiet = A { $familiar } no se le había pedido silencio aquí.
not_let_in = { $familiar } no está disponible para ti aquí; lo decide quien lleva este bot. `/privacy` muestra qué hay guardado de ti, y `/forget` lo borra.
reset = La conversación empieza aquí de nuevo: { $familiar } ya no tiene a la vista lo que se dijo antes. Lo sigue recordando, y puede volverle a la cabeza si sale el tema; para lo que deba desaparecer está `/forget`.
undo_reset = Deshacerlo
reset_undone = { $familiar } vuelve a tener a la vista lo que se dijo antes.
reset_since = Desde entonces la conversación ha vuelto a empezar otra vez, así que esto se queda como está.
nothing_to_reset = Aquí no hay nada dicho que se pueda dejar atrás.
alone_it_answers = En los mensajes directos no hay nadie más por quien callar.
not_here_and_in_no_call = { $familiar } no lee este canal ni está en ninguna llamada de este servidor.
how_to_forget = -# Para que algo se olvide de verdad: `/forget what` borra lo que dijiste con ciertas palabras, `/forget me` todo; `/memory` muestra qué hay apuntado sobre ti.
forget_me = Olvidar todo lo mío …
already_subscribed = { $familiar } ya lee <#{ $channel }>. Para pararlo: `/unsubscribe-text`.
dm_needs_no_subscription = Los mensajes directos no necesitan suscripción. Usa este comando en un servidor.
unsubscribed = { $familiar } ya no lee <#{ $channel }>. Para volver a empezar: `/subscribe-text`.
not_subscribed = { $familiar } no lee <#{ $channel }>. Para empezar: `/subscribe-text`.
bot_lacks_permissions =
    { $count ->
        [one] Todavía no puedo hablar en <#{ $channel }>: me falta { $missing }. Dale a mi rol ese permiso en los permisos del canal y prueba otra vez.
       *[other] Todavía no puedo hablar en <#{ $channel }>: me faltan { $missing }. Dale a mi rol esos permisos en los permisos del canal y prueba otra vez.
    }
unknown_place = No veo este canal. Dale a mi rol { -view-channel } aquí y prueba otra vez.
needs_manage_channels = Para eso necesitas { -manage-channels } en <#{ $channel }>. Pídeselo a alguien que lo tenga.

## Cómo escribe, y qué pasa aquí

mode_set = <#{ $channel }> está ahora en modo { mode_name }: { mode_words }
mode_name =
    { $mode ->
        [FullRp] rol completo
        [TextConversationRp] conversación escrita
       *[ImitateVoice] imitar la voz
    }
mode_words =
    { $mode ->
        [FullRp] respuestas largas, como de novela, en tercera persona.
        [TextConversationRp] como en un chat, un par de líneas cortas.
       *[ImitateVoice] una o dos frases cortas, como habladas.
    }
backdrop_title = Qué pasa en este canal
backdrop_label = ¿Qué pasa aquí? (vacío lo borra)
backdrop_placeholder = Una taberna en el cruce de caminos, ya de noche. Fuera llueve.
backdrop_set = El escenario de <#{ $channel }> está puesto ({ $chars } caracteres). Cuenta desde la próxima respuesta.
backdrop_cleared = <#{ $channel }> ya no tiene escenario.
greeted = Ya he saludado.
greet_needs_subscription = { $familiar } no lee este canal. Usa primero `/subscribe-text`.
no_such_greeting =
    { $have ->
        [0] La ficha no tiene ningún saludo.
        [1] La ficha tiene un solo saludo: usa `/greet` sin número.
       *[other] La ficha tiene { $have } saludos: usa un número del 1 al { $have }.
    }
speaks_first_no = A partir de ahora { $familiar } solo habla aquí después de otra persona.
speaks_first_nowhere = { $familiar } puede empezar a hablar aquí por su cuenta, pero quien lleva este bot ha decidido que no lo haga en ningún sitio.
speaks_first_yes =
    { $per_day ->
        [one] { $familiar } puede empezar a hablar aquí por su cuenta, sobre fechas y cumpleaños que le hayan contado: entre las { $from_hour }:00 y las { $to_hour }:00, 1 vez al día como mucho, y nunca otra vez antes de que alguien conteste. `/speak-first on:False` lo termina.
       *[other] { $familiar } puede empezar a hablar aquí por su cuenta, sobre fechas y cumpleaños que le hayan contado: entre las { $from_hour }:00 y las { $to_hour }:00, { $per_day } veces al día como mucho, y nunca otra vez antes de que alguien conteste. `/speak-first on:False` lo termina.
    }
greets_newcomers_yes = { $familiar } saluda aquí, una sola vez, a quien es nuevo en este servidor, salvo que duerma o deba estar en silencio.
greets_newcomers_no = { $familiar } no saluda aquí a quien llega.
does_not_speak_first = { $familiar } no lee aquí, así que tampoco dice nada. Lo cambia `/subscribe-text`.

## Qué hizo un turno

no_turn_yet = Aquí todavía no hay nada que explicarte. Di algo primero y pregunta otra vez.
no_such_turn = No hay ningún turno `{ $given }` en el que participaras. Déjalo vacío para ver el último tuyo.
context_attached = Turno { $turn }: { $summary } El archivo adjunto cuenta cómo se llegó a eso; solo lo ves tú.
outcome_replied =
    { $messages ->
        [one] respondió en 1 mensaje.
       *[other] respondió en { $messages } mensajes.
    }
outcome_silent = se quedó en silencio porque { silence }.
silence =
    { $reason ->
        [OnlyWhenAddressed] nadie le habló, y aquí no interviene por su cuenta
        [AddressedToSomeoneElse] el mensaje era para otra persona
        [FromBot] no responde a bots
        [NotStored] el mensaje no se pudo guardar
        [SaidMeanwhile] se dijo mientras el programa no estaba en marcha
        [EnoughForNow] los desconocidos tienen un número limitado de respuestas, y por ahora se les han acabado
        [TooMuchAtOnce] se pidió más de lo que los límites permiten por ahora
        [SomebodyInDistress] alguien lo está pasando muy mal aquí, así que solo habla si le hablan
        [Asleep] está durmiendo, y nadie le habló
        [ToldToBeQuiet] se le pidió silencio
        [KeptQuiet] se le pidió silencio aquí hasta { $until }
        [KeptQuietUntilWoken] se le pidió silencio aquí hasta `/wake`
        [FoundNothingToSay] le pareció que no había nada que decir
        [Reacted] el emoji que puso bajo un mensaje es su respuesta
        [WaitsForTheRest] aquello no parecía terminado, y espera el resto
       *[NotAddressed] nadie le habló ({ $count } de { $threshold } mensajes hasta que interviene)
    }
outcome_undelivered =
    { $messages ->
        [0] la respuesta no se pudo publicar.
        [one] de la respuesta solo se pudo publicar 1 mensaje.
       *[other] de la respuesta solo se pudieron publicar { $messages } mensajes.
    }
outcome_cancelled =
    { $messages ->
        [0] se interrumpió antes de decir nada: { cancelled_because }.
        [one] se interrumpió tras 1 mensaje: { cancelled_because }.
       *[other] se interrumpió tras { $messages } mensajes: { cancelled_because }.
    }
cancelled_because =
    { $reason ->
        [Superseded] antes se dijo algo más
        [Interrupted] alguien habló entretanto
        [StoppedByHand] alguien lo detuvo
        [Withdrawn] se borró el mensaje
        [Shutdown] el programa se estaba cerrando
       *[Killed] el programa se cerró a la fuerza
    }
turn_of_another_place = El turno { $turn } fue en otro canal. Pregunta allí: solo puede leerlo quien ve ese canal.
why_attached = Qué hizo el turno { $turn } con esas palabras va adjunto; solo lo ves tú.

## `/status` y `/help`

status_up = En marcha desde hace { $uptime }, modelo: { $model }
status_here =
    { $here ->
       *[NotRead] Este canal: no se lee (`/subscribe-text`)
        [Read] Este canal: se lee{ in_mode }
        [ThroughParent] Este hilo: se lee con su canal{ in_mode }
        [Dm] Mensajes directos: se leen{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] , modo { mode_name }
    }
status_quiet =
    { $until ->
        [wake] Aquí solo hablo si me hablan, hasta `/wake`
       *[other] Aquí solo hablo si me hablan, hasta <t:{ $until }:f>
    }
status_mute = No puedo escribir en este canal
status_subscriptions = Canales que se leen en este servidor: { $count }
status_early = Respuestas empezadas antes de tiempo en llamadas: { $begun }, de ellas dadas: { $given }
status_last_reply = La última respuesta aquí tardó { $seconds } s
status_budget = Presupuesto de hoy: { $spent } $ de { $cap } $
status_spent = Gastado hoy: { $spent } $, sin límite
status_cap = Presupuesto: { $cap } $ al día
status_unpriced = Tokens de hoy cuyo precio no se conoce: { $used }
status_unpriced_of = Tokens de hoy cuyo precio no se conoce: { $used } de { $cap }
help =
    {"**"}{ $familiar }** lee los canales a los que está suscrito el bot y contesta cuando le hablan: por su nombre, con una mención o respondiendo. De vez en cuando se mete en la charla por su cuenta. Si editas o borras un mensaje, cambia lo que recuerda de él.

    Para todo el mundo:
    `/memory` — qué tiene apuntado sobre ti y puede decir aquí; corregirlo u olvidarlo
    `/reminders` — de qué pediste que te avisara, y cancelarlo
    `/forget me`, `/forget what` — que olvide lo que dijiste, en todas partes; `/forget undo` lo deshace
    `/privacy` — qué hay guardado de ti, una copia, y darte de baja
    `/context` — por qué respondió así a tu último mensaje
    `/lore why` — qué lore sacó tu último turno, y por qué
    `/greet` — que diga uno de sus saludos
    `/pair`, `/pair-past`, `/unpair` — que te conozca en otro sitio como en los mensajes directos, o ya no
    `/persona` — quién eres en el juego de rol, aquí o en todas partes
    `/status` — cómo está, y cómo escribe aquí
    `/branch`, *{ -apps } → { branch }* — la charla sigue en su propio hilo
    {"*"}{ -apps } → { repair }* sobre una respuesta para ti — otra respuesta, otras palabras o ninguna
    `/subscribe-my-voice`, `/unsubscribe-voice` — venir a tu llamada y escucharte, o dejarlo
    `/quiet`, `/wake` — aquí y en la llamada de este servidor, hablar solo si le hablan, o volver a meterse

    Con { -manage-channels }:
    `/subscribe-text`, `/unsubscribe-text` — leer este u otro canal o foro, o dejarlo
    `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — cómo escribe aquí
    `/channel-backdrop` — qué pasa aquí
    `/reset` — empezar aquí la conversación de nuevo; lo dicho se sigue recordando
    `/speak-first` — dejar que empiece a hablar aquí por su cuenta, o ya no

    Con { -manage-nicknames }:
    `/profile nickname` — cómo se llama en este servidor

    Las respuestas a los comandos solo las ve quien los usó.

## Qué falló con un comando

command_failed = No ha funcionado: { $what }. Si vuelve a pasar, avisa a quien lleva este bot.
failed_settings =
    { $why ->
        [Full] no se pudieron guardar los ajustes porque el disco está lleno: quien lleva este bot tiene que hacer sitio
        [Locked] no se pudieron guardar los ajustes porque no puedo escribir en el disco: quien lleva este bot tiene que permitírmelo
       *[none] no se pudieron guardar los ajustes
    }
failed_history = no se pudo buscar en lo que se dijo
failed_pairing = no se pudo apuntar lo que está vinculado
failed_trace = no se pudo leer el registro de ese turno
failed_forget = todavía no se ha olvidado todo; el resto se va en el próximo arranque
failed_notes = no se pudieron leer las notas
command_broke = No ha funcionado. El registro dice por qué; si vuelve a pasar, avisa a quien lleva este bot.

## Cómo está

branch = Seguir en un hilo
branched = El hilo está abierto: <#{ $thread }>. Allí se sabe lo que se dijo aquí antes.
not_done =
    { $why ->
        [BotLacks] Eso no puedo hacerlo aquí. Me falta: { $missing }. Quien gestiona el servidor puede dárselo a mi rol.
        [AskerLacks] Eso lo hago solo para quien puede hacerlo aquí por su cuenta. Te falta: { $missing }.
        [AskerUnseen] Ahora mismo no puedo ver qué puedes hacer aquí. Prueba otra vez en un momento.
        [NoThreadsHere] Solo se pueden abrir hilos en los canales de texto de un servidor.
        [Late] Discord no respondió a tiempo. Prueba otra vez en un momento.
        [MessageGone] Ese mensaje ya no existe.
        [HasThread] Ese mensaje ya tiene un hilo.
        [Locked] Este hilo está bloqueado.
        [ChannelGone] Este canal ya no existe.
        [NotAccepted] Discord ya no acepta al bot. Avisa a quien lleva este bot.
        [Closed] Eso no puedo hacerlo aquí.
       *[Said] Discord lo rechazó: «{ $words }»
    }
branches_not_here = { $familiar } no lee aquí, así que de aquí no sigue nada. Lo cambia `/subscribe-text`.
asleep = durmiendo
asleep_doing = durmiendo, { $doing }
busy = con cosas que hacer
mood =
    { $mood ->
        [elated] en una nube
        [happy] feliz
        [cheerful] alegre
        [content] a gusto
        [angry] de mal humor
        [downcast] por los suelos
        [irritated] irritable
        [a_little_low] algo triste
        [lively] con energía
       *[drowsy] con sueño
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } duerme hasta las { $until }{ doing }. Quien le hable a { $familiar } tendrá respuesta igualmente.
        [Busy] { $familiar } tiene cosas que hacer hasta las { $until }{ doing }.{ in_mood }
       *[Awake] { $familiar } está por aquí{ doing }.{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] : { $doing }
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] {" "}Ánimo: { mood }.
    }
profile_changed =
    { $what ->
        [Picture] Ahora lleva la imagen de la ficha, en todo Discord.
        [Name] Ahora tiene el nombre de la ficha, en todo Discord.
       *[Nickname] Así se llama ahora en este servidor.
    }
profile_refused = Discord no lo aceptó: «{ $why }». Las imágenes y los nombres solo se pueden cambiar unas pocas veces por hora.
profile_is_the_operators = Su imagen y su nombre son los mismos en todos los servidores, así que solo los cambia quien lleva este bot: la gente de `discord.operators`. Para este servidor está `/profile nickname`.
no_picture = La ficha de { $familiar } no tiene una imagen que se pueda leer: `memory/self/assets/avatar.png`.
picture_too_large = La imagen de la ficha pasa de los 10 MiB que acepta Discord.
name_does_not_fit = Discord acepta nombres de 2 a 32 caracteres, y «{ $name }» tiene { $chars }.
nicknames_are_of_servers = Solo en los servidores puede llamarse de otra manera.
needs_manage_nicknames = Para eso necesitas aquí el permiso { -manage-nicknames }.

## `/lore why`

no_lore = El turno { $turn } no tenía ningún lorebook que mirar. Quien lleva este bot puede añadir uno con `familiar lore import`.
no_such_entry = Ninguna entrada de lore se llama «{ $given }». Déjala vacía para ver cuáles salieron.
lore_called_up =
    { $fired ->
        [0] El turno { $turn } no sacó ninguna de { $all } entradas de lore.
       *[other] El turno { $turn } sacó { $fired } de { $all } entradas de lore:
    }
lore_not_called_up = No salieron:
lore_rest = Otras { $rest } no tenían nada que ver. `/lore why entry:` habla de una.
lore_in_turn = En el turno { $turn }:
lore_entry =
    { $fired ->
        [yes] - **{ $name }** ({ $book }) salió: { $why }{ lore_how_much }
       *[no] - **{ $name }** ({ $book }) no salió: { $why }{ lore_how_much }
    }
lore_line = - **{ $name }**: { $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] ; solo cupo su primera frase
        [Paragraph] ; solo cupo su primer párrafo
       *[Full] {""}
    }
lore_constant = siempre activa
lore_by_text = su texto dice @@{ $by }
lore_key = la clave «{ $key }» está en { $at }
lore_key_and_filter = la clave «{ $key }» está en { $at }, y su filtro «{ $filter }» coincide
lore_lasts =
    { $what ->
        [Sticky] se queda { lore_messages } más
        [Delay] espera { lore_messages } más
       *[Cooldown] descansa { lore_messages } más
    }
lore_messages =
    { $left ->
        [one] 1 mensaje
       *[other] { $left } mensajes
    }
lore_latched = su clave ya apareció antes, y con eso le basta
lore_retrieved = trata de lo que se dijo (puntuación { $score })
lore_no_key_found = ninguna de sus claves está en lo que se leyó
lore_no_keys = no tiene claves y no está siempre activa
lore_filter_keys = la clave «{ $key }» está, pero sus filtros dicen que no ({ lore_rule })
lore_rule =
    { $logic ->
        [and_all] tienen que estar todos
        [not_all] tiene que faltar uno
        [not_any] no puede estar ninguno
       *[and_any] tiene que estar uno
    }
lore_disabled = está desactivada
lore_other_character = es para otros personajes
lore_other_trigger = no es para turnos del tipo «{ $trigger }»
lore_waits_for_others = espera a que la llamen otras entradas (nivel { $level }), y ninguna lo hizo
lore_not_by_entries = su clave «{ $key }» solo está en otras entradas, y esas no pueden llamarla
lore_roll = no salió en el sorteo ({ $rolled } de 100, su probabilidad es del { $chance } %)
lore_group = del grupo «{ $group }» se tomó «{ $winner }»
lore_group_served = el grupo «{ $group }» ya estaba servido
lore_budget = no cabe: con ella el lore ocuparía { $needed } de { $limit } tokens
lore_left_out = se activó, pero no llegó al prompt; `/context` dice por qué
lore_empty = no queda nada de su texto
lore_no_outlet = su lugar es el outlet «{ $outlet }», que nada abre
lore_in_newest = el mensaje más reciente ({ $speaker })
lore_in_message = el mensaje { $back } desde el final ({ $speaker })
lore_in_card = la ficha, campo { $field }
lore_in_entry = la entrada «{ $name }»
lore_more = … y { $rest } líneas más; `/context` las tiene todas.

## Recordar y olvidar

plan_messages =
    { $count ->
        [one] 1 mensaje tuyo
       *[other] { $count } mensajes tuyos
    }
plan_replies =
    { $count ->
        [one] 1 respuesta que se te dio
       *[other] { $count } respuestas que se te dieron
    }
plan_facts =
    { $count ->
        [one] 1 dato apuntado
       *[other] { $count } datos apuntados
    }
plan_notes =
    { $count ->
        [one] 1 nota entera
       *[other] { $count } notas enteras
    }
plan_unread =
    { $count ->
        [one] 1 respuesta ilegible de un modelo
       *[other] { $count } respuestas ilegibles de un modelo
    }
plan_traces =
    { $count ->
        [one] 1 rastro más de ti (como una reacción)
       *[other] { $count } rastros más de ti (como reacciones)
    }
plan_transcripts =
    { $count ->
        [one] 1 mensaje de una transcripción
       *[other] { $count } mensajes de transcripciones
    }
plan_name = tu nombre
forget_plan_nothing = { $familiar } no recuerda nada tuyo que encaje.
forget_plan = { $familiar } olvidaría { $plan }. Tus palabras se van de su memoria, de sus resúmenes y de sus registros, en este servidor y en todas partes; las de otra gente se quedan.
forget_plan_transcripts = Se revisan las transcripciones de llamadas con palabras tuyas: se borran los mensajes que contengan estas palabras, y los que no se puedan leer. No vuelven.
forget_plan_transcripts_go = Los mensajes de transcripciones se borran y no vuelven.
forget_plan_copies = Lo que se olvidó antes todavía se puede recuperar. **{ forget_for_good }** destruye también esa copia.
forget_plan_ends = {"**"}{ forget }** se puede deshacer con `/forget undo` durante siete días. **{ forget_for_good }** no guarda copia.
forget_plan_facts = De lo apuntado, esto se puede mostrar aquí:
forget_plan_facts_more = …y { $count } más, que aquí no se muestran
transcripts_searched = { $familiar } no recuerda nada tuyo que encaje. Se están borrando los mensajes con transcripciones de llamadas que contienen estas palabras.
forget = Olvidar
forget_for_good = Olvidar para siempre
keep = Conservar
nothing_to_forget = { $familiar } no tiene nada tuyo que encaje. `/memory` muestra qué sabe de ti aquí.
forgotten = { $familiar } ha olvidado { $plan }. `/forget undo` lo deshace durante siete días.
forgotten_transcripts = { $familiar } ha olvidado { $plan }. `/forget undo` lo deshace durante siete días. Las transcripciones de llamadas no vuelven.
forgotten_for_good = { $familiar } ha olvidado { $plan } para siempre.
forgotten_copies_for_good = Lo que { $familiar } había olvidado se ha ido para siempre: ya no se puede recuperar.
forgotten_all_for_good = { $familiar } ha olvidado { $plan } para siempre, y lo que se olvidó antes ya no se puede recuperar.
kept = No se ha olvidado nada.
undone = Ha vuelto: { $plan }. { $familiar } resume de nuevo las conversaciones antiguas; los registros de sus respuestas no vuelven.
undone_transcripts = Ha vuelto: { $plan }. { $familiar } resume de nuevo las conversaciones antiguas; los registros de sus respuestas y las transcripciones de llamadas no vuelven.
nothing_to_undo = No hay nada que recuperar: en los últimos siete días no se olvidó nada tuyo, o fue para siempre.
known_facts = Lo que { $familiar } sabe de ti y puede decir aquí:
known_fact =
    { $is_past ->
        [yes] - { $words } (ya no) · *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = …y { $count } más; pon palabras con `/memory about` para ver otros.
known_facts_end = Elige uno para corregirlo u olvidarlo. Lo que le contaste en otro sitio se muestra allí.
noted_fact =
    { $slot ->
        [name] { $who } se hace llamar { $value }.
        [home] { $who } vive en { $value }.
        [origin] { $who } es de { $value }.
        [birthday] Cumpleaños de { $who }: { $value }.
        [allergy] Alergia de { $who }: { $value }.
        [favourite] Lo favorito de { $who } ({ $what }): { $value }.
        [called] Nombre ({ $what } de { $who }): { $value }.
        [work-as] { $who } trabaja como { $value }.
        [work-at] { $who } trabaja en { $value }.
        [work-for] { $who } trabaja para { $value }.
        [pronouns] Pronombres de { $who }: { $value }.
        [time-zone] Zona horaria de { $who }: { $value }.
       *[diet] Dieta de { $who }: { $value }.
    }
nothing_known = { $familiar } no tiene apuntado sobre ti nada que se pueda ver aquí. Lo que dijiste y no hiciste olvidar lo recuerda igualmente; `/forget me` hace que lo olvide.
nothing_with_these_words = { $familiar } no tiene apuntado sobre ti nada con esas palabras que se pueda ver aquí. Sin ellas, `/memory` muestra lo que hay: { $others }.
choose_fact = Corregir u olvidar uno
one_fact =
    > { $words }
    -# { $learnt }
    Al olvidarlo se van también los mensajes tuyos de los que se supo, y lo que se contestó a ellos.
correct = Corregir
correct_title = ¿Qué es lo correcto?
correct_label = Una frase, con tu nombre en ella
fact_gone = Eso ya no está apuntado. `/memory` muestra lo que hay.
corrected =
    { $familiar } ahora sabe:
    > { $words }
not_corrected = No se ha cambiado: dice lo mismo, o la nota se editó mientras tanto. Prueba `/memory` otra vez.
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] apuntado por quien lleva este bot
        [Guild] aprendido en el servidor
        [Private] aprendido en un canal cerrado
        [Restricted] aprendido en este canal
        [Dm] aprendido aquí, a solas contigo
       *[Shared] aprendido a solas contigo, y compartido con sitios que vinculaste
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] , { $on }
    }
learnt_by =
    { $by ->
        [You] ; lo dijiste tú
        [Other] ; lo dijo <@{ $teller }>
        [Familiar] ; palabras suyas
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
        [one] ; de un mensaje
       *[other] ; de { $count } mensajes
    }
learnt_from_notes =
    { $count ->
        [one] ; de lo aprendido en una sesión
       *[other] ; de { $count } cosas aprendidas en sesiones
    }

## Vincular

pair_code =
    { $from ->
        [alone] Tu código: **{ $code }**. Introdúcelo con `/pair code:{ $code }` en los próximos { $minutes } minutos; vale una sola vez. Si lo introduces en un servidor, allí puedo conocerte como aquí; si lo haces en un mensaje directo desde otra cuenta tuya, tomo las dos por una misma persona. No se lo enseñes a nadie: quien lo introduzca cuenta como tú.
       *[server] Tu código: **{ $code }**. Introdúcelo con `/pair code:{ $code }` en los próximos { $minutes } minutos; vale una sola vez. Si lo introduces en un mensaje directo conmigo, aquí puedo conocerte como allí. No se lo enseñes a nadie: quien lo introduzca cuenta como tú.
    }
paired = Vinculado. { paired_what } Lo que me contaste antes se queda donde estaba, si no usas `/pair-past`. `/unpair` lo termina.
paired_what =
    { $what ->
        [accounts] A partir de ahora, lo que me cuentes a solas desde una de las cuentas lo sé también a solas con la otra.
        [this_server] A partir de ahora, lo que me cuentes en mensajes directos puede salir en este servidor, lo lea quien lo lea.
       *[that_server] A partir de ahora, lo que me cuentes aquí puede salir en ese servidor, lo lea quien lo lea.
    }
pair_asked = Este código es de <@{ $other }>. ¿Es otra cuenta tuya? Entonces tomo las dos por una sola persona: lo que me cuentes a solas desde una, lo sé cuando estoy a solas con la otra. Si el código te lo dio otra persona, se enteraría de todo lo que me cuentes a solas.
pair_is_mine = Es mía
pair_not_mine = No es mía
not_paired = No se ha vinculado nada.
paired_with = Tienes un vínculo con { $ends }; `/unpair` lo termina.
paired_server = un servidor
pair_refused =
    { $why ->
        [NotHere] Aquí no se puede vincular nada.
        [Wrong] Ese código no vale aquí. Los códigos duran diez minutos y valen una vez; consigue otro con `/pair`.
        [TooManyTries] Demasiados códigos equivocados. Espera { $minutes } minutos y prueba otra vez.
        [SamePlace] Pediste ese código justo aquí. Introdúcelo en el otro sitio.
        [OptedOut] Te diste de baja, así que no se puede guardar nada tuyo, tampoco un vínculo. Con `/privacy` puedes volver a participar.
        [Already] Ya están vinculados, o uno de ellos con otra persona. `/unpair` lo termina.
       *[TooMany] Has vinculado todos los sitios que puedo guardar. Usa antes `/unpair` en uno.
    }
past_only_alone = Usa `/pair-past` en un mensaje directo conmigo: se trata de lo que me contaste allí.
past_nothing = No hay nada que compartir: no hay nada vinculado que no lo sepa ya. Usa antes `/pair`.
past_shared = Lo que me has contado aquí hasta ahora ya puede salir en { $places }, donde te vinculaste. `/unpair` lo retira de allí.
past_servers =
    { $count ->
        [one] 1 servidor
       *[other] { $count } servidores
    }
past_accounts =
    { $count ->
        [one] 1 conversación directa
       *[other] { $count } conversaciones directas
    }
unpaired =
    { $was_paired ->
        [yes] Desvinculado. Lo que me cuentes a solas vuelve a ser solo nuestro, y lo que compartiste ya no se usa aquí. Lo que ya dije delante de otros, dicho queda.
       *[no] No has vinculado nada con este sitio.
    }

## Quién es alguien en el juego de rol

persona =
    { $description ->
        [none] **{ $name }**.
       *[other] **{ $name }**: { $description }
    }
persona_set =
    Aquí eres ahora { $persona }
    La gente que habla aquí puede enterarse por las respuestas. `/persona clear` lo termina.
persona_set_everywhere =
    Donde no hayas puesto otro, eres ahora { $persona }
    La gente que habla aquí puede enterarse por las respuestas. `/persona clear everywhere:True` lo termina.
no_persona =
    { $why ->
        [Nameless] No puede ser: un personaje necesita un nombre.
        [LongName] No puede ser: el nombre de un personaje tiene { $name_chars } caracteres como mucho.
        [Taken] No puede ser: así se llama ya otra persona de aquí, o el personaje del bot.
       *[LongDescription] No puede ser: lo que se cuenta de un personaje tiene { $chars } caracteres como mucho.
    }
too_many_personas = Ya tienes un personaje en tantos sitios como se permite. Usa `/persona clear` en uno de ellos para quitar el de allí, o pon uno para todas partes.
persona_yourself = Aquí eres tú. Con `/persona set` eres otra persona en el juego de rol.
persona_here = Aquí eres { $persona }
persona_elsewhere = En los demás sitios eres { $persona }
persona_cleared =
    { $was_set ->
        [yes] Quitado. Aquí eres tú.
       *[no] No había ninguno que quitar. Aquí eres tú.
    }
persona_cleared_still =
    { $was_set ->
        [yes] Quitado. Aquí eres { $persona }
       *[no] No había ninguno que quitar. Aquí eres { $persona }
    }
persona_clear_everywhere = `/persona clear everywhere:True` lo termina.

## Privacidad

copy_of_mine = Copia de mis datos
opt_out = Darme de baja …
take_part = Volver a participar
opt_out_and_forget = Baja y olvidar
opt_out_for_good = Baja y olvidar para siempre
not_now = Ahora no
privacy_nothing = { $familiar } todavía no ha guardado nada tuyo.
privacy_stored = { $familiar } ha guardado { $plan }, en el equipo de quien lleva el bot.
privacy =
    { $stored } Lo que una respuesta necesita de eso va al modelo que la escribe; lo que dices en llamadas y en los mensajes de voz que le enseñas va al reconocimiento de voz. Tus mensajes directos no se le cuentan a nadie más.
    `/memory` muestra y corrige lo que hay apuntado sobre ti, `/forget` retira cosas.
    {"**"}{ copy_of_mine }** te da tus mensajes, notas, avisos y personajes en un archivo. **{ opt_out }** lo termina todo: nada de lo que escribas, digas o pongas como reacción se lee, guarda ni envía desde entonces, en ningún servidor.
opting_out =
    { $familiar } ya no leería, guardaría ni enviaría nada tuyo, por escrito ni en llamadas, en ningún servidor ni en mensajes directos, y no podría contestarte.{ opting_out_now } Lo que otros digan de ti son sus palabras, y se queda. Con `/privacy` puedes volver a participar.
    {"**"}{ opt_out_and_forget }** guarda siete días una copia sellada, que `/forget undo` devuelve cuando vuelvas a participar. **{ opt_out_for_good }** no guarda ninguna.
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] {" "}Lo guardado se olvida ahora: { $plan }.
    }
opted_out = { $familiar } no lee nada tuyo a partir de ahora. { $forgotten }
stays_out = Te diste de baja: { $familiar } no lee, guarda ni envía nada tuyo. Solo se guarda el número de tu cuenta, en la lista de quienes se dieron de baja.
takes_part = { $familiar } te lee otra vez a partir de ahora. Lo que escribiste entre medias no se leyó, y así se queda.
opted_out_hint = -# Te diste de baja, así que { $familiar } no ha leído eso. Con `/privacy` puedes volver a participar.
undo_while_opted_out = Te diste de baja: { $familiar } no puede guardar nada tuyo. Con `/privacy` puedes volver a participar; entonces puede volver.
copied =
    { $is_all ->
        [yes] Aquí está tu copia. Tiene { $messages } mensajes tuyos, que son todos, las notas y los avisos que se pueden ver aquí, y tus personajes. Pídela en un mensaje directo para tener las notas y los avisos de allí.
       *[no] Aquí está tu copia. Tiene { $messages } mensajes tuyos, los más nuevos (el resto lo tiene quien lleva este bot), las notas y los avisos que se pueden ver aquí, y tus personajes. Pídela en un mensaje directo para tener las notas y los avisos de allí.
    }

## Aprender de lo que se hace con sus respuestas

let_learn = Dejar que aprenda
end_learning = Que deje de aprender
unlearn = Olvidar lo aprendido aquí
learns = { $familiar } aprende de lo que haces con sus respuestas; `/memory` muestra qué salió de ahí, y tu copia, lo que se contó. **{ end_learning }** lo termina y lo borra.
learns_not = Con **{ let_learn }**, { $familiar } puede contar lo que haces con sus respuestas: reacciones, pedir otra, corregir, borrar o hablar por encima, y si sigues la charla cuando se mete en ella. Después se mete ahí antes o más tarde, contesta más corto o más largo y recurre más o menos a una herramienta. Son recuentos, nunca tus palabras; no se entrena ningún modelo.
lets_learn = Desde ahora { $familiar } aprende de lo que haces con sus respuestas, en todos los servidores y a solas contigo. `/memory` muestra qué salió de ahí en cada sitio, `/privacy` lo termina.
ends_learning =
    { $responses ->
        [0] { $familiar } ya no aprende de lo que haces con sus respuestas.
       *[other] { $familiar } ya no aprende de lo que haces con sus respuestas. Lo tuyo que estaba contado ya no está ({ $responses }).
    }
unlearned =
    { $responses ->
        [0] { $familiar } no ha aprendido nada aquí.
       *[other] { $familiar } ha olvidado lo que aprendió aquí ({ $responses }).
    }
learned =
    { $counted ->
        [one] -# Lo que { $familiar } aprendió aquí de lo que la gente hizo con sus respuestas (contado 1 vez): { $came }.
       *[other] -# Lo que { $familiar } aprendió aquí de lo que la gente hizo con sus respuestas (contado { $counted } veces): { $came }.
    }
learned_nothing = todavía no basta para cambiar nada
learned_waits = antes de meterse en la charla espera el { $percent } % de los mensajes habituales{ $hours }
learned_hours = , de { $from } a { $to } h el { $percent } %
learned_shorter = sus respuestas serán más cortas
learned_longer = sus respuestas serán más largas
learned_tools = algunas herramientas pesan más o menos: { $tools }

## Avisos

choose_reminder = Cancelar uno …
reminders_none = { $familiar } no guarda ningún aviso tuyo que se pueda ver aquí.
reminders_own = { $familiar } guarda para ti:
reminders_rituals = { $familiar } anuncia a todo el canal:
reminders_others = { $familiar } guarda para otra gente lo que pidió en este canal, que gestionas:
reminders_more = … y { $count } más
reminder_open = pendiente
reminder_line =
    { $again ->
        [none] - { $when }: { $words }
       *[other] - { $when }, { $again }: { $words }
    }
reminder_for = { $reminder }, para { $asker }
reminder_again =
    { $repeats ->
        [daily] todos los días a las { $time }
        [weekdays] los días laborables a las { $time }
        [weekly] cada { $days } a las { $time }
        [monthly] cada mes el día { $day } a las { $time }
       *[yearly] cada año el { day_of_year } a las { $time }
    }
weekday_and = {" y "}
day_of_year = { $day } de { month }
reminder_cancelled = Cancelado: { $words }
reminder_gone = Ese ya no está.

## Reparar una respuesta

repair = Reparar esta respuesta
another = Otra respuesta
reword = Editar sus palabras
go_on = Continuar
delete = Borrarla
take_back = Deshacer pregunta y respuesta
reword_title = Qué dice esta respuesta
reword_label = Sus palabras
repaired_stands = «{ $words }»
repaired_stands_of = Respuesta { $standing } de { $all }: «{ $words }»
repaired_refused = {"**"}Discord no lo aceptó todo**: { $why }.
repaired_seen = -# Lo que haces aquí lo ve todo el mundo, y { $familiar } recuerda la respuesta tal como quede.
repaired_gone =
    { $left ->
        [0] Ya no está, y { $familiar } no recuerda nada de eso.
        [one] La respuesta ya no está. El mensaje tuyo de antes no lo puedo quitar yo: bórralo tú, y { $familiar } lo olvida también.
       *[other] La respuesta ya no está. Los mensajes tuyos de antes no los puedo quitar yo: bórralos tú, y { $familiar } los olvida también.
    }
repaired_goes_on = { $familiar } continúa.
repaired_not_newest = Desde entonces se ha dicho algo aquí: solo se puede continuar la última respuesta.
repaired_not_known = Esa no es una respuesta escrita que { $familiar } recuerde.
repaired_not_theirs = Esa respuesta es para otra persona. Puede repararla a quien contesta, y quien tenga { -manage-channels } aquí.
repaired_no_other = En esa dirección no hay otra respuesta.
repaired_busy = { $familiar } está contestando algo ahora mismo. Pulsa otra vez en un momento.
repaired_too_much = Es más de lo que puedo contestar a la vez. Dame un minuto.
repaired_no_answer = No llegó otra respuesta; la que hay sigue como estaba.
not_put =
    { $why ->
        [NotTaken] me estoy apagando ahora mismo
        [NotWrittenDown] no se pudo guardar
        [IsFile] una parte es un archivo, que no admite otras palabras: borra la respuesta y pregunta otra vez
        [Unfit] no es para todo el que pueda leer ahí
        [NotManaging] ahí también leen otras personas, y para cambiar las palabras necesitas { -manage-channels }
        [Forbidden] ya no puedo escribir ahí
        [Refused] eso no se puede publicar
       *[Failed] no se pudo contactar con Discord, o no lo aceptó
    }
repaired_unchanged = No se ha cambiado nada: { $why }.
too_long_to_reword = Esa respuesta pasa de los { $most } caracteres que caben en un formulario de Discord.

## Preguntar antes de hacer algo

yes = Sí
no = No
may_i =
    <@{ $who }>, ¿lo hago? { $what }
    -# Solo puedes contestar tú, en los próximos dos minutos.
may_i_after_others =
    <@{ $who }>, ¿lo hago? { $what }
    -# Acabo de leer lo que escribieron otros, así que pregunto antes. Solo puedes contestar tú, en los próximos dos minutos.
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> dijo que sí: { $what }.
        [Declined] -# <@{ $who }> dijo que no, así que no lo he hecho: { $what }.
        [Unanswered] -# <@{ $who }> no contestó a tiempo, así que no lo he hecho: { $what }.
       *[Unwanted] -# Ya no hace falta, así que no lo he hecho: { $what }.
    }
do_connected = hacer que { $program } ejecute «{ $tool }» con { $arguments }
do_react = poner { $emoji } en { $message }
do_poll =
    { $several ->
        [yes] abrir una encuesta de { $hours } h: «{ $question }» ({ $answers }; se pueden elegir varias)
       *[no] abrir una encuesta de { $hours } h: «{ $question }» ({ $answers })
    }
do_pin = fijar { $message }
do_thread = abrir el hilo «{ $name }»
do_thread_under = abrir el hilo «{ $name }» en { $message }
do_offer_to_forget = mostrar un botón que olvida lo que se ha dicho
do_join_call = entrar en tu llamada y escucharte allí
do_leave_call = salir de la llamada
do_play_sound = reproducir el sonido «{ $name }» en la llamada
do_remind = recordar «{ $words }» ({ $when }{ $again })
do_announce = anunciar «{ $words }» a todo el canal ({ $when }{ $again })
and_again =
    { $every ->
        [Daily] , cada día
        [Weekdays] , cada día laborable
        [Weekly] , cada semana
        [Monthly] , cada mes
        [Yearly] , cada año
       *[none] {""}
    }
do_timer = poner un temporizador de { $span }
do_timer_for = poner un temporizador de { $span } para «{ $label }»
timer_span =
    { $form ->
        [seconds] { $seconds } s
        [minutes] { $minutes } min
       *[both] { $minutes } min { $seconds } s
    }
do_keep_in_mind = tener presente «{ $words }»
do_cancel = cancelar el aviso «{ $words }»
do_close = anotar que «{ $words }» ya está resuelto
do_better_mood = dejar que mejore mi ánimo
do_worse_mood = dejar que empeore mi ánimo
do_note = anotar «{ $words }»
do_note_about = anotar «{ $words }» sobre «{ $about }»
do_open_page = abrir { $address }
do_open_picture = abrir la imagen de { $address }
do_make_picture = hacer y publicar una imagen: { $words }
meant_message =
    { $whose ->
        [Theirs] tu mensaje «{ $words }»
        [Own] mi mensaje «{ $words }»
        [Of] el mensaje de { $whom } («{ $words }»)
       *[Asked] tu mensaje
    }
not_yours_to_answer = Eso le toca contestarlo a otra persona.
answered_already = Eso ya está contestado.
too_late_to_answer = -# Ya es tarde para contestar. Si no se ha hecho, pídemelo otra vez.

## Llamadas

nobody_yet = nadie todavía
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } está en esta llamada y escucha a { $heard }.** Oye a todas las personas que hayan leído esto y no pulsen **{ decline }**. { becomes_text }{ written_here }; no se guarda ningún sonido. `/unsubscribe-voice` lo termina, `/forget me` hace que olvide lo que dijiste.
       *[no] **{ $familiar } está en esta llamada y escucha a { $heard }.** A las demás personas no las escucha si no pulsan **{ agree }**. { becomes_text }{ written_here }; no se guarda ningún sonido. `/unsubscribe-voice` lo termina, `/forget me` hace que olvide lo que dijiste.
    }
newcomers =
    { $everybody ->
        [yes] { $who }: **{ $familiar } está en esta llamada y escucha.** Te oye a partir de ahora si no pulsas **{ decline }**. { becomes_text }{ written_here }; no se guarda ningún sonido. `/forget me` hace que olvide lo que dijiste.
       *[no] { $who }: **{ $familiar } está en esta llamada y escucha.** No te escucha si no pulsas **{ agree }**, y **{ decline }** lo termina. { becomes_text }{ written_here }; no se guarda ningún sonido. `/forget me` hace que olvide lo que dijiste.
    }
becomes_text =
    { $by ->
        [here] Lo que oye se queda en el equipo del bot, donde { $recogniser } lo convierte en texto que puede recordar
        [somewhere_here] Lo que oye se queda en el equipo del bot, donde se convierte en texto que puede recordar
        [elsewhere] Lo que oye se envía a { $recogniser }, que lo convierte en texto que puede recordar
        [somewhere_else] Lo que oye se envía a un servidor de voz de quien lo lleva, que lo convierte en texto que puede recordar
       *[unknown] Lo que oye se convierte en texto que puede recordar
    }
written_here =
    { $transcript ->
        [yes] , y lo que dice quien pulsa **{ agree }** o lo llamó queda escrito en este chat para quien pueda leerlo
       *[no] {""}
    }
channel_status = { $familiar } está aquí y escucha; a quién, lo dice en el chat
agree = Escúchame
decline = No me escuches
join_a_call_first = No estás en ningún canal de voz que yo vea. Entra en uno y usa este comando otra vez.
called_in = { $familiar } está en <#{ $call }> y te escucha. Te sigue a otras llamadas de este servidor y se va { $grace } después que tú. Termínalo con `/unsubscribe-voice`.
seconds =
    { $count ->
        [one] 1 segundo
       *[other] { $count } segundos
    }
hears_you_too = { $familiar } ahora te oye también. Pulsa **{ decline }** bajo su aviso en el chat de la llamada para terminarlo.
hears_you_already = { $familiar } está en tu llamada y ya te oye.
is_elsewhere = { $familiar } está con otra gente en <#{ $call }>, y solo puede estar en una llamada por servidor. Ve allí, o espera.
lacks_permissions =
    { $count ->
        [one] Todavía no puedo entrar en <#{ $call }>: me falta { $missing }. Dale a mi rol ese permiso en los permisos del canal y prueba otra vez.
       *[other] Todavía no puedo entrar en <#{ $call }>: me faltan { $missing }. Dale a mi rol esos permisos en los permisos del canal y prueba otra vez.
    }
call_is_full = <#{ $call }> está lleno. Sube su límite de usuarios o haz sitio, y prueba otra vez.
no_stages = <#{ $call }> es un escenario; yo solo puedo hablar en canales de voz.
unknown_call = No veo ese canal de voz. Dale a mi rol { -view-channel } allí y prueba otra vez.
not_joined = No he podido entrar en <#{ $call }>: { $why }. Prueba otra vez en un minuto.
no_calls = Aquí las llamadas están desactivadas. Las puede activar quien lleva este bot.
everybody_needs_manage_channels = Para que oiga a todo el mundo necesitas { -manage-channels } en <#{ $call }>. Sin `everybody` solo te escucha a ti.
every_call_needs_everybody = `every_call` conserva lo que dice `everybody`: pon también `everybody` en True o False.
every_call_needs_manage_server = Para decidir qué vale en todas las llamadas de este servidor necesitas { -manage-server }. Sin `every_call` vale en esta llamada.
everybody_in_every_call = A partir de ahora { $familiar } oye, en todas las llamadas de este servidor, a quien haya sido avisado y no lo rechace. `/subscribe-my-voice everybody:False every_call:True` lo termina.
nobody_unasked = En todas las llamadas de este servidor { $familiar } solo oye a quien esté de acuerdo.
call_ended = { $familiar } ha salido de la llamada.
hears_you_no_longer = { $familiar } ya no te escucha. Quien llamó al bot, o alguien con { -manage-channels }, puede hacer que se vaya.
does_not_hear_you = { $familiar } no te escucha.
in_no_call = { $familiar } no está en ninguna llamada de este servidor.
left_behind = -# { $familiar } se ha ido: ya no está quien llamó al bot. `/subscribe-my-voice` hace que vuelva.
left_alone = -# { $familiar } se ha ido: no había nadie. `/subscribe-my-voice` hace que vuelva.
left_quiet = -# { $familiar } se ha ido: nadie ha dicho nada en { $quiet }. `/subscribe-my-voice` hace que vuelva.
gave_up = -# { $familiar } ha perdido la llamada: { $why }. `/subscribe-my-voice` hace que vuelva.
cannot_follow = -# { $familiar } se queda aquí y no puede ir a <#{ $call }>. { $why }
deaf = -# { $familiar } no ha podido entender lo que se dijo y se conecta de nuevo. Lo que se acaba de decir se ha perdido.
still_deaf = -# { $familiar } sigue sin entender a <@{ $user }>. Puede ayudar salir de la llamada y volver.
unplaced = -# A { $familiar } le llega sonido de alguien a quien no puede situar, y se conecta de nuevo. Lo que acaba de decir se ha perdido.
still_unplaced = -# A { $familiar } le sigue llegando sonido de alguien a quien no puede situar, y no lo escucha. Quien hable y no sea oído: sal de la llamada y vuelve.
hears_nothing = -# Aquí puedo hablar pero no oír: { $why }. Escríbeme en este chat.
misses_words = -# No he entendido lo que se acaba de decir: { $why }. Dilo otra vez en un momento, o escríbeme en este chat.
hears_again = -# Ya oigo otra vez.
has_no_voice = -# Aquí puedo oír pero no hablar: { $why }. Contesto en este chat.
speaks_again = -# Ya hablo otra vez.
not_heard = -# <@{ $who }>, durante un rato no te oigo: { $why }. Escríbeme en este chat.
not_spoken_to = -# <@{ $who }>, durante un rato te contesto en este chat: { $why }.
call_state = En la llamada <#{ $call }>: personas a las que oye: { call_people }; paquetes: { $taken } tomados, { $refused } rechazados sin oírlos{ call_unplaced }, { $lost } perdidos
call_people =
    { $heard ->
        [0] ninguna
       *[other] { $heard }
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] , { $unplaced } de origen desconocido
    }
transcript_heading = -# Lo que se ha dicho. `/forget me` saca tus palabras.
and_more = { $named } y { $count } más

## Comandos y sus opciones

command_subscribe-text = Leer este canal y sus hilos, y contestar cuando le hablen
command_unsubscribe-text = Dejar de leer este canal
command_channel = Otro canal o foro; si no, este
command_subscribe-my-voice = Venir a mi llamada y escucharme; si ya está en ella, escucharme a mí también
command_subscribe-my-voice_everybody = Escuchar a quien no lo rechace; necesita { -manage-channels }
command_subscribe-my-voice_every_call = Dejar `everybody` así en cada llamada del servidor; necesita { -manage-server }
command_unsubscribe-voice = Salir de la llamada o, si la pidió otra persona, dejar de escucharme
command_quiet = Aquí y en la llamada de este servidor, hablar solo si le hablan
command_quiet_minutes = Durante tantos minutos; si no, hasta /wake
command_wake = Aquí y en la llamada de este servidor, volver a meterse en la charla
command_speak-first = Dejar que empiece a hablar aquí, sobre fechas y cumpleaños que le contaron
command_speak-first_on = Si puede
command_speak-first_newcomers = Saludar aquí, una vez, a quien es nuevo en el servidor
command_channel-full-rp = Escribir respuestas largas, como de novela, en este canal
command_channel-text-conversation-rp = Escribir un par de líneas cortas, como en un chat, en este canal
command_channel-imitate-voice = Escribir una o dos frases cortas, como habladas, en este canal
command_channel-backdrop = Decir qué pasa en este canal
command_reset = Empezar aquí la conversación de nuevo; lo dicho antes se sigue recordando
command_branch = Seguir en un hilo propio, que sabe lo que se dijo aquí antes
command_branch_name = Cómo se llama el hilo
command_profile = Imagen y nombre de la ficha en Discord; cómo se llama en este servidor
command_profile_picture = La imagen de la ficha, en todo Discord; para quien lleva el bot
command_profile_name = El nombre de la ficha, en todo Discord; para quien lleva el bot
command_profile_nickname = Cómo se llama en este servidor
command_profile_nickname_name = Si no, el nombre de la ficha
command_memory = Qué hay apuntado sobre ti, en lo que se puede ver aquí
command_memory_about = Solo lo que contenga estas palabras
command_reminders = De qué pediste que te avisara, en lo que se puede ver aquí; cancelarlo
command_forget = Lo que dijiste aquí y en otros sitios, y lo apuntado de ello
command_forget_me = Todo lo que has dicho alguna vez, y todo lo apuntado sobre ti
command_forget_what = Lo que dijiste con ciertas palabras, y lo apuntado de ello
command_forget_what_words = Palabras; se van tus mensajes y datos que las contengan todas
command_forget_undo = Deshacer lo último, en los siete días siguientes
command_privacy = Qué hay guardado de ti y quién lo recibe; una copia, y darte de baja
command_context = Por qué dijo lo que dijo: el registro de uno de tus turnos
command_context_turn = Un turno tuyo, como t42; si no, el último tuyo aquí
command_context_why = Palabras: ¿las tuvo delante, las dejó fuera o no las buscó?
command_lore = Lore del mundo: qué salió, y por qué
command_lore_why = Qué lore sacó tu último turno aquí, y por qué; o por qué una entrada sí o no
command_lore_why_entry = Una entrada; si no, todo lo que salió
command_greet = Decir uno de los saludos del personaje
command_greet_number = Qué saludo; si no, el primero
command_pair = Vincular tus mensajes directos con este servidor, o con otra cuenta tuya
command_pair_code = El código que te dieron en otro sitio; sin él recibes uno
command_pair-past = Que lo contado antes de vincular se sepa también donde te vinculaste
command_unpair = Terminar lo que vinculaste con este sitio
command_persona = Quién eres en el juego de rol, aquí o en todas partes
command_persona_set = Decir quién eres; quien hable aquí puede enterarse
command_persona_set_name = Cómo te llamas en el juego de rol
command_persona_set_description = Quién es, con tus palabras
command_persona_set_everywhere = Donde no hayas puesto otro; si no, solo aquí
command_persona_show = Quién eres aquí, y en los demás sitios
command_persona_clear = Volver a ser tú
command_persona_clear_everywhere = El que vale en todas partes; si no, el de aquí
command_status = Cómo está, y cómo escribe aquí
command_help = Qué hace este bot y qué comandos tiene
