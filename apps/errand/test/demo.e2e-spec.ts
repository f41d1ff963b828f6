import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUICK_CHILDREN } from '../../../test/support/start-process.js';
import { runErrand } from './run-errand.js';

it('The demo shows a turn of an agent without a key and without Docker', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'errand-demo-'));
  try {
    const env = { ERRAND_DATA_DIR: folder, ERRAND_NO_DOCKER: 'true', ERRAND_REDIS_URL: '', HOME: folder };
    const surroundings = { env: { ...env, ...QUICK_CHILDREN }, cwd: folder };
    const { status, stdout, stderr } = await runErrand(['demo'], surroundings);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('→ core:math') });
    expect(stdout).toContain('I multiply 6 by 7.\nThe product is 42.\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
