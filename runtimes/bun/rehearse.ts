import { mkdirSync } from 'node:fs';
import { layOut } from './lay-out.ts';
import { emptyFolders } from './leave-nothing.ts';
import type { RunUser } from './run-user.ts';
import { Run, type Header } from './run.ts';
import { ScriptProcess } from './script-process.ts';

/** The header of a script that does nothing and has no mark in the log. */
const HEADER: Header = {
  language: 'none',
  entry: 'rehearsal',
  files: [{ path: 'rehearsal', base64: '' }],
  env: { ERRAND_OUT: '/tmp/out', ERRAND_IN: '/script/.in' },
  begin: '',
  inputBytes: 0,
  outputBytes: 0,
  deadlineMs: 1_000,
  cpuMs: 1_000,
};

/**
 * Performs a run with a process that does nothing. A first run takes several times as long as later ones, so the rehearsal
 * makes the first real run fast. It leaves only empty lines in the log, before the begin mark of a run.
 */
export async function rehearse(user: RunUser): Promise<void> {
  try {
    layOut(HEADER.files, HEADER.env.ERRAND_IN);
    user.act(() => mkdirSync(HEADER.env.ERRAND_OUT!));
    const { entry, env } = HEADER;
    const nothing = ScriptProcess.started(user, '/bin/true', { entry, folder: '/', env });
    await new Run(nothing, user, HEADER, Buffer.alloc(0)).toTheEnd();
  } catch {
    // If the process limit allows no further process, the rehearsal is skipped.
  }
  emptyFolders(user);
}
