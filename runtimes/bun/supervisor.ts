/**
 * The supervisor of a Bun sandbox. `runtimes/python/supervisor.py` describes the protocol on stdin, stdout and stderr.
 *
 * Bun cannot fork. Instead a process with a loaded interpreter always waits to become the next script (script.ts). Each run
 * has a process that has served no other run.
 */
import { mkdirSync } from 'node:fs';
import { endEveryone, leaveNothingBehind } from './leave-nothing.ts';
import { Lifeline } from './lifeline.ts';
import { layOut } from './lay-out.ts';
import { forbidTracing } from './libc.ts';
import { collectOutgoing, pack } from './outgoing.ts';
import { rehearse } from './rehearse.ts';
import { hasOnlyOwnThreads, keepRunsApart, RunUser } from './run-user.ts';
import { Run, type Header } from './run.ts';
import { ScriptProcess } from './script-process.ts';
import { Tunnels } from './tunnels.ts';

const NO_TOKEN = '0'.repeat(32);
const LINGER_MS = 2_000;
/** Without a request in this time, the container waits in a pool. */
const CALM_MS = 10;

forbidTracing();
const isApart = keepRunsApart();
const lifeline = new Lifeline(Bun.stdin.stream().getReader());
let isFirst = true;
let greeting = isApart ? 'ready apart\n' : 'ready\n';
for (const user of RunUser.all()) {
  const next = ScriptProcess.waiting(user, isFirst);
  await Bun.write(Bun.stdout, greeting);
  if (isFirst && !(await lifeline.stirs(CALM_MS))) await rehearse(user);
  isFirst = false;
  const token = await serve(next, user);
  if (token === NO_TOKEN || !leaveNothingBehind(user)) break;
  // An honest runner sends nothing before the supervisor is ready.
  if ((await lifeline.hasMore()) || (isApart && !hasOnlyOwnThreads())) break;
  greeting = `ready ${token}\n`;
}
process.exit(0);

/** Serves one run. Returns the token of the request. */
async function serve(script: ScriptProcess, user: RunUser): Promise<string> {
  const header: Header = JSON.parse((await lifeline.bytes(parseInt(String(await lifeline.bytes(8)), 16))).toString());
  const input = await lifeline.bytes(header.inputBytes);
  const nonce = String(await lifeline.bytes(32));
  const token = String(await lifeline.bytes(32));
  const tunnels = header.tunnels ? await Tunnels.listening() : undefined;
  const cut = lifeline.untilCut(tunnels && ((bytes) => tunnels.hear(bytes)));
  try {
    layOut(header.files, header.env.ERRAND_IN);
    user.act(() => mkdirSync(header.env.ERRAND_OUT!));
    const ended = await new Run(script, user, header, input).toTheEnd();
    await tunnels?.finish();
    const { artifactBytes: room, env } = header;
    const isAsked = room !== undefined && endEveryone(user);
    const [archive, outgoing] = isAsked ? await pack(user.act(() => collectOutgoing(env.ERRAND_OUT!, room))) : [];
    await answer(nonce, { ...ended[0], ...outgoing }, ended[1], archive);
  } catch (fault) {
    await answer(nonce, { fault: String(fault), code: codeOf(fault) }, Buffer.alloc(0));
  }
  if (token !== NO_TOKEN) await tunnels?.over;
  // An immediate exit could cut the response off.
  if (token === NO_TOKEN) await Promise.race([cut, Bun.sleep(LINGER_MS)]);
  return token;
}

/** Returns a system error code such as `ENOSPC`. */
function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** Writes the end mark of the log, then the frame. The engine carries the mark while the frame is made. */
async function answer(nonce: string, report: object, stdout: Buffer, archive = new Uint8Array()): Promise<void> {
  const marked = Bun.write(Bun.stderr, `\n${nonce}\n`);
  const lengths = { stdoutBytes: stdout.length, archiveBytes: archive.length };
  const head = `${JSON.stringify({ ...report, nonce, ...lengths })}\n`;
  await Bun.write(Bun.stdout, Buffer.concat([Buffer.from(head), stdout, archive]));
  await marked;
}
