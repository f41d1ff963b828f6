import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HintedError } from '../hinted-error.js';

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
    throw new HintedError(
      'DependencyError',
      'The dependencies cannot be installed: this installation knows no source of npm packages',
      'npm on this host names no registry; set ERRAND_NPM_REGISTRY of the script-runner',
      { cause },
    );
  }
}
