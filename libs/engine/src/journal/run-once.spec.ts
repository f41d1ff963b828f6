import { ToolError, type NodeType } from '@errand/contracts';
import { nodeType, options, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from '../run/run-workflow.js';
import { Suspended } from '../run/suspended.js';
import { MemoryJournal } from './node-journal.js';

const PAY = workflow([{ id: 'pay', type: 'test:pay' }], ['pay.value > out.v'], { outputs: ['v'] });
const DIED = new Error('the process dies');

/** Attempts of one run, each with its own code of the node. */
function attempts(journal = new MemoryJournal()) {
  let runs = 0;
  const next = (run: NodeType['run'], more: object = {}) => {
    const counted: NodeType['run'] = (inputs, context) => ((runs += 1), run(inputs, context));
    const pay = nodeType('test:pay', [], counted, { effects: 'once' });
    return runWorkflow(PAY, {}, options([pay], { journal, ...more }));
  };
  const died = async () => {
    const death = new AbortController();
    const code = () => {
      death.abort(DIED);
      return new Promise<never>(() => {});
    };
    await expect(next(code, { signal: death.signal })).rejects.toBe(DIED);
  };
  return { journal, next, died, count: () => runs };
}

describe('A node with the effects `once`', () => {
  it('A node whose process died while it ran does not run again, and the run fails with LostError', async () => {
    const { next, died, count } = attempts();
    await died();
    await expect(next(() => ({ value: 1 }))).rejects.toMatchObject({
      type: 'LostError',
      message: expect.stringMatching(/node 'pay' \(test:pay\) died.*only once/),
    });
    expect(count()).toBe(1);
  });

  it('A node that failed in a known way runs again in the next attempt', async () => {
    const { next, count } = attempts();
    const failing = () => {
      throw new ToolError('ServiceError', 'busy');
    };
    await expect(next(failing)).rejects.toMatchObject({ type: 'ServiceError' });
    expect(await next(() => ({ value: 2 }))).toEqual({ v: 2 });
    expect(count()).toBe(2);
  });

  it('A node that waits before it acts runs again after the answer, and not after a death behind it', async () => {
    const { journal, next, count } = attempts();
    const asking: NodeType['run'] = async (_inputs, { park }) => ({ value: (await park({ for: 'answer' })) ?? null });
    await expect(next(asking, { suspendAfterMs: 0 })).rejects.toBeInstanceOf(Suspended);
    journal.answers.set('pay:1', { result: 'yes' });
    const death = new AbortController();
    const dying: NodeType['run'] = async (_inputs, { park }) => {
      await park({ for: 'answer' });
      death.abort(DIED);
      return new Promise<never>(() => {});
    };
    await expect(next(dying, { signal: death.signal })).rejects.toBe(DIED);
    await expect(next(asking)).rejects.toMatchObject({ type: 'LostError' });
    expect(count()).toBe(2);
  });

  it('A node does not run if its begin cannot be stored, and the run ends with the error of the journal', async () => {
    class LostJournal extends MemoryJournal {
      override async beginOnce(): Promise<boolean> {
        throw new Error('superseded');
      }
    }
    const { next, count } = attempts(new LostJournal());
    await expect(next(() => ({ value: 1 }))).rejects.toThrow('superseded');
    expect(count()).toBe(0);
  });
});
