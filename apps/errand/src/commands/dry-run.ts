import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { parse, renderDiagnostic, showLiterals } from '@errand/protocol';
import type { CommandLine } from '../command-line.js';
import { isColourful, print, say } from '../terminal.js';
import { libraryFolders, openRegistry } from '../tools/offline-registry.js';

/**
 * `./errand parse [file]`: prints the calls of a text, or its errors with their positions. It works without a running stack: it reads
 * the tools from ERRAND_LIBRARY. Exit code 2 if the text has errors.
 */
export async function run({ words: [file] }: CommandLine): Promise<number> {
  const text = file === undefined ? await readAll(process.stdin) : readFileSync(file, 'utf8');
  const registry = await openRegistry(libraryFolders());
  const { protocol, calls, errors, warnings } = parse(text, { tools: registry.toolLookup() });
  for (const problem of [...warnings, ...errors]) say(renderDiagnostic(text, problem, { color: isColourful }));
  for (const call of calls) print(JSON.stringify({ ...call, arguments: showLiterals(call.arguments) }));
  if (errors.length > 0) return 2;
  const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, format ${protocol}.`;
  say(protocol === null ? 'No block: a plain response, nothing to run.' : count);
  return 0;
}
