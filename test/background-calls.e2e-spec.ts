import type { Invocation, SessionMessage } from '@errand/contracts';
import { turnLibrary } from './support/turn-library.js';
import { useScriptedModel } from './support/scripted-model.js';
import { useStack } from './support/start-stack.js';
import { eventually } from './support/eventually.js';

const model = useScriptedModel();
const { client } = useStack({ with: ['worker'], library: turnLibrary() });

const act = (...calls: string[]) => `<ACTION>${calls.join('')}</ACTION>`;
const ask = (session: string, message = 'Open the gate') => ({
  toolId: 'agent:keeper',
  session,
  arguments: { message },
});

const textOf = ({ content }: { content?: unknown }) => (typeof content === 'string' ? content : '');

/** The invocation that runs the background call of the first round. */
function backgroundOf({ steps }: Invocation): string {
  const call = steps[0]?.rounds?.[0]?.calls.find(({ background }) => background);
  return textOf({ content: call?.result }).replace('started as ', '');
}
async function messagesOf(session: string): Promise<SessionMessage[]> {
  const path = `/v1/sessions/${session}/messages?agent=keeper&limit=100`;
  return (await client.get<{ items: SessionMessage[] }>(path)).body.items;
}
const turnsOf = async (session: string) =>
  (await client.get<{ items: Invocation[] }>(`/v1/invocations?session=${session}&toolId=agent:keeper`)).body.items;

describe('A background call', () => {
  it('A background call does not hold the turn, and its end begins a turn of its own', async () => {
    model.current.restart(({ last }) => {
      if (last.startsWith('tool.ended')) return 'It is open.';
      return last.startsWith('Observation')
        ? 'I have started.'
        : act('<test:gate/>', '<core:echo><value>x</value></core:echo>');
    });
    const turn = await client.invoke(ask('own'));
    expect(turn).toMatchObject({ status: 'succeeded', result: 'I have started.' });
    const background = backgroundOf(turn);
    expect(turn.steps[0]?.rounds?.[0]?.observation).toContain(`test:gate started as ${background}`);
    expect(await client.untilWaiting(background)).toMatchObject({ parent: { invocationId: turn.id, round: 0 } });
    await client.answer(background, { result: 'open' });
    await eventually(async () => (await messagesOf('own')).at(-1)?.content === 'It is open.');
    const messages = await messagesOf('own');
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'observation',
      'assistant',
      'event',
      'assistant',
    ]);
    expect(messages[4]?.content).toContain('Result: open');
    await eventually(async () => (await turnsOf('own')).every(({ status }) => status === 'succeeded'));
    expect(await turnsOf('own')).toHaveLength(2);
  });

  it('The next round of a running turn reports the end of a background call, and then no other turn does', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    model.current.restart(({ last, messages }) => {
      if (last === 'Open the gate') return act('<test:gate/>');
      if (last === 'And now?') return { text: act('<core:echo><value>x</value></core:echo>'), after: held };
      const isTold = messages.some((message) => textOf(message).startsWith('tool.ended'));
      return isTold ? 'It is open.' : 'I have started.';
    });
    const first = await client.invoke(ask('next'));
    const second = await client.submit(ask('next', 'And now?'));
    await model.current.until(3);
    await client.answer(backgroundOf(first), { result: 'open' });
    await eventually(async () => (await messagesOf('next')).some(({ role }) => role === 'event'));
    release();
    expect(await client.untilEnded(second)).toMatchObject({ result: 'It is open.' });
    const turns = await eventually(async () => {
      const all = await turnsOf('next');
      return all.length === 3 && all.every(({ status }) => status === 'succeeded') && all;
    });
    expect(turns.map(({ result }) => result)).toContain(null);
    expect(model.current.requests).toHaveLength(4);
  });

  it('A background call that fails is reported with its error', async () => {
    // The call may end before or after the next round of the turn.
    model.current.restart(({ last, messages }) => {
      const told = messages.map(textOf).find((text) => text.startsWith('tool.ended'));
      if (told !== undefined) return `Told: ${told}`;
      return last.startsWith('Observation') ? 'I have started.' : act('<test:fail/>');
    });
    await client.invoke(ask('fails'));
    const report = await eventually(async () =>
      (await messagesOf('fails')).find(({ content }) => content.startsWith('Told')),
    );
    expect(report.content).toContain('no such luck');
  });
});
