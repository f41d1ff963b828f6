/**
 * What the sandbox costs, as ratios taken in one go on one machine: a run in a container that waits, against a plain process of
 * the host; a cold run, and sustained ones, against the bare engine API with the same flags (create, attach, start, wait,
 * remove); one tool's container used again. And where the time of a warm run goes, and how late its log is.
 *
 *   npm run build && node bench/sandbox.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile, table } from './measure.mjs';
import { measureLogs } from './sandbox-logs.mjs';
import {
  Dialogue,
  docker,
  images,
  LANGUAGES,
  now,
  openSandbox,
  runBare,
  runScript,
  takeBunOut,
  untilWaiting,
} from './sandbox-runs.mjs';

const ROUNDS = Number(process.argv[2] ?? 25);
const AT_ONCE = 4;

/** A run of the script that gives the time: when it began. */
const run = (sandbox, language, reuse) => runScript(sandbox, language, LANGUAGES[language].clock, { reuse });

async function spawnOnHost([command, ...args]) {
  const [code] = await once(spawn(command, args, { stdio: 'ignore' }), 'exit');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** By turns and in quiet: a run in a waiting container, and a process of the host. */
async function measureWarm(language, onHost) {
  const sandbox = openSandbox({ min: 1, max: 2, maxAgeMs: 600_000 });
  const times = { ours: [], host: [], steps: [] };
  for (let round = 0; round < ROUNDS; round++) {
    await untilWaiting(sandbox, 2);
    await sandbox.idle();
    times.host.push(await timed(() => spawnOnHost(onHost)));
    let said = 0;
    const { say } = Dialogue.prototype;
    Dialogue.prototype.say = function (bytes) {
      said = now();
      return say.call(this, bytes);
    };
    const start = now();
    const began = await run(sandbox, language);
    const end = now();
    Dialogue.prototype.say = say;
    times.ours.push(end - start);
    times.steps.push([said - start, began - said, end - began]);
  }
  await sandbox.close();
  return times;
}

async function measureCold(language) {
  const sandbox = openSandbox();
  const times = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await timed(() => runBare(language)));
    times.ours.push(await timed(() => run(sandbox, language)));
    await sandbox.idle();
  }
  return times;
}

/** Runs a second, `AT_ONCE` at a time, until nothing is left: both sides pay for the removal. */
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
  const pooled = openSandbox({ min: 1, max: 8, maxAgeMs: 600_000 });
  const rates = { bare: [], fresh: [], pooled: [], reused: [] };
  for (let round = 0; round < 3; round++) {
    rates.bare.push(await perSecond(ROUNDS, () => runBare(language)));
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

/** What a waiting container holds that no other shares, in MB. */
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

const ms = (times, q) => `${quantile(times, q).toFixed(1)} ms`;
const ratio = (ours, theirs) => (quantile(ours) / quantile(theirs)).toFixed(2);

const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
try {
  const bun = await takeBunOut(folder);
  const onHost = { python: LANGUAGES.python.nothing, bun: [bun, ...LANGUAGES.bun.nothing.slice(1)] };
  const rows = [];
  const budgets = [];
  const logs = [];
  for (const language of Object.keys(LANGUAGES)) {
    const warm = await measureWarm(language, onHost[language]);
    const cold = await measureCold(language);
    const rates = await measureSustained(language);
    const memory = await measureMemory(language);
    const rate = (measured) => `${quantile(measured).toFixed(1)}/s`;
    rows.push(
      [
        `${language}: warm run, p50`,
        ms(warm.ours),
        `${ms(warm.host)} \`${LANGUAGES[language].nothing.join(' ')}\` on the host`,
        ratio(warm.ours, warm.host),
      ],
      [
        `${language}: warm run, p95`,
        ms(warm.ours, 0.95),
        ms(warm.host, 0.95),
        (quantile(warm.ours, 0.95) / quantile(warm.host, 0.95)).toFixed(2),
      ],
      [`${language}: cold run, p50`, ms(cold.ours), `${ms(cold.bare)} bare engine API`, ratio(cold.ours, cold.bare)],
      [
        `${language}: fresh containers, no pool`,
        rate(rates.fresh),
        `${rate(rates.bare)} bare engine API`,
        ratio(rates.fresh, rates.bare),
      ],
      [
        `${language}: fresh containers, pool`,
        rate(rates.pooled),
        `${rate(rates.bare)} bare engine API`,
        ratio(rates.pooled, rates.bare),
      ],
      [
        `${language}: \`reuse: "per-tool"\``,
        rate(rates.reused),
        `${rate(rates.bare)} bare engine API`,
        ratio(rates.reused, rates.bare),
      ],
      [`${language}: a waiting container holds`, `${memory.toFixed(1)} MB`, '', ''],
    );
    const step = (index) => ms(warm.steps.map((steps) => steps[index]));
    const late = await measureLogs(language, ROUNDS * 4);
    logs.push([language, ms(late), ms(late, 0.95)]);
    budgets.push([language, step(0), step(1), step(2), ms(warm.ours)]);
  }
  console.log(
    `A script that prints the time. Ratios of latencies: lower is better; of rates, ${AT_ONCE} at once: higher.\n`,
  );
  console.log(table(['', 'Errand', 'against', 'ratio'], rows));
  console.log('\nWhere the time of a warm run goes, medians:\n');
  console.log(
    table(
      [
        '',
        'choose a container, encode',
        'through the engine, lay out, start',
        'script, its end, through the engine',
        'in all',
      ],
      budgets,
    ),
  );
  console.log("\nFrom a script's write to stderr until the line can be read in Redis as an event of its invocation:\n");
  console.log(table(['', 'p50', 'p95'], logs));
} finally {
  rmSync(folder, { recursive: true });
}
