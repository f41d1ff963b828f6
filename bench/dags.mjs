// Graphs to measure with: as workflows of Errand's, as plain awaited functions, and cut down to trees for what knows only those.

const MODULUS = 1_000_003;

/** What every node does: one number out of those that it depends on. */
export const sum = (parts) => parts.reduce((total, part) => (total + part) % MODULUS, 1);

/**
 * A graph is a list of lists: for each node the places of those that it depends on, all of them before it. The last node depends,
 * in the end, on every other. `layers`: how many nodes lie one after another on the longest way.
 */
export const SHAPES = {
  chain: (size) => ({ layers: size, from: Array.from({ length: size }, (_, n) => (n === 0 ? [] : [n - 1])) }),

  /** One, then `size` side by side, then one that gathers them. */
  'fan-out': (size) => {
    const middle = Array.from({ length: size }, (_, n) => n + 1);
    return { layers: 3, from: [[], ...middle.map(() => [0]), middle] };
  },

  /** Ten rows; each node takes from the one above it and from that one's left neighbour. A last one gathers the bottom row. */
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
  description: 'Adds up what it gets.',
  inputs: { parts: { dataFlowType: 'INTEGER', multi: true } },
  outputs: { value: { dataFlowType: 'INTEGER' } },
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

/** Each node an async function that awaits those before it: the least that can be done. */
export async function runPlain({ from }) {
  const run = async (sources) => sum(await Promise.all(sources));
  const values = [];
  for (const sources of from) values.push(run(sources.map((source) => values[source])));
  return values.at(-1);
}

/** A job has one parent at the most: of a node's ways onward the first alone is kept. A flow thus does less than the graph asks. */
export function asTree({ from, layers }) {
  const taken = new Set();
  const first = (source) => !taken.has(source) && taken.add(source);
  return { layers, from: from.map((sources) => sources.filter(first)) };
}
