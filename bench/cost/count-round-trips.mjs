// A TCP proxy in front of Redis that counts the round trips of its clients.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * Counts a round trip when a client sends after a reply, or for the first time. Requests that are sent together are one round trip, and
 * a message of a subscription is none.
 */
export async function countRoundTrips(redisUrl) {
  const { hostname, port } = new URL(redisUrl);
  let [trips, messages] = [0, 0];
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (client) => {
    const redis = connect({ host: hostname, port: Number(port), noDelay: true });
    let isAnswered = true;
    client.on('data', (chunk) => {
      if (isAnswered) trips++;
      isAnswered = false;
      messages++;
      redis.write(chunk);
    });
    redis.on('data', (chunk) => {
      isAnswered = true;
      messages++;
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, redis],
      [redis, client],
    ]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => (sockets.delete(socket), other.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${server.address().port}`,
    trips: () => trips,
    /** How many pieces have passed, in both directions. */
    messages: () => messages,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
