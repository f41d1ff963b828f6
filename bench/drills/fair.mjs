/**
 * Two tenants with weights 3 and 1 flood one queue while a third submits one job after the other, and workers are killed in between. Prints
 * the shares of the starts against the weights, the waits of the light tenant against its idle waits, and counts lost jobs. Exit code 1 if a
 * job is lost, or if a share is more than 10 % from its weight.
 *
 *   npm run build && node bench/drills/fair.mjs [jobs of each flood] [kills]
 */
import { setTimeout } from 'node:timers/promises';
import { quantile, table } from '../measure.mjs';
import { ask } from './client.mjs';
import { report } from './figures.mjs';
import { Stack } from './stack.mjs';

const [JOBS = 3_000, KILLS = 2] = process.argv.slice(2).map(Number);
const WEIGHTS = { heavy: 3, normal: 1 };
/** So long that the slots of the workers limit the throughput, not the speed of the machine. */
const JOB = { toolId: 'core:delay', arguments: { ms: 100 } };
const BATCH = 500;
/** Much longer than a busy machine needs. */
const LONGEST_WAIT_MS = 300_000;
const AWAY_MS = 200;
const keyOf = (tenant) => `key-of-the-tenant-${tenant}`;
const as = (tenant) => ({ authorization: `Bearer ${keyOf(tenant)}` });
const OPERATOR = 'key-of-the-operator';

const stack = await Stack.start(['api', 'worker', 'worker'], {
  ERRAND_API_KEYS: [OPERATOR, ...['heavy', 'normal', 'light'].map((tenant) => `${tenant}:${keyOf(tenant)}`)].join(' '),
  ERRAND_WORKER_CONCURRENCY: '4',
  ERRAND_FAIR_COST: 'count',
});
const { url } = stack;
const operator = { authorization: `Bearer ${OPERATOR}` };

async function flood(tenant) {
  const ids = [];
  for (let n = 0; n < JOBS; n += BATCH) {
    const body = { items: Array.from({ length: Math.min(BATCH, JOBS - n) }, () => JOB) };
    const answer = await ask(`${url}/v1/invocations/batch`, { method: 'POST', body, headers: as(tenant) });
    ids.push(...answer.body.items.map(({ id }) => id));
  }
  return ids;
}

/** The time in ms for which one job of the light tenant waited for its start. */
async function waitOfOne() {
  const headers = { ...as('light'), prefer: 'wait=60' };
  const { body } = await ask(`${url}/v1/invocations`, { method: 'POST', body: JOB, headers });
  const startedAt = body.startedAt ?? (await endedOf('light', body.id)).startedAt;
  return Date.parse(startedAt) - Date.parse(body.createdAt);
}

async function endedOf(tenant, id) {
  const deadline = Date.now() + LONGEST_WAIT_MS;
  while (Date.now() < deadline) {
    const answer = await ask(`${url}/v1/invocations/${id}?wait=20`, { headers: as(tenant), deadline });
    if (answer?.body.finishedAt) return answer.body;
  }
  return undefined;
}

async function waitingOf() {
  const { body } = await ask(`${url}/v1/queues/invocations`, { headers: operator });
  return Object.fromEntries(body.tenants.map(({ tenant, waiting }) => [tenant, waiting]));
}

/** Samples what waits until one flood is nearly over. */
async function sampleShares(samples) {
  for (;;) {
    const now = await waitingOf();
    const least = Math.min(now.heavy ?? 0, now.normal ?? 0);
    if (least < 20) return;
    samples.push(now);
    await setTimeout(100);
  }
}

try {
  for (const [tenant, weight] of Object.entries(WEIGHTS))
    await fetch(`${url}/v1/tenants/${tenant}`, {
      method: 'PATCH',
      headers: { ...operator, 'content-type': 'application/json' },
      body: JSON.stringify({ weight }),
    });
  const idle = [];
  for (let n = 0; n < 20; n++) idle.push(await waitOfOne());
  const [heavy, normal] = await Promise.all([flood('heavy'), flood('normal')]);
  const samples = [];
  const sampling = sampleShares(samples);
  const crowded = [];
  const over = new AbortController();
  const submitting = (async () => {
    while (!over.signal.aborted) crowded.push(await waitOfOne());
  })();
  for (let n = 0; n < KILLS; n++) {
    await setTimeout(1_000);
    await stack.kill(`worker ${1 + (n % 2)}`, AWAY_MS);
  }
  await sampling;
  over.abort();
  await submitting;
  const [first, last] = [samples[0], samples.at(-1)];
  const starts = { heavy: first.heavy - last.heavy, normal: first.normal - last.normal };
  const all = starts.heavy + starts.normal;
  const due = (all * WEIGHTS.heavy) / (WEIGHTS.heavy + WEIGHTS.normal);
  const outcomes = await Promise.all(
    [...heavy.map((id) => ['heavy', id]), ...normal.map((id) => ['normal', id])].map(([tenant, id]) =>
      endedOf(tenant, id),
    ),
  );
  const ms = (times, part) => Math.round(quantile(times, part));
  console.log(
    table(
      ['waits of the light tenant', 'p50 (ms)', 'p95 (ms)'],
      [
        ['idle', ms(idle, 0.5), ms(idle, 0.95)],
        ['beside two floods, with kills', ms(crowded, 0.5), ms(crowded, 0.95)],
      ],
    ),
  );
  console.log(
    `starts of the floods: ${starts.heavy} and ${starts.normal}, by weight ${Math.round(due)} and ${Math.round(all - due)}`,
  );
  process.exitCode = report([
    { what: 'accepted', count: heavy.length + normal.length, exactly: 2 * JOBS },
    { what: 'lost', count: outcomes.filter((outcome) => outcome?.status !== 'succeeded').length, exactly: 0 },
    { what: 'jobs of the light tenant', count: crowded.length, atLeast: 1 },
    { what: 'share of a flood wrong', count: Number(Math.abs(starts.heavy - due) > Math.max(8, due / 10)), exactly: 0 },
  ]);
} finally {
  await stack.stop();
}
