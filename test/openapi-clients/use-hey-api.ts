import {
  cancelInvocation,
  followInvocation,
  getInvocation,
  getTool,
  listInvocations,
  submitInvocation,
  type InvocationEvent,
} from './generated/hey-api';
import { client } from './generated/hey-api/client.gen';

/** Uses a real API with the client of @hey-api/openapi-ts, and writes what it got to stdout as JSON. */
async function main(): Promise<void> {
  const { ERRAND_URL: baseUrl = '', ERRAND_API_KEY: key = '' } = process.env;
  const called = client.getConfig().baseUrl;
  client.setConfig({ baseUrl, auth: () => key });

  const submitted = await submitInvocation({
    headers: { Prefer: 'wait=60', 'Idempotency-Key': 'from-hey-api' },
    body: { toolId: 'core:echo', arguments: { value: 'hello' }, metadata: { 'ticket.number': 7, by: 'hey' } },
  });
  if (!submitted.data || !('id' in submitted.data)) throw new Error(JSON.stringify(submitted.error));
  const invocation = submitted.data;
  const path = { id: invocation.id };

  const found = await listInvocations({
    query: { metadata: { 'ticket.number': '7', by: 'hey' }, status: ['succeeded', 'failed'], limit: 5 },
  });
  const others = await listInvocations({ query: { metadata: { by: 'nobody' } } });
  const missing = await getInvocation({ path: { id: 'inv_00000000000000000000' } });
  const ended = await cancelInvocation({ path });
  const { stream } = await followInvocation({ path });
  let last: InvocationEvent | undefined;
  for await (const event of stream) if (event) last = event;
  const tool = await getTool({ path: { id: 'core:echo' } });
  const answer = {
    called: called === baseUrl,
    status: invocation.status,
    result: invocation.result,
    location: submitted.response.headers.get('location') === `/v1/invocations/${invocation.id}`,
    found: found.data?.items.map(({ id }) => id === invocation.id),
    others: others.data?.items.length,
    problem: missing.error?.code,
    ended: ended.error?.code,
    lastEvent: last && 'invocation' in last ? last.invocation.id === invocation.id : last,
    tool: tool.data?.toolId,
  };
  process.stdout.write(JSON.stringify(answer));
}

void main();
