import { ToolError } from '@errand/contracts';
import type Docker from 'dockerode';
import { asServiceError } from './docker-errors.js';
import { outOfMemory, tooManyProcesses } from './outcome.js';
import type { RunLimits } from './limits.js';

/** How programs say that they were refused a process or a thread: each language, and the shell. */
const REFUSED_FORK =
  /Resource temporarily unavailable|\bEAGAIN\b|SystemResources|can't start new thread|[Cc]annot fork/;

/**
 * The error of a run whose container ended before its supervisor had answered: the script killed it, memory or processes ran
 * out so suddenly that the supervisor went too, or the platform is to blame and a retry may help. The container must be gone, and
 * the runner must not have killed it.
 * @param run.since a time before the container was made, in ms since 1970
 */
export async function explainExit(
  docker: Docker,
  container: string,
  run: { since: number; limits: RunLimits; logTail: string[] },
): Promise<ToolError> {
  try {
    const death = await readExit(docker, container, run.since);
    if (death === undefined)
      return new ToolError('ServiceError', 'The sandbox was lost: the Docker engine ended or was restarted');
    if (death.byEngine) return stopped();
    if (death.outOfMemory) return outOfMemory(run.limits, run.logTail);
    // The counters went with the container: what is left of a bomb that took its supervisor along is what it was told.
    if (run.logTail.some((line) => REFUSED_FORK.test(line))) return tooManyProcesses(run.limits, run.logTail);
    return killed(death.exitCode, run.logTail.join('\n'));
  } catch (cause) {
    return asServiceError('lost the Docker engine', cause);
  }
}

function stopped(): ToolError {
  return new ToolError(
    'ServiceError',
    'The sandbox was stopped from outside: by an operator, or because the Docker engine shut down',
  );
}

function killed(exitCode: number, log: string): ToolError {
  if (exitCode <= 128) {
    return new ToolError('ServiceError', `The supervisor in the sandbox failed (exit code ${exitCode})`, {
      exitCode,
      log,
    });
  }
  const message = `The sandbox was killed from inside before the script ended (exit code ${exitCode})`;
  return new ToolError('ScriptError', message, { exitCode, log });
}

/** How a container ended. */
export interface ContainerExit {
  exitCode: number;
  outOfMemory: boolean;
  /** The engine signalled it before it ended: an operator stopped, killed or removed it, or the engine shut down. */
  byEngine: boolean;
}

interface EngineEvent {
  Action: string;
  Actor: { Attributes: Record<string, string> };
}

/**
 * How a container ended that has been removed already, by the engine's memory of its last events (256 of them);
 * undefined when it has none, as after a restart of the engine.
 * @param since a time before the container was made, in ms since 1970
 */
export async function readExit(docker: Docker, container: string, since: number): Promise<ContainerExit | undefined> {
  const stream = await docker.getEvents({
    since: since / 1000,
    until: Date.now() / 1000,
    filters: { type: ['container'], container: [container], event: ['oom', 'kill', 'die'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const events = text.split('\n').filter(Boolean).map(parse);
  const diedAt = events.findIndex(({ Action }) => Action === 'die');
  const death = events[diedAt];
  if (death === undefined) return undefined;
  return {
    exitCode: Number(death.Actor.Attributes.exitCode),
    outOfMemory: events.some(({ Action }) => Action === 'oom'),
    // Only the engine emits this event. A signal from a process inside emits none, and neither does the kernel's for want of memory.
    byEngine: events.slice(0, diedAt).some(({ Action }) => Action === 'kill'),
  };
}

function parse(line: string): EngineEvent {
  const event: EngineEvent = JSON.parse(line);
  return event;
}
