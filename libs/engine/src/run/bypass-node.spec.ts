import type { JsonObject, NodeType } from '@errand/contracts';
import { nodeType, options, workflow } from '../../test/workflow-kit.js';
import { runWorkflow } from '../index.js';

const ANY = { dataFlowType: 'WILDCARD' };
const TEXT = { dataFlowType: 'STRING' };

async function bypassed(type: NodeType, inputValues: JsonObject): Promise<JsonObject> {
  const outputs = Object.keys(type.outputs);
  const node = { id: 'n', type: type.type, bypassed: true, inputValues };
  const edges = outputs.map((output) => `n.${output} > out.${output}`);
  return runWorkflow(workflow([node], edges, { outputs }), {}, options([type]));
}

const typeWith = (more: Partial<NodeType>) => nodeType('test:n', [], () => ({}), more);

describe('A bypassed node', () => {
  it('A bypassed node passes no value to an output whose type does not fit', async () => {
    const type = typeWith({ inputs: { any: ANY, text: TEXT }, outputs: { text: TEXT } });
    await expect(bypassed(type, { any: [1], text: 'passed' })).resolves.toEqual({ text: 'passed' });
    await expect(bypassed(type, { any: [1] })).resolves.toEqual({ text: '' });
    await expect(bypassed(type, { any: 7 })).resolves.toEqual({ text: '7' });
  });

  it('A bypassed node passes on the first value of an input with several connections', async () => {
    const type = typeWith({ inputs: { all: { ...ANY, multi: true } }, outputs: { value: ANY } });
    await expect(bypassed(type, { all: ['a', 'b'] })).resolves.toEqual({ value: 'a' });
    await expect(bypassed(type, { all: [] })).resolves.toEqual({ value: null });
  });

  it('A bypass rule with several inputs takes the first input that has a value', async () => {
    const type = typeWith({
      inputs: { a: ANY, b: ANY },
      outputs: { value: ANY },
      bypassBehavior: { passThrough: { value: ['a', 'b'] } },
    });
    await expect(bypassed(type, { b: 2 })).resolves.toEqual({ value: 2 });
    await expect(bypassed(type, { a: 1, b: 2 })).resolves.toEqual({ value: 1 });
  });

  it('A bypass rule that names an unknown input uses the default', async () => {
    const type = typeWith({
      inputs: { constructor: ANY },
      outputs: { value: ANY },
      bypassBehavior: { passThrough: { value: 'toString' }, defaults: { value: 'default' } },
    });
    await expect(bypassed(type, {})).resolves.toEqual({ value: 'default' });
  });
});
