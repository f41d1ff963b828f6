import type { EffectEntry } from '@errand/contracts';
import { RecentFinds } from './recent-finds.js';

/** An invocation whose result was cut for the model. */
export interface CutResult {
  id: string;
}

/** An effect that was asked for again. */
export type RepeatedEffect = Pick<EffectEntry, 'session' | 'toolId'>;

/** The note in an observation behind a result that was cut. */
const CUT = /\[cut at [\d,]+ of [\d,]+ characters/;

/** An invocation of a list with `fields=observation`. */
interface Observed {
  id: string;
  observation?: string | null;
}

/** The results that were cut, as long as the console is open. Another tenant or caller loads it anew. */
export const cutResults = new RecentFinds<Observed, CutResult>({
  keyOf: ({ id }) => id,
  pick: ({ id, observation }) => (CUT.test(observation ?? '') ? { id } : undefined),
});

/** The effects that were asked for again, as long as the console is open. */
export const repeatedEffects = new RecentFinds<EffectEntry, RepeatedEffect>({
  keyOf: ({ invocationId, step, toolId, at }) => [invocationId, step, toolId, at].join(' '),
  pick: ({ session, toolId, repeats }) => (repeats.length > 0 ? { session, toolId } : undefined),
});
