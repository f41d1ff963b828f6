import { isObject, own, type JsonObject, type NodeContext, type NodeState } from '@errand/contracts';
import type { Arrivals } from './arrivals.js';
import type { Attempt } from './attempt.js';
import { driveGenerator } from './drive-generator.js';
import { takesStream, type GraphNode } from './graph.js';
import { contextOf } from './node-context.js';
import type { NodeHost } from './run-scope.js';
import { StreamReader } from './stream-reader.js';
import { Stream } from './stream.js';

/** A node with code, for all its attempts. */
export interface CodeNode {
  node: GraphNode;
  arrivals: Arrivals;
  state: NodeState;
  host: NodeHost;
  /** What it gives chunk by chunk, by slot, from when it begins to. */
  streams: Map<string, Stream>;
}

/** Runs the code of a node once, and gives what it returns; of a generator, with its streamed outputs whole. */
export function runCode(code: CodeNode, attempt: Attempt, inputs: JsonObject): unknown {
  const { node, arrivals, state, host } = code;
  const taken = openStreams(code, attempt, inputs);
  const context = contextOf({ node, attempt, state, host, failures: arrivals.failures, streams: taken.streams });
  const returned: unknown = node.type!.run(taken.inputs, context);
  if (!isGenerator(returned)) return returned;
  beginStreams(code);
  return driveGenerator(returned, code, attempt);
}

/** Parts the inputs that are read chunk by chunk from the others; a stored value is one chunk. */
function openStreams(
  { node, arrivals }: CodeNode,
  attempt: Attempt,
  inputs: JsonObject,
): { inputs: JsonObject; streams: NodeContext['streams'] } {
  const slots = Object.keys(node.inputs!).filter((name) => takesStream(node, name));
  if (slots.length === 0) return { inputs, streams: {} };
  const reader = new StreamReader({
    aside: (wait) => attempt.aside(wait),
    acceptsFailure: (slot, failure) => {
      if (!node.inputs![slot]!.acceptsFailure) return false;
      arrivals.failures[slot] = failure.toFailure();
      return true;
    },
  });
  attempt.onEnd(() => reader.close());
  const whole = (name: string) => {
    const value = own(inputs, name);
    return value === undefined ? [] : [Stream.of(value)];
  };
  const opened = slots.map((name) => [name, reader.open(name, arrivals.streams[name] ?? whole(name))] as const);
  const others = Object.entries(inputs).filter(([name]) => !slots.includes(name));
  return { inputs: Object.fromEntries(others), streams: Object.fromEntries(opened) };
}

/** A further attempt goes on with the streams of the first, which had given nothing. */
function beginStreams({ node, streams, host }: CodeNode): void {
  if (streams.size > 0) return;
  for (const [name, slot] of Object.entries(node.outputs!)) if (slot.isStream) streams.set(name, new Stream());
  if (streams.size > 0) host.onStreams(node, streams);
}

function isGenerator(value: unknown): value is AsyncGenerator<unknown, unknown> {
  return isObject(value) && Symbol.asyncIterator in value && typeof value.next === 'function';
}
