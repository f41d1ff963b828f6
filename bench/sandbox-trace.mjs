/**
 * Prints where each millisecond of a warm run of a script goes, from the socket of the API back to it. A single call of a script goes from
 * the API to the script-runner directly, without a worker.
 *
 *   npm run build && node bench/sandbox-trace.mjs [rounds]
 */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile, table } from './measure.mjs';
import { startStack } from './scripts-over-http.mjs';
import { LATER, now, POINTS } from './trace/points.mjs';

const ROUNDS = Number(process.argv[2] ?? 25);
const APP = fileURLToPath(new URL('trace/start-traced-app.mjs', import.meta.url));
/** A container ends within this time after its run. */
const END_MS = 1_000;

/** Each prints the times of its first and its last line. */
const SCRIPTS = {
  python: 'import time\nfirst = time.time() * 1000\nprint([first, time.time() * 1000])',
  bun: 'const now = () => performance.timeOrigin + performance.now();\nconst first = now();\nconsole.log(JSON.stringify([first, now()]));',
};

/** The times of all points of one run, by name, in ms since its request. */
async function traceRun(stack) {
  await stack.untilFilled();
  await collect(stack);
  const start = now();
  const [first, last] = await stack.invoke();
  const end = now();
  await delay(END_MS);
  const passed = new Map([...(await collect(stack)), ['first line', first], ['last line', last], ['result', end]]);
  return new Map([...passed].map(([name, at]) => [name, at - start]));
}

async function collect({ processes }) {
  const answers = processes.map(async ({ child }) => {
    child.send('collect');
    const [{ passed }] = await once(child, 'message');
    return passed;
  });
  return (await Promise.all(answers)).flat();
}

async function trace(language) {
  const stack = await startStack(language, { app: APP, script: SCRIPTS[language] });
  try {
    await stack.use();
    const runs = [];
    for (let round = 0; round < ROUNDS; round++) runs.push(await traceRun(stack));
    return runs;
  } finally {
    await stack.stop();
  }
}

/** The median of the time from the point before to each point, and of the time since the request. */
function rowsOf(runs, points, before) {
  const median = (read) => {
    const times = runs.map(read).filter((time) => !Number.isNaN(time));
    return times.length > 0 ? quantile(times).toFixed(2) : '';
  };
  const timeOf = (run, name) => (name === undefined ? 0 : (run.get(name) ?? NaN));
  return points.map(({ app, name, part }, index) => {
    const last = points[index - 1]?.name ?? before;
    return [
      part,
      app,
      name,
      median((run) => timeOf(run, name) - timeOf(run, last)),
      median((run) => timeOf(run, name)),
    ];
  });
}

for (const language of Object.keys(SCRIPTS)) {
  const runs = await trace(language);
  console.log(`\n${language}: medians of ${ROUNDS} runs in ms; the clock begins with the request of the client\n`);
  const rows = [...rowsOf(runs, POINTS), ...rowsOf(runs, LATER, 'result known')];
  console.log(table(['part', 'process', 'ends with', 'takes', 'since the request'], rows));
}
