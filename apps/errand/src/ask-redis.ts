import { connect } from 'node:net';

const RESPONSE_MS = 1_000;

/**
 * Whether the Redis at a port of loopback accepts the password and answers PING. A Redis that loads its data gives an error to PING:
 * the answer is then false at once. A client library waits at least a second in that case, so a start would take longer.
 */
export function askRedis(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    let response = '';
    const finish = (isReady: boolean) => {
      socket.destroy();
      resolve(isReady);
    };
    socket.setTimeout(RESPONSE_MS, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      response += chunk.toString('latin1');
      if (response === '+OK\r\n+PONG\r\n') finish(true);
      else if (/^-/m.test(response)) finish(false);
    });
  });
}
