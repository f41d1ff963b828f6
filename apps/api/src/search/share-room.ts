/**
 * Takes items of several lists until the result is full. Each list first gets as many as the first bound of `each`, then as many as the next
 * one, and at last what room is left. Earlier lists come first.
 *
 * @param most the number of items of the result
 */
export function shareRoom<Item>(lists: readonly Item[][], { most, each }: { most: number; each: number[] }): Item[] {
  const taken = lists.map(() => 0);
  let room = most;
  for (const bound of [...each, most])
    for (const [n, list] of lists.entries()) {
      const more = Math.min(room, Math.max(0, Math.min(list.length, bound) - (taken[n] ?? 0)));
      taken[n] = (taken[n] ?? 0) + more;
      room -= more;
    }
  return lists.flatMap((list, n) => list.slice(0, taken[n]));
}
