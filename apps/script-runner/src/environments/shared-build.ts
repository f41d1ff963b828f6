import { ToolError } from '@errand/contracts';

/** One build and those who listen to its log. */
export class SharedBuild {
  readonly done: Promise<void>;
  private readonly listeners = new Set<(lines: string[]) => void>();

  constructor(start: (tell: (lines: string[]) => void) => Promise<void>) {
    this.done = start((lines) => this.listeners.forEach((listener) => listener(lines)));
  }

  listen(listener: (lines: string[]) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** Rejects when whoever waits gives up. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () =>
      reject(new ToolError('CancelledError', 'The run was cancelled while its dependencies were installed'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
