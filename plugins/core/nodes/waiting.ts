import { setTimeout } from 'node:timers/promises';
import { defineNode } from './define-node.js';
import { isObject, ToolError, type Json, type JsonSchema } from '@errand/contracts';

/** The longest timer of the runtime. */
const LONGEST_MS = 2 ** 31 - 1;

export const delay = defineNode({
  type: 'core:delay',
  displayName: 'Delay',
  effects: 'none',
  description: 'Waits for a number of milliseconds and then returns its value.',
  inputs: {
    ms: {
      dataFlowType: 'INTEGER',
      required: true,
      description: 'How long to wait, in milliseconds',
      min: 0,
      max: LONGEST_MS,
    },
    value: { dataFlowType: 'WILDCARD', description: 'Any JSON value to pass on' },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The value, or null' } },
  bypassBehavior: { passThrough: { value: 'value' } },
  async run({ ms, value }, { signal }) {
    return { value: await setTimeout(ms, value ?? null, { signal }) };
  },
});

const LONGEST_WAIT_MS = 366 * 86_400_000;

export const wait = defineNode({
  type: 'core:wait',
  displayName: 'Wait',
  effects: 'none',
  description:
    'Waits, up to a year, and then returns its value. It uses no resources meanwhile and survives restarts. For waits below a second use core:delay.',
  inputs: {
    ms: {
      dataFlowType: 'INTEGER',
      required: true,
      description: 'How long to wait, in milliseconds',
      min: 0,
      max: LONGEST_WAIT_MS,
    },
    value: { dataFlowType: 'WILDCARD', description: 'Any JSON value to pass on' },
  },
  outputs: { value: { dataFlowType: 'WILDCARD', description: 'The value, or null' } },
  bypassBehavior: { passThrough: { value: 'value' } },
  async run({ ms, value }, { park }) {
    await park({ for: 'time', ms });
    return { value: value ?? null };
  },
});

export const external = defineNode({
  type: 'core:external',
  displayName: 'External',
  effects: 'idempotent',
  description:
    'Asks somebody outside (a person, or a tool of the client) and waits for the answer, which is its result. It uses no resources meanwhile and survives restarts.',
  inputs: { prompt: { dataFlowType: 'WILDCARD', description: 'The question, a text or any JSON' } },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The answer' } },
  // A bypassed node asks nobody, so its question must not become the answer.
  bypassBehavior: {},
  config: {
    timeoutMs: {
      type: 'integer',
      minimum: 1,
      description: 'How long to wait for the answer, in milliseconds; then it fails',
    },
    schema: {
      type: ['object', 'boolean'],
      description:
        'The JSON Schema (2020-12) of the answer; an answer that does not fit is refused, and the node waits on',
    },
  },
  schemaSetting: 'schema',
  async run({ prompt }, { config: { timeoutMs, schema }, park }) {
    if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && Number(timeoutMs) > 0))
      throw new ToolError(
        'ParameterValidationError',
        `the setting 'timeoutMs' must be a whole number above 0, got ${JSON.stringify(timeoutMs)}`,
      );
    const answer = await park({
      for: 'answer',
      ...(timeoutMs !== undefined && { timeoutMs: Number(timeoutMs) }),
      ...(prompt !== undefined && { prompt }),
      ...(isSchema(schema) && { schema }),
    });
    return { result: answer ?? null };
  },
});

function isSchema(value: Json | undefined): value is JsonSchema | boolean {
  return typeof value === 'boolean' || isObject(value);
}
