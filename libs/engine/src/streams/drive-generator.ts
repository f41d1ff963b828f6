import { setImmediate } from 'node:timers/promises';
import { isObject, ToolError, type Json } from '@errand/contracts';
import type { Attempt } from '../run/attempt.js';
import { copyObject } from '../run/copy-json.js';
import type { GraphNode } from '../graph/graph.js';
import type { Stream } from './stream.js';

/** After this many chunks the generator yields to the event loop. */
const CHUNKS_A_TURN = 64;

/**
 * Runs a node that is an async generator. It passes chunks on as they come, and requests the next one when the stream
 * has room. At the end of the attempt the generator is asked to return.
 * @returns its outputs: the returned ones, and the other streamed ones as whole values
 * @throws OutputError if it yields anything but chunks of its streamed outputs
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
    if (done) return withWholes(value ?? {}, streams, node.outputs ?? {});
    for (const stream of pushChunks(value, streams)) {
      const room = stream.room();
      if (room) await attempt.waitWithoutPermit(room);
    }
    await attempt.lease.yieldPermit();
    if (count % CHUNKS_A_TURN === 0) await setImmediate();
  }
}

function pushChunks(yielded: unknown, streams: ReadonlyMap<string, Stream>): Stream[] {
  if (!isObject(yielded)) throw new ToolError('OutputError', 'It did not yield an object with a chunk for an output');
  return Object.entries(copyObject(yielded)).map(([slot, chunk]) => {
    const stream = streams.get(slot);
    if (!stream) throw new ToolError('OutputError', `It yielded '${slot}', which is not one of its streamed outputs`);
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
    wholes[slot] = stream.isEmpty && slots[slot]?.dataFlowType === 'STRING' ? '' : stream.whole();
  }
  return { ...wholes, ...returned };
}
