import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isInvocationId } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { loadScript } from '../redis/lua-script.js';
import { keysOf, type Keys } from '../redis/names.js';
import { conversationKeys, type Conversation } from '../sessions/conversation.js';

/** A run of AG-UI, as its client names it. A run is a view of a turn and stores ids only. */
export interface AguiRunName {
  tenant: string;
  session: string;
  agent: string;
  runId: string;
}

/** A recorded run. Its events are those of the turn behind number `after`. */
export interface RecordedRun {
  /** The digest of the input. Another input under the same name is a conflict. */
  input: string;
  /** The id of the turn. */
  turn: string;
  after: number;
  /** The waits that were still open when the run had given its answers. With such, it shows no event of the turn. */
  left?: RunWait[];
}

/** A wait of a turn that a run answers or leaves open: the id of a client's call, or that of an interrupt. */
export interface RunWait {
  id: string;
  /** A call of a client tool. */
  client: boolean;
}

const BEGIN = loadScript<[input: string, turn: string, after: string]>(join(__dirname, 'begin-agui-run.lua'));
/** Ids of one command. */
const PAGE = 500;

/**
 * Records a run once, and returns the recorded one: another request may have been first.
 * @param open the waits of the turn that are open now; undefined for a run that begins a turn
 * @param taken the ids of messages and calls that the run takes from the client
 */
export async function beginRun(
  queues: Queues,
  name: AguiRunName,
  run: RecordedRun,
  { open, taken }: { open?: readonly RunWait[]; taken: readonly string[] },
): Promise<RecordedRun> {
  const keys = keysOf(queues.redis);
  const digest = digestOf(name, name.runId);
  const [input, turn, after] = await BEGIN.run(
    queues.redis,
    [keys.aguiRun(name.tenant, digest), keys.aguiTurn(run.turn), ...taken.map((id) => takenKey(keys, name, id))],
    [queues.sessions.ageSeconds, run.input, run.turn, run.after, open ? JSON.stringify(open) : '', digest],
  );
  return { input, turn, after: Number(after) };
}

export function readRun(queues: Queues, name: AguiRunName): Promise<RecordedRun | undefined> {
  return readByDigest(queues, name.tenant, digestOf(name, name.runId));
}

/** Records the waits that are left after the answers of a run. The first record counts. */
export async function leaveOpen(queues: Queues, name: AguiRunName, left: readonly RunWait[]): Promise<void> {
  const keys = keysOf(queues.redis);
  await queues.redis.hsetnx(keys.aguiRun(name.tenant, digestOf(name, name.runId)), 'left', JSON.stringify(left));
}

/** Those of the client's ids that some run of this session and agent took, each with the digest of that run. */
export async function takenIds(
  queues: Queues,
  name: Omit<AguiRunName, 'runId'>,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const keys = keysOf(queues.redis);
  const found = new Map<string, string>();
  for (let from = 0; from < ids.length; from += PAGE) {
    const page = ids.slice(from, from + PAGE);
    const digests = await queues.redis.mget(page.map((id) => takenKey(keys, name, id)));
    for (const [n, digest] of digests.entries()) if (digest !== null) found.set(page[n] ?? '', digest);
  }
  return found;
}

/** A run by its digest, as `takenIds` gives it. */
export async function readByDigest(queues: Queues, tenant: string, digest: string): Promise<RecordedRun | undefined> {
  const keys = keysOf(queues.redis);
  const { input, turn, after, left } = await queues.redis.hgetall(keys.aguiRun(tenant, digest));
  if (input === undefined || turn === undefined) return undefined;
  return { input, turn, after: Number(after), ...(left !== undefined && { left: JSON.parse(left) as RunWait[] }) };
}

/** The waits that runs have answered in a turn, by the number of the last event before each answer, in order. */
export async function answeredWaits(queues: Queues, turn: string): Promise<{ after: number; open: RunWait[] }[]> {
  const keys = keysOf(queues.redis);
  const fields = Object.entries(await queues.redis.hgetall(keys.aguiTurn(turn)));
  return fields
    .map(([after, open]) => ({ after: Number(after), open: JSON.parse(open) as RunWait[] }))
    .toSorted((a, b) => a.after - b.after);
}

/** The newest turns of a session and agent, newest first, without those that another turn called. Some may have ended. */
export async function newestTurns(queues: Queues, conversation: Conversation, count: number): Promise<string[]> {
  const keys = keysOf(queues.redis);
  const members = await queues.redis.zrevrange(conversationKeys(keys, conversation).turns, 0, count - 1);
  return members.filter((member) => isInvocationId(member));
}

function takenKey(keys: Keys, name: Omit<AguiRunName, 'runId'>, id: string): string {
  return keys.aguiTaken(name.tenant, digestOf(name, id));
}

/** Ids of clients have any characters, and are unique in their session and agent only. */
function digestOf({ session, agent }: Omit<AguiRunName, 'runId'>, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([session, agent, id]))
    .digest('base64url');
}
