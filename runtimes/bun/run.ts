import { writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Counters } from './counters.ts';
import { SCRIPT_ROOT, type File } from './lay-out.ts';
import type { RunUser } from './run-user.ts';
import { ScriptProcess, type Order } from './script-process.ts';

/** How long stdout is read after the script's end if a remaining process holds it open. */
const LINGER_MS = 50;
const LOOK_EVERY_MS = 100;
/** A script that accepts its process limit stays below this number of refusals. */
const MAX_REFUSED_FORKS = 1_000;
const STDERR = 2;

export interface Header {
  language: string;
  entry: string;
  files: File[];
  env: Record<string, string>;
  /** The line that begins the log of this run. */
  begin: string;
  inputBytes: number;
  outputBytes: number;
  deadlineMs: number;
  cpuMs: number;
  /** Whether the script may open connections. The runner decides on each. */
  tunnels?: boolean;
  /** Maximum total size of the files that the script returns, in bytes. */
  artifactBytes?: number;
}

/** One run: the process of the script, its output and its limits. */
export class Run {
  private readonly chunks: Uint8Array[] = [];
  private timedOut = false;
  private cpuExceeded = false;
  private forksExceeded = false;
  private overflow = false;
  private reportedPeakKb: number | undefined;

  private constructor(
    private readonly script: ScriptProcess,
    private readonly user: RunUser,
    private readonly header: Header,
    private readonly counters: Counters,
  ) {}

  /** Marks the beginning of its log and starts the script. @param waiting the process that waits for it, if there is one */
  static async start(waiting: ScriptProcess | undefined, user: RunUser, header: Header, input: Buffer): Promise<Run> {
    const counters = new Counters();
    const entry = join(SCRIPT_ROOT, header.entry);
    const order = { entry, folder: dirname(entry), env: header.env };
    writeSync(STDERR, `\n${header.begin}\n`);
    const script = chooseProcess(waiting, user, header.language, order);
    await script.begin(order, input);
    return new Run(script, user, header, counters);
  }

  /** Resolves when the script has ended. It does not wait for remaining children. */
  async toTheEnd(): Promise<[report: object, stdout: Buffer]> {
    const { script } = this;
    const deadline = performance.now() + this.header.deadlineMs;
    const clock = setInterval(() => this.enforceLimits(deadline), LOOK_EVERY_MS);
    const outputEnded = this.collect(script.child.stdout);
    await Promise.race([script.child.exited, this.reportedEnd(outputEnded)]);
    clearInterval(clock);
    await Promise.race([outputEnded, Bun.sleep(LINGER_MS)]);
    const report = this.report();
    script.close();
    return [report, Buffer.concat(this.chunks)];
  }

  /**
   * Resolves when the process has reported the end of its script and its output is here. The kernel may still be removing the process. In a
   * container of several runs, nothing goes on before that.
   */
  private async reportedEnd(outputEnded: Promise<void>): Promise<void> {
    await outputEnded;
    if (!this.user.isApart) this.reportedPeakKb = this.script.readEnd();
    if (this.reportedPeakKb === undefined) await this.script.child.exited;
  }

  /** Whether the process has reported the end of its script, and may not be gone yet. */
  get hasReportedEnd(): boolean {
    return this.reportedPeakKb !== undefined;
  }

  /** The CPU time and refused processes of the script's children count for the script. */
  private enforceLimits(deadline: number): void {
    this.timedOut ||= performance.now() > deadline;
    this.cpuExceeded ||= this.counters.cpuMs() > this.header.cpuMs;
    this.forksExceeded ||= (this.counters.refusedForks() ?? 0) > MAX_REFUSED_FORKS;
    if (this.timedOut || this.cpuExceeded || this.forksExceeded) this.script.kill();
  }

  private async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    let left = this.header.outputBytes;
    for await (const chunk of stream) {
      this.chunks.push(chunk.subarray(0, left));
      left -= chunk.length;
      if (left < 0) {
        this.overflow = true;
        return this.script.kill();
      }
    }
  }

  private report(): object {
    const { child } = this.script;
    const peakKb = this.reportedPeakKb ?? Math.round((child.resourceUsage()?.maxRSS ?? 0) / 1024);
    return {
      exitCode: child.signalCode ? null : this.hasReportedEnd ? 0 : child.exitCode,
      signal: child.signalCode,
      timedOut: this.timedOut,
      cpuExceeded: this.cpuExceeded,
      forksExceeded: this.forksExceeded,
      overflow: this.overflow,
      ...this.counters.sinceTheStart(),
      peakMemoryKb: peakKb,
      exception: this.script.readException(),
    };
  }
}

/** The waiting process or a new one. A tool can request Node, if the image has it. */
function chooseProcess(
  waiting: ScriptProcess | undefined,
  user: RunUser,
  language: string,
  order: Order,
): ScriptProcess {
  const node = language === 'nodejs' ? Bun.which('node') : null;
  if (!node) return waiting ?? ScriptProcess.ordered(user, order);
  waiting?.kill();
  waiting?.close();
  return ScriptProcess.started(user, node, order);
}
