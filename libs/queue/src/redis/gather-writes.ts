import type { Redis } from 'ioredis';

/**
 * Commands of one turn of the event loop leave in one write: a call of the system for each of them would cost more than all the rest
 * of it. A lone command waits for nothing: the turn is over when all that has arrived by then has been looked at.
 */
export function gatherWrites(redis: Redis): void {
  // Each time that it connects it has a new stream.
  redis.on('connect', () => {
    const { stream } = redis;
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
    stream.write = (...args: unknown[]) => {
      if (stream.writableCorked === 0) {
        stream.cork();
        setImmediate(() => stream.uncork());
      }
      return write(...args);
    };
  });
}
