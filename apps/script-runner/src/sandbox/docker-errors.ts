import { isObject, ToolError } from '@errand/contracts';
import { REPOSITORY } from '../environments/environment-images.js';
import { HintedError } from '../hinted-error.js';
import type Docker from 'dockerode';

/** The HTTP status of an engine's refusal; undefined where there was no answer. */
export function statusOf(error: unknown): number | undefined {
  return isObject(error) && typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Any failure of the engine as a ServiceError whose hint says what an operator can do; a ToolError stays what it is. */
export function asServiceError(what: string, cause: unknown): ToolError {
  if (cause instanceof ToolError) return cause;
  const [why, hint] = explain(cause);
  return new HintedError('ServiceError', `The script runner ${what}: ${why}`, hint, { cause });
}

/** What went wrong, and the hint: messages of the engine name files and images of the host. */
function explain(cause: unknown): [why: string, hint: string] {
  const message = cause instanceof Error ? cause.message : String(cause);
  const code = isObject(cause) ? cause.code : undefined;
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return [UNREACHABLE, `Start the Docker engine, and see that the runner may use its socket: ${message}`];
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
      `Make room on the disk of the Docker engine (\`docker system df\` lists what takes it): ${message}`,
    ];
  const status = statusOf(cause);
  return [status === undefined ? message : `the Docker engine refused with status ${status}`, message];
}

const UNREACHABLE = 'the Docker engine cannot be reached';
const IMAGE_MISSING = 'an image that scripts run in is missing';

/** @param what was not possible without it */
export function noImage(what: string, image: string): ToolError {
  return new HintedError('ServiceError', `The script runner ${what}: ${IMAGE_MISSING}`, hintOfMissing(image));
}

function hintOfMissing(image: string): string {
  const way = image.startsWith(`${REPOSITORY}:`)
    ? 'somebody has removed it, and the next run installs what was in it anew'
    : 'build it from runtimes/ (./errand up does)';
  return `The image ${image} is not on this Docker host; ${way}`;
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

/** @throws ToolError ServiceError where the engine does not know the runtime that the operator asks for */
export async function requireRuntime(docker: Docker, runtime: string | undefined): Promise<void> {
  if (runtime === undefined) return;
  const info: { Runtimes?: Record<string, unknown> } = await docker.info();
  const known = Object.keys(info.Runtimes ?? {}).filter((name) => !name.includes('.'));
  if (known.includes(runtime)) return;
  throw new HintedError(
    'ServiceError',
    'The Docker engine lacks the runtime that scripts run under',
    `The Docker engine has no runtime ${runtime}, but ${known.join(', ')}; install it and name it in /etc/docker/daemon.json, or change ERRAND_SANDBOX_RUNTIME`,
  );
}
