import type { CommandLine } from '../command-line.js';
import { showRefusal } from '../show-refusal.js';
import { printJson } from '../terminal.js';
import { ApiClient } from './api-client.js';
import { RefusedError } from './client-errors.js';
import { requireTarget, type TargetOptions } from './find-target.js';

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
