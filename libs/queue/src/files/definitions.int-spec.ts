import { digestOf } from '@errand/contracts';
import { recordOf, useQueues } from '../../test/use-queues.js';
import { cancelInvocation, Definitions, type Queues } from '../index.js';

const YEAR_MS = 365 * 86_400_000;

const kit = useQueues();
const { submit } = kit;
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

it('A definition is kept while a delayed invocation needs it, even if it is stored again', async () => {
  const definition = { tool: { toolId: 'test:late' } } as never;
  const digest = digestOf(definition);
  const call = { ...recordOf().calls[0]!, digest };
  await new Definitions(queues).put([{ digest, definition }]);
  const id = await submit({ delayMs: YEAR_MS }, { calls: [call] });
  await new Definitions(queues).put([{ digest, definition }]);
  expect(await queues.redis.ttl(`{errand}:definition:${digest}`)).toBeGreaterThan(360 * 86_400);
  await cancelInvocation(queues, 'default', id);
});
