/** The real interpreters to compare with: programs, never the shell scripts or shims by which version managers put them on the PATH. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readSync, realpathSync } from 'node:fs';
import { takeBunOut } from './sandbox-runs.mjs';

const ELF = '\x7fELF';
/** The least that each can do, and how it says its version. */
const ARGUMENTS = { python: ['-c', 'pass'], bun: ['-e', '0'] };

/**
 * By language: `command`, which starts the interpreter and does nothing, and `name`, by which a page can call it.
 * @param folder where Bun's binary is put, out of the image that scripts run in
 * @throws Error where what was found is no program
 */
export async function realInterpreters(folder) {
  const paths = { python: pythonOfHost(), bun: await takeBunOut(folder) };
  return Object.fromEntries(
    Object.entries(paths).map(([language, path]) => {
      requireProgram(path);
      const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
      const version = stdout.trim().replace(/^Python /, '');
      const program = language === 'python' ? 'python3' : 'bun';
      const name = `\`${program} ${ARGUMENTS[language].join(' ')}\` on the host (${version})`;
      return [language, { command: [path, ...ARGUMENTS[language]], name }];
    }),
  );
}

/** Spawns it and waits for its end, in ms. */
export async function timeOfProcess([program, ...args]) {
  const start = performance.now();
  const [code] = await once(spawn(program, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return performance.now() - start;
}

/** What is on the PATH may be a script of a version manager; the interpreter itself knows where it is. */
function pythonOfHost() {
  const { stdout, status } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  if (status !== 0) throw new Error('python3 is needed on the host, to compare with');
  return realpathSync(stdout.trim());
}

function requireProgram(path) {
  const file = openSync(path, 'r');
  const head = Buffer.alloc(ELF.length);
  readSync(file, head);
  closeSync(file);
  if (head.toString('latin1') !== ELF)
    throw new Error(`${path} is no program (ELF): it would be measured in place of the interpreter`);
}
