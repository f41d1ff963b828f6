/** The lengths of the buckets that a series is read from, finest first, and for how long each is kept (s). */
export const RESOLUTIONS = [
  { seconds: 10, keptSeconds: 3_600 },
  { seconds: 60, keptSeconds: 172_800 },
  { seconds: 900, keptSeconds: 2_592_000 },
] as const;
/** The length of the longest buckets (s). Entries that are kept as text are divided by it. */
export const DAY = 86_400;
/** The buckets that also hold pairs: of a tool and an error type, or of a tool and a parameter. */
const WITH_PAIRS = { seconds: DAY, keptSeconds: 2_592_000 };
/** The highest number of entries that one call folds, and of different ones among them. Redis does nothing else meanwhile: 100 of different tenants take 2 to 10 ms. */
export const FOLDED_AT_ONCE = 500;
export const GROUPS_AT_ONCE = 100;
/** A longer log is folded by those who add to it. */
export const MOST_NOTED = 10_000;
/** For how long the log is kept after its first entry (s). */
export const LOG_SECONDS = 30 * 86_400;
/** Each bin of a histogram ends at so many times its beginning. */
export const BIN_GROWTH = 1.2;

/** The bounds as `fold-stats.lua` and `note-stats.lua` name them. */
export const FOLD_CONSTANTS: Readonly<Record<string, string>> = {
  'fold.buckets': `${RESOLUTIONS.map((each) => luaBucket(each)).join(', ')}, ${luaBucket(WITH_PAIRS, ', hasPairs = true')}`,
  'fold.finestSeconds': String(RESOLUTIONS[0].seconds),
  'fold.atOnce': String(FOLDED_AT_ONCE),
  'fold.groupsAtOnce': String(GROUPS_AT_ONCE),
  'fold.mostNoted': String(MOST_NOTED),
  'fold.logSeconds': String(LOG_SECONDS),
  'fold.binGrowth': String(BIN_GROWTH),
};

function luaBucket({ seconds, keptSeconds }: { seconds: number; keptSeconds: number }, more = ''): string {
  return `{ seconds = ${seconds}, keptSeconds = ${keptSeconds}${more} }`;
}
