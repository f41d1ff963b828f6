import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BrowserPage, describeWithBrowser } from './support/browser.js';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';

const PAGE = join(__dirname, '../examples/agui-page');

describeWithBrowser('The example page of AG-UI', () => {
  const model = useScriptedModel();
  const stack = useStack({
    with: ['worker'],
    library: { 'agents/painter.json': readFileSync(join(PAGE, 'painter.json'), 'utf8') },
  });
  let server: ChildProcess;
  let page: BrowserPage;
  let address = '';

  beforeAll(async () => {
    server = spawn(process.execPath, [join(PAGE, 'serve.mjs'), '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (!server.stdout) throw new Error('the server of the page has no output');
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    [address = ''] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    page = await BrowserPage.open();
  });
  afterAll(async () => {
    await page.close();
    server.kill('SIGKILL');
  });

  const background = () => page.evaluate('document.body.style.backgroundColor');
  const say = (text: string) =>
    page.evaluate(`(() => {
      const form = document.querySelector('form');
      form.elements.text.value = ${JSON.stringify(text)};
      form.requestSubmit();
    })()`);

  it('The agent changes the background of the page, and says so', async () => {
    model.current.restart([
      'At once.\n<ACTION><change_background><color>rgb(1, 2, 3)</color></change_background></ACTION>',
      'The page is almost black now.',
    ]);
    const api = await stack.startApi({ ERRAND_ALLOWED_ORIGINS: address });
    await page.goTo(`${address}/?api=${api}`);
    await eventually(async () => (await page.evaluate("document.readyState === 'complete'")) === true);
    await say('Make it black');
    await eventually(async () => (await page.text()).includes('The page is almost black now.'), 'the answer');
    expect(await background()).toBe('rgb(1, 2, 3)');
    expect(await page.text()).toContain('At once.');
    expect(model.current.requests[1]?.last).toContain('The background is rgb(1, 2, 3)');
  });

  it('A color that the page refuses is an error that the agent reads', async () => {
    model.current.restart([
      '<ACTION><change_background><color>loud</color></change_background></ACTION>',
      'I do not know that color.',
    ]);
    await say('Make it loud');
    await eventually(async () => (await page.text()).includes('I do not know that color.'), 'the answer');
    expect(model.current.requests[1]?.last).toContain("'loud' is no CSS color");
    expect(await background()).toBe('rgb(1, 2, 3)');
  });

  it('The page requests nothing from other hosts', () => {
    const hosts = new Set(page.requests.filter((url) => url.startsWith('http')).map((url) => new URL(url).hostname));
    expect([...hosts]).toEqual(['127.0.0.1']);
    expect(page.errors).toEqual([]);
  });
});
