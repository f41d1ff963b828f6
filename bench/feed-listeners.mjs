// Opens streams of everything at an API and throws away what they send. Reports the bytes that came, each time the parent asks.
import { get } from 'node:http';

const { FEED_URL, LISTENERS = '100' } = process.env;
let bytes = 0;

function open() {
  return new Promise((resolve, reject) => {
    const request = get(FEED_URL, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the feed answered ${response.statusCode}`));
      response.on('data', (chunk) => void (bytes += chunk.length));
      resolve();
    });
    request.on('error', reject);
  });
}

await Promise.all(Array.from({ length: Number(LISTENERS) }, open));
process.on('message', () => process.send({ bytes }));
process.send({ ready: true });
