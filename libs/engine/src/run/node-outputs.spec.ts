import type { JsonObject } from '@errand/contracts';
import { nodeType, options, statuses, TYPES, workflow, failure } from '../../test/workflow-kit.js';
import { runWorkflow } from './run-workflow.js';

describe('The outputs of a node', () => {
  it('A bypassed node passes on the first input that fits each output', async () => {
    const typed = nodeType('test:typed', [], () => ({ text: 'never' }), {
      inputs: { n: { dataFlowType: 'OBJECT' }, t: { dataFlowType: 'STRING' } },
      outputs: {
        text: { dataFlowType: 'STRING' },
        flag: { dataFlowType: 'BOOLEAN' },
        again: { dataFlowType: 'STRING' },
      },
    });
    const node = { id: 'n', type: 'test:typed', bypassed: true, inputValues: { n: {}, t: 'passed' } };
    const stored = workflow([node], ['n.text > out.text', 'n.flag > out.flag', 'n.again > out.again'], {
      outputs: ['text', 'flag', 'again'],
    });
    await expect(runWorkflow(stored, {}, options([typed]))).resolves.toEqual({
      text: 'passed',
      flag: false,
      again: '',
    });
  });

  it('A bypassed node follows the bypass rules of its type', async () => {
    const ruled = nodeType('test:ruled', ['a', 'b'], () => ({ value: 'never' }), {
      outputs: { value: { dataFlowType: 'WILDCARD' }, other: { dataFlowType: 'WILDCARD' } },
      bypassBehavior: { passThrough: { value: 'b' }, defaults: { other: 'set' } },
    });
    const node = { id: 'n', type: 'test:ruled', bypassed: true, inputValues: { a: 1, b: 2 } };
    const stored = workflow([node], ['n.value > out.value', 'n.other > out.other'], { outputs: ['value', 'other'] });
    await expect(runWorkflow(stored, {}, options([ruled]))).resolves.toEqual({ value: 2, other: 'set' });
  });

  it('A muted node and its dependent nodes are skipped', async () => {
    const run = options(TYPES);
    const stored = workflow(
      [
        { id: 'a', type: 'test:fail', muted: true },
        { id: 'b', type: 'test:give' },
      ],
      ['a.value > b.value', 'b.value > out.b'],
      { outputs: ['b'] },
    );
    await expect(runWorkflow(stored, {}, run)).resolves.toEqual({ b: null });
    expect(statuses(run.events)).toEqual({ a: 'skipped', b: 'skipped' });
  });

  it.each<[string, any, RegExp]>([
    ['a text instead of an object', 'text', /did not return an object/],
    ['an unknown output', { valu: 1 }, /returned 'valu'.*did you mean 'value'/],
    ['a value that is not JSON', { value: { n: Number.NaN } }, /at \/value\/n is NaN/],
    ['a function', { value: () => 1 }, /is a function/],
    ['a class instance', { value: new Map() }, /is a Map/],
  ])('A node that returns %s fails with an OutputError', async (_what, returned, message) => {
    const type = nodeType('test:odd', [], () => returned);
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:odd' }], []), {}, options([type])));
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringMatching(message) });
  });

  it('A node that returns a circular value fails with an OutputError', async () => {
    const circular: JsonObject = {};
    circular.self = circular;
    const type = nodeType('test:deep', [], () => ({ value: circular }));
    const error = await failure(runWorkflow(workflow([{ id: 'n', type: 'test:deep' }], []), {}, options([type])));
    expect(error).toMatchObject({ type: 'OutputError', message: expect.stringMatching(/deeper than 64/) });
  });

  it('A node cannot change an input value for the others', async () => {
    const vandal = nodeType('test:vandal', ['list'], ({ list }) => {
      if (Array.isArray(list)) list.push('mine');
      return {};
    });
    const stored = workflow([{ id: 'n', type: 'test:vandal' }], ['in.list > n.list'], { inputs: ['list'] });
    const list = ['theirs'];
    expect((await failure(runWorkflow(stored, { list }, options([vandal]))))?.type).toBe('NodeError');
    expect(list).toEqual(['theirs']);
  });
});
