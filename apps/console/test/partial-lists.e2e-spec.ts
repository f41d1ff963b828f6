import { describeWithBrowser } from '../../../test/support/browser.js';
import { ClusterNodes } from '../../../test/support/cluster-nodes.js';
import { eventually } from '../../../test/support/eventually.js';
import { useStack } from '../../../test/support/start-stack.js';
import { byTestId, useConsole, waitForPage } from './support/console-page.js';

const SHARDS = 8;

describeWithBrowser('The console while a part of a Redis Cluster is lost', () => {
  const stack = useStack({ with: ['worker'], redis: 'cluster', env: { ERRAND_SHARDS: String(SHARDS) } });
  const { inPage } = useConsole(() => stack.url);
  let nodes: ClusterNodes;
  let lost: string[];

  beforeAll(async () => {
    nodes = new ClusterNodes(stack.redis.url, SHARDS);
    lost = await nodes.tagsOf(1);
    await nodes.lose(1);
    await eventually(async () => {
      const { body } = await stack.client.get<{ partial?: boolean }>('/v1/invocations');
      return body.partial === true;
    }, 'the API misses the lost shards');
  });
  afterAll(() => nodes.close());

  for (const [path, page] of [
    ['', 'overview'],
    ['invocations', 'invocations'],
    ['inbox', 'inbox'],
    ['queues', 'queues'],
    ['queues/invocations', 'queue'],
    ['processes', 'processes'],
    ['deliveries', 'deliveries'],
    ['effects', 'effects'],
    ['tools/core:echo', 'tool'],
  ] as const)
    inPage(`The page ${page} is shown, and names the lost shards`, async ({ page: tab }) => {
      await tab.goto(`/console/${path}`);
      await waitForPage(tab, page, /^(ready|empty)$/);
      await byTestId(tab, 'partial').first().waitFor();
      const text = await byTestId(tab, 'partial').first().textContent();
      for (const tag of lost) expect(text).toContain(tag);
    });
});
