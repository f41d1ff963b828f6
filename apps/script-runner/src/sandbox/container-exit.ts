import { ToolError } from '@errand/contracts';
import type Docker from 'dockerode';
import { asServiceError } from './docker-errors.js';
import { outOfMemory, tooManyProcesses } from './outcome.js';
import type { RunLimits } from './limits.js';

/** The texts with which languages and the shell report a refused process or thread. */
const REFUSED_FORK =
  /Resource temporarily unavailable|\bEAGAIN\b|SystemResources|can't start new thread|[Cc]annot fork/;

/**
 * Returns the error of a run whose container ended before its supervisor responded. The script killed the container,
 * memory or processes ran out so suddenly that the supervisor ended too, or the platform failed and a retry may help.
 * The container must be gone, and the runner must not have killed it.
 * @param run.since a time before the creation of the container, in ms since 1970
 */
export async function explainExit(
  docker: Docker,
  container: string,
  run: { since: number; limits: RunLimits; logTail: string[] },
): Promise<ToolError> {
  try {
    const exit = await readExit(docker, container, run.since);
    if (exit === undefined)
      return new ToolError('ServiceError', 'The sandbox was lost: the Docker engine ended or was restarted');
    if (exit.byEngine) return stopped();
    if (exit.outOfMemory) return outOfMemory(run.limits, run.logTail);
    // The counters are gone with the container. After a fork bomb that ended the supervisor, only the log remains.
    if (run.logTail.some((line) => REFUSED_FORK.test(line))) return tooManyProcesses(run.limits, run.logTail);
    return killed(exit.exitCode, run.logTail.join('\n'));
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

interface ContainerExit {
  exitCode: number;
  outOfMemory: boolean;
  /** Docker sent a signal before the end: an operator stopped, killed or removed the container, or Docker shut down. */
  byEngine: boolean;
}

interface EngineEvent {
  Action: string;
  Actor: { Attributes: Record<string, string> };
}

/**
 * Reads the exit of a removed container from Docker's last 256 events.
 * @param since a time before the creation of the container, in ms since 1970
 * @returns undefined if Docker has no event of the exit, for example after its restart
 */
async function readExit(docker: Docker, container: string, since: number): Promise<ContainerExit | undefined> {
  const stream = await docker.getEvents({
    since: since / 1000,
    until: Date.now() / 1000,
    filters: { type: ['container'], container: [container], event: ['oom', 'kill', 'die'] },
  });
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const events = text.split('\n').filter(Boolean).map(parseEvent);
  const index = events.findIndex(({ Action }) => Action === 'die');
  const exit = events[index];
  if (exit === undefined) return undefined;
  return {
    exitCode: Number(exit.Actor.Attributes.exitCode),
    outOfMemory: events.some(({ Action }) => Action === 'oom'),
    // Only Docker emits this event. Signals from processes inside and from the kernel (out of memory) emit none.
    byEngine: events.slice(0, index).some(({ Action }) => Action === 'kill'),
  };
}

function parseEvent(line: string): EngineEvent {
  const event: EngineEvent = JSON.parse(line);
  return event;
}
