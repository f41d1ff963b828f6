// The recorded counts and ratios, and how far a measurement may be above them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('recorded.json', import.meta.url));
const MOST_GROWTH = 1.05;
const WORST_RATIO = 0.85;
const HOW_TO_RECORD =
  'If the growth is intended, run `npm run build && node bench/cost.mjs --record` and commit bench/cost/recorded.json';

/** With a worker, one reply may split a round trip in two. */
const slackOf = (what, before) => (what === 'roundTrips' && before > 5 ? 1 : 0);

/**
 * `counts`, `ratios` and `cpu` (µs of each process) by the name of the workload and the number of tenants; `memory` and
 * `notifications`.
 */
export function readRecorded() {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Replaces the given parts. The others stay. */
export function writeRecorded(parts) {
  const recorded = { ...readRecorded(), ...parts };
  writeFileSync(FILE, `${JSON.stringify(recorded, null, 2)}\n`);
}

/** A sentence for each count that is more than 5 % above the recorded one, and how to record anew. */
export function findGrowth(recorded, measured) {
  const grown = Object.entries(measured).flatMap(([name, counts]) =>
    Object.entries(counts).flatMap(([what, count]) => {
      const before = recorded[name]?.[what];
      if (before === undefined) return [`${name}: ${what} is not recorded`];
      if (count <= Math.max(before * MOST_GROWTH, before + slackOf(what, before))) return [];
      const percent = Math.round((count / before - 1) * 100);
      return [`${name}: ${what} per invocation grew by ${percent} %, from ${before} to ${count}`];
    }),
  );
  return grown.length === 0 ? [] : [...grown, HOW_TO_RECORD];
}

/** A sentence for each ratio bare / Errand that is more than 15 % below the recorded one. */
export function findSlower(recorded, measured) {
  return Object.entries(measured).flatMap(([name, ratio]) => {
    const before = recorded[name];
    if (before === undefined || ratio >= before * WORST_RATIO) return [];
    const percent = Math.round((1 - ratio / before) * 100);
    return [
      `${name}: the ratio is ${percent} % worse than recorded, ${ratio.toFixed(2)} instead of ${before.toFixed(2)}`,
    ];
  });
}
