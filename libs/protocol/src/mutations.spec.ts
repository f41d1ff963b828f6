import { toolLookupOf } from '@errand/registry';
import { KINDS, textOf } from '../test/mutants.js';
import { BLOCKS } from '../test/valid-blocks.js';
import { parse } from './index.js';

const tools = toolLookupOf([
  {
    toolId: 'write',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { type: 'integer' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
  },
  {
    toolId: 'move',
    parameters: {
      type: 'object',
      properties: {
        to: { type: 'object', properties: { x: { type: 'integer' }, name: { type: 'string' } } },
        by: { type: 'string' },
      },
    },
  },
  { toolId: 'ping', parameters: { type: 'object', properties: { note: { type: 'string' } } } },
]);

/** The calls as text. Blanks inside the braces of a template are ignored. */
function written(calls: unknown): string {
  return JSON.stringify(calls).replace(/\{\{[^{}]*\}\}/g, (template) => template.replaceAll(' ', ''));
}

describe.each(Object.entries(KINDS))(
  'Mutants of a valid block (%s) keep its calls or give an error or a warning',
  (kind, mutantsOf) => {
    const counts: Record<string, Record<'same' | 'error' | 'warning' | 'silent', number>> = {};

    it.each(Object.keys(BLOCKS))('No mutant of the block "%s" silently calls something else', (name) => {
      const original = parse(textOf(BLOCKS[name]!), { tools });
      expect([original.errors, original.warnings]).toEqual([[], []]);
      const count = (counts[name] = { same: 0, error: 0, warning: 0, silent: 0 });
      const silent: unknown[] = [];
      for (const mutant of mutantsOf(BLOCKS[name]!)) {
        const { calls, errors, observation } = parse(textOf(mutant), { tools });
        const isSame = written(calls) === written(original.calls);
        const isWarned = observation?.includes('Observation: Warning - ') === true;
        const ending = errors.length > 0 ? 'error' : isSame ? 'same' : isWarned ? 'warning' : 'silent';
        if (ending === 'silent')
          silent.push(`${textOf(mutant)} ${JSON.stringify(calls.map((call) => call.arguments))}`);
        count[ending]++;
      }
      expect(silent).toEqual([]);
    });

    afterAll(() => {
      const lines = Object.entries(counts).map(
        ([name, { same, error, warning }]) =>
          `${kind} of ${name}: ${same + error + warning} mutants, ${same} the same call, ${error} an error, ${warning} a warning`,
      );
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  },
);
