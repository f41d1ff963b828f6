import { useStack } from '../../../test/support/start-stack.js';

/** Without a worker: an invocation stays queued until it is cancelled. */
const { client } = useStack();

async function cancelled(toolId: string, args: object): Promise<string> {
  const id = await client.submit({ toolId, arguments: args });
  await client.cancel(id);
  await client.untilEnded(id);
  return id;
}

describe('POST /v1/invocations/:id/retry', () => {
  it('A repair that names a missing script is refused, and the error has the place of its name', async () => {
    const id = await cancelled('core:execute-python-script', { scriptPath: 'hello.py' });
    const { status, body } = await client.retry(id, { steps: { '0': { inputs: { scriptPath: 'helo.py' } } } });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'invalid_parameters',
      errors: [{ path: '/steps/0/inputs/scriptPath', message: expect.stringContaining('helo.py') }],
    });
    expect((await client.retry(id, { steps: { '0': { inputs: { scriptPath: 'hello.py' } } } })).status).toBe(202);
  });

  it('A repair with 50,000 unknown steps is refused by their number', async () => {
    const id = await cancelled('core:echo', { value: 1 });
    const steps = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`step${n}`, {}]));
    const { status, body } = await client.retry(id, { steps });
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: 'steps must have at most 1000 keys, not 50000',
    });
  });

  it('A bulk action that filters by 50,000 keys of metadata is refused by their number', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`k${n}`, 'x']));
    const { status, body } = await client.post('/v1/bulk', { action: 'cancel', filter: { metadata }, dryRun: true });
    expect({ status, detail: body.detail }).toEqual({
      status: 400,
      detail: 'filter.metadata must have at most 256 keys, not 50000',
    });
  });
});
