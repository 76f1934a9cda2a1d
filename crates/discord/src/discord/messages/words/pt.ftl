# O que o próprio programa diz no Discord, em português. Para que serve cada frase está em en.ftl.

## Nomes do Discord

-manage-channels = Gerenciar canais
-manage-server = Gerenciar servidor
-manage-nicknames = Gerenciar apelidos
-view-channel = Ver canal
-apps = Apps
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] Enviar mensagens
        [Send_Messages_in_Threads] Enviar mensagens em tópicos
        [Read_Message_History] Ver histórico de mensagens
        [Connect] Conectar
        [Speak] Falar
        [Create_Public_Threads] Criar tópicos públicos
        [Change_Nickname] Alterar apelido
       *[other] { $as_it_is }
    }

## Listas e datas

list_comma = {", "}
list_and = {" e "}
date = { $day } de { month } de { $year }
month =
    { $month ->
        [1] janeiro
        [2] fevereiro
        [3] março
        [4] abril
        [5] maio
        [6] junho
        [7] julho
        [8] agosto
        [9] setembro
        [10] outubro
        [11] novembro
       *[12] dezembro
    }
weekday =
    { $weekday ->
        [1] segunda-feira
        [2] terça-feira
        [3] quarta-feira
        [4] quinta-feira
        [5] sexta-feira
        [6] sábado
       *[7] domingo
    }

## O que deu errado, no canal

model_failure =
    { $class ->
        [RateLimited] Pedidos demais ao modelo agora. Tente de novo daqui a um minuto.
        [Server] O provedor do modelo está com problemas. Tente de novo daqui a um minuto.
        [Network] Não deu para alcançar o modelo. Tente de novo daqui a um minuto.
        [BrokeOff] A resposta parou antes do fim. Tente de novo.
        [Timeout] O modelo demorou demais. Tente de novo.
        [ModelMissing] O modelo configurado não existe. Avise quem cuida deste bot.
        [Authentication] A chave do modelo foi recusada. Avise quem cuida deste bot.
        [KeyMissing] O modelo pede uma chave e não há nenhuma. Avise quem cuida deste bot.
        [Quota] Acabou o crédito para o modelo. Avise quem cuida deste bot.
        [ContextLength] É mais do que o modelo lê. Quem cuida deste bot precisa ajustar `context_window`.
        [ContentFilter] O provedor do modelo recusou isso. Tente dizer de outro jeito.
        [Malformed] Não deu para ler a resposta do modelo. Tente de novo.
        [Empty] O modelo não deu nenhuma resposta que se possa mostrar. Tente de novo, ou diga de outro jeito.
        [WebPage] Veio uma página da web em vez de uma resposta. Avise quem cuida deste bot.
        [BadRequest] O modelo recusou o pedido. Avise quem cuida deste bot.
        [CostCap] O orçamento de hoje acabou. Recomeça à meia-noite (UTC).
        [TokenCap] O orçamento de hoje acabou. Recomeça à meia-noite (UTC).
       *[Cancelled] Essa resposta foi interrompida.
    }
notice_model_failed = -# { model_failure } ({ $turn })
notice_try_later = -# Pedidos demais ao modelo agora. Tente de novo daqui a { $wait }. ({ $turn })
notice_not_stored = -# Não consegui anotar isso, então não respondi. Avise quem cuida deste bot. ({ $turn })
notice_too_much_at_once = -# É mais do que consigo responder de uma vez. Me dê um minuto; o que você escrever eu leio mesmo assim.
notice_cut_short = -# Minhas respostas não podem ser mais longas que isso. Peça para eu continuar e digo o resto. ({ $turn })
notice_kept_back = -# O que eu ia dizer não é para todo mundo que pode ler isto, então guardei para mim. Pergunte de outro jeito. ({ $turn })
notice_keeps_quiet = -# De agora em diante só falo quando falarem comigo. `/wake` acaba com isso; me dizer que já posso falar também.
notice_joins_in_again = -# Posso entrar na conversa de novo. `/quiet` acaba com isso.
notice_message_too_long = -# Essa mensagem é longa demais para mim: tem { $tokens } tokens, e cabem { $fits }. Mande em partes. ({ $turn })
notice_prompt_too_large = -# O personagem é grande demais para o modelo. Avise quem cuida deste bot. ({ $turn })

## Ler e não ler

dm_refused = { $familiar } só lê mensagens diretas de quem está num servidor em que acompanha a conversa e de quem está na lista, então isto não foi lido. Fale num servidor desses, ou peça a quem cuida deste bot para pôr seu ID `{ $account }` em `dm_allowlist`.
subscribed = { $familiar } agora lê <#{ $channel }> e seus tópicos. Para parar: `/unsubscribe-text`.
begins_to_read = -# De agora em diante { $familiar } lê este canal e seus tópicos e lembra o que se diz aqui. `/help` conta mais, `/privacy` mostra o que está guardado sobre você; lá você também pode sair.
begins_alone = -# { $familiar } lembra o que você escreve aqui. `/help` conta mais, `/privacy` mostra o que está guardado sobre você; lá você também pode sair.
does_not_read = -# { $familiar } não lê este canal, então também não leu isso. `/subscribe-text` aqui muda isso.
keeps_quiet = { $familiar } só fala quando falam com o bot. `/wake` acaba com isso; numa chamada, acaba junto com ela.
keeps_quiet_for = { $familiar } só fala quando falam com o bot, por { $span }. `/wake` acaba com isso; numa chamada, acaba junto com ela.
joins_in_again = { $familiar } pode entrar na conversa de novo. `/quiet` acaba com isso.
was_not_quiet = Ninguém tinha pedido silêncio a { $familiar } aqui.
not_let_in = { $familiar } não está disponível para você aqui; quem decide é quem cuida deste bot. `/privacy` mostra o que está guardado sobre você, e `/forget` apaga.
reset = A conversa aqui começa de novo: { $familiar } não tem mais à vista o que foi dito antes. Continua na memória, e pode voltar quando se fala no assunto; para o que deve sumir existe `/forget`.
undo_reset = Desfazer
reset_undone = { $familiar } tem de novo à vista o que foi dito antes.
reset_since = A conversa já recomeçou mais uma vez depois disso; isto fica como está.
nothing_to_reset = Não há nada dito aqui que se possa deixar para trás.
alone_it_answers = Em mensagens diretas não há mais ninguém por quem ficar em silêncio.
not_here_and_in_no_call = { $familiar } não lê este canal e não está em nenhuma chamada deste servidor.
how_to_forget = -# Para algo ser esquecido de vez: `/forget what` apaga o que você disse com certas palavras, `/forget me` apaga tudo; `/memory` mostra o que está anotado sobre você.
forget_me = Esquecer tudo sobre mim …
already_subscribed = { $familiar } já lê <#{ $channel }>. Para parar: `/unsubscribe-text`.
dm_needs_no_subscription = Mensagens diretas não precisam de inscrição. Use este comando num servidor.
unsubscribed = { $familiar } não lê mais <#{ $channel }>. Para recomeçar: `/subscribe-text`.
not_subscribed = { $familiar } não lê <#{ $channel }>. Para começar: `/subscribe-text`.
bot_lacks_permissions =
    { $count ->
        [one] Ainda não posso falar em <#{ $channel }>: falta { $missing }. Dê ao meu cargo essa permissão nas permissões do canal e tente de novo.
       *[other] Ainda não posso falar em <#{ $channel }>: faltam { $missing }. Dê ao meu cargo essas permissões nas permissões do canal e tente de novo.
    }
unknown_place = Não vejo este canal. Dê ao meu cargo { -view-channel } aqui e tente de novo.
needs_manage_channels = Para isso você precisa de { -manage-channels } em <#{ $channel }>. Peça a alguém que tenha.

## Como escreve, e o que acontece

mode_set = <#{ $channel }> agora está no modo { mode_name }: { mode_words }
mode_name =
    { $mode ->
        [FullRp] roleplay completo
        [TextConversationRp] conversa escrita
       *[ImitateVoice] imitar a voz
    }
mode_words =
    { $mode ->
        [FullRp] respostas longas, como num romance, em terceira pessoa.
        [TextConversationRp] como num bate-papo, umas linhas curtas.
       *[ImitateVoice] uma ou duas frases curtas, como faladas.
    }
backdrop_title = O cenário deste canal
backdrop_label = O que acontece aqui? (vazio apaga)
backdrop_placeholder = Uma taverna na encruzilhada, tarde da noite. Chove lá fora.
backdrop_set = O cenário de <#{ $channel }> está pronto ({ $chars } caracteres). Vale a partir da próxima resposta.
backdrop_cleared = O cenário de <#{ $channel }> foi apagado.
greeted = Pronto, cumprimentei.
greet_needs_subscription = { $familiar } não lê este canal. Use antes `/subscribe-text`.
no_such_greeting =
    { $have ->
        [0] A ficha não tem nenhuma saudação.
        [1] A ficha tem uma saudação só: use `/greet` sem número.
       *[other] A ficha tem { $have } saudações: use um número de 1 a { $have }.
    }
speaks_first_no = De agora em diante { $familiar } só fala aqui depois de outra pessoa.
speaks_first_nowhere = { $familiar } pode começar a falar aqui por conta própria, mas quem cuida deste bot definiu que isso não aconteça em lugar nenhum.
speaks_first_yes =
    { $per_day ->
        [one] { $familiar } pode começar a falar aqui por conta própria, sobre datas e aniversários que alguém contou: entre { $from_hour }h e { $to_hour }h, { $per_day } vez por dia no máximo, e nunca de novo antes de alguém responder. `/speak-first on:False` acaba com isso.
       *[other] { $familiar } pode começar a falar aqui por conta própria, sobre datas e aniversários que alguém contou: entre { $from_hour }h e { $to_hour }h, { $per_day } vezes por dia no máximo, e nunca de novo antes de alguém responder. `/speak-first on:False` acaba com isso.
    }
greets_newcomers_yes = { $familiar } cumprimenta aqui, uma única vez, quem é novo neste servidor, a não ser que esteja dormindo ou tenha de ficar em silêncio.
greets_newcomers_no = { $familiar } não cumprimenta aqui quem chega.
does_not_speak_first = { $familiar } não lê aqui, então também não diz nada aqui. `/subscribe-text` muda isso.

## O que uma rodada fez

no_turn_yet = Ainda não há nada para explicar a você aqui. Diga algo primeiro e pergunte de novo.
no_such_turn = Não há nenhuma rodada `{ $given }` de que você tenha participado. Deixe vazio para ver a sua última.
context_attached = Rodada { $turn }: { $summary } O arquivo anexo conta como se chegou a isso; só você o vê.
outcome_replied =
    { $messages ->
        [one] respondeu em 1 mensagem.
       *[other] respondeu em { $messages } mensagens.
    }
outcome_silent = ficou em silêncio porque { silence }.
silence =
    { $reason ->
        [OnlyWhenAddressed] ninguém falou com o bot, que aqui não entra na conversa por conta própria
        [AddressedToSomeoneElse] a mensagem era para outra pessoa
        [FromBot] bots não recebem resposta
        [NotStored] não deu para guardar a mensagem
        [SaidMeanwhile] isso foi dito enquanto o programa não estava rodando
        [EnoughForNow] desconhecidos só recebem um certo número de respostas, e por enquanto já receberam as suas
        [TooMuchAtOnce] pediram mais do que os limites permitem por enquanto
        [SomebodyInDistress] alguém aqui está sofrendo muito, então só fala quando falam com o bot
        [Asleep] está dormindo, e ninguém falou com o bot
        [ToldToBeQuiet] pediram silêncio
        [KeptQuiet] pediram silêncio aqui até { $until }
        [KeptQuietUntilWoken] pediram silêncio aqui até `/wake`
        [FoundNothingToSay] achou que não havia nada a dizer
        [Reacted] o emoji posto embaixo de uma mensagem é a resposta
        [WaitsForTheRest] aquilo não parecia terminado, e espera o resto
       *[NotAddressed] ninguém falou com o bot ({ $count } de { $threshold } mensagens até entrar na conversa)
    }
outcome_undelivered =
    { $messages ->
        [0] não deu para publicar a resposta.
        [one] só deu para publicar 1 mensagem da resposta.
       *[other] só deu para publicar { $messages } mensagens da resposta.
    }
outcome_cancelled =
    { $messages ->
        [0] interrompida antes de dizer qualquer coisa: { cancelled_because }.
        [one] interrompida depois de 1 mensagem: { cancelled_because }.
       *[other] interrompida depois de { $messages } mensagens: { cancelled_because }.
    }
cancelled_because =
    { $reason ->
        [Superseded] veio mais alguma coisa antes
        [Interrupted] alguém falou no meio
        [StoppedByHand] alguém interrompeu
        [Withdrawn] a mensagem foi apagada
        [Shutdown] o programa estava sendo encerrado
       *[Killed] o programa foi encerrado à força
    }
turn_of_another_place = A rodada { $turn } foi em outro canal. Pergunte lá: só quem vê aquele canal pode ler.
why_attached = O que a rodada { $turn } fez com essas palavras está anexado; só você vê isto.

## `/status` e `/help`

status_up = No ar há { $uptime }, modelo: { $model }
status_here =
    { $here ->
       *[NotRead] Este canal: não é lido (`/subscribe-text`)
        [Read] Este canal: é lido{ in_mode }
        [ThroughParent] Este tópico: é lido com o canal{ in_mode }
        [Dm] Mensagens diretas: são lidas{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] , modo { mode_name }
    }
status_quiet =
    { $until ->
        [wake] Aqui só falo quando falam comigo, até `/wake`
       *[other] Aqui só falo quando falam comigo, até <t:{ $until }:f>
    }
status_mute = Não posso escrever neste canal
status_subscriptions = Canais lidos neste servidor: { $count }
status_early = Respostas começadas antes da hora em chamadas: { $begun }, das quais dadas: { $given }
status_last_reply = A última resposta aqui levou { $seconds } s
status_budget = Orçamento de hoje: US$ { $spent } de US$ { $cap }
status_spent = Gasto hoje: US$ { $spent }, sem limite
status_cap = Orçamento: US$ { $cap } por dia
status_unpriced = Tokens de hoje com preço desconhecido: { $used }
status_unpriced_of = Tokens de hoje com preço desconhecido: { $used } de { $cap }
help =
    {"**"}{ $familiar }** lê os canais em que o bot está inscrito e responde quando falam com ele: pelo nome, por menção ou resposta. De vez em quando entra na conversa por conta própria. Editar ou apagar uma mensagem muda o que fica dela na memória.

    Para todo mundo:
    `/memory` — o que está anotado sobre você e pode ser dito aqui; corrigir ou fazer esquecer
    `/reminders` — do que você pediu para ser lembrado, e cancelar
    `/forget me`, `/forget what` — fazer esquecer o que você disse, em todo lugar; `/forget undo` desfaz
    `/privacy` — o que está guardado sobre você, uma cópia, e sair
    `/context` — por que respondeu assim à sua última mensagem
    `/lore why` — que lore a sua última rodada chamou, e por quê
    `/greet` — fazer dizer uma das saudações
    `/pair`, `/pair-past`, `/unpair` — que conheça você em outro lugar como nas mensagens diretas, ou não mais
    `/persona` — quem você é no roleplay, aqui ou em todo lugar
    `/status` — como está, e como escreve aqui
    `/branch`, *{ -apps } → { branch }* — a conversa segue num tópico próprio
    {"*"}{ -apps } → { repair }* numa resposta a você — outra resposta, outras palavras, ou nenhuma
    `/subscribe-my-voice`, `/unsubscribe-voice` — vir à sua chamada e ouvir você, ou parar
    `/quiet`, `/wake` — aqui e na chamada deste servidor, falar só quando falarem com o bot, ou entrar de novo na conversa

    Com { -manage-channels }:
    `/subscribe-text`, `/unsubscribe-text` — ler este ou outro canal ou fórum, ou parar
    `/channel-full-rp`, `/channel-text-conversation-rp`, `/channel-imitate-voice` — como escreve aqui
    `/channel-backdrop` — o que acontece aqui
    `/reset` — recomeçar a conversa aqui; o que foi dito continua na memória
    `/speak-first` — deixar que comece a falar aqui por conta própria, ou não mais

    Com { -manage-nicknames }:
    `/profile nickname` — como se chama neste servidor

    Só quem usa um comando vê a resposta.

## O que deu errado com um comando

command_failed = Não deu certo: { $what }. Se acontecer de novo, avise quem cuida deste bot.
failed_settings =
    { $why ->
        [Full] não deu para salvar as configurações porque o disco está cheio: quem cuida deste bot precisa liberar espaço
        [Locked] não deu para salvar as configurações porque não posso gravar no disco: quem cuida deste bot precisa permitir
       *[none] não deu para salvar as configurações
    }
failed_history = não deu para procurar no que foi dito
failed_pairing = não deu para anotar o que está vinculado
failed_trace = não deu para ler o registro dessa rodada
failed_forget = ainda não foi tudo esquecido; o resto vai na próxima inicialização
failed_notes = não deu para ler as notas
command_broke = Não deu certo. O log diz por quê; se acontecer de novo, avise quem cuida deste bot.

## Como está

branch = Continuar num tópico
branched = O tópico está aberto: <#{ $thread }>. Lá se sabe o que foi dito aqui antes.
not_done =
    { $why ->
        [BotLacks] Não posso fazer isso aqui. Falta: { $missing }. Quem gerencia o servidor pode dar isso ao meu cargo.
        [AskerLacks] Só faço isso para quem pode fazer aqui por conta própria. Falta a você: { $missing }.
        [AskerUnseen] Agora não dá para ver o que você pode fazer aqui. Tente de novo daqui a pouco.
        [NoThreadsHere] Só dá para abrir tópicos em canais de texto de um servidor.
        [Late] O Discord não respondeu a tempo. Tente de novo daqui a pouco.
        [MessageGone] Essa mensagem não existe mais.
        [HasThread] Essa mensagem já tem um tópico.
        [Locked] Este tópico está trancado.
        [ChannelGone] Este canal não existe mais.
        [NotAccepted] O Discord não aceita mais o bot. Avise quem cuida deste bot.
        [Closed] Não posso fazer isso aqui.
       *[Said] O Discord recusou: “{ $words }”
    }
branches_not_here = { $familiar } não lê aqui, então daqui nada continua. `/subscribe-text` muda isso.
asleep = dormindo
asleep_doing = dormindo, { $doing }
busy = sem tempo agora
mood =
    { $mood ->
        [elated] nas nuvens
        [happy] feliz
        [cheerful] de bom humor
        [content] de bem com a vida
        [angry] com raiva
        [downcast] para baixo
        [irritated] sem paciência
        [a_little_low] um pouco triste
        [lively] com energia
       *[drowsy] com sono
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } dorme até { $until }{ doing }. Quem falar com { $familiar } recebe resposta mesmo assim.
        [Busy] { $familiar } está sem tempo até { $until }{ doing }.{ in_mood }
       *[Awake] { $familiar } está por aqui{ doing }.{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] : { $doing }
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] {" "}Humor: { mood }.
    }
profile_changed =
    { $what ->
        [Picture] Agora usa a imagem da ficha, em todo o Discord.
        [Name] Agora tem o nome da ficha, em todo o Discord.
       *[Nickname] É assim que se chama agora neste servidor.
    }
profile_refused = O Discord não aceitou: “{ $why }”. Imagens e nomes só podem mudar algumas vezes por hora.
profile_is_the_operators = A imagem e o nome são os mesmos em todos os servidores, então só quem cuida deste bot muda isso: as pessoas em `discord.operators`. Para este servidor existe `/profile nickname`.
no_picture = A ficha de { $familiar } não tem uma imagem que dê para ler: `memory/self/assets/avatar.png`.
picture_too_large = A imagem da ficha passa dos 10 MiB que o Discord aceita.
name_does_not_fit = O Discord aceita nomes de 2 a 32 caracteres, e “{ $name }” tem { $chars }.
nicknames_are_of_servers = Só em servidores dá para ter outro nome.
needs_manage_nicknames = Para isso você precisa da permissão { -manage-nicknames } aqui.

## `/lore why`

no_lore = A rodada { $turn } não tinha nenhum lorebook para consultar. Quem cuida deste bot pode adicionar um com `familiar lore import`.
no_such_entry = Nenhuma entrada de lore se chama “{ $given }”. Deixe vazio para ver o que foi chamado.
lore_called_up =
    { $fired ->
        [0] A rodada { $turn } não chamou nenhuma de { $all } entradas de lore.
       *[other] A rodada { $turn } chamou { $fired } de { $all } entradas de lore:
    }
lore_not_called_up = Não chamadas:
lore_rest = Outras { $rest } não tinham nada a ver. `/lore why entry:` fala de uma.
lore_in_turn = Na rodada { $turn }:
lore_entry =
    { $fired ->
        [yes] - **{ $name }** ({ $book }) foi chamada: { $why }{ lore_how_much }
       *[no] - **{ $name }** ({ $book }) não foi chamada: { $why }{ lore_how_much }
    }
lore_line = - **{ $name }**: { $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] ; só coube a primeira frase
        [Paragraph] ; só coube o primeiro parágrafo
       *[Full] {""}
    }
lore_constant = sempre ativa
lore_by_text = o texto dela diz @@{ $by }
lore_key = a chave “{ $key }” está { $at }
lore_key_and_filter = a chave “{ $key }” está { $at }, e o filtro “{ $filter }” concorda
lore_lasts =
    { $what ->
        [Sticky] fica por mais { lore_messages }
        [Delay] espera mais { lore_messages }
       *[Cooldown] descansa por mais { lore_messages }
    }
lore_messages =
    { $left ->
        [one] 1 mensagem
       *[other] { $left } mensagens
    }
lore_latched = a chave dela já apareceu antes, e isso basta
lore_retrieved = trata do que foi dito (pontuação { $score })
lore_no_key_found = nenhuma das chaves está no que foi lido
lore_no_keys = não tem chaves e não está sempre ativa
lore_filter_keys = a chave “{ $key }” está lá, mas os filtros dizem não ({ lore_rule })
lore_rule =
    { $logic ->
        [and_all] todos têm que estar lá
        [not_all] um deles tem que faltar
        [not_any] nenhum pode estar lá
       *[and_any] um deles tem que estar lá
    }
lore_disabled = está desligada
lore_other_character = é para outros personagens
lore_other_trigger = não é para rodadas do tipo “{ $trigger }”
lore_waits_for_others = espera ser chamada por outras entradas (nível { $level }), e nenhuma chamou
lore_not_by_entries = a chave “{ $key }” só está em outras entradas, e essas não podem chamá-la
lore_roll = não saiu no sorteio ({ $rolled } de 100, a chance é de { $chance } %)
lore_group = “{ $winner }” foi tirada do grupo “{ $group }”
lore_group_served = o grupo “{ $group }” já estava servido
lore_budget = não cabe: com ela o lore ocuparia { $needed } de { $limit } tokens
lore_left_out = foi chamada, mas não entrou no prompt; `/context` diz por quê
lore_empty = não sobra nada do texto dela
lore_no_outlet = o lugar dela é o outlet “{ $outlet }”, que nada abre
lore_in_newest = na mensagem mais recente ({ $speaker })
lore_in_message = na mensagem { $back } a partir do fim ({ $speaker })
lore_in_card = no campo { $field } da ficha
lore_in_entry = na entrada “{ $name }”
lore_more = … e mais { $rest } linhas; `/context` tem todas.

## Lembrar e esquecer

plan_messages =
    { $count ->
        [one] { $count } mensagem sua
       *[other] { $count } mensagens suas
    }
plan_replies =
    { $count ->
        [one] { $count } resposta dada a você
       *[other] { $count } respostas dadas a você
    }
plan_facts =
    { $count ->
        [one] { $count } fato anotado
       *[other] { $count } fatos anotados
    }
plan_notes =
    { $count ->
        [one] { $count } nota inteira
       *[other] { $count } notas inteiras
    }
plan_unread =
    { $count ->
        [one] { $count } resposta ilegível de um modelo
       *[other] { $count } respostas ilegíveis de um modelo
    }
plan_traces =
    { $count ->
        [one] { $count } outro rastro seu (como uma reação)
       *[other] { $count } outros rastros seus (como reações)
    }
plan_transcripts =
    { $count ->
        [one] { $count } mensagem de uma transcrição
       *[other] { $count } mensagens de transcrições
    }
plan_name = seu nome
forget_plan_nothing = { $familiar } não lembra nada seu que se encaixe.
forget_plan = { $familiar } esqueceria { $plan }. Suas palavras somem da memória, dos resumos e dos registros, neste servidor e em qualquer outro lugar; as de outras pessoas ficam.
forget_plan_transcripts = As transcrições de chamadas com palavras suas são revistas: mensagens que contêm estas palavras são apagadas, e as que não dá para ler. Elas não voltam.
forget_plan_transcripts_go = Mensagens de transcrições são apagadas e não voltam.
forget_plan_copies = O que foi esquecido antes ainda pode ser recuperado. **{ forget_for_good }** destrói essa cópia também.
forget_plan_ends = {"**"}{ forget }** pode ser desfeito com `/forget undo` por sete dias. **{ forget_for_good }** não guarda cópia.
forget_plan_facts = Do que está anotado, isto pode ser mostrado aqui:
forget_plan_facts_more = …e mais { $count }, que não aparecem aqui
transcripts_searched = { $familiar } não lembra nada seu que se encaixe. As mensagens com transcrições de chamadas que contêm estas palavras estão sendo apagadas.
forget = Esquecer
forget_for_good = Esquecer de vez
keep = Manter
nothing_to_forget = { $familiar } não tem nada seu que se encaixe. `/memory` mostra o que se sabe de você aqui.
forgotten = { $familiar } esqueceu { $plan }. `/forget undo` desfaz isso por sete dias.
forgotten_transcripts = { $familiar } esqueceu { $plan }. `/forget undo` desfaz isso por sete dias. As transcrições de chamadas não voltam.
forgotten_for_good = { $familiar } esqueceu { $plan } de vez.
forgotten_copies_for_good = O que { $familiar } tinha esquecido sumiu de vez: não dá mais para recuperar.
forgotten_all_for_good = { $familiar } esqueceu { $plan } de vez, e o que foi esquecido antes não dá mais para recuperar.
kept = Nada foi esquecido.
undone = Está de volta: { $plan }. { $familiar } resume de novo as conversas antigas; os registros das respostas não voltam.
undone_transcripts = Está de volta: { $plan }. { $familiar } resume de novo as conversas antigas; os registros das respostas e as transcrições de chamadas não voltam.
nothing_to_undo = Não há nada para recuperar: nada foi esquecido para você nos últimos sete dias, ou foi de vez.
known_facts = O que { $familiar } sabe sobre você e pode dizer aqui:
known_fact =
    { $is_past ->
        [yes] - { $words } (não mais) · *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = …e mais { $count }; diga palavras com `/memory about` para ver outros.
known_facts_end = Escolha um para corrigir ou fazer esquecer. O que você contou em outro lugar aparece lá.
noted_fact =
    { $slot ->
        [name] { $who } atende por { $value }.
        [home] { $who } mora em { $value }.
        [origin] { $who } é de { $value }.
        [birthday] Aniversário de { $who }: { $value }.
        [allergy] Alergia de { $who }: { $value }.
        [favourite] Preferência de { $who } ({ $what }): { $value }.
        [called] Nome ({ $what } de { $who }): { $value }.
        [work-as] { $who } trabalha como { $value }.
        [work-at] { $who } trabalha em { $value }.
        [work-for] { $who } trabalha para { $value }.
        [pronouns] Pronomes de { $who }: { $value }.
        [time-zone] Fuso horário de { $who }: { $value }.
       *[diet] Dieta de { $who }: { $value }.
    }
nothing_known = { $familiar } não tem nada anotado sobre você que possa ser visto aqui. O que você disse e não mandou esquecer continua na memória mesmo assim; `/forget me` faz esquecer.
nothing_with_these_words = { $familiar } não tem nada anotado sobre você com essas palavras que possa ser visto aqui. Sem elas, `/memory` mostra o que há: { $others }.
choose_fact = Corrigir ou esquecer um deles
one_fact =
    > { $words }
    -# { $learnt }
    Esquecer isto também remove as suas mensagens de onde veio, e o que foi respondido a elas.
correct = Corrigir
correct_title = O que é o certo?
correct_label = Uma frase, com o seu nome nela
fact_gone = Isso não está mais anotado. `/memory` mostra o que está.
corrected =
    { $familiar } agora sabe:
    > { $words }
not_corrected = Isso não mudou: diz a mesma coisa, ou a nota foi editada nesse meio-tempo. Tente `/memory` de novo.
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] anotado por quem cuida deste bot
        [Guild] aprendido no servidor
        [Private] aprendido num canal fechado
        [Restricted] aprendido neste canal
        [Dm] aprendido aqui, a sós com você
       *[Shared] aprendido a sós com você, e compartilhado com lugares que você vinculou
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] , { $on }
    }
learnt_by =
    { $by ->
        [You] ; você disse
        [Other] ; <@{ $teller }> disse
        [Familiar] ; palavras próprias
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
        [one] ; de { $count } mensagem
       *[other] ; de { $count } mensagens
    }
learnt_from_notes =
    { $count ->
        [one] ; de { $count } aprendizado de uma sessão
       *[other] ; de { $count } aprendizados de sessões
    }

## Vincular

pair_code =
    { $from ->
        [alone] Seu código: **{ $code }**. Use `/pair code:{ $code }` em até { $minutes } minutos; vale uma vez. Use num servidor, e lá posso conhecer você como aqui; ou numa mensagem direta de outra conta sua, e considero as duas a mesma pessoa. Não mostre a ninguém: quem usar conta como você.
       *[server] Seu código: **{ $code }**. Use `/pair code:{ $code }` em até { $minutes } minutos; vale uma vez. Use numa mensagem direta comigo, e aqui posso conhecer você como lá. Não mostre a ninguém: quem usar conta como você.
    }
paired = Vinculado. { paired_what } O que você me contou antes fica onde estava, a não ser que use `/pair-past`. `/unpair` acaba com isso.
paired_what =
    { $what ->
        [accounts] De agora em diante, o que você me contar a sós de uma das contas eu sei também a sós com a outra.
        [this_server] De agora em diante, o que você me contar em mensagens diretas pode aparecer neste servidor, seja quem for que leia.
       *[that_server] De agora em diante, o que você me contar aqui pode aparecer naquele servidor, seja quem for que leia.
    }
pair_asked = Este código é de <@{ $other }>. É outra conta sua? Então tomo as duas por uma só pessoa: o que você me conta a sós por uma, eu sei quando estou a sós com a outra. Se outra pessoa deu o código a você, ela ficaria sabendo de tudo o que você me conta a sós.
pair_is_mine = É minha
pair_not_mine = Não é minha
not_paired = Nada foi vinculado.
paired_with = Você tem um vínculo com { $ends }; `/unpair` acaba com isso.
paired_server = um servidor
pair_refused =
    { $why ->
        [NotHere] Nada pode ser vinculado aqui.
        [Wrong] Esse código não vale aqui. Os códigos duram dez minutos e valem uma vez; pegue um novo com `/pair`.
        [TooManyTries] Códigos errados demais. Espere { $minutes } minutos e tente de novo.
        [SamePlace] Você pediu esse código aqui mesmo. Use no outro lugar.
        [OptedOut] Você saiu, então nada seu pode ser guardado, nem um vínculo. Com `/privacy` você pode participar de novo.
        [Already] Os dois já estão vinculados, ou um deles com outra pessoa. `/unpair` acaba com isso.
       *[TooMany] Você já vinculou tantos lugares quanto consigo guardar. Use antes `/unpair` em um deles.
    }
past_only_alone = Use `/pair-past` numa mensagem direta comigo: trata-se do que você me contou lá.
past_nothing = Não há nada para compartilhar: não há nada vinculado que já não saiba. Use antes `/pair`.
past_shared = O que você me contou aqui até agora já pode aparecer em { $places }, onde você se vinculou. `/unpair` retira de lá.
past_servers =
    { $count ->
        [one] { $count } servidor
       *[other] { $count } servidores
    }
past_accounts =
    { $count ->
        [one] { $count } conversa direta
       *[other] { $count } conversas diretas
    }
unpaired =
    { $was_paired ->
        [yes] Desvinculado. O que você me contar a sós volta a ser só nosso, e o que você compartilhou não é mais usado aqui. O que eu já disse na frente de outros fica dito.
       *[no] Você não vinculou nada a este lugar.
    }

## Quem alguém é no roleplay

persona =
    { $description ->
        [none] **{ $name }**.
       *[other] **{ $name }**: { $description }
    }
persona_set =
    Aqui você agora é { $persona }
    Quem conversa aqui pode ficar sabendo pelas respostas. `/persona clear` acaba com isso.
persona_set_everywhere =
    Onde você não tiver definido outra, você agora é { $persona }
    Quem conversa aqui pode ficar sabendo pelas respostas. `/persona clear everywhere:True` acaba com isso.
no_persona =
    { $why ->
        [Nameless] Não dá: uma persona precisa de um nome.
        [LongName] Não dá: o nome de uma persona tem no máximo { $name_chars } caracteres.
        [Taken] Não dá: outra pessoa daqui já se chama assim, ou o próprio personagem.
       *[LongDescription] Não dá: o que se conta de uma persona tem no máximo { $chars } caracteres.
    }
too_many_personas = Você já tem uma persona em tantos lugares quantos são permitidos. Use `/persona clear` em um deles para remover a de lá, ou defina uma para todo lugar.
persona_yourself = Aqui você é você. Com `/persona set` você é outra pessoa no roleplay.
persona_here = Aqui você é { $persona }
persona_elsewhere = Nos outros lugares você é { $persona }
persona_cleared =
    { $was_set ->
        [yes] Removida. Aqui você é você.
       *[no] Não havia nenhuma para remover. Aqui você é você.
    }
persona_cleared_still =
    { $was_set ->
        [yes] Removida. Aqui você é { $persona }
       *[no] Não havia nenhuma para remover. Aqui você é { $persona }
    }
persona_clear_everywhere = `/persona clear everywhere:True` acaba com isso.

## Privacidade

copy_of_mine = Cópia dos meus dados
opt_out = Sair …
take_part = Participar de novo
opt_out_and_forget = Sair e esquecer
opt_out_for_good = Sair e esquecer de vez
not_now = Agora não
privacy_nothing = { $familiar } ainda não guardou nada seu.
privacy_stored = { $familiar } guardou { $plan }, na máquina de quem cuida do bot.
privacy =
    { $stored } O que uma resposta precisa disso vai para o modelo que a escreve; o que você diz em chamadas e nas mensagens de voz que mostrar vai para o reconhecimento de fala. Suas mensagens diretas não são contadas a mais ninguém.
    `/memory` mostra e corrige o que está anotado sobre você, `/forget` retira coisas.
    {"**"}{ copy_of_mine }** dá a você suas mensagens, notas, lembretes e personas num arquivo. **{ opt_out }** acaba com tudo: nada do que você escrever, disser ou puser como reação é lido, guardado ou enviado dali em diante, em nenhum servidor.
opting_out =
    { $familiar } não leria, guardaria nem enviaria mais nada seu, por escrito e em chamadas, em todos os servidores e em mensagens diretas, e não poderia responder a você.{ opting_out_now } O que outros dizem sobre você são palavras deles, e fica. Com `/privacy` você pode participar de novo.
    {"**"}{ opt_out_and_forget }** guarda por sete dias uma cópia lacrada, que `/forget undo` traz de volta quando você participar de novo. **{ opt_out_for_good }** não guarda nenhuma.
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] {" "}O que está guardado é esquecido agora: { $plan }.
    }
opted_out = { $familiar } não lê mais nada seu de agora em diante. { $forgotten }
stays_out = Você saiu: { $familiar } não lê, guarda nem envia nada seu. Só fica guardado o número da sua conta, na lista de quem saiu.
takes_part = { $familiar } volta a ler você de agora em diante. O que você escreveu nesse meio-tempo não foi lido, e fica assim.
opted_out_hint = -# Você saiu, então { $familiar } não leu isso. Com `/privacy` você pode participar de novo.
undo_while_opted_out = Você saiu: { $familiar } não pode guardar nada seu. Com `/privacy` você pode participar de novo; aí pode voltar.
copied =
    { $is_all ->
        [yes] Aqui está a sua cópia. Ela tem { $messages } mensagens suas, que são todas, as notas e os lembretes que podem ser vistos aqui, e as suas personas. Peça numa mensagem direta para ter as notas e os lembretes de lá.
       *[no] Aqui está a sua cópia. Ela tem { $messages } mensagens suas, as mais novas (o resto está com quem cuida deste bot), as notas e os lembretes que podem ser vistos aqui, e as suas personas. Peça numa mensagem direta para ter as notas e os lembretes de lá.
    }

## Aprender com o que fazem com as respostas

let_learn = Deixar aprender
end_learning = Parar de aprender
unlearn = Esquecer o que foi aprendido aqui
learns = { $familiar } aprende com o que você faz com as respostas; `/memory` mostra no que deu, e a sua cópia, o que foi contado. **{ end_learning }** acaba com isso e apaga tudo.
learns_not = Com **{ let_learn }**, { $familiar } pode contar o que você faz com as respostas: reagir, pedir outra, corrigir, apagar ou falar por cima, e se você dá sequência quando o bot entra na conversa. Depois disso o bot entra ali na conversa mais cedo ou mais tarde, responde mais curto ou mais longo e recorre mais ou menos a uma ferramenta. São contagens, nunca as suas palavras; nenhum modelo é treinado.
lets_learn = A partir de agora { $familiar } aprende com o que você faz com as respostas, em todos os servidores e a sós com você. `/memory` mostra no que deu em cada lugar, `/privacy` acaba com isso.
ends_learning =
    { $responses ->
        [0] { $familiar } não aprende mais com o que você faz com as respostas.
       *[other] { $familiar } não aprende mais com o que você faz com as respostas. O que estava contado de você foi apagado ({ $responses }).
    }
unlearned =
    { $responses ->
        [0] { $familiar } não aprendeu nada aqui.
       *[other] { $familiar } esqueceu o que aprendeu aqui ({ $responses }).
    }
learned =
    { $counted ->
        [one] -# O que { $familiar } aprendeu aqui com o que as pessoas fizeram com as respostas (contado 1 vez): { $came }.
       *[other] -# O que { $familiar } aprendeu aqui com o que as pessoas fizeram com as respostas (contado { $counted } vezes): { $came }.
    }
learned_nothing = ainda não basta para mudar nada
learned_waits = antes de entrar na conversa espera { $percent } % das mensagens de costume{ $hours }
learned_hours = , das { $from } às { $to } h { $percent } %
learned_shorter = as respostas serão mais curtas
learned_longer = as respostas serão mais longas
learned_tools = algumas ferramentas pesam mais ou menos: { $tools }

## Lembretes

choose_reminder = Cancelar um …
reminders_none = { $familiar } não guarda nenhum lembrete seu que possa ser visto aqui.
reminders_own = { $familiar } guarda para você:
reminders_rituals = { $familiar } anuncia para todo o canal:
reminders_others = { $familiar } guarda para outras pessoas o que pediram neste canal, que você gerencia:
reminders_more = … e mais { $count }
reminder_open = em aberto
reminder_line =
    { $again ->
        [none] - { $when }: { $words }
       *[other] - { $when }, { $again }: { $words }
    }
reminder_for = { $reminder }, para { $asker }
reminder_again =
    { $repeats ->
        [daily] todo dia às { $time }
        [weekdays] em dias úteis às { $time }
        [weekly] toda semana, { $days }, às { $time }
        [monthly] todo mês no dia { $day } às { $time }
       *[yearly] todo ano em { day_of_year } às { $time }
    }
weekday_and = {" e "}
day_of_year = { $day } de { month }
reminder_cancelled = Cancelado: { $words }
reminder_gone = Esse não está mais aí.

## Consertar uma resposta

repair = Consertar esta resposta
another = Outra resposta
reword = Editar as palavras
go_on = Continuar
delete = Apagar
take_back = Desfazer pergunta e resposta
reword_title = O que esta resposta diz
reword_label = As palavras
repaired_stands = “{ $words }”
repaired_stands_of = Resposta { $standing } de { $all }: “{ $words }”
repaired_refused = {"**"}O Discord não aceitou tudo**: { $why }.
repaired_seen = -# O que você faz aqui todo mundo vê, e { $familiar } lembra a resposta como ela ficar.
repaired_gone =
    { $left ->
        [0] Sumiu, e { $familiar } não lembra nada disso.
        [one] A resposta sumiu. A sua mensagem de antes eu não posso tirar: apague você, e { $familiar } também esquece.
       *[other] A resposta sumiu. As suas mensagens de antes eu não posso tirar: apague você, e { $familiar } também esquece.
    }
repaired_goes_on = { $familiar } continua.
repaired_not_newest = Desde então já se disse algo aqui: só dá para continuar a última resposta.
repaired_not_known = Essa não é uma resposta escrita de que { $familiar } se lembre.
repaired_not_theirs = Essa resposta é para outra pessoa. Pode consertar quem a recebeu, e quem tem { -manage-channels } aqui.
repaired_no_other = Não há outra resposta nessa direção.
repaired_busy = { $familiar } está respondendo a algo agora mesmo. Aperte de novo daqui a pouco.
repaired_too_much = É mais do que consigo responder de uma vez. Me dê um minuto.
repaired_no_answer = Não veio outra resposta; a que está aí continua como era.
not_put =
    { $why ->
        [NotTaken] estou sendo desligado agora
        [NotWrittenDown] não deu para anotar
        [IsFile] uma parte é um arquivo, que não aceita outras palavras: apague a resposta e pergunte de novo
        [Unfit] não é para todo mundo que pode ler ali
        [NotManaging] outras pessoas também leem ali, e para trocar as palavras você precisa de { -manage-channels }
        [Forbidden] não posso mais escrever aí
        [Refused] isso não pode ser postado
       *[Failed] não foi possível falar com o Discord, ou ele não aceitou
    }
repaired_unchanged = Nada mudou: { $why }.
too_long_to_reword = Essa resposta passa dos { $most } caracteres que cabem num formulário do Discord.

## Perguntar antes de fazer

yes = Sim
no = Não
may_i =
    <@{ $who }>, posso fazer isto? { $what }
    -# Só você pode responder, em até dois minutos.
may_i_after_others =
    <@{ $who }>, posso fazer isto? { $what }
    -# Acabei de ler o que outros escreveram, então pergunto antes. Só você pode responder, em até dois minutos.
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> disse sim: { $what }.
        [Declined] -# <@{ $who }> disse não, então não fiz: { $what }.
        [Unanswered] -# <@{ $who }> não respondeu a tempo, então não fiz: { $what }.
       *[Unwanted] -# Não é mais preciso, então não fiz: { $what }.
    }
do_connected = fazer { $program } executar “{ $tool }” com { $arguments }
do_react = colocar { $emoji } embaixo disto: { $message }
do_poll =
    { $several ->
        [yes] abrir uma enquete de { $hours } h: “{ $question }” ({ $answers }; dá para escolher várias)
       *[no] abrir uma enquete de { $hours } h: “{ $question }” ({ $answers })
    }
do_pin = fixar { $message }
do_thread = abrir o tópico “{ $name }”
do_thread_under = abrir o tópico “{ $name }” embaixo disto: { $message }
do_offer_to_forget = mostrar um botão que faz esquecer o que foi dito
do_join_call = entrar na sua chamada e ouvir você lá
do_leave_call = sair da chamada
do_play_sound = tocar o som “{ $name }” na chamada
do_remind = lembrar de “{ $words }” ({ $when }{ $again })
do_announce = anunciar “{ $words }” para todo o canal ({ $when }{ $again })
and_again =
    { $every ->
        [Daily] , todo dia
        [Weekdays] , todo dia útil
        [Weekly] , toda semana
        [Monthly] , todo mês
        [Yearly] , todo ano
       *[none] {""}
    }
do_timer = pôr um temporizador de { $span }
do_timer_for = pôr um temporizador de { $span } para “{ $label }”
timer_span =
    { $form ->
        [seconds] { $seconds } s
        [minutes] { $minutes } min
       *[both] { $minutes } min { $seconds } s
    }
do_keep_in_mind = ter em mente “{ $words }”
do_cancel = cancelar o lembrete “{ $words }”
do_close = anotar que “{ $words }” está resolvido
do_better_mood = deixar meu humor melhorar
do_worse_mood = deixar meu humor piorar
do_note = anotar “{ $words }”
do_note_about = anotar “{ $words }” sobre “{ $about }”
do_open_page = abrir { $address }
do_open_picture = abrir a imagem em { $address }
do_make_picture = fazer e publicar uma imagem: { $words }
meant_message =
    { $whose ->
        [Theirs] sua mensagem “{ $words }”
        [Own] minha mensagem “{ $words }”
        [Of] a mensagem de { $whom } (“{ $words }”)
       *[Asked] sua mensagem
    }
not_yours_to_answer = Isso é para outra pessoa responder.
answered_already = Isso já foi respondido.
too_late_to_answer = -# É tarde demais para responder. Se não foi feito, peça de novo.

## Chamadas

nobody_yet = ninguém ainda
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } está nesta chamada e ouve: { $heard }.** Ouve todo mundo que leu isto e não aperta **{ decline }**. { becomes_text }{ written_here }; nenhum som é guardado. `/unsubscribe-voice` acaba com isso, `/forget me` faz esquecer o que você disse.
       *[no] **{ $familiar } está nesta chamada e ouve: { $heard }.** As outras pessoas não são ouvidas, a não ser que apertem **{ agree }**. { becomes_text }{ written_here }; nenhum som é guardado. `/unsubscribe-voice` acaba com isso, `/forget me` faz esquecer o que você disse.
    }
newcomers =
    { $everybody ->
        [yes] { $who }: **{ $familiar } está nesta chamada e ouve.** Ouve você de agora em diante, a não ser que aperte **{ decline }**. { becomes_text }{ written_here }; nenhum som é guardado. `/forget me` faz esquecer o que você disse.
       *[no] { $who }: **{ $familiar } está nesta chamada e ouve.** Não ouve você, a não ser que aperte **{ agree }**, e **{ decline }** acaba com isso. { becomes_text }{ written_here }; nenhum som é guardado. `/forget me` faz esquecer o que você disse.
    }
becomes_text =
    { $by ->
        [here] O que ouve fica na máquina do bot, onde { $recogniser } transforma em texto que pode ficar na memória
        [somewhere_here] O que ouve fica na máquina do bot, onde vira texto que pode ficar na memória
        [elsewhere] O que ouve é enviado para { $recogniser }, que transforma em texto que pode ficar na memória
        [somewhere_else] O que ouve é enviado para um servidor de fala de quem cuida do bot, que transforma em texto que pode ficar na memória
       *[unknown] O que ouve vira texto que pode ficar na memória
    }
written_here =
    { $transcript ->
        [yes] , e o que diz quem aperta **{ agree }** ou chamou o bot é escrito neste chat para quem puder ler
       *[no] {""}
    }
channel_status = { $familiar } está aqui e ouve; a quem, está dito no chat
agree = Me ouça
decline = Não me ouça
join_a_call_first = Você não está em nenhum canal de voz que eu veja. Entre num e use este comando de novo.
called_in = { $familiar } está em <#{ $call }> e ouve você. Segue você para outras chamadas deste servidor e sai { $grace } depois de você. Para acabar: `/unsubscribe-voice`.
seconds =
    { $count ->
        [one] { $count } segundo
       *[other] { $count } segundos
    }
hears_you_too = { $familiar } agora ouve você também. Aperte **{ decline }** sob o aviso no chat da chamada para acabar com isso.
hears_you_already = { $familiar } está na sua chamada e já ouve você.
is_elsewhere = { $familiar } está com outras pessoas em <#{ $call }>, e só pode estar numa chamada por servidor. Vá até lá, ou espere.
lacks_permissions =
    { $count ->
        [one] Ainda não posso entrar em <#{ $call }>: falta { $missing }. Dê ao meu cargo essa permissão nas permissões do canal e tente de novo.
       *[other] Ainda não posso entrar em <#{ $call }>: faltam { $missing }. Dê ao meu cargo essas permissões nas permissões do canal e tente de novo.
    }
call_is_full = <#{ $call }> está cheio. Aumente o limite de usuários ou abra espaço, e tente de novo.
no_stages = <#{ $call }> é um palco; só consigo falar em canais de voz.
unknown_call = Não vejo esse canal de voz. Dê ao meu cargo { -view-channel } lá e tente de novo.
not_joined = Não consegui entrar em <#{ $call }>: { $why }. Tente de novo daqui a um minuto.
no_calls = As chamadas estão desligadas aqui. Quem cuida deste bot pode ligar.
everybody_needs_manage_channels = Para que todo mundo seja ouvido você precisa de { -manage-channels } em <#{ $call }>. Sem `everybody`, o bot ouve só você.
every_call_needs_everybody = `every_call` mantém o que `everybody` diz: defina também `everybody` como True ou False.
every_call_needs_manage_server = Para dizer o que vale em todas as chamadas deste servidor você precisa de { -manage-server }. Sem `every_call`, vale nesta chamada.
everybody_in_every_call = De agora em diante, em todas as chamadas deste servidor, { $familiar } ouve todo mundo que foi avisado e não recusa. `/subscribe-my-voice everybody:False every_call:True` acaba com isso.
nobody_unasked = Em todas as chamadas deste servidor { $familiar } só ouve quem concorda.
call_ended = { $familiar } saiu da chamada.
hears_you_no_longer = { $familiar } não ouve mais você. Quem chamou o bot, ou alguém com { -manage-channels }, pode fazer com que saia.
does_not_hear_you = { $familiar } não ouve você.
in_no_call = { $familiar } não está em nenhuma chamada deste servidor.
left_behind = -# { $familiar } saiu: quem chamou o bot não está mais. `/subscribe-my-voice` traz de volta.
left_alone = -# { $familiar } saiu: não havia ninguém. `/subscribe-my-voice` traz de volta.
left_quiet = -# { $familiar } saiu: ninguém disse nada por { $quiet }. `/subscribe-my-voice` traz de volta.
gave_up = -# { $familiar } perdeu a chamada: { $why }. `/subscribe-my-voice` traz de volta.
cannot_follow = -# { $familiar } fica aqui e não pode ir para <#{ $call }>. { $why }
deaf = -# { $familiar } não conseguiu entender o que foi dito e se conecta de novo. O que acabou de ser dito se perdeu.
still_deaf = -# { $familiar } ainda não consegue entender <@{ $user }>. Sair da chamada e voltar pode ajudar.
unplaced = -# { $familiar } recebe som de alguém que não consegue identificar, e se conecta de novo. O que essa pessoa acabou de dizer se perdeu.
still_unplaced = -# { $familiar } ainda recebe som de alguém que não consegue identificar, e não escuta. Quem falar e não for ouvido: saia da chamada e volte.
hears_nothing = -# Aqui consigo falar, mas não ouvir: { $why }. Escreva para mim neste chat.
misses_words = -# Não entendi o que acabou de ser dito: { $why }. Diga de novo daqui a pouco, ou escreva para mim neste chat.
hears_again = -# Estou ouvindo de novo.
has_no_voice = -# Aqui consigo ouvir, mas não falar: { $why }. Respondo neste chat.
speaks_again = -# Estou falando de novo.
not_heard = -# <@{ $who }>, por um tempo não ouço você: { $why }. Escreva para mim neste chat.
not_spoken_to = -# <@{ $who }>, por um tempo respondo a você neste chat: { $why }.
call_state = Na chamada <#{ $call }>: pessoas ouvidas: { call_people }; pacotes: { $taken } aceitos, { $refused } recusados sem ouvir{ call_unplaced }, { $lost } perdidos
call_people =
    { $heard ->
        [0] nenhuma
       *[other] { $heard }
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] , { $unplaced } de origem desconhecida
    }
transcript_heading = -# O que foi dito. `/forget me` tira as suas palavras.
and_more = { $named } e mais { $count }

## Comandos e suas opções

command_subscribe-text = Ler este canal e seus tópicos, e responder quando falarem com o bot
command_unsubscribe-text = Parar de ler este canal
command_channel = Outro canal ou fórum; senão, este
command_subscribe-my-voice = Vir à minha chamada e me ouvir; se já estiver nela, me ouvir também
command_subscribe-my-voice_everybody = Ouvir todo mundo que não recusar; precisa de { -manage-channels }
command_subscribe-my-voice_every_call = Manter `everybody` assim em toda chamada do servidor; precisa de { -manage-server }
command_unsubscribe-voice = Sair da chamada ou, se outra pessoa chamou, parar de me ouvir
command_quiet = Aqui e na chamada deste servidor, falar só quando falarem com o bot
command_quiet_minutes = Por tantos minutos; senão, até /wake
command_wake = Aqui e na chamada deste servidor, entrar de novo na conversa
command_speak-first = Deixar que comece a falar aqui, sobre datas e aniversários que conhece
command_speak-first_on = Se pode
command_speak-first_newcomers = Cumprimentar aqui, uma vez, quem é novo no servidor
command_channel-full-rp = Escrever respostas longas, como num romance, neste canal
command_channel-text-conversation-rp = Escrever umas linhas curtas, como num bate-papo, neste canal
command_channel-imitate-voice = Escrever uma ou duas frases curtas, como faladas, neste canal
command_channel-backdrop = Dizer o que acontece neste canal
command_reset = Recomeçar a conversa aqui; o que foi dito antes continua na memória
command_branch = Seguir num tópico próprio, que sabe o que foi dito aqui antes
command_branch_name = Como o tópico se chama
command_profile = Imagem e nome da ficha no Discord; como se chama neste servidor
command_profile_picture = A imagem da ficha, em todo o Discord; para quem cuida do bot
command_profile_name = O nome da ficha, em todo o Discord; para quem cuida do bot
command_profile_nickname = Como se chama neste servidor
command_profile_nickname_name = Senão, o nome da ficha
command_memory = O que está anotado sobre você, no que pode ser visto aqui
command_memory_about = Só o que contém estas palavras
command_reminders = Os lembretes que você pediu, no que pode ser visto aqui; cancelar
command_forget = O que você disse aqui e em outros lugares, e o que está anotado disso
command_forget_me = Tudo o que você já disse, e tudo o que está anotado sobre você
command_forget_what = O que você disse com certas palavras, e o que está anotado disso
command_forget_what_words = Palavras; somem as suas mensagens e fatos que contêm todas elas
command_forget_undo = Desfazer o último, em até sete dias
command_privacy = O que está guardado sobre você e quem recebe; uma cópia, e sair
command_context = Por que disse o que disse: o registro de uma das suas rodadas
command_context_turn = Uma rodada sua, como t42; senão, a sua última aqui
command_context_why = Palavras: foram ditas ao modelo, ficaram de fora ou não foram procuradas?
command_lore = Lore do mundo: o que foi chamado, e por quê
command_lore_why = Que lore a sua última rodada aqui chamou, e por quê; ou por que uma entrada sim ou não
command_lore_why_entry = Uma entrada; senão, tudo o que foi chamado
command_greet = Dizer uma das saudações do personagem
command_greet_number = Qual saudação; senão, a primeira
command_pair = Vincular suas mensagens diretas a este servidor, ou a outra conta sua
command_pair_code = O código que você recebeu em outro lugar; sem ele, você recebe um
command_pair-past = Que o contado antes de vincular seja conhecido também onde você se vinculou
command_unpair = Encerrar o que você vinculou a este lugar
command_persona = Quem você é no roleplay, aqui ou em todo lugar
command_persona_set = Dizer quem você é; quem conversa aqui pode ficar sabendo
command_persona_set_name = Como você se chama no roleplay
command_persona_set_description = Quem é, nas suas palavras
command_persona_set_everywhere = Onde você não tiver definido outra; senão, só aqui
command_persona_show = Quem você é aqui, e nos outros lugares
command_persona_clear = Voltar a ser você
command_persona_clear_everywhere = A que vale em todo lugar; senão, a daqui
command_status = Como está, e como escreve aqui
command_help = O que este bot faz e que comandos ele tem
