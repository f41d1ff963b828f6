import { isObject } from '@errand/contracts';
import { parse, renderDiagnostic, showLiterals, type ParseResult } from '@errand/protocol';
import { ApiClient } from '../client/api-client.js';
import { EXIT, UnreachableError } from '../client/client-errors.js';
import { namedTarget, type Target } from '../client/find-target.js';
import { showingRefusals, type ClientOptions } from '../client/run-client-command.js';
import type { CommandLine } from '../command-line.js';
import { readInput } from '../read-input.js';
import { escapeControls, isColourful, print, printJson, say } from '../terminal.js';
import { libraryFolders, openRegistry } from '../tools/offline-registry.js';

/**
 * `./errand parse [file]`: prints the calls of a text, or its errors with their positions. Without an address it needs no running stack:
 * it reads the tools from ERRAND_LIBRARY.
 */
export async function run({ options, words: [file] }: CommandLine<ClientOptions>): Promise<number> {
  const target = namedTarget(options, process.env);
  const text = await readInput(file, 'the text');
  return showingRefusals(options, async () => {
    const result = target ? await parseRemotely(target, text) : await parseHere(text);
    if (options.json) printJson(result);
    else showResult(text, result);
    return result.errors.length > 0 ? EXIT.refused : EXIT.success;
  });
}

async function parseHere(text: string): Promise<ParseResult> {
  const registry = await openRegistry(libraryFolders());
  const { calls, ...result } = parse(text, { tools: registry.toolLookup() });
  return { ...result, calls: calls.map((call) => ({ ...call, arguments: showLiterals(call.arguments) })) };
}

async function parseRemotely(target: Target, text: string): Promise<ParseResult> {
  const client = new ApiClient(target);
  const body = await client.post<unknown>('/v1/parse', JSON.stringify({ text }));
  const lists = isObject(body) ? [body.calls, body.errors, body.warnings] : [];
  if (lists.length > 0 && lists.every(Array.isArray)) return body as ParseResult;
  throw new UnreachableError(`The server at ${client.url} is not Errand: its response is not a parsed text`);
}

function showResult(text: string, { protocol, calls, errors, warnings }: ParseResult): void {
  for (const problem of [...warnings, ...errors]) say(renderDiagnostic(text, problem, { color: isColourful }));
  for (const call of calls) print(escapeControls(JSON.stringify(call)));
  if (errors.length > 0) return;
  const count = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, format ${protocol}.`;
  say(protocol === null ? 'No block: a plain response, nothing to run.' : escapeControls(count));
}
