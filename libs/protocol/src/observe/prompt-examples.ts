import type { Call, JsonSchema } from '@errand/contracts';
import { writeAction } from '../action/write-action.js';
import { writeTam } from '../tam/write-tam.js';
import { observeProblems } from './observe.js';

export type BlockFormat = 'action' | 'tam';

/** A worked example of an answer of the model. */
interface PromptExample {
  title: string;
  text: string;
  /** The calls of the last block of the answer. */
  calls: Call[];
}

/** The invented tools of the examples. A test parses every example with them. */
export const EXAMPLE_TOOLS: Record<string, JsonSchema> = {
  'example:read_file': schema({ path: { type: 'string' }, max_lines: { type: 'integer' } }, ['path']),
  'example:search': schema({ words: { type: 'array', items: { type: 'string' } } }, ['words']),
  'example:plan_trip': schema(
    {
      traveller: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } } },
      stops: {
        type: 'array',
        items: { type: 'object', properties: { city: { type: 'string' }, nights: { type: 'integer' } } },
      },
    },
    ['stops'],
  ),
  'example:write_file': schema({ path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
};

function schema(properties: JsonSchema, required: string[]): JsonSchema {
  return { type: 'object', properties, required };
}

const READ: Call = { toolId: 'example:read_file', arguments: { path: 'notes/plan.md', max_lines: 20 } };
const SEARCH: Call = { toolId: 'example:search', arguments: { words: ['tide', 'moon'] } };
const TRIP: Call = {
  toolId: 'example:plan_trip',
  arguments: {
    traveller: { name: 'Ada', age: 36 },
    stops: [
      { city: 'Turin', nights: 2 },
      { city: 'London', nights: 1 },
    ],
  },
};
const CODE = 'if (a < b && c > 0) {\n  return "<ok>";\n}\n';
const WRITE: Call = { toolId: 'example:write_file', arguments: { path: 'check.js', content: CODE } };

/** The examples for a prompt. If space is short, the last ones are dropped first. */
export function promptExamples(format: BlockFormat): PromptExample[] {
  const write = format === 'action' ? writeAction : writeTam;
  const example = (title: string, before: string, call: Call): PromptExample => ({
    title,
    text: `${before}\n${write([call])}`,
    calls: [call],
  });
  const verbatim = format === 'action' ? 'Text with < and &: CDATA' : 'Text of several lines: verbatim';
  return [
    example('A simple call', 'Let me read the file.', READ),
    correction(write),
    example('A list', 'I will search for both words.', SEARCH),
    example(verbatim, 'I write the file.', WRITE),
    example('Objects inside a list', 'Here is the plan.', TRIP),
    { title: 'Nothing to call', text: 'No tool is needed here: the answer is 42.', calls: [] },
  ];
}

function correction(write: (calls: readonly Call[]) => string): PromptExample {
  const { toolId } = READ;
  const wrong = write([{ toolId, arguments: { paths: 'notes/plan.md' } }]);
  const kind = 'invalid_parameters' as const;
  const problems = [{ kind, call: 0, path: '/paths', message: "Unknown parameter 'paths'", suggestion: 'path' }];
  const right: Call = { toolId, arguments: { path: 'notes/plan.md' } };
  const text = [wrong, observeProblems(problems, [right]), 'I correct the parameter.', write([right])].join('\n');
  return { title: 'Correcting oneself after an Observation', text, calls: [right] };
}
