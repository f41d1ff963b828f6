/** Finds the real interpreters for the comparison: programs, not the shell scripts or shims of version managers. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { takeBunOut } from './sandbox-runs.mjs';

const ELF = '\x7fELF';
const SYSTEM_PYTHON = '/usr/bin/python3';
/** The shortest program for each interpreter. */
const ARGUMENTS = { python: ['-c', 'pass'], bun: ['-e', '0'] };

/**
 * By language: `command` starts the interpreter and does nothing; `name` is its name on a page.
 * @param folder gets the Bun binary of the script image, and a Python without packages if the system has none
 * @throws Error if a found file is not a program
 */
export async function realInterpreters(folder) {
  const paths = { python: findPython(folder), bun: await takeBunOut(folder) };
  return Object.fromEntries(
    Object.entries(paths).map(([language, path]) => {
      requireProgram(path);
      const version = outputOf(path, ['--version']).replace(/^Python /, '');
      const program = language === 'python' ? 'python3' : 'bun';
      const name = `\`${program} ${ARGUMENTS[language].join(' ')}\` on the host (${version})`;
      return [language, { command: [path, ...ARGUMENTS[language]], name }];
    }),
  );
}

/** The time from spawn to exit, in ms. */
export async function timeOfProcess([program, ...args]) {
  const start = performance.now();
  // Variables of the host must not affect the interpreter.
  const [code] = await once(spawn(program, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return performance.now() - start;
}

/**
 * The interpreter of the system, if it has one. Otherwise the PATH decides. It may lead to a script of a version manager, but the
 * interpreter reports its own path. Its packages may have start-up files that take longer than the interpreter. The environment therefore
 * has no packages, as in the sandbox.
 */
function findPython(folder) {
  if (existsSync(SYSTEM_PYTHON)) return SYSTEM_PYTHON;
  const interpreter = outputOf('python3', ['-c', 'import sys; print(sys.executable)']);
  const environment = join(folder, 'python');
  outputOf(interpreter, ['-m', 'venv', '--without-pip', environment]);
  return join(environment, 'bin', 'python3');
}

function outputOf(program, args) {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed, but the comparison needs it: ${stderr}`);
  return stdout.trim();
}

function requireProgram(path) {
  const file = openSync(realpathSync(path), 'r');
  const head = Buffer.alloc(ELF.length);
  readSync(file, head);
  closeSync(file);
  if (head.toString('latin1') !== ELF)
    throw new Error(`${path} is not a program (ELF): the benchmark would measure it instead of the interpreter`);
}
