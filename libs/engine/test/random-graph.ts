import * as fc from 'fast-check';
import type { Json, NodeType, StoredNode, StoredWorkflow } from '@errand/contracts';
import { Suspended, type RunOptions } from '../src/index.js';
import { edge, nodeType, workflow } from './workflow-kit.js';

/**
 * Random graphs with all features of the engine, and an evaluator of their expected ends. The evaluator goes node by
 * node and uses no code of the engine.
 */
export interface Plan {
  nodes: PlannedNode[];
  concurrency: number;
}

const KINDS = ['sum', 'sum', 'sum', 'branch', 'rescue', 'group', 'each', 'flow', 'ask'] as const;

export interface PlannedNode {
  kind: (typeof KINDS)[number];
  own: number;
  /** Earlier nodes and the numbers of their outputs. */
  from: { node: number; output: number }[];
  fails: boolean;
  /** Its type declares no effects, so it counts as having them. */
  acts: boolean;
  onError: 'fail' | 'continue' | 'default';
  passed: 'bypassed' | 'muted' | undefined;
  /** The node yields to the event loop before it ends. */
  yields: boolean;
}

const rarely = fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0);

const node: fc.Arbitrary<PlannedNode> = fc.record({
  kind: fc.constantFrom(...KINDS),
  own: fc.integer({ min: -9, max: 9 }),
  from: fc.array(fc.record({ node: fc.nat({ max: 999 }), output: fc.nat({ max: 1 }) }), { maxLength: 4 }),
  fails: rarely,
  acts: fc.boolean(),
  onError: fc.constantFrom('fail', 'fail', 'continue', 'default'),
  passed: rarely.chain((is) => (is ? fc.constantFrom('bypassed' as const, 'muted' as const) : fc.constant(undefined))),
  yields: fc.boolean(),
});

export const plans: fc.Arbitrary<Plan> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 25 }).map((nodes) => nodes.map(tidy)),
  concurrency: fc.integer({ min: 1, max: 5 }),
});

/** Makes all connections lead from earlier nodes, and at most one to a node with a single input. */
function tidy(planned: PlannedNode, index: number): PlannedNode {
  const isMany = planned.kind === 'sum' || planned.kind === 'branch' || planned.kind === 'each';
  const from = index === 0 ? [] : planned.from.map((link) => ({ ...link, node: link.node % index }));
  return {
    ...planned,
    from: isMany ? from : from.slice(0, 1),
    // Other tests cover the rules of a bypass. Here a bypassed node passes on its own number.
    passed: planned.passed === 'bypassed' && planned.kind !== 'sum' ? undefined : planned.passed,
    fails: planned.fails && ['sum', 'each', 'flow'].includes(planned.kind),
  };
}

const OUTPUTS = { branch: ['even', 'odd'] };
const outputsOf = ({ kind }: PlannedNode): string[] => (kind === 'branch' ? OUTPUTS.branch : ['value']);
const outputOf = (source: PlannedNode, wished: number): string => outputsOf(source)[wished % outputsOf(source).length]!;
const inputOf = ({ kind }: PlannedNode): string =>
  kind === 'group' ? 'x' : kind === 'rescue' || kind === 'flow' || kind === 'ask' ? 'value' : 'parts';

/** A hash of all values in order. Full histories would grow exponentially. */
function hash(values: readonly Json[]): number {
  return values.flat(9).reduce<number>((total, value) => (total * 31 + Number(value) + 7) % 1_000_003, 1);
}

/** The output of the workflow inside a group for its optional input. */
const inner = (...x: Json[]): number => hash([5, ...x]);

export interface Expected {
  status: 'succeeded' | 'failed' | 'skipped';
  /** By output, without the outputs of branches not taken. Undefined means that the node passes on a failure. */
  outputs: Record<string, Json> | undefined;
}

/** The expected end of each node. */
export function evaluate({ nodes }: Plan): Expected[] {
  const ends: Expected[] = [];
  for (const planned of nodes) ends.push(evaluateNode(planned, nodes, ends));
  return ends;
}

function evaluateNode(planned: PlannedNode, nodes: readonly PlannedNode[], ends: readonly Expected[]): Expected {
  const sources = planned.from.map((link) => ({
    end: ends[link.node]!,
    output: outputOf(nodes[link.node]!, link.output),
  }));
  const failed = sources.some(({ end }) => end.outputs === undefined);
  const values = sources.flatMap(({ end, output }) => {
    const value = end.outputs?.[output];
    return value === undefined ? [] : [value];
  });
  const accepts = planned.kind === 'rescue';
  if (failed && !accepts) return { status: 'skipped', outputs: undefined };
  if (sources.length > 0 && values.length === 0 && !accepts) return { status: 'skipped', outputs: {} };
  if (planned.passed === 'muted') return { status: 'skipped', outputs: {} };
  if (planned.passed === 'bypassed') return { status: 'skipped', outputs: { value: planned.own } };
  if (planned.fails) return failure(planned);
  return { status: 'succeeded', outputs: resultOf(planned, values) };
}

function failure({ onError, own }: PlannedNode): Expected {
  if (onError === 'fail') return { status: 'failed', outputs: undefined };
  return { status: 'failed', outputs: { value: onError === 'continue' ? null : own } };
}

function resultOf({ kind, own }: PlannedNode, values: readonly Json[]): Record<string, Json> {
  const [first = null] = values;
  const all = hash([own, ...values]);
  switch (kind) {
    case 'sum':
      return { value: all };
    case 'branch':
      return { [all % 2 === 0 ? 'even' : 'odd']: all };
    case 'rescue':
      return { value: first ?? own };
    case 'group':
      return { value: inner(...values) };
    case 'each':
      return { value: values.map((value) => inner(value)) };
    case 'flow':
      return { value: [own, hash([first])] };
    case 'ask':
      return { value: own * 2 };
    default:
      return kind satisfies never;
  }
}

const ANY = { dataFlowType: 'WILDCARD' };
const MANY = { own: { dataFlowType: 'INTEGER' }, parts: { ...ANY, multi: true } };
const ONE = { own: { dataFlowType: 'INTEGER' }, value: ANY };
const STREAM = { ...ANY, isStream: true };
const CONFIG = { fails: {}, yields: {} };

/**
 * The node types of the plans. Each one exists twice: without effects, and with the suffix `-acts` and no declaration.
 * `onRun` is called for each node whose code begins.
 */
export function plannedTypes(onRun: (nodeId: string) => void): NodeType[] {
  const types = typesWithoutEffects(onRun);
  return types.flatMap(({ type, ...rest }) => [
    { ...rest, type, effects: 'none' as const },
    { ...rest, type: `${type}-acts` },
  ]);
}

function typesWithoutEffects(onRun: (nodeId: string) => void): NodeType[] {
  const begin = async ({ nodeId, config }: { nodeId: string; config: Record<string, Json> }): Promise<void> => {
    onRun(nodeId);
    if (config.yields) await new Promise(setImmediate);
    if (config.fails) throw new Error('planned');
  };
  const list = (parts: Json | undefined): Json[] => (Array.isArray(parts) ? parts : []);
  return [
    nodeType(
      'plan:sum',
      [],
      async ({ own = null, parts }, context) => (await begin(context), { value: hash([own, ...list(parts)]) }),
      { inputs: MANY, config: CONFIG },
    ),
    nodeType(
      'plan:branch',
      [],
      async ({ own = null, parts }, context) => {
        await begin(context);
        const all = hash([own, ...list(parts)]);
        return { [all % 2 === 0 ? 'even' : 'odd']: all };
      },
      { inputs: MANY, outputs: { even: ANY, odd: ANY }, config: CONFIG },
    ),
    nodeType(
      'plan:rescue',
      [],
      async ({ own = null, value = null }, context) => (await begin(context), { value: value ?? own }),
      { inputs: { ...ONE, value: { ...ANY, acceptsFailure: true } }, config: CONFIG },
    ),
    nodeType(
      'plan:each',
      [],
      async ({ parts }, context) => {
        await begin(context);
        return { value: await Promise.all(list(parts).map((x) => context.runWorkflow('inner', { x }))) };
      },
      { inputs: MANY, config: CONFIG },
    ),
    nodeType(
      'plan:flow',
      [],
      async function* ({ own = null }, context) {
        await begin(context);
        yield { value: own };
        const read: Json[] = [];
        for await (const chunk of context.streams.value!) read.push(chunk);
        yield { value: hash([read.length === 0 ? null : read]) };
      },
      { inputs: { ...ONE, value: STREAM }, outputs: { value: STREAM }, config: CONFIG },
    ),
    nodeType(
      'plan:ask',
      [],
      async (_inputs, context) => (await begin(context), { value: (await context.park({ for: 'answer' })) ?? null }),
      { inputs: ONE, config: CONFIG },
    ),
  ];
}

const INNER = workflow(
  [{ id: 's', type: 'plan:sum', inputValues: { own: 5 } }],
  ['in.x > s.parts', 's.value > out.value'],
  { id: 'inner', inputs: ['x'], outputs: ['value'] },
);
export const WORKFLOWS: RunOptions['workflows'] = new Map([['inner', INNER]]);

/** The plan as a workflow. Its outputs `o<node>.<output>` are the node outputs without a connection. */
export function toWorkflow({ nodes }: Plan): StoredWorkflow {
  const edges = nodes.flatMap((planned, index) =>
    planned.from.map((link, place) => {
      const from = `n${link.node}.${outputOf(nodes[link.node]!, link.output)}`;
      return edge(from, `n${index}.${inputOf(planned)}`, `${index}-${place}`);
    }),
  );
  const ends = openEnds({ nodes, concurrency: 1 }).map(({ from, to }) => edge(from, `out.${to}`));
  const stored = workflow(nodes.map(toStored), [], { outputs: ends.map(({ targetHandle }) => targetHandle) });
  return { ...stored, edges: [...edges.toReversed(), ...ends] };
}

function toStored(planned: PlannedNode, index: number): StoredNode {
  const { kind, own, from, fails, acts, yields, onError, passed } = planned;
  const id = `n${index}`;
  if (kind === 'group') {
    const muted = passed === 'muted';
    return { id, type: 'core:NodeGroup', configValues: { referencedWorkflowId: 'inner' }, muted };
  }
  const order = from.map((_, place) => `${index}-${place}`);
  return {
    id,
    type: `plan:${kind}${acts ? '-acts' : ''}`,
    inputValues: { own },
    configValues: { fails, yields },
    inputConnectionOrders: { [inputOf(planned)]: order },
    onError,
    ...(kind !== 'branch' && { defaultOutputs: { value: own } }),
    bypassed: passed === 'bypassed',
    muted: passed === 'muted',
  };
}

/** The outputs of nodes without an outgoing connection. */
export function openEnds({ nodes }: Plan): { node: number; output: string; from: string; to: string }[] {
  const taken = new Set(nodes.flatMap(({ from }) => from.map((link) => link.node)));
  return nodes.flatMap((planned, index) =>
    taken.has(index)
      ? []
      : outputsOf(planned).map((output) => ({
          node: index,
          output,
          from: `n${index}.${output}`,
          to: `o${index}_${output}`,
        })),
  );
}

/** True if a run was suspended. */
export const isSuspended = (error: unknown): boolean => error instanceof Suspended;
