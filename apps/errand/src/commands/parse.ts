import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { renderDiagnostic } from '@errand/protocol';
import { parseText, type Parsed } from '../api-client.js';
import { findRunningStack } from '../running-stack.js';
import { isColourful, print, say } from '../terminal.js';

/** `./errand parse [file]`: what a text would call, or what is wrong with it and where. Exit code 2 where something is. */
export async function run([file]: string[]): Promise<number> {
  const stack = findRunningStack(process.env['ERRAND_DATA_DIR'] ?? '.errand');
  if (!stack) {
    say('Errand is not running: start it with `./errand up` (in another terminal), then do this again.');
    return 1;
  }
  const text = file === undefined ? await readAll(process.stdin) : readFileSync(file, 'utf8');
  return show(text, await parseText(stack.url, text));
}

function show(text: string, { protocol, calls, errors, warnings }: Parsed): number {
  for (const problem of [...warnings, ...errors]) say(renderDiagnostic(text, problem, { color: isColourful }));
  for (const call of calls) print(JSON.stringify(call));
  if (errors.length > 0) return 2;
  say(
    protocol === null
      ? 'No block: a plain response, nothing to run.'
      : `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, format ${protocol}.`,
  );
  return 0;
}
