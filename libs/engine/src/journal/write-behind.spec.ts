import { setTimeout } from 'node:timers/promises';
import { chain, kit, settle } from '../../test/effects-kit.js';
import { GatedJournal } from '../../test/gated-journal.js';
import { options, statuses, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from '../run/run-workflow.js';

describe('The barrier before a node', () => {
  it('Nodes without effects run before earlier outcomes are stored, and the run ends after that', async () => {
    const journal = new GatedJournal();
    journal.close();
    const { begun, types } = kit();
    let hasEnded = false;
    const running = runWorkflow(chain('act', 'pure', 'pure'), {}, options(types, { journal })).finally(
      () => (hasEnded = true),
    );
    await journal.nextWrite();
    await settle();
    expect([begun, hasEnded]).toEqual([['n0', 'n1', 'n2'], false]);
    journal.open();
    expect(await running).toEqual({ v: 1 });
    expect([...journal.entries.keys()]).toEqual(['n0', 'n1', 'n2']);
  });

  it('A node with effects waits until all earlier outcomes are stored', async () => {
    const journal = new GatedJournal();
    journal.close();
    const { begun, types } = kit();
    const running = runWorkflow(chain('pure', 'pure', 'act', 'pure'), {}, options(types, { journal }));
    expect(await journal.nextWrite()).toEqual(['n0', 'n1']);
    await settle();
    expect(begun).toEqual(['n0', 'n1']);
    journal.open();
    await running;
    expect(begun).toEqual(['n0', 'n1', 'n2', 'n3']);
  });

  it.each(['idempotent', 'once', undefined] as const)('A node with the effects %s waits', async (effects) => {
    const journal = new GatedJournal();
    journal.close();
    const { begun, types } = kit();
    const [pure, act] = types;
    const declared = { ...act!, ...(effects && { effects }) };
    const running = runWorkflow(chain('pure', 'act'), {}, options([pure!, declared], { journal }));
    await journal.nextWrite();
    await settle();
    expect(begun).toEqual(['n0']);
    journal.open();
    await running;
  });

  it('A thousand nodes without effects in a chain need one or two writes', async () => {
    const journal = new GatedJournal();
    const { types } = kit();
    await runWorkflow(chain(...Array.from({ length: 1_000 }, () => 'pure' as const)), {}, options(types, { journal }));
    expect(journal.entries.size).toBe(1_000);
    // A slow machine may need several times 100 ms.
    expect(journal.writes.length).toBeLessThan(50);
  });

  it('An outcome is written without a barrier while the next node without effects still runs', async () => {
    const journal = new GatedJournal();
    const { types } = kit(async (_inputs, { nodeId }) => {
      if (nodeId === 'n1') await journal.nextWrite();
      return { value: nodeId };
    });
    expect(await runWorkflow(chain('pure', 'pure'), {}, options(types, { journal }))).toEqual({ v: 'n1' });
    expect(journal.writes).toEqual([['n0'], ['n1']]);
  });

  it('A run that continues an earlier one writes its first outcome at once', async () => {
    class ResumedJournal extends GatedJournal {
      override async read() {
        return { ...(await super.read()), isResumed: true };
      }
    }
    const journal = new ResumedJournal();
    const { types } = kit();
    await runWorkflow(chain('pure', 'pure', 'pure'), {}, options(types, { journal }));
    expect(journal.writes).toEqual([['n0'], ['n1', 'n2']]);
  });

  it('An outcome of 1 MB is written at once', async () => {
    const journal = new GatedJournal();
    const { types } = kit((_inputs, { nodeId }) => ({ value: nodeId === 'n0' ? 'x'.repeat(1_000_000) : 1 }));
    const running = runWorkflow(chain('pure', 'pure', 'pure'), {}, options(types, { journal }));
    await running;
    expect(journal.writes).toEqual([['n0'], ['n1', 'n2']]);
  });

  it('A journal that hangs stops nodes without effects after a bounded amount of data', async () => {
    const journal = new GatedJournal();
    journal.close();
    const { begun, types } = kit((_inputs, { nodeId }) => ({ value: `${nodeId}${'x'.repeat(400_000)}` }));
    const running = runWorkflow(
      chain(...Array.from({ length: 30 }, () => 'pure' as const)),
      {},
      options(types, { journal }),
    );
    await journal.nextWrite();
    await settle();
    expect(begun.length).toBeLessThan(8);
    journal.open();
    await running;
    expect(begun).toHaveLength(30);
  });
});

describe('A run whose journal fails', () => {
  it('A failed write stops the run at the barrier, so that no node with effects begins', async () => {
    const journal = new GatedJournal();
    journal.close();
    const { begun, types } = kit();
    const run = options(types, { journal });
    const running = runWorkflow(chain('pure', 'act'), {}, run);
    await journal.nextWrite();
    journal.break(new Error('Redis is away'));
    await expect(running).rejects.toThrow('Redis is away');
    await settle();
    expect(begun).toEqual(['n0']);
    expect(statuses(run.events)).toEqual({ n0: 'running' });
  });

  it('A failed write behind the last node fails the run', async () => {
    const journal = new GatedJournal();
    journal.break(new Error('Redis is away'));
    const { types } = kit();
    await expect(runWorkflow(chain('pure', 'pure'), {}, options(types, { journal }))).rejects.toThrow('Redis is away');
  });

  it('A node with effects that waited for a permit begins only if no other attempt has begun', async () => {
    class SupersededJournal extends GatedJournal {
      override async requireCurrent(): Promise<void> {
        throw new Error('superseded');
      }
    }
    const { begun, types } = kit(async () => (await setTimeout(150), { value: 1 }));
    const two = workflow(
      ['a', 'b'].map((id) => ({ id, type: 'test:act' })),
      [],
    );
    // The second node gets the permit before the outcome of the first one is recorded, so nothing waits to be written.
    const journal = new SupersededJournal();
    const running = runWorkflow(two, {}, options(types, { journal, concurrency: 1 }));
    await expect(running).rejects.toThrow('superseded');
    expect(begun).toEqual(['a']);
  });

  it('A cancelled run stores the outcomes that it has', async () => {
    const journal = new GatedJournal();
    const cancel = new AbortController();
    const { types } = kit(async (_inputs, { nodeId, signal }) => {
      if (nodeId === 'n1') cancel.abort();
      signal.throwIfAborted();
      return { value: 1 };
    });
    const running = runWorkflow(chain('pure', 'pure'), {}, options(types, { journal, signal: cancel.signal }));
    await expect(running).rejects.toMatchObject({ type: 'CancelledError' });
    expect([...journal.entries.keys()]).toEqual(['n0']);
  });
});
