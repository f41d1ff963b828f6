import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { engineVersion, findDaemon } from './docker-engine.mjs';
import { lastLines, runCommand } from './run-command.mjs';
import { DATA_DIR } from './settings.mjs';
import { SetupError } from './setup-error.mjs';

const PID_FILE = `${DATA_DIR}/dockerd.pid`;
const LOG_FILE = `${DATA_DIR}/dockerd.log`;
const START_MS = 60_000;

/** Starts the Docker engine of this machine: as a service if systemd runs, else as a process. */
export async function startDaemon() {
  const fix = 'start it yourself: `sudo systemctl start docker`, or `sudo dockerd`';
  if (process.getuid() !== 0) throw new SetupError('the Docker engine is not running, and only root can start it', fix);
  if (existsSync('/run/systemd/system')) {
    await runCommand('systemctl', ['start', 'docker'], { timeoutMs: START_MS, fix });
    return untilAnswers(() => undefined, fix);
  }
  return startDetached(fix);
}

async function startDetached(fix) {
  mkdirSync(DATA_DIR, { recursive: true });
  const log = openSync(LOG_FILE, 'w', 0o600);
  const daemon = spawn(findDaemon(), [], { detached: true, stdio: ['ignore', log, log] });
  daemon.unref();
  let failure;
  daemon.on('error', (error) => (failure = error.message));
  daemon.on('exit', (code) => (failure = `ended with exit code ${code}`));
  writeFileSync(PID_FILE, String(daemon.pid));
  const failed = () =>
    failure && [`dockerd ${failure} (${LOG_FILE}):`, ...lastLines(readFileSync(LOG_FILE, 'utf8'))].join('\n');
  return untilAnswers(failed, fix);
}

async function untilAnswers(failed, fix) {
  for (const end = Date.now() + START_MS; Date.now() < end; await delay(200)) {
    const version = await engineVersion();
    if (version) return version;
    if (failed()) throw new SetupError(failed(), `${fix}. A container that runs Docker must be privileged`);
  }
  throw new SetupError(`the Docker engine did not answer within ${START_MS / 1000} s of its start`, fix);
}

/** Ends the engine that `startDaemon` started without systemd. @returns whether such an engine was running */
export async function stopDaemon() {
  if (!existsSync(PID_FILE)) return false;
  const pid = Number(readFileSync(PID_FILE, 'utf8'));
  const isOurs = () =>
    existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('dockerd');
  const found = isOurs();
  if (found) process.kill(pid, 'SIGTERM');
  while (isOurs()) await delay(100);
  rmSync(PID_FILE);
  return found;
}
