import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './top-folder.js';

/** The version of Errand. */
export const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
