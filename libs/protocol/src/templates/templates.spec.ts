import type { Json } from '@errand/contracts';
import { toolBookOf } from '@errand/registry';
import {
  checkTemplates,
  containsTemplate,
  findTemplates,
  isTemplate,
  jobsReferredTo,
  resolveTemplates,
  stepsReferredTo,
  validateArguments,
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
  ])('reads %s', (text, template) => {
    expect(findTemplates(text)).toEqual([{ start: 0, end: text.length, text, template }]);
    expect(isTemplate(text)).toBe(true);
  });

  it.each([
    '{{steps.one}}',
    '{{steps.1.path}}',
    '{{steps.1.result..a}}',
    '{{steps.}}',
    '{{job:nope}}',
    '{{job:}}',
    '{{steps.1',
  ])('says what is wrong with %s', (text) => {
    expect(findTemplates(text)).toEqual([expect.objectContaining({ template: { problem: expect.any(String) } })]);
  });

  it.each(['{{name}}', '{{stepsize}}', '{steps.1}', '{{ user.steps.1 }}', '{{jobs}}'])(
    'leaves %s to other template languages',
    (text) => {
      expect(findTemplates(text)).toEqual([]);
    },
  );

  it('finds them in nested values', () => {
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
    ['{{steps.0}}', 'names a step that there is not'],
    ['{{steps.3}}', 'names a step that there is not'],
    ['{{steps.2}}', 'only an earlier step'],
    ['{{steps.x}}', 'must read'],
  ])('refuses %s in the second of two calls', (template, message) => {
    expect(checkTemplates(calls('', [template]))).toEqual([
      { kind: 'invalid_parameters', call: 1, path: '/a/0', message: expect.stringContaining(message) },
    ]);
  });

  it('refuses a path that the output schema rules out', () => {
    const output = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string' } } },
      additionalProperties: false,
    };
    const problems = (path: string) => checkTemplates(calls('', `{{steps.1.result.${path}}}`), [output, undefined]);
    expect(problems('list.0')).toEqual([]);
    expect(problems('lisd')).toEqual([expect.objectContaining({ message: expect.stringContaining("no 'lisd'") })]);
    expect(problems('list.0.x')).toEqual([expect.objectContaining({ message: expect.stringContaining("no 'x'") })]);
  });

  it('accepts what can only be known later', () => {
    expect(checkTemplates(calls('', `{{steps.1.result.any}} {{job:${JOB}.x}}`))).toEqual([]);
  });
});

describe('resolveTemplates', () => {
  const results: Json[] = [{ n: 5, list: [1, 2], text: '{{steps.1}}', none: null }, 'words'];
  const lookup = { step: (index: number) => results[index]!, job: () => ({ result: { x: true }, y: 1 }) };
  const resolve = async (value: Json) => (await resolveTemplates({ value }, lookup)).value;

  it.each<[string, Json, Json]>([
    ['a whole template takes the value with its type', '{{steps.1.result.n}}', 5],
    ['a list is a list', '{{steps.1.result.list}}', [1, 2]],
    ['null is null', '{{steps.1.result.none}}', null],
    ['an element of a list', '{{steps.1.result.list.1}}', 2],
    ['inside other text a string is as it is', 'say {{steps.2}}!', 'say words!'],
    [
      'inside other text anything else is JSON',
      'got {{steps.1.result.list}} and {{steps.1.result.n}}',
      'got [1,2] and 5',
    ],
    ['what comes in is not searched again', '{{steps.1.result.text}}', '{{steps.1}}'],
    ['nested values', [{ a: '{{steps.2}}' }], [{ a: 'words' }]],
    ['a job', `{{job:${JOB}.y}}`, 1],
    ['a job whose result has a property result', `{{job:${JOB}.result.x}}`, true],
  ])('%s', async (_name, value, expected) => {
    expect(await resolve(value)).toEqual(expected);
  });

  it('a job’s result may be said, as for steps', async () => {
    const resolved = await resolveTemplates({ value: `{{job:${JOB}.result.0}}` }, { ...lookup, job: () => ['a'] });
    expect(resolved.value).toBe('a');
  });

  it.each([
    '{{steps.1.result.nope}}',
    '{{steps.2.result.length}}',
    '{{steps.1.result.constructor}}',
    '{{steps.1.result.list.9}}',
  ])('a path that leads nowhere fails: %s', async (template) => {
    await expect(resolve(template)).rejects.toMatchObject({
      type: 'ParameterValidationError',
      message: expect.stringContaining('leads nowhere'),
    });
  });
});

describe('validateArguments', () => {
  const tools = toolBookOf([
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
    validateArguments(tools, tools.find('t')!, args).problems.map(({ path }) => path);

  it('leaves templated values alone, wherever they are', () => {
    expect(problems({ n: '{{steps.1}}', color: 'x{{steps.1}}', o: { n: '{{steps.1.result.n}}' } })).toEqual([]);
  });

  it('still finds the rest', () => {
    expect(problems({ color: '{{steps.1}}', nope: '{{steps.1}}', o: { n: 'x' } }).toSorted()).toEqual([
      '/n',
      '/nope',
      '/o/n',
    ]);
  });
});
