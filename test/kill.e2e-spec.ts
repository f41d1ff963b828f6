import Docker from 'dockerode';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { until } from './escapes/until.js';
import { useStack } from './support/start-stack.js';

/** Kills real processes during a run. */

// The worker that takes over in one test ends in the next one.
const stack = useStack({}, { keepsProcesses: true });
const { client } = stack;

describe('A worker that is killed during a run', () => {
  it('Another worker continues after the last finished step', async () => {
    const doomed = await stack.processes.haveOne('worker');
    const calls = [
      { toolId: 'core:random', arguments: {} },
      { toolId: 'core:delay', arguments: { ms: 1_500, value: 'late' } },
    ];
    const id = await client.submit({ calls });
    await client.untilTold(
      id,
      ({ event, data }) => event === 'step' && data['index'] === 1 && data['status'] === 'running',
    );
    const before = (await client.read(id)).steps[0]!.result;
    await stack.processes.end(doomed);
    await stack.processes.start('worker');
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', result: [before, 'late'] });
    expect(ended.steps.map((step) => step.attempts)).toEqual([1, 2]);
    const ends = (await client.events(id)).filter(({ event }) => event === 'end');
    expect(ends).toHaveLength(1);
  });

  it('A worker finishes its running jobs after SIGTERM and exits with code 0', async () => {
    const worker = await stack.processes.haveOne('worker');
    const id = await client.submit({ toolId: 'core:delay', arguments: { ms: 800, value: 1 } });
    await client.untilTold(id, ({ event, data }) => event === 'status' && data['status'] === 'running');
    expect(await stack.processes.end(worker, 'SIGTERM')).toBe(0);
    expect((await client.untilEnded(id)).steps[0]).toMatchObject({ status: 'succeeded', attempts: 1 });
  });
});

describeWithDocker('A script-runner that is killed during a run', () => {
  const docker = new Docker();
  const containersOf = (id: string) =>
    docker.listContainers({ all: true, filters: { label: [`errand.invocation=${id}`] } });

  /** Polls, because no event reports the end of a container. */
  const untilNoContainer = (id: string) =>
    until('its container is gone', async () => (await containersOf(id)).length === 0);

  it('A killed script-runner leaves no container behind, without any other runner', async () => {
    const doomed = await stack.processes.start('script-runner');
    const id = await client.submit({
      toolId: 'text:analyze',
      arguments: { text: 'to be or not to be' },
    });
    await client.untilTold(id, ({ event }) => event === 'log');
    expect(await containersOf(id)).toHaveLength(1);
    await stack.processes.end(doomed);
    await untilNoContainer(id);
    await stack.processes.start('script-runner');
    const ended = await client.untilEnded(id);
    expect(ended).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    await untilNoContainer(id);
  });
});
