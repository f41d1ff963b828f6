import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentVariables } from '@errand/platform';
import { KnownError } from '@errand/contracts';
import { refuseSecondStack } from './running-stack.js';

/** A stack in a process of its own, whose log is a file. It ends when we do, whatever ends us. */
export interface StackProcess {
  url: string;
  child: ChildProcess;
  logFile: string;
  /** Drains it and waits for its end. */
  close(): Promise<void>;
}

const START_MS = 120_000;
const TOLD_LINES = 20;

/**
 * Starts apps/errand/src/main.js and waits until it is ready. Its stdout (`ready <url>`) is ours or goes nowhere; its log goes to
 * `<data folder>/errand.log`, and the log of the stack before it to `errand.log.1`.
 * @throws Error with what it said where it ends before it is ready
 */
export async function startStackProcess(
  env: EnvironmentVariables & { ERRAND_DATA_DIR: string },
  stdout: 'inherit' | 'ignore',
): Promise<StackProcess> {
  const logFile = join(env.ERRAND_DATA_DIR, 'errand.log');
  await refuseSecondStack(env.ERRAND_DATA_DIR); // before its log is touched
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
      child.once('exit', (code) => reject(failed(`ended at its start with exit code ${code}`)));
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
  // A group of its own: a Ctrl-C comes to us alone, and we pass it on.
  const child = fork(join(__dirname, 'main.js'), {
    env,
    detached: true,
    // Much is made for each invocation and soon done with: room for it to die young spares the garbage collector work.
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

/** What people are to read: structured lines are for programs, unless there is nothing else. */
function logEnd(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
  const plain = lines.filter((line) => !line.startsWith('{'));
  return (plain.length > 0 ? plain : lines).slice(-TOLD_LINES).join('\n');
}
