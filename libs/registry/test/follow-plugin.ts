import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { QUICK_START } from '../../../test/support/start-process.js';
import { eventually } from './retry-expectation.js';
import { writeLibrary } from './write-library.js';

/** One line of the output of `print-plugin-state.cjs`. */
export interface State {
  gives?: unknown;
  problems?: unknown[];
  notice?: string;
}

/** Runs the built library in a separate process with Node's real module loader, because Jest replaces it. */
export function followPlugin(files: Record<string, string>, program: readonly string[] = [process.execPath]) {
  const folder = writeLibrary({
    'plugins/dice/plugin.yaml': 'name: dice\nversion: 1.0.0\nnodes: {entry: nodes/index}',
    ...files,
  });
  const [command, ...args] = [...program, ...QUICK_START, join(__dirname, 'print-plugin-state.cjs'), folder];
  const child = spawn(command ?? process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const states: State[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => states.push(JSON.parse(line)));
  return {
    folder,
    write: (path: string, content: string) => writeFileSync(join(folder, path), content),
    /** Waits until the latest state matches. */
    says: (expected: State) => eventually(() => expect(states.at(-1)).toMatchObject(expected)),
    /** Waits until a matching notice was printed. */
    hears: (notice: RegExp) =>
      eventually(() => expect(states).toContainEqual({ notice: expect.stringMatching(notice) })),
    /** Closes the watcher. Its process must then end by itself. */
    end: async () => {
      child.stdin.end();
      const [exitCode] = await once(child, 'close');
      expect(exitCode).toBe(0);
    },
  };
}
