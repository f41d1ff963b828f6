import type { ProcessList, ShownQueue } from '@errand/contracts';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';

const KEYS = { operator: 'the-key-of-the-operator-1234567890', acme: 'the-key-of-acme-1234567890' };
const OPERATOR = { authorization: `Bearer ${KEYS.operator}` };
const DELAY = (ms: number) => ({ toolId: 'core:delay', arguments: { ms, value: ms } });
const HOSTILE = '<img src=x onerror=alert(1)> \u202E reason';

describeWithBrowser('The pages of queues and processes', () => {
  const stack = useStack(
    { env: { ERRAND_API_KEYS: `${KEYS.operator} acme:${KEYS.acme}`, ERRAND_WORKER_CONCURRENCY: '2' } },
    { keepsProcesses: true },
  );
  const { client } = stack;
  const { inPage } = useConsole(() => stack.url);

  const open = async (page: Page, path: string, name: string, key = KEYS.operator) => {
    await page.goto(path);
    await logIn(page, key);
    await waitForPage(page, name);
  };
  const queueOf = (page: Page, name: string) => page.locator(`[data-testid="queue"][data-name="${name}"]`);
  const submit = async (ms: number) => {
    const { body } = await client.post<{ id: string }>('/v1/invocations', DELAY(ms), OPERATOR);
    return body.id;
  };
  const invocations = async () => (await client.get<ShownQueue>('/v1/queues/invocations', OPERATOR)).body;
  const living = async () => (await client.get<ProcessList>('/v1/processes', OPERATOR)).body.items;

  inPage('An operator pauses a queue with a note, sees what waits, and resumes it', async ({ page }) => {
    await open(page, '/console/queues', 'queues');
    const queue = queueOf(page, 'invocations');
    expect(await queue.getAttribute('data-paused')).toBe('false');
    await queue.getByTestId('pause').click();
    await byTestId(page, 'pause-note').fill(HOSTILE);
    await byTestId(page, 'pause-confirm').click();
    await page.locator('[data-name="invocations"][data-paused="true"]').waitFor();
    await queue.getByText('<img src=x onerror=alert(1)>').waitFor();
    const id = await submit(1);
    await eventually(async () => (await queue.getByTestId('depth').textContent()) === '1');
    await queue.getByRole('link').first().click();
    await waitForPage(page, 'queue');
    await byTestId(page, 'next-jobs').getByRole('link', { name: id }).waitFor();
    await page.goBack();
    await waitForPage(page, 'queues');
    await queue.getByTestId('resume').click();
    await page.locator('[data-name="invocations"][data-paused="false"]').waitFor();
    expect((await invocations()).paused).toBeNull();
  });

  inPage('A pause by somebody else appears without a reload', async ({ page }) => {
    await open(page, '/console/queues', 'queues');
    await client.post('/v1/queues/scripts/pause', { note: 'from elsewhere' }, OPERATOR);
    await page.locator('[data-name="scripts"][data-paused="true"]').waitFor();
    await page.goto('/console/queues/scripts');
    await byTestId(page, 'empty').getByText('waits until the queue is resumed').waitFor();
    await page.goto('/console/');
    await byTestId(page, 'needs-you').getByText('Questions and callbacks are those of the tenant default.').waitFor();
    await page.goto('/console/queues');
    await page.locator('[data-name="scripts"][data-paused="true"]').waitFor();
    await client.post('/v1/queues/scripts/resume', '', OPERATOR);
    await page.locator('[data-name="scripts"][data-paused="false"]').waitFor();
    await page.goto('/console/?tenant=acme');
    await byTestId(page, 'needs-you').getByText('Nothing waits for a person in the tenant acme.').waitFor();
  });

  inPage('A tenant reads that only the operator can resume a queue and start an attack run', async ({ page }) => {
    await client.post('/v1/queues/scripts/pause', { note: 'for all' }, OPERATOR);
    await open(page, '/console/', 'overview', KEYS.acme);
    await byTestId(page, 'needs-you')
      .getByText(/queue is paused; only the operator can resume/)
      .click();
    await byTestId(page, 'pause-note-shown')
      .getByText(/for all.*only the operator can resume/)
      .waitFor();
    await page.goto('/console/sandbox');
    await byTestId(page, 'empty').getByText('Only the operator can start a run.').waitFor();
    await client.post('/v1/queues/scripts/resume', '', OPERATOR);
  });

  inPage('A tenant sees its queues without pause and drain, and unknown queues say what to try', async ({ page }) => {
    await stack.processes.haveRunning('worker', 1);
    await open(page, '/console/queues', 'queues', KEYS.acme);
    expect(await byTestId(page, 'pause').count()).toBe(0);
    await page.goto('/console/processes');
    await waitForPage(page, 'processes');
    await page.locator('[data-kind="worker"][data-state="ready"]').first().waitFor();
    expect(await byTestId(page, 'drain').count()).toBe(0);
    await page.goto('/console/queues/nothing');
    await byTestId(page, 'not-found').waitFor();
  });

  inPage('A process shows its job; after a kill it is lost, and the page says where the job went', async ({ page }) => {
    const [child] = await stack.processes.haveRunning('worker', 1);
    const id = await submit(600_000);
    const holder = await eventually(async () => (await living()).find(({ inHand }) => inHand.length > 0)?.id);
    await open(page, '/console/processes', 'processes');
    const shown = page.locator(`[data-testid="process"][data-id="${holder}"]`);
    expect(await shown.getAttribute('data-kind')).toBe('worker');
    await shown.getByTestId('in-hand').locator(`a[href="/console/invocations/${id}"]`).waitFor();
    await stack.processes.end(child!);
    await page.locator(`[data-id="${holder}"][data-state="lost"]`).waitFor();
    await shown.getByText(/No living process takes jobs of .*: start a worker/).waitFor();
    await eventually(async () => (await invocations()).consumers === 0, 'the queue has no consumer');
    expect(await invocations()).toMatchObject({ waiting: 0, active: 1 });
    await page.goto('/console/queues/invocations');
    await byTestId(page, 'no-consumer').getByText('1 job without a process').waitFor();
    expect(await byTestId(page, 'running').textContent()).toBe('1 without a process');
    await page.goto('/console/');
    await byTestId(page, 'needs-you').getByText('queue has jobs, and no consumer is alive').waitFor();
    await page.locator('[data-testid="queue-card"][data-name="invocations"]').getByText('No consumer').waitFor();
    await page.goto('/console/processes');
    await stack.processes.haveRunning('worker', 1);
    await shown.getByTestId('in-hand').getByText('now at worker-').waitFor();
    await client.post(`/v1/invocations/${id}/cancel`, '', OPERATOR);
  });

  inPage('A drain empties one worker, and the page follows it', async ({ page }) => {
    await stack.processes.haveRunning('worker', 1);
    const worker = await eventually(async () =>
      (await living()).find(({ kind, state }) => kind === 'worker' && state === 'ready'),
    );
    await open(page, '/console/processes?state=ready', 'processes');
    await page.locator(`[data-id="${worker.id}"]`).getByTestId('drain').click();
    await page.goto('/console/processes?state=draining');
    await page.locator(`[data-id="${worker.id}"][data-state="draining"]`).waitFor();
    await eventually(async () => (await living()).find(({ id }) => id === worker.id)?.inHand.length === 0);
  });
});
