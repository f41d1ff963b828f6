import { isObject, ToolError } from '@errand/contracts';
import type Docker from 'dockerode';
import { REPOSITORY } from '../environments/environment-images.js';
import { HintedError } from '@errand/platform';

const UNREACHABLE = 'the Docker engine cannot be reached';
const IMAGE_MISSING = 'an image that scripts run in is missing';

/** The HTTP status of a response of the Docker engine; undefined if there was none. */
export function statusOf(error: unknown): number | undefined {
  return isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/**
 * Turns a failure of the Docker engine into a ServiceError with a hint for the operator. It returns a ToolError unchanged.
 * @param what the action that failed, as in "could not start a sandbox"
 */
export function asServiceError(what: string, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  const [why, hint] = explain(cause);
  return new HintedError('ServiceError', `The script runner ${what}: ${why}`, hint, { cause });
}

/** Only the hint has the message of the Docker engine, because that names files and images of the host. */
function explain(cause: unknown): [why: string, hint: string] {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = isObject(cause) ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return [UNREACHABLE, `Start the Docker engine, and make sure that the runner may use its socket: ${message}`];
  if (code === 'EACCES')
    return [
      UNREACHABLE,
      `The runner may not use the Docker engine's socket; add its user to the group docker: ${message}`,
    ];
  if (typeof code === 'string') return [`${UNREACHABLE} (${code})`, message];
  const image = /no such image: (\S*[^\s:])/i.exec(message)?.[1];
  if (image) return [IMAGE_MISSING, hintOfMissing(image)];
  if (/no space left on device|disk quota exceeded/i.test(message))
    return [
      'the disk of the Docker engine is full',
      `Free space on the disk of the Docker engine (\`docker system df\` lists what uses it): ${message}`,
    ];
  const status = statusOf(cause);
  return [status === undefined ? message : `the Docker engine refused with status ${status}`, message];
}

/** @param what the action that failed without the image */
export function noImage(what: string, image: string): ToolError {
  return new HintedError('ServiceError', `The script runner ${what}: ${IMAGE_MISSING}`, hintOfMissing(image));
}

function hintOfMissing(image: string): string {
  const fix = image.startsWith(`${REPOSITORY}:`)
    ? 'it was removed, and the next run installs its packages again'
    : 'build it from runtimes/ (./errand up does)';
  return `The image ${image} is not on this Docker host; ${fix}`;
}

/** Rejects if `promise` does not settle in time. The work continues, and the caller cleans up what it leaves. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the Docker engine did not respond within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws ToolError ServiceError if the Docker engine lacks the configured runtime */
export async function requireRuntime(docker: Docker, runtime: string | undefined): Promise<void> {
  if (runtime === undefined) return;
  const info: { Runtimes?: Record<string, unknown> } = await docker.info();
  const known = Object.keys(info.Runtimes ?? {}).filter((name) => !name.includes('.'));
  if (known.includes(runtime)) return;
  throw new HintedError(
    'ServiceError',
    'The Docker engine lacks the runtime that scripts run under',
    `The Docker engine has no runtime ${runtime}, only ${known.join(', ')}; install it and name it in /etc/docker/daemon.json, or change ERRAND_SANDBOX_RUNTIME`,
  );
}
