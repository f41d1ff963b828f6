/** Items of one source change at most once a second for a listener, which hears of them up to 260 ms after the poll. In ms. */
const POLL_MS = 1_260;
/** The most items whose last state is remembered. */
const MOST_ITEMS = 10_000;

interface Comparison<Item> {
  /** The part whose JSON tells whether an item has changed. The default is the whole. */
  partOf?: (item: Item) => unknown;
  /** Called with the last state of an item that the source does not have any more. */
  onGone?: (item: Item) => void;
}

/**
 * Reads items once a second and emits those that have changed, at first all of them: a listener may have read the list before the first change
 * that this sees. Returns how to stop. A failed read is skipped.
 */
export function pollItems<Item>(
  read: () => Promise<readonly Item[]>,
  nameOf: (item: Item) => string,
  emit: (item: Item) => void,
  { partOf = (item) => item, onGone }: Comparison<Item> = {},
): () => void {
  let known = new Map<string, { json: string; item: Item }>();
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async (): Promise<void> => {
    const before = known;
    const items = (await read()).slice(0, MOST_ITEMS);
    if (isStopped) return;
    known = new Map(items.map((item) => [nameOf(item), { json: JSON.stringify(partOf(item)), item }]));
    for (const [name, { json, item }] of known) if (before.get(name)?.json !== json) emit(item);
    for (const [name, { item }] of before) if (!known.has(name)) onGone?.(item);
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
