import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserPage, describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';

const LIBRARY = {
  'plugins/ask/plugin.yaml': `
name: ask
displayName: Ask
version: 1.0.0
description: Tools that wait.
nodes: { entry: nodes/index.js }
tools:
  - id: ask:person
    displayName: Ask a person
    description: Waits for a person.
    parameters: { type: object, properties: { question: { type: string } } }
    implementation: { type: external }
  - id: ask:tell
    displayName: Tell
    description: Reports progress and logs a line.
    parameters: { type: object, properties: {} }
    implementation: { type: node, nodeType: ask:tell }
`,
  'plugins/ask/nodes/index.js': `
module.exports = { nodes: [{ type: 'ask:tell', description: 'd', inputs: {}, outputs: { value: { dataFlowType: 'WILDCARD' } },
  run: async (_inputs, context) => { context.log('half of the way <b>'); context.progress(0.5, 'half'); throw new Error('broken'); } }] };
`,
};
const stack = useStack({ with: ['worker'], library: LIBRARY, env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
const { client } = stack;

interface ShownJob {
  id: string;
  name: string;
  delay: number;
  progress: { status?: string; waitsFor?: string; progress?: number; steps?: object[]; attempts?: object[] };
}
const job = async (queue: string, id: string) =>
  (await client.get<{ job: ShownJob; status: string }>(`/admin/queues/api/queues/${queue}/${id}`)).body;
const logs = async (queue: string, id: string) =>
  (await client.get<string[]>(`/admin/queues/api/queues/${queue}/${id}/logs`)).body;

/** Submits invocations of several kinds, and waits until each has its state. */
async function submitAll() {
  const callback = { url: 'http://127.0.0.1:9/hook' };
  const asked = await client.submit({ toolId: 'ask:person', arguments: { question: 'May I?' }, callback });
  const told = await client.submit({ toolId: 'ask:tell', arguments: {} });
  const later = await client.submit({
    toolId: 'core:echo',
    arguments: { value: 1 },
    options: { delayMs: 3_600_000 },
  });
  const paused = await client.submit({ toolId: 'core:wait', arguments: { ms: 7_200_000 } });
  const script = await client.submit({ toolId: 'core:execute-python-script', arguments: { scriptPath: 'none.py' } });
  await eventually(async () => (await client.read(asked)).status === 'waiting_external');
  await eventually(async () => (await client.read(told)).status === 'failed');
  await eventually(async () => (await client.read(paused)).steps[0]?.nodes?.[0]?.waiting !== undefined);
  return { asked, told, later, paused, script };
}

let ids: Awaited<ReturnType<typeof submitAll>>;
beforeAll(async () => (ids = await submitAll()));

describe('The jobs of the queue dashboard', () => {
  it('A job that waits for a person says so, and has no time of a next run', async () => {
    const { job: shown } = await job('invocations', ids.asked);
    expect(shown).toMatchObject({
      name: expect.stringMatching(/waits for an answer to step 0/),
      delay: 0,
      progress: {
        status: 'waiting_external',
        waitsFor: expect.stringMatching(/^an answer to step 0/),
        steps: [{ index: 0, toolId: 'ask:person', status: 'waiting_external', waiting: { for: 'answer' } }],
      },
    });
  });

  it('A job that waits for a time names the time', async () => {
    const until = (await client.read(ids.paused)).steps[0]?.nodes?.[0]?.waiting?.until;
    expect((await job('invocations', ids.paused)).job).toMatchObject({
      name: expect.stringContaining(`waits for its time, ${until}`),
      delay: 0,
    });
    expect((await job('invocations', ids.later)).job).toMatchObject({
      name: expect.stringMatching(/waits for its time, \d{4}-/),
      delay: 3_600_000,
    });
  });

  it('The progress and the log of a job are those of the API', async () => {
    const { body } = await client.get<{ items: { line: string }[] }>(`/v1/invocations/${ids.told}/logs`);
    const shown = await logs('invocations', ids.told);
    expect(shown).toHaveLength(body.items.length);
    expect(shown).toEqual([expect.stringMatching(/step 0 node: half of the way <b>$/)]);
    expect((await job('invocations', ids.told)).job.progress).toMatchObject({
      status: 'failed',
      progress: 50,
      steps: [{ index: 0, error: expect.stringMatching(/^NodeError: .*broken/) }],
    });
  });

  it('A callback shows its status and attempts', async () => {
    const message = ids.asked.replace('inv_', 'msg_');
    expect((await job('deliveries', message)).job).toMatchObject({
      name: expect.stringContaining('waits for the end of its invocation'),
      progress: { status: 'waiting', attempts: [] },
    });
  });

  it('A hostile id has no log', async () => {
    expect(await logs('invocations', encodeURIComponent('../news'))).toEqual([]);
    expect((await client.get('/admin/queues/api/queues/invocations/inv_none')).status).toBe(404);
  });
});

describe('The page of the queue dashboard', () => {
  it('The page and its styles name no file of another host', async () => {
    const page = await fetch(`${stack.url}/admin/queues`);
    const html = await page.text();
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'self';/);
    expect(page.headers.get('content-security-policy')).not.toMatch(/https?:|\*/);
    expect(html.match(/(?:href|src)="?(?:https?:)?\/\/[^>]*/g)).toBeNull();
    const styles = [...html.matchAll(/href="(static\/css\/[^"]+)"/g)].map(([, path]) => path);
    expect(styles).not.toEqual([]);
    for (const path of styles) {
      const css = await (await fetch(`${stack.url}/admin/queues/${path}`)).text();
      expect(css.match(/@import|url\(["']?(?:https?:)?\/\//g)).toBeNull();
    }
  });
});

describeWithBrowser('The queue dashboard in a browser', () => {
  let page: BrowserPage;
  beforeAll(async () => (page = await BrowserPage.open()));
  afterAll(() => page.close());

  it('The pages show what jobs wait for, and no request leaves the origin', async () => {
    const sees = (path: string, text: RegExp) =>
      page.goTo(`${stack.url}${path}`).then(() => eventuallySees(page, text));
    await sees('/admin/queues', /later/i);
    await sees('/admin/queues/queue/invocations?status=delayed', /waits for an answer to step 0/);
    expect(await page.text()).not.toMatch(/will run at[^]*20(3\d|2[89])/i);
    await sees(`/admin/queues/queue/invocations/${ids.asked}`, /waits for an answer to step 0/);
    await page.screenshot(join(tmpdir(), 'errand-dashboard.png'));
    await sees('/admin/queues/queue/invocations?status=failed', /ask:tell/);
    await sees('/admin/queues/queue/deliveries', /waits for the end of its invocation/);
    const origins = new Set(page.requests.map((url) => (url.startsWith('data:') ? 'data:' : new URL(url).origin)));
    expect([...origins].filter((origin) => origin !== 'data:')).toEqual([stack.url]);
    expect(page.errors).toEqual([]);
  });

  it('The tab Progress of a job shows its steps, and the tab Logs shows its log', async () => {
    await page.goTo(`${stack.url}/admin/queues/queue/invocations/${ids.told}`);
    await eventuallySees(page, /progress/i);
    await press(page, 'Progress');
    await eventuallySees(page, /NodeError/);
    await press(page, 'Logs');
    await eventuallySees(page, /half of the way <b>/);
  });
});

async function eventuallySees(page: BrowserPage, text: RegExp): Promise<void> {
  let seen = '';
  await eventually(async () => text.test((seen = await page.text())), `the page shows ${text}`).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}; it shows: ${seen}`);
    },
  );
}

/** Presses the tab or button with this text. */
async function press(page: BrowserPage, label: string): Promise<void> {
  const find = `[...document.querySelectorAll('button')].find((each) => each.innerText.trim() === ${JSON.stringify(label)})`;
  await eventually(async () => (await page.evaluate(`Boolean(${find})`)) === true, `the page has the button ${label}`);
  await page.evaluate(`${find}.click()`);
}
