import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useScriptedModel, type Answer } from '../../../test/support/scripted-model.js';
import { useStack } from '../../../test/support/start-stack.js';
import { runErrand, userOf } from './run-errand.js';

const model = useScriptedModel();
const stack = useStack({
  with: ['worker'],
  library: {
    'agents/guide.json': {
      id: 'guide',
      tool_ids_inventory: ['core:math', 'core:external'],
      core_deliberation_workflow_id: 'core:deliberate',
    },
    'agents/judge.json': {
      id: 'judge',
      tool_ids_inventory: [],
      core_deliberation_workflow_id: 'core:deliberate',
      output: { type: 'object', properties: { fair: { type: 'boolean' } }, required: ['fair'] },
    },
  },
});
const { home, surroundings, errand, errandReading, startedErrand } = userOf(stack);

const call = (tool: string, fields: string) => `<ACTION><${tool}>${fields}</${tool}></ACTION>`;
const SUM = call('core:math', '<op>add</op><a>1</a><b>2</b>');
const play = (...answers: (Answer | string)[]) => model.current.restart(answers);
const lastMessages = () => model.current.requests.map(({ last }) => last);

describe('./errand agent', () => {
  it('The text is printed as it is, and calls with their ends are lines', async () => {
    play({ text: ['I ', `add.\n${SUM}`] }, { text: ['It is ', '3.'] });
    const { status, stdout, stderr } = await startedErrand('agent', 'guide', 'What is', '1 + 2?');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'I add.\nIt is 3.\n' });
    expect(stderr).toContain('→ core:math {"op":"add","a":1,"b":2}');
    expect(stderr).toContain('← core:math succeeded: 3');
    expect(stderr).toMatch(/To continue this conversation: \.\/errand agent guide --session ses_\w+/);
    expect(lastMessages()[0]).toBe('What is 1 + 2?');
  });

  it('Each line of stdin is a message of one conversation', async () => {
    play('one', 'two');
    const started = { ...surroundings(), stdin: 'first\n\nsecond\n' };
    const { status, stdout } = await runErrand(['agent', 'guide', '--session', 'talk'], started);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'one\ntwo\n' });
    const contents = model.current.requests[1]?.messages.slice(1).map(({ content }) => content);
    expect(contents).toEqual(['first', 'one', 'second']);
  });

  it('Client tools are answered from the keyboard, with JSON, a text or an error', async () => {
    const file = join(home(), 'tools.json');
    const parameters = { type: 'object', properties: { name: { type: 'string' } } };
    writeFileSync(file, JSON.stringify([{ name: 'colour', parameters, output: { type: 'object' } }]));
    const colour = call('colour', '<name>sky</name>');
    play(`Look.\n${colour}`, `Again.\n${colour}`, 'Done.');
    const answers = 'blue\n{"rgb": [0, 0, 255]}\n!I cannot see it\n';
    const { status, stdout, stderr } = await errandReading(answers, 'agent', 'guide', '--tools', file, 'Which colour?');
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'Look.\nAgain.\nDone.\n' });
    expect(stderr).toContain('? colour {"name":"sky"}');
    // The first answer does not fit the output of the tool.
    expect(stderr).toContain('Refused');
    expect(stderr).toContain('← colour succeeded: {"rgb":[0,0,255]}');
    expect(lastMessages()[1]).toContain('{"rgb":[0,0,255]}');
    expect(lastMessages()[2]).toContain('I cannot see it');
  });

  it('A turn that waits at the end of the input goes on waiting, with exit code 1', async () => {
    play(`Ask.\n${call('core:external', '<prompt>May I?</prompt>')}`);
    const { status, stderr } = await errand('agent', 'guide', 'Ask somebody');
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/\? core:external May I\?[^]*The turn waits for an answer.*\.\/errand get inv_/),
    });
  });

  it('An answer that is a value is printed as JSON', async () => {
    play('{"fair": true}');
    expect(await errand('agent', 'judge', 'Fair?')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('{"fair":true}'),
    });
  });

  it('A failed turn has exit code 1 and names the error', async () => {
    play({ status: 400, message: 'no such model' });
    const { status, stderr } = await errand('agent', 'guide', 'Hi');
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('no such model') });
  });

  it('With --json each event is one line', async () => {
    play('one');
    const { status, stdout } = await errand('agent', 'guide', '--json', 'Hi');
    const events = stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as { event: string }); // prettier-ignore
    expect(status).toBe(0);
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['round', 'text']));
    expect(events.at(-1)).toMatchObject({ event: 'end', invocation: { result: 'one' } });
  });

  it('Control characters of a model do not reach the terminal', async () => {
    play('red \u001b[31m');
    expect((await errand('agent', 'guide', 'Hi')).stdout).toBe(String.raw`red \x1b[31m` + '\n');
  });

  it.each<[string[], number, string]>([
    [['gide', 'Hi'], 4, "did you mean 'agent:guide'"],
    [['guide', '--json'], 2, '--json runs one turn'],
    [['guide', '--tools', 'nowhere.json', 'Hi'], 2, 'does not exist'],
    [[], 2, 'id'],
  ])('The words %j are refused with exit code %i', async (words, exitCode, message) => {
    const { status, stderr } = await errand('agent', ...words);
    expect({ status, stderr }).toEqual({ status: exitCode, stderr: expect.stringContaining(message) });
  });
});
