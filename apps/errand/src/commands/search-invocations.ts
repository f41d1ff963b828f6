import { isObject, type Invocation } from '@errand/contracts';
import type { ApiClient } from '../client/api-client.js';
import { EXIT, UnreachableError } from '../client/client-errors.js';
import { clientCommand, type ClientOptions } from '../client/run-client-command.js';
import { shellWord, colour, escapeControls, jsonText, print, printPart, say } from '../terminal.js';
import { paintStatus } from '../show-invocation.js';
import { UsageError } from '../command-line.js';

type Options = ClientOptions & Partial<Record<keyof typeof FILTERS, string>> & { all?: true; count?: true };

/** The options that select invocations, and their names in the query. The API checks the values. */
const FILTERS = {
  status: 'status',
  tool: 'toolId',
  agent: 'agent',
  session: 'session',
  from: 'from',
  to: 'to',
  'finished-from': 'finishedFrom',
  'finished-to': 'finishedTo',
  'updated-after': 'updatedAfter',
  ids: 'ids',
  fields: 'fields',
  limit: 'limit',
  cursor: 'cursor',
} as const;

/** The fields of a line. Without `fields`, the items of a list have no steps. */
const SHOWN_FIELDS = 'id,status,createdAt,steps';
/** The largest page of the API. */
const LARGEST_PAGE = '1000';

interface Page {
  items: Partial<Invocation>[];
  nextCursor: string | null;
  count?: { value: number; exact: boolean };
}

/** `./errand list`: prints a page of invocations, or all pages. */
export const run = clientCommand<Options>(async (client, { options }) => {
  if (options.all && options.limit !== undefined)
    throw new UsageError('--all and --limit cannot go together: --all prints every page');
  const show = options.json ? new JsonList() : new TextList(client.target.again);
  for await (const page of pagesOf(client, queryOf(options), options.all === true)) await show.page(page);
  await show.end();
  return EXIT.success;
});

function queryOf(options: Options): Record<string, string> {
  const given = Object.entries(FILTERS).flatMap(([option, name]) => {
    const value = options[option as keyof typeof FILTERS];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...(!options.json && { fields: SHOWN_FIELDS }),
    ...Object.fromEntries(given),
    ...(options.count && { count: 'true' }),
    ...(options.all && { limit: LARGEST_PAGE }),
  };
}

/** The pages, one request at a time. A page can be empty although another one follows. */
async function* pagesOf(client: ApiClient, query: Record<string, string>, all: boolean): AsyncGenerator<Page> {
  for (let cursor: string | null | undefined = query['cursor']; cursor !== null;) {
    const page = requirePage(
      await client.get<unknown>('/v1/invocations', { ...query, ...(cursor !== undefined && { cursor }) }),
      client.url,
    );
    yield page;
    // A server that returns the same cursor again would make an endless list.
    if (!all || page.nextCursor === cursor) return;
    cursor = page.nextCursor;
  }
}

function requirePage(body: unknown, url: string): Page {
  if (isObject(body) && Array.isArray(body.items) && body.items.every(isObject))
    return { ...(body as unknown as Page), nextCursor: typeof body.nextCursor === 'string' ? body.nextCursor : null };
  throw new UnreachableError(`The server at ${url} is not Errand: its response is not a list`, 'check the address');
}

/** Prints one JSON document, `{items, nextCursor}`, page by page, so that any number of pages needs little memory. */
class JsonList {
  private items = 0;
  private rest: Omit<Page, 'items'> = { nextCursor: null };

  async page({ items, ...rest }: Page): Promise<void> {
    this.rest = { ...this.rest, ...rest };
    for (const item of items) await printPart(`${this.items++ === 0 ? '{"items":[' : ','}${jsonText(item)}`);
  }

  async end(): Promise<void> {
    const begin = this.items === 0 ? '{"items":[' : '';
    await printPart(`${begin}],${JSON.stringify(this.rest).slice(1)}\n`);
  }
}

/** Prints a line for each invocation. */
class TextList {
  private shown = 0;
  private last: Page | undefined;

  constructor(private readonly again: string) {}

  async page(page: Page): Promise<void> {
    for (const item of page.items) print(lineOf(item));
    this.shown += page.items.length;
    this.last = { ...page, ...(this.last?.count && { count: this.last.count }) };
  }

  async end(): Promise<void> {
    const { count, nextCursor = null } = this.last ?? {};
    if (count) say(colour.dim(`${count.exact ? '' : 'At least '}${count.value} match.`));
    if (nextCursor !== null)
      say(colour.dim(`More: add --all, or --cursor=${escapeControls(shellWord(nextCursor))}${this.again}`));
    else if (this.shown === 0) say('No invocation matches.');
  }
}

function lineOf({ id, status, createdAt, steps }: Partial<Invocation>): string {
  const tools = [...new Set((steps ?? []).map(({ toolId }) => toolId))].join(' ');
  const padding = ' '.repeat(Math.max(0, 'waiting_external'.length - (status ?? '').length));
  return [
    escapeControls(id ?? '-'),
    `${paintStatus(status ?? '-')}${padding}`,
    escapeControls(`${createdAt ?? ''}  ${tools}`),
  ]
    .join('  ')
    .trimEnd();
}
