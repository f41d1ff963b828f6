import { leaveNothingBehind } from './leave-nothing.ts';
import { Lifeline } from './lifeline.ts';
import { hasOnlyOwnThreads, RunUser } from './run-user.ts';
import type { Header } from './run.ts';
import { ScriptProcess } from './script-process.ts';
import { serve } from './serve.ts';

/** The request of a script that prints its input and has no mark in the log. */
const INPUT = 'null';
const HEADER: Header = {
  language: 'none',
  entry: 'rehearsal',
  files: [{ path: 'rehearsal', base64: '' }],
  env: { ERRAND_OUT: '/tmp/out', ERRAND_IN: '/script/.in' },
  begin: '',
  inputBytes: INPUT.length,
  outputBytes: INPUT.length,
  deadlineMs: 1_000,
  cpuMs: 1_000,
  artifactBytes: 0,
};
const NONCE_AND_TOKEN = '1'.repeat(64);

/**
 * Serves a request whose script is a small program, as a user that no run has. A first run takes several times as long as later ones, so the
 * rehearsal makes the first real run fast. It leaves lines in the log only before the begin mark of a run. It ends all processes of
 * its user, which is also the user of the run in a container for one run. Returns whether nothing of it is left.
 */
export async function rehearse(): Promise<boolean> {
  const user = RunUser.rehearsal();
  let echo: ScriptProcess;
  try {
    echo = ScriptProcess.started(user, '/bin/cat', { entry: '-', folder: '/', env: HEADER.env });
  } catch {
    return true; // the process limit allows no further process
  }
  await serve(new Lifeline(requestStream()), echo, user, Bun.file('/dev/null'));
  return leaveNothingBehind(user) && (!user.isApart || hasOnlyOwnThreads());
}

/** Like the stream of the runner, it stays open behind the request. */
function requestStream(): ReadableStreamDefaultReader<Uint8Array> {
  const header = JSON.stringify(HEADER);
  const request = header.length.toString(16).padStart(8, '0') + header + INPUT + NONCE_AND_TOKEN;
  return new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(Buffer.from(request)) }).getReader();
}
