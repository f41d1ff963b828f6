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
import type { EngineEvent } from './run-options.js';
import { runWorkflow } from './run-workflow.js';

class DiedError extends Error {}

/** The process dies at a write, before or after the data are stored, or when a node begins. */
interface Death {
  at: 'write' | 'stored' | 'node';
  /** The number of writes or of nodes before it. */
  after: number;
}

/** The journal of a process that dies. After that, it stores nothing. */
class MortalJournal extends MemoryJournal {
  private readonly death = new AbortController();
  readonly signal = this.death.signal;
  private left: number;

  constructor(
    kept: MemoryJournal,
    private readonly dies: Death | undefined,
  ) {
    super(kept.entries, kept.answers, kept.begun);
    this.left = dies?.after ?? 0;
  }

  override async write(states: readonly NodeState[]): Promise<void> {
    await new Promise(setImmediate);
    const isLast = this.dies !== undefined && this.dies.at !== 'node' && this.left-- === 0;
    if (this.signal.aborted || (isLast && this.dies?.at === 'write')) return this.die();
    await super.write(states);
    if (isLast) this.die();
  }

  beginNode(): void {
    if (this.dies?.at === 'node' && this.left-- === 0) this.die();
  }

  private die(): never {
    this.death.abort(new DiedError('the process is killed'));
    throw this.death.signal.reason;
  }
}

/** Runs a plan to its end. It restarts the run after each death and answers all waiting nodes. */
async function toTheEnd(plan: Plan, deaths: readonly Death[]) {
  const kept = new MemoryJournal();
  let journal = new MortalJournal(kept, undefined);
  const faults: string[] = [];
  const types = plannedTypes((nodeId) => {
    if ((kept.entries.get(nodeId)?.finishedAt ?? null) !== null) faults.push(`${nodeId} was stored and runs again`);
    faults.push(...missingBefore(nodeId, plan, kept));
    journal.beginNode();
  });
  const left = [...deaths];
  for (;;) {
    journal = new MortalJournal(kept, left.shift());
    const { signal } = journal;
    const more = { journal, signal, workflows: WORKFLOWS, concurrency: plan.concurrency, suspendAfterMs: 0 };
    const run = options(types, more);
    try {
      const outputs: JsonObject = await runWorkflow(toWorkflow(plan), {}, run);
      return { outputs, states: statuses(run.events), faults };
    } catch (error) {
      if (isSuspended(error)) answerAll(kept, plan);
      else if (!(error instanceof DiedError)) return { failed: true, states: statuses(run.events), faults };
    } finally {
      faults.push(...shownTooEarly(run.events, kept));
    }
  }
}

/** The sources of a node with effects that are not stored when it begins. A stream may still run then. */
function missingBefore(nodeId: string, plan: Plan, { entries }: MemoryJournal): string[] {
  const planned = plan.nodes[Number(nodeId.slice(1))];
  if (!planned?.acts) return [];
  const ends = evaluate(plan);
  const missing = planned.from.filter(({ node }) => {
    const isStream = planned.kind === 'flow' && plan.nodes[node]?.kind === 'flow';
    return !isStream && ends[node]?.status !== 'skipped' && !entries.get(`n${node}`)?.finishedAt;
  });
  return missing.map(({ node }) => `${nodeId} began before n${node} was stored`);
}

/** The nodes whose end readers have seen although a crash may take it back. */
function shownTooEarly(events: readonly EngineEvent[], { entries }: MemoryJournal): string[] {
  return events.flatMap((event) => {
    if (event.event !== 'node' || event.state.finishedAt === null) return [];
    const { nodeId } = event.state;
    return entries.get(nodeId)?.finishedAt ? [] : [`the end of ${nodeId} was shown before it was stored`];
  });
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
  if (open.some(({ node }) => ends[node]!.outputs === undefined)) return { failed: true, states, faults: [] };
  const outputs = Object.fromEntries(open.map(({ node, output, to }) => [to, ends[node]!.outputs![output] ?? null]));
  return { outputs, states, faults: [] };
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

  it('A random graph ends as expected after any deaths, and nothing runs, acts or shows before its time', async () => {
    const at = fc.constantFrom('write' as const, 'stored' as const, 'node' as const);
    const deaths = fc.array(fc.record({ at, after: fc.nat({ max: 12 }) }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(plans, deaths, async (plan, all) => {
        expect(outermost(await toTheEnd(plan, all))).toEqual(expected(plan));
      }),
      { numRuns: randomRuns(300) },
    );
  });
});
