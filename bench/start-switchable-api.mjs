// Starts an API that keeps refusals or keeps none, as the parent says last by `{isKept}`. The answer is the processor time so far. One process
// does both: two processes differ by more than what is measured here, because V8 compiles each in its own way.
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const { RefusalLog } = require('../dist/apps/api/src/refusals/refusal-log.js');

let isOn = true;
Object.defineProperty(RefusalLog.prototype, 'isOn', { get: () => isOn });
process.on('message', ({ isKept }) => {
  isOn = isKept;
  process.send(process.cpuUsage());
});
process.env.APP = 'api';
await import('./start-app.mjs');
