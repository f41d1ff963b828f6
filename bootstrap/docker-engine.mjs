import { findProgram } from './run-command.mjs';
import { dockerIsForbidden } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

const RESPONSE_MS = 5_000;

/** A client of the engine at DOCKER_HOST, else at /var/run/docker.sock. The import is late, because set-up installs the package. */
export async function dockerClient(options) {
  const { default: Docker } = await import('dockerode');
  return new Docker(options);
}

/**
 * The version information of the engine ({Version, ApiVersion, Components, …}), or undefined if no engine listens.
 * @throws SetupError if this user has no access to the engine, or the engine of DOCKER_HOST does not answer
 */
export async function engineVersion() {
  const docker = await dockerClient({ timeout: RESPONSE_MS });
  try {
    return await docker.version();
  } catch (error) {
    if (isForbidden(error)) throw closedSocket();
    if (!process.env.DOCKER_HOST) return undefined;
    throw new SetupError(
      `no Docker engine answers at DOCKER_HOST=${process.env.DOCKER_HOST}: ${error.message}`,
      'start that engine, or unset DOCKER_HOST to use the one of this machine',
    );
  }
}

const isForbidden = ({ code }) => code === 'EACCES' || code === 'EPERM';

function closedSocket() {
  const socket = process.env.DOCKER_HOST?.replace(/^unix:\/\//, '') || '/var/run/docker.sock';
  return new SetupError(
    `cannot look: no permission to open ${socket}`,
    'run `sudo usermod -aG docker "$USER"` and log in again, or run this as root',
  );
}

/** The error of a check that needs an engine, when none answers. */
export const noEngine = () =>
  new SetupError(
    'cannot look: no Docker engine answers',
    'run `sudo systemctl start docker`, or `./errand up` as root',
  );

/**
 * The description of an image, or undefined if the engine does not have it.
 * @throws SetupError if this process cannot ask the engine
 */
export async function inspectImage(tag) {
  if (dockerIsForbidden())
    throw new SetupError('cannot look: ERRAND_NO_DOCKER forbids the use of Docker', 'unset ERRAND_NO_DOCKER');
  try {
    return await (await dockerClient()).getImage(tag).inspect();
  } catch (error) {
    if (error.statusCode === 404) return undefined;
    if (isForbidden(error)) throw closedSocket();
    if (['ENOENT', 'ECONNREFUSED'].includes(error.code)) throw noEngine();
    throw error;
  }
}

/**
 * Reads the progress of a long task of the engine (a pull, an import, a build) to its end. `report` gets each message.
 * @throws Error if the task failed (the stream has the error), or if there was no message for `silenceMs`
 */
export async function followWork(docker, stream, silenceMs, report = () => {}) {
  let failure;
  const silence = setTimeout(() => stream.destroy(new Error(`no progress for ${silenceMs / 1000} s`)), silenceMs);
  const onMessage = (message) => {
    silence.refresh();
    failure ??= message.error;
    report(message);
  };
  try {
    await new Promise((resolve, reject) => {
      docker.modem.followProgress(stream, (error) => (error ? reject(error) : resolve()), onMessage);
    });
  } finally {
    clearTimeout(silence);
  }
  if (failure) throw new Error(failure);
}

export const findDaemon = () => findProgram('dockerd');
