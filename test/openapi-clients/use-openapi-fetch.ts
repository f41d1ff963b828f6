import createClient from 'openapi-fetch';
import type { components, paths } from './generated/openapi-typescript.js';

/** Uses a real API with the types of openapi-typescript, and writes what it got to stdout as JSON. */
async function main(): Promise<void> {
  const { ERRAND_URL: baseUrl = '', ERRAND_API_KEY: key = '' } = process.env;
  const api = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

  const submitted = await api.POST('/v1/invocations', {
    params: { header: { Prefer: 'wait=60', 'Idempotency-Key': 'from-openapi-fetch' } },
    body: { toolId: 'core:echo', arguments: { value: 'hello' }, metadata: { 'ticket.number': 7, by: 'fetch' } },
  });
  if (!submitted.data || !('id' in submitted.data)) throw new Error(JSON.stringify(submitted.error));
  const invocation: components['schemas']['Invocation'] = submitted.data;
  const path = { id: invocation.id };

  const found = await api.GET('/v1/invocations', {
    params: { query: { metadata: { 'ticket.number': '7', by: 'fetch' }, status: ['succeeded', 'failed'], limit: 5 } },
  });
  const others = await api.GET('/v1/invocations', { params: { query: { metadata: { by: 'nobody' } } } });
  const missing = await api.GET('/v1/invocations/{id}', { params: { path: { id: 'inv_00000000000000000000' } } });
  const problem: components['schemas']['Problem'] | undefined = missing.error;
  const events = await api.GET('/v1/invocations/{id}/events', { params: { path }, parseAs: 'text' });
  const tool = await api.GET('/v1/tools/{id}', { params: { path: { id: 'core:echo' } } });
  const answer = {
    status: invocation.status,
    result: invocation.result,
    location: submitted.response.headers.get('location') === `/v1/invocations/${invocation.id}`,
    found: found.data?.items.map(({ id }) => id === invocation.id),
    others: others.data?.items.length,
    problem: problem?.code,
    lastEvent: /.*event: (\w+)/s.exec(String(events.data))?.[1],
    tool: tool.data?.toolId,
  };
  process.stdout.write(JSON.stringify(answer));
}

void main();
