import { own, setOwn, type Failure, type Json, type JsonObject, type ToolError } from '@errand/contracts';
import type { Connection, GraphNode, Link } from '../graph/graph.js';
import { Stream } from './stream.js';

/** The outcome of a node for its dependents. A slot that `outputs` lacks has no value (a branch not taken). */
export type Settled = { outputs: JsonObject } | { failure: ToolError };

/** The inputs of a node whose sources are ready. */
export class NodeInputs {
  /** By slot. A multi-input is a list. */
  readonly values: JsonObject = {};
  private streamed: Record<string, readonly Stream[]> | undefined;
  private caught: Record<string, Failure> | undefined;

  /** By streamed slot, undefined without one. A whole value is a stream of one chunk. */
  get streams(): Readonly<Record<string, readonly Stream[]>> | undefined {
    return this.streamed;
  }

  /** By slot: the failure, if the slot accepts failures. */
  get failures(): Record<string, Failure> {
    // Objects without prototype, because a slot may be called `__proto__` or `constructor`.
    return (this.caught ??= Object.create(null));
  }

  addStreams(slot: string, streams: readonly Stream[]): void {
    (this.streamed ??= Object.create(null) as Record<string, readonly Stream[]>)[slot] = streams;
  }
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
  replaced?: JsonObject,
): NodeInputs | { skipped: Settled } {
  const nodeInputs = new NodeInputs();
  let branchNotTaken = false;
  for (const connection of node.connections) {
    const { name, slot, links } = connection;
    if (replaced && own(replaced, name) !== undefined) continue;
    const { values, failure, notGiven } = collect(connection, sources, nodeInputs);
    if (failure && !slot?.acceptsFailure) return { skipped: { failure } };
    if (failure) nodeInputs.failures[name] = failure.toFailure();
    const isEmpty = values.length === 0 && notGiven < links.length;
    branchNotTaken ||= isEmpty && !slot?.acceptsFailure && node.kind !== 'groupOutput';
  }
  return branchNotTaken ? { skipped: { outputs: {} } } : nodeInputs;
}

/** Puts the values of a connected input into the inputs of the node. */
function collect({ name, slot, links, isStreamed }: Connection, sources: SourceStates, nodeInputs: NodeInputs) {
  if (isStreamed) {
    const collected = collectStreams(links, sources);
    if (collected.values.length > 0) nodeInputs.addStreams(name, collected.values);
    return collected;
  }
  const collected = collectValues(links, sources);
  const [first] = collected.values;
  if (first !== undefined) setOwn(nodeInputs.values, name, slot?.multi ? collected.values : first);
  return collected;
}

interface Collected<T> {
  values: T[];
  failure: ToolError | undefined;
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
    else if (Array.isArray(value) && isSeveral(link)) for (const item of value) values.push(item);
    else values.push(value);
  }
  return { values, notGiven, failure };
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
    const { values: whole, failure, notGiven } = collectValues([link], sources);
    if (failure) return { values, failure, notGiven };
    missing += notGiven;
    if (stream) values.push(stream);
    else values.push(...whole.map((value) => Stream.of(value)));
  }
  return { values, failure: undefined, notGiven: missing };
}
