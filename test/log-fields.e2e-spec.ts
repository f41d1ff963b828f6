import { eventually } from './support/eventually.js';
import { useStack } from './support/start-stack.js';

/** A real worker, whose log the test reads. */
const stack = useStack({ env: { ERRAND_LOG_LEVEL: 'info' } });
const { client } = stack;

interface LogLine {
  msg: string;
  invocationId?: string;
  tenant?: string;
}

it('Each log line of a worker about an invocation names the invocation and its tenant', async () => {
  const worker = await stack.processes.start('worker');
  const linesOf = (id: string): LogLine[] =>
    stack.processes
      .wordsOf(worker)
      .split('\n')
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line) as LogLine);
  const submit = async (toolId: string, args: object) =>
    (await client.post('/v1/invocations', { toolId, arguments: args }, { 'x-errand-tenant': 'acme' })).body.id;
  const expected = [
    [await submit('core:echo', { value: 1 }), 'invocation succeeded'],
    [await submit('core:math', { op: 'divide', a: 1, b: 0 }), 'invocation failed'],
    [await submit('core:wait', { ms: 3_600_000 }), 'invocation suspended'],
  ] as const;
  for (const [invocationId, msg] of expected)
    await eventually(
      () =>
        linesOf(invocationId).some(
          (line) => line.msg === msg && line.invocationId === invocationId && line.tenant === 'acme',
        ),
      `the log has '${msg}' with its fields`,
    );
});
