/**
 * The supervisor of a Bun sandbox. `runtimes/python/supervisor.py` describes the protocol on stdin, stdout and stderr.
 *
 * Bun cannot fork. Instead, while no request comes, a process with a loaded interpreter waits to become the next script
 * (script.ts). In a quick sequence of requests, each process starts with its order. Each run has a process that has served no
 * other run.
 */
import { leaveNothingBehind } from './leave-nothing.ts';
import { Lifeline } from './lifeline.ts';
import { forbidTracing } from './libc.ts';
import { rehearse } from './rehearse.ts';
import { hasOnlyOwnThreads, keepRunsApart, RunUser } from './run-user.ts';
import { ScriptProcess } from './script-process.ts';
import { NO_TOKEN, serve } from './serve.ts';

/** Without a request in this time, a process starts that waits for the next script. */
const CALM_MS = 10;

forbidTracing();
const isApart = keepRunsApart();
const lifeline = new Lifeline(Bun.stdin.stream().getReader());
let isFirst = true;
let greeting = isApart ? 'ready apart\n' : 'ready\n';
for (const user of RunUser.all()) {
  await Bun.write(Bun.stdout, greeting);
  // Without a request, the process of the script starts now. The rehearsal ends all processes of its user, so it comes before.
  const isCalm = !(await lifeline.stirs(CALM_MS));
  if (isCalm && isFirst && !(await rehearse())) break;
  isFirst = false;
  const waiting = isCalm ? ScriptProcess.waiting(user) : undefined;
  const token = await serve(lifeline, waiting, user, Bun.stdout);
  if (token === NO_TOKEN || !leaveNothingBehind(user)) break;
  // An honest runner sends nothing before the supervisor is ready.
  if ((await lifeline.hasMore()) || (isApart && !hasOnlyOwnThreads())) break;
  greeting = `ready ${token}\n`;
}
process.exit(0);
