import type { Failure, Json, JsonObject, StoredSlot, ToolError } from '@errand/contracts';
import { own } from '@errand/contracts';
import type { GraphNode, Link } from '../graph/graph.js';
import { Stream } from './stream.js';

/** How a node ended for those that depend on it: a slot that `outputs` lacks has no value (a branch not taken). */
export type Settled = { outputs: JsonObject } | { failure: ToolError };

/** What has arrived at a node for which all is there that it waits for. */
export interface NodeInputs {
  /** By slot; multi-inputs as lists. */
  values: JsonObject;
  /** By slot that takes a stream; what came whole is a stream of one chunk. */
  streams: Record<string, Stream[]>;
  /** Why, where it is a failure that the slot accepts. */
  failures: Record<string, Failure>;
}

/** Where a node's sources stand. */
export interface SourceStates {
  settledOf(source: GraphNode): Settled | undefined;
  /** The chunks that come along a connection, where its source has begun to give them. */
  streamOf(link: Link): Stream | undefined;
}

/**
 * Gathers what the sources gave, or says how the node is skipped: with the failure of a source that it needs, or, where a source
 * took another branch, without any output. Of a multi-input's values those of branches not taken are left out; it is enough
 * that one is there. An input of the workflow that nobody gave is no branch: it is as if nothing were connected. What a slot in
 * `replaced` would get does not matter.
 */
export function gatherInputs(
  node: GraphNode,
  sources: SourceStates,
  replaced: JsonObject = {},
): NodeInputs | { skipped: Settled } {
  // Without prototypes: a slot may be called `__proto__` or `constructor`.
  const nodeInputs: NodeInputs = {
    values: Object.create(null),
    streams: Object.create(null),
    failures: Object.create(null),
  };
  let branchNotTaken = false;
  for (const [name, links] of node.incoming) {
    if (own(replaced, name) !== undefined) continue;
    const slot = own(node.inputs, name);
    const { values, failure, notGiven } = node.streamedInputs.includes(name)
      ? collectStreams(links, sources)
      : collectValues(links, sources);
    if (failure && !slot?.acceptsFailure) return { skipped: { failure } };
    if (failure) nodeInputs.failures[name] = failure.toFailure();
    const isEmpty = values.length === 0 && notGiven < links.length;
    branchNotTaken ||= isEmpty && !slot?.acceptsFailure && node.kind !== 'groupOutput';
    if (values.length > 0) put(nodeInputs, name, slot, values);
  }
  return branchNotTaken ? { skipped: { outputs: {} } } : nodeInputs;
}

interface Collected<T> {
  values: T[];
  failure?: ToolError;
  /** How many of the connections bring an input of the workflow that nobody gave. */
  notGiven: number;
}

function collectValues(links: readonly Link[], sources: SourceStates): Collected<Json> {
  const values: Json[] = [];
  let failure: ToolError | undefined;
  let notGiven = 0;
  for (const link of links) {
    const settled = sources.settledOf(link.source)!;
    if ('failure' in settled) {
      failure ??= settled.failure;
      continue;
    }
    const value = own(settled.outputs, link.sourceSlot);
    if (value === undefined) notGiven += Number(link.source.kind === 'groupInput');
    else if (isSeveral(link) && Array.isArray(value)) for (const item of value) values.push(item);
    else values.push(value);
  }
  return { values, notGiven, ...(failure && { failure }) };
}

/** From multi-input to multi-input, through the input of a workflow: each value goes on as if it were connected by itself. */
function isSeveral({ source, sourceSlot, target, targetSlot }: Link): boolean {
  return own(source.outputs, sourceSlot)?.multi === true && own(target.inputs, targetSlot)?.multi === true;
}

function collectStreams(links: readonly Link[], sources: SourceStates): Collected<Stream> {
  const values: Stream[] = [];
  let missing = 0;
  for (const link of links) {
    const stream = sources.streamOf(link);
    const {
      values: whole,
      failure,
      notGiven,
    } = sources.settledOf(link.source) ? collectValues([link], sources) : NOTHING;
    if (failure) return { values, failure, notGiven };
    missing += notGiven;
    if (stream) values.push(stream);
    else values.push(...whole.map((value) => Stream.of(value)));
  }
  return { values, notGiven: missing };
}

const NOTHING: Collected<Json> = { values: [], notGiven: 0 };

function put(
  { values, streams }: NodeInputs,
  name: string,
  slot: StoredSlot | undefined,
  all: (Json | Stream)[],
): void {
  const came: Json[] = [];
  const streamed: Stream[] = [];
  for (const one of all) {
    if (one instanceof Stream) streamed.push(one);
    else came.push(one);
  }
  if (streamed.length > 0) streams[name] = streamed;
  else values[name] = slot?.multi ? came : came[0]!;
}
