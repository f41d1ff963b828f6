import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keys } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';

/** An effect that is to happen once in a session: this tool with these arguments. */
export interface Effect {
  tenant: string;
  session: string;
  toolId: string;
  arguments: JsonObject;
}

/** A step of an invocation, as the one that has an effect. */
export interface StepReference {
  invocationId: string;
  step: number;
}

/** Longer than anything runs; what is parked for longer still claims anew when it goes on. */
const CLAIM_SECONDS = 90 * 86_400;

const CLAIM = loadScript<string>(join(__dirname, 'claim-effect.lua'));

/**
 * Claims an effect for one step. Returns who holds it: that step itself, which then has to bring it about, or another one. A claim
 * passes on only from `lost`, a step that is known to have failed: of many who find that out, one has it.
 */
export async function claimEffect(
  queues: Queues,
  effect: Effect,
  claimant: StepReference,
  lost?: StepReference,
): Promise<StepReference> {
  const held = await CLAIM.run(
    queues.redis,
    [keyOf(effect)],
    [textOf(claimant), lost ? textOf(lost) : '', CLAIM_SECONDS],
  );
  const [invocationId, step] = held.split(' ');
  return { invocationId: invocationId!, step: Number(step) };
}

/** The effect has been brought about: it is remembered as long as the invocation that did can be read. */
export async function keepEffect(queues: Queues, effect: Effect): Promise<void> {
  await queues.redis.expire(keyOf(effect), queues.retention.ageSeconds);
}

function keyOf({ tenant, ...effect }: Effect): string {
  return keys.effect(tenant, createHash('sha256').update(canonicalJson(effect)).digest('hex'));
}

function textOf({ invocationId, step }: StepReference): string {
  return `${invocationId} ${step}`;
}
