import { describeWithBrowser } from '../../../test/support/browser.js';
import { FAULTY_ENV, FAULTY_LIBRARY, makeFaults, type Faults } from '../../../test/support/faulty-stack.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

/** An operator at night has the console and nothing else. */
describeWithBrowser('A stack with ten faults', () => {
  const stack = useStack(
    { with: ['worker'], library: FAULTY_LIBRARY, env: { ...FAULTY_ENV } },
    { keepsProcesses: true },
  );
  const { inPage } = useConsole(() => stack.url);
  let faults: Faults;
  beforeAll(async () => {
    faults = await makeFaults(stack);
  });

  inPage('The overview leads to everything that needs a person', async ({ page }) => {
    await page.goto('/console/');
    await waitForPage(page, 'overview');
    const needs = byTestId(page, 'needs-you');
    for (const what of [/no consumer/, /paused/, /question/, /callback/, /library/])
      await needs.getByText(what).waitFor();
    await byTestId(page, 'health').getByText('1 lost').waitFor();
    const signs = byTestId(page, 'look-at');
    for (const what of [/worker was lost/, /refused calls .*office:invoice/, /again.*office:pay/, /cut short/])
      await signs.getByText(what).waitFor();
    await needs.getByText(/no consumer/).click();
    await waitForPage(page, 'queue');
  });

  inPage('The queues show the pause with its note, and the queue that nobody takes from', async ({ page }) => {
    await page.goto('/console/queues');
    await waitForPage(page, 'queues');
    const queue = (name: string) => page.locator(`[data-testid="queue"][data-name="${name}"]`);
    await queue('scripts').getByText('The registry of packages is away').waitFor();
    await queue('scripts.gpu').getByText('No consumer').waitFor();
    await queue('scripts').locator('[data-testid="resume"]').click();
    await page.locator('[data-testid="queue"][data-name="scripts"][data-paused="false"]').waitFor();
  });

  inPage('The processes show which one is lost', async ({ page }) => {
    await page.goto('/console/processes');
    await page.locator('[data-testid="process"][data-kind="worker"][data-state="lost"]').waitFor();
  });

  inPage('The workflow hangs in one node, and its page names it', async ({ page }) => {
    await page.goto(`/console/invocations/${faults.hangs}`);
    await page.locator('[data-testid="span"][data-node="print"][data-status="running"]').waitFor();
    await page.locator('[data-testid="span"][data-node="numbers"][data-status="succeeded"]').waitFor();
  });

  inPage('A script that no runner takes waits, and its page says what to do', async ({ page }) => {
    await page.goto(`/console/invocations/${faults.waitsForRunner}`);
    const reason = byTestId(page, 'why-waits');
    await reason.getByText('Start a script-runner with the label gpu').waitFor();
    await page.locator('[data-testid="segment"][data-kind="wait"].bar-open').waitFor();
    expect(await page.locator('[data-testid="segment"][data-kind="run"]').count()).toBe(0);
    await byTestId(page, 'step-detail').getByText('nowhere: no script-runner').waitFor();
    await byTestId(page, 'cancel').click();
    await byTestId(page, 'impact').getByText('Ends 1 script or call that it started').waitFor();
    expect(await byTestId(page, 'impact').textContent()).not.toContain('Stops');
    await page.keyboard.press('Escape');
    await reason.getByRole('link', { name: 'scripts.gpu' }).click();
    await waitForPage(page, 'queue');
  });

  inPage('An open page shows a change that comes without an event', async ({ page }) => {
    const id = faults.hangs;
    const { body } = await stack.client.get(`/v1/invocations/${id}`);
    const at = new Date().toISOString();
    const waitingFor = `the queue 'scripts', which is paused since ${at}`;
    const queue = { position: null, ahead: null, etaMs: null, waitingFor };
    // By then, the page has made the reads that its first events ask for.
    const isQuietAt = Date.now() + 6_000;
    await page.route(`**/v1/invocations/${id}`, (route) =>
      route.fulfill({ json: Date.now() < isQuietAt ? body : { ...body, status: 'queued', queue } }),
    );
    await page.goto(`/console/invocations/${id}`);
    await page.locator('[data-testid="status"][data-status="queued"]').waitFor();
    const reason = byTestId(page, 'why-waits');
    await reason.locator(`time[datetime="${at}"]`).waitFor();
    await reason.getByRole('link', { name: 'scripts' }).waitFor();
  });

  inPage('After a cancel, a node that never began is skipped', async ({ page }) => {
    const id = await stack.client.submit({ toolId: 'office:report', arguments: { month: 'May' } });
    await page.goto(`/console/invocations/${id}?tab=graph`);
    await page.locator('[data-testid="graph-node"][data-node="print"][data-status="running"]').waitFor();
    await stack.client.cancel(id);
    const list = byTestId(page, 'graph-list');
    await list.locator('[data-node="print"]').getByText('Cancelled').waitFor();
    await list.locator('[data-node="out"]').getByText('Skipped').waitFor();
  });

  inPage('The dead callback, the open question and the broken file have their pages', async ({ page }) => {
    await page.goto('/console/deliveries');
    await byTestId(page, 'delivery').getByText(/410/).first().waitFor();
    await page.goto('/console/inbox');
    await page.locator(`[data-testid="inbox-item"][data-invocation="${faults.waitsForPerson}"]`).waitFor();
    await page.goto('/console/tools');
    await byTestId(page, 'problem')
      .getByText(/broken\.tool\.json/)
      .waitFor();
  });

  inPage('The refusals name the tool and the parameter that models get wrong', async ({ page }) => {
    await page.goto('/console/refusals');
    await byTestId(page, 'summary-row').getByText('office:invoice').first().waitFor();
    await page.getByText('Parameter', { exact: true }).first().click();
    await byTestId(page, 'summary-row').getByText(/amout/).first().waitFor();
  });

  inPage('The repeated effect and the long result are explained', async ({ page }) => {
    await page.goto('/console/effects');
    await byTestId(page, 'effect').getByText('office:pay').first().waitFor();
    await page.goto(`/console/invocations/${faults.repeatedEffect}`);
    await byTestId(page, 'deduplicated').getByText('Not run again').waitFor();
    await byTestId(page, 'deduplicated').getByRole('link').waitFor();
    await page.goto('/console/invocations');
    await page.locator(`[data-testid="row"][data-id="${faults.cutResult}"] [data-testid="row-link"]`).click();
    await byTestId(page, 'cut-short').getByRole('link', { name: 'whole result' }).click();
    await byTestId(page, 'panel-result')
      .getByText(/characters/)
      .first()
      .waitFor();
    await byTestId(page, 'panel-result')
      .getByText(/kind letter, number 0/)
      .first()
      .waitFor();
  });
});
