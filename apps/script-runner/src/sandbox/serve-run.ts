import type Docker from 'dockerode';
import { converse, type Conversed } from './converse.js';
import { SandboxLost } from './dialogue.js';
import type { Request } from './encode-request.js';
import { explainLoss } from './explain-loss.js';
import type { Fleet } from './fleet.js';
import type { RunLimits } from './limits.js';
import { LogReader } from './read-log.js';
import type { SandboxContainer } from './sandbox-container.js';
import type { RunHooks, SandboxSpec } from './sandbox-spec.js';

/** How many containers may be lost before a run has begun in one. */
const MAX_TRIES = 3;

export interface Run {
  spec: SandboxSpec;
  request: Request;
  limits: RunLimits;
  hooks: RunHooks;
}

export interface Served extends Conversed {
  container: SandboxContainer;
  /** The last lines of the log, for what there may be to tell of an error. */
  logTail: string[];
}

/**
 * One run in a container, to its supervisor's answer. A container may die while it waits and be taken before that is known: nothing of
 * the run has happened then, and another serves it.
 * @param choose gives a container
 * @throws ToolError as the run had to be ended, or as its container was lost; the container is gone then
 */
export async function serveRun(
  docker: Docker,
  fleet: Fleet,
  run: Run,
  choose: () => Promise<SandboxContainer>,
): Promise<Served> {
  for (let tries = 1; ; tries++) {
    const log = new LogReader(run.request, run.hooks);
    const container = await choose();
    try {
      return { ...(await converseIn(container, run, log)), container, logTail: log.tail };
    } catch (error) {
      if (!(error instanceof SandboxLost)) {
        await fleet.destroy(container);
        throw error;
      }
      // It has ended by itself. A kill of ours would look like an operator's.
      await fleet.awaitEnd(container);
      if (!log.begun && tries < MAX_TRIES) continue;
      const { id, bornAt: since } = container;
      throw await explainLoss(docker, id, { since, limits: run.limits, logTail: log.tail });
    }
  }
}

function converseIn(container: SandboxContainer, run: Run, log: LogReader): Promise<Conversed> {
  const { spec, request, limits, hooks } = run;
  container.runs++;
  hooks.onContainer?.(container.id);
  const { connect, artifactBytes } = spec;
  return converse(container.dialogue, { request, limits, log, signal: hooks.signal, connect, artifactBytes });
}
