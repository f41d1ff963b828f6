/** The checks of `./errand doctor` that ask the stack which the settings name. */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { DATA_DIR } from './settings.mjs';
import { askRunningStack } from './ask-running-stack.mjs';
import { SetupError } from './setup-error.mjs';

const RECORD = `${DATA_DIR}/up.json`;
const OTHER_FOLDER = 'run this as the owner of the folder, or set ERRAND_DATA_DIR to a folder of yours';

export const dataFolder = {
  title: 'data folder',
  async check() {
    if (requireAccess(DATA_DIR, constants.F_OK)) {
      if (!statSync(DATA_DIR).isDirectory())
        throw new SetupError(`${DATA_DIR} is not a folder`, 'set ERRAND_DATA_DIR to a folder');
      requireAccess(DATA_DIR, constants.R_OK | constants.W_OK | constants.X_OK);
      return DATA_DIR;
    }
    let parent = dirname(DATA_DIR);
    while (!existsSync(parent)) parent = dirname(parent);
    requireAccess(parent, constants.W_OK | constants.X_OK);
    return `${DATA_DIR}, does not exist yet`;
  },
};

export const stack = {
  title: 'stack',
  async check() {
    const recorded = readRecord();
    if (!recorded) return `none runs with ${DATA_DIR}`;
    const { url, pid } = recorded;
    const answer = await askReadiness(url);
    if (!answer && !isAlive(pid)) return `none runs with ${DATA_DIR}; the last one was killed`;
    if (!answer)
      throw new SetupError(`process ${pid} runs, but nothing answers at ${url}`, '`./errand logs` may show the reason');
    const reasons = Object.entries(answer.checks).filter(([, result]) => result !== 'ok');
    if (reasons.length === 0) return `runs on ${url} (process ${pid})`;
    const shown = reasons.map(([name, result]) => `${name}: ${result}`).join('\n');
    throw new SetupError(`runs on ${url} (process ${pid}), but:\n${shown}`, '`./errand logs` may show the reason');
  },
};

export const port = {
  title: 'port',
  async check() {
    const { host, number } = listenAddress();
    if (number === 0) return 'a free one at each start';
    const failure = await tryToListen(host, number);
    if (!failure) return `${number} is free`;
    if (failure === 'EACCES')
      throw new SetupError(
        `cannot look: no permission to listen on ${number}`,
        'choose a port above 1023: ERRAND_PORT=3001',
      );
    if (failure !== 'EADDRINUSE')
      throw new SetupError(`${host} is not an address of this machine (${failure})`, 'correct ERRAND_HOST');
    if (!(await askReadiness(ownUrl())))
      throw new SetupError(
        `${number} is used by another program`,
        'end that program, or choose another port: ERRAND_PORT=3001 ./errand up',
      );
    const isOurs = recordedPort() === number;
    return `${number}, Errand is running on it${isOurs ? '' : `; it is not the stack of ${DATA_DIR}`}`;
  },
};

export const runners = {
  title: 'runners',
  async check() {
    const alive = (await askReadiness(recordedUrl() ?? ownUrl()))?.runners ?? (await askReadiness(ownUrl()))?.runners;
    if (!alive) return 'not checked: Errand is not running';
    const shown = Object.entries(alive).map(([label, count]) => `${label} ${count}`);
    const missing = Object.keys(alive).filter((label) => alive[label] === 0);
    if (missing.length === 0) return shown.join(', ');
    throw new SetupError(
      `no running script-runner offers ${missing.join(', ')}: scripts that need it wait (running: ${shown.join(', ')})`,
      `start one with ERRAND_RUNNER_LABELS=${missing.join(',')}`,
    );
  },
};

/** Whether a path exists and allows the access. @throws SetupError if this user has no permission */
function requireAccess(path, mode) {
  try {
    accessSync(path, mode);
    return true;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
    throw new SetupError(`cannot look: no permission to use ${path}`, OTHER_FOLDER);
  }
}

/** The stack that `up.json` describes, or undefined. */
function readRecord() {
  try {
    const { url, pid } = JSON.parse(readFileSync(RECORD, 'utf8'));
    if (typeof url !== 'string' || !Number.isInteger(pid)) throw new SyntaxError('no url or pid');
    return { url, pid };
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    if (error.code === 'EACCES') throw new SetupError(`cannot look: no permission to read ${RECORD}`, OTHER_FOLDER);
    throw new SetupError(
      `${RECORD} cannot be understood (${error.message})`,
      'remove that file; `./errand up` writes it',
    );
  }
}

/** The address in `up.json`. Undefined if it cannot be read, which the check of the stack reports. */
function recordedUrl() {
  try {
    return readRecord()?.url;
  } catch {
    return undefined;
  }
}

const recordedPort = () => {
  const url = recordedUrl();
  return url !== undefined && URL.canParse(url) ? Number(new URL(url).port) : undefined;
};

function listenAddress() {
  const host = process.env.ERRAND_HOST || '127.0.0.1';
  const text = process.env.ERRAND_PORT || '3000';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(number <= 65_535))
    throw new SetupError(`ERRAND_PORT must be a whole number from 0 to 65535, not '${text}'`, 'correct ERRAND_PORT');
  return { host, number };
}

/** The address at which this machine reaches the API of the settings. */
function ownUrl() {
  const { host, number } = listenAddress();
  const reached = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reached}:${number}`;
}

/** The address of the running stack; undefined if no Errand answers. A key must not go to another program. */
export async function runningUrl() {
  for (const url of [recordedUrl(), ownUrl()]) if (url !== undefined && (await askReadiness(url))) return url;
  return undefined;
}

/** Undefined if the address is free, else the code of the error. */
function tryToListen(host, number) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }) => resolve(code));
    server.listen(number, host, () => server.close(() => resolve(undefined)));
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The answer of `/readyz`, ready or not. Undefined if nothing answers, or another program than Errand. */
async function askReadiness(url) {
  const body = await askRunningStack(`${url}/readyz`);
  return typeof body?.ready === 'boolean' && typeof body.checks?.redis === 'string' ? body : undefined;
}
