import { ToolError } from '@errand/contracts';
import type { Manifest } from './find-manifest.js';

/** An installer that failed is the script's affair; an engine that failed is not. */
export function asDependencyError({ path }: Manifest, error: unknown): unknown {
  if (!(error instanceof ToolError) || error.type === 'ServiceError') return error;
  if (error.type === 'CancelledError') {
    return new ToolError(
      'ServiceError',
      'The script runner was stopped while it installed the dependencies of the script',
    );
  }
  const { log = '' } = error.details ?? {};
  const lines = String(log)
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? error.message;
  const message = `The dependencies in ${path} could not be installed: ${last.trim()}`;
  return new ToolError('DependencyError', message, { manifest: path, cause: error.message, log }, { cause: error });
}
