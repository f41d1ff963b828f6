import type { Duplex } from 'node:stream';
import { ToolError } from '@errand/contracts';
import { demultiplexer } from './demultiplex.js';
import { cancelled, timeout } from './judge.js';
import { BOUNDS, type RunLimits } from './limits.js';
import { AnswerReader, type Answer } from './read-answer.js';
import type { LogReader } from './read-log.js';

/** The container ended, or the engine did, before the supervisor had answered. */
export class SandboxLost extends Error {
  override readonly name = 'SandboxLost';
}

export interface Conversation {
  request: Buffer;
  /** The request's own. */
  nonce: string;
  limits: RunLimits;
  log: LogReader;
  signal: AbortSignal;
}

/**
 * One run with the supervisor at the other end of `stream`: waits until it is warm, sends the request, reads answer and log.
 * The script's time runs from the request. Resolves when the whole answer and the whole log are here; that the script's
 * children may live on does not matter, for the caller destroys the container.
 * @throws ToolError TimeoutError, CancelledError, ResourceLimitError (log), SecurityError, ServiceError
 * @throws SandboxLost when the stream ends before
 */
export async function converse(stream: Duplex, { request, nonce, limits, log, signal }: Conversation): Promise<Answer> {
  const reader = new AnswerReader(nonce, limits.outputKb * 1024);
  let timer: NodeJS.Timeout | undefined;
  const ending = new AbortController();
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const endAfter = (ms: number, error: () => ToolError) => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(error()), ms);
      };
      const demultiplex = demultiplexer((source, bytes) => {
        if (source === 'stderr') return log.push(bytes);
        const wasReady = reader.ready;
        reader.push(bytes);
        if (wasReady || !reader.ready) return;
        stream.write(request);
        endAfter(limits.timeoutMs, () => timeout(limits));
      });
      stream.on('data', (data: Buffer) => {
        try {
          demultiplex(data);
          if (reader.answer && log.ended) resolve(reader.answer);
        } catch (error) {
          reject(error);
        }
      });
      stream.on('close', () => reject(new SandboxLost('the stream ended')));
      stream.on('end', () => reject(new SandboxLost('the stream ended')));
      signal.addEventListener('abort', () => reject(cancelled()), { signal: ending.signal });
      if (signal.aborted) reject(cancelled());
      endAfter(BOUNDS.bootMs, neverWarm);
    });
  } finally {
    clearTimeout(timer);
    ending.abort();
    stream.removeAllListeners('data');
    log.finish();
  }
}

function neverWarm(): ToolError {
  const message = `The sandbox was not ready within ${BOUNDS.bootMs} ms; the host is overloaded, or the image has another entry point`;
  return new ToolError('ServiceError', message);
}
