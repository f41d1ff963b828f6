import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';
import { FORM_LIBRARY } from './support/form-library.js';

describeWithBrowser('A tool that is tried by its form', () => {
  const stack = useStack({ with: ['worker'], library: FORM_LIBRARY });
  const { inPage } = useConsole(() => stack.url);

  inPage('The form and the JSON are in step, and what is typed is sent unchanged', async ({ page }) => {
    const bodies: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') bodies.push(request.postData() ?? '');
    });
    await page.goto('/console/try?tool=desk:ship');
    await waitForPage(page, 'try');
    const [form, json] = [byTestId(page, 'try-form'), byTestId(page, 'try-json')];
    await form.getByLabel('Street').waitFor();
    expect(JSON.parse(await json.inputValue())).toEqual({ to: {}, count: 3 });
    await form.getByLabel('Street').fill('Elm <b>Street</b>');
    await form.getByLabel('weight').fill('1.0');
    await form.getByLabel('fragile').check();
    await form.getByLabel('speed').selectOption('fast');
    await form.getByRole('button', { name: 'Add rows' }).click();
    await form.getByRole('button', { name: 'Add item to rows', exact: true }).click();
    await form.getByRole('button', { name: 'Add item to rows 1' }).click();
    await form.getByLabel('rows 1 1').fill('12345678901234567890');
    await form.getByLabel('Kind of payment').selectOption('Bill');
    await form.getByLabel('days').fill('14');
    const text = await json.inputValue();
    expect(text).toContain('"weight": 1.0');
    expect(text).toContain('12345678901234567890');
    expect(JSON.parse(text)).toMatchObject({
      to: { street: 'Elm <b>Street</b>' },
      fragile: true,
      speed: 'fast',
      payment: { kind: 'bill', days: 14 },
    });
    const pasted =
      '{"to":{"street":"Oak","__proto__":{"x":1}}, "unknown" : [1e400, 0.10], "weight": "heavy", "odd": 5}';
    await json.fill(pasted);
    expect(await form.getByLabel('Street').inputValue()).toBe('Oak');
    expect(await form.locator('[data-testid="form-json"]').count()).toBeGreaterThanOrEqual(4);
    await form.getByLabel('Street').fill('Ash');
    expect(await json.inputValue()).toBe(pasted.replace('Oak', 'Ash'));
    await page.reload();
    await form.getByLabel('Street').waitFor();
    expect(await json.inputValue()).toBe(pasted.replace('Oak', 'Ash'));
    await byTestId(page, 'try-submit').click();
    await byTestId(page, 'outcome').waitFor();
    expect(bodies.at(-1)).toBe(`{"toolId": "desk:ship", "arguments": ${pasted.replace('Oak', 'Ash')}}`);
    expect(await byTestId(page, 'outcome').getAttribute('data-outcome')).toBe('refused');
  });

  inPage('A text that is pasted after a choice in the form leads the form to its own alternative', async ({ page }) => {
    await page.goto('/console/try?tool=desk:ship');
    await waitForPage(page, 'try');
    const [form, json] = [byTestId(page, 'try-form'), byTestId(page, 'try-json')];
    const kind = form.getByLabel('Kind of payment');
    await kind.selectOption('Bill');
    await form.getByLabel('days').fill('14');
    await json.fill('{"to": {"street": "Elm"}, "payment": {"kind": "card", "number": "1"}}');
    await form.getByLabel('number').waitFor();
    expect(await kind.inputValue()).toBe('0');
    await kind.selectOption('Bill');
    await form.getByLabel('days').waitFor();
    await json.fill('{"to": {"street": "Elm"}, "payment": {"amount": 3}}');
    await form.getByLabel('days').waitFor();
    expect(await kind.inputValue()).toBe('1');
  });

  inPage('A broken text disables the run, and a run shows its state', async ({ page }) => {
    await page.goto('/console/try?tool=desk:ship');
    await waitForPage(page, 'try');
    await byTestId(page, 'try-json').fill('{"to": ');
    expect(await byTestId(page, 'try-submit').isDisabled()).toBe(true);
    expect(await byTestId(page, 'try-dry-run').isDisabled()).toBe(true);
    await byTestId(page, 'try-json').fill('{"to": {"street": "Elm"}}');
    await byTestId(page, 'try-submit').click();
    await page.locator('[data-testid="outcome"][data-status="waiting_external"]').waitFor();
  });

  inPage('An unknown tool is not found', async ({ page }) => {
    await page.goto('/console/try?tool=desk:shop');
    await byTestId(page, 'not-found').waitFor();
  });
});
