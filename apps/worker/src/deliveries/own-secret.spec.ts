import { parseWebhookSecret } from '@errand/platform';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownSecret, SECRET_FILE } from './own-secret.js';

describe('The webhook secret of a data folder', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'errand-secret-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('The secret is created once, readable only for its owner', async () => {
    const secret = await ownSecret(join(folder, 'new'));
    expect(parseWebhookSecret(secret)).toBe(secret);
    expect(await ownSecret(join(folder, 'new'))).toBe(secret);
    expect((await stat(join(folder, 'new', SECRET_FILE))).mode & 0o777).toBe(0o600);
  });

  it('Concurrent calls get the same secret', async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, () => ownSecret(folder)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual([SECRET_FILE]);
  });

  it('A broken secret file is not replaced', async () => {
    await writeFile(join(folder, SECRET_FILE), 'whsec_broken');
    await expect(ownSecret(folder)).rejects.toThrow(
      /webhook-secret, cannot be used: must be whsec_.*set ERRAND_WEBHOOK_SECRET/s,
    );
  });
});
