import * as fc from 'fast-check';
import type { JsonObject, NodeState } from '@errand/contracts';
import { randomRuns } from '../../../../test/support/random-runs.js';
import {
  evaluate,
  isSuspended,
  openEnds,
  plannedTypes,
  plans,
  toWorkflow,
  WORKFLOWS,
  type Plan,
} from '../../test/random-graph.js';
import { options, statuses } from '../../test/workflow-kit.js';
import { MemoryJournal } from '../journal/node-journal.js';
import { runWorkflow } from './run-workflow.js';

class DiedError extends Error {}

/** Fails at one of its writes, before or after it stores the data. */
class MortalJournal extends MemoryJournal {
  constructor(
    entries: MemoryJournal,
    private writesLeft: number,
    private readonly isSafe: boolean,
  ) {
    super(entries.entries, entries.answers);
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    const dies = this.writesLeft-- === 0;
    if (!dies || this.isSafe) await super.write(states);
    await new Promise(setImmediate);
    if (dies) throw new DiedError('the process is killed');
  }
}

interface Death {
  atWrite: number;
  isSafe: boolean;
}

/** Runs a plan to its end. It restarts the run after each death and answers all waiting nodes. */
async function toTheEnd(plan: Plan, deaths: readonly Death[]) {
  const kept = new MemoryJournal();
  const twice: string[] = [];
  const types = plannedTypes((nodeId) => {
    if ((kept.entries.get(nodeId)?.finishedAt ?? null) !== null) twice.push(nodeId);
  });
  const left = [...deaths];
  for (;;) {
    const death = left.shift();
    const journal = death ? new MortalJournal(kept, death.atWrite, death.isSafe) : kept;
    const run = options(types, { journal, workflows: WORKFLOWS, concurrency: plan.concurrency, suspendAfterMs: 0 });
    try {
      const outputs: JsonObject = await runWorkflow(toWorkflow(plan), {}, run);
      return { outputs, states: statuses(run.events), twice };
    } catch (error) {
      if (isSuspended(error)) answerAll(kept, plan);
      else if (!(error instanceof DiedError)) return { failed: true, states: statuses(run.events), twice };
    }
  }
}

function answerAll(journal: MemoryJournal, { nodes }: Plan): void {
  for (const { nodeId, waiting } of journal.entries.values()) {
    if (waiting) journal.answers.set(waiting.key!, { result: nodes[Number(nodeId.slice(1))]!.own * 2 });
  }
}

/** The result that the evaluator expects. */
function expected(plan: Plan) {
  const ends = evaluate(plan);
  const open = openEnds(plan);
  const states = Object.fromEntries(ends.map(({ status }, n) => [`n${n}`, status]));
  if (open.some(({ node }) => ends[node]!.outputs === undefined)) return { failed: true, states, twice: [] };
  const outputs = Object.fromEntries(open.map(({ node, output, to }) => [to, ends[node]!.outputs![output] ?? null]));
  return { outputs, states, twice: [] };
}

/** Removes inner nodes, which the evaluator does not know. */
const outermost = <T extends { states: Record<string, string> }>(end: T): T => ({
  ...end,
  states: Object.fromEntries(Object.entries(end.states).filter(([key]) => !/[/:]/.test(key))),
});

describe('Random graphs', () => {
  it('A random graph ends as the evaluator expects, for each node and as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        expect(outermost(await toTheEnd(plan, []))).toEqual(expected(plan));
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it('A random graph ends as expected after any deaths, and no journalled node runs twice', async () => {
    const deaths = fc.array(fc.record({ atWrite: fc.nat({ max: 12 }), isSafe: fc.boolean() }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(plans, deaths, async (plan, all) => {
        expect(outermost(await toTheEnd(plan, all))).toEqual(expected(plan));
      }),
      { numRuns: randomRuns(300) },
    );
  });
});
