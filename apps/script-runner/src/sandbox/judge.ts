import { ToolError, type Json } from '@errand/contracts';
import { BOUNDS, type RunLimits } from './limits.js';
import { explainNoNetwork } from './no-network.js';
import { parseOutput } from './parse-output.js';
import type { Answer, OutgoingBound, Report } from './read-answer.js';

/**
 * What became of a run: its result, or the error that names the limit it hit or the way it failed.
 * A limit is blamed only where the script failed too: a script may well survive the loss of a child.
 * @param logTail the last lines of its log, for the details
 * @param allowed how many bytes of files it could hand out, and whether it could open connections
 * @throws ToolError TimeoutError, ResourceLimitError, ScriptError, OutputError
 */
export function judge(
  { report, stdout }: Answer,
  limits: RunLimits,
  logTail: string[],
  { artifactBytes = 0, hasNetwork = true }: { artifactBytes?: number | undefined; hasNetwork?: boolean } = {},
): Json {
  if (report.timedOut) throw timeout(limits);
  if (report.cpuExceeded)
    throw exceeded('cpuMs', limits.cpuMs, `used more than its ${limits.cpuMs} ms of CPU time and was ended`, logTail);
  if (report.forksExceeded) throw tooManyProcesses(limits, logTail);
  if (report.overflow)
    throw exceeded('outputKb', limits.outputKb, `printed more than ${limits.outputKb} KiB to stdout and was ended`);
  if (report.exitCode === 0 && report.outgoing?.exceeded)
    throw tooMuchHandedOut(report.outgoing.exceeded, artifactBytes);
  if (report.exitCode === 0) return parseOutput(stdout);
  const limit = exceededLimit(report, limits, logTail);
  if (limit) throw limit;
  throw hasNetwork ? failed(report, logTail) : explainNoNetwork(failed(report, logTail), whatItSaid(report, logTail));
}

/** Whether the run came up against a limit, so that its container is better not used again. */
export function hitLimit(report: Report): boolean {
  const { timedOut, cpuExceeded, overflow } = report;
  return timedOut || cpuExceeded || overflow || report.oomKills > 0 || wasRefusedFork(report);
}

export function timeout(limits: RunLimits): ToolError {
  const message = `The script did not end within its limit of ${limits.timeoutMs} ms and was killed`;
  return new ToolError('TimeoutError', message, { limit: 'timeoutMs', timeoutMs: limits.timeoutMs });
}

export function cancelled(): ToolError {
  return new ToolError('CancelledError', 'The run was cancelled');
}

export function outOfMemory({ memoryMb }: RunLimits, logTail: string[]): ToolError {
  return exceeded('memoryMb', memoryMb, `needed more than its ${memoryMb} MB of memory and was killed`, logTail);
}

function refusedMemory({ memoryMb }: RunLimits, logTail: string[]): ToolError {
  return exceeded('memoryMb', memoryMb, `asked for more memory than it could have of its ${memoryMb} MB`, logTail);
}

function tooMuchHandedOut(what: OutgoingBound, artifactBytes: number): ToolError {
  const kib = artifactBytes / 1024;
  const [limit, value, much] = {
    files: ['artifacts', BOUNDS.artifacts, `more than ${BOUNDS.artifacts} files`],
    bytes: ['artifactKb', kib, `more than ${kib} KiB`],
    depth: ['artifactDepth', BOUNDS.artifactDepth, `folders more than ${BOUNDS.artifactDepth} levels deep`],
  }[what] as [string, number, string];
  return exceeded(limit, value, `left ${much} in its folder for files out`);
}

function exceededLimit(report: Report, limits: RunLimits, logTail: string[]): ToolError | undefined {
  const { exception } = report;
  if (report.oomKills > 0) return outOfMemory(limits, logTail);
  if (exception && isWantOfMemory(exception)) return refusedMemory(limits, logTail);
  if (wasRefusedFork(report)) return tooManyProcesses(limits, logTail);
  if (report.signal === 'SIGXFSZ' || exception?.code === 'EFBIG') {
    return exceeded('fileMb', BOUNDS.fileMb, `wrote a file of more than ${BOUNDS.fileMb} MB`, logTail);
  }
  if (exception?.code === 'ENOSPC') {
    return exceeded('tmpMb', limits.tmpMb, `filled its /tmp of ${limits.tmpMb} MB or ${BOUNDS.inodes} files`, logTail);
  }
  if (exception?.code === 'EMFILE') {
    return exceeded('openFiles', BOUNDS.openFiles, `opened more than ${BOUNDS.openFiles} files at once`, logTail);
  }
  return undefined;
}

/** A request for more than there can be is refused before anything is killed, in the words of each language. */
function isWantOfMemory({ type, message }: { type: string; message: string }): boolean {
  return type === 'MemoryError' || (type === 'RangeError' && message === 'Out of memory');
}

/** Where nobody counts refusals, the script's own error tells: a fork fails with EAGAIN, as little else does. */
function wasRefusedFork({ refusedForks, exception }: Report): boolean {
  if (refusedForks !== null) return refusedForks > 0;
  return exception?.code === 'EAGAIN' || exception?.message === "can't start new thread";
}

export function tooManyProcesses({ pids }: RunLimits, logTail: string[]): ToolError {
  return exceeded('pids', pids, `needed more than ${pids} processes and threads`, logTail);
}

function exceeded(limit: string, value: number, what: string, logTail: string[] = []): ToolError {
  return new ToolError('ResourceLimitError', `The script ${what}`, { limit, [limit]: value, ...withLog(logTail) });
}

function failed({ exitCode, signal, exception }: Report, logTail: string[]): ToolError {
  const how = signal ? `was killed by ${signal}` : `ended with exit code ${exitCode}`;
  const message = exception ? exception.message || exception.type : `The script ${how}`;
  return new ToolError('ScriptError', message, {
    ...(signal ? { signal } : { exitCode }),
    ...(exception && { exceptionType: exception.type }),
    ...withLog(logTail),
  });
}

function whatItSaid({ exception }: Report, logTail: string[]): string[] {
  return exception ? [exception.type, exception.message, exception.code ?? '', ...logTail] : logTail;
}

function withLog(lines: string[]): { log?: string } {
  return lines.length > 0 ? { log: lines.join('\n') } : {};
}
