import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { createServer, type AddressInfo, type Server as NetServer } from 'node:net';

/**
 * Opens the other addresses of `localhost`, which is 127.0.0.1 and ::1 on most machines, for a server that listens on the first. Their
 * connections are handed to the server, so that all its limits hold for them. An address that this machine does not have is left out.
 * @param host what the server was told to listen on; nothing more is opened for any other name
 * @returns what stops it; it resolves when the last of these connections has closed
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
  // The options that an HTTP server has.
  const twin = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  return new Promise((resolve) => {
    twin.on('error', () => resolve(undefined));
    twin.listen(port, address, () => resolve(twin));
  });
}
