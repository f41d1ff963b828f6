import { runProcess } from '@errand/platform';
import { startApi } from './start.js';

runProcess(() => startApi(process.env));
