import { parseWebhookSecret } from '@errand/platform';
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the secret is that signs callbacks where the operator names none; receivers are given what stands in it. */
export const SECRET_FILE = 'webhook-secret';

/**
 * The secret of this installation's data folder: made at the first call, the same ever after, and for nobody else to read.
 * @throws Error that names the file where it cannot be made, or holds something else
 */
export async function ownSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, SECRET_FILE);
  try {
    return await readSecret(file).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await makeSecret(dataDir, file);
      return readSecret(file);
    });
  } catch (error) {
    const said = `The secret that signs callbacks, ${file}, cannot be used: ${(error as Error).message}`;
    throw Object.assign(new Error(`${said}. Mend that, or set ERRAND_WEBHOOK_SECRET.`), { hint: true });
  }
}

async function readSecret(file: string): Promise<string> {
  return parseWebhookSecret((await readFile(file, 'utf8')).trim());
}

/** Complete or not at all; where another process was quicker, its secret is the one. */
async function makeSecret(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `whsec_${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
}
