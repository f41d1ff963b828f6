import { RunningJobIds, measureRunningJobs, measureJobs, toolLabel } from './job-metrics.js';
import { Metrics } from './metrics.js';

const YEAR_SECONDS = 31_536_000;

describe('Metrics', () => {
  it('The number of names in labels is limited', () => {
    const metrics = new Metrics();
    const labels = Array.from({ length: 1_000 }, (_, n) => metrics.nameLabel(`tool:${n}`));
    expect(new Set(labels).size).toBe(201);
    expect(metrics.nameLabel('tool:0')).toBe('tool:0');
    expect(metrics.nameLabel('tool:999')).toBe('other');
  });

  it('A gauge that cannot be read is omitted, and the others are reported', async () => {
    const metrics = new Metrics();
    metrics.gauge({ name: 'gone', help: 'is away', labels: [] }, () => Promise.reject(new Error('away')));
    metrics.gauge({ name: 'there', help: 'is there', labels: ['where'] }, () => [[{ where: 'here' }, 3]]);
    const text = await metrics.text();
    expect(text).toContain('there{where="here"} 3');
    expect(text).not.toMatch(/^gone /m);
  });

  it('The first report has a measured lag of the event loop', async () => {
    const text = await new Metrics().text();
    const [, seconds] = /^nodejs_eventloop_lag_min_seconds (\S+)$/m.exec(text) ?? [];
    expect(Number(seconds)).toBeLessThan(YEAR_SECONDS);
  });
});

describe('The jobs of a process', () => {
  it('A running job is counted until it ends, even if it fails', async () => {
    const metrics = new Metrics();
    const runningJobs = new RunningJobIds();
    measureRunningJobs(metrics, 'invocations', runningJobs);
    let during = '';
    const work = runningJobs.track('inv_1', async () => {
      during = await metrics.text();
      throw new Error('it failed');
    });
    await expect(work).rejects.toThrow('it failed');
    expect(during).toContain('errand_jobs_in_hand{queue="invocations"} 1');
    expect(await metrics.text()).toContain('errand_jobs_in_hand{queue="invocations"} 0');
  });

  it('Jobs of two queues share their counters, and a step does not count as an invocation', async () => {
    const metrics = new Metrics();
    const [invocation, script] = [measureJobs(metrics, 'invocations'), measureJobs(metrics, 'scripts')];
    invocation({ tools: ['core:echo'], isStep: false, outcome: 'succeeded', waitedMs: 5, ranMs: 20 });
    script({ tools: ['text:analyze'], isStep: true, outcome: 'failed', error: 'ScriptError', ranMs: 3_000 });
    const text = await metrics.text();
    expect(text).toContain('errand_invocations_ended_total{tool="core:echo",outcome="succeeded"} 1');
    expect(text).not.toContain('errand_invocations_ended_total{tool="text:analyze"');
    expect(text).toContain('errand_failures_total{queue="scripts",error="ScriptError"} 1');
    expect(text).toContain('errand_run_duration_seconds_bucket{le="0.025",queue="invocations",tool="core:echo"} 1');
    expect(text).toContain('errand_run_duration_seconds_sum{queue="scripts",tool="text:analyze"} 3');
  });

  it('An invocation with several calls is counted under one name', () => {
    const metrics = new Metrics();
    expect(toolLabel(metrics, ['core:echo'])).toBe('core:echo');
    expect(toolLabel(metrics, ['core:echo', 'core:math'])).toBe('several');
  });
});
