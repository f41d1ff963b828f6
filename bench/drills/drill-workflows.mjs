// Workflows of several shapes, with the number of their nodes and the expected results.
import { SHAPES, sum } from '../dags.mjs';
import { pick } from './random.mjs';

const INTEGER = { dataFlowType: 'INTEGER' };
const MARK = 'drill:mark';
const PURE = 'drill:pure';
/** Half of the nodes have effects: some declare nothing, some `idempotent`. */
const TYPES = [MARK, 'drill:act', PURE, PURE];
const RANDOM_SIZE = 20;
const edge = (source, sourceHandle, target, targetHandle) => ({ source, sourceHandle, target, targetHandle });

/** A graph of mark nodes with one number as its input. Each node knows its sources, to check that they are stored. */
function ofMarks(id, { from }, { input = 'start', typeOf = (n) => TYPES[n % TYPES.length] } = {}) {
  const roots = from.flatMap((sources, n) => (sources.length === 0 ? [edge('in', input, `n${n}`, 'parts')] : []));
  const links = from.flatMap((sources, n) => sources.map((source) => edge(`n${source}`, 'value', `n${n}`, 'parts')));
  return inside(
    id,
    from.map((sources, n) => ({
      id: `n${n}`,
      type: typeOf(n),
      configValues: { sources: sources.map((source) => `n${source}`) },
    })),
    [...roots, ...links, edge(`n${from.length - 1}`, 'value', 'out', 'value')],
    { [input]: INTEGER },
  );
}

function inside(id, nodes, edges, interfaceInputs, value = INTEGER) {
  return {
    id,
    nodes: [{ id: 'in', type: 'core:GroupInput' }, ...nodes, { id: 'out', type: 'core:GroupOutput' }],
    edges,
    interfaceInputs,
    interfaceOutputs: { value },
  };
}

function valueOf({ from }, start) {
  const values = [];
  for (const sources of from)
    values.push(sum(sources.length === 0 ? [start] : sources.map((source) => values[source])));
  return values.at(-1);
}

const chain = SHAPES.chain(12);
const fanOut = SHAPES['fan-out'](24);
const grid = SHAPES.grid(30);
const item = SHAPES.chain(3);

const group = (id, referencedWorkflowId) => ({ id, type: 'core:NodeGroup', configValues: { referencedWorkflowId } });

const groups = inside(
  'drill-groups',
  [group('first', 'drill-chain'), { id: 'between', type: MARK }, group('second', 'drill-grid')],
  [
    edge('in', 'start', 'first', 'start'),
    edge('first', 'value', 'between', 'parts'),
    edge('between', 'value', 'second', 'start'),
    edge('second', 'value', 'out', 'value'),
  ],
  { start: INTEGER },
);

const forEach = inside(
  'drill-for-each',
  [{ id: 'each', type: 'core:forEach', inputValues: { workflowId: 'drill-item', concurrency: 3 } }],
  [edge('in', 'items', 'each', 'items'), edge('each', 'results', 'out', 'value')],
  { items: { dataFlowType: 'ARRAY' } },
  { dataFlowType: 'ARRAY' },
);

const wait = inside(
  'drill-wait',
  [
    { id: 'before', type: MARK },
    { id: 'wait', type: 'core:wait', inputValues: { ms: 2_500 } },
    { id: 'beside', type: MARK },
    { id: 'after', type: MARK },
  ],
  [
    edge('in', 'start', 'before', 'parts'),
    edge('before', 'value', 'wait', 'value'),
    edge('before', 'value', 'beside', 'parts'),
    edge('wait', 'value', 'after', 'parts'),
    edge('beside', 'value', 'after', 'parts'),
    edge('after', 'value', 'out', 'value'),
  ],
  { start: INTEGER },
);

/** A random graph of one number. The last node depends, directly or indirectly, on every other node. */
function randomDag(random) {
  const from = Array.from({ length: RANDOM_SIZE }, (_, n) => {
    const wanted = Array.from({ length: Math.floor(random() * 4) }, () => Math.floor(random() * n));
    return n === 0 ? [] : [...new Set(wanted)];
  });
  const used = new Set(from.flat());
  return { from: [...from, from.flatMap((_, n) => (used.has(n) ? [] : [n]))] };
}

const fixedWorkflows = [
  ofMarks('drill-chain', chain),
  ofMarks('drill-pure', chain, { typeOf: () => PURE }),
  ofMarks('drill-fan-out', fanOut),
  ofMarks('drill-grid', grid),
  ofMarks('drill-item', item, { input: 'item' }),
  groups,
  forEach,
  wait,
];

const fromStart = (start) => ({ start });
const itemsOf = (start) => Array.from({ length: 6 }, (_, n) => start + n);

const runOf = (dag) => ({ arguments: fromStart, marks: dag.from.length, result: (start) => valueOf(dag, start) });

const fixedRuns = {
  'drill-chain': runOf(chain),
  'drill-pure': runOf(chain),
  'drill-fan-out': runOf(fanOut),
  'drill-grid': runOf(grid),
  'drill-groups': {
    arguments: fromStart,
    marks: chain.from.length + 1 + grid.from.length,
    result: (start) => valueOf(grid, sum([valueOf(chain, start)])),
  },
  'drill-for-each': {
    arguments: (start) => ({ items: itemsOf(start) }),
    marks: 6 * item.from.length,
    result: (start) => itemsOf(start).map((each) => valueOf(item, each)),
  },
  'drill-wait': {
    arguments: fromStart,
    marks: 3,
    result: (start) => sum([sum([start]), sum([sum([start])])]),
  },
};

/**
 * Returns the workflows, with `count` random graphs among them. `runs` has for each workflow that a caller submits: the arguments for a
 * number, the number of marks that it leaves, and its result.
 */
export function workflowsFrom(random, count = 12) {
  const dags = Array.from({ length: count }, () => randomDag(random));
  const typeOf = () => pick(random, TYPES);
  return {
    workflows: [...fixedWorkflows, ...dags.map((dag, n) => ofMarks(`drill-random-${n}`, dag, { typeOf }))],
    runs: { ...fixedRuns, ...Object.fromEntries(dags.map((dag, n) => [`drill-random-${n}`, runOf(dag)])) },
  };
}
