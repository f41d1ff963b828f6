import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer } from 'node:net';

/**
 * Opens the other addresses of `localhost` (127.0.0.1 and ::1 on most machines) for a server that listens on the first.
 * The server gets their connections, so that all its limits apply. Addresses that this machine lacks are left out.
 * @param host the configured listen address; other names open nothing more
 * @returns a function that stops listening; it resolves when the last of these connections has closed
 */
export async function listenEverywhere(server: Server, host: string): Promise<() => Promise<void>> {
  if (host !== 'localhost') return async () => {};
  const { address, port } = server.address() as AddressInfo;
  const others = (await lookup(host, { all: true })).map((found) => found.address).filter((other) => other !== address);
  const opened = await Promise.all([...new Set(others)].map((other) => listenFor(server, other, port)));
  const listening = opened.filter((each) => each !== undefined);
  return async () => {
    await Promise.all(listening.map((each) => new Promise((closed) => each.close(closed))));
  };
}

function listenFor(server: Server, address: string, port: number): Promise<NetServer | undefined> {
  // The same options as an HTTP server.
  const twin = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  return new Promise((resolve) => {
    twin.on('error', () => resolve(undefined));
    twin.listen(port, address, () => resolve(twin));
  });
}
