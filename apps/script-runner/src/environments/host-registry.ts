import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ToolError } from '@errand/contracts';

let asked: Promise<string> | undefined;

/**
 * The address that npm on this host fetches packages from: npm's own, or what the host is set to. npm is asked once, again where it gave no answer.
 * @throws ToolError DependencyError where there is no npm to ask
 */
export function hostRegistry(): Promise<string> {
  asked ??= askNpm().catch((error: unknown) => {
    asked = undefined;
    throw error;
  });
  return asked;
}

async function askNpm(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'registry'], {
      env: process.env,
      timeout: 30_000,
    });
    return new URL(stdout.trim()).href;
  } catch (cause) {
    const message =
      'Where npm packages come from is not known, for npm on this host does not say: set ERRAND_NPM_REGISTRY';
    throw new ToolError('DependencyError', message, undefined, { cause });
  }
}
