import { readRound, type Deliberated, type ReadRound } from '@errand/agents';
import type { JsonObject, Problem, ToolInterface, ToolLookup } from '@errand/contracts';
import type { CheckedArguments, ClientArguments } from '../steps/check-client-arguments.js';
import type { TurnTools } from './turn-tools.js';

/** Checks arguments elsewhere. The results have the order of the arguments. */
type CheckAll = (given: readonly ClientArguments[]) => Promise<readonly CheckedArguments[]>;

/**
 * Reads the calls of a round as `readRound` does. The schemas of client tools come from the caller, so `checkAll` checks their arguments.
 * The answer is read again with the results. An answer without calls of client tools is read once.
 * @throws what `checkAll` throws
 */
export async function readModelCalls(
  deliberated: Deliberated,
  tools: TurnTools,
  checkAll: CheckAll,
): Promise<ReadRound> {
  const lookup = new ClientChecks(tools);
  for (;;) {
    const read = readRound(deliberated, lookup);
    const unchecked = lookup.takeUnchecked();
    if (unchecked.length === 0) return read;
    const results = await checkAll(unchecked.map(([, given]) => given));
    unchecked.forEach(([key], n) => lookup.keep(key, results[n]));
  }
}

/**
 * The tools of a turn, with the results of earlier checks. Arguments of client tools without a result are accepted and recorded. The caller then
 * discards what it has read, checks them, and reads again.
 */
class ClientChecks implements ToolLookup {
  private readonly checked = new Map<string, CheckedArguments>();
  private readonly unchecked = new Map<string, ClientArguments>();
  /** Each name is looked for once, because a turn looks for a bounded number of them. */
  private readonly suggestions = new Map<string, string | undefined>();

  constructor(private readonly tools: TurnTools) {}

  find(name: string): ToolInterface | undefined {
    return this.tools.find(name);
  }

  suggest(name: string): string | undefined {
    if (!this.suggestions.has(name)) this.suggestions.set(name, this.tools.suggest(name));
    return this.suggestions.get(name);
  }

  validate(tool: ToolInterface, args: JsonObject): { arguments: JsonObject; problems: Problem[] } {
    if (!this.tools.isClient(tool.toolId)) return this.tools.validate(tool, args);
    const key = JSON.stringify([tool.toolId, args]);
    const checked = this.checked.get(key);
    if (checked) return checked;
    this.unchecked.set(key, { tool, arguments: args });
    return { arguments: args, problems: [] };
  }

  takeUnchecked(): [key: string, given: ClientArguments][] {
    const all = [...this.unchecked];
    this.unchecked.clear();
    return all;
  }

  keep(key: string, result: CheckedArguments | undefined): void {
    if (!result) throw new Error('An argument was not checked');
    this.checked.set(key, result);
  }
}
