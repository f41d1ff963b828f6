import type { Json, JsonObject, StoredWorkflow } from '@errand/contracts';
import { runWorkflow } from '@errand/engine';
import { nodeTypes, optionsFor, runCoreNode, SHORT_COMPUTATIONS, SHORT_MS } from '../test/run-core-node.js';
import { nodes } from './index.js';

const LONG = 'a'.repeat(1_000_000);
const NUMBERS = Array.from({ length: 1_000 }, (_, index) => index);
const LOOPS = 'item.map(a, item.map(b, item.map(c, a + b + c))).size() > 0';
const NESTED = JSON.parse(`${'['.repeat(20)}${'[[1],'.repeat(10)}${'1,'.repeat(5_000)}1${']'.repeat(30)}`) as Json;

/** By node type: inputs that would block the event loop for a long time without a thread. */
const HOSTILE: Record<string, JsonObject[]> = {
  'core:template': [
    { template: '{{a}}'.repeat(100_000), data: { a: 'x'.repeat(1_000) } },
    { template: '{{'.repeat(300_000), data: {} },
  ],
  'core:join': [{ parts: Array.from({ length: 100_000 }, () => 'a'), separator: 'x'.repeat(1_000) }],
  'core:split': [{ text: LONG, separator: '' }],
  'core:replace': [{ text: 'a'.repeat(10_000), search: 'a', replacement: 'x'.repeat(10_000) }],
  'core:regex': [
    { text: LONG, pattern: '(a|a)*$', op: 'matchAll' },
    { text: 'a', pattern: 'a{999}'.repeat(160) },
    { text: 'a'.repeat(100), pattern: '\\pL'.repeat(330), flags: 'i' },
    { text: 'a'.repeat(3_000), pattern: '(a*)*b|a', op: 'matchAll' },
    { text: 'a'.repeat(5_000), pattern: 'a', op: 'replace', replacement: 'x'.repeat(5_000) },
  ],
  'core:case': [{ text: 'aB'.repeat(500_000), style: 'snake' }],
  'core:expression': [
    { expression: 'l.map(a, l.map(b, l.map(c, a + b + c)))', data: { l: NUMBERS } },
    { expression: 'l.map(a, l.map(b, l.map(c, a + b + c)))', l: NUMBERS, 'core:computation': 'core:hash' },
    { expression: `${'[[x, x, x, x, x, x, x, x]].map(x, '.repeat(9)}x${')'.repeat(9)}`, data: { x: LONG } },
    { expression: "t.matches('^(a+)+$')", data: { t: `${'a'.repeat(40)}!` } },
    { expression: 'type == 1', data: { type: NUMBERS } },
    { expression: `${'[x + x].map(x, '.repeat(8)}x${')'.repeat(8)}`, data: { x: NUMBERS } },
  ],
  'core:json-path': [
    { value: NESTED, path: `$${'..*'.repeat(6)}` },
    { value: [`${'a'.repeat(40)}!`], path: "$[?match(@, '(a+)+')]" },
    { value: [[[[1]]]], path: `$${`[${'0,'.repeat(40)}0]`.repeat(4)}` },
  ],
  'core:json': [
    { value: `[${'1,'.repeat(499_999)}1]`, mode: 'parse' },
    { value: NESTED, mode: 'stringify', indent: 10 },
  ],
  'core:filter': [{ items: [NUMBERS], condition: LOOPS }],
  'core:map': [{ items: [NUMBERS], expression: LOOPS }],
  'core:sort': [{ items: [NUMBERS], by: LOOPS }, { items: Array.from(NUMBERS, (n) => [n % 7, NUMBERS.slice(0, 300)]) }],
  'core:group': [{ items: [NUMBERS], by: LOOPS }],
  'core:dedupe': [{ items: [NUMBERS], by: LOOPS }],
  'core:aggregate': [{ items: [NUMBERS], by: `${LOOPS} ? 1 : 2`, op: 'sum' }],
  'core:csv': [
    { text: 'a,b\n'.repeat(200_000) },
    { mode: 'stringify', rows: NUMBERS.map((n) => ({ [`column ${n}`]: n })) },
  ],
  'core:compare': [
    { a: { list: NUMBERS }, op: 'eq', b: { list: NUMBERS } },
    { a: LONG, op: 'contains', b: `${'a'.repeat(500_000)}b` },
    { a: [1], op: 'in', b: Array.from({ length: 100_000 }, () => [2]) },
  ],
  'core:xml': [
    { op: 'parse', value: `<a>${'<b/>'.repeat(10_000)}</a>` },
    { op: 'parse', value: `<a ${Array.from({ length: 600_000 }, (_, index) => `b${index}="${index}"`).join(' ')}/>` },
    { op: 'build', value: { a: { b: NUMBERS.map((n) => ({ '@_n': n, '#text': '<'.repeat(1_000) })) } } },
  ],
  'core:base64': [{ text: LONG, mode: 'encode' }],
  'core:hash': [{ text: LONG }],
  'core:random': [{ seed: LONG }],
  'core:url-parse': [{ url: `https://example.com/?${'a=1&'.repeat(200_000)}` }],
  'core:url-build': [{ base: 'https://example.com', path: NUMBERS.concat(NUMBERS) }],
  'core:length': [{ value: LONG }],
  'core:slice': [{ value: LONG, start: 1 }],
  'core:time-format': [{ time: `2026-01-31${' '.repeat(500_000)}` }],
  'core:time-parse': [{ text: `2026-01-31${' '.repeat(500_000)}` }],
  'core:time-add': [{ time: `2026-01-31${' '.repeat(500_000)}` }],
  'core:time-difference': [{ from: `2026-01-31${' '.repeat(500_000)}`, to: '2026-01-31' }],
};

/** XML that is refused, but only after all of it was read. */
const REFUSED_XML: JsonObject[] = [
  { op: 'parse', value: '<a>'.repeat(1_000_000) },
  { op: 'parse', value: `<a>${'<b>'.repeat(10_000)}${'</b>'.repeat(10_000)}</a>` },
  { op: 'parse', value: `<a ${'b '.repeat(500_000)}/>` },
  { op: 'parse', value: `<a>${'&amp;'.repeat(200_000)}&${'x'.repeat(200_000)};</a>` },
  { op: 'parse', value: `<!DOCTYPE a [<!ENTITY b "${'b'.repeat(10_000)}">]><a>&b;</a>` },
];

/**
 * Nodes whose cost does not grow with their inputs, or not more than the copies that the engine makes of inputs and
 * outputs.
 */
const IN_PLACE = [
  'core:math',
  'core:round',
  'core:uuid',
  'core:now',
  'core:echo',
  'core:object',
  'core:delay',
  'core:wait',
  'core:external',
  'core:merge',
  'core:pick',
  'core:omit',
  'core:coalesce',
  'core:flatten',
  'core:zip',
  'core:chunk',
  'core:range',
  'core:if',
  'core:switch',
  'core:try',
  'core:tool',
  'core:http',
  'core:llm',
  'core:forEach',
];
/** The condition is computed like an expression and has a test below. */
const OTHERS = ['core:loop'];

const CASES = Object.entries(HOSTILE).flatMap(([type, all]) =>
  all.map((args, index) => [`${type} (input ${index + 1})`, type, args] as const),
);

/** The outcome of `work`, by default with a short time limit for computations, and the turns of the event loop while a thread computed. */
async function watch(work: (options: ReturnType<typeof optionsFor>) => Promise<unknown>, limits = SHORT_COMPUTATIONS) {
  let turns = 0;
  let computed = 0;
  const turn = () => void turns++;
  const ticker = setInterval(turn, 1);
  // A thread may need less than 1 ms. Only what this thread computes itself ends before this.
  setImmediate(turn);
  const usual = optionsFor(limits);
  const [ended] = await Promise.allSettled([
    work(optionsFor({ compute: (...args) => (computed++, usual.compute!(...args)) })),
  ]);
  clearInterval(ticker);
  return { end: ended.status === 'fulfilled' ? 'succeeded' : ended.reason.type, isComputed: computed > 0, turns };
}

const EXPECTED = {
  end: expect.stringMatching(/^(succeeded|TimeoutError|ResourceLimitError)$/),
  isComputed: true,
  turns: expect.any(Number),
};

/** A workflow with the node and all its inputs connected. */
function workflowWith(type: string, args: JsonObject): StoredWorkflow {
  const { inputs, otherInputs, outputs } = nodeTypes.get(type)!;
  const names = Object.keys(args);
  const output = Object.keys(outputs)[0]!;
  return {
    nodes: [
      { id: 'in', type: 'core:GroupInput' },
      { id: 'node', type },
      { id: 'out', type: 'core:GroupOutput' },
    ],
    edges: [
      ...names.map((name) => ({ source: 'in', sourceHandle: name, target: 'node', targetHandle: name })),
      { source: 'node', sourceHandle: output, target: 'out', targetHandle: output },
    ],
    interfaceInputs: Object.fromEntries(names.map((name) => [name, inputs[name] ?? otherInputs!])),
    interfaceOutputs: { [output]: outputs[output]! },
  };
}

describe('Hostile inputs of the core nodes', () => {
  it('Every core node is in the table of hostile inputs or in the list of cheap nodes', () => {
    expect([...Object.keys(HOSTILE), ...IN_PLACE, ...OTHERS].toSorted()).toEqual(
      nodes.map(({ type }) => type).toSorted(),
    );
  });

  it.each(CASES)('The node %s as a tool computes in a thread, and the event loop turns', async (_name, type, args) => {
    const watched = await watch((options) => runCoreNode(type, args, options));
    expect(watched).toEqual(EXPECTED);
    expect(watched.turns).toBeGreaterThan(0);
  });

  it.each(CASES)(
    'The node %s in a workflow computes in a thread, and the event loop turns',
    async (_name, type, args) => {
      const watched = await watch((options) => runWorkflow(workflowWith(type, args), args, options));
      expect(watched).toEqual(EXPECTED);
      expect(watched.turns).toBeGreaterThan(0);
    },
  );

  it.each(REFUSED_XML.map((args, index) => [index + 1, args] as const))(
    'The node core:xml refuses the hostile text %d in a thread',
    async (_number, args) => {
      const watched = await watch((options) => runCoreNode('core:xml', args, options), {});
      expect(watched).toMatchObject({ end: 'ParameterValidationError', isComputed: true });
    },
  );

  it('A hostile condition ends core:loop, and the event loop turns', async () => {
    const workflows = new Map([['again', workflowWith('core:echo', { value: 1 })]]);
    const args = { value: NUMBERS, workflowId: 'again', until: LOOPS.replaceAll('item', 'value') };
    const watched = await watch((options) => runCoreNode('core:loop', args, { ...options, workflows }));
    expect(watched).toMatchObject({ end: 'TimeoutError', isComputed: true });
    expect(watched.turns).toBeGreaterThan(0);
  });

  it('Hostile expressions in a concurrent core:forEach are stopped one by one, and the event loop turns', async () => {
    const body = workflowWith('core:map', { items: [], expression: LOOPS });
    body.interfaceInputs = { item: { dataFlowType: 'ARRAY' }, expression: { dataFlowType: 'STRING' } };
    body.edges[0]!.sourceHandle = 'item';
    const workflows = new Map([['one', body]]);
    const args = {
      items: Array.from({ length: 6 }, () => [NUMBERS]),
      workflowId: 'one',
      concurrency: 6,
      inputs: { expression: LOOPS },
      onItemError: 'null',
    };
    let results: Json = null;
    const watched = await watch(async (options) => {
      results = await runCoreNode('core:forEach', args, { ...options, workflows });
    });
    expect(watched).toMatchObject({ end: 'succeeded', isComputed: true });
    expect(results).toEqual([null, null, null, null, null, null]);
  });
});

describe('A computation in a thread', () => {
  const hostile = HOSTILE['core:expression']![0]!;

  it('A node that exceeds its own time limit fails, and its computation is stopped', async () => {
    const workflow = workflowWith('core:expression', hostile);
    workflow.nodes[1]!.timeoutMs = 50;
    await expect(runWorkflow(workflow, hostile, optionsFor())).rejects.toMatchObject({
      type: 'TimeoutError',
      message: expect.stringContaining('within 50 ms'),
    });
  });

  it('A cancelled run ends at once while its computations run and wait', async () => {
    const stop = new AbortController();
    const runs = Array.from({ length: 5 }, () =>
      runCoreNode('core:expression', hostile, { signal: stop.signal }).catch((error: unknown) => error),
    );
    setImmediate(() => stop.abort());
    for (const end of await Promise.all(runs)) expect(end).toMatchObject({ type: 'CancelledError' });
    await expect(runCoreNode('core:length', { value: LONG })).resolves.toBe(LONG.length);
  });

  it('The message of a TimeoutError names the limit and a way to fix it', async () => {
    const limits: number[] = [];
    const { compute } = optionsFor(SHORT_COMPUTATIONS);
    const run = runCoreNode('core:expression', hostile, {
      compute: (computation, signal) => {
        limits.push(computation.timeoutMs);
        return compute!(computation, signal);
      },
    });
    await expect(run).rejects.toMatchObject({
      message: expect.stringContaining(
        `'expression' took longer than ${SHORT_MS} ms; give it less data or fewer loops inside each other`,
      ),
    });
    expect(limits).toEqual([3_000]);
  });

  it('Names such as __proto__ and constructor are kept in a thread', async () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "list": [{"__proto__": 3}]}') as JsonObject;
    const items = [odd, ...Array.from({ length: 500 }, (_, index) => ({ index }))];
    const [first] = (await runCoreNode('core:filter', { items, condition: 'index == 0' })) as JsonObject[];
    expect(JSON.stringify(first)).toBe(JSON.stringify(odd));
    expect(Object.getPrototypeOf(first)).toBe(Object.prototype);
    const groups = await runCoreNode('core:group', { items: Array.from(items, () => '__proto__') });
    expect(Object.keys(groups as JsonObject)).toEqual(['__proto__']);
  });

  it('A failure in a thread keeps its type and message', async () => {
    const items = Array.from({ length: 500 }, (_, index) => ({ index }));
    await expect(runCoreNode('core:map', { items, expression: 'item.x' })).rejects.toMatchObject({
      type: 'NodeError',
      message: expect.stringContaining('No such key: x'),
    });
    await expect(runCoreNode('core:aggregate', { items, op: 'sum' })).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining('item 0 is not a number but {"index":0}'),
    });
  });
});
