import { setTimeout } from 'node:timers/promises';
import type { JsonSchema } from '@errand/contracts';
import { writeAction } from '@errand/protocol';
import { largePatterns, SCHEMA_ATTACKS, writeAttack } from '../libs/registry/test/schema-attacks.js';
import { Client } from './support/client.js';
import { Processes } from './support/start-process.js';
import { useStack } from './support/start-stack.js';

const named = SCHEMA_ATTACKS.map((attack, index) => ({ ...attack, toolId: `attack:t${index}` }));

const toolFile = (toolId: string, parameters: JsonSchema) => ({
  toolId,
  version: '1.0.0',
  description: 'A tool whose schema is expensive',
  handler: { type: 'service-method', serviceName: 'system', methodName: 'getCurrentTime' },
  parameters,
});

const stack = useStack({
  library: Object.fromEntries(
    named.map(({ toolId, schema }, index) => [`tools/t${index}.tool.json`, toolFile(toolId, schema)]),
  ),
});

/** Far longer than a poll takes on a busy machine, and far shorter than the minutes that an attack blocked the API. */
const LONGEST_POLL_MS = 45_000;
const PAUSE_MS = 20;

/** Starts an API in its own process, so that an attack blocks only that process. */
async function startApi(processes: Processes) {
  const process = await processes.start('api', { ERRAND_PORT: '0' });
  const url = /"url":"([^"]+)"/.exec(processes.wordsOf(process))?.[1];
  if (url === undefined) throw new Error('the API does not say where it listens');
  return { process, client: new Client(url) };
}

/** Polls /healthz until the attack has its response. @throws if a poll gets no response in time */
async function pollWhile<T>(client: Client, attack: Promise<T>): Promise<{ result: T; polls: number }> {
  const poll = async () => {
    const { status } = await fetch(`${client.url}/healthz`, { signal: AbortSignal.timeout(LONGEST_POLL_MS) });
    expect(status).toBe(200);
    // Polls without a pause would take the processor time that the attack needs.
    await setTimeout(PAUSE_MS);
  };
  for (let polls = 1; ; polls++) {
    const first = await Promise.race([attack.then((result) => ({ result, polls })), poll()]);
    if (first) return first;
  }
}

/** Tools whose schemas need more time than the thread may use, and a text that calls all of them. */
const slowTools = Array.from({ length: 100 }, (_, index) => ({
  toolId: `a:slow${index}`,
  parameters: largePatterns(`seed${index}x`),
}));
const slowRequest = {
  text: writeAction(slowTools.map(({ toolId }) => ({ toolId, arguments: { v: 1 } }))),
  tools: slowTools,
};
const fastRequest = {
  text: writeAction([{ toolId: 'a:fast', arguments: { v: 1 } }]),
  tools: [{ toolId: 'a:fast', parameters: { properties: { v: { type: 'integer' } } } }],
};

describe('An API under attack with schemas and values', () => {
  let processes: Processes;
  let client: Client;
  beforeAll(async () => {
    processes = new Processes(stack.env);
    ({ client } = await startApi(processes));
  });
  afterAll(() => processes.endAll());

  it('The API responds to /healthz while it parses with the hostile schemas of a caller', async () => {
    for (const { toolId, schema, value } of named) {
      const request = { text: writeAttack(toolId, value), tools: [{ toolId, parameters: schema }] };
      const { result, polls } = await pollWhile(client, client.post('/v1/parse', request));
      expect([toolId, [200, 422].includes(result.status)]).toEqual([toolId, true]);
      expect(polls).toBeGreaterThan(0);
    }
  });

  it('The API stops a dry run that takes too long, names its tool, and responds to /healthz meanwhile', async () => {
    // As many as there are threads, so that a request without an attack waits for them.
    const attacks = [1, 2].map(() => client.post('/v1/parse', slowRequest));
    const waiting = client.post('/v1/parse', fastRequest);
    const { result, polls } = await pollWhile(client, Promise.all(attacks));
    expect(polls).toBeGreaterThan(1);
    for (const { status, body } of result) {
      expect([status, body.detail]).toEqual([422, expect.stringContaining("The schema of 'a:slow")]);
    }
    expect((await waiting).status).toBe(200);
  });

  it('The API responds to /healthz while it gets hostile values for the tools of its library', async () => {
    for (const { toolId, value, outcome } of named) {
      const submission = client.post('/v1/invocations', { toolId, arguments: { v: value } });
      const { result, polls } = await pollWhile(client, submission);
      const expected = outcome === 'fits' ? [202] : [422];
      expect([toolId, expected.includes(result.status)]).toEqual([toolId, true]);
      expect(polls).toBeGreaterThan(0);
    }
  });

  it('The API responds to /healthz while one request holds 1,000 expensive calls', async () => {
    const expensive = named.find(({ name }) => name.startsWith('a recursive choice'));
    if (!expensive) throw new Error('this attack does not exist');
    const call = { toolId: expensive.toolId, arguments: { v: expensive.value } };
    const thousand = Array.from({ length: 1_000 }, () => call);
    for (const body of [{ calls: thousand }, { text: writeAction(thousand) }]) {
      const { result, polls } = await pollWhile(client, client.post('/v1/invocations', body));
      expect([result.status, result.body.code]).toEqual([422, 'invalid_parameters']);
      expect(polls).toBeGreaterThan(0);
    }
    const items = thousand.map((each) => ({ toolId: each.toolId, arguments: each.arguments }));
    const { result } = await pollWhile(client, client.post('/v1/invocations/batch', { items }));
    expect(result.status).toBeLessThan(500);
  });

  it('Schemas that are too expensive become problems of their file when the library is loaded', async () => {
    const { body } = await client.get<{ items: { file: string; field: string; message: string }[] }>(
      '/v1/tools/problems',
    );
    const refused = named.filter(({ outcome }) => outcome === 'schema refused');
    for (const { toolId } of refused) {
      const file = `tools/${toolId.replace('attack:', '')}.tool.json`;
      expect(body.items.filter((problem) => problem.file.endsWith(file))).toEqual([
        expect.objectContaining({
          message: expect.stringMatching(/unfold to more than 100000|at most 50000|states together/),
        }),
      ]);
    }
  });

  it('The API ends at SIGTERM during an attack and responds to the waiting requests', async () => {
    const { client: doomed, process } = await startApi(stack.processes);
    const attacks = Array.from({ length: 20 }, () =>
      doomed.post('/v1/parse', slowRequest).then(({ status }) => status),
    );
    await Promise.race(attacks);
    expect(await stack.processes.end(process, 'SIGTERM')).toBe(0);
    for (const status of await Promise.all(attacks)) expect([422, 503]).toContain(status);
  });
});
