import { chain, kit, NONE, settle } from '../../test/effects-kit.js';
import { GatedJournal } from '../../test/gated-journal.js';
import { nodeType, options, workflow } from '../../test/workflow-kit.js';
import type { CallOrigin, RunOptions } from '../run/run-options.js';
import { runWorkflow } from '../run/run-workflow.js';
import { Suspended } from '../run/suspended.js';

describe('The events of a run', () => {
  it('An event appears after the outcomes before it are stored, in the order in which the nodes ran', async () => {
    const journal = new GatedJournal();
    journal.close();
    const { types } = kit((_inputs, { nodeId, log }) => (log(`line of ${nodeId}`), { value: 1 }));
    const run = options(types, { journal });
    const running = runWorkflow(chain('act', 'pure'), {}, run);
    await journal.nextWrite();
    await settle();
    const shown = () =>
      run.events.flatMap((event) =>
        event.event === 'node'
          ? `${event.state.nodeId} ${event.state.status}`
          : event.event === 'log'
            ? event.line
            : [],
      );
    expect(shown()).toEqual(['n0 running', 'line of n0']);
    journal.open();
    await running;
    expect(shown()).toEqual(['n0 running', 'line of n0', 'n0 succeeded', 'n1 running', 'line of n1', 'n1 succeeded']);
  });

  it('A chunk of a streamed output has earlier outcomes written at once', async () => {
    const journal = new GatedJournal();
    const { types } = kit();
    const stream = { dataFlowType: 'STRING', isStream: true };
    let hasChunk = (): void => {};
    const chunkSeen = new Promise<void>((resolve) => (hasChunk = resolve));
    const speak = nodeType(
      'test:speak',
      ['value'],
      async function* () {
        yield { value: 'word' };
        await chunkSeen;
      },
      { ...NONE, outputs: { value: stream } },
    );
    const stored = workflow(
      [
        { id: 'n0', type: 'test:pure' },
        { id: 'n1', type: 'test:speak' },
      ],
      ['n0.value > n1.value', 'n1.value > out.text'],
      { outputs: ['text'] },
    );
    const run: RunOptions = {
      ...options([...types, speak], { journal }),
      emit: (event) => {
        if (event.event !== 'output') return;
        expect([...journal.entries.keys()]).toEqual(['n0']);
        hasChunk();
      },
    };
    const streamed = { ...stored, interfaceOutputs: { text: stream } };
    expect(await runWorkflow(streamed, {}, run)).toEqual({ text: 'word' });
  });
});

describe('A run that waits', () => {
  const waits = nodeType(
    'test:wait',
    ['value'],
    async (_inputs, { park }) => ({ value: (await park({ for: 'answer' })) ?? null }),
    NONE,
  );

  it('A run is suspended only when all its outcomes are stored', async () => {
    const journal = new GatedJournal();
    const { types } = kit();
    const stored = workflow(
      [
        { id: 'wait', type: 'test:wait' },
        { id: 'n0', type: 'test:pure' },
      ],
      [],
    );
    await expect(
      runWorkflow(stored, {}, options([...types, waits], { journal, suspendAfterMs: 0 })),
    ).rejects.toBeInstanceOf(Suspended);
    expect([...journal.entries.keys()].toSorted()).toEqual(['n0', 'wait']);
  });
});

describe('A tool that a node calls', () => {
  const call = nodeType(
    'test:call',
    ['value'],
    async (_inputs, { callTool }) => ({ value: await callTool('t:t', {}) }),
    NONE,
  );
  const stored = workflow(
    [
      { id: 'n0', type: 'test:pure' },
      { id: 'call', type: 'test:call' },
      { id: 'after', type: 'test:pure' },
    ],
    ['n0.value > call.value', 'call.value > after.value'],
  );

  async function outcomesAtCall(callTool: (origin: CallOrigin, entries: () => string[]) => Promise<void>) {
    const journal = new GatedJournal();
    const { types } = kit();
    const run = options([...types, call], {
      journal,
      callTool: async (_id, _args, origin) => {
        await callTool(origin, () => [...journal.entries.keys()]);
        return null;
      },
    });
    await runWorkflow(stored, {}, run);
    return journal.writes;
  }

  it('A call with effects begins when earlier outcomes are stored, and its own outcome is written at once', async () => {
    let before: string[] = [];
    const writes = await outcomesAtCall(async ({ stored: untilStored }, entries) => {
      await untilStored();
      before = entries();
    });
    expect(before).toEqual(['n0']);
    expect(writes).toEqual([['n0'], ['call'], ['after']]);
  });

  it('A call without effects waits for nothing', async () => {
    let before: string[] = [];
    const writes = await outcomesAtCall(async (_origin, entries) => {
      before = entries();
    });
    expect([before, writes]).toEqual([[], [['n0', 'call', 'after']]]);
  });

  it('A node with effects inside a call waits for the outcomes of the workflow around it', async () => {
    let before: string[] = [];
    await outcomesAtCall(async ({ stored: storedAround }, entries) => {
      const act = nodeType('test:act', [], () => ((before = entries()), { value: 1 }));
      const inside = workflow([{ id: 'inner', type: 'test:act' }], []);
      await runWorkflow(inside, {}, options([act], { journal: new GatedJournal(), storedAround }));
    });
    expect(before).toEqual(['n0']);
  });
});
