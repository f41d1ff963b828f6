import { join } from 'node:path';
import { ROOT } from '@errand/platform';

/** The folder of the built console, in `dist` of the sources or of an installation. */
export const CONSOLE_FOLDER = join(ROOT, 'dist/apps/console');
