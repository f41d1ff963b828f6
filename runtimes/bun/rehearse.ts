import { mkdirSync } from 'node:fs';
import { layOut } from './lay-out.ts';
import { emptyFolders } from './leave-nothing.ts';
import type { RunUser } from './run-user.ts';
import { Run, type Header } from './run.ts';
import { ScriptProcess } from './script-process.ts';

/** Of a script of another language that does nothing, and has no mark in the log. */
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
 * Goes through a run with a process that does nothing: what the first run does for the first time takes several times as long as
 * later. Leaves nothing but empty lines in the log, ahead of the mark where that of a run begins.
 */
export async function rehearse(user: RunUser): Promise<void> {
  try {
    layOut(HEADER.files, HEADER.env.ERRAND_IN);
    user.act(() => mkdirSync(HEADER.env.ERRAND_OUT!));
    const { entry, env } = HEADER;
    const nothing = ScriptProcess.started(user, '/bin/true', { entry, folder: '/', env });
    await new Run(nothing, user, HEADER, Buffer.alloc(0)).toTheEnd();
  } catch {
    // Where there is no room for one process more, the run will do without.
  }
  emptyFolders(user);
}
