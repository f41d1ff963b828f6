import type { StoredWorkflow } from '@errand/contracts';
import { nodeType, options, workflow } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { Suspended } from './suspended.js';
import { runWorkflow } from './run-workflow.js';

const caller = nodeType('test:call', [], async (_inputs, { callTool }) => ({ value: await callTool('x:y', {}) }));
const BOTH: StoredWorkflow = workflow(
  [
    { id: 'n', type: 'test:call' },
    { id: 'busy', type: 'test:busy' },
  ],
  ['n.value > out.v', 'busy.value > out.w'],
  { outputs: ['v', 'w'] },
);
const CALL: StoredWorkflow = workflow([{ id: 'n', type: 'test:call' }], ['n.value > out.v'], { outputs: ['v'] });

function signalled<T>() {
  let settle!: (value: T) => void;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { settle, promise };
}

/** Suspends at the first call and returns a value at the next one. */
function suspendOnce(again: Suspended['again']) {
  let calls = 0;
  return async () => {
    calls++;
    if (calls > 1) return `call ${calls}`;
    throw new Suspended(undefined, false, again);
  };
}

describe('A suspended tool that reports when it can be called again', () => {
  it('A suspended tool is called again while another node still runs', async () => {
    const asked = signalled<string>();
    const busy = nodeType('test:busy', [], async () => ({ value: await asked.promise }));
    const there = signalled<void>();
    const first = suspendOnce(() => there.promise);
    const callTool = async () => {
      const result = await first();
      // The other node ends only after this call, so nothing else waited for the tool.
      asked.settle(result);
      return result;
    };
    const run = options([caller, busy], { callTool, journal: new MemoryJournal(), suspendAfterMs: 0 });
    const ended = runWorkflow(BOTH, {}, run);
    setImmediate(there.settle);
    await expect(ended).resolves.toEqual({ v: 'call 2', w: 'call 2' });
  });

  it('A suspended tool is called again if its wait fails, and then decides the outcome itself', async () => {
    const callTool = suspendOnce(() => Promise.reject(new Error('away')));
    await expect(runWorkflow(CALL, {}, options([caller], { callTool }))).resolves.toEqual({ v: 'call 2' });
  });

  it('A run suspends if only the tool still waits, and aborts that wait', async () => {
    let left: boolean | undefined;
    const again = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          left = true;
          resolve();
        });
      });
    const run = options([caller], { callTool: suspendOnce(again), journal: new MemoryJournal(), suspendAfterMs: 0 });
    await expect(runWorkflow(CALL, {}, run)).rejects.toThrow(Suspended);
    expect(left).toBe(true);
  });
});
