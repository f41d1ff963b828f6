import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentVariables } from '@errand/platform';
import { KnownError } from '@errand/contracts';
import { refuseSecondStack } from './running-stack.js';

/** A stack in its own process, with a log file. It ends together with the current process. */
interface StackProcess {
  url: string;
  child: ChildProcess;
  logFile: string;
  /** Drains the stack and waits for its end. */
  close(): Promise<void>;
}

const START_MS = 120_000;
const SHOWN_LINES = 20;

/**
 * Starts apps/errand/src/main.js and waits until it is ready. Its stdout has `ready <url>`. Its log goes to `<data folder>/errand.log`,
 * and the log of the stack before it to `errand.log.1`.
 * @throws Error with the end of the log, if the stack ends before it is ready
 */
export async function startStackProcess(
  env: EnvironmentVariables & { ERRAND_DATA_DIR: string },
  stdout: 'inherit' | 'ignore',
): Promise<StackProcess> {
  const logFile = join(env.ERRAND_DATA_DIR, 'errand.log');
  await refuseSecondStack(env.ERRAND_DATA_DIR); // first, because `launch` moves the log
  const child = launch(env, stdout, logFile);
  const url = await untilReady(child, logFile);
  return { url, child, logFile, close: () => stop(child) };
}

async function untilReady(child: ChildProcess, logFile: string): Promise<string> {
  const failed = (how: string) => new KnownError(`Errand ${how}. Its log, ${logFile}, ends with:\n${logEnd(logFile)}`);
  let limit: NodeJS.Timeout | undefined;
  try {
    return await new Promise<string>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { ready: string }).ready));
      child.once('exit', (code) => reject(failed(`ended during its start with exit code ${code}`)));
      limit = setTimeout(() => {
        reject(failed(`was not ready after ${START_MS / 1000} s`));
        child.kill('SIGKILL');
      }, START_MS);
    });
  } finally {
    clearTimeout(limit);
  }
}

function launch(env: EnvironmentVariables, stdout: 'inherit' | 'ignore', logFile: string): ChildProcess {
  mkdirSync(join(logFile, '..'), { recursive: true });
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`);
  const log = openSync(logFile, 'a', 0o600);
  // The child has its own process group: a Ctrl-C reaches only this process, which passes it on.
  const child = fork(join(__dirname, 'main.js'), {
    env,
    detached: true,
    // Most objects of an invocation are short-lived. A larger young generation makes less work for the garbage collector.
    execArgv: ['--max-semi-space-size=32', '--enable-source-maps'],
    stdio: ['ignore', stdout, log, 'ipc'],
  });
  closeSync(log);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The last lines of the log for people: plain lines, or structured lines if there are only such. */
function logEnd(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  const plain = lines.filter((line) => !line.startsWith('{'));
  return (plain.length > 0 ? plain : lines).slice(-SHOWN_LINES).join('\n');
}
