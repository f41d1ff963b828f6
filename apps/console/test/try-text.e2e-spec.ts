import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, logIn, useConsole, waitForPage } from './support/console-page.js';

const KEY = 'the-key-of-the-operator-1234567890';
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WRONG = 'I add.\n<ACTION>\n  <core:math>\n    <op>ad</op>\n    <a>1</a>\n    <b>2</b>\n  </core:math>\n</ACTION>';
const RIGHT = WRONG.replace('>ad<', '>add<');

describeWithBrowser('Texts of models in the console', () => {
  const stack = useStack({ with: ['worker'], examples: true, env: { ERRAND_API_KEYS: KEY } });
  const { inPage } = useConsole(() => stack.url);
  const post = async (body: object) => {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const response = await fetch(`${stack.url}/v1/invocations`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: string };
  };
  const open = async (page: Page, path: string, name: string) => {
    await page.goto(path);
    await logIn(page, KEY);
    await waitForPage(page, name);
  };
  const type = async (page: Page, text: string) => {
    await byTestId(page, 'try-text').click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };

  /** Serious faults of accessibility. The page's policy allows no added script, so that the source is evaluated. */
  const faultsOf = async (page: Page): Promise<string[]> => {
    await page.evaluate(AXE);
    return page.evaluate(async () => {
      const axe = Reflect.get(globalThis, 'axe') as {
        run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
      };
      const { violations } = await axe.run();
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    });
  };

  inPage(
    'A text is read as one types, its error is under the exact word, and a key applies the fix',
    async ({ page }) => {
      await open(page, '/console/try', 'try');
      const submit = byTestId(page, 'try-submit');
      expect(await submit.isDisabled()).toBe(true);
      await type(page, WRONG);
      const mark = byTestId(page, 'source-mark');
      await mark.waitFor();
      expect(await mark.textContent()).toBe('<op>ad');
      const attributes = ['data-line', 'data-column', 'data-kind'].map((name) => mark.getAttribute(name));
      expect(await Promise.all(attributes)).toEqual(['4', '5', 'invalid_parameters']);
      expect(await byTestId(page, 'observation').textContent()).toContain('Observation: Error');
      expect(await submit.isDisabled()).toBe(true);
      await byTestId(page, 'apply-fix').waitFor();
      await byTestId(page, 'try-text').click();
      await page.keyboard.press('Control+.');
      await byTestId(page, 'call').waitFor();
      await page.waitForFunction(
        () => !document.querySelector<HTMLButtonElement>('[data-testid=try-submit]')?.disabled,
      );
      expect(await byTestId(page, 'source-mark').count()).toBe(0);
      expect(await byTestId(page, 'try-text').innerText()).toContain('<op>add</op>');
      await submit.click();
      await page.locator('[data-testid=outcome][data-status=succeeded]').waitFor();
      expect(await byTestId(page, 'outcome-result').textContent()).toBe('3');
    },
  );

  inPage('A draft survives a reload, and a logout deletes it', async ({ page }) => {
    await open(page, '/console/try', 'try');
    await type(page, RIGHT);
    await byTestId(page, 'call').waitFor();
    await page.reload();
    await byTestId(page, 'call').waitFor();
    await byTestId(page, 'logout').click();
    await waitForPage(page, 'login');
    await logIn(page, KEY);
    await waitForPage(page, 'try');
    await byTestId(page, 'try-text').waitFor();
    expect(await byTestId(page, 'try-text').innerText()).not.toContain('core:math');
  });

  inPage('The editor takes lines, undoes changes, and shows characters that one could not see', async ({ page }) => {
    await open(page, '/console/try', 'try');
    await byTestId(page, 'try-text').click();
    await page.keyboard.type('one');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('two\u202Ethree');
    const text = () => byTestId(page, 'try-text').innerText();
    await eventually(async () => /^one\n+two.+three/.test(await text()), 'two lines are shown');
    expect(await text()).not.toContain('\u202E');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Control+z');
    await eventually(async () => !(await text()).includes('three'), 'the change is undone');
  });

  inPage(
    'Marked text can be replaced, deleted and joined without a style that the policy forbids',
    async ({ page }) => {
      const marked = '<ACTION><core:mth><a>1</a></core:mth></ACTION>';
      const holds = (wanted: string) =>
        eventually(async () => (await byTestId(page, 'try-text').innerText()) === wanted, `the editor holds ${wanted}`);
      const mark = async (text: string) => {
        await type(page, text);
        await byTestId(page, 'source-mark').waitFor();
        await page.keyboard.press('Control+a');
      };
      await open(page, '/console/try', 'try');
      await mark(marked);
      await page.keyboard.type('typed');
      await holds('typed');
      await mark(marked);
      await byTestId(page, 'try-text').fill('one\r\ntwo');
      await holds('one\ntwo');
      await mark(`Hm.\n${marked}`);
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Home');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('!');
      await holds(`Hm.!${marked}`);
      await mark(marked);
      const input = await page.context().newCDPSession(page);
      await input.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
      await input.send('Input.insertText', { text: '日' });
      await holds('日');
    },
  );

  inPage(
    'Refusals are counted, found and opened with their errors, and a fix leads to a text that runs',
    async ({ page }) => {
      for (const session of ['lost', 'found']) await post({ text: WRONG, session, agent: 'demo' });
      await post({ text: '<ACTION><core:ecko/></ACTION>', session: 'lost' });
      const { id } = await post({ text: RIGHT, session: 'found' });
      const recovered = page.locator('[data-testid=recovered-by]');
      await page.goto('/console/refusals');
      await logIn(page, KEY);
      await eventually(async () => {
        await page.reload();
        await waitForPage(page, 'refusals');
        return (await byTestId(page, 'refusal').count()) === 3 && (await recovered.count()) === 1;
      }, 'three refusals are kept, and one is recovered');
      expect(await recovered.getAttribute('href')).toBe(`/console/invocations/${id}`);
      expect(await byTestId(page, 'summary-row').first().textContent()).toContain('core:math');
      await page.getByRole('button', { name: 'Parameter' }).click();
      await page.locator('[data-testid=summary-row][data-key="core:math/op"]').waitFor();
      expect(page.url()).toContain('by=parameter');
      await byTestId(page, 'filter-code').selectOption('invalid_parameters');
      await page.waitForFunction(() => document.querySelectorAll('[data-testid=refusal]').length === 2);
      expect(await faultsOf(page)).toEqual([]);
      await byTestId(page, 'row-link').first().click();
      await waitForPage(page, 'refusal');
      const mark = byTestId(page, 'source-mark').first();
      await mark.waitFor();
      expect(await byTestId(page, 'source').textContent()).toBe(WRONG);
      expect(await byTestId(page, 'observation').textContent()).toContain('Observation: Error');
      await byTestId(page, 'apply-fix').click();
      await byTestId(page, 'call').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await byTestId(page, 'to-try').click();
      await waitForPage(page, 'try');
      await page.waitForFunction(
        () => !document.querySelector<HTMLButtonElement>('[data-testid=try-submit]')?.disabled,
      );
      expect(page.url()).toContain('agent=demo');
      expect(await faultsOf(page)).toEqual([]);
      await page.goBack();
      await waitForPage(page, 'refusal');
    },
  );

  inPage('The text of an invocation stands beside its calls and its observation', async ({ page }) => {
    const text = 'Hm.\n<ACTION><core:echo><value>word word word</value></core:echo></ACTION>';
    const { id } = await post({ text });
    await page.goto(`/console/invocations/${id}?tab=text`);
    await logIn(page, KEY);
    await byTestId(page, 'source').waitFor();
    expect(await byTestId(page, 'source').textContent()).toBe(text);
    const place = byTestId(page, 'call').getByRole('button', { name: /value is written/ });
    await place.click();
    await page.locator('.source-mark-chosen').waitFor();
    expect(await page.locator('.source-mark-chosen').textContent()).toBe('word word word');
    await page.waitForFunction(() =>
      document.querySelector('[data-testid=observation]')?.textContent?.includes('word'),
    );
    const size = byTestId(page, 'observation-size');
    expect(await size.textContent()).toMatch(/^\d+ characters$/);
    await byTestId(page, 'observation-budget').focus();
    await page.keyboard.press('Home');
    await page.getByText('200 characters of each result').waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });

  inPage('An unknown refusal says so', async ({ page }) => {
    await page.goto('/console/refusals/ref_00000000000000000000');
    await logIn(page, KEY);
    await byTestId(page, 'not-found').waitFor();
  });
});
