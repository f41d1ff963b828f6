import type { Answer, JsonObject, SuspendRequest, StoredWorkflow } from '@errand/contracts';
import { failure, nodeType, options, TYPES, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { Suspended } from './suspended.js';
import type { RunOptions } from './run-options.js';
import { runWorkflow } from './run-workflow.js';

const HOUR = 3_600_000;

/** Waits for each request in turn and returns the answers, null for a time. */
const suspending = (requests: SuspendRequest[]) =>
  nodeType('test:suspend', ['value'], async (_inputs, { park }) => {
    const got = [];
    for (const request of requests) got.push((await park(request)) ?? null);
    return { value: got };
  });
const asking = suspending([{ for: 'answer', prompt: 'May I?' }]);
const sleeping = (ms: number) => suspending([{ for: 'time', ms }]);

const ONE: StoredWorkflow = workflow([{ id: 'n', type: 'test:suspend' }], ['n.value > out.v'], { outputs: ['v'] });

const suspensionOf = (run: Promise<unknown>): Promise<Suspended> =>
  run.then(
    () => Promise.reject(new Error('it was not suspended')),
    (error: unknown) => (error instanceof Suspended ? error : Promise.reject(error)),
  );

const waitingOf = (journal: MemoryJournal, nodeId: string) => journal.entries.get(nodeId)?.waiting;

/** Options for a run that may suspend, with a journal from which the next run continues. */
function suspendable(type: Parameters<typeof options>[0][number], more: Partial<RunOptions> = {}) {
  const journal = new MemoryJournal();
  return { journal, run: () => options([...TYPES, type], { journal, suspendAfterMs: 50, ...more }) };
}

describe('A node that waits for an answer', () => {
  it('A waiting node is journalled, suspends its run, and continues with the answer', async () => {
    const { journal, run } = suspendable(asking);
    const left = await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(left).toMatchObject({ until: undefined, forAnswer: true });
    expect(journal.entries.get('n')).toEqual({
      nodeId: 'n',
      type: 'test:suspend',
      status: 'waiting_external',
      attempts: 1,
      inputs: {},
      startedAt: expect.any(String),
      finishedAt: null,
      waiting: { for: 'answer', key: 'n:1', until: null, prompt: 'May I?' },
    });
    journal.answers.set('n:1', { result: { yes: true } });
    await expect(runWorkflow(ONE, {}, run())).resolves.toEqual({ v: [{ yes: true }] });
    expect(journal.entries.get('n')).toMatchObject({ status: 'succeeded', result: { value: [{ yes: true }] } });
    expect(waitingOf(journal, 'n')).toBeUndefined();
  });

  it('A waiting node emits each change of its status', async () => {
    const { run } = suspendable(asking, {
      onAnswer: (sendAnswer) => (setImmediate(() => sendAnswer('n:1', { result: 1 })), () => {}),
    });
    const runOptions = { ...run() };
    delete runOptions.suspendAfterMs;
    await runWorkflow(ONE, {}, runOptions);
    const states = runOptions.events.flatMap((event) => (event.event === 'node' ? [event.state.status] : []));
    expect(states).toEqual(['running', 'waiting_external', 'running', 'succeeded']);
  });

  it('A run that is resumed without an answer suspends again with the same deadline', async () => {
    const { journal, run } = suspendable(suspending([{ for: 'answer', timeoutMs: HOUR }]));
    const first = await suspensionOf(runWorkflow(ONE, {}, run()));
    const before = journal.entries.get('n');
    const second = await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(second.until).toBe(first.until);
    expect(journal.entries.get('n')).toEqual(before);
  });

  it('A node fails with the error that its answer contains', async () => {
    const { journal, run } = suspendable(asking);
    await suspensionOf(runWorkflow(ONE, {}, run()));
    journal.answers.set('n:1', { error: { message: 'over my dead body' } });
    expect(await failure(runWorkflow(ONE, {}, run()))).toMatchObject({
      type: 'NodeError',
      message: "Node 'n' (test:suspend) failed: over my dead body",
      details: { nodeId: 'n' },
    });
  });

  it('A node fails if no answer arrives in time, even if no process ran it at the deadline', async () => {
    const { journal, run } = suspendable(suspending([{ for: 'answer', timeoutMs: HOUR }]));
    const { until } = await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(until! - Date.now()).toBeGreaterThan(HOUR / 2);
    const state = journal.entries.get('n')!;
    const past = new Date(Date.now() - 1).toISOString();
    journal.entries.set('n', { ...state, waiting: { ...state.waiting!, until: past } });
    expect(await failure(runWorkflow(ONE, {}, run()))).toMatchObject({
      type: 'TimeoutError',
      message: `Node 'n' (test:suspend) failed: No answer came within ${HOUR} ms`,
    });
  });

  it('A wait ends with the deadline of the run, else after its own timeout, else after that of the node', async () => {
    const timed = structuredClone(ONE);
    timed.nodes[0]!.timeoutMs = HOUR;
    const untilOf = async (deadline?: number, request: SuspendRequest = { for: 'answer' }) => {
      const { run } = suspendable(suspending([request]), deadline === undefined ? {} : { deadline });
      return (await suspensionOf(runWorkflow(timed, {}, run()))).until!;
    };
    const deadline = Date.now() + 5 * HOUR;
    expect(await untilOf(deadline, { for: 'answer', timeoutMs: 2 * HOUR })).toBe(deadline);
    expect(await untilOf(undefined, { for: 'answer', timeoutMs: 2 * HOUR })).toBeGreaterThan(Date.now() + HOUR);
    expect(await untilOf()).toBeLessThanOrEqual(Date.now() + HOUR);
  });

  it('A node takes an answer that arrives while other branches still run', async () => {
    let sendAnswer!: (key: string, answer: Answer) => void;
    let ended = false;
    const listening = { onAnswer: (send: typeof sendAnswer) => ((sendAnswer = send), () => (ended = true)) };
    const busy = nodeType('test:busy', [], async (_inputs, { signal }) => {
      await new Promise(setImmediate);
      sendAnswer('n:1', { result: 'now' });
      signal.throwIfAborted();
      return { value: 1 };
    });
    const stored = workflow(
      [
        { id: 'n', type: 'test:suspend' },
        { id: 'b', type: 'test:busy' },
      ],
      ['n.value > out.v'],
      { outputs: ['v'] },
    );
    const run = options([asking, busy], { journal: new MemoryJournal(), suspendAfterMs: 0, ...listening });
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ v: ['now'] });
    expect(ended).toBe(true);
  });

  it('A node takes an answer that arrives while the journal is read', async () => {
    class Late extends MemoryJournal {
      override async read() {
        const read = await super.read();
        sendAnswer('n:1', { result: 'just in time' });
        return read;
      }
    }
    let sendAnswer!: (key: string, answer: Answer) => void;
    const run = options([asking], {
      journal: new Late(),
      suspendAfterMs: 0,
      onAnswer: (send) => ((sendAnswer = send), () => {}),
    });
    await expect(runWorkflow(ONE, {}, run)).resolves.toEqual({ v: ['just in time'] });
  });
});

describe('A node that waits for a time', () => {
  it('A long wait suspends the run, which continues when the time is over', async () => {
    const { journal, run } = suspendable(sleeping(HOUR));
    const { until, forAnswer } = await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(forAnswer).toBe(false);
    expect(journal.entries.get('n')).toMatchObject({
      status: 'running',
      waiting: { for: 'time', until: new Date(until!).toISOString() },
    });
    const state = journal.entries.get('n')!;
    journal.entries.set('n', { ...state, waiting: { ...state.waiting!, until: new Date().toISOString() } });
    await expect(runWorkflow(ONE, {}, run())).resolves.toEqual({ v: [null] });
    expect(journal.entries.get('n')?.startedAt).toBe(state.startedAt);
  });

  it('A short wait does not suspend the run', async () => {
    const { run } = suspendable(sleeping(5));
    await expect(runWorkflow(ONE, {}, run())).resolves.toEqual({ v: [null] });
  });

  it('A long wait does not suspend a run without a journal', async () => {
    const run = options([sleeping(20)], { suspendAfterMs: 0 });
    await expect(runWorkflow(ONE, {}, run)).resolves.toEqual({ v: [null] });
  });

  it('A waiting node holds no permit', async () => {
    const stored = workflow(
      [
        { id: 'n', type: 'test:suspend' },
        { id: 'g', type: 'test:give', inputValues: { value: 7 } },
      ],
      ['g.value > out.v'],
      { outputs: ['v'] },
    );
    const { journal, run } = suspendable(asking, { concurrency: 1 });
    await suspensionOf(runWorkflow(stored, {}, run()));
    expect(journal.entries.get('g')?.status).toBe('succeeded');
  });

  it('The time limit of a node does not include its waits', async () => {
    const stored = { ...ONE, nodes: ONE.nodes.map((node) => (node.id === 'n' ? { ...node, timeoutMs: 1_000 } : node)) };
    await expect(runWorkflow(stored, {}, options([sleeping(1_500)]))).resolves.toEqual({ v: [null] });
  });
});

describe('A run with waiting nodes', () => {
  it('A run finishes all nodes that do not wait before it suspends', async () => {
    const stored = workflow(
      [
        { id: 'n', type: 'test:suspend' },
        { id: 'after', type: 'test:give' },
        { id: 'a', type: 'test:give', inputValues: { value: 1 } },
        { id: 'b', type: 'test:give' },
      ],
      ['n.value > after.value', 'a.value > b.value'],
    );
    const { journal, run } = suspendable(asking);
    await suspensionOf(runWorkflow(stored, {}, run()));
    const states = [...journal.entries.values()].map(({ nodeId, status }) => [nodeId, status]);
    expect(Object.fromEntries(states)).toEqual({ a: 'succeeded', b: 'succeeded', n: 'waiting_external' });
  });

  it('A run with a failed node fails only when its last waiting node has ended', async () => {
    const stored = workflow(
      [
        { id: 'n', type: 'test:suspend' },
        { id: 'bad', type: 'test:fail' },
      ],
      [],
    );
    const { journal, run } = suspendable(asking);
    await suspensionOf(runWorkflow(stored, {}, run()));
    journal.answers.set('n:1', { result: null });
    expect((await failure(runWorkflow(stored, {}, run())))?.details).toMatchObject({ nodeId: 'bad' });
  });

  it('A run suspends until the earliest of several times and reports that it also waits for an answer', async () => {
    const both = nodeType('test:both', ['ms'], async ({ ms = null }, { park }) => ({
      value: (await park(ms === null ? { for: 'answer' } : { for: 'time', ms: Number(ms) })) ?? null,
    }));
    const nodes = [HOUR, null, 2 * HOUR].map((ms, n) => ({ id: `n${n}`, type: 'test:both', inputValues: { ms } }));
    const { run } = suspendable(both);
    const before = Date.now();
    const left = await suspensionOf(runWorkflow(workflow(nodes, []), {}, run()));
    expect(left.forAnswer).toBe(true);
    expect(left.until! - before).toBeGreaterThanOrEqual(HOUR);
    expect(left.until! - Date.now()).toBeLessThanOrEqual(HOUR);
  });

  it('The waits of a node are numbered, and a finished wait is not repeated', async () => {
    const three = suspending([{ for: 'answer' }, { for: 'time', ms: HOUR }, { for: 'answer' }]);
    const { journal, run } = suspendable(three);
    await suspensionOf(runWorkflow(ONE, {}, run()));
    journal.answers.set('n:1', { result: 'first' });
    await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(waitingOf(journal, 'n')).toMatchObject({ key: 'n:2', for: 'time' });
    const state = journal.entries.get('n')!;
    journal.entries.set('n', { ...state, waiting: { ...state.waiting!, until: new Date().toISOString() } });
    await suspensionOf(runWorkflow(ONE, {}, run()));
    expect(waitingOf(journal, 'n')).toMatchObject({ key: 'n:3', for: 'answer' });
    journal.answers.set('n:3', { result: 'third' });
    await expect(runWorkflow(ONE, {}, run())).resolves.toEqual({ v: ['first', null, 'third'] });
  });

  it('A node can wait for only one thing at a time', async () => {
    const two = nodeType('test:suspend', [], async (_inputs, { park }) => {
      await Promise.all([park({ for: 'answer' }), park({ for: 'answer' })]);
      return {};
    });
    expect((await failure(runWorkflow(ONE, {}, options([two]))))?.message).toMatch(/one thing at a time/);
  });

  it('A resumed node continues with its current attempt', async () => {
    let attempts = 0;
    const flaky = nodeType('test:suspend', [], async (_inputs, { park }) => {
      attempts++;
      if (attempts === 1) throw new Error('not yet');
      return { value: (await park({ for: 'answer' })) ?? null };
    });
    const { journal, run } = suspendable(flaky);
    const stored = {
      ...ONE,
      nodes: ONE.nodes.map((node) => (node.id === 'n' ? { ...node, retry: { attempts: 2 } } : node)),
    };
    await suspensionOf(runWorkflow(stored, {}, run()));
    expect(journal.entries.get('n')?.attempts).toBe(2);
    journal.answers.set('n:1', { result: 'ok' });
    await expect(runWorkflow(stored, {}, run())).resolves.toEqual({ v: 'ok' });
    expect(attempts).toBe(3);
  });

  it('A waiting node in a group suspends the whole run', async () => {
    const inner = { ...ONE, id: 'inner' };
    const outer = workflow(
      [{ id: 'g', type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'inner' } }],
      ['g.v > out.v'],
      { outputs: ['v'] },
    );
    const { journal, run } = suspendable(asking, { workflows: new Map([['inner', inner]]) });
    await suspensionOf(runWorkflow(outer, {}, run()));
    expect(waitingOf(journal, 'g/n')).toMatchObject({ key: 'g/n:1' });
    journal.answers.set('g/n:1', { result: 'deep' });
    await expect(runWorkflow(outer, {}, run())).resolves.toEqual({ v: ['deep'] });
  });

  it('The code of a node cannot observe that its run suspends', async () => {
    let seen: unknown;
    const curious = nodeType('test:suspend', [], async (_inputs, { park }) => {
      try {
        return { value: (await park({ for: 'answer' })) ?? null };
      } catch (error) {
        seen = error;
        throw error;
      }
    });
    const { run } = suspendable(curious);
    await suspensionOf(runWorkflow(ONE, {}, run()));
    await new Promise(setImmediate);
    expect(seen).toBeUndefined();
  });

  it('A run that waits without suspending can be cancelled', async () => {
    const stop = new AbortController();
    const run = options([asking], { signal: stop.signal });
    const ended = failure(runWorkflow(ONE, {}, run));
    await new Promise(setImmediate);
    stop.abort();
    expect((await ended)?.type).toBe('CancelledError');
  });
});

describe('A tool that suspends', () => {
  it('A suspended tool suspends the calling workflow and is called again with the same key', async () => {
    const caller = nodeType('test:suspend', [], async (_inputs, { callTool }) => ({
      value: await callTool('x:y', {}),
    }));
    const answers = new Map<string, string>();
    const keys: string[] = [];
    const callTool = async (_id: string, _args: JsonObject, { key }: { key: string }) => {
      keys.push(key);
      const answer = answers.get(key);
      if (answer === undefined) throw new Suspended(undefined, true);
      return answer;
    };
    const { run } = suspendable(caller, { callTool });
    expect(await suspensionOf(runWorkflow(ONE, {}, run()))).toMatchObject({ forAnswer: true });
    answers.set('n:1', 'done');
    await expect(runWorkflow(ONE, {}, run())).resolves.toEqual({ v: 'done' });
    expect(keys).toEqual(['n:1', 'n:1']);
  });

  it('A suspended tool is called again as soon as any answer arrives', async () => {
    const caller = nodeType('test:suspend', [], async (_inputs, { callTool }) => ({
      value: await callTool('x:y', {}),
    }));
    let sendAnswer!: (key: string, answer: Answer) => void;
    let calls = 0;
    const callTool = async () => {
      calls++;
      if (calls === 2) return 'done';
      setImmediate(() => sendAnswer('whatever', { result: 1 }));
      throw new Suspended(undefined, true);
    };
    const run = options([caller], { callTool, onAnswer: (send) => ((sendAnswer = send), () => {}) });
    await expect(runWorkflow(ONE, {}, run)).resolves.toEqual({ v: 'done' });
  });
});
