import { parseWebhookSecret } from '@errand/platform';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownSecret, SECRET_FILE } from './own-secret.js';

describe('the secret of a data folder', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'errand-secret-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('is made once, for nobody else to read', async () => {
    const secret = await ownSecret(join(folder, 'new'));
    expect(parseWebhookSecret(secret)).toBe(secret);
    expect(await ownSecret(join(folder, 'new'))).toBe(secret);
    expect((await stat(join(folder, 'new', SECRET_FILE))).mode & 0o777).toBe(0o600);
  });

  it('is one, however many ask for it at once', async () => {
    const secrets = await Promise.all(Array.from({ length: 50 }, () => ownSecret(folder)));
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(folder)).toEqual([SECRET_FILE]);
  });

  it('is never made anew over something else', async () => {
    await writeFile(join(folder, SECRET_FILE), 'whsec_broken');
    await expect(ownSecret(folder)).rejects.toThrow(
      /webhook-secret, cannot be used: must be whsec_.*set ERRAND_WEBHOOK_SECRET/s,
    );
  });
});
