import type { Client } from '../../../../test/support/client.js';
import type { Ids } from './every-page.js';

const ECHO = { toolId: 'core:echo', arguments: { value: { city: 'Oslo', days: [1, 2, 3] } } };

/** Fills a stack with the examples as library: invocations of every status, and refusals. */
export async function seedOrdinary(client: Client): Promise<Ids> {
  const succeeded = await client.invoke({ ...ECHO, session: 'trip-to-oslo', metadata: { customer: 'c-17' } });
  const failed = await client.invoke({
    toolId: 'core:math',
    arguments: { op: 'divide', a: 1, b: 0 },
    session: 'trip-to-oslo',
    options: { attempts: 1 },
  });
  const text = '<ACTION><core:math><op>power</op><a>2</a><b>10</b></core:math></ACTION>';
  const written = await client.invoke({ text: `I compute it.\n${text}`, session: 'trip-to-oslo' });
  const flow = await client.invoke({ toolId: 'workflow:greet', arguments: { name: 'Ada' } });
  const later = await client.submit({ ...ECHO, options: { delayMs: 86_400_000 } });
  await client.submit({ calls: [ECHO, { toolId: 'core:delay', arguments: { ms: 1 } }], session: 'trip-to-oslo' });
  for (const tag of ['core:ecko', 'core:mth'])
    await client.post('/v1/invocations', {
      text: `<ACTION><${tag}><a>1</a></${tag}></ACTION>`,
      session: 'trip-to-oslo',
    });
  await client.post('/v1/invocations', { toolId: 'core:math', arguments: { op: 'add' } });
  const { body } = await client.get<{ items?: { id: string }[] }>('/v1/refusals?limit=2');
  return {
    invocation: [written.id, failed.id, flow.id, later, succeeded.id].filter((id) => id !== undefined),
    refusal: (body.items ?? []).map(({ id }) => id),
    tool: ['core:math', 'workflow:greet'],
    queue: ['invocations'],
    session: ['trip-to-oslo'],
  };
}
