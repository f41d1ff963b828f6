import type { StoredWorkflow } from '@errand/contracts';
import { nodeType, options, workflow } from '../test/workflow-kit.js';
import { MemoryJournal } from './journal.js';
import { Parked } from './parked.js';
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
  let tell!: (value: T) => void;
  const told = new Promise<T>((resolve) => (tell = resolve));
  return { tell, told };
}

/** Parks at its first call, and gives something at the next. */
function parkOnce(again: Parked['again']) {
  let calls = 0;
  return async () => {
    calls++;
    if (calls > 1) return `call ${calls}`;
    throw new Parked(undefined, false, again);
  };
}

describe('a tool that says when to ask it again', () => {
  it('is asked while something else in the run goes on', async () => {
    const asked = signalled<string>();
    const busy = nodeType('test:busy', [], async () => ({ value: await asked.told }));
    const there = signalled<void>();
    const first = parkOnce(() => there.told);
    const callTool = async () => {
      const said = await first();
      // Only then does the other node end: nobody waited for it.
      asked.tell(said);
      return said;
    };
    const run = options([caller, busy], { callTool, journal: new MemoryJournal(), parkAfterMs: 0 });
    const ended = runWorkflow(BOTH, {}, run);
    setImmediate(there.tell);
    await expect(ended).resolves.toEqual({ v: 'call 2', w: 'call 2' });
  });

  it('is asked, and says itself what is wrong, where that cannot be told', async () => {
    const callTool = parkOnce(() => Promise.reject(new Error('away')));
    await expect(runWorkflow(CALL, {}, options([caller], { callTool }))).resolves.toEqual({ v: 'call 2' });
  });

  it('parks the run where nothing else goes on, and waits no longer then', async () => {
    let left: boolean | undefined;
    const again = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          left = true;
          resolve();
        });
      });
    const run = options([caller], { callTool: parkOnce(again), journal: new MemoryJournal(), parkAfterMs: 0 });
    await expect(runWorkflow(CALL, {}, run)).rejects.toThrow(Parked);
    expect(left).toBe(true);
  });
});
