import { isObject } from '@errand/contracts';
import type { ApiClient } from '../client/api-client.js';
import { EXIT, RefusedError, UnreachableError } from '../client/client-errors.js';
import { invocationPath } from '../client/invocation-path.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { print, printJson, printPart } from '../terminal.js';

interface Options extends ClientOptions {
  path?: string;
}

/** A part of a result. `value` is set if the part is the whole. */
interface Part {
  text: string;
  nextOffset: number | null;
  value?: unknown;
}

/** The largest part that the API returns, in characters. */
const PART_CHARS = '1000000';

/** `./errand result <id>`: prints the whole result: a text as it is, any other value as JSON. With --json, every value is JSON. */
export const run = clientCommand<Options>(async (client, { options: { path = '', json }, words: [id = ''] }) => {
  const url = `${invocationPath(id)}/result`;
  const texts: string[] = [];
  for await (const part of partsOf(client, url, path)) {
    if (!json) await printPart(part.text);
    else if ('value' in part) printJson(part.value);
    else texts.push(part.text);
  }
  // A text goes into a file unchanged. A terminal shows its prompt on a new line.
  if (!json && process.stdout.isTTY) print();
  if (texts.length > 0) await printLarge(client, { url, path }, texts.join(''));
  return EXIT.success;
});

async function* partsOf(client: ApiClient, url: string, path: string): AsyncGenerator<Part> {
  for (let offset: number | null = 0; offset !== null;) {
    const query = { path, offset: String(offset), limit: PART_CHARS };
    const part: Part = requirePart(await client.get<unknown>(url, query), offset, client.url);
    yield part;
    offset = part.nextOffset;
  }
}

function requirePart(body: unknown, offset: number, url: string): Part {
  const isPart = isObject(body) && typeof body.text === 'string';
  const next = isPart ? (body.nextOffset ?? null) : undefined;
  if (isPart && (next === null || (typeof next === 'number' && next > offset)))
    return { ...(body as unknown as Part), nextOffset: next };
  throw new UnreachableError(
    `The server at ${url} is not Errand: its response is not a part of a result`,
    'check the address',
  );
}

/** Prints a result of several parts as JSON. The text of a value is its JSON, except that of a string. */
async function printLarge(client: ApiClient, at: { url: string; path: string }, text: string): Promise<void> {
  await printPart(`${(await isStructure(client, at, text)) ? text : JSON.stringify(text)}\n`);
}

/** Whether the value is a list or an object, and not a string that looks like one: only then there is a value below it. */
async function isStructure(
  client: ApiClient,
  { url, path }: { url: string; path: string },
  text: string,
): Promise<boolean> {
  const value = parsed(text);
  const [key] = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (key === undefined) return false;
  const below = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  try {
    await client.get(url, { path: below, limit: '1' });
    return true;
  } catch (error) {
    if (error instanceof RefusedError && error.refusal.status === 404) return false;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
