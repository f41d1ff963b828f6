import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isFinal, type Invocation, type Step } from '@errand/contracts';
import { describeWithDocker } from './escapes/real-sandbox.js';
import { useStack } from './support/start-stack.js';
import { WebhookReceiver } from './support/webhook-receiver.js';

/** Chaos tests: Redis and workers are paused (SIGSTOP) for longer than a lock, as by a long fork or a slow disk. */
const LOCK_MS = 1_000;
const STALLED_MS = 500;
const PAUSE_MS = 2.5 * LOCK_MS;

const delay = (ms: number) => ({ toolId: 'core:delay', arguments: { ms, value: ms } });
const SLOW_SCRIPT =
  'import json, sys, time\nprint("here", file=sys.stderr, flush=True)\ntime.sleep(4)\nprint(json.dumps(1))\n';
const GATE = `
const { existsSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [{ type: 'pause:gate', description: 'Waits until a file exists.',
  inputs: { file: slot, value: slot }, outputs: { value: slot },
  run: async ({ file }, { signal }) => {
    while (!existsSync(file)) await sleep(20, undefined, { signal });
    return { value: process.pid };
  } }] };`;
const PLUGIN = `
name: pause
displayName: Pause
version: 1.0.0
description: A node that ends when the test says so.
nodes: { entry: nodes/index.js }
tools:
  - id: pause:gate
    displayName: Gate
    description: Waits until a file exists.
    parameters: { type: object, properties: { file: { type: string } }, required: [file] }
    implementation: { type: node, nodeType: pause:gate }
`;
const LIBRARY = {
  'plugins/pause/plugin.yaml': PLUGIN,
  'plugins/pause/nodes/index.js': GATE,
  'scripts/slow.py': SLOW_SCRIPT,
  'tools/slow.tool.json': {
    toolId: 'pause:slow',
    description: 'Takes four seconds',
    version: '1.0.0',
    handler: { type: 'external-script', language: 'python', scriptPath: 'slow.py' },
    parameters: { type: 'object', properties: {} },
  },
  'workflows/gates.json': {
    nodes: [
      { id: 'in', type: 'core:GroupInput' },
      { id: 'first', type: 'pause:gate' },
      { id: 'second', type: 'pause:gate' },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [
      { source: 'in', sourceHandle: 'first', target: 'first', targetHandle: 'file' },
      { source: 'in', sourceHandle: 'second', target: 'second', targetHandle: 'file' },
      { source: 'first', sourceHandle: 'value', target: 'second', targetHandle: 'value' },
      { source: 'second', sourceHandle: 'value', target: 'out', targetHandle: 'value' },
    ],
    interfaceInputs: { first: { dataFlowType: 'STRING' }, second: { dataFlowType: 'STRING' } },
    interfaceOutputs: { value: { dataFlowType: 'WILDCARD' } },
  },
};

const stack = useStack(
  {
    library: LIBRARY,
    env: {
      ERRAND_LOCK_MS: `${LOCK_MS}`,
      ERRAND_STALLED_MS: `${STALLED_MS}`,
      ERRAND_WORKER_CONCURRENCY: '50',
      ERRAND_CALLBACK_ALLOW: '127.0.0.1',
    },
  },
  { keepsProcesses: true },
);
const { client } = stack;
let gates = 0;

/** A call that ends when the test opens its gate. */
class Gate {
  private readonly name = `gate-${gates++}`;

  get file(): string {
    return join(stack.folder, this.name);
  }

  get call(): { toolId: string; arguments: { file: string } } {
    return { toolId: 'pause:gate', arguments: { file: this.file } };
  }

  open(): void {
    writeFileSync(this.file, '');
  }
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
/** Exactly so many workers run. They have lived through the pauses of the earlier tests. */
const haveWorkers = (count: number) => stack.processes.haveRunning('worker', count);
const haveWorker = async () => (await haveWorkers(1))[0]!;
const startWorker = () => stack.processes.start('worker');

/**
 * Submits calls and waits until a step of each has begun. The status `running` alone says only that a worker took the job: if the worker
 * is paused then, its first attempt leaves no trace, and the next attempt is the first one of the step.
 */
async function submitRunning(...calls: object[]): Promise<string[]> {
  const ids = await Promise.all(calls.map((call) => client.submit(call)));
  const hasBegun = ({ status, steps }: Invocation) =>
    isFinal(status) || steps.some(({ status: own, attempts }) => own === 'running' && attempts > 0);
  await Promise.all(ids.map((id) => client.until(id, hasBegun)));
  return ids;
}

/** Pauses Redis for `ms` milliseconds, and until `meanwhile` is done. */
async function pauseRedis(ms: number, meanwhile: () => unknown = () => {}): Promise<void> {
  process.kill(stack.redis.pid, 'SIGSTOP');
  try {
    await Promise.all([setTimeout(ms), meanwhile()]);
  } finally {
    process.kill(stack.redis.pid, 'SIGCONT');
  }
}

async function pauseWorkers(workers: readonly ChildProcess[], meanwhile: () => Promise<unknown>): Promise<void> {
  for (const worker of workers) worker.kill('SIGSTOP');
  try {
    await meanwhile();
  } finally {
    for (const worker of workers) worker.kill('SIGCONT');
  }
}

/** Expects that each invocation succeeded in its first attempt: no worker took it as the job of a dead process. */
async function expectUntouched(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { status, error, steps } = await untilEnded(id);
    const attempts = steps.map((step) => step.attempts);
    expect({ status, error, attempts }).toEqual({ status: 'succeeded', error: null, attempts: attempts.map(() => 1) });
  }
}

/** Waits for the end. While Redis is paused, the API responds with 503. */
async function untilEnded(id: string): Promise<Invocation> {
  while ((await client.get(`/v1/invocations/${id}`)).status !== 200);
  return client.untilEnded(id);
}

describe('A paused Redis', () => {
  it('A pause of Redis for longer than a lock costs no running invocation an attempt', async () => {
    await haveWorkers(2);
    const [during, after] = [new Gate(), new Gate()];
    const ids = await submitRunning(...times(20, () => during.call), ...times(20, () => after.call));
    await pauseRedis(PAUSE_MS, () => during.open());
    // Two lock durations later, the check for stalled jobs has had its chance to take these jobs.
    await expectUntouched(await submitRunning(delay(2 * LOCK_MS)));
    after.open();
    await expectUntouched(ids);
  });

  it('A pause of Redis for longer than a lock costs no chain, parallel step or workflow an attempt', async () => {
    await haveWorkers(2);
    const [first, second] = [new Gate(), new Gate()];
    const calls = [first.call, delay(1), second.call];
    const workflow = { toolId: 'workflow:gates', arguments: { first: first.file, second: second.file } };
    const once = { options: { attempts: 1 } };
    const ids = await submitRunning(
      { calls },
      { calls, options: { mode: 'parallel' } },
      workflow,
      { ...first.call, ...once },
      { ...workflow, ...once },
    );
    await pauseRedis(PAUSE_MS, () => first.open());
    second.open();
    await expectUntouched(ids);
  });

  it('Repeated pauses of Redis cost no running invocation an attempt', async () => {
    await haveWorkers(3);
    const gate = new Gate();
    const ids = await submitRunning(...times(20, () => gate.call));
    for (const ms of [2_500, 600, 1_300, 2_000]) {
      await pauseRedis(ms);
      await expectUntouched([await submitWhenBack(delay(300))]);
    }
    gate.open();
    await expectUntouched(ids);
  });

  it('A pause of Redis for less than a lock costs no running invocation an attempt', async () => {
    await haveWorkers(2);
    const gate = new Gate();
    const ids = await submitRunning(...times(20, () => gate.call));
    await pauseRedis(LOCK_MS * 0.8);
    await expectUntouched(await submitRunning(delay(2 * LOCK_MS)));
    gate.open();
    await expectUntouched(ids);
  });

  it('A pause of Redis and all workers costs no running invocation an attempt', async () => {
    const workers = await haveWorkers(2);
    const gate = new Gate();
    const ids = await submitRunning(...times(20, () => gate.call));
    await pauseWorkers(workers, () => pauseRedis(PAUSE_MS));
    await expectUntouched([await submitWhenBack(delay(2 * LOCK_MS))]);
    gate.open();
    await expectUntouched(ids);
  });

  it('A pause of Redis while a worker starts does not affect running invocations', async () => {
    await haveWorker();
    const gate = new Gate();
    const ids = await submitRunning(...times(10, () => gate.call));
    // A worker that gives up on Redis exits with an error, and the test starts another one.
    const started = startWorker().catch(() => startWorker());
    await pauseRedis(PAUSE_MS);
    await started;
    await expectUntouched([await submitWhenBack(delay(2 * LOCK_MS))]);
    gate.open();
    await expectUntouched(ids);
  });

  it('The job of a worker that is killed during a pause of Redis goes to another worker', async () => {
    const doomed = await haveWorker();
    const gate = new Gate();
    const [id] = await submitRunning(gate.call);
    await startWorker();
    await pauseRedis(PAUSE_MS, () => stack.processes.end(doomed));
    gate.open();
    expect(await untilEnded(id!)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
  });

  it('A delivery that was being sent when Redis paused is kept', async () => {
    let answer = () => {};
    const receiver = await WebhookReceiver.start((_request, response) => (answer = () => void response.end()));
    stack.keep({ close: () => receiver.stop() });
    await haveWorkers(2);
    const id = await client.submit({ toolId: 'core:echo', arguments: { value: 1 }, callback: { url: receiver.url } });
    await receiver.until(1);
    await pauseRedis(PAUSE_MS, () => answer());
    await untilEnded(id);
    expect(await untilDelivered(id)).toMatchObject([{ status: 'delivered', attempts: [{ statusCode: 200 }] }]);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('A paused worker', () => {
  it('A worker that is paused for longer than a lock loses its job, lives on, and its late result is ignored', async () => {
    const paused = await haveWorker();
    const gate = new Gate();
    const [id] = await submitRunning(gate.call);
    let ended: Invocation | undefined;
    await pauseWorkers([paused], async () => {
      await startWorker();
      await client.until(id!, ({ steps }) => steps[0]!.attempts === 2);
      gate.open();
      ended = await untilEnded(id!);
    });
    expect(ended).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    expect(ended!.result).not.toBe(paused.pid);
    // The worker takes jobs again, beside the other one.
    await expectUntouched(await submitRunning(...times(4, () => delay(LOCK_MS))));
    expect(await client.read(id!)).toEqual(ended);
    expect(paused.exitCode).toBeNull();
  });

  it('A paused worker does not store its late result while another worker runs the job', async () => {
    const paused = await haveWorker();
    const [early, late] = [new Gate(), new Gate()];
    const [id] = await submitRunning({ calls: [early.call, late.call] });
    let again: Invocation | undefined;
    await pauseWorkers([paused], async () => {
      await startWorker();
      await client.until(id!, ({ steps }) => steps[0]!.attempts === 2);
      early.open();
      again = await client.until(id!, ({ steps }) => steps[1]!.status === 'running');
    });
    await expectUntouched(await submitRunning(...times(4, () => delay(LOCK_MS))));
    late.open();
    const { status, steps } = await untilEnded(id!);
    expect(status).toBe('succeeded');
    // The nodes of a step are stored a few milliseconds after its outcome.
    const outcomeOf = ({ nodes: _, ...outcome }: Step) => outcome;
    expect(outcomeOf(steps[0]!)).toEqual(outcomeOf(again!.steps[0]!));
    expect(steps.map(({ attempts }) => attempts)).toEqual([2, 1]);
  });

  it('A pause of all workers costs no running invocation an attempt', async () => {
    const workers = await haveWorkers(3);
    const gate = new Gate();
    const ids = await submitRunning(...times(20, () => gate.call));
    await pauseWorkers(workers, () => setTimeout(PAUSE_MS));
    await expectUntouched(await submitRunning(delay(2 * LOCK_MS)));
    gate.open();
    await expectUntouched(ids);
  });
});

describeWithDocker('A script while Redis is paused', () => {
  it('A script that runs while Redis is paused runs only once, alone and as a step', async () => {
    await haveWorkers(2);
    await Promise.all(times(2, () => stack.processes.start('script-runner')));
    const slow = { toolId: 'pause:slow', arguments: {} };
    const ids = await Promise.all([slow, { calls: [slow, delay(1)] }].map((call) => client.submit(call)));
    for (const id of ids) await client.untilTold(id, ({ event }) => event === 'log');
    await pauseRedis(PAUSE_MS);
    await expectUntouched(ids);
  });
});

/** Submits again until the API has Redis back. */
async function submitWhenBack(body: object): Promise<string> {
  for (;;) {
    const { status, body: accepted } = await client.post('/v1/invocations', body);
    if (status === 202) return accepted.id;
  }
}

interface Delivery {
  status: string;
  attempts: object[];
}

async function untilDelivered(id: string): Promise<Delivery[]> {
  for (;;) {
    const { body } = await client.get<{ items: Delivery[] }>(`/v1/invocations/${id}/deliveries`);
    if (body.items[0]?.status === 'delivered') return body.items;
  }
}
