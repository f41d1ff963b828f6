import {
  didYouMean,
  isFinal,
  isInvocationId,
  ToolError,
  type Artifact,
  type InvocationReader,
  type Json,
  type JsonObject,
} from '@errand/contracts';
import {
  openResult,
  partOfResult,
  Queues,
  readArtifact,
  readerOfValue,
  readInvocation,
  resultAt,
  searchResult,
  type ResultReader,
} from '@errand/queue';

/** The characters of a result in an Observation if the caller names no budget. */
const DEFAULT_CHARS = 8_000;
const DEFAULT_MATCHES = 20;
const MAX_MATCHES = 100;
const MAX_SHOWN_CHARS = 200;
/** A part can end after the second half of a surrogate pair. The pair takes 12 characters in JSON: `\ud83d\ude00`. */
const PAIR_CHARS = 12;

/**
 * Reads results and files of a tenant's invocations for a model. The returned part always fits into the Observation of the call that
 * reads it. Otherwise the model would see a cut part, and would need another call to read the rest of it.
 * @param maxChars the limit of a result in that Observation, in characters
 */
export function readInvocationsOf(queues: Queues, tenant: string, maxChars = DEFAULT_CHARS): InvocationReader {
  return {
    readResult: (args) => readResult(queues, tenant, maxChars, args),
    readArtifact: (args) => readFile(queues, tenant, maxChars, args),
  };
}

async function readResult(queues: Queues, tenant: string, maxChars: number, args: JsonObject): Promise<Json> {
  const { id, offset, limit } = rangeOf(args);
  const path = typeof args.path === 'string' ? args.path : '';
  const opened = isInvocationId(id) ? await openResult(queues, tenant, id) : undefined;
  if (!opened) throw notFound(id);
  const { status, steps } = opened;
  if (!isFinal(status))
    throw refused(`The invocation ${id} is ${status}: it has no result yet. Call again when it has ended`);
  const reader = status === 'succeeded' || path !== '' ? await resultAt(steps, path) : undefined;
  if (!reader) throw refused(explainMissing(id, status, path, steps));
  if (typeof args.q === 'string') return findIn(reader, args.q, { offset, limit, maxChars });
  return partThatFits(reader, { offset, limit, maxChars }, {});
}

function explainMissing(id: string, status: string, path: string, steps: readonly unknown[]): string {
  const paths = steps.flatMap((step, index) => (step === undefined ? [] : [`/${index}`]));
  if (path !== '' && (status === 'succeeded' || paths.length > 0))
    return `The result of ${id} has nothing at ${path.slice(0, MAX_SHOWN_CHARS)}; path is a JSON Pointer such as /0/name`;
  const rest = paths.length > 0 ? `; the steps that succeeded have one, at path ${paths.slice(0, 20).join(', ')}` : '';
  return `The invocation ${id} has no result, because it ${status === 'failed' ? 'failed' : 'was cancelled'}${rest}`;
}

async function readFile(queues: Queues, tenant: string, maxChars: number, args: JsonObject): Promise<Json> {
  const { id, offset, limit } = rangeOf(args);
  const name = stringOf(args.name);
  const invocation = isInvocationId(id) ? await readInvocation(queues, tenant, id) : undefined;
  if (!invocation) throw notFound(id);
  const wanted = chooseFile(id, name, args.step, invocation.artifacts ?? []);
  const found = await readArtifact(queues, id, name, wanted.step);
  if (!found) throw refused(`The file ${shown(name)} of ${id} was removed`);
  const { size, contentType } = found.artifact;
  const text = textOf(found.bytes);
  if (text === undefined)
    throw refused(
      `The file ${shown(name)} is not text (${contentType}, ${size} bytes) and cannot be read by this tool`,
    );
  return partThatFits(readerOfValue(text), { offset, limit, maxChars }, { contentType, size });
}

function chooseFile(id: string, name: string, step: Json | undefined, artifacts: readonly Artifact[]): Artifact {
  const named = artifacts.filter((artifact) => artifact.name === name);
  const [only, another] = step === undefined ? named : named.filter((artifact) => artifact.step + 1 === step);
  if (only && another) {
    const steps = named.map((artifact) => artifact.step + 1).join(', ');
    throw refused(`Several steps of ${id} have a file ${shown(name)}; name one of them in step: ${steps}`);
  }
  if (only) return only;
  const names = [...new Set(artifacts.map((artifact) => artifact.name))];
  const near = didYouMean(name, names);
  const known = names.length > 0 ? `it has ${names.slice(0, 20).map(shown).join(', ')}` : 'it has none';
  throw refused(`${id} has no file ${shown(name)}; ${near === undefined ? known : `did you mean ${shown(near)}?`}`);
}

/** Decodes UTF-8 text without NUL; undefined if the bytes are not such a text. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface ReadRange {
  offset: number;
  limit: number | undefined;
  maxChars: number;
}

/** The longest part from `offset` on whose JSON has at most `maxChars` characters. */
async function partThatFits(
  reader: ResultReader,
  { offset, limit = Infinity, maxChars }: ReadRange,
  about: JsonObject,
): Promise<Json> {
  const { total } = reader;
  const around = JSON.stringify({ ...about, text: '', offset: total, total, nextOffset: total }).length;
  const available = Math.max(1, maxChars - around - PAIR_CHARS);
  const most = Math.min(limit, available);
  let part = await partOfResult(reader, offset, Math.min(offset + most, total));
  const fitting = longestFitting(part.text, available);
  if (fitting < part.text.length) part = await partOfResult(reader, part.offset, part.offset + Math.max(1, fitting));
  return { ...about, text: part.text, offset: part.offset, total, nextOffset: part.nextOffset };
}

/** The length of the longest beginning of a text whose JSON, without the quotes, has at most `maxChars` characters. */
function longestFitting(text: string, maxChars: number): number {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (JSON.stringify(text.slice(0, middle)).length - 2 <= maxChars) low = middle;
    else high = middle - 1;
  }
  return low;
}

async function findIn(
  reader: ResultReader,
  q: string,
  { offset, limit = DEFAULT_MATCHES, maxChars }: ReadRange,
): Promise<Json> {
  const { matches, next } = await searchResult(reader, q, { from: offset, limit: Math.min(limit, MAX_MATCHES) });
  const { total } = reader;
  const shownOf = (count: number): JsonObject => ({
    matches: matches.slice(0, count).map((match) => ({ ...match })),
    total,
    nextOffset: matches[count]?.offset ?? next,
  });
  let count = matches.length;
  while (count > 1 && JSON.stringify(shownOf(count)).length > maxChars) count--;
  return shownOf(count);
}

function rangeOf({ invocation, offset, limit }: JsonObject): { id: string; offset: number; limit: number | undefined } {
  return {
    id: stringOf(invocation),
    offset: typeof offset === 'number' ? offset : 0,
    limit: typeof limit === 'number' ? limit : undefined,
  };
}

/** The schema of the tool allows strings only. */
function stringOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function shown(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN_CHARS ? `${name.slice(0, MAX_SHOWN_CHARS)}…` : name);
}

function notFound(id: string): ToolError {
  return refused(`There is no invocation ${shown(id)}; it may have been too long ago`);
}

function refused(message: string): ToolError {
  return new ToolError('ParameterValidationError', message);
}
