import type { ListedDelivery } from '@errand/contracts';
import { describeWithBrowser } from '../../../test/support/browser.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { WebhookReceiver } from '../../../test/support/webhook-receiver.js';
import { axeFaults } from './support/axe-faults.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const COUNT = 120;

describeWithBrowser('A long list of the console', () => {
  const stack = useStack({ with: ['worker'], env: { ERRAND_CALLBACK_ALLOW: '127.0.0.1' } });
  const { inPage } = useConsole(() => stack.url);
  const { client } = stack;

  beforeAll(async () => {
    const receiver = await WebhookReceiver.start((_, response) => response.writeHead(200).end());
    stack.keep({ close: () => receiver.stop() });
    const call = { toolId: 'core:echo', arguments: { value: 1 }, callback: { url: receiver.url } };
    const items = Array.from({ length: COUNT / 2 }, () => call);
    for (let batch = 0; batch < 2; batch++) await client.post('/v1/invocations/batch', { items });
    await eventually(async () => {
      const { body } = await client.get<{ items: ListedDelivery[] }>('/v1/deliveries?status=delivered&limit=1000');
      return body.items.length === COUNT;
    }, 'all callbacks are delivered');
  });

  inPage('It is in the page in parts, and Back, a link and a reload lead to the same part', async ({ page }) => {
    await page.goto('/console/deliveries');
    await waitForPage(page, 'deliveries');
    const rows = byTestId(page, 'delivery');
    const part = (number: number) => page.locator(`[data-testid="parts"][data-part="${number}"]`).waitFor();
    expect(await rows.count()).toBe(50);
    await byTestId(page, 'next-part').click();
    await page.waitForURL(/part=2/);
    await part(2);
    await byTestId(page, 'next-part').press('Enter');
    await part(3);
    expect(await rows.count()).toBe(COUNT - 100);
    expect(await byTestId(page, 'parts').textContent()).toContain('101 to 120 of 120 deliveries');
    // The end of the list keeps the focus of the keyboard.
    expect(await byTestId(page, 'next-part').getAttribute('aria-disabled')).toBe('true');
    expect(await page.evaluate(() => (document.activeElement as HTMLElement).dataset['testid'])).toBe('next-part');
    expect(await axeFaults(page)).toEqual([]);
    await page.reload();
    await part(3);
    expect(await rows.count()).toBe(COUNT - 100);
    await page.goBack();
    await part(2);
    await byTestId(page, 'filter-status').selectOption('delivered');
    await page.waitForURL((url) => url.searchParams.get('status') === 'delivered' && !url.searchParams.has('part'));
    await part(1);
  });
});
