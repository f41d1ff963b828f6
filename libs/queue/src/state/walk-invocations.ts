import { join } from 'node:path';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import type { Walk } from './plan-walk.js';
import { idOf, memberOf } from './search-index.js';

const WALK_INDEX = loadScript<[last: string | null, looked: number, count: number, ...members: string[]]>(
  join(__dirname, 'walk-index.lua'),
);
const WALK_CHANGES = loadScript<[last: string, looked: number, count: number, ...positions: string[]]>(
  join(__dirname, 'walk-changes.lua'),
);

/** A part of a walk. A position is the id of an invocation, or `<number of the change>:<id>` in the order of changes. */
interface WalkedPart {
  /** How many invocations were looked at. */
  looked: number;
  /** How many of them match. */
  count: number;
  /** The position and the id of each that matches. */
  found: { position: string; id: string }[];
  /** The position of the last invocation that was looked at. Absent if there was none. */
  last?: string;
  isEnd: boolean;
}

/** The bounds of a part. `counts` leaves out `found`. */
interface PartBounds {
  /** The highest number of matches. */
  wanted: number;
  /** The highest number of invocations to look at. */
  most: number;
  counts?: boolean;
}

/** Looks at the next invocations of a walk, after a position. One command. */
export function walkOn(queues: Queues, walk: Walk, after: string | undefined, bounds: PartBounds): Promise<WalkedPart> {
  return walk.firstChange === undefined
    ? walkIndex(queues, walk, after, bounds)
    : walkChanges(queues, walk, walk.firstChange, after, bounds);
}

async function walkIndex(
  { redis }: Queues,
  { plan, keys }: Walk,
  after: string | undefined,
  { wanted, most, counts }: PartBounds,
): Promise<WalkedPart> {
  const upper = after === undefined ? plan.upper : `(${memberOf(after)}`;
  const args = [JSON.stringify(plan), wanted, most, upper, counts ? 0 : 1];
  const [last, looked, count, ...members] = await WALK_INDEX.run(redis, keys, args);
  const found = members.map((member) => ({ position: idOf(member), id: idOf(member) }));
  return { looked, count, found, ...(last !== null && { last: idOf(last) }), isEnd: last === null };
}

async function walkChanges(
  { redis }: Queues,
  { plan, keys }: Walk,
  firstChange: number,
  after: string | undefined,
  { wanted, most, counts }: PartBounds,
): Promise<WalkedPart> {
  const [change = `${firstChange}`, id] = after?.split(':') ?? [];
  const behind = id === undefined ? '' : memberOf(id);
  const args = [JSON.stringify(plan), wanted, most, change, behind, counts ? 0 : 1];
  const [last, looked, count, ...positions] = await WALK_CHANGES.run(redis, keys, args);
  const found = positions.map(toPosition);
  const isEnd = count < wanted && looked < most;
  return { looked, count, found, ...(looked > 0 && { last: toPosition(last).position }), isEnd };
}

function toPosition(stored: string): { position: string; id: string } {
  const [change = '', member = ''] = stored.split(':');
  return { position: `${change}:${idOf(member)}`, id: idOf(member) };
}
