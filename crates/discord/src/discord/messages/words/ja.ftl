# プログラム自身が Discord で言うこと、日本語。それぞれの文の用途は en.ftl にあります。

## Discord の画面での名前

-manage-channels = チャンネルの管理
-manage-server = サーバーの管理
-manage-nicknames = ニックネームの管理
-view-channel = チャンネルを見る
-apps = アプリ
permission =
    { $name ->
        [View_Channel] { -view-channel }
        [Send_Messages] メッセージの送信
        [Send_Messages_in_Threads] スレッドでメッセージを送信
        [Read_Message_History] メッセージ履歴を読む
        [Connect] 接続
        [Speak] 発言
        [Create_Public_Threads] 公開スレッドの作成
        [Change_Nickname] ニックネームの変更
       *[other] { $as_it_is }
    }

## 並べ方と日付

list_comma = 、
list_and = と
date = { $year }年{ month }{ $day }日
month =
    { $month ->
        [1] 1月
        [2] 2月
        [3] 3月
        [4] 4月
        [5] 5月
        [6] 6月
        [7] 7月
        [8] 8月
        [9] 9月
        [10] 10月
        [11] 11月
       *[12] 12月
    }
weekday =
    { $weekday ->
        [1] 月曜日
        [2] 火曜日
        [3] 水曜日
        [4] 木曜日
        [5] 金曜日
        [6] 土曜日
       *[7] 日曜日
    }

## うまくいかなかったとき、チャンネルで

model_failure =
    { $class ->
        [RateLimited] いまモデルが混み合っています。1分ほどしてからもう一度どうぞ。
        [Server] モデルの提供元で問題が起きています。1分ほどしてからもう一度どうぞ。
        [Network] モデルにつながりませんでした。1分ほどしてからもう一度どうぞ。
        [BrokeOff] 返事が途中で切れました。もう一度どうぞ。
        [Timeout] モデルの返事に時間がかかりすぎました。もう一度どうぞ。
        [ModelMissing] 設定されたモデルが存在しません。このボットの管理者に知らせてください。
        [Authentication] モデルのキーが拒否されました。このボットの管理者に知らせてください。
        [KeyMissing] モデルのキーが設定されていません。このボットの管理者に知らせてください。
        [Quota] モデルの残高がありません。このボットの管理者に知らせてください。
        [ContextLength] モデルが読める長さを超えました。管理者に `context_window` の設定を頼んでください。
        [ContentFilter] モデルの提供元に断られました。別の言い方を試してください。
        [Malformed] モデルの返事を読み取れませんでした。もう一度どうぞ。
        [Empty] モデルから表示できる返事が来ませんでした。もう一度どうぞ。別の言い方でも試せます。
        [WebPage] 返事の代わりにウェブページが届きました。このボットの管理者に知らせてください。
        [BadRequest] モデルにリクエストを断られました。このボットの管理者に知らせてください。
        [CostCap] 今日の予算を使い切りました。0時（UTC）からまた使えます。
        [TokenCap] 今日の予算を使い切りました。0時（UTC）からまた使えます。
       *[Cancelled] その返事は止められました。
    }
notice_model_failed = -# { model_failure } ({ $turn })
notice_try_later = -# いまモデルが混み合っています。{ $wait }後にもう一度どうぞ。 ({ $turn })
notice_not_stored = -# 書き留められなかったので、返事をしませんでした。このボットの管理者に知らせてください。 ({ $turn })
notice_too_much_at_once = -# 一度には答えきれません。1分ください。書いてくれたことはちゃんと読みます。
notice_cut_short = -# わたしの返事に書ける長さはここまでです。続きは「続けて」と言ってください。 ({ $turn })
notice_kept_back = -# 言おうとしたことは、ここを読むかもしれない全員に向いた内容ではないので控えました。別の言い方で聞いてください。({ $turn })
notice_keeps_quiet = -# これからは話しかけられたときだけ話します。`/wake` か、また話していいと言ってもらえば元に戻ります。
notice_joins_in_again = -# また会話に加われます。`/quiet` で止められます。
notice_message_too_long = -# そのメッセージは長すぎます。{ $tokens } トークンありますが、入るのは { $fits } までです。分けて送ってください。 ({ $turn })
notice_prompt_too_large = -# キャラクターがモデルに対して大きすぎます。このボットの管理者に知らせてください。 ({ $turn })

## 読む・読まない

dm_refused = { $familiar } がダイレクトメッセージを読むのは、読んでいるサーバーにいる人と、許可リストの人からだけなので、これは読んでいません。そういうサーバーで話しかけるか、このボットの管理者に、あなたの ID `{ $account }` を `dm_allowlist` に加えるよう頼んでください。
subscribed = { $familiar } は <#{ $channel }> とそのスレッドを読みます。止めるには `/unsubscribe-text`。
begins_to_read = -# これから { $familiar } はこのチャンネルとそのスレッドを読み、話されたことを覚えます。詳しくは `/help`、あなたについて保存されているものは `/privacy` で。不参加もそこで選べます。
begins_alone = -# { $familiar } はここに書かれたことを覚えます。詳しくは `/help`、あなたについて保存されているものは `/privacy` で。不参加もそこで選べます。
does_not_read = -# { $familiar } はこのチャンネルを読んでいないので、いまのも読んでいません。ここで `/subscribe-text` を使うと読むようになります。
keeps_quiet = { $familiar } は話しかけられたときだけ話します。`/wake` で元に戻ります。通話では、通話とともに終わります。
keeps_quiet_for = { $familiar } は { $span }のあいだ、話しかけられたときだけ話します。`/wake` で元に戻ります。通話では、通話とともに終わります。
joins_in_again = { $familiar } はまた会話に加われます。`/quiet` で止められます。
was_not_quiet = { $familiar } はここでは静かにするよう言われていませんでした。
not_let_in = ここでは { $familiar } を利用できません。決めるのはこのボットの管理者です。あなたについて保存されているものは `/privacy` で見られ、`/forget` で消せます。
reset = ここの会話は新しく始まります。{ $familiar } は前に話されたことを踏まえなくなりますが、覚えてはいて、話題になれば思い出すことがあります。消したいことには `/forget` を使ってください。
undo_reset = 元に戻す
reset_undone = { $familiar } はまた、前に話されたことを踏まえて話します。
reset_since = そのあと会話がもう一度新しく始められたので、このままにします。
nothing_to_reset = ここには、区切るような会話がありません。
alone_it_answers = ダイレクトメッセージではほかに人がいないので、静かにする必要はありません。
not_here_and_in_no_call = { $familiar } はこのチャンネルを読んでおらず、このサーバーの通話にもいません。
how_to_forget = -# 何かを本当に忘れさせるには、`/forget what` で特定の言葉を含む発言を、`/forget me` ですべてを消せます。あなたについてのメモは `/memory` で見られます。
forget_me = わたしのことを全部忘れる …
already_subscribed = { $familiar } はもう <#{ $channel }> を読んでいます。止めるには `/unsubscribe-text`。
dm_needs_no_subscription = ダイレクトメッセージに登録はいりません。このコマンドはサーバーで使ってください。
unsubscribed = { $familiar } は <#{ $channel }> をもう読みません。また始めるには `/subscribe-text`。
not_subscribed = { $familiar } は <#{ $channel }> を読んでいません。始めるには `/subscribe-text`。
bot_lacks_permissions =
    { $count ->
       *[other] <#{ $channel }> ではまだ話せません。権限「{ $missing }」がありません。チャンネルの権限設定でわたしのロールにそれを与えて、もう一度どうぞ。
    }
unknown_place = このチャンネルが見えません。ここでわたしのロールに「{ -view-channel }」を与えて、もう一度どうぞ。
needs_manage_channels = それには <#{ $channel }> で「{ -manage-channels }」が必要です。持っている人に頼んでください。

## 書き方と、ここの場面

mode_set = <#{ $channel }> はこれから{ mode_name }モードです：{ mode_words }
mode_name =
    { $mode ->
        [FullRp] ロールプレイ
        [TextConversationRp] チャット
       *[ImitateVoice] 話し言葉
    }
mode_words =
    { $mode ->
        [FullRp] 三人称の、小説のような長い返事。
        [TextConversationRp] チャットのような、短い数行。
       *[ImitateVoice] 話しているような、短い一、二文。
    }
backdrop_title = このチャンネルの場面
backdrop_label = ここはどんな場面？（空にすると消えます）
backdrop_placeholder = 夜更け、四つ辻の酒場。外は雨。
backdrop_set = <#{ $channel }> の場面を設定しました（{ $chars } 文字）。次の返事から有効です。
backdrop_cleared = <#{ $channel }> の場面を消しました。
greeted = あいさつしました。
greet_needs_subscription = { $familiar } はこのチャンネルを読んでいません。先に `/subscribe-text` を使ってください。
no_such_greeting =
    { $have ->
        [0] カードにあいさつがありません。
        [1] カードのあいさつは一つです。番号なしで `/greet` を使ってください。
       *[other] カードのあいさつは { $have } 個です。1 から { $have } の番号を使ってください。
    }
speaks_first_no = これから { $familiar } は、ここではほかの人のあとにだけ話します。
speaks_first_nowhere = { $familiar } はここで自分から話し始められますが、このボットの管理者が、どこでもそうしないように設定しています。
speaks_first_yes =
    { $per_day ->
       *[other] { $familiar } は、聞いている予定や誕生日について、ここで自分から話し始められます。{ $from_hour }時から{ $to_hour }時のあいだ、一日に多くても { $per_day } 回、だれかが答えるまでは二度目はありません。`/speak-first on:False` で止められます。
    }
greets_newcomers_yes = このサーバーに新しく来た人がいると、{ $familiar } はここで一度だけあいさつします。眠っているときと、静かにするよう言われているときはしません。
greets_newcomers_no = { $familiar } は、ここで新しい人にあいさつしません。
does_not_speak_first = { $familiar } はここを読んでいないので、ここでは何も言いません。`/subscribe-text` で変えられます。

## ターンがしたこと

no_turn_yet = ここにはまだ説明できることがありません。先に何か話してから、もう一度どうぞ。
no_such_turn = あなたが加わったターン `{ $given }` はありません。省くと最後のターンが見られます。
context_attached = ターン { $turn }：{ $summary }そうなったわけは添付のファイルにあります。見えるのはあなただけです。
outcome_replied = { $messages } 件のメッセージで返事をしました。
outcome_silent = 黙っていました：{ silence }。
silence =
    { $reason ->
        [OnlyWhenAddressed] だれにも話しかけられず、ここでは自分からは加わりません
        [AddressedToSomeoneElse] ほかの人に向けたメッセージでした
        [FromBot] ボットには答えません
        [NotStored] メッセージを保存できませんでした
        [SaidMeanwhile] プログラムが止まっている間の発言でした
        [EnoughForNow] 知らない人への返事の数には限りがあり、今はその分を使い切りました
        [TooMuchAtOnce] 今の上限を超える数の質問がありました
        [SomebodyInDistress] ここにつらい思いをしている人がいるので、話しかけられたときだけ話します
        [Asleep] 就寝中で、だれにも話しかけられませんでした
        [ToldToBeQuiet] 静かにするよう言われました
        [KeptQuiet] ここでは { $until } まで静かにするよう言われています
        [KeptQuietUntilWoken] ここでは `/wake` まで静かにするよう言われています
        [FoundNothingToSay] 言うことはないと判断しました
        [Reacted] メッセージに付けた絵文字が返事です
        [WaitsForTheRest] まだ話の途中だと判断し、続きを待っています
       *[NotAddressed] だれにも話しかけられませんでした（会話に加わるまで { $threshold } 件中 { $count } 件）
    }
outcome_undelivered =
    { $messages ->
        [0] 返事を投稿できませんでした。
       *[other] 返事のうち { $messages } 件しか投稿できませんでした。
    }
outcome_cancelled =
    { $messages ->
        [0] 何も言わないうちに中止しました：{ cancelled_because }。
       *[other] { $messages } 件送ったところで中止しました：{ cancelled_because }。
    }
cancelled_because =
    { $reason ->
        [Superseded] 先に続きの発言がありました
        [Interrupted] 途中でだれかが話しました
        [StoppedByHand] だれかが止めました
        [Withdrawn] メッセージが削除されました
        [Shutdown] プログラムの終了中でした
       *[Killed] プログラムが強制終了されました
    }
turn_of_another_place = ターン { $turn } は別のチャンネルのものです。そこで聞いてください。そのチャンネルが見える人だけが読めます。
why_attached = ターン { $turn } がその言葉をどう扱ったかを添付しました。見えるのはあなただけです。

## `/status` と `/help`

status_up = 稼働 { $uptime }、モデル：{ $model }
status_here =
    { $here ->
       *[NotRead] このチャンネル：読んでいません（`/subscribe-text`）
        [Read] このチャンネル：読んでいます{ in_mode }
        [ThroughParent] このスレッド：チャンネルとともに読んでいます{ in_mode }
        [Dm] ダイレクトメッセージ：読んでいます{ in_mode }
    }
in_mode =
    { $mode ->
        [none] {""}
       *[other] 、{ mode_name }モード
    }
status_quiet =
    { $until ->
        [wake] ここでは `/wake` まで、話しかけられたときだけ話します
       *[other] ここでは <t:{ $until }:f> まで、話しかけられたときだけ話します
    }
status_mute = このチャンネルには書き込めません
status_subscriptions = このサーバーで読んでいるチャンネル：{ $count }
status_early = 通話で早く始めた返事：{ $begun }、そのうち使ったもの：{ $given }
status_last_reply = ここでの最後の返事は { $seconds } 秒かかりました
status_budget = 今日の予算：${ $spent } / ${ $cap }
status_spent = 今日使った額：${ $spent }、上限なし
status_cap = 予算：一日 ${ $cap }
status_unpriced = 値段のわからない今日のトークン：{ $used }
status_unpriced_of = 値段のわからない今日のトークン：{ $used } / { $cap }
help =
    {"**"}{ $familiar }** は登録されたチャンネルを読み、名前、メンション、返信で話しかけられると答えます。ときどき自分から会話に加わります。メッセージを編集したり消したりすると、覚えていることも変わります。

    だれでも：
    `/memory` — あなたについてメモし、ここで言ってよいこと。訂正や忘れさせることもできます
    `/reminders` — 頼んだリマインダーと、その取り消し
    `/forget me`、`/forget what` — 言ったことをどこでも忘れさせる。`/forget undo` で取り消し
    `/privacy` — あなたについて保存されているもの、そのコピー、不参加
    `/context` — あなたの最後のメッセージに、なぜそう答えたか
    `/lore why` — 最後のターンがどの世界設定を呼び出したか、その理由
    `/greet` — あいさつを一つ言ってもらう
    `/pair`、`/pair-past`、`/unpair` — ダイレクトメッセージと同じようにほかでも知ってもらう、またはやめる
    `/persona` — ロールプレイでのあなた。ここで、またはどこでも
    `/status` — いまの様子と、ここでの書き方
    `/branch`、*{ -apps } → { branch }* — 会話を独立したスレッドで続ける
    あなたへの返事で *{ -apps } → { repair }* — 別の返事、別の言葉、またはなしに
    `/subscribe-my-voice`、`/unsubscribe-voice` — 通話に来てあなたの声を聞く、またはやめる
    `/quiet`、`/wake` — ここと、このサーバーの通話で、話しかけられたときだけ話す、または元に戻す

    「{ -manage-channels }」がある人：
    `/subscribe-text`、`/unsubscribe-text` — このチャンネルや別のチャンネル、フォーラムを読む、またはやめる
    `/channel-full-rp`、`/channel-text-conversation-rp`、`/channel-imitate-voice` — ここでの書き方
    `/channel-backdrop` — ここの場面
    `/reset` — ここの会話を新しく始める。話されたことは覚えたまま
    `/speak-first` — ここで自分から話し始めてよいことにする、またはやめる

    「{ -manage-nicknames }」がある人：
    `/profile nickname` — このサーバーでの呼び名

    コマンドへの答えは、使った人にだけ見えます。

## コマンドでうまくいかなかったこと

command_failed = うまくいきませんでした：{ $what }。また起きたら、このボットの管理者に知らせてください。
failed_settings =
    { $why ->
        [Full] ディスクがいっぱいで、設定を保存できませんでした。このボットの管理者が空きを作る必要があります
        [Locked] ディスクに書き込めず、設定を保存できませんでした。このボットの管理者が書き込みを許可する必要があります
       *[none] 設定を保存できませんでした
    }
failed_history = 話されたことを検索できませんでした
failed_pairing = ペアリングを書き留められませんでした
failed_trace = そのターンの記録を読めませんでした
failed_forget = まだ全部は忘れていません。残りは次の起動で消えます
failed_notes = メモを読めませんでした
command_broke = うまくいきませんでした。理由はログにあります。また起きたら、このボットの管理者に知らせてください。

## いまの様子

branch = スレッドで続ける
branched = スレッドを開きました：<#{ $thread }>。ここで前に話されたことは、そこにも引き継がれます。
not_done =
    { $why ->
        [BotLacks] それはここではできません。権限「{ $missing }」がありません。サーバーを管理している人に、わたしのロールへ与えてもらってください。
        [AskerLacks] それは、ここで自分でもできる人に頼まれたときだけします。あなたには権限「{ $missing }」がありません。
        [AskerUnseen] あなたがここで何をしてよいか、いまは確かめられません。少ししてからもう一度どうぞ。
        [NoThreadsHere] スレッドを開けるのは、サーバーのテキストチャンネルだけです。
        [Late] Discord の応答が間に合いませんでした。少ししてからもう一度どうぞ。
        [MessageGone] そのメッセージはもうありません。
        [HasThread] そのメッセージにはもうスレッドがあります。
        [Locked] このスレッドはロックされています。
        [ChannelGone] このチャンネルはもうありません。
        [NotAccepted] Discord がこのボットを受け付けなくなりました。このボットの管理者に知らせてください。
        [Closed] それはここではできません。
       *[Said] Discord に断られました：「{ $words }」
    }
branches_not_here = { $familiar } はここを読んでいないので、ここからは続けられません。`/subscribe-text` で変えられます。
asleep = 就寝中
asleep_doing = 就寝中、{ $doing }
busy = 取り込み中
mood =
    { $mood ->
        [elated] 有頂天
        [happy] うれしい
        [cheerful] 上機嫌
        [content] 満足
        [angry] 怒っている
        [downcast] 落ち込んでいる
        [irritated] いらいら
        [a_little_low] 少し沈みがち
        [lively] 元気いっぱい
       *[drowsy] 眠い
    }
how_it_is =
    { $wakefulness ->
        [Asleep] { $familiar } は { $until } まで寝ています{ doing }。{ $familiar } に話しかければ、それでも返事はします。
        [Busy] { $familiar } は { $until } まで取り込み中です{ doing }。{ in_mood }
       *[Awake] { $familiar } は起きています{ doing }。{ in_mood }
    }
doing =
    { $doing ->
        [none] {""}
       *[other] （{ $doing }）
    }
in_mood =
    { $mood ->
        [none] {""}
       *[other] 気分：{ mood }。
    }
profile_changed =
    { $what ->
        [Picture] Discord のどこでもカードの画像になりました。
        [Name] Discord のどこでもカードの名前になりました。
       *[Nickname] このサーバーではそう呼ばれるようになりました。
    }
profile_refused = Discord に受け付けられませんでした：「{ $why }」。画像と名前は1時間に数回しか変えられません。
profile_is_the_operators = 画像と名前はどのサーバーでも同じなので、変えられるのはこのボットの管理者、つまり `discord.operators` の人だけです。このサーバーには `/profile nickname` があります。
no_picture = { $familiar } のカードに、読める画像がありません：`memory/self/assets/avatar.png`。
picture_too_large = カードの画像は、Discord が受け付ける 10 MiB を超えています。
name_does_not_fit = Discord の名前は 2 から 32 文字ですが、「{ $name }」は { $chars } 文字です。
nicknames_are_of_servers = 別の名前で呼べるのはサーバーの中だけです。
needs_manage_nicknames = それにはここで権限「{ -manage-nicknames }」が必要です。

## `/lore why`

no_lore = ターン { $turn } には、調べるロアブックがありませんでした。このボットの管理者なら `familiar lore import` で追加できます。
no_such_entry = 「{ $given }」というロアの項目はありません。省くと、呼び出されたものが見られます。
lore_called_up =
    { $fired ->
        [0] ターン { $turn } は、{ $all } 個のロア項目をどれも呼び出しませんでした。
       *[other] ターン { $turn } は、{ $all } 個のロア項目のうち { $fired } 個を呼び出しました：
    }
lore_not_called_up = 呼び出されなかったもの：
lore_rest = ほかの { $rest } 個は関係ありませんでした。一つについては `/lore why entry:` で。
lore_in_turn = ターン { $turn } では：
lore_entry =
    { $fired ->
        [yes] - **{ $name }**（{ $book }）は呼び出されました：{ $why }{ lore_how_much }
       *[no] - **{ $name }**（{ $book }）は呼び出されませんでした：{ $why }{ lore_how_much }
    }
lore_line = - **{ $name }**：{ $why }{ lore_how_much }
lore_how_much =
    { $level ->
        [Line] （入ったのは最初の一文だけ）
        [Paragraph] （入ったのは最初の段落だけ）
       *[Full] {""}
    }
lore_constant = 常に有効
lore_by_text = 本文に @@{ $by } とあります
lore_key = キー「{ $key }」が{ $at }にあります
lore_key_and_filter = キー「{ $key }」が{ $at }にあり、フィルターキー「{ $filter }」も合っています
lore_lasts =
    { $what ->
        [Sticky] あと{ lore_messages }残ります
        [Delay] あと{ lore_messages }待ちます
       *[Cooldown] あと{ lore_messages }休みます
    }
lore_messages =
    { $left ->
        [one] 1 件のメッセージのあいだ
       *[other] { $left } 件のメッセージのあいだ
    }
lore_latched = 前にキーが見つかり、それで足ります
lore_retrieved = 話されたことに関係があります（スコア { $score }）
lore_no_key_found = 読んだものにキーが一つもありません
lore_no_keys = キーがなく、常に有効でもありません
lore_filter_keys = キー「{ $key }」はありますが、フィルターキーが合いません（{ lore_rule }）
lore_rule =
    { $logic ->
        [and_all] すべて必要です
        [not_all] どれか一つがないことが必要です
        [not_any] 一つもあってはいけません
       *[and_any] どれか一つが必要です
    }
lore_disabled = 無効になっています
lore_other_character = ほかのキャラクター用です
lore_other_trigger = 種類「{ $trigger }」のターン用ではありません
lore_waits_for_others = ほかの項目に呼ばれるのを待っていますが（段階 { $level }）、どれも呼びませんでした
lore_not_by_entries = キー「{ $key }」はほかの項目にしかなく、そこからは呼べません
lore_roll = 抽選に外れました（100 のうち { $rolled }、確率は { $chance } %）
lore_group = グループ「{ $group }」からは「{ $winner }」が選ばれました
lore_group_served = グループ「{ $group }」はもう済んでいます
lore_budget = 入りきりません：これを入れるとロアが { $limit } トークンのうち { $needed } を使います
lore_left_out = 呼び出されましたが、プロンプトには入りませんでした。理由は `/context` にあります
lore_empty = 本文が何も残りません
lore_no_outlet = 置き場所のアウトレット「{ $outlet }」を開くものがありません
lore_in_newest = 最新のメッセージ（{ $speaker }）
lore_in_message = 最後から { $back } 番目のメッセージ（{ $speaker }）
lore_in_card = カードの { $field }
lore_in_entry = 項目「{ $name }」
lore_more = … ほかに { $rest } 行。全部は `/context` にあります。

## 覚えることと忘れること

plan_messages =
    { $count ->
       *[other] あなたのメッセージ { $count } 件
    }
plan_replies =
    { $count ->
       *[other] それへの返事 { $count } 件
    }
plan_facts =
    { $count ->
       *[other] メモされたこと { $count } 件
    }
plan_notes =
    { $count ->
       *[other] メモ丸ごと { $count } 件
    }
plan_unread =
    { $count ->
       *[other] 読み取れなかったモデルの回答 { $count } 件
    }
plan_traces =
    { $count ->
       *[other] そのほかあなたが残したもの（リアクションなど）{ $count } 件
    }
plan_transcripts =
    { $count ->
       *[other] 文字起こしのメッセージ { $count } 件
    }
plan_name = あなたの名前
forget_plan_nothing = { $familiar } は、あなたのことで当てはまるものを何も覚えていません。
forget_plan = { $familiar } が忘れるもの：{ $plan }。あなたの言葉は、記憶、要約、記録から、このサーバーでもほかのどこでも消えます。ほかの人の言葉は残ります。
forget_plan_transcripts = あなたの言葉がある通話の文字起こしを調べます。この言葉を含むメッセージと、読めないメッセージは削除され、戻りません。
forget_plan_transcripts_go = 文字起こしのメッセージは削除され、戻りません。
forget_plan_copies = 前に忘れたものはまだ取り戻せます。**{ forget_for_good }** はそのコピーも消します。
forget_plan_ends = {"**"}{ forget }** は7日間 `/forget undo` で取り消せます。**{ forget_for_good }** はコピーを残しません。
forget_plan_facts = そのうち、ここで見せてよいメモ：
forget_plan_facts_more = …ほかに { $count } 件（ここでは見せません）
transcripts_searched = { $familiar } は、あなたのことで当てはまるものを何も覚えていません。この言葉を含む通話の文字起こしのメッセージを削除しています。
forget = 忘れる
forget_for_good = 完全に忘れる
keep = 残す
nothing_to_forget = { $familiar } には、あなたのことで当てはまるものが何もありません。ここであなたについて知っていることは `/memory` で見られます。
forgotten = { $familiar } は忘れました：{ $plan }。7日間は `/forget undo` で取り消せます。
forgotten_transcripts = { $familiar } は忘れました：{ $plan }。7日間は `/forget undo` で取り消せます。通話の文字起こしは戻りません。
forgotten_for_good = { $familiar } は完全に忘れました：{ $plan }。
forgotten_copies_for_good = { $familiar } が前に忘れたものは完全に消えました。もう取り戻せません。
forgotten_all_for_good = { $familiar } は完全に忘れました：{ $plan }。前に忘れたものも、もう取り戻せません。
kept = 何も忘れていません。
undone = 戻りました：{ $plan }。{ $familiar } は古い会話を要約し直します。返事の記録は戻りません。
undone_transcripts = 戻りました：{ $plan }。{ $familiar } は古い会話を要約し直します。返事の記録と通話の文字起こしは戻りません。
nothing_to_undo = 取り戻せるものがありません。この7日間にあなたのために忘れたものがないか、完全に忘れたかです。
known_facts = { $familiar } があなたについて知っていて、ここで言ってよいこと：
known_fact =
    { $is_past ->
        [yes] - { $words }（いまは違う）· *{ $learnt }*
       *[no] - { $words } · *{ $learnt }*
    }
known_facts_more = …ほかに { $count } 件。`/memory about` に言葉を入れると、ほかのものが見られます。
known_facts_end = 訂正したり忘れさせたりするものを選んでください。ほかの場所で話したことは、そこで見られます。
noted_fact =
    { $slot ->
        [name] { $who }の呼び名は{ $value }です。
        [home] { $who }は{ $value }に住んでいます。
        [origin] { $who }は{ $value }の出身です。
        [birthday] { $who }の誕生日は{ $value }です。
        [allergy] { $who }には{ $value }のアレルギーがあります。
        [favourite] { $who }の好きな{ $what }は{ $value }です。
        [called] { $who }の{ $what }の名前は{ $value }です。
        [work-as] { $who }は{ $value }として働いています。
        [work-at] { $who }は{ $value }で働いています。
        [work-for] { $who }は{ $value }のために働いています。
        [pronouns] { $who }の代名詞は{ $value }です。
        [time-zone] { $who }のタイムゾーンは{ $value }です。
       *[diet] { $who }の食生活：{ $value }。
    }
nothing_known = { $familiar } には、ここで見せてよいあなたについてのメモがありません。話したことで、忘れさせていないものは、それでも覚えています。`/forget me` で忘れます。
nothing_with_these_words = { $familiar } には、ここで見せてよいあなたについてのメモのうち、その言葉を含むものがありません。言葉なしの `/memory` で、あるものが見られます：{ $others }。
choose_fact = 一つを訂正、または忘れさせる
one_fact =
    > { $words }
    -# { $learnt }
    忘れると、そのもとになったあなたのメッセージと、それへの返事も消えます。
correct = 訂正
correct_title = 正しいのは？
correct_label = あなたの名前を入れた一文
fact_gone = それはもうメモされていません。いまあるものは `/memory` で見られます。
corrected =
    { $familiar } はこう覚えました：
    > { $words }
not_corrected = 変わっていません。同じ内容か、そのあいだにメモが編集されました。もう一度 `/memory` をどうぞ。
learnt = { learnt_in }{ learnt_on }{ learnt_by }{ learnt_from }
learnt_in =
    { $place ->
        [Canon] このボットの管理者がメモした
        [Guild] サーバーで知った
        [Private] 閉じたチャンネルで知った
        [Restricted] このチャンネルで知った
        [Dm] ここで、あなたと二人のときに知った
       *[Shared] あなたと二人のときに知り、ペアリングした場所と共有した
    }
learnt_on =
    { $on ->
        [none] {""}
       *[other] 、{ $on }
    }
learnt_by =
    { $by ->
        [You] 、あなたが言った
        [Other] 、<@{ $teller }> が言った
        [Familiar] 、自分の言葉
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
       *[other] 、メッセージ { $count } 件から
    }
learnt_from_notes =
    { $count ->
       *[other] 、セッションの学び { $count } 件から
    }

## ペアリング

pair_code =
    { $from ->
        [alone] あなたのコード：**{ $code }**。{ $minutes } 分以内に `/pair code:{ $code }` で入れてください。使えるのは一度だけです。サーバーで入れると、そこでもここと同じようにあなたを知ることができます。あなたの別のアカウントからのダイレクトメッセージで入れると、二つを同じ人と見なします。だれにも見せないでください。入れた人があなたと見なされます。
       *[server] あなたのコード：**{ $code }**。{ $minutes } 分以内に `/pair code:{ $code }` で入れてください。使えるのは一度だけです。わたしとのダイレクトメッセージで入れると、ここでもそこと同じようにあなたを知ることができます。だれにも見せないでください。入れた人があなたと見なされます。
    }
paired = ペアリングしました。{ paired_what }前に話してくれたことは、`/pair-past` を使わないかぎり、元の場所に残ります。`/unpair` で終わります。
paired_what =
    { $what ->
        [accounts] これからは、どちらかのアカウントと二人のときに話してくれたことを、もう一方と二人のときにも知っています。
        [this_server] これからは、ダイレクトメッセージで話してくれたことが、だれが読んでいても、このサーバーで話に出ることがあります。
       *[that_server] これからは、ここで話してくれたことが、だれが読んでいても、そのサーバーで話に出ることがあります。
    }
pair_asked = このコードは <@{ $other }> のものです。これはあなたの別のアカウントですか？それなら、二つを一人の人とみなします。片方から二人だけで話してくれたことは、もう片方と二人だけのときにも覚えています。ほかの人からもらったコードなら、あなたが二人だけで話すことがすべてその人に伝わります。
pair_is_mine = 自分のです
pair_not_mine = 自分のではありません
not_paired = 何もペアリングしていません。
paired_with = { $ends } とペアリングしています。`/unpair` で終わります。
paired_server = サーバー
pair_refused =
    { $why ->
        [NotHere] ここではペアリングできません。
        [Wrong] そのコードはここでは使えません。コードが使えるのは10分以内に一度だけです。`/pair` で新しいものを取ってください。
        [TooManyTries] 間違ったコードが多すぎます。{ $minutes } 分待ってから、もう一度どうぞ。
        [SamePlace] そのコードはまさにここで取ったものです。もう一方の場所で入れてください。
        [OptedOut] あなたは不参加なので、あなたのものは何も保存できず、ペアリングもできません。`/privacy` でまた参加できます。
        [Already] この二つはもうペアリングされているか、片方がほかのだれかとされています。`/unpair` で終わります。
       *[TooMany] 覚えられるだけの場所とペアリング済みです。先にどこかで `/unpair` を使ってください。
    }
past_only_alone = `/pair-past` はわたしとのダイレクトメッセージで使ってください。そこで話してくれたことについてだからです。
past_nothing = 共有するものがありません。ペアリングした場所がないか、どこももう知っています。先に `/pair` を使ってください。
past_shared = これまでここで話してくれたことが、ペアリングした{ $places }で話に出ることがあります。`/unpair` でそこから取り下げられます。
past_servers =
    { $count ->
       *[other] サーバー { $count } か所
    }
past_accounts =
    { $count ->
       *[other] ダイレクトの会話 { $count } 件
    }
unpaired =
    { $was_paired ->
        [yes] ペアリングを終えました。二人のときに話してくれることは、また二人だけのものです。共有されたものは、ここではもう使いません。ほかの人の前でもう言ったことは、取り消せません。
       *[no] この場所とペアリングしているものはありません。
    }

## ロールプレイでのあなた

persona =
    { $description ->
        [none] **{ $name }**。
       *[other] **{ $name }**：{ $description }
    }
persona_set =
    ここでのあなたは { $persona }
    ここで話す人は、返事からそれを知ることがあります。`/persona clear` で終わります。
persona_set_everywhere =
    ほかに設定していないところでのあなたは { $persona }
    ここで話す人は、返事からそれを知ることがあります。`/persona clear everywhere:True` で終わります。
no_persona =
    { $why ->
        [Nameless] できません。ペルソナには名前が必要です。
        [LongName] できません。ペルソナの名前は { $name_chars } 文字までです。
        [Taken] できません。その名前はここにいる別の人か、キャラクター自身の名前です。
       *[LongDescription] できません。ペルソナの説明は { $chars } 文字までです。
    }
too_many_personas = ペルソナを設定できる場所の数が上限に達しています。そのどれかで `/persona clear` を使って消すか、どこでも使うペルソナを設定してください。
persona_yourself = ここでのあなたはあなた自身です。`/persona set` で、ロールプレイでは別のだれかになれます。
persona_here = ここでのあなたは { $persona }
persona_elsewhere = ほかの場所でのあなたは { $persona }
persona_cleared =
    { $was_set ->
        [yes] 消しました。ここでのあなたはあなた自身です。
       *[no] 消すものがありませんでした。ここでのあなたはあなた自身です。
    }
persona_cleared_still =
    { $was_set ->
        [yes] 消しました。ここでのあなたは { $persona }
       *[no] 消すものがありませんでした。ここでのあなたは { $persona }
    }
persona_clear_everywhere = それを終えるには `/persona clear everywhere:True`。

## プライバシー

copy_of_mine = わたしのデータのコピー
opt_out = 不参加にする …
take_part = また参加する
opt_out_and_forget = 不参加にして忘れる
opt_out_for_good = 不参加にして完全に忘れる
not_now = いまはしない
privacy_nothing = { $familiar } は、まだあなたのものを何も保存していません。
privacy_stored = { $familiar } が保存しているもの：{ $plan }。ボットの管理者のマシンにあります。
privacy =
    { $stored } そのうち返事に必要なものは、返事を書くモデルに送られます。通話や、見せてくれたボイスメッセージで話したことは、音声認識に送られます。あなたのダイレクトメッセージは、ほかのだれにも話しません。
    `/memory` はあなたについてのメモを見せて訂正でき、`/forget` で取り下げられます。
    {"**"}{ copy_of_mine }** で、あなたのメッセージ、メモ、リマインダー、ペルソナがファイルでもらえます。**{ opt_out }** ですべてが終わります。それからは、あなたが書くこと、話すこと、リアクションは、どのサーバーでも読まれず、保存も送信もされません。
opting_out =
    { $familiar } は、文字でも通話でも、どのサーバーでもダイレクトメッセージでも、あなたのものを読まず、保存も送信もせず、あなたに答えられなくなります。{ opting_out_now }ほかの人があなたについて言うことは、その人の言葉なので残ります。`/privacy` でまた参加できます。
    {"**"}{ opt_out_and_forget }** は封をしたコピーを7日間残し、また参加したあとに `/forget undo` で戻せます。**{ opt_out_for_good }** は何も残しません。
opting_out_now =
    { $plan ->
        [none] {""}
       *[other] 保存されているものは、いま忘れます：{ $plan }。
    }
opted_out = { $familiar } はこれから、あなたのものを何も読みません。{ $forgotten }
stays_out = あなたは不参加です。{ $familiar } は、あなたのものを読まず、保存も送信もしません。そのために、あなたのアカウントだけがリストに載っています。
takes_part = { $familiar } はこれから、またあなたの書くことを読みます。そのあいだに書かれたことは読まれておらず、そのままです。
opted_out_hint = -# あなたは不参加なので、{ $familiar } はいまのを読んでいません。`/privacy` でまた参加できます。
undo_while_opted_out = あなたは不参加です。{ $familiar } はあなたのものを何も保存できません。`/privacy` でまた参加すれば、戻せるようになります。
copied =
    { $is_all ->
        [yes] あなたのコピーです。あなたのメッセージ { $messages } 件（これで全部です）、ここで見せてよいメモとリマインダー、それにペルソナが入っています。ダイレクトメッセージでのメモとリマインダーは、そこで頼んでください。
       *[no] あなたのコピーです。あなたのメッセージの新しいほうから { $messages } 件（残りはこのボットの管理者のところです）、ここで見せてよいメモとリマインダー、それにペルソナが入っています。ダイレクトメッセージでのメモとリマインダーは、そこで頼んでください。
    }

## 返事への反応から学ぶこと

let_learn = 学ばせる
end_learning = 学ぶのをやめさせる
unlearn = ここで学んだことを忘れさせる
learns = { $familiar } は、あなたが返事に対してすることから学んでいます。その結果は `/memory` で、数えたものはあなたのコピーで見られます。**{ end_learning }** を押すと終わり、数えたものも消えます。
learns_not = **{ let_learn }** を押すと、{ $familiar } はあなたが返事に対してすることを数えられます：リアクション、別の返事を求めること、訂正、削除、話をさえぎること、自分から加わったときにあなたが応じたかどうか。それによって、そこで会話に加わるのが早くも遅くもなり、返事が短くも長くもなり、道具を使いやすくも使いにくくもなります。数だけで、あなたの言葉は含みません。モデルの訓練には使いません。
lets_learn = これから { $familiar } は、どのサーバーでも二人だけのときも、あなたが返事に対してすることから学びます。その場での結果は `/memory` で見られ、`/privacy` でやめられます。
ends_learning =
    { $responses ->
        [0] { $familiar } は、あなたが返事に対してすることからもう学びません。
       *[other] { $familiar } は、あなたが返事に対してすることからもう学びません。数えてあったもの（{ $responses } 件）は消えました。
    }
unlearned =
    { $responses ->
        [0] { $familiar } はここでまだ何も学んでいません。
       *[other] { $familiar } はここで学んだこと（{ $responses } 件）を忘れました。
    }
learned =
    { $counted ->
       *[other] -# { $familiar } がここで返事への反応（{ $counted } 件）から学んだこと：{ $came }。
    }
learned_nothing = まだ何かを変えるほどではありません
learned_waits = 会話に加わるまでに待つメッセージの数は、いつもの { $percent } %{ $hours }
learned_hours = 、{ $from } 時から { $to } 時は { $percent } %
learned_shorter = 返事は短めに
learned_longer = 返事は長めに
learned_tools = 道具の選びやすさ：{ $tools }

## リマインダー

choose_reminder = 一つ取り消す …
reminders_none = { $familiar } には、ここで見せてよいあなたのリマインダーがありません。
reminders_own = { $familiar } が預かっているあなたのもの：
reminders_rituals = { $familiar } がチャンネルのみんなに知らせるもの：
reminders_others = あなたが管理するこのチャンネルで、{ $familiar } がほかの人に頼まれたもの：
reminders_more = … ほかに { $count } 件
reminder_open = 未完了
reminder_line =
    { $again ->
        [none] - { $when }：{ $words }
       *[other] - { $when }、{ $again }：{ $words }
    }
reminder_for = { $reminder }（{ $asker } のため）
reminder_again =
    { $repeats ->
        [daily] 毎日 { $time }
        [weekdays] 平日の { $time }
        [weekly] 毎週{ $days } { $time }
        [monthly] 毎月{ $day }日 { $time }
       *[yearly] 毎年{ day_of_year } { $time }
    }
weekday_and = と
day_of_year = { month }{ $day }日
reminder_cancelled = 取り消しました：{ $words }
reminder_gone = それはもうありません。

## 返事を直す

repair = この返事を直す
another = 別の返事
reword = 言葉を編集
go_on = 続ける
delete = 削除
take_back = やりとりを取り消す
reword_title = この返事の言葉
reword_label = 言葉
repaired_stands = 「{ $words }」
repaired_stands_of = 返事 { $standing } / { $all }：「{ $words }」
repaired_refused = {"**"}Discord は一部を受け付けませんでした**：{ $why }。
repaired_seen = -# ここでしたことはみんなに見え、{ $familiar } は変わったあとの返事を覚えます。
repaired_gone =
    { $left ->
        [0] 消えました。{ $familiar } は何も覚えていません。
       *[other] 返事は消えました。その前のあなたのメッセージは、わたしには消せません。自分で削除すれば、{ $familiar } も忘れます。
    }
repaired_goes_on = { $familiar } が続けます。
repaired_not_newest = そのあとに発言がありました。続けられるのは最後の返事だけです。
repaired_not_known = それは { $familiar } が覚えている、書いた返事ではありません。
repaired_not_theirs = その返事はほかの人へのものです。直せるのは返事の相手と、ここで「{ -manage-channels }」を持つ人です。
repaired_no_other = そちらにはほかの返事がありません。
repaired_busy = { $familiar } はいま何かに答えているところです。少ししてからもう一度押してください。
repaired_too_much = 一度には答えきれません。1分ください。
repaired_no_answer = 別の返事は来ませんでした。いまの返事はそのままです。
not_put =
    { $why ->
        [NotTaken] ちょうど終了するところです
        [NotWrittenDown] 書き留められませんでした
        [IsFile] 一部がファイルで、言葉を変えられません。返事を削除して、もう一度聞いてください
        [Unfit] そこを読むかもしれない全員に向いた内容ではありません
        [NotManaging] ほかの人も読む場所なので、言葉を変えるには「{ -manage-channels }」が必要です
        [Forbidden] そこにはもう書けません
        [Refused] それは投稿できません
       *[Failed] Discord につながらないか、受け付けられませんでした
    }
repaired_unchanged = 何も変わっていません：{ $why }。
too_long_to_reword = その返事は、Discord のフォームに入る { $most } 文字を超えています。

## する前にたずねる

yes = はい
no = いいえ
may_i =
    <@{ $who }> さん、してもいいですか？ { $what }
    -# 答えられるのはあなただけです。2分以内にどうぞ。
may_i_after_others =
    <@{ $who }> さん、してもいいですか？ { $what }
    -# ほかの人が書いたものを読んだばかりなので、先にたずねています。答えられるのはあなただけです。2分以内にどうぞ。
was_asked =
    { $became ->
        [Agreed] -# <@{ $who }> さんが「はい」と答えました：{ $what }。
        [Declined] -# <@{ $who }> さんが「いいえ」と答えたので、しませんでした：{ $what }。
        [Unanswered] -# <@{ $who }> さんの答えが間に合わなかったので、しませんでした：{ $what }。
       *[Unwanted] -# もう必要なくなったので、しませんでした：{ $what }。
    }
do_connected = { $program } に「{ $tool }」を { $arguments } で実行させる
do_react = { $message }に { $emoji } を付ける
do_poll =
    { $several ->
        [yes] { $hours } 時間の投票を始める：「{ $question }」（{ $answers }、複数選択可）
       *[no] { $hours } 時間の投票を始める：「{ $question }」（{ $answers }）
    }
do_pin = { $message }をピン留めする
do_thread = スレッド「{ $name }」を立てる
do_thread_under = { $message }にスレッド「{ $name }」を立てる
do_offer_to_forget = 言ったことを忘れさせるボタンを出す
do_join_call = あなたの通話に入って話を聞く
do_leave_call = 通話を抜ける
do_play_sound = 通話で音「{ $name }」を鳴らす
do_remind = 「{ $words }」を知らせる（{ $when }{ $again }）
do_announce = 「{ $words }」をここのみんなに知らせる（{ $when }{ $again }）
and_again =
    { $every ->
        [Daily] 、毎日
        [Weekdays] 、平日ごと
        [Weekly] 、毎週
        [Monthly] 、毎月
        [Yearly] 、毎年
       *[none] {""}
    }
do_timer = { $span }のタイマーをかける
do_timer_for = 「{ $label }」のために{ $span }のタイマーをかける
timer_span =
    { $form ->
        [seconds] { $seconds } 秒
        [minutes] { $minutes } 分
       *[both] { $minutes } 分 { $seconds } 秒
    }
do_keep_in_mind = 「{ $words }」を覚えておく
do_cancel = リマインダー「{ $words }」を取り消す
do_close = 「{ $words }」を済んだことにする
do_better_mood = 気分を上向きにする
do_worse_mood = 気分を下向きにする
do_note = 「{ $words }」を書き留める
do_note_about = 「{ $about }」について「{ $words }」を書き留める
do_open_page = { $address } を開く
do_open_picture = { $address } の画像を開く
do_make_picture = 画像を作って投稿する：{ $words }
meant_message =
    { $whose ->
        [Theirs] あなたのメッセージ「{ $words }」
        [Own] 自分のメッセージ「{ $words }」
        [Of] { $whom } さんのメッセージ「{ $words }」
       *[Asked] あなたのメッセージ
    }
not_yours_to_answer = それはほかの人が答えるものです。
answered_already = もう答えられています。
too_late_to_answer = -# 答えるには遅すぎました。まだ済んでいなければ、もう一度頼んでください。

## 通話

nobody_yet = まだだれもいません
in_the_call =
    { $everybody ->
        [yes] **{ $familiar } がこの通話にいて、聞いています：{ $heard }** これを読んで **{ decline }** を押さない人みんなの声を聞きます。{ becomes_text }{ written_here }。音声は残しません。`/unsubscribe-voice` で終わり、`/forget me` で話したことを忘れさせられます。
       *[no] **{ $familiar } がこの通話にいて、聞いています：{ $heard }** ほかの人の声は、**{ agree }** を押さないかぎり聞きません。{ becomes_text }{ written_here }。音声は残しません。`/unsubscribe-voice` で終わり、`/forget me` で話したことを忘れさせられます。
    }
newcomers =
    { $everybody ->
        [yes] { $who } さん：**{ $familiar } がこの通話にいて、聞いています。** **{ decline }** を押さないかぎり、これからあなたの声を聞きます。{ becomes_text }{ written_here }。音声は残しません。`/forget me` で話したことを忘れさせられます。
       *[no] { $who } さん：**{ $familiar } がこの通話にいて、聞いています。** **{ agree }** を押さないかぎりあなたの声は聞かず、**{ decline }** で終わります。{ becomes_text }{ written_here }。音声は残しません。`/forget me` で話したことを忘れさせられます。
    }
becomes_text =
    { $by ->
        [here] 聞いたものはボットのマシンの中で { $recogniser } が文字にし、それを覚えることがあります
        [somewhere_here] 聞いたものはボットのマシンの中で文字になり、それを覚えることがあります
        [elsewhere] 聞いたものは { $recogniser } に送られて文字になり、それを覚えることがあります
        [somewhere_else] 聞いたものは管理者の音声サーバーに送られて文字になり、それを覚えることがあります
       *[unknown] 聞いたものは文字になり、それを覚えることがあります
    }
written_here =
    { $transcript ->
        [yes] 。**{ agree }** を押した人や呼んだ人が話したことは、このチャットに、読める人みんなに見えるように書かれます
       *[no] {""}
    }
channel_status = { $familiar } がここにいて聞いています。だれの声かはチャットに書いてあります
agree = わたしの声を聞いて
decline = わたしの声は聞かないで
join_a_call_first = わたしに見えるボイスチャンネルにあなたがいません。入ってから、もう一度このコマンドを使ってください。
called_in = { $familiar } は <#{ $call }> にいて、あなたの声を聞いています。このサーバーのほかの通話にもついて行き、あなたが出てから { $grace }後に出ます。終えるには `/unsubscribe-voice`。
seconds =
    { $count ->
       *[other] { $count } 秒
    }
hears_you_too = { $familiar } はあなたの声も聞くようになりました。終えるには、通話のチャットのお知らせの下にある **{ decline }** を押してください。
hears_you_already = { $familiar } はあなたの通話にいて、もうあなたの声を聞いています。
is_elsewhere = { $familiar } は <#{ $call }> でほかの人といます。サーバーごとに一つの通話にしかいられません。そこに加わるか、待ってください。
lacks_permissions =
    { $count ->
       *[other] <#{ $call }> にはまだ入れません。権限「{ $missing }」がありません。チャンネルの権限設定でわたしのロールにそれを与えて、もう一度どうぞ。
    }
call_is_full = <#{ $call }> は満員です。人数の上限を上げるか場所を空けて、もう一度どうぞ。
no_stages = <#{ $call }> はステージです。わたしが話せるのはボイスチャンネルだけです。
unknown_call = そのボイスチャンネルが見えません。そこでわたしのロールに「{ -view-channel }」を与えて、もう一度どうぞ。
not_joined = <#{ $call }> に入れませんでした：{ $why }。1分ほどしてからもう一度どうぞ。
no_calls = ここでは通話がオフになっています。このボットの管理者がオンにできます。
everybody_needs_manage_channels = みんなの声を聞かせるには、<#{ $call }> で「{ -manage-channels }」が必要です。`everybody` なしなら、あなたの声だけを聞きます。
every_call_needs_everybody = `every_call` は `everybody` の内容を保つものです。`everybody` も True か False にしてください。
every_call_needs_manage_server = このサーバーのすべての通話について決めるには「{ -manage-server }」が必要です。`every_call` なしなら、この通話だけに効きます。
everybody_in_every_call = これから { $familiar } は、このサーバーのすべての通話で、知らされて断らない人みんなの声を聞きます。`/subscribe-my-voice everybody:False every_call:True` で終わります。
nobody_unasked = このサーバーのすべての通話で、{ $familiar } は同意した人の声だけを聞きます。
call_ended = { $familiar } は通話から出ました。
hears_you_no_longer = { $familiar } はもうあなたの声を聞いていません。退出させられるのは、呼んだ人か「{ -manage-channels }」を持つ人です。
does_not_hear_you = { $familiar } はあなたの声を聞いていません。
in_no_call = { $familiar } はこのサーバーの通話にいません。
left_behind = -# { $familiar } は出ました。呼んだ人がいなくなったからです。`/subscribe-my-voice` でまた来ます。
left_alone = -# { $familiar } は出ました。だれもいなかったからです。`/subscribe-my-voice` でまた来ます。
left_quiet = -# { $familiar } は出ました。{ $quiet }のあいだ、だれも何も言わなかったからです。`/subscribe-my-voice` でまた来ます。
gave_up = -# { $familiar } の通話が切れました：{ $why }。`/subscribe-my-voice` でまた来ます。
cannot_follow = -# { $familiar } はここに残ります。<#{ $call }> には行けません。{ $why }
deaf = -# { $familiar } は話されたことを聞き取れず、つなぎ直します。いま話されたことは失われました。
still_deaf = -# { $familiar } はまだ <@{ $user }> さんの声を聞き取れません。通話を出て入り直すとよくなるかもしれません。
unplaced = -# { $familiar } に、だれのものかわからない声が届いたので、つなぎ直します。いま話されたことは失われました。
still_unplaced = -# { $familiar } にまだ、だれのものかわからない声が届いています。それは聞きません。話しても聞かれない人は、通話を出て入り直してください。
hears_nothing = -# ここでは話せますが、聞けません：{ $why }。このチャットに書いてください。
misses_words = -# いま話されたことを聞き取れませんでした：{ $why }。少ししてからもう一度言うか、このチャットに書いてください。
hears_again = -# また聞こえます。
has_no_voice = -# ここでは聞けますが、話せません：{ $why }。このチャットで答えます。
speaks_again = -# また話せます。
not_heard = -# <@{ $who }> さん、しばらくあなたの声を聞けません：{ $why }。このチャットに書いてください。
not_spoken_to = -# <@{ $who }> さん、しばらくこのチャットで答えます：{ $why }。
call_state = 通話 <#{ $call }>：聞いている人 { call_people }。パケット：受け取り { $taken }、聞かずに拒否 { $refused }{ call_unplaced }、失われたもの { $lost }
call_people =
    { $heard ->
        [0] なし
       *[other] { $heard } 人
    }
call_unplaced =
    { $unplaced ->
        [0] {""}
       *[other] 、だれのものか不明 { $unplaced }
    }
transcript_heading = -# 話されたこと。`/forget me` であなたの言葉を取り除けます。
and_more = { $named }、ほか { $count } 人

## コマンドとオプション

command_subscribe-text = このチャンネルとスレッドを読み、話しかけられたら答える
command_unsubscribe-text = このチャンネルを読むのをやめる
command_channel = 別のチャンネルかフォーラム。省くとここ
command_subscribe-my-voice = わたしの通話に来て声を聞く。もういるなら、わたしの声も聞く
command_subscribe-my-voice_everybody = 断らない人みんなの声を聞く。「{ -manage-channels }」が必要
command_subscribe-my-voice_every_call = このサーバーのすべての通話で `everybody` をそのままにする。「{ -manage-server }」が必要
command_unsubscribe-voice = 通話から出る。ほかの人が呼んだなら、わたしの声を聞くのをやめる
command_quiet = ここと、このサーバーの通話で、話しかけられたときだけ話す
command_quiet_minutes = 何分間か。省くと /wake まで
command_wake = ここと、このサーバーの通話で、また会話に加わる
command_speak-first = 聞いている予定や誕生日について、ここで自分から話し始めてよいことにする
command_speak-first_on = よいかどうか
command_speak-first_newcomers = サーバーに新しく来た人に、ここで一度だけあいさつする
command_channel-full-rp = このチャンネルで、小説のような長い返事を書く
command_channel-text-conversation-rp = このチャンネルで、チャットのような短い数行を書く
command_channel-imitate-voice = このチャンネルで、話しているような短い一、二文を書く
command_channel-backdrop = このチャンネルの場面を決める
command_reset = ここの会話を新しく始める。前に話されたことは覚えたまま
command_branch = ここで話されたことを知っている、独立したスレッドで続ける
command_branch_name = スレッドの名前
command_profile = Discord でのカードの画像と名前。このサーバーでの呼び名
command_profile_picture = カードの画像を Discord のどこでも。ボットの管理者用
command_profile_name = カードの名前を Discord のどこでも。ボットの管理者用
command_profile_nickname = このサーバーでの呼び名
command_profile_nickname_name = 省くとカードの名前
command_memory = あなたについてのメモのうち、ここで見せてよいもの
command_memory_about = これらの言葉を含むものだけ
command_reminders = 頼んだリマインダーのうち、ここで見せてよいもの。取り消しも
command_forget = ここやほかで話したことと、そのメモ
command_forget_me = これまで話したことすべてと、あなたについてのメモすべて
command_forget_what = 特定の言葉を含む発言と、そのメモ
command_forget_what_words = 言葉。すべてを含むあなたのメッセージとメモが消えます
command_forget_undo = 最後のものを取り消す。7日以内
command_privacy = あなたについて保存されているものと、その送り先。コピーと不参加
command_context = なぜそう言ったか。あなたのターンの記録
command_context_turn = t42 のような、あなたのターン。省くとここでの最後のもの
command_context_why = 言葉。知らされていたか、省かれたか、調べなかったか
command_lore = 世界設定。何が、なぜ呼び出されたか
command_lore_why = ここでの最後のターンが呼び出した世界設定と理由。または一つの項目について
command_lore_why_entry = 項目。省くと呼び出されたものすべて
command_greet = キャラクターのあいさつを一つ言う
command_greet_number = どのあいさつか。省くと最初のもの
command_pair = ダイレクトメッセージを、このサーバーかあなたの別のアカウントとつなぐ
command_pair_code = ほかでもらったコード。なければコードがもらえます
command_pair-past = つなぐ前に話したことも、つないだ先で知られるようにする
command_unpair = この場所とのペアリングを終える
command_persona = ロールプレイでのあなた。ここで、またはどこでも
command_persona_set = あなたがだれかを決める。ここで話す人はそれを知ることがあります
command_persona_set_name = ロールプレイでの名前
command_persona_set_description = どんな人か、あなたの言葉で
command_persona_set_everywhere = ほかに設定していないところすべて。省くとここだけ
command_persona_show = ここと、ほかの場所でのあなた
command_persona_clear = あなた自身に戻る
command_persona_clear_everywhere = どこでも使うもの。省くとここのもの
command_status = いまの様子と、ここでの書き方
command_help = このボットがすることと、コマンドの一覧
