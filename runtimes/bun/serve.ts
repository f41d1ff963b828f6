import { mkdirSync } from 'node:fs';
import { layOut } from './lay-out.ts';
import { endEveryone } from './leave-nothing.ts';
import type { Lifeline } from './lifeline.ts';
import { collectOutgoing, pack } from './outgoing.ts';
import type { RunUser } from './run-user.ts';
import { Run, type Header } from './run.ts';
import type { ScriptProcess } from './script-process.ts';
import { Tunnels } from './tunnels.ts';

/** The token of a request that is the last one of its container. */
export const NO_TOKEN = '0'.repeat(32);
const LINGER_MS = 2_000;

/** Reads a request, runs its script and writes the response to `answers`. Returns the token of the request. */
export async function serve(
  lifeline: Lifeline,
  waiting: ScriptProcess | undefined,
  user: RunUser,
  answers: Bun.BunFile,
): Promise<string> {
  const header: Header = JSON.parse((await lifeline.bytes(parseInt(String(await lifeline.bytes(8)), 16))).toString());
  const input = await lifeline.bytes(header.inputBytes);
  const nonce = String(await lifeline.bytes(32));
  const token = String(await lifeline.bytes(32));
  const tunnels = header.tunnels ? await Tunnels.listening() : undefined;
  const cut = lifeline.untilCut(tunnels && ((bytes) => tunnels.hear(bytes)));
  try {
    layOut(header.files, header.env.ERRAND_IN);
    user.act(() => mkdirSync(header.env.ERRAND_OUT!));
    const run = await Run.start(waiting, user, header, input);
    const ended = await run.toTheEnd();
    await tunnels?.finish();
    const { artifactBytes: room, env } = header;
    // In a container of one run, this process can read no more than the script.
    const isAsked = room !== undefined && (run.hasReportedEnd || endEveryone(user));
    const [archive, outgoing] = isAsked ? await pack(user.act(() => collectOutgoing(env.ERRAND_OUT!, room))) : [];
    await answer(answers, nonce, { ...ended[0], ...outgoing }, ended[1], archive);
  } catch (fault) {
    await answer(answers, nonce, { fault: String(fault), code: codeOf(fault) }, Buffer.alloc(0));
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
async function answer(
  answers: Bun.BunFile,
  nonce: string,
  report: object,
  stdout: Buffer,
  archive = new Uint8Array(),
): Promise<void> {
  const marked = Bun.write(Bun.stderr, `\n${nonce}\n`);
  const lengths = { stdoutBytes: stdout.length, archiveBytes: archive.length };
  const head = `${JSON.stringify({ ...report, nonce, ...lengths })}\n`;
  await Bun.write(answers, Buffer.concat([Buffer.from(head), stdout, archive]));
  await marked;
}
