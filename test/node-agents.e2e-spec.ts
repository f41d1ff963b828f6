import type { Invocation } from '@errand/contracts';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

/** A node that calls an agent. */
const askNode = (id: string, message: string, more: object = {}) => ({
  id,
  type: 'core:tool',
  inputValues: { arguments: { message } },
  configValues: { toolId: 'agent:guide' },
  ...more,
});
/** A workflow of these nodes, whose outputs are their results by id. */
const workflowOf = (nodes: { id: string }[], edges: object[] = []) => ({
  nodes: [...nodes, { id: 'out', type: 'core:GroupOutput' }],
  edges: [
    ...edges,
    ...nodes.map(({ id }) => ({ source: id, sourceHandle: 'result', target: 'out', targetHandle: id })),
  ],
  interfaceOutputs: Object.fromEntries(nodes.map(({ id }) => [id, { dataFlowType: 'WILDCARD' }])),
});
/** It fails, because the text of an agent is no number. */
const FAIL = { id: 'fail', type: 'core:math', inputValues: { op: 'add', b: 1 } };

const model = useScriptedModel();
const stack = useStack(
  {
    library: turnLibrary({
      'workflows/one.json': workflowOf([askNode('ask', 'one')]),
      'workflows/two.json': workflowOf([askNode('first', 'one'), askNode('second', 'two')]),
      'workflows/hasty.json': workflowOf([askNode('ask', 'one', { timeoutMs: 1_000 })]),
      'workflows/broken.json': workflowOf(
        [askNode('ask', 'one'), FAIL],
        [{ source: 'ask', sourceHandle: 'result', target: 'fail', targetHandle: 'a' }],
      ),
      'workflows/again.json': workflowOf([askNode('ask', 'one', { retry: { attempts: 2 } })]),
      'workflows/round.json': workflowOf([askNode('ask', 'go', { configValues: { toolId: 'agent:looper' } })]),
      'agents/looper.json': {
        id: 'looper',
        core_deliberation_workflow_id: 'core:deliberate',
        tool_ids_inventory: ['workflow:round'],
      },
    }),
    env: { ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500' },
  },
  { keepsProcesses: true },
);
const { client } = stack;
const haveWorker = () => stack.processes.haveOne('worker', model.current.env);
let worker: Awaited<ReturnType<typeof haveWorker>>;
beforeEach(async () => void (worker = await haveWorker()));

const act = (text: string, call: string) => `${text}\n<ACTION>${call}</ACTION>`;
const workflow = (id: string, more: object = {}) => ({ toolId: `workflow:${id}`, arguments: {}, ...more });
const turnsOf = async (id: string): Promise<Invocation[]> => {
  const { body } = await client.get<{ items: Invocation[] }>(`/v1/invocations?parent=${id}`);
  return Promise.all(body.items.map((item) => client.read(item.id)));
};

describe('An agent that a node calls', () => {
  it('The library of these tests has no problems', async () => {
    expect((await client.get<{ items: object[] }>('/v1/tools/problems')).body.items).toEqual([]);
  });

  it('Two nodes that call one agent get two answers from two turns', async () => {
    model.current.restart(({ last }) => `You said ${last}.`);
    const ended = await client.invoke(workflow('two'));
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: { first: 'You said one.', second: 'You said two.' },
    });
    const turns = await turnsOf(ended.id);
    expect(new Set(turns.map(({ result }) => result))).toEqual(new Set(['You said one.', 'You said two.']));
    expect(new Set(turns.map(({ session }) => session)).size).toBe(2);
    for (const { parent, steps } of turns) {
      expect(parent).toEqual({ invocationId: ended.id });
      expect(steps[0]?.rounds).toHaveLength(1);
    }
  });

  it('The turns of nodes share the session of their workflow, and each has its own answer', async () => {
    model.current.restart((_, n) => `answer ${n}`);
    const ended = await client.invoke(workflow('two', { session: 'shared' }));
    const answers = new Set(Object.values(ended.result as object));
    expect([ended.status, answers]).toEqual(['succeeded', new Set(['answer 0', 'answer 1'])]);
    expect((await turnsOf(ended.id)).map(({ session }) => session)).toEqual(['shared', 'shared']);
  });

  it('A turn that waits suspends the workflow, and the answer to the node reaches the waiting tool', async () => {
    model.current.restart([act('I wait.', '<test:gate/>'), 'It is open.']);
    const id = await client.submit(workflow('one'));
    const waiting = await client.untilWaiting(id);
    const [node] = waiting.steps[0]?.nodes?.filter(({ waiting: wait }) => wait?.for === 'answer') ?? [];
    const [turn] = await turnsOf(id);
    expect(node).toMatchObject({ type: 'agent:guide', waiting: { invocationId: turn?.id, step: 0 } });
    expect((await client.answer(id, { result: 'open', nodeId: node?.nodeId })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'It is open.' });
    expect(model.current.requests).toHaveLength(2);
  });

  it('A worker that dies while the turn waits leaves one turn, and its answer is the result', async () => {
    model.current.restart([act('I wait.', '<test:gate/>'), 'Done.']);
    const id = await client.submit(workflow('one'));
    await client.untilWaiting(id);
    await stack.processes.end(worker);
    worker = await haveWorker();
    expect((await client.answer(id, { result: 'open' })).status).toBe(202);
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(await turnsOf(id)).toHaveLength(1);
    expect(model.current.requests).toHaveLength(2);
  });

  it('A worker that dies while the model writes leaves one turn, which goes on', async () => {
    const never = new Promise<void>(() => {});
    model.current.restart([{ text: ['Do', 'ne.'], hold: { pieces: 1, until: never } }, 'Done.']);
    const id = await client.submit(workflow('one'));
    await model.current.until(1);
    await stack.processes.end(worker);
    worker = await haveWorker();
    expect(await client.untilEnded(id)).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect(await turnsOf(id)).toHaveLength(1);
  });

  it('A retry keeps the answer of an agent, and begins with the node that failed', async () => {
    model.current.restart(['Done.']);
    const failed = await client.invoke(workflow('broken'));
    expect(failed).toMatchObject({ status: 'failed', error: { details: { nodeId: 'fail' } } });
    const { body } = await client.retry(failed.id);
    const again = await client.untilEnded(body['id']);
    expect(again).toMatchObject({ status: 'failed', error: { details: { nodeId: 'fail' } } });
    expect(model.current.requests).toHaveLength(1);
    expect(await turnsOf(again.id)).toEqual([]);
  });

  it('A turn that fails fails its node, and a retry of the node is a new turn', async () => {
    model.current.restart([{ status: 400, message: 'no' }, 'Done.']);
    const ended = await client.invoke(workflow('again'));
    expect(ended).toMatchObject({ status: 'succeeded', result: 'Done.' });
    expect((await turnsOf(ended.id)).map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
  });

  it.each<[number, string, number]>([
    [1, 'failed', 3],
    [2, 'succeeded', 4],
  ])('The attempts of the caller (%i) are those of the turn: it has %s after %i requests', async (...given) => {
    const [attempts, status, requests] = given;
    // core:llm asks three times before it fails.
    const busy = { status: 500, message: 'busy' };
    model.current.restart([busy, busy, busy, 'Done.']);
    const ended = await client.invoke(workflow('one', { options: { attempts } }));
    const turns = (await turnsOf(ended.id)).map((turn) => turn.status);
    expect([ended.status, turns, model.current.requests.length]).toEqual([status, [status], requests]);
  });

  it('A cancel of the workflow cancels the turn first', async () => {
    model.current.restart([{ text: 'never', after: new Promise(() => {}) }]);
    const id = await client.submit(workflow('one'));
    await model.current.until(1);
    await client.cancel(id);
    const ended = await client.untilEnded(id);
    const [turn] = await turnsOf(id);
    expect([ended.status, turn?.status]).toEqual(['cancelled', 'cancelled']);
    expect(Date.parse(turn?.finishedAt ?? '')).toBeLessThanOrEqual(Date.parse(ended.finishedAt ?? ''));
  });

  it('A node whose time limit has passed fails, and its turn is cancelled', async () => {
    model.current.restart([{ text: 'never', after: new Promise(() => {}) }]);
    const ended = await client.invoke(workflow('hasty'));
    expect(ended).toMatchObject({ status: 'failed', error: { type: 'TimeoutError' } });
    await eventually(async () => (await turnsOf(ended.id))[0]?.status === 'cancelled');
  });

  it('An agent and a workflow that call each other end with an error that names the limit', async () => {
    model.current.restart(({ last }) =>
      last.startsWith('Observation') ? `I saw ${last}` : act('On.', '<workflow:round/>'),
    );
    const ended = await client.invoke(workflow('round'));
    expect(JSON.stringify(ended)).toContain('maxDepth');
  });
});
