import type { Redis } from 'ioredis';

/**
 * Sends all commands of one tick of the event loop in one write. A system call for each command would cost more than the rest of its work.
 * A single command is not delayed: the tick ends after the events that have already arrived.
 */
export function gatherWrites(redis: Redis): void {
  // Each connection has a new stream.
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

/** Sends the commands of this tick now. */
export function sendGathered({ stream }: Redis): void {
  while (stream.writableCorked > 0) stream.uncork();
}
