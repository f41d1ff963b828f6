import { newInvocationId, type NodeType, type StoredWorkflow } from '@errand/contracts';
import { runWorkflow, type RunOptions } from '@errand/engine';
import { EventWriter, JournalWriter, readJournal, SupersededError, type Queues } from '@errand/queue';
import { useQueues } from '../../../../libs/queue/test/use-queues.js';
import { InvocationProgress } from './combine-steps.js';
import { RedisJournal } from './redis-journal.js';
import type { StepContext } from './step-context.js';

const kit = useQueues();
let queues: Queues;
beforeAll(() => {
  ({ queues } = kit);
});

/** The journal of a step whose job has been started `attempt` times. */
async function journalOf({
  attempt = 1,
  within = '',
  storedAround = undefined as (() => Promise<void>) | undefined,
  id = newInvocationId(),
} = {}) {
  await startAgain(id, attempt);
  const fail = (error: unknown) => {
    throw error;
  };
  const events = new EventWriter(queues, id, fail);
  const work = {
    id,
    attempt,
    record: { tenant: 'default', calls: [], mode: 'sequence' },
  } as unknown as StepContext['work'];
  const context: StepContext = {
    work,
    index: 0,
    call: { toolId: 'test:flow', version: '1.0.0', kind: 'workflow', digest: '', arguments: {} },
    signal: new AbortController().signal,
    events,
    journal: new JournalWriter(queues, 'invocations', id, attempt),
    progress: new InvocationProgress(1, events),
    awaited: new Set(),
  };
  return {
    id,
    journal: new RedisJournal(queues, kit.notifications, context, within, false, attempt === 1, storedAround),
  };
}

const startAgain = (id: string, attempt: number) =>
  queues.redis.hset(`{errand}:invocations:${id}`, 'ats', `${attempt}`);
const fieldsOf = async (id: string) => [...(await readJournal(queues, id)).keys()].toSorted();

const CHAIN: StoredWorkflow = {
  nodes: [
    { id: 'pure', type: 'test:pure' },
    { id: 'act', type: 'test:act' },
  ],
  edges: [{ source: 'pure', sourceHandle: 'value', target: 'act', targetHandle: 'value' }],
};

function optionsWith(journal: RedisJournal, pure: NodeType['run'], act: NodeType['run']): RunOptions {
  const value = { dataFlowType: 'WILDCARD' };
  const slots = { description: 'For the test.', inputs: { value }, outputs: { value } };
  const types: NodeType[] = [
    { type: 'test:pure', ...slots, effects: 'none', run: pure },
    { type: 'test:act', ...slots, run: act },
  ];
  return {
    nodeTypes: new Map(types.map((type) => [type.type, type])),
    workflows: new Map(),
    invocationId: 'inv_test',
    callTool: async () => null,
    journal,
  };
}

it('Redis holds the outcomes of nodes without effects when a node with effects begins', async () => {
  const { id, journal } = await journalOf();
  const seen: string[][] = [];
  const act = async () => (seen.push(await fieldsOf(id)), { value: 2 });
  await runWorkflow(
    CHAIN,
    {},
    optionsWith(journal, () => ({ value: 1 }), act),
  );
  expect(seen).toEqual([['0/pure']]);
  expect(await fieldsOf(id)).toEqual(['0/act', '0/pure']);
});

it('A node with effects does not begin after another process has taken the job', async () => {
  const { id, journal } = await journalOf();
  let acts = 0;
  const pure = async () => (await startAgain(id, 2), { value: 1 });
  const run = optionsWith(journal, pure, () => ((acts += 1), { value: 2 }));
  await expect(runWorkflow(CHAIN, {}, run)).rejects.toBeInstanceOf(SupersededError);
  expect([acts, await fieldsOf(id)]).toEqual([0, []]);
  await expect(journal.requireCurrent()).rejects.toBeInstanceOf(SupersededError);
});

it('A run without a node with effects fails at its end if another process has taken the job', async () => {
  const { id, journal } = await journalOf();
  const { nodes } = CHAIN;
  const pure = async () => (await startAgain(id, 2), { value: 1 });
  const run = optionsWith(journal, pure, () => ({ value: 2 }));
  await expect(runWorkflow({ nodes: nodes.slice(0, 1), edges: [] }, {}, run)).rejects.toBeInstanceOf(SupersededError);
});

it('The outcomes inside a call of a node are stored after those around the call', async () => {
  let isStored = false;
  let before: string[] | undefined;
  const storedAround = async () => {
    before ??= await fieldsOf(id);
    isStored = true;
  };
  const { id, journal } = await journalOf({ within: 'call:1/', storedAround });
  await runWorkflow(
    CHAIN,
    {},
    optionsWith(
      journal,
      () => ({ value: 1 }),
      () => ({ value: isStored }),
    ),
  );
  expect([before, await fieldsOf(id)]).toEqual([[], ['0/call:1/act', '0/call:1/pure']]);
});

it('Many outcomes of one write share a field, and another attempt continues from them', async () => {
  const { id, journal } = await journalOf();
  const nodes = Array.from({ length: 120 }, (_, n) => ({ id: `n${n}`, type: 'test:pure' }));
  const at = new Date().toISOString();
  const ended = { type: 'test:pure', status: 'succeeded', attempts: 1, startedAt: at, finishedAt: at } as const;
  await journal.write(nodes.slice(1).map((node, value) => ({ ...ended, nodeId: node.id, result: { value } })));
  expect([await fieldsOf(id), await queues.redis.hlen(`{errand}:journal:${id}`)]).toEqual([
    nodes
      .slice(1)
      .map((node) => `0/${node.id}`)
      .toSorted(),
    1,
  ]);
  let runs = 0;
  const pure = () => ({ value: (runs += 1) });
  const { journal: later } = await journalOf({ attempt: 2, id });
  await runWorkflow(
    { nodes, edges: [] },
    {},
    optionsWith(later, pure, () => ({ value: 2 })),
  );
  expect([runs, (await readJournal(queues, id)).size]).toEqual([1, 120]);
});
