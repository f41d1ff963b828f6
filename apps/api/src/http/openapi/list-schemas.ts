import { STATUSES } from '@errand/contracts';
import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { list, object, PARTIAL, ref, text, whole } from './schema-terms.js';

const { queue: _, ...listed } = INVOCATION_SCHEMAS.Invocation.properties;
const { properties: waiting, required } = INVOCATION_SCHEMAS.Waiting;

/** The fields of a row that are those of an item. */
const SAME = ['id', 'status', 'createdAt', 'startedAt', 'finishedAt', 'agent', 'session', 'progress'] as const;
const sameAsItem = Object.fromEntries(SAME.map((name) => [name, listed[name] ?? text]));
const textOrNull = { type: ['string', 'null'] };
const ROW = {
  toolIds: list(text),
  steps: object({ total: whole, done: whole }),
  attempts: whole,
  errorType: textOrNull,
  errorMessage: textOrNull,
  waitingFor: {
    ...textOrNull,
    description:
      'What an open invocation waits for: an answer, a script-runner, or a queue that starts no job. For people',
  },
  retryOf: { ...textOrNull, description: 'The invocation that it retries' },
};

/** Lists of invocations. */
export const LIST_SCHEMAS = {
  InvocationList: object(
    {
      items: list({ anyOf: [ref('InvocationItem'), ref('InvocationRow')] }),
      nextCursor: { type: ['string', 'null'] },
      count: { ...ref('InvocationCount'), description: 'Given with `count=true`' },
      ...PARTIAL,
    },
    ['items', 'nextCursor'],
  ),
  InvocationItem: {
    description: 'An invocation of a list. `steps`, `calls` and `observation` are absent unless `fields` names them',
    ...object({ ...listed, waiting: ref('Question') }, ['id']),
  },
  InvocationRow: {
    description: 'An item with `view=row`: at most 2 KiB of JSON. A cut text ends in `…`',
    ...object({ ...sameAsItem, ...ROW }, [...SAME, ...Object.keys(ROW)]),
  },
  InvocationCounts: object(
    {
      counts: object(Object.fromEntries(STATUSES.map((status) => [status, whole]))),
      approximate: {
        type: 'boolean',
        description: '`true`: the numbers are lower bounds, because only a part of the invocations was looked at',
      },
      at: { ...text, format: 'date-time' },
      ...PARTIAL,
    },
    ['counts', 'approximate', 'at'],
  ),
  InvocationCount: object({
    value: { ...whole, minimum: 0, maximum: 10_000 },
    exact: { type: 'boolean', description: '`false`: more than `value` match, or can match' },
  }),
  Question: {
    description: 'The question of an invocation that is `waiting_external`',
    ...object(
      {
        ...waiting,
        step: whole,
        nodeId: text,
        promptTruncated: {
          ...object({ total: whole }),
          description:
            '`prompt` has the beginning of its text only; `total` is the length of the whole text in characters',
        },
      },
      [...required, 'step'],
    ),
  },
} satisfies Record<string, object>;
