import { spawn } from 'node:child_process';
import { accessSync, constants as access } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { delimiter, join } from 'node:path';
import { SetupError } from './setup-error.mjs';

const TAIL_LINES = 12;

/**
 * Runs a program to its end and returns its output. Times are in ms. With `isFirst`, it goes before the other work of the machine where that is
 * allowed.
 * @throws SetupError with the last lines of the output, if the program fails or does not end in time
 */
export function runCommand(command, args, { timeoutMs, fix, isFirst = false, ...options }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    if (isFirst && child.pid !== undefined) goFirst(child.pid);
    let output = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    const fail = (reason) => {
      const shown = [`\`${[command, ...args].join(' ')}\` ${reason}`, ...lastLines(output)].join('\n');
      reject(new SetupError(shown, fix ?? 'read its output above, then run this again'));
    };
    child.on('error', (error) => fail(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(output);
      else fail(late ? `did not end within ${timeoutMs / 1000} s` : `ended with ${signal ?? `exit code ${code}`}`);
    });
  });
}

function goFirst(pid) {
  try {
    setPriority(pid, constants.priority.PRIORITY_ABOVE_NORMAL);
  } catch {
    // Only root may do this, and many containers forbid it to root. The program then only takes longer.
  }
}

/** The last lines of an output. They usually have the reason of a failure. */
export function lastLines(text) {
  return text.trimEnd().split('\n').slice(-TAIL_LINES);
}

/** The path of a program, or undefined. Also searches the folders for programs of root, which PATH may lack. */
export function findProgram(...names) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/sbin', '/usr/sbin', '/sbin'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, access.X_OK);
    return true;
  } catch {
    return false;
  }
}
