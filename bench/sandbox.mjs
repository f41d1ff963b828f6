/**
 * Measures the cost of scripts as ratios, in one run on one machine. It compares a caller's wait over HTTP, and the part of the
 * script-runner, with the real interpreter as a plain process of the host. It compares cold and sustained runs with the bare engine
 * API with the same flags. It also measures the phases of a warm run and the delay of its log.
 *
 *   npm run build && node bench/sandbox.mjs [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { realInterpreters, timeOfProcess } from './interpreters.mjs';
import { noteGoal } from './goals/note-goal.mjs';
import { quantile, table } from './measure.mjs';
import { measureLogs } from './sandbox-logs.mjs';
import {
  SupervisorChannel,
  docker,
  images,
  LANGUAGES,
  now,
  openSandbox,
  runBare,
  runScript,
  untilWaiting,
} from './sandbox-runs.mjs';
import { measureOverHttp, SETTLE_MS } from './scripts-over-http.mjs';

const ROUNDS = Number(process.argv[2] ?? 15);
const AT_ONCE = 4;
/** The most containers that wait. The requests of a round are more. */
const POOL = 8;
/** Runs of a rate, and parts of the latencies, for the range. */
const RUNS = 5;

/** Runs the script that prints the time; returns the time at which it began. */
const run = (sandbox, language, reuse) => runScript(sandbox, language, LANGUAGES[language].clock, { reuse });

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Measures in turn a run in a waiting container, without HTTP and queue, and a process of the host. */
async function measureWarm(language, command) {
  const sandbox = openSandbox({ min: 1, max: 2, maxAgeMs: 600_000 });
  const times = { ours: [], host: [], steps: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await untilWaiting(sandbox, 2);
    await sandbox.idle();
    await delay(SETTLE_MS);
    times.host.push(await timeOfProcess(command));
    let said = 0;
    const { send } = SupervisorChannel.prototype;
    SupervisorChannel.prototype.send = function (bytes) {
      said = now();
      return send.call(this, bytes);
    };
    const start = now();
    const began = await run(sandbox, language);
    const end = now();
    SupervisorChannel.prototype.send = send;
    times.ours.push(end - start);
    times.steps.push([said - start, began - said, end - began]);
  }
  await sandbox.close();
  return times;
}

/** Errand's time ends with the result, that of the bare container with its exit. Neither includes the removal. */
async function measureCold(language) {
  const sandbox = openSandbox();
  const times = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    let remove;
    times.bare.push(await timed(async () => (remove = await runBare(language))));
    await remove();
    times.ours.push(await timed(() => run(sandbox, language)));
    await sandbox.idle();
  }
  return times;
}

/** Runs per second, `AT_ONCE` at a time. Both sides include the removal of all containers. */
async function perSecond(runs, work, settle = async () => {}) {
  const lane = async () => {
    for (let i = 0; i < runs / AT_ONCE; i++) await work();
  };
  const ms = await timed(async () => {
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    await settle();
  });
  return (Math.ceil(runs / AT_ONCE) * AT_ONCE * 1000) / ms;
}

async function measureSustained(language) {
  const fresh = openSandbox();
  const pooled = openSandbox({ min: 1, max: POOL, maxAgeMs: 600_000 });
  const rates = { bare: [], fresh: [], pooled: [], reused: [] };
  await untilWaiting(pooled, Object.keys(LANGUAGES).length);
  for (let round = 0; round < RUNS; round++) {
    rates.bare.push(await perSecond(ROUNDS, async () => (await runBare(language))()));
    rates.fresh.push(
      await perSecond(
        ROUNDS,
        () => run(fresh, language),
        () => fresh.idle(),
      ),
    );
    rates.pooled.push(
      await perSecond(
        ROUNDS,
        () => run(pooled, language),
        () => pooled.idle(),
      ),
    );
    // The pool fills itself again, and that must not count for the runs that need no new container.
    await untilWaiting(pooled, POOL);
    await delay(SETTLE_MS);
    rates.reused.push(
      await perSecond(
        ROUNDS * 20,
        () => run(fresh, language, 'bench'),
        () => fresh.idle(),
      ),
    );
  }
  await Promise.all([fresh.close(), pooled.close()]);
  return rates;
}

/** The private memory of a waiting container, in MB. */
async function measureMemory(language) {
  const sandbox = openSandbox({ min: 3, max: 6, maxAgeMs: 600_000 });
  await untilWaiting(sandbox, 6);
  await delay(500);
  const filters = { label: [`errand.runner=${sandbox.runnerId}`], ancestor: [images[language]] };
  const used = [];
  for (const { Id } of await docker.listContainers({ filters })) {
    const { memory_stats: stats } = await docker.getContainer(Id).stats({ stream: false });
    used.push((stats.usage - (stats.stats.total_inactive_file ?? stats.stats.inactive_file ?? 0)) / 1024 ** 2);
  }
  await sandbox.close();
  return quantile(used);
}

/** The ratios of the medians of five parts of both lists, which were measured in turn. */
function partRatios(ours, theirs) {
  const part = (list, n) =>
    list.slice(Math.floor((n * list.length) / RUNS), Math.floor(((n + 1) * list.length) / RUNS));
  return Array.from({ length: RUNS }, (_, n) => quantile(part(ours, n)) / quantile(part(theirs, n)));
}

const ms = (times, q) => `${quantile(times, q).toFixed(1)} ms`;
const ratio = (ours, theirs) => (quantile(ours) / quantile(theirs)).toFixed(2);

const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
try {
  const interpreters = await realInterpreters(folder);
  const rows = [];
  const budgets = [];
  const logs = [];
  for (const language of Object.keys(LANGUAGES)) {
    const { command, name } = interpreters[language];
    const http = await measureOverHttp(language, command, ROUNDS);
    const warm = await measureWarm(language, command);
    const cold = await measureCold(language);
    const rates = await measureSustained(language);
    const memory = await measureMemory(language);
    noteGoal(`warm-${language}`, partRatios(http.ours, http.host));
    noteGoal(`runner-${language}`, partRatios(warm.ours, warm.host));
    noteGoal(
      `reuse-${language}`,
      rates.reused.map((reused, n) => reused / rates.bare[n]),
    );
    const rate = (measured) => `${quantile(measured).toFixed(1)}/s`;
    const latency = (what, { ours, host }, q) => [
      `${language}: ${what}, p${q * 100}`,
      ms(ours, q),
      `${ms(host, q)} ${name}`,
      (quantile(ours, q) / quantile(host, q)).toFixed(2),
    ];
    const throughput = (what, measured) => [
      `${language}: ${what}`,
      rate(measured),
      `${rate(rates.bare)} bare engine API`,
      ratio(measured, rates.bare),
    ];
    rows.push(
      latency('warm run, HTTP request to result', http, 0.5),
      latency('warm run, HTTP request to result', http, 0.95),
      latency('warm run, script-runner alone', warm, 0.5),
      latency('warm run, script-runner alone', warm, 0.95),
      [`${language}: cold run, p50`, ms(cold.ours), `${ms(cold.bare)} bare engine API`, ratio(cold.ours, cold.bare)],
      throughput('fresh containers, no pool', rates.fresh),
      throughput('fresh containers, pool', rates.pooled),
      throughput('`reuse: "per-tool"`', rates.reused),
      [`${language}: memory of a waiting container`, `${memory.toFixed(1)} MB`, '', ''],
    );
    const step = (index) => ms(warm.steps.map((steps) => steps[index]));
    const late = await measureLogs(language, ROUNDS * 4);
    logs.push([language, ms(late), ms(late, 0.95)]);
    budgets.push([language, step(0), step(1), step(2), ms(warm.ours)]);
  }
  console.log(`Every script prints the time. Lower ratios are better for latencies, higher ones for rates.

- _HTTP request to result_: a caller posts an invocation and waits for its result, through API, queue, worker and script-runner, each a process of its own that has served thousands of invocations. A container waits for the script.
- _Script-runner alone_: the same run from inside the script-runner, without HTTP and queue. The rows below it are measured there, too. As over HTTP, a warm run begins when all containers have waited for half a second.
- The interpreter on the host is the real program, not a version manager's script, and has no installed packages. Node.js spawns it and waits for its exit. It runs no script, prints nothing and is not isolated.
- _Bare engine API_: a container with the same flags prints a number. Its network mode is "none", but its network is not disabled as in Errand's containers, so that it starts more slowly. A cold run ends with the result, that of the bare container with its exit; its removal does not count. Rates, ${AT_ONCE} at once, include the removal of all containers on both sides.
- _Reuse_ has no equivalent in the baseline, which makes a container for each run.
`);
  console.log(table(['', 'Errand', 'compared with', 'ratio'], rows));
  console.log('\nPhases of a warm run in the script-runner, medians:\n');
  const steps = ['choose a container, encode', 'engine, lay out, start', 'script, its end, engine', 'total'];
  console.log(table(['', ...steps], budgets));
  console.log("\nFrom a script's write to stderr until the line can be read in Redis as an event of its invocation:\n");
  console.log(table(['', 'p50', 'p95'], logs));
} finally {
  rmSync(folder, { recursive: true });
}
