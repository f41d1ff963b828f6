import { didYouMean, isObject, own, type Json, type StoredSlot } from '@errand/contracts';
import { widen } from './slot-types.js';

/**
 * What is wrong with a value that is none of those that its slot offers. Only slots with the category ComboOption insist; what they
 * offer may be shown under a label: `{value, label}`.
 */
export function wrongChoice(slot: StoredSlot, given: Json | undefined): { wrong?: string; suggestion?: string } {
  const { matchCategories, config } = slot;
  const isChoice = matchCategories?.includes('ComboOption') && config?.suggestions?.length;
  if (!isChoice || given === undefined || given === null) return {};
  const offered = config.suggestions!.map((each) => textOf(isObject(each) ? (own(each, 'value') ?? each) : each));
  const chosen = slot.multi && Array.isArray(given) ? given : [given];
  const strange = chosen.map((each) => textOf(widen(slot, each))).find((each) => !offered.includes(each));
  if (strange === undefined) return {};
  const suggestion = didYouMean(strange, offered);
  return {
    wrong: `must be one of ${offered.join(', ')}, got ${strange}`,
    ...(suggestion !== undefined && { suggestion }),
  };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
