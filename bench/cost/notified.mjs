// Receives notifications as each process of Errand does, and waits for none of them.
import { createRequire } from 'node:module';
const { NotificationHub } = createRequire(import.meta.url)('../../dist/libs/queue/src/index.js');

await NotificationHub.open(process.env.REDIS_URL);
process.send({ ready: true });
