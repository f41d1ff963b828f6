import { STATUSES } from '@errand/contracts';
import { anything, free, list, object, ref, text, time, whole } from './schema-terms.js';

const ROUND_STATUSES = [...STATUSES, 'refused'];
const STATUS_OF_CALL = { enum: STATUSES };

/** Turns of agents. */
export const TURN_SCHEMAS = {
  Round: {
    description: 'One deliberation of a turn, and the run of its calls',
    ...object(
      {
        index: whole,
        status: { enum: ROUND_STATUSES, description: '`refused`: the answer of the model had errors; nothing ran' },
        text: { ...text, description: 'The whole text of the model' },
        reasoning: text,
        calls: list(ref('RoundCall')),
        native: { const: true, description: 'The calls came as tool calls of a model API' },
        invocationId: { ...text, description: 'The child invocation that runs the calls' },
        observation: text,
        warnings: list(text),
        usage: ref('Usage'),
        startedAt: time,
        finishedAt: time,
      },
      ['index', 'status', 'text', 'calls', 'startedAt', 'finishedAt'],
    ),
  },
  RoundCall: object(
    {
      callId: text,
      toolId: text,
      name: { ...text, description: 'The name that the model wrote, if it is another one' },
      arguments: free,
      status: STATUS_OF_CALL,
      result: anything,
      error: ref('Failure'),
      client: { const: true, description: 'The caller of the turn runs it' },
      background: { const: true, description: 'It does not hold the turn: `result` names the invocation that runs it' },
    },
    ['callId', 'toolId', 'arguments', 'status'],
  ),
  Usage: {
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'The numbers that the model API reports',
  },
} satisfies Record<string, object>;

/** An event with its fields. All of them are required, except the optional ones. */
type EventFields = [name: string, meaning: string, fields: Record<string, object>, optional?: string[]];

/** The events that only turns have. */
export const TURN_EVENTS: EventFields[] = [
  ['round', 'a round of a turn has a new status', { round: whole, status: { enum: ROUND_STATUSES } }],
  [
    'text',
    'the next piece of the text for people',
    { round: whole, messageId: text, delta: { ...text, description: 'Never a part of a block or of a thought' } },
  ],
  ['reasoning', 'the next piece of what the model thinks', { round: whole, messageId: text, delta: text }],
  [
    'call',
    'the model calls a tool',
    { round: whole, callId: text, toolId: text, arguments: free, invocationId: text, client: { type: 'boolean' } },
  ],
  [
    'called',
    'a call has ended',
    { round: whole, callId: text, status: STATUS_OF_CALL, result: anything, error: ref('Failure') },
    ['result', 'error'],
  ],
  [
    'state',
    'a state of the session has changed',
    { scope: { enum: ['world', 'private'] }, patch: { ...list(free), description: 'A JSON Patch (RFC 6902)' } },
  ],
  ['discard', 'the text of this message was broken off', { messageId: text }],
];
