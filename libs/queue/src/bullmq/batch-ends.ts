/** The most that one call may end. Other commands run between two calls. */
export const MOST_ENDS = 50;
export const MOST_BYTES = 1_000_000;
/** An end that is heavier travels alone, so that it delays no others. */
const HEAVY_BYTES = MOST_BYTES / 4;

interface Weighed {
  ending: { value: string };
}

/** Whether an end travels alone. The length of its text stands for its bytes. */
export function isHeavy({ ending }: Weighed): boolean {
  return ending.value.length > HEAVY_BYTES;
}

/** Removes the ends of the next call from the front of `pending`: at most 50, and at most 1 MB unless one is heavier by itself. */
export function nextBatch<Ending extends Weighed>(pending: Ending[]): Ending[] {
  let bytes = 0;
  let count = 0;
  for (const { ending } of pending) {
    bytes += ending.value.length;
    if (count === MOST_ENDS || (count > 0 && bytes > MOST_BYTES)) break;
    count++;
  }
  return pending.splice(0, count);
}
