import { setImmediate } from 'node:timers/promises';
import { isObject, ToolError, type Json } from '@errand/contracts';
import type { Attempt } from '../run/attempt.js';
import { copyObject } from '../run/copy-json.js';
import type { GraphNode } from '../graph/graph.js';
import type { Stream } from './stream.js';

/** After so many chunks the rest of the process has its turn, however fast they come. */
const CHUNKS_A_TURN = 64;

/**
 * Drives a node that is an async generator: hands its chunks on as they come, and asks for the next when there is room for it. When
 * the attempt is over the generator is told to return, wherever it stands.
 * @returns its outputs: those that it returned, and those streamed ones that it did not, whole
 * @throws OutputError where it yields something else than chunks of its streamed outputs
 */
export async function driveGenerator(
  generator: AsyncGenerator<unknown, unknown>,
  node: GraphNode,
  streams: ReadonlyMap<string, Stream>,
  attempt: Attempt,
): Promise<unknown> {
  attempt.onEnd(() => void generator.return(undefined).catch(() => {}));
  for (let count = 1; ; count++) {
    const { done, value } = await generator.next();
    attempt.throwIfOver();
    if (done) return withWholes(value ?? {}, streams, node.outputs!);
    for (const stream of handOut(value, streams)) {
      const room = stream.room();
      if (room) await attempt.waitWithoutPermit(room);
    }
    await attempt.turn.yieldPermit();
    if (count % CHUNKS_A_TURN === 0) await setImmediate();
  }
}

function handOut(yielded: unknown, streams: ReadonlyMap<string, Stream>): Stream[] {
  if (!isObject(yielded)) throw new ToolError('OutputError', 'It did not yield an object with a chunk for an output');
  return Object.entries(copyObject(yielded)).map(([slot, chunk]) => {
    const stream = streams.get(slot);
    if (!stream) throw new ToolError('OutputError', `It yielded '${slot}', which is none of its streamed outputs`);
    stream.push(chunk);
    return stream;
  });
}

function withWholes(
  returned: unknown,
  streams: ReadonlyMap<string, Stream>,
  slots: Record<string, { dataFlowType: string }>,
): unknown {
  if (!isObject(returned)) return returned;
  const wholes: Record<string, Json> = Object.create(null);
  for (const [slot, stream] of streams) {
    wholes[slot] = stream.isEmpty && slots[slot]!.dataFlowType === 'STRING' ? '' : stream.whole();
  }
  return { ...wholes, ...returned };
}
