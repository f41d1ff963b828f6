// The graphs of the benchmarks: as workflows of Errand, as plain awaited functions, and reduced to trees for BullMQ flows.

const MODULUS = 1_000_003;

/** The work of every node: one number from the numbers of its dependencies. */
export const sum = (parts) => parts.reduce((total, part) => (total + part) % MODULUS, 1);

/**
 * A graph is a list of lists: for each node the indexes of its dependencies, which precede it. The last node depends, directly or
 * indirectly, on every other node. `layers`: the number of nodes on the longest path.
 */
export const SHAPES = {
  chain: (size) => ({ layers: size, from: Array.from({ length: size }, (_, n) => (n === 0 ? [] : [n - 1])) }),

  /** One node, then `size` parallel nodes, then one node that depends on all of them. */
  'fan-out': (size) => {
    const middle = Array.from({ length: size }, (_, n) => n + 1);
    return { layers: 3, from: [[], ...middle.map(() => [0]), middle] };
  },

  /** Ten rows; each node depends on the node above it and on that node's left neighbour. The last node depends on the bottom row. */
  grid: (size) => {
    const width = Math.floor(size / 10);
    const above = (n) => (n % width === 0 ? [n - width] : [n - width, n - width - 1]);
    const rows = Array.from({ length: 10 * width }, (_, n) => (n < width ? [] : above(n)));
    return { layers: 11, from: [...rows, Array.from({ length: width }, (_, column) => 9 * width + column)] };
  },
};

/** The node type of all nodes. */
export const NODE_TYPE = {
  type: 'bench:sum',
  description: 'Adds up its inputs.',
  inputs: { parts: { dataFlowType: 'INTEGER', multi: true } },
  outputs: { value: { dataFlowType: 'INTEGER' } },
  effects: 'none',
  run: ({ parts = [] }) => ({ value: sum(parts) }),
};

export function asWorkflow({ from }) {
  const id = (n) => `n${n}`;
  const edge = (source, target, targetHandle) => ({ source: id(source), sourceHandle: 'value', target, targetHandle });
  return {
    nodes: [...from.map((_, n) => ({ id: id(n), type: NODE_TYPE.type })), { id: 'out', type: 'core:GroupOutput' }],
    edges: [
      ...from.flatMap((sources, n) => sources.map((source) => edge(source, id(n), 'parts'))),
      edge(from.length - 1, 'out', 'value'),
    ],
    interfaceOutputs: { value: { dataFlowType: 'INTEGER' } },
  };
}

/** Each node is an async function that awaits its dependencies: the minimal implementation. */
export async function runPlain({ from }) {
  const run = async (sources) => sum(await Promise.all(sources));
  const values = [];
  for (const sources of from) values.push(run(sources.map((source) => values[source])));
  return values.at(-1);
}

/** A job has at most one parent, so only the first outgoing edge of a node is kept. A flow therefore does less work than the graph. */
export function asTree({ from, layers }) {
  const taken = new Set();
  const first = (source) => !taken.has(source) && taken.add(source);
  return { layers, from: from.map((sources) => sources.filter(first)) };
}
