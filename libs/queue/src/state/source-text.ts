import type { Queues } from '../redis/connect.js';
import { keysOf } from '../redis/names.js';

/** The largest text that is kept with its invocation, in bytes of UTF-8. */
export const MOST_SOURCE_BYTES = 65_536;

/** The text that a submission came as. It is stored with its invocation, and removed with it. */
export interface SourceText {
  text: string;
  /** The format in which the calls are written. */
  protocol: string;
}

/** The text of an invocation; undefined if none is kept. */
export async function readSource({ redis }: Queues, id: string): Promise<SourceText | undefined> {
  const stored = await redis.get(keysOf(redis).source(id));
  return stored === null ? undefined : (JSON.parse(stored) as SourceText);
}
