import { parseWebhookSecret } from '@errand/platform';
import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file in the data folder with the secret that signs callbacks if ERRAND_WEBHOOK_SECRET is not set. Receivers need its content. */
export const SECRET_FILE = 'webhook-secret';

/**
 * The secret in the data folder of this installation. The first call creates the file; only its owner can read it.
 * @throws Error that names the file, if the file cannot be created or has other content
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
    const problem = `The secret that signs callbacks, ${file}, cannot be used: ${(error as Error).message}`;
    throw Object.assign(new Error(`${problem}. Fix that, or set ERRAND_WEBHOOK_SECRET.`), { hint: true });
  }
}

async function readSecret(file: string): Promise<string> {
  return parseWebhookSecret((await readFile(file, 'utf8')).trim());
}

/** Creates the file in one step, with its content. If another process was faster, its file stays. */
async function makeSecret(dataDir: string, file: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `whsec_${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flag: 'wx' });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await unlink(draft);
}
