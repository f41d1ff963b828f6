import { runProcess } from '@errand/platform';
import { startScriptRunner } from './start.js';

runProcess(() => startScriptRunner(process.env));
