import type { InboxItem } from '@errand/contracts';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';
import { FORM_LIBRARY } from './support/form-library.js';

describeWithBrowser('The inbox of the console', () => {
  const stack = useStack({ with: ['worker'], library: FORM_LIBRARY });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;

  /** Submits a call that a person has to answer, and waits until the inbox has it. */
  const ask = async (to: string, timeoutMs = 3_600_000): Promise<string> => {
    const id = await client.submit({
      toolId: 'desk:ship',
      arguments: { to: { street: to } },
      options: { timeoutMs },
    });
    await eventually(async () => {
      const { body } = await client.get<{ items: InboxItem[] }>('/v1/inbox?limit=100');
      return body.items.some(({ invocationId }) => invocationId === id);
    });
    return id;
  };
  afterEach(async () => {
    const { body } = await client.get<{ items: InboxItem[] }>('/v1/inbox?limit=100');
    for (const { invocationId } of body.items) await client.cancel(invocationId);
  });

  inPage('An answer is given by the form of its schema, and the invocation gets it', async ({ page }) => {
    const later = await ask('Elm Street', 7_200_000);
    const id = await ask('<img src=x onerror=alert(1)>\u202E');
    await page.goto('/console/inbox');
    await waitForPage(page, 'inbox', /^ready$/);
    const items = byTestId(page, 'inbox-item');
    expect(await items.evaluateAll((all) => all.map((each) => each.getAttribute('data-invocation')))).toEqual([
      id,
      later,
    ]);
    const item = page.locator(`[data-invocation="${id}"]`);
    expect(await item.getAttribute('data-kind')).toBe('answer');
    expect(await item.getAttribute('data-step')).toBe('0');
    expect(await item.locator('[data-testid="prompt"]').textContent()).toContain('<img src=x');
    expect(await item.locator('[data-testid="until"] time').getAttribute('datetime')).toMatch(/Z$/);
    const form = item.locator('[data-testid="answer-form"]');
    await form.getByLabel('Shipped').check();
    await form.getByLabel('note').fill('by van');
    await item.locator('[data-testid="answer-submit"]').click();
    await item.waitFor({ state: 'detached' });
    expect((await client.untilEnded(id)).result).toEqual({ ok: true, note: 'by van' });
    await page.locator(`[data-invocation="${later}"] [data-testid="answer-refuse"]`).click();
    await byTestId(page, 'empty').waitFor();
    expect((await client.untilEnded(later)).error).toMatchObject({ type: 'NodeError' });
  });

  inPage('A wrong answer names its mistake, and the wait goes on', async ({ page }) => {
    const id = await ask('Elm Street');
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await item.getByLabel('note').fill('no');
    await item.locator('[data-testid="answer-submit"]').click();
    await item.locator('[data-testid="answer-problem"]').waitFor();
    expect((await client.read(id)).status).toBe('waiting_external');
    await item.getByRole('button', { name: 'Set to false' }).click();
    await item.locator('[data-testid="answer-submit"]').click();
    expect((await client.untilEnded(id)).result).toEqual({ note: 'no', ok: false });
  });

  inPage('Enter in the reason to refuse does not send the answer', async ({ page }) => {
    const id = await client.submit({ toolId: 'desk:free', arguments: {} });
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await item.getByLabel('Answer as JSON').fill('"yes"');
    await item.getByLabel('Reason to refuse').fill('too late');
    await item.getByLabel('Reason to refuse').press('Enter');
    await item.locator('[data-testid="answer-refuse"]').click();
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { message: 'too late' } });
  });

  inPage('A half-typed answer survives a reload', async ({ page }) => {
    const id = await ask('Elm Street');
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await item.getByLabel('note').fill('half of it');
    await page.reload();
    await waitForPage(page, 'inbox', /^ready$/);
    expect(await item.getByLabel('note').inputValue()).toBe('half of it');
    await page.goto('/console/inbox?toolId=desk:other');
    await byTestId(page, 'empty').waitFor();
    expect(await item.count()).toBe(0);
  });

  inPage('If somebody else answers first, the page says so and keeps what was typed', async ({ page }) => {
    const id = await ask('Elm Street');
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await item.getByLabel('Shipped').check();
    await item.getByLabel('note').fill('my words');
    await client.answer(id, { result: { ok: false } });
    await item.locator('[data-testid="answer-submit"]').click();
    await item.locator('[data-testid="answer-taken"]').waitFor();
    expect(await item.getByLabel('note').inputValue()).toBe('my words');
    expect(await item.locator('[data-testid="kept-text"]').textContent()).toContain('my words');
    await page.reload();
    await item.locator('[data-testid="kept-text"]').waitFor();
    await item.getByRole('button', { name: 'Discard' }).click();
    await byTestId(page, 'empty').waitFor();
  });

  inPage('If somebody else answers while one types, the page says so, and text and focus stay', async ({ page }) => {
    const ids: string[] = [];
    // The card that is answered has another one before it and behind it.
    for (let n = 0; n < 5; n++) ids.push(await client.submit({ toolId: 'desk:free', arguments: {} }));
    for (const id of ids) await client.untilWaiting(id);
    await page.goto('/console/inbox');
    const cards = byTestId(page, 'inbox-item');
    await eventually(async () => (await cards.count()) === 5, 'five questions are shown');
    const order = await cards.evaluateAll((all) => all.map((each) => each.getAttribute('data-invocation') ?? ''));
    const item = (n: number) => page.locator(`[data-invocation="${order[n]}"]`);
    const isFocused = (n: number, label: string) =>
      item(n)
        .getByLabel(label)
        .evaluate((field) => field === document.activeElement);
    const answer = (n: number) => client.answer(order[n] ?? '', { result: 'theirs' });
    await item(1).getByLabel('Answer as JSON').pressSequentially('"half');
    await answer(1);
    await item(1).getByTestId('answer-taken').filter({ hasText: 'What you typed is kept' }).waitFor();
    await page.keyboard.type(' of it"');
    expect(await item(1).getByLabel('Answer as JSON').inputValue()).toBe('"half of it"');
    expect(await item(1).getByTestId('kept-text').textContent()).toBe('"half of it"');
    // A question without a text stays while it has the focus, and one without both vanishes.
    await item(2).getByLabel('Reason to refuse').focus();
    await answer(2);
    await answer(3);
    await item(3).waitFor({ state: 'detached' });
    await item(2).getByTestId('answer-taken').waitFor();
    expect(await item(2).getByTestId('answer-taken').textContent()).not.toContain('kept');
    expect(await isFocused(2, 'Reason to refuse')).toBe(true);
    expect(await cards.evaluateAll((all) => all.map((each) => each.getAttribute('data-invocation')))).toEqual(
      [0, 1, 2, 4].map((n) => order[n]),
    );
    for (const n of [2, 1]) {
      await item(n).getByRole('button', { name: 'Discard' }).click();
      await item(n).waitFor({ state: 'detached' });
    }
  });

  inPage('A late refusal says so, and survives a reload although nothing was typed', async ({ page }) => {
    const id = await client.submit({ toolId: 'desk:free', arguments: {} });
    await client.untilWaiting(id);
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await page.route('**/steps/0/result', async (route) => {
      await client.answer(id, { result: 'theirs' });
      await route.continue();
    });
    await item.getByTestId('answer-refuse').click();
    await item.getByTestId('answer-taken').waitFor();
    await page.reload();
    await item.getByTestId('answer-taken').waitFor();
    await item.getByLabel('Reason to refuse').fill('too late');
    await item.getByTestId('answer-taken').filter({ hasText: 'What you typed is kept' }).waitFor();
    await page.reload();
    await item.getByTestId('answer-taken').waitFor();
    expect(await item.getByLabel('Reason to refuse').inputValue()).toBe('too late');
  });

  inPage('An answer that is no JSON names its mistake once, and gets the focus', async ({ page }) => {
    const id = await client.submit({ toolId: 'desk:free', arguments: {} });
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    await item.getByLabel('Answer as JSON').fill('{"mine": 1');
    await item.getByTestId('answer-submit').click();
    await page.waitForFunction(() => document.activeElement instanceof HTMLTextAreaElement);
    expect(await item.getByText('a comma or } is missing').count()).toBe(1);
    const form = page.locator(`[data-invocation="${await ask('Elm Street')}"]`);
    await form.getByText('JSON', { exact: true }).click();
    await form.getByLabel('The answer as it is sent').fill('{');
    await form.getByText('JSON', { exact: true }).click();
    await form.getByTestId('answer-submit').click();
    await page.waitForFunction(() => document.activeElement?.closest('details')?.open === true);
    expect((await client.read(id)).status).toBe('waiting_external');
  });

  inPage('A question becomes urgent and then overdue in words, and leads to its session', async ({ page }) => {
    const [session, street] = ['s/1 <b>', 'Elm Street'];
    const options = { timeoutMs: 600_000 };
    const id = await client.submit({ toolId: 'desk:ship', arguments: { to: { street } }, options, session });
    await client.untilWaiting(id);
    await page.goto('/console/inbox');
    const item = page.locator(`[data-invocation="${id}"]`);
    const until = item.getByTestId('until');
    const deadline = Date.parse((await until.locator('time').getAttribute('datetime')) ?? '');
    await until
      .and(page.locator('.tone-queued'))
      .filter({ hasText: /^Until/ })
      .waitFor();
    await page.clock.setFixedTime(deadline - 290_000);
    await until
      .and(page.locator('.tone-waiting'))
      .filter({ hasText: /^Urgent: until .*4 min 50 s/ })
      .waitFor();
    await page.clock.setFixedTime(deadline + 1_000);
    await until
      .and(page.locator('.tone-bad'))
      .filter({ hasText: /^Overdue since/ })
      .waitFor();
    await item.getByRole('link', { name: session }).click();
    await waitForPage(page, 'session');
    expect(await byTestId(page, 'session').getAttribute('data-session')).toBe(session);
  });

  inPage(
    'However many questions wait and forms are opened, the page stays small, and typed text stays',
    async ({ page }) => {
      const to = (n: number) => ({ to: { street: `Elm Street ${n}` } });
      const items = Array.from({ length: 60 }, (_, n) => ({ toolId: 'desk:ship', arguments: to(n) }));
      await client.post('/v1/invocations/batch', { items });
      await eventually(async () => {
        const { body } = await client.get<{ items: InboxItem[] }>('/v1/inbox?limit=100');
        return body.items.length === items.length;
      }, 'sixty questions wait');
      await page.goto('/console/inbox');
      await waitForPage(page, 'inbox', /^ready$/);
      const cards = byTestId(page, 'inbox-item');
      const forms = byTestId(page, 'answer-form');
      await forms.nth(7).getByLabel('note').waitFor();
      await forms.first().getByLabel('note').fill('typed first');
      await forms.first().getByLabel('Reason to refuse').fill('not today');
      for (let opened = 0; opened < 12; opened++) {
        await cards
          .getByRole('button', { name: 'Answer', exact: true })
          .and(page.locator(':not([data-testid])'))
          .last()
          .click();
        expect(await forms.count()).toBe(8);
      }
      await cards.nth(0).getByRole('button', { name: 'Answer', exact: true }).click();
      expect(await cards.nth(0).getByLabel('note').inputValue()).toBe('typed first');
      expect(await cards.nth(0).getByLabel('Reason to refuse').inputValue()).toBe('not today');
      expect(await cards.count()).toBe(20);
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(2_500);
      await byTestId(page, 'next-part').click();
      await page.waitForURL(/part=2/);
      await forms.nth(7).getByLabel('note').waitFor();
      expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThanOrEqual(2_500);
    },
  );
});
