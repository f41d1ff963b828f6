import { runProcess } from '@errand/platform';
import { startWorker } from './start.js';

runProcess(() => startWorker(process.env));
