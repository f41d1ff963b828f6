import { setTimeout } from 'node:timers/promises';
import { ERROR_TYPES, isTriedOut, ToolError, type Tool } from '@errand/contracts';
import type { CallOrigin } from '@errand/engine';
import { decideRetry } from '@errand/queue';
import type { StepContext } from './step-context.js';

/** The call of a tool by a node. */
interface NodeCall {
  tool: Tool;
  origin: CallOrigin;
}

/**
 * Runs a tool for a node as often as the tool says, or the caller in its place: that is the total, and nothing around it tries it again.
 * A tool without a number runs once here, and so does one whose node has a number. (A script is a job with attempts of its own.)
 */
export async function tryRepeatedly<T>(
  context: StepContext,
  { tool, origin }: NodeCall,
  run: () => Promise<T>,
): Promise<T> {
  const { signal, work } = context;
  const { retry: own, kind } = tool;
  if (!own || origin.isRetried || kind === 'script') return run();
  for (let attempts = 1; ; attempts++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ToolError) || signal.aborted) throw error;
      const { failure, pauseMs } = decideRetry(error, { attempts, asked: work.record.retry, own });
      if (pauseMs === undefined) throw triedOut(failure, attempts);
      await setTimeout(pauseMs, undefined, { signal });
    }
  }
}

/** The failure of something that was tried as often as it may be. One that no retry mends need not say so. */
export function triedOut(failure: ToolError, tried: number): ToolError {
  const { type, message, details } = failure;
  if (!ERROR_TYPES[type].retryable || isTriedOut(failure)) return failure;
  return new ToolError(type, message, { ...details, tried }, { cause: failure });
}
