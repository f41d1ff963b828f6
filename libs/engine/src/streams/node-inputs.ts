import type { Failure, Json, JsonObject, StoredSlot, ToolError } from '@errand/contracts';
import { own } from '@errand/contracts';
import type { GraphNode, Link } from '../graph/graph.js';
import { Stream } from './stream.js';

/** The outcome of a node for its dependents. A slot that `outputs` lacks has no value (a branch not taken). */
export type Settled = { outputs: JsonObject } | { failure: ToolError };

/** The inputs of a node whose sources are ready. */
export interface NodeInputs {
  /** By slot. A multi-input is a list. */
  values: JsonObject;
  /** By streamed slot. A whole value is a stream of one chunk. */
  streams: Record<string, Stream[]>;
  /** By slot: the failure, if the slot accepts failures. */
  failures: Record<string, Failure>;
}

/** The progress of a node's sources. */
export interface SourceStates {
  settledOf(source: GraphNode): Settled | undefined;
  /** The stream of a connection, if its source has begun to stream. */
  streamOf(link: Link): Stream | undefined;
}

/**
 * Collects the values of the sources, or returns how the node is skipped. A failed source skips the node with its
 * failure. A source that took another branch skips it without outputs.
 * A multi-input leaves out values of branches not taken and needs one value. A workflow input without a value counts as
 * not connected. A slot in `replaced` is not checked.
 */
export function gatherInputs(
  node: GraphNode,
  sources: SourceStates,
  replaced: JsonObject = {},
): NodeInputs | { skipped: Settled } {
  // Objects without prototype, because a slot may be called `__proto__` or `constructor`.
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
  /** The number of connections from a workflow input without a value. */
  notGiven: number;
}

function collectValues(links: readonly Link[], sources: SourceStates): Collected<Json> {
  const values: Json[] = [];
  let failure: ToolError | undefined;
  let notGiven = 0;
  for (const link of links) {
    const settled = sources.settledOf(link.source);
    if (!settled) continue;
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

/** A workflow input that is a multi-input passes each value on separately to another multi-input. */
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
  received: (Json | Stream)[],
): void {
  const whole: Json[] = [];
  const streamed: Stream[] = [];
  for (const one of received) {
    if (one instanceof Stream) streamed.push(one);
    else whole.push(one);
  }
  if (streamed.length > 0) streams[name] = streamed;
  else if (slot?.multi) values[name] = whole;
  else if (whole[0] !== undefined) values[name] = whole[0];
}
