import type { CommandLine } from '../command-line.js';
import { printJson, colour, escapeControls, isColourful, print, say } from '../terminal.js';
import { ApiClient } from './api-client.js';
import { RefusedError, type Refusal } from './client-errors.js';
import { requireTarget, type TargetOptions } from './find-target.js';
import { renderDiagnostic } from '@errand/protocol';

/** The options that every client command takes. */
export interface ClientOptions extends TargetOptions {
  json?: true;
}

/** Makes a command that talks to the API. If the API refuses, the command shows the reason; with --json, the problem is on stdout. */
export function clientCommand<Options extends ClientOptions>(
  run: (client: ApiClient, line: CommandLine<Options>) => Promise<number>,
) {
  return async (line: CommandLine<Options>): Promise<number> => {
    const client = new ApiClient(requireTarget(line.options, process.env));
    return showingRefusals(line.options, () => run(client, line));
  };
}

/** Runs `ask` and shows the problem if the API refuses. `text` is the submitted text, to which positions refer. */
export async function showingRefusals(
  { json }: Pick<ClientOptions, 'json'>,
  ask: () => Promise<number>,
  text?: string,
): Promise<number> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (json) printJson(error.refusal);
    // With --json, stdout has the problem alone.
    const { observation, ...rest } = error.refusal;
    showRefusal(json || observation === undefined ? rest : error.refusal, text);
    return error.exitCode;
  }
}

/** What a person can do about a refusal, by its code. */
const FIXES: Readonly<Record<string, string>> = {
  unauthorized: 'give the API key by ERRAND_API_KEY, by a profile or by --key',
  not_found: '`./errand list` lists the invocations that this key may read',
};

/**
 * Shows why Errand refused a request: each problem, with its position in `text` if that was submitted, then the Observation for the model.
 */
export function showRefusal({ title, detail, code, errors = [], observation }: Refusal, text?: string): void {
  say(colour.red(`Refused: ${escapeControls(title)}`));
  if (detail && !(text !== undefined && errors.length > 0)) say(`  ${escapeControls(detail)}`);
  for (const { line, column, path, ...problem } of errors) {
    const hasPosition = text !== undefined && line !== undefined && column !== undefined;
    if (hasPosition)
      say(renderDiagnostic(text, { kind: escapeControls(code), ...problem, line, column }, { color: isColourful }));
    else if (problem.message !== detail)
      say(`  ${escapeControls(path ? `${path}: ${problem.message}` : problem.message)}`);
  }
  const fix = FIXES[code];
  if (fix) say(`To fix it: ${fix}`);
  if (observation) print(escapeControls(observation));
}
