import type { Json, StoredWorkflow } from '@errand/contracts';
import { toolOfWorkflow } from './workflow-tool.js';

const base: StoredWorkflow = { nodes: [], edges: [] };

test('Interface inputs become parameters', () => {
  const tool = toolOfWorkflow('draw', {
    ...base,
    name: 'Draw',
    description: 'Draws a picture',
    interfaceInputs: {
      prompt: {
        dataFlowType: 'STRING',
        required: true,
        description: 'what a node says',
        customDescription: 'What to draw',
      },
      size: {
        dataFlowType: 'STRING',
        matchCategories: ['ComboOption'],
        config: { suggestions: ['small', 'large'], default: 'small' },
      },
      style: { dataFlowType: 'STRING', config: { suggestions: ['oil', 'ink'] } },
      steps: { dataFlowType: 'INTEGER', min: 1, config: { max: 50, default: 20 } },
      strength: { dataFlowType: 'FLOAT', config: { min: 0, max: 1, default: null } },
      fast: { dataFlowType: 'BOOLEAN', config: { default: false } },
      options: { dataFlowType: 'OBJECT' },
      tags: { dataFlowType: 'ARRAY' },
      parts: { dataFlowType: 'STRING', multi: true, description: 'In order' },
      any: { dataFlowType: 'WILDCARD', required: false, config: { default: null } },
      convertible: { dataFlowType: 'CONVERTIBLE_ANY' },
      file: { dataFlowType: 'BINARY', description: 'A file' },
    },
  });
  expect(tool).toMatchObject({
    toolId: 'workflow:draw',
    displayName: 'Draw',
    description: 'Draws a picture',
    version: '1.0.0',
    kind: 'workflow',
  });
  expect(tool.parameters).toEqual({
    type: 'object',
    properties: {
      prompt: { type: 'string', description: 'What to draw' },
      size: { type: 'string', enum: ['small', 'large'], default: 'small' },
      style: { type: 'string' },
      steps: { type: 'integer', minimum: 1, maximum: 50, default: 20 },
      strength: { type: 'number', minimum: 0, maximum: 1 },
      fast: { type: 'boolean', default: false },
      options: { type: 'object' },
      tags: { type: 'array' },
      parts: { type: 'array', items: { type: 'string' }, description: 'In order' },
      any: { default: null },
      convertible: {},
      file: { description: 'A file' },
    },
    required: ['prompt'],
  });
});

test('The choices of an input are its distinct suggestions', () => {
  const choose = (suggestions: Json[]) =>
    toolOfWorkflow('w', {
      ...base,
      interfaceInputs: { a: { dataFlowType: 'STRING', matchCategories: ['ComboOption'], config: { suggestions } } },
    }).parameters.properties;
  expect(choose([])).toEqual({ a: { type: 'string' } });
  expect(choose(['x', 'y', 'x'])).toEqual({ a: { type: 'string', enum: ['x', 'y'] } });
  expect(choose([{ value: 'x', label: 'An x' }])).toEqual({ a: { type: 'string', enum: ['x'] } });
});

test('One output is the result itself, several outputs form an object, and each may be null', () => {
  const text = { dataFlowType: 'STRING', description: 'A text' };
  const schema = { type: ['string', 'null'], description: 'A text' };
  expect(toolOfWorkflow('w', { ...base, interfaceOutputs: { text } }).output).toEqual(schema);
  expect(
    toolOfWorkflow('w', { ...base, interfaceOutputs: { a: text, b: { dataFlowType: 'WILDCARD' } } }).output,
  ).toEqual({
    type: 'object',
    properties: { a: schema, b: {} },
  });
  expect(toolOfWorkflow('w', base)).not.toHaveProperty('output');
});

test('A workflow without a name, description or valid version gets defaults', () => {
  expect(toolOfWorkflow('w', { ...base, version: 'latest' })).toMatchObject({
    displayName: 'w',
    description: 'w',
    version: '1.0.0',
  });
  expect(toolOfWorkflow('w', { ...base, version: '2.1.0' }).version).toBe('2.1.0');
});
