import type { Progress } from '../connect/sdk.js';
import type { Connection } from '../connect/server-connection.js';
import type { Mask } from '../connect/remote-options.js';

/** Receives what a server reports while it runs a tool. */
export interface CallListener {
  /** From 0 to 1. */
  onProgress: (value: number, message?: string) => void;
  onLog: (line: string) => void;
}

const MAX_LINES = 1_000;
const MAX_CHARS = 4_096;
/** A progress within this time of the one before is left out, in ms. */
const PROGRESS_MS = 50;

/** Bounds the reports of one call, and removes secrets from them. */
export class CallReports {
  private lines = 0;
  private lastProgress = 0;
  private value = 0;
  private hasEnded = false;

  constructor(
    private readonly listener: CallListener,
    private readonly mask: Mask,
  ) {}

  readLogs({ client }: Connection): void {
    client.setNotificationHandler('notifications/message', ({ params }) => this.log(params.level, params.data));
  }

  /** A report may come after the answer. It then has no effect. */
  end(): void {
    this.hasEnded = true;
  }

  progress({ progress, total, message }: Progress): void {
    const now = Date.now();
    if (this.hasEnded || now - this.lastProgress < PROGRESS_MS) return;
    this.lastProgress = now;
    const share = total !== undefined && total > 0 ? progress / total : this.value;
    this.value = Number.isFinite(share) ? Math.min(Math.max(this.value, share), 1) : this.value;
    this.listener.onProgress(this.value, message === undefined ? undefined : this.shown(message));
  }

  private log(level: string, data: unknown): void {
    if (this.hasEnded || this.lines > MAX_LINES) return;
    this.lines += 1;
    if (this.lines > MAX_LINES) return this.listener.onLog(`… more than ${MAX_LINES} lines; the others are left out`);
    const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
    this.listener.onLog(this.shown(level === 'info' ? text : `${level}: ${text}`));
  }

  private shown(text: string): string {
    const masked = this.mask.text(text.slice(0, MAX_CHARS * 2));
    return masked.length <= MAX_CHARS ? masked : `${masked.slice(0, MAX_CHARS)}…`;
  }
}
