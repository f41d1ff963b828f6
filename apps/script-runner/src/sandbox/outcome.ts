import { isDeeperThan, MAX_DEPTH, ToolError, type Json } from '@errand/contracts';
import { HintedError } from '@errand/platform';
import { BOUNDS, type RunLimits } from './limits.js';
import type { OutgoingBound, RunReport, RunResponse } from './protocol/response.js';

/**
 * Returns the result of a run, or throws an error that names the exceeded limit or the failure. Memory, process and file
 * limits count only if the script failed too, because a script can survive the loss of a child process.
 * @param logTail the last lines of its log, for the details of an error
 * @throws ToolError TimeoutError, ResourceLimitError, ScriptError, OutputError
 */
export function toResult(
  { report, stdout }: RunResponse,
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
    throw tooManyArtifacts(report.outgoing.exceeded, artifactBytes);
  if (report.exitCode === 0) return parseOutput(stdout);
  const limit = exceededLimit(report, limits, logTail);
  if (limit) throw limit;
  throw hasNetwork ? failed(report, logTail) : explainNoNetwork(failed(report, logTail), failureTexts(report, logTail));
}

/** Whether the run reached a limit. Its container is then not used again. */
export function hitLimit(report: RunReport): boolean {
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

function tooManyArtifacts(bound: OutgoingBound, artifactBytes: number): ToolError {
  const kib = artifactBytes / 1024;
  const [limit, value, excess] = {
    files: ['artifacts', BOUNDS.artifacts, `more than ${BOUNDS.artifacts} files`],
    bytes: ['artifactKb', kib, `more than ${kib} KiB`],
    depth: ['artifactDepth', BOUNDS.artifactDepth, `folders more than ${BOUNDS.artifactDepth} levels deep`],
  }[bound] as [string, number, string];
  return exceeded(limit, value, `left ${excess} in $ERRAND_OUT`);
}

function exceededLimit(report: RunReport, limits: RunLimits, logTail: string[]): ToolError | undefined {
  const { exception } = report;
  if (report.oomKills > 0) return outOfMemory(limits, logTail);
  if (exception && isMemoryRefusal(exception)) return refusedMemory(limits, logTail);
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

/** A language refuses a too large allocation with this exception, before the kernel kills a process. */
function isMemoryRefusal({ type, message }: { type: string; message: string }): boolean {
  return type === 'MemoryError' || (type === 'RangeError' && message === 'Out of memory');
}

/** Without a count of refusals, the script's exception decides: a fork fails with EAGAIN, and few other calls do. */
function wasRefusedFork({ refusedForks, exception }: RunReport): boolean {
  if (refusedForks !== null) return refusedForks > 0;
  return exception?.code === 'EAGAIN' || exception?.message === "can't start new thread";
}

export function tooManyProcesses({ pids }: RunLimits, logTail: string[]): ToolError {
  return exceeded('pids', pids, `needed more than ${pids} processes and threads`, logTail);
}

function exceeded(limit: string, value: number, what: string, logTail: string[] = []): ToolError {
  return new ToolError('ResourceLimitError', `The script ${what}`, { limit, [limit]: value, ...withLog(logTail) });
}

function failed({ exitCode, signal, exception }: RunReport, logTail: string[]): ToolError {
  const how = signal ? `was killed by ${signal}` : `ended with exit code ${exitCode}`;
  const message = exception ? exception.message || exception.type : `The script ${how}`;
  return new ToolError('ScriptError', message, {
    ...(signal ? { signal } : { exitCode }),
    ...(exception && { exceptionType: exception.type }),
    ...withLog(logTail),
  });
}

function failureTexts({ exception }: RunReport, logTail: string[]): string[] {
  return exception ? [exception.type, exception.message, exception.code ?? '', ...logTail] : logTail;
}

function withLog(lines: string[]): { log?: string } {
  return lines.length > 0 ? { log: lines.join('\n') } : {};
}

/** Characters of stdout in the details of an error. */
const SHOWN = 200;
/** The message of `JSON.parse` for numbers that only other notations have. */
const NON_JSON_NUMBERS = [
  ["Unexpected token 'N'", 'NaN'],
  ["Unexpected token 'I'", 'Infinity'],
  ['No number after minus sign', '-Infinity'],
] as const;
/** The part of a `JSON.parse` message that quotes the text. */
const QUOTED = /, (?:\.{3})?".*is not valid JSON$/s;

/**
 * Parses the one JSON value that a script printed.
 * @throws ToolError OutputError that says what is wrong and how to fix it
 */
export function parseOutput(stdout: Buffer): Json {
  const text = decode(stdout);
  if (text.trim() === '') {
    throw new ToolError(
      'OutputError',
      'The script succeeded but printed nothing; print one JSON value to stdout (null for none)',
    );
  }
  const value = parse(text);
  if (isDeeperThan(value)) {
    throw new ToolError('OutputError', `The script's result nests deeper than ${MAX_DEPTH} levels; flatten it`);
  }
  if (holdsInfinity(value)) {
    throw new ToolError(
      'OutputError',
      "The script's result holds a number too large for JSON (above 1.8e308); print it as text",
    );
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ToolError(
      'OutputError',
      "The script's stdout is not valid UTF-8; encode binary data, for instance in base64",
      undefined,
      { cause },
    );
  }
}

function parse(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch (cause) {
    const message = `The script's stdout is not one JSON value (${jsonFault(text, cause)}); print only the result to stdout and everything else to stderr`;
    throw new ToolError('OutputError', message, { stdout: text.slice(0, SHOWN) }, { cause });
  }
}

/** Does not use the messages of `JSON.parse`: they have no line number and quote the output, which can contain a secret. */
function jsonFault(text: string, cause: unknown): string {
  const { message } = cause instanceof Error ? cause : new Error(String(cause));
  const position = / at position (\d+)/.exec(message);
  if (position && message.startsWith('Unexpected non-whitespace character after JSON')) {
    const line = text.slice(0, Number(position[1])).split('\n').length;
    return `more text follows it in line ${line}`;
  }
  const number = NON_JSON_NUMBERS.find(([start, spelled]) => message.startsWith(start) && text.includes(spelled));
  if (number) return `it contains ${number[1]}, which is not valid JSON; print null or a string instead`;
  return message.replace(QUOTED, '');
}

/** `JSON.parse` reads 1e999 as Infinity, which JSON would then encode as null. */
function holdsInfinity(value: Json): boolean {
  const rest: Json[] = [value];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) return true;
    if (typeof item === 'object' && item !== null) for (const child of Object.values(item)) rest.push(child);
  }
  return false;
}

/** The texts with which interpreters, common libraries and shell programs report a failed lookup or connection. */
const NETWORK_FAILURES = [
  // Codes and messages of the system.
  /\b(ENOTFOUND|EAI_\w+|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|ENETDOWN|DNS_E[A-Z]+)\b/,
  /name or service not known|temporary failure in name resolution|no address associated with hostname|nodename nor servname/i,
  /connection refused|(network|host) is unreachable|no route to host|cannot assign requested address/i,
  // Python: socket, urllib, requests, urllib3, httpx, aiohttp.
  /\b(gaierror|ConnectionRefusedError|NameResolutionError|NewConnectionError|ConnectError|ClientConnector\w*Error)\b/,
  /failed to establish a new connection|all connection attempts failed|cannot connect to host/i,
  // Bun and Node.js.
  /\b(ConnectionRefused|FailedToOpenSocket|DNSException)\b|getaddrinfo|unable to connect|fetch failed|failed to connect/i,
  // curl, wget, git.
  /(could not|couldn't|unable to) resolve (host|proxy)/i,
];
const NO_NETWORK = 'this tool has no network access';
const NO_NETWORK_HINT =
  'To give the tool network access, name the hosts in securityContext.networkAccess.allowHosts of the tool and in ERRAND_EGRESS_ALLOW of the script-runner';

/**
 * Adds to a network failure of a script that the tool has no network access. The error type stays.
 * @param texts the uncaught error and the last lines of the log
 */
export function explainNoNetwork(error: ToolError, texts: readonly string[]): ToolError {
  const isAboutNetwork = texts.some((text) => NETWORK_FAILURES.some((pattern) => pattern.test(text)));
  if (!isAboutNetwork) return error;
  const { type, message, details, cause } = error;
  return new HintedError(type, `${message.trimEnd()}; ${NO_NETWORK}`, NO_NETWORK_HINT, {
    ...(details && { details }),
    cause,
  });
}
