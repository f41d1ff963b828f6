import type { Waiting } from '@errand/contracts';
import { useQueues } from '../../test/use-queues.js';
import {
  cancelInvocation,
  giveAnswer,
  JournalWriter,
  listWaits,
  readAnswers,
  SuspendJob,
  type Work,
} from '../index.js';
import { WaitRepair } from './repair-waits.js';

const HOUR_MS = 3_600_000;
const INDEX = '{errand}:index:default:inbox';
const kit = useQueues({ each: true });
const { serve, submit, until } = kit;

const at = (ms: number) => new Date(Date.now() + ms).toISOString();
const list = (
  over: { toolId?: string; agent?: string } = {},
  page: { limit: number; after?: string } = { limit: 100 },
) => listWaits(kit.queues, 'default', over, page);
const prompts = async (...asked: Parameters<typeof list>) =>
  (await list(...asked)).items.map(({ waiting: { prompt } }) => prompt);
const answer = (id: string, field: string) =>
  giveAnswer(kit.queues, { reach: 'default', id, field }, { answer: { result: 'yes' } });

/** What the nodes of an invocation ask: key of the wait → deadline. The prompt of each is its key. */
type Questions = Readonly<Record<string, string | null>>;

/** Asks all questions without an answer, and ends when each has its answer. */
async function ask(work: Work, questions: Questions) {
  const answers = await readAnswers(kit.queues, work.id);
  const journal = new JournalWriter(kit.queues, 'invocations', work.id, work.attempt);
  let isWaiting = false;
  for (const [key, deadline] of Object.entries(questions)) {
    const nodeId = key.split(':', 1)[0];
    const isOpen = !answers.has(`0/${key}`);
    isWaiting ||= isOpen;
    const waiting: Waiting = { for: 'answer', key, until: deadline, prompt: key };
    const state = { nodeId, type: 'a:b', status: 'running', startedAt: at(0), ...(isOpen && { waiting }) };
    await journal.writeState(`0/${nodeId}`, state);
  }
  if (isWaiting) throw new SuspendJob(undefined, 'answer');
  return { steps: [{ status: 'succeeded' as const, result: null }] };
}

/** Serves invocations, each with the questions of its session. */
const serveAsking = (bySession: Readonly<Record<string, Questions>>) =>
  serve('invocations', (work) => ask(work, bySession[work.record.session ?? ''] ?? {}));

describe('The list of waits', () => {
  it('Each wait of an invocation is one item, soonest deadline first, and waits without a deadline come last', async () => {
    await serveAsking({ a: { 'late:1': at(2 * HOUR_MS), 'never:1': null }, b: { 'soon:1': at(HOUR_MS) } });
    const ids = [await submit({}, { session: 'a' }), await submit({}, { session: 'b', agent: 'clerk' })];
    for (const id of ids) await until(id, 'waiting_external');
    expect(await prompts()).toEqual(['soon:1', 'late:1', 'never:1']);
    const [first] = (await list()).items;
    expect(first).toMatchObject({ invocationId: ids[1], step: 0, nodeId: 'soon', toolId: 'test:tool', session: 'b' });
    expect(first?.arguments).toEqual({ n: 1 });
    expect(await prompts({ agent: 'clerk' })).toEqual(['soon:1']);
    expect(await prompts({ toolId: 'test:other' })).toEqual([]);
  });

  it('Pages have each wait once, also if the last item of a page is answered before the next page', async () => {
    await serveAsking({ a: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`n${n}:1`, at(n * HOUR_MS)])) });
    const id = await submit({}, { session: 'a' });
    await until(id, 'waiting_external');
    const seen: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await list({}, { limit: 7, ...(after !== undefined && { after }) });
      seen.push(...page.items.map(({ waiting: { prompt } }) => prompt));
      after = page.next;
      if (seen.length === 7) await answer(id, page.items.at(-1)?.answerField ?? '');
    } while (after !== undefined);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, n) => `n${n}:1`));
  });

  it('An answered wait leaves the list at once, and the other waits of its invocation stay', async () => {
    await serveAsking({ a: { 'one:1': null, 'two:1': null } });
    const id = await submit({}, { session: 'a' });
    await until(id, 'waiting_external');
    await kit.endConsumers();
    expect(await answer(id, '0/one:1')).toBe('taken');
    expect(await prompts()).toEqual(['two:1']);
    await serveAsking({ a: { 'one:1': null, 'two:1': null } });
    await until(id, 'waiting_external');
    expect(await prompts()).toEqual(['two:1']);
    await answer(id, '0/two:1');
    await until(id, 'succeeded');
    expect(await prompts()).toEqual([]);
    expect(await kit.queues.redis.exists(INDEX)).toBe(0);
  });

  it('The end of an invocation removes its waits, whatever the end is', async () => {
    await serveAsking({ a: { 'one:1': null }, b: { 'one:1': null } });
    const cancelled = await submit({}, { session: 'a' });
    const pushed = await submit({}, { session: 'b' });
    for (const id of [cancelled, pushed]) await until(id, 'waiting_external');
    expect(await prompts()).toHaveLength(2);
    await cancelInvocation(kit.queues, 'default', cancelled);
    expect(await prompts()).toHaveLength(1);
    await kit.endConsumers();
    await serve('invocations', () => Promise.reject(new Error('broken')));
    await answer(pushed, '0/one:1');
    await until(pushed, 'failed');
    expect(await kit.queues.redis.exists(INDEX)).toBe(0);
  });

  it('A member of an ended invocation, or of none, is not listed and leaves the index', async () => {
    await serveAsking({});
    const id = await submit();
    await until(id, 'succeeded');
    const gone = [`${'9'.repeat(15)}:${id.slice('inv_'.length)}:0/one`, `${'9'.repeat(15)}:nothing:0`, 'forged'];
    for (const member of gone) await kit.queues.redis.zadd(INDEX, 0, member);
    expect(await prompts()).toEqual([]);
    expect(await kit.queues.redis.zrange(INDEX, '0', '-1')).toEqual([]);
  });
});

describe('The repair of the index of waits', () => {
  it('A repair adds the waits of suspended invocations that the index lacks, and nothing twice', async () => {
    await serveAsking({ a: { 'one:1': null }, b: { 'two:1': at(HOUR_MS) } });
    const [old, whole] = [await submit({}, { session: 'a' }), await submit({}, { session: 'b' })];
    for (const id of [old, whole]) await until(id, 'waiting_external');
    const { redis } = kit.queues;
    await redis.hdel(`{errand}:invocations:${old}`, 'errand:waits');
    await redis.del(INDEX);
    expect(await prompts()).toEqual([]);
    const repair = new WaitRepair(kit.queues);
    expect(await repair.run()).toBe(2);
    expect(await prompts()).toEqual(['two:1', 'one:1']);
    expect(await repair.run()).toBe(0);
    await answer(old, '0/one:1');
    await until(old, 'succeeded');
    expect(await prompts()).toEqual(['two:1']);
  });
});
