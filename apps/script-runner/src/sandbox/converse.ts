import type { ToolError } from '@errand/contracts';
import { splitFrames, Tunnels, type Tunnel } from '../egress/index.js';
import type { Dialogue } from './dialogue.js';
import type { Request } from './encode-request.js';
import { cancelled, timeout } from './judge.js';
import type { RunLimits } from './limits.js';
import { AnswerReader, type Answer } from './read-answer.js';
import type { LogReader } from './read-log.js';
import { tampered } from './tampered.js';

/** More than tunnels hold while both sides keep to their windows: whoever lets so much pile up claims to take what he does not. */
const MAX_UNSENT = 16 * 1024 * 1024;

export interface Conversation {
  request: Request;
  limits: RunLimits;
  log: LogReader;
  signal: AbortSignal;
  /** Takes the connections that the script opens; without it, it can open none. */
  connect?: (tunnel: Tunnel) => void;
  artifactBytes?: number;
}

export interface Conversed {
  answer: Answer;
  /** Resolves when the container can serve another run: nothing of this one is left. Never, where that was not asked for. */
  again: Promise<void>;
}

/**
 * One run with a supervisor that is ready: sends the request, reads answer and log. The script's time runs from the request.
 * Resolves when the whole answer and the whole log are here; that the script's children may live on does not matter, for they
 * end with the container, or before it serves another.
 * @throws ToolError TimeoutError, CancelledError, ResourceLimitError (log), SecurityError, ServiceError
 * @throws SandboxLost when the stream ends before
 */
export async function converse(
  dialogue: Dialogue,
  { request, limits, log, signal, connect, artifactBytes }: Conversation,
): Promise<Conversed> {
  const reader = new AnswerReader(request, limits.outputKb * 1024, artifactBytes);
  const ending = new AbortController();
  let isReady!: () => void, isLost!: (error: Error) => void;
  const again = new Promise<void>((resolve, reject) => ([isReady, isLost] = [resolve, reject]));
  again.catch(() => {}); // who wants the container again is told
  const tunnels = connect && new Tunnels((frame) => dialogue.say(frame), connect);
  const answerTo = (bytes: Buffer) => reader.push(bytes);
  const hearStdout = tunnels ? splitFrames((frame, bytes) => tunnels.receive(frame, bytes), answerTo) : answerTo;
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      const fail = (error: ToolError | Error) => (reject(error), isLost(error));
      dialogue.listen({
        hear(source, bytes) {
          if (source === 'stderr') log.push(bytes);
          else hearStdout(bytes);
          if (tunnels && dialogue.unsent > MAX_UNSENT) throw tampered('that it took what it did not take');
          if (reader.answer && log.ended) resolve(reader.answer);
          if (reader.again && log.ended) {
            dialogue.unlisten();
            isReady();
          }
        },
        fail,
      });
      timer = setTimeout(() => fail(timeout(limits)), limits.timeoutMs);
      signal.addEventListener('abort', () => fail(cancelled()), { signal: ending.signal });
      if (signal.aborted) fail(cancelled());
      else dialogue.say(request.bytes);
    });
    return { answer, again };
  } finally {
    clearTimeout(timer);
    tunnels?.close();
    ending.abort();
    log.finish();
  }
}
