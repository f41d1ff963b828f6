import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HintedError } from '@errand/platform';

let registry: Promise<string> | undefined;

/**
 * Returns the npm registry of this host, as npm is configured. npm runs once, and again after a failure.
 * @throws ToolError DependencyError if npm is missing or fails
 */
export function hostRegistry(): Promise<string> {
  registry ??= askNpm().catch((error: unknown) => {
    registry = undefined;
    throw error;
  });
  return registry;
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
      'The dependencies cannot be installed: this installation has no source of npm packages',
      'npm on this host names no registry; set ERRAND_NPM_REGISTRY of the script-runner',
      { cause },
    );
  }
}
