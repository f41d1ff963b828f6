import type { Redis } from 'ioredis';

/**
 * Lets each script of `work` run twice, as it does if the client loses the connection before the answer and sends the command again. Only the
 * second answer comes back.
 */
export async function sendTwice<T>(redis: Redis, work: () => Promise<T>): Promise<T> {
  const send = redis.evalsha.bind(redis) as (...args: unknown[]) => Promise<unknown>;
  const again = async (...args: unknown[]) => {
    await send(...args);
    return send(...args);
  };
  const spy = jest.spyOn(redis, 'evalsha').mockImplementation(again);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
