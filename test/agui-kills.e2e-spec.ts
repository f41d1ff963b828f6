import { FrontEnd, postRun, typesOf, type RunEvent } from './support/agui-agent.js';
import { eventually } from './support/eventually.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { turnLibrary } from './support/turn-library.js';

const model = useScriptedModel();
// The worker that takes over in one test is killed in the next one.
const stack = useStack(
  { library: turnLibrary(), env: { ERRAND_LOCK_MS: '1000', ERRAND_STALLED_MS: '500' } },
  { keepsProcesses: true },
);

const never = new Promise<void>(() => {});
const act = (text: string, ...calls: string[]) => `${text}\n<ACTION>${calls.join('')}</ACTION>`;
const PAINT = { name: 'paint', description: 'Paints', parameters: { type: 'object' } };
const haveWorker = () => stack.processes.haveOne('worker', model.current.env);
const frontEnd = (threadId: string) => FrontEnd.of(`${stack.url}/agui/guide`, threadId);
const shown = ({ messages }: FrontEnd) => messages.map(({ role, content }) => [role, content]);
const textSoFar = ({ events }: FrontEnd) => events.some(({ type }) => type === 'TEXT_MESSAGE_CONTENT');

describe('A run whose processes are killed', () => {
  it('A worker that dies in the middle of a sentence leaves one whole message at the client', async () => {
    model.current.restart([
      { text: ['I look ', 'for it now.'], hold: { pieces: 1, until: never } },
      'I look for it now.',
    ]);
    const worker = await haveWorker();
    const agent = frontEnd('sentence');
    const running = agent.say('Look');
    await eventually(() => textSoFar(agent));
    await stack.processes.end(worker);
    await haveWorker();
    const events = await running;
    const starts = events.filter(({ type }) => type === 'TEXT_MESSAGE_START');
    expect(new Set(starts.map((event) => event['messageId'])).size).toBe(2);
    expect(typesOf(events).filter((type) => type === 'TEXT_MESSAGE_END')).toHaveLength(2);
    expect(typesOf(events).slice(-2)).toEqual(['MESSAGES_SNAPSHOT', 'RUN_FINISHED']);
    expect(shown(agent)).toEqual([
      ['user', 'Look'],
      ['assistant', 'I look for it now.'],
    ]);
    const again = await agent.go();
    expect(shown(agent)).toHaveLength(2);
    expect((again.at(-1) as RunEvent)['result']).toBe('I look for it now.');
  });

  it('A worker that dies while a call runs leaves the call closed, and reports its result once', async () => {
    model.current.restart([act('I wait.', '<test:gate/>'), 'Done.']);
    const worker = await haveWorker();
    const agent = frontEnd('call');
    const running = agent.say('Wait');
    await eventually(() => typesOf(agent.events).includes('TOOL_CALL_END'));
    await stack.processes.end(worker);
    await haveWorker();
    const first = await running;
    expect(first.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ reason: 'answer' }] } });
    const interruptId = agent.pendingInterrupts[0]?.id ?? '';
    const second = await agent.go({ resume: [{ interruptId, status: 'resolved', payload: 'open' }] });
    expect(typesOf([...first, ...second]).filter((type) => type.startsWith('TOOL_CALL'))).toEqual([
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
    ]);
    expect(second.at(-1)).toMatchObject({ result: 'Done.' });
  });

  it('An answer between the two phases is stored while no worker lives', async () => {
    model.current.restart([act('I paint.', '<paint/>'), 'It is red.']);
    const worker = await haveWorker();
    const agent = frontEnd('phases');
    const first = await agent.say('Paint', { tools: [PAINT] });
    await stack.processes.end(worker);
    const call = first.find(({ type }) => type === 'TOOL_CALL_END')?.['toolCallId'];
    const running = agent.answer({ [String(call)]: 'red' });
    await haveWorker();
    expect((await running).at(-1)).toMatchObject({ result: 'It is red.', outcome: { type: 'success' } });
    expect(model.current.requests).toHaveLength(2);
  });

  it('A client whose API dies asks another API for the same run', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart([{ text: ['One ', 'sentence.'], hold: { pieces: 1, until: held } }]);
    await haveWorker();
    const api = await stack.processes.start('api', { ERRAND_PORT: '0' });
    const [, url = ''] = /"url":"([^"]+)"/.exec(stack.processes.wordsOf(api)) ?? [];
    const body = { threadId: 'api', runId: 'same', messages: [{ id: 'u', role: 'user', content: 'Speak' }] };
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/agui/guide`, { method: 'POST', headers, body: JSON.stringify(body) });
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('TEXT_MESSAGE_CONTENT')) text += (await pieces?.read())?.value ?? '';
    api.kill('SIGKILL');
    release();
    const { events } = await postRun(`${stack.url}/agui/guide`, body);
    expect(events.at(-1)).toMatchObject({ result: 'One sentence.' });
    expect(model.current.requests).toHaveLength(1);
  });
});
