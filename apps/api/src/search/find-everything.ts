import type { SearchResult, SearchResults } from '@errand/contracts';
import { findInvocationIds, listInvocations, queueNames, type ListedInvocation, type Queues } from '@errand/queue';
import type { Registry } from '@errand/registry';

const MOST_RESULTS = 20;
/** The most results of one kind, unless the others leave room. */
const MOST_OF_KIND = 8;
/** Sessions and agents are looked for in so many of the newest invocations, because nothing lists their names. */
const NEWEST = 100;
const LONGEST_LABEL = 200;

interface Sources {
  queues: Queues;
  registry: Registry;
}

/**
 * What a person names by `q`: invocations by the beginning of their ids, tools, agents, sessions and queues by a part of their names. The
 * name itself and beginnings come first.
 * @returns at most 20 results; `partial` if a shard does not answer
 */
export async function findEverything({ queues, registry }: Sources, tenant: string, q: string): Promise<SearchResults> {
  if (q === '') return { items: [] };
  const [ids, newest, exact, names] = await Promise.all([
    findInvocationIds(queues, tenant, q, MOST_OF_KIND),
    listInvocations(queues, tenant, {}, { limit: NEWEST }),
    listInvocations(queues, tenant, { session: q }, { limit: 1 }),
    queueNames(queues),
  ]);
  const found =
    ids.length === 0 ? { items: [] } : await listInvocations(queues, tenant, { ids }, { limit: MOST_OF_KIND });
  const seen = [...exact.items, ...newest.items];
  const agents = [...registry.agentIds(), ...seen.flatMap(({ record }) => record.agent ?? [])];
  const kinds = [
    found.items.map(toResult),
    toolsNamed(registry, q),
    named('agent', agents, q),
    named(
      'session',
      seen.flatMap(({ record }) => record.session ?? []),
      q,
    ),
    named('queue', names, q),
  ];
  const partial = [newest, exact].some(({ missing }) => missing !== undefined);
  return { items: shared(kinds), ...(partial && { partial: true as const }) };
}

/** The first results of each kind, then what there is room for. */
function shared(kinds: readonly SearchResult[][]): SearchResult[] {
  const first = kinds.map((results) => results.slice(0, MOST_OF_KIND));
  let room = MOST_RESULTS;
  return first.flatMap((results, n) => {
    const left = first.slice(n + 1).reduce((sum, others) => sum + Math.min(others.length, 3), 0);
    const taken = results.slice(0, Math.max(0, room - left));
    room -= taken.length;
    return taken;
  });
}

function toResult({ id, status, record: { calls } }: ListedInvocation): SearchResult {
  const tools = [...new Set(calls.map(({ toolId }) => toolId))].join(', ');
  return { kind: 'invocation', id, label: `${tools.slice(0, LONGEST_LABEL)} · ${status}` };
}

function toolsNamed(registry: Registry, q: string): SearchResult[] {
  return registry
    .list()
    .map(({ toolId, displayName }) => ({ toolId, displayName, rank: rankOf(q, toolId, displayName) }))
    .filter(({ rank }) => rank < UNLIKE)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ toolId, displayName }) => ({ kind: 'tool', id: toolId, label: displayName.slice(0, LONGEST_LABEL) }));
}

function named(kind: SearchResult['kind'], names: readonly string[], q: string): SearchResult[] {
  return [...new Set(names)]
    .filter((name) => rankOf(q, name) < UNLIKE)
    .toSorted((a, b) => rankOf(q, a) - rankOf(q, b))
    .map((name) => ({ kind, id: name, label: name.slice(0, LONGEST_LABEL) }));
}

const UNLIKE = 3;

/** 0 for the name itself, 1 for its beginning, 2 for a part of it. */
function rankOf(q: string, ...names: readonly string[]): number {
  const sought = q.toLowerCase();
  return Math.min(
    ...names.map((each) => {
      const name = each.toLowerCase();
      return name === sought ? 0 : name.startsWith(sought) ? 1 : name.includes(sought) ? 2 : UNLIKE;
    }),
  );
}
