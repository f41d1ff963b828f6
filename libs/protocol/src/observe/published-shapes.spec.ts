import { join } from 'node:path';
import { checkWorkflow } from '@errand/engine';
import { loadRegistry, type Registry } from '@errand/registry';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { aliasOf } from './alias-of.js';
import { toToolDefinitions, type DefinitionFormat } from './tool-definitions.js';

const ROOT = join(__dirname, '../../../..');

/** The common requirements for a schema of arguments: an object at the top, and schemas as its properties. */
const ARGUMENTS = {
  type: 'object',
  properties: {
    type: { const: 'object' },
    properties: { type: 'object', additionalProperties: { type: 'object' } },
    required: { type: 'array', items: { type: 'string' } },
  },
  required: ['type', 'properties'],
};
const name = (length: number) => ({ type: 'string', pattern: `^[a-zA-Z0-9_-]{1,${length}}$` });
const closed = (properties: object, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/**
 * The published shapes of tool definitions: OpenAI's chat completions (`tools[]`), Anthropic's messages (`tools[]`),
 * the Model Context Protocol's `tools/list` of 2025-06-18, and Errand's own catalogue.
 */
const SHAPES: Record<DefinitionFormat, object> = {
  openai: closed(
    {
      type: { const: 'function' },
      function: closed(
        { name: name(64), description: { type: 'string' }, parameters: ARGUMENTS, strict: { type: 'boolean' } },
        ['name'],
      ),
    },
    ['type', 'function'],
  ),
  anthropic: closed(
    { name: name(128), description: { type: 'string' }, input_schema: ARGUMENTS, type: { const: 'custom' } },
    ['name', 'input_schema'],
  ),
  mcp: closed(
    {
      name: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' },
      title: { type: 'string' },
      description: { type: 'string' },
      inputSchema: ARGUMENTS,
      outputSchema: ARGUMENTS,
      annotations: { type: 'object' },
      _meta: { type: 'object' },
    },
    ['name', 'inputSchema'],
  ),
  json: {
    type: 'object',
    properties: {
      toolId: { type: 'string' },
      version: { type: 'string' },
      description: { type: 'string' },
      parameters: { type: 'object' },
    },
    required: ['toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags'],
  },
};

let registry: Registry;
beforeAll(async () => {
  registry = await loadRegistry({
    folders: [join(ROOT, 'examples')],
    coreDir: join(ROOT, 'plugins/core'),
    checkWorkflow,
    aliasOf,
  });
});

describe.each(Object.entries(SHAPES) as [DefinitionFormat, object][])('The definitions for %s', (format, shape) => {
  it('The definition of every tool has the published shape', () => {
    const validate = new Ajv2020({ allErrors: true }).compile(shape);
    for (const definition of toToolDefinitions(registry.list(), format)) {
      expect({ definition, valid: validate(definition), errors: validate.errors }).toMatchObject({ valid: true });
    }
  });

  it('The name of every definition finds its tool', () => {
    const tools = registry.list();
    const names = toToolDefinitions(tools, format).map((definition) => {
      const {
        function: inner,
        name: own,
        toolId,
      } = definition as { function?: { name: string }; name?: string; toolId?: string };
      return inner?.name ?? own ?? toolId!;
    });
    expect(names.map((each) => registry.find(each)?.toolId)).toEqual(tools.map((tool) => tool.toolId));
  });
});
