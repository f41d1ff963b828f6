import { setTimeout } from 'node:timers/promises';
import { ERROR_TYPES, isTriedOut, ToolError, type Tool } from '@errand/contracts';
import type { CallOrigin } from '@errand/engine';
import { decideRetry } from '@errand/queue';
import type { StepContext } from './step-context.js';

/** The call of a tool that a node makes. */
interface NodeCall {
  tool: Tool;
  origin: CallOrigin;
}

/**
 * Runs a tool for a node, with the number of attempts of the tool, or of the caller instead. That number is the total: nothing around
 * this call retries it. A tool without a number runs once, and so does a tool whose node has a number. A script also runs once here,
 * because its own job has the attempts.
 */
export async function retryTool<T>(
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
      if (pauseMs === undefined) throw withAttempts(failure, attempts);
      await setTimeout(pauseMs, undefined, { signal });
    }
  }
}

/** Adds the number of attempts to a failure without further retries. An error that a retry cannot fix stays unchanged. */
export function withAttempts(failure: ToolError, tried: number): ToolError {
  const { type, message, details } = failure;
  if (!ERROR_TYPES[type].retryable || isTriedOut(failure)) return failure;
  return new ToolError(type, message, { ...details, tried }, { cause: failure });
}
