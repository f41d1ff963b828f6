import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { didYouMean, ToolError } from '@errand/contracts';
import { HintedError } from '../hinted-error.js';
import type { SecretPolicy } from './secret-policy.js';

/** The name of a secret is also the name of its environment variable. */
const NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;
/** Names that control the interpreter or the sandbox. */
const RESERVED = /^(ERRAND_.*|PATH|HOME|TMPDIR|LANG|LD_.*|PYTHON.*|NODE_.*|BUN_.*|(HTTPS?|ALL|NO)_PROXY)$/;
const MAX_BYTES = 64 * 1024;

/**
 * The operator's secrets: a folder with one file for each secret, named like its environment variable. It is read at every
 * run, so a changed secret takes effect at once. Links are followed, because orchestrators use links in such folders.
 */
export class SecretStore {
  /**
   * @param folder undefined if the installation has no secrets
   * @param process the process whose settings the hints name
   */
  constructor(
    private readonly folder: string | undefined,
    private readonly policy: SecretPolicy,
    private readonly process = 'script-runner',
  ) {}

  /**
   * Returns the secrets that a tool requests, by name.
   * @throws ToolError SecurityError that names the tool and the secret; its hint explains the fix to the operator
   */
  async read(toolId: string, names: readonly string[]): Promise<Record<string, string>> {
    const secrets: Record<string, string> = {};
    for (const name of new Set(names)) secrets[name] = await this.readOne(toolId, name);
    return secrets;
  }

  private async readOne(toolId: string, name: string): Promise<string> {
    const what = `${toolId} does not get the secret ${name}`;
    const refuse = (why: string, hint: string) => new HintedError('SecurityError', `${what}: ${why}`, hint);
    if (!isSecretName(name))
      throw new ToolError('SecurityError', `${what}: this is not a valid name; use one such as API_KEY`);
    if (!this.policy.allows(toolId, name)) {
      throw refuse(
        'the operator does not allow it',
        `To allow it, add ${toolId}=${name} to ERRAND_SECRETS_ALLOW of the ${this.process}`,
      );
    }
    const { folder } = this;
    if (folder === undefined)
      throw refuse('this installation has no secrets', `Set ERRAND_SECRETS_DIR of the ${this.process} to their folder`);
    const bytes = await readFile(join(folder, name)).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') throw refuse('the operator has not set it', await missingHint(folder, name));
      throw refuse('it cannot be read', `The file ${name} in ERRAND_SECRETS_DIR cannot be read (${error.code})`);
    });
    const value = valueOfSecret(bytes);
    if (value === undefined) {
      const fault = `empty, larger than ${MAX_BYTES / 1024} KiB, or not text`;
      throw refuse(`its value is ${fault}`, `The file ${name} in ERRAND_SECRETS_DIR is ${fault}`);
    }
    return value;
  }
}

/** Whether a file of the folder can be a secret. */
export function isSecretName(name: string): boolean {
  return NAME.test(name) && !RESERVED.test(name);
}

/** The value in a file; undefined if it is empty, too large, or not text. */
export function valueOfSecret(bytes: Buffer): string | undefined {
  // Editors and `echo` end a file with an unintended line break.
  const value = bytes.toString('utf8').replace(/\r?\n$/, '');
  return value === '' || bytes.length > MAX_BYTES || value.includes('\0') ? undefined : value;
}

async function missingHint(folder: string, name: string): Promise<string> {
  const known = await readdir(folder).catch(() => []);
  const near = didYouMean(
    name,
    known.filter((file) => NAME.test(file)),
  );
  return `ERRAND_SECRETS_DIR has no file ${name}${near ? `, did you mean ${near}?` : ''}`;
}
