import type Docker from 'dockerode';
import { HintedError } from '../hinted-error.js';

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
