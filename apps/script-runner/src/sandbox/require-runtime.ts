import { ToolError } from '@errand/contracts';
import type Docker from 'dockerode';

/** @throws ToolError ServiceError where the engine does not know the runtime that the operator asks for */
export async function requireRuntime(docker: Docker, runtime: string | undefined): Promise<void> {
  if (runtime === undefined) return;
  const info: { Runtimes?: Record<string, unknown> } = await docker.info();
  const known = Object.keys(info.Runtimes ?? {}).filter((name) => !name.includes('.'));
  if (known.includes(runtime)) return;
  const message = `The Docker engine has no runtime ${runtime}, but ${known.join(', ')}; install it and name it in /etc/docker/daemon.json, or change ERRAND_SANDBOX_RUNTIME`;
  throw new ToolError('ServiceError', message);
}
