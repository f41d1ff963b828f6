import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { QUICK_START } from '../../../test/support/start-process.js';
import { CommandReader } from './command-reader.js';

export const ERRAND = join(__dirname, '../../../errand');

export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface Surroundings {
  /** The environment besides PATH. */
  env: Record<string, string>;
  cwd: string;
  /** The text of stdin. Without it, stdin is closed. */
  stdin?: string;
}

/** Starts `./errand`. Its environment has nothing of the environment of the test except PATH. */
export function startErrand(args: readonly string[], { env, cwd }: Surroundings): ChildProcess {
  const own = { PATH: process.env['PATH'], ERRAND_NO_INSTALL: 'true', ...env };
  return spawn(process.execPath, [...QUICK_START, ERRAND, ...args], { cwd, env: own, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Runs `./errand` to its end. */
export async function runErrand(args: readonly string[], surroundings: Surroundings): Promise<Outcome> {
  const child = startErrand(args, surroundings);
  child.stdin?.end(surroundings.stdin ?? '');
  return outcomeOf(child);
}

/**
 * Runs the commands of a user whose environment names the API of a stack. The name of the user's folder has a blank. `errand` and
 * `errandReading` run a command in a `CommandReader`, which starts with the first one; `startedErrand` starts `./errand` itself.
 */
export function userOf(stack: { readonly folder: string; readonly url: string }) {
  const home = (): string => {
    const folder = join(stack.folder, 'a home');
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  const surroundings = (env: Record<string, string> = {}): Surroundings => ({
    cwd: home(),
    env: { HOME: home(), ERRAND_DATA_DIR: join(home(), 'data'), ERRAND_URL: stack.url, ...env },
  });
  let reader: Promise<CommandReader> | undefined;
  const errandIn = async (more: Partial<Surroundings>, ...args: string[]): Promise<Outcome> =>
    (await (reader ??= CommandReader.start(surroundings()))).runIn(more, ...args);
  afterAll(async () => (await reader)?.stop());
  return {
    home,
    surroundings,
    errand: (...args: string[]) => errandIn({}, ...args),
    errandReading: (stdin: string, ...args: string[]) => errandIn({ stdin }, ...args),
    /** Runs a command with more environment variables. */
    errandWith: (env: Record<string, string>, ...args: string[]) => errandIn({ env }, ...args),
    startedErrand: (...args: string[]) => runErrand(args, surroundings()),
  };
}

/** The output and the exit code of a process that ends by itself. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  return { status: (await closed)[0], stdout, stderr };
}
