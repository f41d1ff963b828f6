import { appendFileSync } from 'node:fs';

/** The runs of a goal of goals.mjs. `npm run bench` names a file for them; a benchmark by itself notes nothing. */
export function noteGoal(id, runs) {
  const file = process.env.BENCH_GOALS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ id, runs })}\n`);
}
