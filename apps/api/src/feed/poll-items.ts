/** Items of one source change at most this often for a listener, in ms. */
const POLL_MS = 1_000;
/** The most items whose last state is remembered. */
const MOST_ITEMS = 10_000;

/**
 * Reads items once a second and emits those that have changed, by the JSON of `partOf` the item. The first read emits nothing: a listener has read the list.
 * Returns how to stop. A failed read is skipped.
 */
export function pollItems<Item>(
  read: () => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
  emit: (item: Item) => void,
  partOf: (item: Item) => unknown = (item) => item,
): () => void {
  const known = new Map<string, string>();
  let [isFirst, isStopped] = [true, false];
  let timer: NodeJS.Timeout | undefined;
  const round = async (): Promise<void> => {
    for (const item of await read()) {
      const [name, json] = [nameOf(item), JSON.stringify(partOf(item))];
      if (known.get(name) === json) continue;
      if (known.size < MOST_ITEMS || known.has(name)) known.set(name, json);
      if (!isFirst && !isStopped) emit(item);
    }
    isFirst = false;
  };
  const next = async (): Promise<void> => {
    await round().catch(() => {});
    if (!isStopped) timer = setTimeout(() => void next(), POLL_MS);
  };
  void next();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
