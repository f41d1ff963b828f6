import type { Json, JsonObject } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import { findLookalikes } from './find-templates.js';
import { MAX_INSERTED } from './resolve-templates.js';
import {
  checkTemplates,
  containsTemplate,
  findTemplates,
  isTemplate,
  jobsReferredTo,
  plainArguments,
  resolveTemplates,
  showLiterals,
  stepsReferredTo,
  validateTemplatedArguments,
} from '../index.js';

const JOB = 'inv_00000000000000000000000000';

describe('findTemplates', () => {
  it.each<[string, unknown]>([
    ['{{steps.1}}', { steps: 1, path: [] }],
    ['{{steps.2.result}}', { steps: 2, path: [] }],
    ['{{ steps.2.result.a.0.b-c }}', { steps: 2, path: ['a', '0', 'b-c'] }],
    ['{{steps.2.result[0].a}}', { steps: 2, path: ['0', 'a'] }],
    [`{{job:${JOB}}}`, { job: JOB, path: [] }],
    [`{{job:${JOB}.a.b}}`, { job: JOB, path: ['a', 'b'] }],
  ])('The template %s is found', (text, template) => {
    expect(findTemplates(text)).toEqual([{ start: 0, end: text.length, text, template }]);
    expect(isTemplate(text)).toBe(true);
  });

  it.each(['{{ steps . 1 . result }}', '{{\nsteps.1.result\n}}', '{{\tsteps.1 }}', `{{ job : ${JOB} }}`])(
    'Blanks inside the braces of a template are ignored: %j',
    (text) => {
      expect(isTemplate(text)).toBe(true);
      expect(findTemplates(text)[0]!.template).not.toHaveProperty('problem');
    },
  );

  it.each([
    '{{steps.1.path}}',
    '{{steps.1.result..a}}',
    '{{steps.1.result.first name}}',
    '{{steps.1.result | upper}}',
    '{{steps.1|upper}}',
    '{{steps.99999999999}}',
    '{{job:inv_}}',
    '{{job:inv_x y}}',
    `{{steps.1${' '.repeat(3_000)}}}`,
  ])('A template that cannot be read has a problem: %s', (text) => {
    expect(findTemplates(text)).toEqual([expect.objectContaining({ template: { problem: expect.any(String) } })]);
  });

  const LITERAL = [
    '{{name}}',
    '{{ anything }}',
    '{{stepsize}}',
    '{steps.1}',
    '{{ user.steps.1 }}',
    '{{jobs}}',
    '{{job.title}}',
    '{{ steps }}',
    '{{steps}}',
    '${{ steps.meta.outputs.tags }}',
    '${{steps.meta.outputs.tags}}',
    '{{ stepper.1 }}',
  ];
  it.each(LITERAL)('Text of another template language is literal and gives no warning: %s', (text) => {
    expect(findTemplates(text)).toEqual([]);
    expect(findLookalikes(text)).toEqual([]);
  });

  it.each([
    '{{steps.one}}',
    '{{ steps.length }}',
    '{{steps.}}',
    '{{steps.-1}}',
    '{{steps.1st}}',
    '{{steps.1.result}',
    '{{steps.1',
    '{{steps.1.result.{x}}}',
    '{{steps[1].result}}',
    '{{Steps.1.result}}',
    '{{step.1.result}}',
    '{{steps1.result}}',
    '{{steps 1}}',
    '{{job:nope}}',
    '{{job:}}',
    '{{ job: x }}',
    `{{jobs:${JOB}}}`,
    `{{${JOB}}}`,
    '{steps.1.result}',
    `{job:${JOB}}`,
    '｛｛steps.1.result｝｝',
  ])('Text that resembles a template is literal and gives a warning: %s', (text) => {
    expect(findTemplates(text)).toEqual([]);
    expect(findLookalikes(`a ${text} b`)).toHaveLength(1);
    const { problems, warnings } = checkTemplates([{ arguments: { a: text } }]);
    expect({ problems, warnings }).toEqual({
      problems: [],
      warnings: [{ call: 0, path: '/a', message: expect.stringContaining('is not a template') }],
    });
  });

  it('A template does not count as its own lookalike', () => {
    expect(findLookalikes(`{{steps.1.result}} {{ job:${JOB} }} {{{steps.1}}} \\{{steps.1}}`)).toEqual([]);
  });

  it('A backslash makes a template literal text', () => {
    expect(findTemplates('a \\{{steps.1}} \\\\{{steps.2}} {{steps.3}}').map(({ template }) => template)).toEqual([
      { literal: '{{steps.1}}' },
      { literal: '{{steps.2}}' },
      { steps: 3, path: [] },
    ]);
    expect(isTemplate('\\{{steps.1}}')).toBe(false);
    expect(containsTemplate({ a: ['\\{{steps.1}}'] })).toBe(true);
    expect(stepsReferredTo({ a: '\\{{steps.1}}' })).toEqual([]);
  });

  it('The search for templates takes linear time', () => {
    for (const part of ['{{steps.1', '{{ ', '{{steps.1.result}', '\\{{', '{{steps.1 ', '{{{{', '｛'])
      expect(findTemplates(part.repeat(200_000))).toEqual([]);
    expect(findLookalikes('{{steps.'.repeat(100_000))).toHaveLength(100_000);
  });

  it('Templates are found in nested values', () => {
    expect(containsTemplate({ a: [{ b: 'x {{steps.1}} y' }] })).toBe(true);
    expect(containsTemplate({ a: [{ b: 'x', c: 1, d: null }] })).toBe(false);
    expect(stepsReferredTo({ a: '{{steps.2}} {{steps.1}}', b: ['{{steps.2.result.x}}'] })).toEqual([1, 0]);
    expect(jobsReferredTo({ a: `{{job:${JOB}.x}}` })).toEqual([JOB]);
  });
});

function calls(...values: Json[]) {
  return values.map((value) => ({ arguments: { a: value } }));
}

describe('checkTemplates', () => {
  it.each<[string, string]>([
    ['{{steps.0}}', 'names a step that does not exist'],
    ['{{steps.3}}', 'names a step that does not exist'],
    ['{{steps.2}}', 'only an earlier step'],
    ['{{steps.1.x}}', 'must read'],
  ])('The template %s is refused in the second of two calls', (template, message) => {
    expect(checkTemplates(calls('', [template])).problems).toEqual([
      { kind: 'invalid_parameters', call: 1, path: '/a/0', message: expect.stringContaining(message) },
    ]);
  });

  it('A path that contradicts the output schema is refused', () => {
    const output = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    };
    const problems = (path: string) =>
      checkTemplates(calls('', `{{steps.1.result.${path}}}`), [output, undefined]).problems;
    expect(problems('list.0')).toEqual([]);
    expect(problems('lisd')).toEqual([expect.objectContaining({ message: expect.stringContaining("no 'lisd'") })]);
    expect(problems('list.0.x')).toEqual([expect.objectContaining({ message: expect.stringContaining("no 'x'") })]);
  });

  it('A path that only the run can check is accepted', () => {
    expect(checkTemplates(calls('', `{{steps.1.result.any}} {{job:${JOB}.x}}`))).toEqual({
      problems: [],
      warnings: [],
    });
  });

  it('A template behind a backslash is accepted with a warning that it is text', () => {
    expect(checkTemplates(calls('', 'a \\{{steps.9}}'))).toEqual({
      problems: [],
      warnings: [{ call: 1, path: '/a', message: expect.stringContaining('is text, not a template') }],
    });
  });

  it('A template in a property name is text, with a warning', () => {
    const { problems, warnings } = checkTemplates(calls({ '{{steps.1.result}}': { '\\{{steps.1}}': 1 } }));
    expect(problems).toEqual([]);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('is in a name'),
      expect.stringContaining('is in a name'),
    ]);
  });
});

describe('resolveTemplates', () => {
  const results: Json[] = [{ n: 5, list: [1, 2], text: '{{steps.1}}', none: null }, 'words'];
  const lookup = { step: (index: number) => results[index]!, job: () => ({ result: { x: true }, y: 1 }) };
  const resolve = async (value: Json) => (await resolveTemplates({ value }, lookup)).value;

  it.each<[string, Json, Json]>([
    ['a whole template takes the value with its type', '{{steps.1.result.n}}', 5],
    ['a list stays a list', '{{steps.1.result.list}}', [1, 2]],
    ['null stays null', '{{steps.1.result.none}}', null],
    ['a path reads an element of a list', '{{steps.1.result.list.1}}', 2],
    ['a string inside other text stays unchanged', 'say {{steps.2}}!', 'say words!'],
    [
      'any other value inside text becomes JSON',
      'got {{steps.1.result.list}} and {{steps.1.result.n}}',
      'got [1,2] and 5',
    ],
    ['an inserted value is not searched again', '{{steps.1.result.text}}', '{{steps.1}}'],
    ['templates in nested values are resolved', [{ a: '{{steps.2}}' }], [{ a: 'words' }]],
    ['an escaped template loses its backslash', '\\{{steps.1.result}}', '{{steps.1.result}}'],
    ['only one backslash is lost', '\\\\{{steps.1.result}}', '\\{{steps.1.result}}'],
    ['a backslash before other text stays', '\\{{name}} \\{{steps.x}} C:\\', '\\{{name}} \\{{steps.x}} C:\\'],
    ['literals and templates in one text', '\\{{steps.2}} is {{steps.2}}', '{{steps.2}} is words'],
    ['literals in nested values', { a: ['\\{{steps.2}}'] }, { a: ['{{steps.2}}'] }],
    ['property names stay', { '\\{{steps.2}}': 1, '{{steps.2}}': 2 }, { '\\{{steps.2}}': 1, '{{steps.2}}': 2 }],
    ['text of other template languages stays', '${{ steps.meta.x }} {{ steps }}', '${{ steps.meta.x }} {{ steps }}'],
    ['a job', `{{job:${JOB}.y}}`, 1],
    ['a job whose result has a property result', `{{job:${JOB}.result.x}}`, true],
  ])('A template is resolved correctly: %s', async (_name, value, expected) => {
    expect(await resolve(value)).toEqual(expected);
  });

  it('The results in the arguments of one call are bounded together', async () => {
    const step = () => 'x'.repeat(MAX_INSERTED / 2 + 1);
    const both = { step, job: step };
    await expect(resolveTemplates({ value: '{{steps.1.result}}' }, both)).resolves.toBeDefined();
    for (const value of [['{{steps.1.result}}', '{{steps.1.result}}'], `{{steps.1.result}} {{job:${JOB}}}`])
      await expect(resolveTemplates({ value }, both)).rejects.toMatchObject({
        type: 'ResourceLimitError',
        details: { limit: 'inserted', inserted: MAX_INSERTED },
      });
  });

  it('Arguments without a template are resolved without a promise, and others are not', async () => {
    const plain = JSON.parse('{"a":"{{x}}","__proto__":{"b":[1]}}') as JsonObject;
    expect(plainArguments(plain)).toEqual(await resolveTemplates(plain, { step: () => 1, job: () => 1 }));
    expect(Object.getPrototypeOf(plainArguments(plain))).toBeNull();
    for (const text of ['{{steps.1}}', '\\{{steps.1}}', `{{job:${JOB}}}`])
      expect(plainArguments({ a: 1, b: [{ c: text }] })).toBeUndefined();
  });

  it('A dry run shows escaped templates without their backslash, and templates unchanged', () => {
    const args: JsonObject = { a: '\\{{steps.1}} {{steps.2}}', b: [{ c: '\\{{steps.1}}' }], d: 1 };
    expect(showLiterals(args)).toEqual({ a: '{{steps.1}} {{steps.2}}', b: [{ c: '{{steps.1}}' }], d: 1 });
  });

  it('A path into the result of a job may begin with `result`, as for steps', async () => {
    const resolved = await resolveTemplates({ value: `{{job:${JOB}.result.0}}` }, { ...lookup, job: () => ['a'] });
    expect(resolved.value).toBe('a');
  });

  it.each([
    '{{steps.1.result.nope}}',
    '{{steps.2.result.length}}',
    '{{steps.1.result.constructor}}',
    '{{steps.1.result.list.9}}',
  ])('A template with an unknown path fails: %s', async (template) => {
    await expect(resolve(template)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining('leads nowhere'),
    });
  });
});

describe('validateTemplatedArguments', () => {
  const tools = toolLookupOf([
    {
      toolId: 't',
      parameters: {
        type: 'object',
        properties: {
          n: { type: 'integer' },
          color: { enum: ['red'] },
          o: { type: 'object', properties: { n: { type: 'integer' } } },
        },
        required: ['n'],
      },
    },
  ]);
  const problems = (args: Record<string, Json>) =>
    validateTemplatedArguments(tools, tools.find('t')!, args).problems.map(({ path }) => path);

  it('Values that contain templates are not validated', () => {
    expect(problems({ n: '{{steps.1}}', color: 'x{{steps.1}}', o: { n: '{{steps.1.result.n}}' } })).toEqual([]);
  });

  it('Values without templates are still validated', () => {
    expect(problems({ color: '{{steps.1}}', nope: '{{steps.1}}', o: { n: 'x' } }).toSorted()).toEqual([
      '/n',
      '/nope',
      '/o/n',
    ]);
  });
});
