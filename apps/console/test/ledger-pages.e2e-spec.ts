import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectQueues, storeSandboxReport } from '@errand/queue';
import type { ListedDelivery, SandboxReport } from '@errand/contracts';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { Client } from '../../../test/support/client.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import { axeFaults, inEachLook, sidewaysOf } from './support/axe-faults.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';

const KEY = 'the-key-of-the-operator-1234567890';
const PLUGIN = `
name: shop
displayName: Shop
version: 1.0.0
description: Sells, once.
nodes: { entry: nodes/index.js }
tools:
  - id: shop:sell
    displayName: Sell
    description: Sells something to a customer.
    parameters: { type: object, properties: { to: { type: string } }, required: [to] }
    effects: once
    implementation: { type: service, serviceName: shop, methodName: sell }
`;
const NODES = `module.exports = { nodes: [], services: [{ name: 'shop', methods: { sell: ({ to }) => 'sold to ' + to } }] };`;
/** Where pictures of the pages are kept, if they are wanted. */
const PICTURES = process.env['CONSOLE_PICTURES'];

const report: SandboxReport = {
  runner: 'runner-1',
  host: 'host-a',
  at: new Date().toISOString(),
  runtime: 'runc',
  state: 'done',
  total: 2,
  attacks: [
    { name: 'network.py', held: true, tookMs: 812, note: 'The script connects to the network.' },
    {
      name: 'fork-bomb.py',
      held: false,
      tookMs: 20_012,
      note: 'The script starts processes. Expected: a limit. Result: []',
    },
  ],
};

describeWithBrowser('The pages of ledgers', () => {
  const stack = useStack({
    with: ['worker'],
    library: { 'plugins/shop/plugin.yaml': PLUGIN, 'plugins/shop/nodes/index.js': NODES },
    env: { ERRAND_API_KEYS: KEY, ERRAND_CALLBACK_ALLOW: '127.0.0.1', ERRAND_CALLBACK_BACKOFF: '0' },
  });
  const client = new Client(() => stack.url, { authorization: `Bearer ${KEY}` });
  const { inPage } = useConsole(() => stack.url);
  const session = 's/1 <b>&\u202E';
  let receiver: WebhookReceiver;
  let isUp = false;
  let dead: string;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start((_, response) => response.writeHead(isUp ? 200 : 503).end());
    stack.keep({ close: () => receiver.stop() });
    const sell = { toolId: 'shop:sell', arguments: { to: '<img src=x>' } };
    await client.invoke({ ...sell, session });
    await client.invoke({ ...sell, session });
    const text = 'I sell. <ACTION><shop:sell><to>bob</to></shop:sell></ACTION>';
    await client.invoke({ text, session });
    const refused = '<ACTION><shop:sel><to>eve</to></shop:sel></ACTION>';
    expect((await client.post('/v1/invocations', { text: refused, session })).status).toBe(422);
    dead = (await client.invoke({ ...sell, callback: { url: receiver.url } })).id;
    await eventually(async () => {
      const { body } = await client.get<{ items: ListedDelivery[] }>('/v1/deliveries?status=failed');
      return body.items.length === 1;
    }, 'the callback is dead');
    const queues = connectQueues(stack.redis.url, { ageSeconds: 3_600, count: 1_000 });
    stack.keep(queues);
    await storeSandboxReport(queues, report);
  });

  const lookAt = (page: Parameters<typeof axeFaults>[0], name: string) =>
    inEachLook(page, async (look) => {
      expect([name, look, await axeFaults(page)]).toEqual([name, look, []]);
      expect([name, look, await sidewaysOf(page)]).toEqual([name, look, 0]);
      if (PICTURES === undefined) return;
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`) });
    });

  inPage(
    'A dead callback is found, and sent again to all its receivers by a dry run that says how many',
    async ({ page }) => {
      await page.goto('/console/deliveries');
      await logIn(page, KEY);
      await waitForPage(page, 'deliveries');
      await byTestId(page, 'filter-status').selectOption('failed');
      const row = byTestId(page, 'delivery');
      await row.and(page.locator('[data-status="failed"]')).waitFor();
      expect(await row.textContent()).toContain('503');
      await lookAt(page, 'deliveries');
      isUp = true;
      await byTestId(page, 'bulk-redeliver').click();
      await byTestId(page, 'bulk-count').waitFor();
      expect(await byTestId(page, 'bulk-count').textContent()).toBe('1 invocation');
      expect(await byTestId(page, 'bulk-sample').textContent()).toContain('shop:sell');
      await lookAt(page, 'bulk-dialog');
      await page.keyboard.press('Escape');
      await byTestId(page, 'bulk-dialog').waitFor({ state: 'detached' });
      await byTestId(page, 'bulk-redeliver').click();
      await byTestId(page, 'bulk-confirm').click();
      await waitForPage(page, 'bulk');
      const action = byTestId(page, 'bulk-action').first();
      await action.and(page.locator('[data-state="done"]')).waitFor();
      expect(await action.textContent()).toContain('1 done of 1');
      await lookAt(page, 'bulk');
      await page.goBack();
      await waitForPage(page, 'deliveries');
      expect(new URL(page.url()).search).toBe('?status=failed');
      await byTestId(page, 'empty').waitFor();
      await byTestId(page, 'clear-filters').click();
      await row.first().waitFor();
      expect(await row.first().getAttribute('data-id')).toContain(dead.slice(4));
      await byTestId(page, 'redeliver').first().click();
      await row.and(page.locator('[data-status="delivered"]')).nth(1).waitFor();
    },
  );

  inPage('The ledger shows an effect with its repeats, and leads to its session', async ({ page }) => {
    await page.goto('/console/effects');
    await logIn(page, KEY);
    await waitForPage(page, 'effects');
    const repeated = byTestId(page, 'effect').and(page.locator('[data-repeats="1"]'));
    expect(await repeated.textContent()).toContain('One equal call did not run again');
    expect(await byTestId(page, 'effect').count()).toBe(2);
    await lookAt(page, 'effects');
    await repeated.getByRole('link', { name: 's/1' }).click();
    await waitForPage(page, 'session');
    expect(await byTestId(page, 'session').getAttribute('data-session')).toBe(session);
    const entries = byTestId(page, 'session-invocation');
    expect(await entries.count()).toBe(3);
    expect(await entries.nth(2).textContent()).toContain('I sell.');
    expect(await entries.nth(1).textContent()).toContain('Not run again');
    expect(await entries.nth(0).textContent()).toContain('Observation');
    await byTestId(page, 'session-refusal').and(page.locator('[data-code="unknown_tool"]')).waitFor();
    await lookAt(page, 'session');
    await page.goBack();
    await waitForPage(page, 'effects');
    await byTestId(page, 'filter-tool').fill('shop:give');
    await byTestId(page, 'filter-tool').press('Enter');
    await byTestId(page, 'empty').waitFor();
  });

  inPage(
    'The report of a sandbox shows what was not stopped first, and the operator requests another run',
    async ({ page }) => {
      await page.goto('/console/sandbox');
      await logIn(page, KEY);
      await waitForPage(page, 'sandbox');
      const attacks = byTestId(page, 'attack');
      expect(
        await attacks.evaluateAll((rows) => rows.map((row) => [row.dataset['name'], row.dataset['held']])),
      ).toEqual([
        ['fork-bomb.py', 'false'],
        ['network.py', 'true'],
      ]);
      await lookAt(page, 'sandbox');
      await byTestId(page, 'sandbox-check').click();
      await byTestId(page, 'toast').first().waitFor();
      const queues = await stack.openQueues();
      expect(await queues.redis.exists('{errand}:sandbox-check')).toBe(1);
    },
  );

  inPage(
    'A session without anything is unknown until something is submitted, and each list says what fills it',
    async ({ page }) => {
      await page.goto('/console/sessions/nobody');
      await logIn(page, KEY);
      await waitForPage(page, 'session', /^error$/);
      await byTestId(page, 'not-found').filter({ hasText: 'nobody' }).waitFor();
      await lookAt(page, 'session-unknown');
      await client.invoke({ toolId: 'core:echo', arguments: { value: 1 }, session: 'nobody' });
      await waitForPage(page, 'session', /^ready$/);
      await page.goto('/console/effects?session=somebody');
      await waitForPage(page, 'effects', /^empty$/);
      await lookAt(page, 'effects-empty');
    },
  );

  inPage('A dead callback that dies again comes back into the list of dead ones', async ({ page }) => {
    const held: (() => void)[] = [];
    let isHolding = false;
    const failing = await WebhookReceiver.start((_, response) => {
      const fail = () => void response.writeHead(500).end();
      if (isHolding) held.push(fail);
      else fail();
    });
    stack.keep({ close: () => failing.stop() });
    const { id } = await client.invoke({
      toolId: 'core:echo',
      arguments: { value: 1 },
      callback: { url: failing.url },
    });
    await eventually(async () => {
      const { body } = await client.get<{ items: ListedDelivery[] }>('/v1/deliveries?status=failed');
      return body.items.some(({ invocationId }) => invocationId === id);
    }, 'the callback is dead');
    await page.goto('/console/deliveries?status=failed');
    await logIn(page, KEY);
    const row = byTestId(page, 'delivery').filter({ has: page.getByTitle(id) });
    isHolding = true;
    await row.getByTestId('redeliver').click();
    await row.waitFor({ state: 'detached' });
    isHolding = false;
    for (const fail of held) fail();
    await row.waitFor();
    await row.getByTitle(id).click();
    await waitForPage(page, 'invocation');
    await byTestId(page, 'panel-deliveries').getByTestId('attempt').first().waitFor();
  });

  inPage('The ledger shows a further equal call by itself', async ({ page }) => {
    const call = { toolId: 'shop:sell', arguments: { to: 'ann' }, session: 'live-effects' };
    await client.invoke(call);
    await page.goto('/console/effects?session=live-effects');
    await logIn(page, KEY);
    for (const repeats of ['1', '2', '3']) {
      await client.invoke(call);
      await byTestId(page, 'effect')
        .and(page.locator(`[data-repeats="${repeats}"]`))
        .waitFor();
    }
  });
});
