import type { Refusal } from '@errand/contracts';

/** The tools of a refused submission. */
export interface RefusedTools {
  /** The names that it called. */
  called: readonly string[];
  /** The nearest tools to unknown names, which it did not call. */
  nearest: readonly string[];
  /** Those of both that exist. Beside an unknown name, only nearest tools are certain to exist. */
  known: readonly string[];
}

/** Separates the tools that a submission called from the nearest ones, which are behind them. */
export function refusedTools({ toolIds, errors }: Pick<Refusal, 'toolIds' | 'errors'>): RefusedTools {
  const unknown = errors.filter((error) => 'kind' in error && error.kind === 'unknown_tool');
  const suggested = new Set(unknown.map(({ suggestion }) => suggestion));
  const end = toolIds.findLastIndex((toolId) => !suggested.has(toolId)) + 1;
  return {
    called: toolIds.slice(0, end),
    nearest: toolIds.slice(end),
    known: unknown.length === 0 ? toolIds : toolIds.filter((toolId) => suggested.has(toolId)),
  };
}
