/** The real interpreters to compare with: programs, never the shell scripts or shims by which version managers put them on the PATH. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { takeBunOut } from './sandbox-runs.mjs';

const ELF = '\x7fELF';
/** The least that each can do, and how it says its version. */
const ARGUMENTS = { python: ['-c', 'pass'], bun: ['-e', '0'] };

/**
 * By language: `command`, which starts the interpreter and does nothing, and `name`, by which a page can call it.
 * @param folder where a Python without packages is made, and where Bun's binary is put, out of the image that scripts run in
 * @throws Error where what was found is no program
 */
export async function realInterpreters(folder) {
  const paths = { python: makePythonWithoutPackages(folder), bun: await takeBunOut(folder) };
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

/** Spawns it and waits for its end, in ms. */
export async function timeOfProcess([program, ...args]) {
  const start = performance.now();
  // No variable of the host changes what the interpreter does.
  const [code] = await once(spawn(program, args, { stdio: 'ignore', env: { PATH: '/usr/bin:/bin' } }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return performance.now() - start;
}

/**
 * The PATH may lead to a script of a version manager; the interpreter itself knows its own path. Packages of the host may have
 * start-up files that take longer than the interpreter, so it gets an environment without any, as in the sandbox.
 */
function makePythonWithoutPackages(folder) {
  const interpreter = outputOf('python3', ['-c', 'import sys; print(sys.executable)']);
  const environment = join(folder, 'python');
  outputOf(interpreter, ['-m', 'venv', '--without-pip', environment]);
  return join(environment, 'bin', 'python3');
}

function outputOf(program, args) {
  const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed, and it is needed to compare with: ${stderr}`);
  return stdout.trim();
}

function requireProgram(path) {
  const file = openSync(realpathSync(path), 'r');
  const head = Buffer.alloc(ELF.length);
  readSync(file, head);
  closeSync(file);
  if (head.toString('latin1') !== ELF)
    throw new Error(`${path} is no program (ELF): it would be measured in place of the interpreter`);
}
