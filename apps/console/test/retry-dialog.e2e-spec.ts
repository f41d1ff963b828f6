import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';
import { FORM_LIBRARY } from './support/form-library.js';

describeWithBrowser('The repair of an invocation', () => {
  const stack = useStack({ with: ['worker'], library: FORM_LIBRARY });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;

  /** A failed invocation of two steps. */
  const failed = async (): Promise<string> => {
    const calls = ['Elm', 'Oak'].map((street) => ({ toolId: 'desk:ship', arguments: { to: { street } } }));
    const id = await client.submit({ calls });
    await client.untilWaiting(id);
    await client.answer(id, { error: { message: 'no van' } });
    await client.untilEnded(id);
    return id;
  };

  inPage('Changed arguments are shown as a difference before the repair begins', async ({ page }) => {
    const id = await failed();
    await page.goto(`/console/invocations/${id}`);
    await waitForPage(page, 'invocation');
    await byTestId(page, 'retry').click();
    const dialog = byTestId(page, 'retry-dialog');
    await dialog.waitFor();
    const step = dialog.locator('[data-testid="retry-step"][data-index="0"]');
    await step.getByLabel('Street').fill('Ash');
    await step.getByLabel('weight').fill('1.50');
    const diff = byTestId(page, 'retry-diff');
    await diff.locator('td', { hasText: '/to/street' }).waitFor();
    const shown = await diff.textContent();
    for (const part of ['"Elm"', '"Ash"', '/weight', '1.50']) expect(shown).toContain(part);
    await step.locator('[data-testid="retry-json"]').fill('{"to": ');
    expect(await byTestId(page, 'retry-confirm').isDisabled()).toBe(true);
    await step.locator('[data-testid="retry-json"]').fill('{"to": {"street": "Fir"}, "count": 3}');
    await byTestId(page, 'retry-confirm').click();
    await page.waitForURL((url) => url.pathname.startsWith('/console/invocations/') && !url.pathname.endsWith(id));
    const next = await client.read(page.url().split('/').at(-1) ?? '');
    expect(next.retryOf).toMatchObject({ invocationId: id });
    expect(next.steps.map(({ arguments: args }) => args['to'])).toEqual([{ street: 'Fir' }, { street: 'Oak' }]);
    await page.goto(`/console/invocations/${id}`);
    await page.getByRole('link', { name: next.id }).click();
    await page.getByRole('link', { name: id }).waitFor();
  });

  inPage('A refused repair names the mistake, and the dialog keeps what was typed', async ({ page }) => {
    const id = await failed();
    await page.goto(`/console/invocations/${id}`);
    await byTestId(page, 'retry').click();
    const json = byTestId(page, 'retry-dialog').locator('[data-index="0"] [data-testid="retry-json"]');
    await json.fill('{"to": {"street": 7}}');
    await byTestId(page, 'retry-confirm').click();
    await byTestId(page, 'retry-dialog').getByRole('alert').waitFor();
    expect(await json.inputValue()).toBe('{"to": {"street": 7}}');
    await page.keyboard.press('Escape');
    await byTestId(page, 'retry-dialog').waitFor({ state: 'detached' });
  });
});
