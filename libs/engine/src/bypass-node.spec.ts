import type { JsonObject, NodeType } from '@errand/contracts';
import { nodeType, options, workflow } from '../test/workflow-kit.js';
import { runWorkflow } from './index.js';

const ANY = { dataFlowType: 'WILDCARD' };
const TEXT = { dataFlowType: 'STRING' };

async function bypassed(type: NodeType, inputValues: JsonObject): Promise<JsonObject> {
  const outputs = Object.keys(type.outputs);
  const node = { id: 'n', type: type.type, bypassed: true, inputValues };
  const edges = outputs.map((output) => `n.${output} > out.${output}`);
  return runWorkflow(workflow([node], edges, { outputs }), {}, options([type]));
}

const typeWith = (more: Partial<NodeType>) => nodeType('test:n', [], () => ({}), more);

describe('a bypassed node', () => {
  it('A value that does not fit the type of an output is not handed on there.', async () => {
    const type = typeWith({ inputs: { any: ANY, text: TEXT }, outputs: { text: TEXT } });
    await expect(bypassed(type, { any: [1], text: 'passed' })).resolves.toEqual({ text: 'passed' });
    await expect(bypassed(type, { any: [1] })).resolves.toEqual({ text: '' });
    await expect(bypassed(type, { any: 7 })).resolves.toEqual({ text: '7' });
  });

  it('An input with several connections hands on its first value.', async () => {
    const type = typeWith({ inputs: { all: { ...ANY, multi: true } }, outputs: { value: ANY } });
    await expect(bypassed(type, { all: ['a', 'b'] })).resolves.toEqual({ value: 'a' });
    await expect(bypassed(type, { all: [] })).resolves.toEqual({ value: null });
  });

  it('A rule with several inputs takes the first that has a value.', async () => {
    const type = typeWith({
      inputs: { a: ANY, b: ANY },
      outputs: { value: ANY },
      bypassBehavior: { passThrough: { value: ['a', 'b'] } },
    });
    await expect(bypassed(type, { b: 2 })).resolves.toEqual({ value: 2 });
    await expect(bypassed(type, { a: 1, b: 2 })).resolves.toEqual({ value: 1 });
  });

  it('A rule that names an unknown input hands on the default.', async () => {
    const type = typeWith({
      inputs: { constructor: ANY },
      outputs: { value: ANY },
      bypassBehavior: { passThrough: { value: 'toString' }, defaults: { value: 'default' } },
    });
    await expect(bypassed(type, {})).resolves.toEqual({ value: 'default' });
  });
});
