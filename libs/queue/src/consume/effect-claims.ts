import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonObject } from '@errand/contracts';
import type { Queues } from '../redis/connect.js';
import { keysOf, type Keys } from '../redis/names.js';
import { loadScript } from '../redis/lua-script.js';
import { openLife } from '../state/open-life.js';
import { ledgerArguments, ledgerSets } from './effect-ledger.js';

/** An effect that must happen once in a session: a tool with its arguments. */
export interface Effect {
  tenant: string;
  session: string;
  toolId: string;
  arguments: JsonObject;
}

/** A step of an invocation. */
export interface StepReference {
  invocationId: string;
  step: number;
}

const CLAIM = loadScript<string>(join(__dirname, 'claim-effect.lua'));

/**
 * Claims an effect for a step. Returns the step that has the claim: the claimant, which must then run the tool, or another step. A claim can
 * only be taken over from `lost`, a step that has failed or was removed. If several steps try that, one gets it.
 *
 * Claims live as long as the data of an open invocation, also after the effect: an equal call must find the first one until the retention age
 * has passed since the end of its invocation. An invocation that is suspended claims again when it continues.
 */
export async function claimEffect(
  queues: Queues,
  effect: Effect,
  claimant: StepReference,
  lost?: StepReference,
): Promise<StepReference> {
  const keys = keysOf(queues.redis);
  const { tenant, session, toolId, arguments: args } = effect;
  const digest = digestOfEffect(effect);
  const names = [keys.effect(tenant, digest), keys.effectEntry(tenant, digest), ...ledgerSets(keys, tenant, effect)];
  const claim = [textOf(claimant), lost ? textOf(lost) : '', openLife(queues.retention), Date.now()];
  const owner = await CLAIM.run(queues.redis, names, [...claim, digest, session, toolId, ledgerArguments(args)]);
  const [invocationId = '', step] = owner.split(' ');
  return { invocationId, step: Number(step) };
}

/** The key of the claim of an effect. */
export function keyOfEffect(keys: Keys, effect: Effect): string {
  return keys.effect(effect.tenant, digestOfEffect(effect));
}

/** Other fields of `effect` than those of an effect do not count. */
function digestOfEffect({ session, toolId, arguments: args }: Effect): string {
  const canonical = canonicalJson({ session, toolId, arguments: args });
  return createHash('sha256').update(canonical).digest('hex');
}

function textOf({ invocationId, step }: StepReference): string {
  return `${invocationId} ${step}`;
}
