import * as fc from 'fast-check';
import type { Json, StoredNode, ToolError } from '@errand/contracts';
import { edge, nodeType, options, statuses, workflow } from '../test/workflow-kit.js';
import { MemoryJournal } from './journal.js';
import { runWorkflow } from './run-workflow.js';

/** A random DAG: each node has a number of its own, connections from earlier nodes only, and may fail. */
interface Plan {
  nodes: { own: number; from: number[]; fails: boolean; yields: boolean }[];
  concurrency: number;
}

const plans: fc.Arbitrary<Plan> = fc.record({
  nodes: fc
    .array(
      fc.record({
        own: fc.integer({ min: -9, max: 9 }),
        from: fc.array(fc.nat({ max: 999 }), { maxLength: 4 }),
        fails: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
        yields: fc.boolean(),
      }),
      { minLength: 1, maxLength: 25 },
    )
    .map((nodes) =>
      nodes.map((node, index) => ({ ...node, from: index === 0 ? [] : node.from.map((n) => n % index) })),
    ),
  concurrency: fc.integer({ min: 1, max: 5 }),
});

/** Gives a list: its own number, then what it got, in order: a value tells the whole of its history. */
const history = nodeType(
  'test:history',
  [],
  async ({ own = null, parts = [] }, { config }) => {
    if (config.yields) await new Promise(setImmediate);
    if (config.fails) throw new Error('planned');
    return { value: hash([own, ...(Array.isArray(parts) ? parts : [])]) };
  },
  {
    inputs: { own: { dataFlowType: 'INTEGER' }, parts: { dataFlowType: 'WILDCARD', multi: true } },
    config: { yields: {}, fails: {} },
  },
);

/** Histories grow exponentially; a number that depends on all of them in order does not. */
function hash(values: Json[]): number {
  return values.reduce<number>((total, value) => (total * 31 + Number(value) + 7) % 1_000_003, 1);
}

/** The plain evaluator: node after node. Null: it failed, or one of its sources did. */
function evaluate({ nodes }: Plan): (number | null)[] {
  const values: (number | null)[] = [];
  for (const { own, from, fails } of nodes) {
    const parts = from.map((index) => values[index] ?? null);
    values.push(fails || parts.includes(null) ? null : hash([own, ...parts]));
  }
  return values;
}

function toWorkflow({ nodes }: Plan) {
  const outputs = nodes.map((_, index) => `o${index}`);
  const stored = workflow(
    nodes.map(({ own, from, fails, yields }, index): StoredNode => ({
      id: `n${index}`,
      type: 'test:history',
      inputValues: { own },
      configValues: { fails, yields },
      inputConnectionOrders: { parts: from.map((_, place) => `${index}-${place}`) },
    })),
    [],
    { outputs },
  );
  const drawn = nodes.flatMap(({ from }, index) =>
    from.map((source, place) => edge(`n${source}.value`, `n${index}.parts`, `${index}-${place}`)),
  );
  const ends = nodes.map((_, index) => edge(`n${index}.value`, `out.o${index}`));
  return { ...stored, edges: [...drawn.toReversed(), ...ends] };
}

const withoutFailures = plans.map((plan) => ({
  ...plan,
  nodes: plan.nodes.map((node) => ({ ...node, fails: false })),
}));

describe('random DAGs', () => {
  it('give what a plain evaluation gives', async () => {
    await fc.assert(
      fc.asyncProperty(withoutFailures, async (plan) => {
        const outputs = await runWorkflow(toWorkflow(plan), {}, options([history], { concurrency: plan.concurrency }));
        expect(Object.values(outputs)).toEqual(evaluate(plan));
      }),
    );
  });

  it('run every node that no failure reaches, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const run = options([history], { concurrency: plan.concurrency });
        const error = await runWorkflow(toWorkflow(plan), {}, run).then(
          () => undefined,
          (thrown: ToolError) => thrown,
        );
        const values = evaluate(plan);
        const expected = plan.nodes.map(({ fails }, n) => {
          const reached = plan.nodes[n]!.from.some((source) => values[source] === null);
          return [`n${n}`, reached ? 'skipped' : fails ? 'failed' : 'succeeded'];
        });
        expect(statuses(run.events)).toEqual(Object.fromEntries(expected));
        expect(error?.type).toBe(values.includes(null) ? 'NodeError' : undefined);
      }),
    );
  });

  it('give the same when the run dies anywhere and is taken up again, and no finished node runs twice', async () => {
    await fc.assert(
      fc.asyncProperty(withoutFailures, fc.nat({ max: 24 }), async (plan, dies) => {
        const journal = new MemoryJournal();
        const death = new AbortController();
        const repeated: string[] = [];
        const mortal = {
          ...history,
          run: (...[inputs, context]: Parameters<typeof history.run>) => {
            if (journal.entries.has(context.nodeId)) repeated.push(context.nodeId);
            if (context.nodeId === `n${dies}`) death.abort();
            return history.run(inputs, context);
          },
        };
        const { concurrency } = plan;
        const stored = toWorkflow(plan);
        await runWorkflow(stored, {}, options([mortal], { journal, concurrency, signal: death.signal })).catch(
          () => {},
        );
        const outputs = await runWorkflow(stored, {}, options([mortal], { journal, concurrency }));
        expect(Object.values(outputs)).toEqual(evaluate(plan));
        expect(repeated).toEqual([]);
      }),
    );
  });
});
