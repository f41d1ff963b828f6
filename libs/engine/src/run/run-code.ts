import { isObject, own, type JsonObject, type NodeContext, type NodeState } from '@errand/contracts';
import type { NodeInputs } from '../streams/node-inputs.js';
import type { Attempt } from './attempt.js';
import { driveGenerator } from '../streams/drive-generator.js';
import { hasFallback, type GraphNode } from '../graph/graph.js';
import { RunningContext } from './node-context.js';
import type { NodeHost } from './run-scope.js';
import { StreamReader } from '../streams/stream-reader.js';
import { Stream } from '../streams/stream.js';

/** A node with code, for all of its attempts. */
export interface CodeNode {
  node: GraphNode;
  nodeInputs: NodeInputs;
  state: NodeState;
  host: NodeHost;
  /** Its output streams by slot, from its first chunk on. */
  streams: Map<string, Stream> | undefined;
}

/**
 * Runs the code of a node once and returns its result. For a generator, streamed outputs are included as whole values.
 */
export function runCode(code: CodeNode, attempt: Attempt, inputs: JsonObject): unknown {
  const { node } = code;
  const { whole, streams } = node.streamedInputs.length > 0 ? openStreams(code, attempt, inputs) : { whole: inputs };
  if (!node.type) throw new Error(`${node.key} has no code`);
  const returned: unknown = node.type.run(whole, new RunningContext(code, attempt, streams));
  return isGenerator(returned) ? driveGenerator(returned, node, beginStreams(code), attempt) : returned;
}

/** Separates the streamed inputs from the others. A stored value is a stream of one chunk. */
function openStreams(
  { node, nodeInputs }: CodeNode,
  attempt: Attempt,
  inputs: JsonObject,
): { whole: JsonObject; streams: NodeContext['streams'] } {
  const slots = node.streamedInputs;
  const reader = new StreamReader({
    waitWithoutPermit: (wait) => attempt.waitWithoutPermit(wait),
    acceptsFailure: (slot, failure) => {
      if (!own(node.inputs, slot)?.acceptsFailure) return false;
      nodeInputs.failures[slot] = failure.toFailure();
      return true;
    },
  });
  attempt.onEnd(() => reader.close());
  const stored = (name: string) => {
    const value = own(inputs, name);
    return value === undefined ? [] : [Stream.of(value)];
  };
  const opened = slots.map(
    (name) => [name, reader.openSlot(name, nodeInputs.streams?.[name] ?? stored(name))] as const,
  );
  const others = Object.entries(inputs).filter(([name]) => !slots.includes(name));
  return { whole: Object.fromEntries(others), streams: Object.fromEntries(opened) };
}

/**
 * A further attempt continues the streams of the first one, which produced no chunk. If the node has fallback outputs
 * (`onError`), its chunks are not passed on, because they might not count.
 */
function beginStreams(code: CodeNode): ReadonlyMap<string, Stream> {
  if (code.streams) return code.streams;
  const streamed = Object.entries(code.node.outputs ?? {}).filter(([, slot]) => slot.isStream);
  code.streams = new Map(streamed.map(([name]) => [name, new Stream()]));
  if (!hasFallback(code.node)) code.host.onStreams(code.node, code.streams);
  return code.streams;
}

/** Whether the code has returned a promise, or any other object with `then`, instead of its outputs. */
export function isPending(returned: unknown): boolean {
  return isObject(returned) && typeof returned['then'] === 'function';
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return isObject(value) && Symbol.asyncIterator in value && typeof value.next === 'function';
}
