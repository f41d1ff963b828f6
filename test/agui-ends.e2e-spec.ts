import { eventOf, FrontEnd, postRun, typesOf, type RunEvent } from './support/agui-agent.js';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const ASKING = {
  interfaceInputs: {},
  interfaceOutputs: { answer: { dataFlowType: 'WILDCARD' } },
  nodes: [
    { id: 'in', type: 'core:GroupInput' },
    {
      id: 'ask',
      type: 'core:external',
      inputValues: { prompt: 'May I?' },
      configValues: { schema: { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } },
    },
    { id: 'out', type: 'core:GroupOutput' },
  ],
  edges: [{ id: 'e', source: 'ask', sourceHandle: 'result', target: 'out', targetHandle: 'answer' }],
};

const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: turnLibrary({
    'workflows/ask.json': JSON.stringify(ASKING),
    'agents/asker.json': JSON.stringify({
      id: 'asker',
      protocol: 'native',
      core_deliberation_workflow_id: 'core:deliberate',
      tool_ids_inventory: ['workflow:ask', 'test:ask', 'core:echo'],
    }),
  }),
  env: { ERRAND_API_KEYS: 'acme:key-of-acme-1234567890' },
});

const KEY = { authorization: 'Bearer key-of-acme-1234567890' };
const at = (agent = 'guide') => `${stack.url}/agui/${agent}`;
const frontEnd = (threadId: string, agent?: string) => FrontEnd.of(at(agent), threadId, KEY);
const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const native = (...calls: { id: string; name: string; arguments?: object }[]) => ({
  text: '',
  toolCalls: calls.map(({ id, name, arguments: args = {} }) => ({ id, name, arguments: JSON.stringify(args) })),
});
const TOOLS = ['paint'].map((name) => ({ name, description: name, parameters: { type: 'object' } }));
const post = (body: object, agent?: string) => postRun(at(agent), body, KEY);
const answer = (threadId: string, runId: string, ...answers: [id: string, content: string, more?: object][]) => ({
  threadId,
  runId,
  messages: answers.map(([toolCallId, content, more], n) => ({
    id: `${runId}.${n}`,
    role: 'tool',
    toolCallId,
    content,
    ...more,
  })),
});
const lastOf = ({ events }: { events: readonly RunEvent[] }) => events.at(-1);
let threads = 0;
const newThread = () => `thread-${++threads}`;

describe('An interrupt', () => {
  it('A node that waits for an answer is an interrupt, which resume answers', async () => {
    model.current.restart([native({ id: 'ask-1', name: 'workflow__ask' }), 'Thank you.']);
    const agent = frontEnd(newThread(), 'asker');
    const first = await agent.say('Ask me');
    expect(first.at(-1)).toMatchObject({
      outcome: {
        type: 'interrupt',
        interrupts: [
          { reason: 'answer', message: 'May I?', toolCallId: 'ask-1', responseSchema: { required: ['yes'] } },
        ],
      },
    });
    const [interrupt] = agent.pendingInterrupts;
    const interruptId = interrupt?.id ?? '';
    const second = await agent.go({ resume: [{ interruptId, status: 'resolved', payload: { yes: true } }] });
    expect(eventOf(second, 'TOOL_CALL_RESULT')).toMatchObject({ toolCallId: 'ask-1', content: '{"yes":true}' });
    expect(second.at(-1)).toMatchObject({ outcome: { type: 'success' }, result: 'Thank you.' });
  });

  it('A payload that does not fit is refused, and the interrupt stays', async () => {
    model.current.restart([native({ id: 'ask-2', name: 'workflow__ask' }), 'Fine.']);
    const threadId = newThread();
    const agent = frontEnd(threadId, 'asker');
    await agent.say('Ask me');
    const interruptId = agent.pendingInterrupts[0]?.id;
    const resume = (runId: string, entry: object) =>
      post({ threadId, runId, messages: [], resume: [{ interruptId, ...entry }] }, 'asker');
    const refused = await resume('wrong', { status: 'resolved', payload: { yes: 'perhaps' } });
    expect(lastOf(refused)).toMatchObject({ type: 'RUN_ERROR', code: 'invalid_parameters' });
    const declined = await resume('declined', { status: 'cancelled' });
    expect(eventOf(declined.events, 'TOOL_CALL_RESULT')).toMatchObject({
      content: expect.stringContaining('declined'),
    });
    expect(lastOf(declined)).toMatchObject({ result: 'Fine.' });
    const other = await resume('other', { status: 'resolved', payload: { yes: true } });
    expect(lastOf(other)).toMatchObject({ type: 'RUN_ERROR', code: 'conflict' });
    expect(lastOf(await resume('again', { status: 'cancelled' }))).toMatchObject({ result: 'Fine.' });
  });

  it('An external tool that is not of the client is an interrupt, also beside a client tool', async () => {
    model.current.restart([native({ id: 'e', name: 'test__ask' }, { id: 'c', name: 'paint' }), 'All done.']);
    const threadId = newThread();
    const first = await post(
      { threadId, runId: 'r1', messages: [{ role: 'user', content: 'Go' }], tools: TOOLS },
      'asker',
    );
    const end = lastOf(first) as RunEvent & { outcome: { interrupts: { id: string }[] } };
    expect(end).toMatchObject({
      outcome: { type: 'interrupt', interrupts: [{ toolCallId: 'e' }] },
      metadata: { errand: { openToolCallIds: ['c'] } },
    });
    const partly = await post(answer(threadId, 'r2', ['c', 'painted']), 'asker');
    expect(lastOf(partly)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ toolCallId: 'e' }] } });
    const interruptId = end.outcome.interrupts[0]?.id;
    const resume = [{ interruptId, status: 'resolved', payload: 42 }];
    const done = await post({ threadId, runId: 'r3', messages: [], resume }, 'asker');
    expect(lastOf(done)).toMatchObject({ result: 'All done.' });
    const replayed = await post(
      { threadId, runId: 'r1', messages: [{ role: 'user', content: 'Go' }], tools: TOOLS },
      'asker',
    );
    expect(lastOf(replayed)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ id: interruptId }] } });
  });

  it.each(['inv_0000000000000000000000000000000000000000/0', '', '../x', '__proto__'])(
    'The unknown interrupt %j is refused in the stream',
    async (interruptId) => {
      const resume = [{ interruptId, status: 'resolved', payload: 1 }];
      const run = await post({ threadId: newThread(), runId: 'r', messages: [], resume }, 'asker');
      expect(typesOf(run.events)).toEqual(['RUN_STARTED', 'RUN_ERROR']);
      expect(lastOf(run)).toMatchObject({ code: 'not_found' });
    },
  );
});

describe('The end of a turn', () => {
  it('A cancelled turn ends its run as cancelled, with every call closed', async () => {
    model.current.restart([act('I wait.', '<test:slow/>')]);
    const threadId = newThread();
    const running = post({ threadId, runId: 'r', messages: [{ role: 'user', content: 'Wait' }] });
    const turn = await eventually(async () => {
      const { body } = await stack.client.get<{ items: { id: string }[] }>(
        `/v1/invocations?session=${threadId}&toolId=agent:guide`,
        KEY,
      );
      const [found] = body.items ?? [];
      if (!found) return undefined;
      const child = await stack.client.get<{ items: object[] }>(`/v1/invocations?parent=${found.id}`, KEY);
      return child.body.items.length > 0 && found.id;
    });
    await stack.client.post(`/v1/invocations/${turn}/cancel`, {}, KEY);
    const { events } = await running;
    expect(typesOf(events).slice(-3)).toContain('STEP_FINISHED');
    expect(typesOf(events)).toEqual(expect.arrayContaining(['TOOL_CALL_START', 'TOOL_CALL_ARGS', 'TOOL_CALL_END']));
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  });

  it('A turn that has failed ends its run with its error type', async () => {
    model.current.restart(() => ({ status: 400, message: 'the model refuses' }));
    const events = await frontEnd(newThread()).say('Hi');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: expect.stringMatching(/Error$/) });
    expect(typesOf(events).filter((type) => type.startsWith('STEP'))).toEqual(['STEP_STARTED', 'STEP_FINISHED']);
  });

  it('A turn whose limit is reached fails its run behind closed calls', async () => {
    model.current.restart(() => act('', '<core:echo><value>x</value></core:echo>'));
    const events = await frontEnd(newThread(), 'short').say('Hi');
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'ResourceLimitError' });
    const count = (type: string) => typesOf(events).filter((one) => one === type).length;
    expect([count('TOOL_CALL_START'), count('TOOL_CALL_END'), count('TOOL_CALL_RESULT')]).toEqual([2, 2, 2]);
  });

  it('A turn with a time limit fails its run with TimeoutError', async () => {
    model.current.restart([act('', '<test:slow/>')]);
    const forwardedProps = { options: { timeoutMs: 1_500 } };
    const run = await post({
      threadId: newThread(),
      runId: 'r',
      messages: [{ role: 'user', content: 'x' }],
      forwardedProps,
    });
    expect(lastOf(run)).toMatchObject({ type: 'RUN_ERROR', code: 'TimeoutError' });
    expect(typesOf(run.events)).toContain('TOOL_CALL_END');
  });
});
