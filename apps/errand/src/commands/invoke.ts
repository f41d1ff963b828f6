import { text as readAll } from 'node:stream/consumers';
import { submitText } from '../api-client.js';
import type { CommandLine } from '../command-line.js';
import { findRunningStack } from '../running-stack.js';
import { showInvocation, showRefusal } from '../show-invocation.js';
import { colour, print, say } from '../terminal.js';

/** `./errand invoke '<text>'`. Exit code 0: the invocation succeeded, or there was nothing to run; 1: it failed; 2: the text was refused. */
export async function run({ words }: CommandLine): Promise<number> {
  const stack = findRunningStack(process.env['ERRAND_DATA_DIR'] ?? '.errand');
  if (!stack) {
    say('Errand is not running: start it with `./errand up` (in another terminal), then repeat this command.');
    return 1;
  }
  if (words.length === 0 && process.stdin.isTTY) say(colour.dim('Type the text here; end it with Ctrl-D.'));
  return invoke(stack.url, words.length > 0 ? words.join(' ') : await readAll(process.stdin));
}

/** Submits a text and shows the outcome. @returns the exit code */
export async function invoke(api: string, text: string): Promise<number> {
  const submitted = await submitText(api, text);
  if (submitted.outcome === 'refused') {
    showRefusal(text, submitted.refusal);
    return 2;
  }
  if (submitted.outcome === 'no_action') {
    say(colour.dim('No ACTION or TAM block: a plain response, nothing to run.'));
    print(submitted.responseText);
    return 0;
  }
  return (await showInvocation(api, submitted.invocation)).status === 'succeeded' ? 0 : 1;
}
