// See ./window. Plays the operator in a browser, and the model behind the familiar.
import { strict as assert } from 'node:assert';
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const { PROGRAM, CHROMIUM, SCREENSHOTS } = process.env;
const WIDTHS = [[1440, 900], [390, 844]];
// In the pictures of the guide it would only puzzle.
const HOSTILE = SCREENSHOTS ? '' : '<img src=x onerror="document.title=1"> & <script>document.title=2</script>';
const axe = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

// A model: streams what the talk needs, and says little to everything else.
const said = 'The kettle is *hot*, and the **lamp** is lit:\n\n- tea at eight\n- rum at nine';
const model = createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  if (request.url.endsWith('/models')) {
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify({ data: [{ id: 'some/model', context_length: 32000 }] }));
  }
  const asked = JSON.parse(body || '{}');
  const words = body.includes('kettle') ? said : 'Well.';
  const head = { id: '1', object: 'chat.completion', created: 1, model: asked.model };
  const usage = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
  if (!asked.stream) {
    response.setHeader('content-type', 'application/json');
    const message = { role: 'assistant', content: words };
    return response.end(JSON.stringify({ ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }));
  }
  response.setHeader('content-type', 'text/event-stream');
  const tell = (one) => response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...one })}\n\n`);
  for (const piece of words.match(/.{1,12}/gs)) tell({ choices: [{ index: 0, delta: { content: piece } }] });
  tell({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage });
  response.end('data: [DONE]\n\n');
});
await new Promise((listening) => model.listen(0, '127.0.0.1', listening));

const folder = mkdtempSync(join(tmpdir(), 'window-'));
const env = {
  ...process.env,
  FAMILIAR_MODEL_HUB: 'off',
  FAMILIAR_LLM_BASE_URL: `http://127.0.0.1:${model.address().port}/v1`,
  OPENROUTER_API_KEY: 'sk-test-only-0123456789',
  NO_COLOR: '1',
};
const familiar = spawn(PROGRAM, ['run', '--as', 'Ada'], { cwd: folder, env });
let log = '';
for (const stream of [familiar.stdout, familiar.stderr]) stream.on('data', (text) => { log += text; });
const ended = new Promise((end) => familiar.on('exit', end));
const pause = (millis) => new Promise((done) => setTimeout(done, millis));

let browser;
try {
  for (let tries = 0; !log.includes('`familiar window` gives the address'); tries += 1) {
    assert(tries < 300 && familiar.exitCode === null, `It does not open its window:\n${log}`);
    await pause(100);
  }
  const address = execFileSync(PROGRAM, ['window'], { cwd: folder, env }).toString().trim();
  const base = new URL(address).origin;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update'];
  try {
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
  } catch (error) {
    console.log(`SKIPPED: Chromium does not start here: ${error.message.split('\n')[0]}`);
    familiar.kill();
    process.exit(0);
  }

  const found = [];
  // Opens a page in a context of its own cookies, and notes everything that no page of ours may do.
  const opened = async (context, where) => {
    const page = await context.newPage();
    page.on('console', (line) => line.type() === 'error' && !/401|403/.test(line.text()) && found.push(`${where}: ${line.text()}`));
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

  // Every one of these pages in both colours and two widths, read by axe.
  const lookAt = async (paths) => {
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
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 0) found.push(`${where} is ${over} pixels wider than its screen`);
        if (SCREENSHOTS) {
          const name = /^\/xray\/t\d/.test(path) ? 'turn' : path.split('?')[0].slice(1).replaceAll('/', '-') || 'talk';
          writeFileSync(join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`), await page.screenshot());
        }
        await page.evaluate(`${axe}; 0`);
        const read = await page.evaluate(async () => {
          const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
          const { passes, violations } = await axe.run(document, { runOnly });
          return { passes: passes.length, violations: violations.map((one) => `${one.id} at ${one.nodes.map((node) => node.target)}`) };
        });
        assert(read.passes >= 10, `${where}: axe looked at ${read.passes} things`);
        found.push(...read.violations.map((one) => `${where}: ${one}`));
        await page.close();
      }
      await look.close();
    }
  };

  // The first run: a card is dropped, somebody else is chosen instead, and the same page goes on with the talk.
  assert.equal(new URL(talk.url()).pathname, '/setup');
  const data = { name: 'Ferry', description: `Keeps the ferry. ${HOSTILE}`, first_mes: 'Evening.', personality: '', scenario: '', mes_example: '' };
  const card = Buffer.from(JSON.stringify({ spec: 'chara_card_v2', spec_version: '2.0', data }));
  await talk.setInputFiles('#card', { name: 'ferry.json', mimeType: 'application/json', buffer: card });
  await talk.click('text=Take it in');
  await talk.locator('h1', { hasText: 'Ferry moves in' }).waitFor();
  await talk.goto(`${base}/setup`);
  await talk.click('button.guest:has-text("Pell")');
  await talk.locator('h1', { hasText: 'Pell moves in' }).waitFor();
  await lookAt(['/setup', '/setup/came', '/setup/model', '/setup/discord']);
  await talk.goto(`${base}/setup/discord`);
  await talk.click('button:has-text("Talk with it")');
  await talk.locator('#text').waitFor();
  assert.equal(new URL(talk.url()).pathname, '/talk');

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
  console.log(`The first reply stands there ${Math.round((Date.now() - began) / 1000)} s after the page was opened.`);
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
  const shown = [];
  for (const colorScheme of ['light', 'dark']) for (const [width, height] of WIDTHS) {
    await note.emulateMedia({ colorScheme });
    await note.setViewportSize({ width, height });
    shown.push([`edit-${colorScheme}-${width}.png`, await note.screenshot()]);
    await note.evaluate(`${axe}; 0`);
    const wrong = await note.evaluate(async () => (await axe.run()).violations.map((one) => `${one.id} at ${one.nodes.map((node) => node.target)}`));
    found.push(...wrong.map((one) => `the lines that change (${colorScheme}, ${width}): ${one}`));
  }
  await note.click('button:has-text("Save")');
  await note.locator('.fact', { hasText: 'mended in spring' }).waitFor();
  assert(readFileSync(join(topics, 'boats.md'), 'utf8').includes('The Wren was mended in spring.'));

  const links = await talk.locator('nav a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
  const paths = [...new Set([...links.filter((one) => one?.startsWith('/')), `/xray/${turn}`, `/xray/compare?one=${turn}&budget=900&effort=8`, '/memory/note?path=topics%2Fboats.md', '/forget?kind=topic&name=boats', '/rooms/window', '/listening', '/memory/proposed', '/memory/map'])];
  assert(paths.length >= 5, `the pages are ${paths}`);
  if (SCREENSHOTS) {
    mkdirSync(SCREENSHOTS, { recursive: true });
    for (const [file, picture] of shown) writeFileSync(join(SCREENSHOTS, file), picture);
  }
  await lookAt(paths);
  assert.deepEqual(found, []);
  console.log(`${paths.length} pages in two colours and two widths: ${paths.join(' ')}; ${script} bytes of script.`);
} finally {
  await browser?.close();
  familiar.stdin.end();
  familiar.kill();
  await Promise.race([ended, pause(5000)]);
  model.close();
}
process.exit(0);
