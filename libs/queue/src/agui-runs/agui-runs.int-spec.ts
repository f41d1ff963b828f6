import { useQueues } from '../../test/use-queues.js';
import {
  answeredWaits,
  beginRun,
  leaveOpen,
  readByDigest,
  readRun,
  takenIds,
  type AguiRunName,
  type Queues,
} from '../index.js';

const kit = useQueues({ each: true });
let queues: Queues;
beforeEach(() => ({ queues } = kit));

const NAME: AguiRunName = { tenant: 'acme', session: 's', agent: 'amy', runId: 'r1' };
const RUN = { input: 'digest', turn: 'inv_turn', after: 0 };

describe('The record of a run', () => {
  it('A run is recorded once, and a second request gets the first record', async () => {
    expect(await beginRun(queues, NAME, RUN, { taken: ['message u1'] })).toEqual(RUN);
    const other = { input: 'other', turn: 'inv_other', after: 7 };
    expect(await beginRun(queues, NAME, other, { taken: ['message u2'] })).toEqual(RUN);
    expect(await readRun(queues, NAME)).toEqual(RUN);
    expect((await takenIds(queues, NAME, ['message u2'])).size).toBe(0);
  });

  it.each([
    ['tenant', { tenant: 'other' }],
    ['session', { session: 'other' }],
    ['agent', { agent: 'other' }],
    ['run id', { runId: 'other' }],
  ])('A run is not found under another %s', async (_, change) => {
    await beginRun(queues, NAME, RUN, { taken: ['message u1'] });
    expect(await readRun(queues, { ...NAME, ...change })).toBeUndefined();
  });

  it('The ids that a run took lead to the run, and stay with the first run that took them', async () => {
    await beginRun(queues, NAME, RUN, { taken: ['message u1', 'call c1'] });
    await beginRun(queues, { ...NAME, runId: 'r2' }, { ...RUN, after: 9 }, { taken: ['call c1', 'call c2'] });
    const taken = await takenIds(queues, NAME, ['message u1', 'call c1', 'call c2', 'unknown']);
    expect([...taken.keys()]).toEqual(['message u1', 'call c1', 'call c2']);
    const runs = await Promise.all([...taken.values()].map((digest) => readByDigest(queues, NAME, digest)));
    expect(runs.map((run) => run?.after)).toEqual([0, 0, 9]);
  });

  it('Ids are those of one session and agent', async () => {
    await beginRun(queues, NAME, RUN, { taken: ['call c1'] });
    expect((await takenIds(queues, { ...NAME, tenant: 'other' }, ['call c1'])).size).toBe(0);
    expect((await takenIds(queues, { ...NAME, session: 'other' }, ['call c1'])).size).toBe(0);
  });

  it('The waits that runs answer are recorded at their turn, in order', async () => {
    const open = [{ id: 'c1', client: true }];
    await beginRun(queues, NAME, RUN, { taken: [] });
    await beginRun(queues, { ...NAME, runId: 'r3' }, { ...RUN, after: 12 }, { open: [], taken: [] });
    await beginRun(queues, { ...NAME, runId: 'r2' }, { ...RUN, after: 5 }, { open, taken: [] });
    expect(await answeredWaits(queues, RUN.turn)).toEqual([
      { after: 5, open },
      { after: 12, open: [] },
    ]);
  });

  it('The waits that a run left open are recorded once', async () => {
    await beginRun(queues, NAME, RUN, { taken: [] });
    const left = [{ id: 'c2', client: true }];
    await leaveOpen(queues, NAME, left);
    await leaveOpen(queues, NAME, []);
    expect(await readRun(queues, NAME)).toEqual({ ...RUN, left });
  });

  it('Each key expires with the session', async () => {
    await beginRun(queues, NAME, RUN, { open: [], taken: ['call c1'] });
    const names = await queues.redis.keys('{errand}:agui-*');
    expect(names).toHaveLength(3);
    for (const name of names) expect(await queues.redis.ttl(name)).toBeGreaterThan(queues.sessions.ageSeconds - 900);
  });
});
