import { isObject, ToolError } from '@errand/contracts';
import { REPOSITORY } from '../environments/environment-images.js';

/** The HTTP status of an engine's refusal; undefined where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Any failure of the engine as a ServiceError that says what to do; a ToolError stays what it is. */
export function asServiceError(what: string, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  return new ToolError('ServiceError', `The script runner ${what}: ${explain(cause)}`, undefined, { cause });
}

function explain(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = isObject(cause) ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return 'the Docker engine cannot be reached; start it, and see that the runner may use its socket';
  }
  if (code === 'EACCES')
    return 'the runner may not use the socket of the Docker engine; add its user to the group docker';
  const image = /no such image: (\S*[^\s:])/i.exec(message)?.[1];
  if (image) return noImage(image);
  return /no space left on device|disk quota exceeded/i.test(message)
    ? `the disk of the Docker engine is full; make room (\`docker system df\` says what takes it): ${message}`
    : message;
}

export function noImage(image: string): string {
  const way = image.startsWith(`${REPOSITORY}:`)
    ? 'somebody has removed it, and the next run installs what was in it anew'
    : 'build it from runtimes/ (./errand does)';
  return `the image ${image} is not on this Docker host; ${way}`;
}

/** Rejects when `promise` has not settled in time. The work itself goes on: whoever began it removes what it leaves. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the Docker engine did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
