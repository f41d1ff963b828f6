import { PART } from '../../parts/in-parts.js';

/** How many processes are shown together: one has about 100 elements. */
export const AT_ONCE = 20;

/** The ids of the processes on the page, and of all processes in the order of the list without a filter. */
export interface ShownIds {
  shown: readonly string[];
  all: readonly string[];
}

/** The hash of an address that leads to a process on its page. */
export function hashOf(id: string): string {
  return `#${encodeURIComponent(`process-${id}`)}`;
}

/** Where a process is shown: on this page, or in its part of the list without a filter. Undefined if the list does not have it. */
export function addressOfProcess(id: string, { shown, all }: ShownIds): string | undefined {
  if (shown.includes(id)) return hashOf(id);
  const index = all.indexOf(id);
  if (index === -1) return undefined;
  const part = Math.floor(index / AT_ONCE) + 1;
  return `/console/processes${part === 1 ? '' : `?${PART}=${part}`}${hashOf(id)}`;
}
