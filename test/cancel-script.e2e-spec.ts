import Docker from 'dockerode';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { until } from './escapes/until.js';
import { useStack } from './support/start-stack.js';

/** Logs that it runs, and never ends. */
const SCRIPT = `
import sys, time
print("here", file=sys.stderr, flush=True)
while True:
    time.sleep(60)
`;
const SLEEP = { toolId: 'core:execute-python-script', arguments: { scriptPath: 'sleep.py' } };
const WORKFLOW = {
  nodes: [
    {
      id: 'call',
      type: 'core:tool',
      inputValues: { arguments: SLEEP.arguments },
      configValues: { toolId: SLEEP.toolId },
    },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ source: 'call', sourceHandle: 'result', target: 'out', targetHandle: 'result' }],
  interfaceOutputs: { result: { dataFlowType: 'WILDCARD' } },
};

describeWithDocker('A running script', () => {
  const docker = new Docker();
  const stack = useStack(
    {
      with: ['script-runner'],
      library: { 'scripts/sleep.py': SCRIPT, 'workflows/sleep.json': WORKFLOW },
      // A container of the pool has no invocation label. Without a pool, each container is created for its run and has
      // the label.
      env: { ERRAND_POOL_MIN: '0', ERRAND_POOL_MAX: '0' },
    },
    { keepsProcesses: true },
  );
  const { client } = stack;

  const containersOf = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`errand.invocation=${id}`] } });

  async function start(body: object): Promise<string> {
    const id = await client.submit(body);
    await client.untilTold(id, ({ event }) => event === 'log');
    expect(await containersOf(id)).toHaveLength(1);
    return id;
  }

  const ECHO = { toolId: 'core:echo', arguments: { value: 1 } };
  it.each([
    ['A script that is the whole invocation', SLEEP],
    ['A script that is one of several calls', { calls: [ECHO, SLEEP, ECHO] }],
    ['A script that a node of a workflow calls', { toolId: 'workflow:sleep', arguments: {} }],
  ])('%s has no container when its invocation has the status cancelled', async (_how, body) => {
    await stack.processes.haveOne('worker');
    const id = await start(body);
    expect((await client.cancel(id)).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'cancelled', error: { type: 'CancelledError' } });
    expect(await containersOf(id)).toEqual([]);
  });

  it('A script has no container after its invocation exceeded its time limit', async () => {
    await stack.processes.haveOne('worker');
    const id = await start({ calls: [ECHO, SLEEP], options: { timeoutMs: 10_000 } });
    expect(await client.untilEnded(id)).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    expect(await containersOf(id)).toEqual([]);
  });

  it('The container of a cancelled script ends although the worker of the invocation is dead', async () => {
    const doomed = await stack.processes.haveOne('worker');
    const id = await start({ toolId: 'workflow:sleep', arguments: {} });
    await stack.processes.end(doomed);
    await client.cancel(id);
    await until('its container is gone', async () => (await containersOf(id)).length === 0);
    expect((await client.read(id)).status).not.toBe('cancelled');
    await stack.processes.start('worker');
    expect((await client.untilEnded(id)).status).toBe('cancelled');
  });
});
