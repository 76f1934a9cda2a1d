// See ./window. Plays the operator in a browser, and the model behind the familiar.
import { strict as assert } from 'node:assert';
import { spawn, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { WebSocketServer } from 'ws';

const { PROGRAM, CHROMIUM, SCREENSHOTS, WORLD, ROOT } = process.env;
const WIDTHS = [[1440, 900], [390, 844]];
// In the pictures of the guide it would only puzzle.
const HOSTILE = SCREENSHOTS ? '' : '<img src=x onerror="document.title=1"> & <script>document.title=2</script>';
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

// A model: streams what the talk needs, and says little to everything else. While it is held it stops in the middle.
const requests = [];
let held = null;
let otherwise = '';
// What it said before it would not say again.
let hot = 'kettle';
const holds = () => {
  let goesOn;
  held = new Promise((done) => { goesOn = done; });
  return () => { held = null; goesOn(); };
};
const said = () => `The ${hot} is *hot*, and the **lamp** is lit:\n\n- tea at eight\n- rum at nine`;
const model = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  if (request.url.endsWith('/models')) {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ data: [{ id: 'some/model', context_length: 32000 }] }));
  }
  const asked = JSON.parse(body || '{}');
  requests.push(body);
  const heard = body.includes('kettle') ? said() + otherwise : 'Well.';
  const words = asked.model === 'other/model' ? heard.replace('the **lamp** is lit', 'the **lamp** is out') : heard;
  const head = { id: '1', object: 'chat.completion', created: 1, model: asked.model };
  const usage = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
  if (!asked.stream) {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: words };
    return response.end(JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  }
  response.setHeader('content-type', 'text/event-stream');
  const tell = (one) => response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...one })}\n\n`);
  for (const [at, piece] of words.match(/.{1,12}/gs).entries()) {
    if (at === 4 && held) await held;
    tell({ choices: [{ index: 0, delta: { content: piece } }] });
  }
  tell({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
  response.end('data: [DONE]\n\n');
});
await new Promise((listening) => model.listen(0, '127.0.0.1', listening));

// Discord, as much of it as a bot needs to be on one server.
const BOT = '1000000000000000001';
const LANTERN_QUAY = (() => {
  const user = { id: BOT, username: 'pell', discriminator: '0', avatar: null, bot: true, flags: 0 };
  const member = { roles: [], joined_at: '2024-01-01T00:00:00Z', deaf: false, mute: false, flags: 0, user };
  const everybody = {
    id: '7', name: '@everyone', color: 0, colors: { primary_color: 0, secondary_color: null, tertiary_color: null }, hoist: false, icon: null,
    unicode_emoji: null, position: 0, permissions: '2248473465835073', managed: false, mentionable: false, flags: 0,
  };
  const channel = (name, at, hidden) => ({
    id: String(42 + at), type: 0, guild_id: '7', name, position: at, nsfw: false, parent_id: null, topic: null, last_message_id: null,
    rate_limit_per_user: 0, flags: 0, permission_overwrites: hidden ? [{ id: '7', type: 0, allow: '0', deny: '2048' }] : [],
  });
  return { user, guild: {
    id: '7', name: 'Lantern Quay', icon: null, splash: null, discovery_splash: null, owner_id: '5', afk_channel_id: null, afk_timeout: 300,
    widget_enabled: false, verification_level: 0, default_message_notifications: 0, explicit_content_filter: 0, features: [], mfa_level: 0,
    application_id: null, system_channel_id: null, system_channel_flags: 0, rules_channel_id: null, vanity_url_code: null, description: null,
    banner: null, premium_tier: 0, preferred_locale: 'en-US', public_updates_channel_id: null, nsfw_level: 0, premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null, incidents_data: null, roles: [everybody], emojis: [], stickers: [], joined_at: '2024-01-01T00:00:00Z',
    large: false, unavailable: false, member_count: 6, voice_states: [], members: [member], threads: [], presences: [], stage_instances: [],
    guild_scheduled_events: [], soundboard_sounds: [],
    channels: [channel('quay', 0), channel('regatta', 1), channel('harbour-news', 2, true), channel('stories', 3)],
  } };
})();
const discord = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://discord');
  const limit = { total: 1000, remaining: 900, reset_after: 0, max_concurrency: 1 };
  const application = { id: BOT, name: 'Pell', icon: null, description: '', bot_public: true, bot_require_code_grant: false, verify_key: '0', team: null, flags: 1 << 19 };
  const url = `ws://127.0.0.1:${discord.address().port}/gateway/`;
  const known = {
    '/api/v10/gateway': { url },
    '/api/v10/gateway/bot': { url, shards: 1, session_start_limit: limit },
    '/api/v10/users/@me': LANTERN_QUAY.user,
    '/api/v10/oauth2/applications/@me': application,
  };
  request.resume();
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(known[pathname] ?? []));
});
new WebSocketServer({ server: discord }).on('connection', (socket) => {
  const tell = (frame) => socket.send(JSON.stringify(frame));
  tell({ op: 10, s: null, t: null, d: { heartbeat_interval: 41250 } });
  socket.on('error', () => {});
  socket.on('message', (words) => {
    const { op } = JSON.parse(words);
    if (op === 1) tell({ op: 11 });
    if (op === 2) {
      const application = { id: BOT, flags: 0 };
      const resume = `ws://127.0.0.1:${discord.address().port}/gateway/`;
      tell({ op: 0, s: 1, t: 'READY', d: { v: 10, user: LANTERN_QUAY.user, guilds: [{ id: '7', unavailable: true }], session_id: 's', resume_gateway_url: resume, shard: [0, 1], application } });
      tell({ op: 0, s: 2, t: 'GUILD_CREATE', d: LANTERN_QUAY.guild });
    }
  });
});
await new Promise((listening) => discord.listen(0, '127.0.0.1', listening));

// What was said on a server in a few weeks, and what is noted of it, as `familiar memory import` reads it.
function among() {
  const people = [['1', 'Ana'], ['2', 'Ben'], ['3', 'Chloe'], ['4', 'Davi'], ['5', 'Emre']];
  const said = [
    [0, 'Ben, is the Wren dry again? I want to row to the lighthouse on Sunday.'], [1, 'She is, Ana. Bring a lamp, the lighthouse is dark now.'],
    [2, 'Davi, did you ask about the regatta?'], [3, 'The regatta is in May, Chloe. Emre builds the buoys.'],
    [4, 'Davi wants twelve buoys, and I have paint for nine.'], [0, 'Emre, there is paint in the boathouse.'],
    [1, 'Chloe, you have the key of the boathouse.'], [2, 'I gave it to Davi before the regatta.'],
    [3, 'Then I am off to the boathouse. Ana, tell Ben about the lighthouse.'], [0, 'Ben knows about the lighthouse, he drew the map.'],
  ];
  const channel = { channel: '42', platform: 'discord', kind: 'guild_text', guild: '7', name: '#quay', guild_name: 'Lantern Quay', last_ordinal: said.length };
  const turns = said.map(([who, content], at) => ({ turn: {
    id: at + 1, channel: '42', ordinal: at + 1, platform: 'discord', guild: '7', audience: ['guild', '7'], role: 'user',
    author: [`discord:${people[who][0]}`, people[who][1].toLowerCase(), people[who][1]], content, at_ms: Date.now() - (said.length - at) * 3_600_000,
    mode: 'text_conversation_rp', modality: 'text', said_before: at * 20, messages: [[String(100 + at), 0, null]],
  } }));
  const fact = (id, words) => `- ${words} <!-- f=${id} to=guild:7 from=t:1 on=2026-03-01 -->\n`;
  const notes = [
    ...people.map(([id, name], at) => [`people/discord-${id}.md`, `# ${name}\n\n${fact(`aaaaaaa${at + 2}`, `${name} rows at [[regatta]] and knows [[lighthouse]].`)}`]),
    ['topics/regatta.md', `# Regatta\n\n${fact('bbbbbbb2', 'The regatta is in May; Davi asks and Emre builds the buoys.')}`],
    ['topics/lighthouse.md', `# Lighthouse\n\n${fact('ccccccc2', 'The lighthouse is dark; Ben drew the map.')}`],
    ['topics/boathouse.md', `# Boathouse\n\n${fact('ddddddd2', 'Chloe had the key of the boathouse, and gave it to Davi.')}`],
  ].map(([path, text]) => ({ note: { path, text: `---\naudience: guild:7\n---\n${text}` } }));
  return [{ familiar_memory: { version: 3 } }, { channel }, ...turns, ...notes].map((line) => `${JSON.stringify(line)}\n`).join('');
}

const folder = mkdtempSync(join(tmpdir(), 'window-'));
const env = {
  ...process.env,
  FAMILIAR_MODEL_HUB: 'off',
  FAMILIAR_LLM_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
  OPENROUTER_API_KEY: 'sk-test-only-0123456789',
  NO_COLOR: '1',
};
const pause = (millis) => new Promise((done) => setTimeout(done, millis));

// Starts the program and gives the address that opens its window.
let running;
const opens = async () => {
  const familiar = spawn(PROGRAM, ['run', '--as', 'Ada'], { cwd: folder, env });
  let log = '';
  for (const stream of [familiar.stdout, familiar.stderr]) stream.on('data', (text) => { log += text; });
  const ended = new Promise((end) => familiar.on('exit', end));
  running = { familiar, ended };
  for (let tries = 0; !log.includes('`familiar window` gives the address'); tries += 1) {
    assert(tries < 300 && familiar.exitCode === null, `It does not open its window:\n${log}`);
    await pause(100);
  }
  return execFileSync(PROGRAM, ['window'], { cwd: folder, env }).toString().trim();
};
const closes = async () => {
  running.familiar.stdin.end();
  running.familiar.kill();
  await Promise.race([running.ended, pause(5000)]);
};

// The world of the tests, with a familiar on its Discord: it is told in words what people do there.
let world;
const worldBegins = async () => {
  const asked = ['--ignored', '--exact', '--nocapture', 'window::browser::a_world_for_the_browser'];
  const child = spawn(WORLD, asked, { cwd: ROOT, env: { ...process.env, NO_COLOR: '1' } });
  let [log, read] = ['', 0];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => { log += text; });
  child.stdin.on('error', () => {});
  const ended = new Promise((end) => child.on('exit', end));
  // The next line that begins like this, behind the one that was read last.
  const tells = async (words) => {
    for (let tries = 0; ; tries += 1) {
      const line = new RegExp(`^${words}(.*)\\n`, 'm').exec(log.slice(read));
      if (line) {
        read += line.index + line[0].length;
        return line[1].trim();
      }
      assert(tries < 600 && child.exitCode === null, `The world does not say "${words}":\n${log}`);
      await pause(100);
    }
  };
  const does = (word) => {
    child.stdin.write(`${word}\n`);
    return tells(`done ${word}`);
  };
  const ends = async () => {
    child.stdin.end();
    const code = await Promise.race([ended, pause(20_000)]);
    if (code === undefined) child.kill();
    return code;
  };
  world = { tells, does, ends };
};

let browser;
try {
  const address = await opens();
  let base = new URL(address).origin;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update'];
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  } catch (error) {
    console.log(`${process.env.CI === 'true' ? 'FAILED' : 'SKIPPED'}: Chromium does not start here: ${error.message.split('\n')[0]}`);
    await closes();
    process.exit(process.env.CI === 'true' ? 1 : 0);
  }

  const found = [];
  // Opens a page in a context of its own cookies, and notes everything that no page of ours may do.
  const opened = async (context, where) => {
    const page = await context.newPage();
    page.on('console', (line) => line.type() === 'error' && !/40[134]/.test(line.text()) && found.push(`${where}: ${line.text()}`));
    page.on('pageerror', (error) => found.push(`${where}: ${error}`));
    page.on('dialog', (dialog) => found.push(`${where}: a dialog says ${dialog.message()}`));
    page.on('request', (request) => new URL(request.url()).origin === base || found.push(`${where} asks ${request.url()}`));
    return page;
  };

  const stranger = await opened(await browser.newContext(), 'a stranger');
  assert.equal((await stranger.goto(`${base}/?token=wrong`)).status(), 403);
  assert.equal(await stranger.locator('pre', { hasText: 'familiar window' }).count(), 1, 'it says how to come in');

  const context = await browser.newContext();
  const talk = await opened(context, 'talk');
  const began = Date.now();
  await talk.goto(address);
  assert(!talk.url().includes('token'), 'the address keeps no token');
  const paint = await talk.evaluate(() => performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint')?.startTime);
  console.log(`First paint after ${Math.round(paint ?? Date.now() - began)} ms.`);
  const again = await opened(await browser.newContext(), 'the address again');
  assert.equal((await again.goto(address)).status(), 403, 'an address signs in once');

  const readByAxe = async (page, where) => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (over > 0) found.push(`${where} is ${over} pixels wider than its screen`);
    await page.evaluate(`${axe}; 0`);
    const read = await page.evaluate(async () => {
      const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      const { passes, violations } = await axe.run(document, { runOnly });
      return { passes: passes.length, violations: violations.map((one) => `${one.id} at ${one.nodes.map((node) => node.target)}`) };
    });
    assert(read.passes >= 10, `${where}: axe looked at ${read.passes} things`);
    found.push(...read.violations.map((one) => `${where}: ${one}`));
  };
  // A page as it stands there, in both colours and two widths.
  const lookAtThis = async (page, name) => {
    if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });
    for (const colorScheme of ['light', 'dark']) for (const [width, height] of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      if (SCREENSHOTS) writeFileSync(join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), await page.screenshot());
      await readByAxe(page, `${name} (${colorScheme}, ${width})`);
    }
  };
  await lookAtThis(stranger, 'sign-in');

  // Every one of these pages in both colours and two widths.
  const lookAt = async (paths, context) => {
    if (SCREENSHOTS) mkdirSync(SCREENSHOTS, { recursive: true });
    for (const colorScheme of ['light', 'dark']) for (const [width, height] of WIDTHS) {
      const look = await browser.newContext({ colorScheme, viewport: { width, height }, storageState: await context.storageState() });
      for (const path of paths) {
        const where = `${path} (${colorScheme}, ${width})`;
        const page = await opened(look, where);
        const answer = await page.goto(base + path);
        assert.equal(answer.status(), 200, where);
        await page.evaluate(() => document.fonts.ready);
        if (/^\/xray\/t\d/.test(path)) assert((await page.content()).includes('Is the kettle on?'), 'the request stands in its x-ray');
        if (SCREENSHOTS) {
          const name = /^\/xray\/t\d/.test(path) ? 'turn' : path.split('?')[0].slice(1).replaceAll('/', '-') || 'talk';
          writeFileSync(join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), await page.screenshot());
        }
        await readByAxe(page, where);
        await page.close();
      }
      await look.close();
    }
  };

  // The first run: a card is dropped, somebody else is chosen instead, and the same page goes on with the talk.
  assert.equal(new URL(talk.url()).pathname, '/setup');
  const data = { name: 'Ferry', description: `Keeps the ferry. ${HOSTILE}`, first_mes: 'Evening.', personality: '', scenario: '', mes_example: '' };
  // Of some MB, so that there is something to wait for; what the page showed meanwhile outlives the page.
  data.extensions = { ballast: 'x'.repeat(6 << 20) };
  const card = Buffer.from(JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data }));
  await talk.evaluate(() => {
    const told = [];
    const bar = document.querySelector('progress');
    new MutationObserver(() => {
      if (!bar.closest('[data-sent]').hidden) told.push([document.querySelector('[data-told]').textContent, bar.getAttribute('value')]);
      sessionStorage.setItem('told', JSON.stringify(told));
    }).observe(document.querySelector('[data-drop]'), { subtree: true, childList: true, attributes: true });
  });
  await talk.setInputFiles('#card', { name: 'ferry.json', mimeType: 'application/json', buffer: card });
  await talk.click('text=Take it in');
  await talk.locator('h1', { hasText: 'Ferry moves in' }).waitFor();
  const told = await talk.evaluate(() => JSON.parse(sessionStorage.getItem('told')));
  assert(told.some(([words, value]) => words.startsWith('Sending') && value > 0), `it tells how much was sent: ${told}`);
  assert(told.some(([words, value]) => words.includes('being read') && value === null), `it tells that it is read: ${told}`);
  await talk.goto(`${base}/setup`);
  await talk.click('button.guest:has-text("Pell")');
  await talk.locator('h1', { hasText: 'Pell moves in' }).waitFor();
  await lookAt(['/setup', '/setup/came', '/setup/model', '/setup/discord'], context);
  await talk.goto(`${base}/setup/discord`);
  await talk.click('button:has-text("Talk with it")');
  await talk.locator('#text').waitFor();
  assert.equal(new URL(talk.url()).pathname, '/talk');
  // Back to where it moved in leads here; and one writes at once, however one came.
  await talk.goto(`${base}/setup/came`);
  assert.equal(new URL(talk.url()).pathname, '/talk');
  assert.equal(await talk.evaluate(() => document.activeElement.id), 'text', 'the field has the focus');

  const turns = await opened(context, 'x-ray, live');
  await turns.goto(`${base}/xray`);
  await talk.fill('#text', `Is the kettle on? ${HOSTILE}`.trim());
  await talk.press('#text', 'Enter');
  await talk.locator('article.assistant, article.familiar').filter({ hasText: 'rum at nine' }).first().waitFor();
  await talk.locator('article em', { hasText: 'hot' }).first().waitFor();
  assert.equal(await talk.locator('article img, article script').count(), 0, 'what somebody writes is text');
  assert((await talk.locator('article').allInnerTexts()).join().includes(HOSTILE && '<script>document.title=2</script>'));
  // Where something speaks, a reply can be heard.
  const listen = talk.locator('button[form=hear]').last();
  if (await listen.count()) {
    const heard = talk.waitForResponse((answer) => answer.url().endsWith('/talk/hear'));
    await listen.focus();
    await listen.press('Enter');
    assert.equal((await heard).headers()['content-type'], 'audio/wav');
  }
  const took = Math.round((Date.now() - began) / 1000);
  console.log(`The first reply stands there ${took} s after the page was opened.`);
  assert(took < 300, 'five minutes are enough for a first reply');
  const row = turns.locator('li[data-turn]').first();
  await row.waitFor();
  const turn = await row.getAttribute('data-turn');
  const script = (await (await context.request.get(`${base}/assets/app.js`)).body()).length;
  assert(script > 0 && script < 60 * 1024, `the page's own script has ${script} bytes`);

  // A note is edited by keys: first the lines that change, then saving.
  const familiars = join(folder, 'data/familiars');
  const name = readdirSync(familiars).find((one) => !one.startsWith('.') && !one.startsWith('_'));
  const topics = join(familiars, name, 'memory/topics');
  mkdirSync(topics, { recursive: true });
  writeFileSync(join(topics, 'boats.md'), '# Boats\n\n- The Wren leaks.\n- The Heron is sold, and lies at the second quay.\n- The Gull sails on Sundays.\n');
  const pending = join(familiars, name, 'memory/sessions/.pending');
  mkdirSync(pending, { recursive: true });
  const proposed = { note: 'topics/boats.md', title: 'Boats', audience: 'dm:terminal:operator', do: 'add', text: 'The Wren is red.', data: 'f=abcdefgh to=dm:terminal:operator' };
  writeFileSync(join(pending, '20260201-100000.md'), `\`\`\`json\n${JSON.stringify(proposed)}\n\`\`\`\n`);
  const note = await opened(context, 'a note');
  await note.goto(`${base}/memory/note?path=topics%2Fboats.md`);
  await note.press('body', 'e');
  await note.fill('#words', (await note.inputValue('#words')).replace('leaks', 'was mended in spring'));
  await note.click('text=See what changes');
  assert.equal(await note.locator('.diff .added').innerText().then((text) => text.includes('mended in spring')), true);
  await lookAtThis(note, 'edit');
  await note.click('button:has-text("Save")');
  await note.locator('.fact', { hasText: 'mended in spring' }).waitFor();
  // Back from there is no page that the browser cannot show.
  await note.goBack();
  assert((await note.inputValue('#words')).includes('mended in spring'));
  assert(readFileSync(join(topics, 'boats.md'), 'utf8').includes('The Wren was mended in spring.'));
  // What was edited stands in the next prompt.
  const answers = await talk.locator('article.assistant, article.familiar').count();
  await talk.fill('#text', 'What do you know about the boats, the Wren and the Heron?');
  await talk.press('#text', 'Enter');
  await talk.locator('article.assistant, article.familiar').nth(answers).filter({ hasText: 'rum at nine' }).waitFor();
  assert(requests.some((body) => body.includes('the Wren and the Heron?') && body.includes('The Wren was mended in spring.')));

  // In the guide's pictures this would only be more of the same.
  if (!SCREENSHOTS) {
    // Whoever loads the page anew in the middle of an answer has its beginning, in the marks that it will have.
    const standing = async () => (await talk.locator('article.familiar').count()) + 1;
    let next = await standing();
    let goesOn = holds();
    hot = 'soup';
    await talk.fill('#text', 'And once more?');
    await talk.press('#text', 'Enter');
    const growing = talk.locator('article.streaming');
    await growing.locator('strong', { hasText: 'lamp' }).waitFor();
    await talk.reload();
    await growing.filter({ hasText: 'The soup is hot' }).locator('strong', { hasText: 'lamp' }).waitFor();
    goesOn();
    await talk.locator('article.familiar:not(.streaming)').nth(next - 1).filter({ hasText: 'rum at nine' }).waitFor();
    assert.equal(await growing.count(), 0);
    // What the program said of one answer does not stand below the next.
    goesOn = holds();
    hot = 'bath';
    await talk.fill('#text', 'Tell me all of it.');
    await talk.press('#text', 'Enter');
    await growing.locator('strong', { hasText: 'lamp' }).waitFor();
    await talk.click('[data-stop]');
    await talk.locator('article.program', { hasText: 'Stopped.' }).waitFor();
    goesOn();
    await talk.reload();
    await talk.locator('[data-notice]', { hasText: 'Stopped.' }).waitFor();
    next = await standing();
    hot = 'stove';
    await talk.fill('#text', 'Never mind.');
    await talk.press('#text', 'Enter');
    await talk.locator('article.familiar').nth(next - 1).filter({ hasText: 'rum at nine' }).waitFor();
    assert.equal(await talk.locator('[data-notice], article.program').count(), 0, 'nothing is stopped any more');
    // What one presses for another answer stays under the pointer.
    const another = talk.locator('button[value=again]');
    await another.waitFor();
    const { x } = await another.boundingBox();
    otherwise = '\n- bed at ten';
    await another.click();
    await talk.locator('.swipe', { hasText: '2 of 2' }).waitFor();
    assert.equal((await another.boundingBox()).x, x);
    [otherwise, hot] = ['', 'kettle'];
  }

  // A mistake in the settings is said, and nothing is saved.
  const settings = await opened(context, 'settings');
  await settings.goto(`${base}/settings/edit`);
  const before = await settings.inputValue('#words');
  await settings.fill('#words', `${before}\nunheard_of = 1\n`);
  await settings.click('text=See what changes');
  await settings.locator('main', { hasText: 'unheard_of' }).waitFor();
  assert.equal(await settings.locator('button:has-text("Save")').count(), 0, 'a mistake cannot be saved');
  await lookAtThis(settings, 'settings-mistake');

  // By keys alone to another page.
  await settings.goto(`${base}/settings`);
  await settings.press('body', 'Control+k');
  await settings.locator('#palette[open]').waitFor();
  await readByAxe(settings, 'the palette');
  await settings.locator('#palette .ask').fill('health');
  await settings.press('#palette .ask', 'Enter');
  await settings.waitForURL(`${base}/health`);
  await settings.press('body', 'Control+k');
  await settings.locator('#palette .ask').fill('connected');
  await settings.press('#palette .ask', 'Enter');
  await settings.waitForURL(`${base}/memory/map`);

  const links = await talk.locator('nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  const paths = [...new Set([...links.filter((one) => one?.startsWith('/')), `/xray/${turn}`, `/xray/compare?one=${turn}&budget=900&effort=8`, '/memory/note?path=topics%2Fboats.md', '/forget?kind=topic&name=boats', '/rooms/window', '/listening', '/memory/proposed', '/talk/persona'])];
  assert(paths.length >= 5, `the pages are ${paths}`);
  await lookAt(paths, context);
  if (!SCREENSHOTS) {
    await lookAt([
      '/settings/edit', '/settings/set?key=llm.daily_cost_cap_usd', '/settings/models', '/memory?q=Heron', '/memory?of=self', '/memory?of=lore',
      '/memory/edit?path=topics%2Fboats.md', '/memory/new?topic=Regatta', '/xray?only=answers', '/forget/undo',
    ], context);
    const states = await opened(context, 'a page after something was done');
    await states.goto(`${base}/talk`);
    await states.locator('details.why summary').last().click();
    await lookAtThis(states, 'why');
    await states.goto(base + await states.locator('article a[href^="/talk/edit"]').last().getAttribute('href'));
    await lookAtThis(states, 'talk-edit');
    await states.goto(`${base}/health`);
    await Promise.all([states.waitForEvent('load', { timeout: 60_000 }), states.click('button:has-text("Look now")')]);
    await lookAtThis(states, 'health-looked');
    await states.close();
  }

  // A page that is not there says so; what is forgotten is gone, and comes back.
  const gone = await opened(context, 'what is gone');
  assert.equal((await gone.goto(`${base}/nowhere`)).status(), 404);
  await lookAtThis(gone, 'nowhere');
  await gone.goto(`${base}/forget?kind=topic&name=boats`);
  await gone.click('form.edit button.button:not(.main)');
  await gone.waitForLoadState();
  assert(!existsSync(join(topics, 'boats.md')), 'the note is gone');

  // Another model is asked about the turn, after its price, and what it says differently is marked.
  const asked = await opened(context, 'a replay');
  await asked.goto(`${base}/xray/compare?one=${turn}&model=other%2Fmodel`);
  await asked.click('button:has-text("Ask other/model")');
  await asked.locator('.sentences .added', { hasText: 'is out' }).waitFor();
  assert.equal(await asked.locator('.sentences .removed', { hasText: 'is lit' }).count(), 1);
  await asked.locator('#h-said').scrollIntoViewIfNeeded();
  await lookAtThis(asked, 'replay');

  // Where nothing sees, a picture that is dropped is told of.
  const drops = (page) => page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10)], 'cat.png', { type: 'image/png' }));
    document.querySelector('main').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
  });
  await drops(talk);
  await talk.locator('.toast', { hasText: 'nothing looks at them here' }).waitFor();

  // The same familiar after a while among people, and with a model that sees.
  await closes();
  const home = join(familiars, name);
  for (const file of readdirSync(home)) if (file.startsWith('history.db')) rmSync(join(home, file));
  writeFileSync(join(home, 'character.toml'), `${readFileSync(join(home, 'character.toml'), 'utf8')}\n[llm.main_prose]\nsees_pictures = true\n`);
  writeFileSync(join(folder, 'among.jsonl'), among());
  execFileSync(PROGRAM, ['memory', 'import', join(folder, 'among.jsonl')], { cwd: folder, env });
  env.DISCORD_TOKEN = `${Buffer.from(BOT).toString('base64').replace(/=+$/, '')}.world.secret`;
  env.FAMILIAR_DISCORD_API_BASE = `http://127.0.0.1:${discord.address().port}`;
  const later = await opens();
  base = new URL(later).origin;
  const evening = await browser.newContext();
  const page = await opened(evening, 'an evening');
  await page.goto(later);
  await page.goto(`${base}/talk/persona`);
  await page.fill('#name', 'Captain Vane');
  await page.fill('#description', 'A retired privateer.');
  await page.click('button:has-text("Be this one")');
  await page.locator('a', { hasText: 'Captain Vane' }).waitFor();
  await drops(page);
  await page.locator('.thumbs img').waitFor();
  await page.click('button[aria-label="Remove cat.png"]');
  assert.equal(await page.locator('.thumbs img').count(), 0);
  await drops(page);
  await page.fill('#text', 'Who is that beside the kettle?');
  await page.press('#text', 'Enter');
  await page.locator('article.person', { hasText: 'image: cat.png' }).waitFor();
  await page.locator('article.familiar').filter({ hasText: 'rum at nine' }).first().waitFor();
  // Where it listens: a channel is ticked, as somebody would; another cannot be.
  for (let tries = 0; !(await page.goto(`${base}/listening`) && await page.locator('text=Lantern Quay').count()); tries += 1) {
    assert(tries < 100, 'the server is not there');
    await pause(100);
  }
  await page.locator('label', { hasText: '#quay' }).locator('input').check();
  await page.click('text=Listen there');
  await page.locator('text=That holds now.').waitFor();
  const accounts = '/memory/accounts?path=people%2Fdiscord-1.md&other=discord%3A2';
  await lookAt(['/memory/map', '/memory/new', '/rooms', '/rooms/42', '/memory', '/talk/persona', '/listening', accounts], evening);

  // The map comes nearer by button and by key, is moved while it is near, and is whole again after 0.
  await page.goto(`${base}/memory/map`);
  const shown = async () => (await page.getAttribute('[data-map]', 'viewBox')).split(' ').map((one) => Math.round(Number(one)));
  const whole = await shown();
  await page.click('[data-zoom] button:has-text("Nearer")');
  await page.press('body', '+');
  const near = await shown();
  assert(near[2] < whole[2] / 2, `nearer, ${whole} becomes ${near}`);
  await page.focus('[data-zoom] button');
  await page.keyboard.press('ArrowLeft');
  const moved = await shown();
  assert(moved[0] < near[0] && moved[2] === near[2], `to the left, ${near} becomes ${moved}`);
  await page.press('body', '0');
  assert.deepEqual(await shown(), whole, 'the whole map again');

  // What people do on Discord comes by itself on pages that are open: none of them is loaded anew.
  if (WORLD) {
    for (const one of browser.contexts()) await one.close();
    await worldBegins();
    const opening = await world.tells('address ');
    const [general, lounge] = (await world.tells('rooms ')).split(' ');
    base = new URL(opening).origin;
    const visit = await browser.newContext();
    const [rows, typed, spoken] = [await opened(visit, 'turns, live'), await opened(visit, 'a room, live'), await opened(visit, 'a call, live')];
    await rows.goto(opening);
    const live = [[rows, '/xray'], [typed, `/rooms/${general}`], [spoken, `/rooms/${lounge}`]];
    // A room in which nothing was said yet has no page; the call's comes with the greeting.
    await world.does('say');
    await world.does('call');
    for (const [page, path] of live) {
      for (let tries = 0; (await page.goto(base + path)).status() !== 200; tries += 1) {
        assert(tries < 100, `${path} is not there`);
        await pause(100);
      }
      await page.evaluate(() => { window.isTheSame = true; });
    }
    await typed.locator('article', { hasText: 'Aye, the lamp is lit.' }).waitFor();
    await world.does('ask');
    await typed.locator('article', { hasText: 'Mika, who sails tonight?' }).waitFor();
    await typed.locator('article', { hasText: 'The Wren sails alone.' }).waitFor();
    await rows.locator('li[data-turn]', { hasText: 'The Wren sails alone.' }).waitFor();

    // A call: who is in it, who speaks, what was understood, and how its answer came about.
    await spoken.locator('.callers li', { hasText: 'Ana' }).waitFor();
    const speaks = spoken.locator('.callers li.speaks', { hasText: 'Ana' }).waitFor();
    await Promise.all([speaks, world.does('speak')]);
    await spoken.locator('.moments li', { hasText: 'Ana spoke to it: ' }).first().waitFor();
    await spoken.locator('article', { hasText: 'does the late ferry still go tonight' }).waitFor();
    await spoken.locator('article', { hasText: 'It is late, very late.' }).waitFor();
    for (const [page, path] of live) assert(await page.evaluate(() => window.isTheSame), `${path} was loaded anew`);
    await spoken.locator('.call .flow li', { hasText: 'First sound played' }).waitFor();
    await lookAtThis(spoken, 'call');
    await spoken.press('body', 'Control+k');
    await spoken.locator('#palette[open]').waitFor();
    await lookAtThis(spoken, 'palette');
    await spoken.press('#palette .ask', 'Escape');
    await world.does('leave');
    await spoken.locator('.callers li', { hasText: 'Ana' }).waitFor({ state: 'detached' });
    assert.equal(await world.ends(), 0, 'the world ends soundly');
    world = undefined;
  } else {
    console.log(`${process.env.CI === 'true' ? 'FAILED' : 'SKIPPED'}: without the world of the tests nobody talks on Discord.`);
    assert(SCREENSHOTS || process.env.CI !== 'true', 'CI has built it');
  }
  assert.deepEqual(found, []);
  console.log(`${paths.length} pages in two colours and two widths: ${paths.join(' ')}; ${script} bytes of script.`);
} finally {
  await browser?.close();
  await world?.ends();
  if (running) await closes();
  model.close();
  discord.close();
  discord.closeAllConnections();
}
process.exit(0);
