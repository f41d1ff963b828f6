import { connect } from 'node:net';

const ANSWER_MS = 1_000;

/** Whether the Redis at a port of loopback serves: it takes the password and answers PING, which it does not while it still loads. */
export function askRedis(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    let answer = '';
    const tell = (serves: boolean) => {
      socket.destroy();
      resolve(serves);
    };
    socket.setTimeout(ANSWER_MS, () => tell(false));
    socket.on('error', () => tell(false));
    socket.on('close', () => tell(false));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer === '+OK\r\n+PONG\r\n') tell(true);
      else if (/^-/m.test(answer)) tell(false);
    });
  });
}
