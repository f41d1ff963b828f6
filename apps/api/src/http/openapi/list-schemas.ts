import { INVOCATION_SCHEMAS } from './invocation-schemas.js';
import { list, object, ref, text, whole } from './schema-terms.js';

const { queue: _, ...listed } = INVOCATION_SCHEMAS.Invocation.properties;
const { properties: waiting, required } = INVOCATION_SCHEMAS.Waiting;

/** Lists of invocations. */
export const LIST_SCHEMAS = {
  InvocationList: object(
    {
      items: list(ref('InvocationItem')),
      nextCursor: { type: ['string', 'null'] },
      count: { ...ref('InvocationCount'), description: 'Given with `count=true`' },
      partial: { const: true, description: 'Some shards did not answer: their invocations are missing' },
      missingShards: { ...list(text), description: 'The shards that are missing, with `partial`' },
    },
    ['items', 'nextCursor'],
  ),
  InvocationItem: {
    description: 'An invocation of a list. `steps`, `calls` and `observation` are absent unless `fields` names them',
    ...object({ ...listed, waiting: ref('Question') }, ['id']),
  },
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
