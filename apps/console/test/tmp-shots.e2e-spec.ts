import { describeWithBrowser } from '../../../test/support/browser.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';
const WRONG = 'I add the two numbers that you gave me.\n\n<ACTION>\n  <core:math>\n    <op>ad</op>\n    <a>1</a>\n    <b>2</b>\n  </core:math>\n  <core:echo valeu="x">\n    <value>A longer line of text that goes on for some time, so that one sees what happens with it at the edge of the box</value>\n  </core:echo>\n</ACTION>\nDone.';
describeWithBrowser('shots', () => {
  const stack = useStack({ with: ['worker'], examples: true });
  const { openContext } = useConsole(() => stack.url);
  it('takes pictures', async () => {
    const post = async (body: object) => (await fetch(`${stack.url}/v1/invocations`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json() as Promise<{ id: string }>;
    for (let n = 0; n < 14; n++) {
      await post({ text: WRONG, session: `chat-${n}`, agent: n % 3 ? 'demo' : undefined });
      if (n % 2) await post({ text: '<ACTION><core:ecko><value>1</value></core:ecko></ACTION>', session: `chat-${n}` });
      if (n % 4 === 0) await post({ text: '<ACTION><core:math><op>add</op><a>1</a><b>2</b></core:math></ACTION>', session: `chat-${n}` });
    }
    await post({ toolId: 'core:math', arguments: { op: 'plus' } });
    await new Promise((r) => setTimeout(r, 3000));
    const { items } = (await (await fetch(`${stack.url}/v1/refusals?code=invalid_parameters&session=chat-1`)).json()) as { items: { id: string }[] };
    for (const [scheme, width] of [['light', 1280], ['dark', 1280], ['light', 320]] as const) {
      const context = await openContext({ viewport: { width, height: 900 }, colorScheme: scheme });
      const page = await context.newPage();
      const shot = (name: string) => page.screenshot({ path: `/tmp/take-shots/${name}-${scheme}-${width}.png`, fullPage: true });
      await page.goto(`${stack.url}/console/refusals`); await waitForPage(page, 'refusals'); await byTestId(page, 'summary-row').first().waitFor(); await shot('refusals');
      await page.goto(`${stack.url}/console/refusals/${items[0]?.id}`); await waitForPage(page, 'refusal'); await byTestId(page, 'apply-fix').first().waitFor(); await shot('refusal');
      await page.goto(`${stack.url}/console/try`); await waitForPage(page, 'try'); await byTestId(page, 'try-text').waitFor(); await shot('try-empty');
      await byTestId(page, 'try-text').click(); await page.keyboard.insertText(WRONG); await byTestId(page, 'apply-fix').first().waitFor(); await shot('try-wrong');
      await page.keyboard.press('Control+a'); await page.keyboard.insertText(WRONG.replace('>ad<', '>add<').replace(' valeu="x"', '')); await page.waitForFunction(() => !document.querySelector<HTMLButtonElement>('[data-testid=try-submit]')?.disabled); await byTestId(page, 'try-submit').click(); await page.locator('[data-testid=outcome][data-status=succeeded]').waitFor(); await shot('try-ran');
      console.log(await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]));
      await context.close();
    }
  });
});
