import { findProgram } from './run-command.mjs';
import { SetupError } from './setup-error.mjs';

const ANSWER_MS = 5_000;

/** A client of the engine at DOCKER_HOST, else at /var/run/docker.sock. Loaded late: it is an npm package, which set-up installs. */
export async function dockerClient(options) {
  const { default: Docker } = await import('dockerode');
  return new Docker(options);
}

/**
 * The engine's own description of itself ({Version, ApiVersion, Components, …}), or undefined where no engine listens.
 * @throws SetupError where one is there but not for us
 */
export async function engineVersion() {
  const docker = await dockerClient({ timeout: ANSWER_MS });
  try {
    return await docker.version();
  } catch (error) {
    if (error.code === 'EACCES') {
      throw new SetupError(
        'the Docker socket is closed to this user',
        'run `sudo usermod -aG docker "$USER"` and log in again, or run this as root',
      );
    }
    if (!process.env.DOCKER_HOST) return undefined;
    throw new SetupError(
      `no Docker engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}: ${error.message}`,
      'start that engine, or unset DOCKER_HOST to use the one of this machine',
    );
  }
}

/**
 * Reads to its end what the engine tells of a long work (a pull, an import, a build); `tell` gets each message.
 * @throws Error where the work failed, which the engine tells within the stream, or where it said nothing for `silenceMs`
 */
export async function followWork(docker, stream, silenceMs, report = () => {}) {
  let failure;
  const silence = setTimeout(() => stream.destroy(new Error(`it said nothing for ${silenceMs / 1000} s`)), silenceMs);
  const hear = (message) => {
    silence.refresh();
    failure ??= message.error;
    report(message);
  };
  try {
    await new Promise((resolve, reject) => {
      docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), hear);
    });
  } finally {
    clearTimeout(silence);
  }
  if (failure) throw new Error(failure);
}

export const findDaemon = () => findProgram('dockerd');
