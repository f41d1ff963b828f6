/** How a consumer shares its slots between tenants. */
export interface FairRules {
  /** The part of all slots (above 0, up to 1) that the jobs of one tenant may hold where others have work. 1: no bound. */
  maxShare: number;
  /** `time`: the end of a job corrects what it cost by the time for which it held its slot. `count`: each job costs the same. */
  cost: 'time' | 'count';
}

export const USUAL_RULES: FairRules = { maxShare: 1, cost: 'time' };

/** ARGV of the scripts that admit jobs. @param slots those of all consumers of the queue; they count only for `maxShare` */
export function rulesArgs({ maxShare, cost }: FairRules, slots: number): (string | number)[] {
  return [maxShare, slots, cost];
}
