import type { JsonObject, StoredWorkflow } from '@errand/contracts';
import { load } from '../../test/write-library.js';

const calling = (configValues: JsonObject): StoredWorkflow => ({
  nodes: [{ id: 't', type: 'core:tool', configValues }],
  edges: [],
});

test('A workflow that calls an unknown tool is reported but still loads', async () => {
  const registry = await load({
    'workflows/gone.json': calling({ toolId: 'core:mth' }),
    'workflows/none.json': calling({}),
    'workflows/old.json': calling({ toolId: 'core:math@^2' }),
    'workflows/there.json': calling({ toolId: 'core:math@^1' }),
  });
  const field = 'nodes[0].configValues.toolId';
  expect(registry.problems()).toMatchObject([
    { field, suggestion: 'core:math', message: expect.stringContaining("There is no tool 'core:mth'") },
    { message: expect.stringContaining("The node 't' names no tool") },
    { field, suggestion: 'core:math@1.0.0', line: expect.any(Number) },
  ]);
  expect([...registry.workflows.keys()]).toEqual(['gone', 'none', 'old', 'there', 'core:deliberate']);
});
