import { partialOf, type SearchResult, type SearchResults } from '@errand/contracts';
import {
  findInvocationIds,
  findRefusals,
  listInvocations,
  newestRefusals,
  queueNames,
  type ListedInvocation,
  type Queues,
} from '@errand/queue';
import type { Registry } from '@errand/registry';
import { shareRoom } from './share-room.js';

/** The most results of one kind that are read. */
const MOST_OF_KIND = 8;
const ROOM = { most: 20, each: [3, MOST_OF_KIND] };
/** Sessions and agents are looked for in so many of the newest invocations and refusals, because nothing lists their names. */
const NEWEST = 100;
const LONGEST_LABEL = 200;

interface Sources {
  queues: Queues;
  registry: Registry;
}

/**
 * What a person names by `q`: invocations and refusals by the beginning of their ids, tools, agents, sessions and queues by a part of their names. The
 * name itself and beginnings come first.
 * @returns at most 20 results; `partial` if a shard does not answer
 */
export async function findEverything({ queues, registry }: Sources, tenant: string, q: string): Promise<SearchResults> {
  if (q === '') return { items: [] };
  const [ids, refusals, newest, exact, refused, names] = await Promise.all([
    findInvocationIds(queues, tenant, q, MOST_OF_KIND),
    findRefusals(queues, tenant, q, MOST_OF_KIND),
    listInvocations(queues, tenant, {}, { limit: NEWEST }),
    listInvocations(queues, tenant, { session: q }, { limit: 1 }),
    newestRefusals(queues, tenant, { session: q, limit: NEWEST }),
    queueNames(queues),
  ]);
  const found =
    ids.length === 0 ? { items: [] } : await listInvocations(queues, tenant, { ids }, { limit: MOST_OF_KIND });
  const seen = [...[...exact.items, ...newest.items].map(({ record }) => record), ...refused];
  const agents = [...registry.agentIds(), ...seen.flatMap(({ agent }) => agent ?? [])];
  const kinds = [
    found.items.map(toResult),
    refusals.map(({ id, code, toolIds }): SearchResult => {
      return { kind: 'refusal', id, label: labelOf(toolIds, code.replaceAll('_', ' ')) };
    }),
    toolsNamed(registry, q),
    named('agent', agents, q),
    named(
      'session',
      seen.flatMap(({ session }) => session ?? []),
      q,
    ),
    named('queue', names, q),
  ];
  return { items: shareRoom(kinds, ROOM), ...partialOf(newest.missing ?? exact.missing) };
}

function toResult({ id, status, record: { calls } }: ListedInvocation): SearchResult {
  return {
    kind: 'invocation',
    id,
    label: labelOf(
      calls.map(({ toolId }) => toolId),
      status,
    ),
  };
}

function labelOf(toolIds: readonly string[], state: string): string {
  const tools = [...new Set(toolIds)].join(', ').slice(0, LONGEST_LABEL);
  return tools === '' ? state : `${tools} · ${state}`;
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
