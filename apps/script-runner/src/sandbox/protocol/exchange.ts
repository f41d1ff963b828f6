import type Docker from 'dockerode';
import { ChannelClosed, type SupervisorChannel } from './channel.js';
import type { Request } from './request.js';
import { explainExit } from '../container-exit.js';
import type { ContainerRegistry } from '../container-registry.js';
import type { RunLimits } from '../limits.js';
import { LogReader } from './stderr.js';
import type { SandboxContainer } from '../container.js';
import type { RunHooks, SandboxSpec } from '../sandbox-run.js';
import { splitFrames, Tunnels, type Tunnel } from '../../egress/index.js';
import { cancelled, timeout } from '../outcome.js';
import { ResponseReader, type RunResponse, untrustedSupervisor } from './response.js';

/** Maximum of containers that may end before the run has begun in one. */
const MAX_ATTEMPTS = 3;

interface EncodedRun {
  spec: SandboxSpec;
  request: Request;
  limits: RunLimits;
  hooks: RunHooks;
}

interface ServedRun extends ExchangeResult {
  container: SandboxContainer;
  /** The last lines of the log, for the details of an error. */
  logTail: string[];
}

/**
 * Runs a script in a container until the supervisor responds. A waiting container may end before the runner notices.
 * In this case nothing of the run has happened, and another container serves it.
 * @param acquire returns a container
 * @throws ToolError if the run had to be ended or its container ended; the container is gone then
 */
export async function serveRun(
  docker: Docker,
  containers: ContainerRegistry,
  run: EncodedRun,
  acquire: () => Promise<SandboxContainer>,
): Promise<ServedRun> {
  for (let attempts = 1; ; attempts++) {
    const log = new LogReader(run.request, run.hooks);
    const container = await acquire();
    try {
      return { ...(await exchangeIn(container, run, log)), container, logTail: log.tail };
    } catch (error) {
      if (!(error instanceof ChannelClosed)) {
        await containers.destroy(container);
        throw error;
      }
      // The container has ended by itself. A kill by the runner would look like a kill by an operator.
      await containers.awaitEnd(container);
      if (!log.begun && attempts < MAX_ATTEMPTS) continue;
      const { id, createdAt: since } = container;
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

/**
 * Limit for unsent bytes, 16 MiB. Flow control keeps an honest supervisor below it. Above it, the supervisor
 * acknowledged data that it did not read.
 */
const MAX_UNSENT = 16 * 1024 * 1024;

interface Exchange {
  request: Request;
  limits: RunLimits;
  log: LogReader;
  signal: AbortSignal;
  /** Accepts the connections that the script opens. Without it, the script can open none. */
  connect?: (tunnel: Tunnel) => void;
  artifactBytes?: number;
}

interface ExchangeResult {
  response: RunResponse;
  /** Resolves when the container is clean and can serve another run. It never resolves if the request did not ask for this. */
  again: Promise<void>;
}

/**
 * Exchanges one request and response with a supervisor that is ready. The time limit of the script starts with the
 * request. Resolves when the whole response and the whole log have come. Children of the script may still live: they end
 * with the container, or before it serves another run.
 * @throws ToolError TimeoutError, CancelledError, ResourceLimitError (log), SecurityError, ServiceError
 * @throws ChannelClosed if the stream ends before
 */
async function exchange(
  channel: SupervisorChannel,
  { request, limits, log, signal, connect, artifactBytes }: Exchange,
): Promise<ExchangeResult> {
  const reader = new ResponseReader(request, limits.outputKb * 1024, artifactBytes);
  const ending = new AbortController();
  let setReady: () => void = () => {};
  let setFailed: (error: Error) => void = () => {};
  const again = new Promise<void>((resolve, reject) => ([setReady, setFailed] = [resolve, reject]));
  again.catch(() => {}); // the user of the container handles it
  const tunnels = connect && new Tunnels((frame) => channel.send(frame), connect);
  const readResponse = (bytes: Buffer) => reader.push(bytes);
  const readStdout = tunnels
    ? splitFrames((frame, bytes) => tunnels.receive(frame, bytes), readResponse)
    : readResponse;
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<RunResponse>((resolve, reject) => {
      const fail = (error: Error) => (reject(error), setFailed(error));
      channel.listen({
        onData(source, bytes) {
          if (source === 'stderr') log.push(bytes);
          else readStdout(bytes);
          if (tunnels && channel.unsent > MAX_UNSENT)
            throw untrustedSupervisor('an acknowledgement of data that it did not read');
          if (reader.response && log.ended) resolve(reader.response);
          if (reader.again && log.ended) {
            channel.stopListening();
            setReady();
          }
        },
        onClosed: fail,
      });
      timer = setTimeout(() => fail(timeout(limits)), limits.timeoutMs);
      signal.addEventListener('abort', () => fail(cancelled()), { signal: ending.signal });
      if (signal.aborted) fail(cancelled());
      else channel.send(request.bytes);
    });
    return { response, again };
  } finally {
    clearTimeout(timer);
    tunnels?.close();
    ending.abort();
    log.finish();
  }
}
