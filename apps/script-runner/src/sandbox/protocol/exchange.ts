import type Docker from 'dockerode';
import { ChannelClosed, type SupervisorChannel } from './channel.js';
import type { Request } from './request.js';
import { explainExit } from '../container-exit.js';
import type { ContainerRegistry } from '../container-registry.js';
import type { RunLimits } from '../limits.js';
import { LogReader } from './stderr.js';
import type { SandboxContainer } from '../container.js';
import type { RunHooks, SandboxSpec } from '../sandbox-run.js';
import type { ToolError } from '@errand/contracts';
import { splitFrames, Tunnels, type Tunnel } from '../../egress/index.js';
import { cancelled, timeout } from '../outcome.js';
import { ResponseReader, type RunResponse } from './response.js';
import { untrustedSupervisor } from './untrusted-supervisor.js';

/** How many containers may be lost before a run has begun in one. */
const MAX_TRIES = 3;

export interface EncodedRun {
  spec: SandboxSpec;
  request: Request;
  limits: RunLimits;
  hooks: RunHooks;
}

export interface ServedRun extends ExchangeResult {
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
  containers: ContainerRegistry,
  run: EncodedRun,
  choose: () => Promise<SandboxContainer>,
): Promise<ServedRun> {
  for (let tries = 1; ; tries++) {
    const log = new LogReader(run.request, run.hooks);
    const container = await choose();
    try {
      return { ...(await exchangeIn(container, run, log)), container, logTail: log.tail };
    } catch (error) {
      if (!(error instanceof ChannelClosed)) {
        await containers.destroy(container);
        throw error;
      }
      // It has ended by itself. A kill of ours would look like an operator's.
      await containers.awaitEnd(container);
      if (!log.begun && tries < MAX_TRIES) continue;
      const { id, bornAt: since } = container;
      throw await explainExit(docker, id, { since, limits: run.limits, logTail: log.tail });
    }
  }
}

function exchangeIn(container: SandboxContainer, run: EncodedRun, log: LogReader): Promise<ExchangeResult> {
  const { spec, request, limits, hooks } = run;
  container.runs++;
  hooks.onContainer?.(container.id);
  const { connect, artifactBytes } = spec;
  return exchange(container.channel, { request, limits, log, signal: hooks.signal, connect, artifactBytes });
}

/** More than tunnels hold while both sides keep to their windows: whoever lets so much pile up claims to take what he does not. */
const MAX_UNSENT = 16 * 1024 * 1024;

export interface Exchange {
  request: Request;
  limits: RunLimits;
  log: LogReader;
  signal: AbortSignal;
  /** Takes the connections that the script opens; without it, it can open none. */
  connect?: (tunnel: Tunnel) => void;
  artifactBytes?: number;
}

export interface ExchangeResult {
  response: RunResponse;
  /** Resolves when the container can serve another run: nothing of this one is left. Never, where that was not asked for. */
  again: Promise<void>;
}

/**
 * One run with a supervisor that is ready: sends the request, reads answer and log. The script's time runs from the request.
 * Resolves when the whole answer and the whole log are here; that the script's children may live on does not matter, for they
 * end with the container, or before it serves another.
 * @throws ToolError TimeoutError, CancelledError, ResourceLimitError (log), SecurityError, ServiceError
 * @throws ChannelClosed when the stream ends before
 */
export async function exchange(
  channel: SupervisorChannel,
  { request, limits, log, signal, connect, artifactBytes }: Exchange,
): Promise<ExchangeResult> {
  const reader = new ResponseReader(request, limits.outputKb * 1024, artifactBytes);
  const ending = new AbortController();
  let isReady!: () => void, isLost!: (error: Error) => void;
  const again = new Promise<void>((resolve, reject) => ([isReady, isLost] = [resolve, reject]));
  again.catch(() => {}); // who wants the container again is told
  const tunnels = connect && new Tunnels((frame) => channel.say(frame), connect);
  const answerTo = (bytes: Buffer) => reader.push(bytes);
  const hearStdout = tunnels ? splitFrames((frame, bytes) => tunnels.receive(frame, bytes), answerTo) : answerTo;
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<RunResponse>((resolve, reject) => {
      const fail = (error: ToolError | Error) => (reject(error), isLost(error));
      channel.listen({
        hear(source, bytes) {
          if (source === 'stderr') log.push(bytes);
          else hearStdout(bytes);
          if (tunnels && channel.unsent > MAX_UNSENT) throw untrustedSupervisor('that it took what it did not take');
          if (reader.response && log.ended) resolve(reader.response);
          if (reader.again && log.ended) {
            channel.stopListening();
            isReady();
          }
        },
        fail,
      });
      timer = setTimeout(() => fail(timeout(limits)), limits.timeoutMs);
      signal.addEventListener('abort', () => fail(cancelled()), { signal: ending.signal });
      if (signal.aborted) fail(cancelled());
      else channel.say(request.bytes);
    });
    return { response, again };
  } finally {
    clearTimeout(timer);
    tunnels?.close();
    ending.abort();
    log.finish();
  }
}
