import { CALLBACK_EVENTS, ERROR_TYPES, MESSAGE_FORMS, STATUSES } from '@errand/contracts';
import { MESSAGES, text, time, whole, anything, free, ref, list, object } from './schema-terms.js';

const WAITS = ['time', 'answer', 'invocation', 'runner'];
/** What the status of a step or node alone does not say. */
export const STEP_PROGRESS = {
  attempt: { ...whole, description: 'The number of the attempt that begins, from the second one on' },
  waiting: { enum: WAITS, description: 'What it waits for while it is suspended' },
};

/** Invocations and their parts. */
export const INVOCATION_SCHEMAS = {
  BatchAnswer: object(
    {
      id: text,
      items: list({ oneOf: [ref('Invocation'), ref('NoAction'), ref('Problem')] }),
      tenant: { ...text, description: 'Its owner. Only responses to the operator have it' },
    },
    ['id', 'items'],
  ),
  Batch: object(
    {
      id: text,
      createdAt: { type: 'string', format: 'date-time' },
      counts: ref('BatchCounts'),
      links: object({ self: text, invocations: text }),
      tenant: { ...text, description: 'Its owner. Only responses to the operator have it' },
    },
    ['id', 'createdAt', 'counts', 'links'],
  ),
  BatchCounts: object({
    ...Object.fromEntries(STATUSES.map((status) => [status, whole])),
    refused: { ...whole, description: 'Items that were not accepted' },
    no_action: { ...whole, description: 'Texts without a call' },
    removed: { ...whole, description: 'Invocations whose last status is not known any more' },
  }),
  Artifact: object({ name: text, size: whole, contentType: text, sha256: text, step: whole }),
  Attachment: object({ name: text, contentType: text, size: whole, sha256: text }, ['name', 'size', 'sha256']),
  Invocation: object(
    {
      warnings: { ...list(ref('Warning')), description: 'Parts of the text that were repaired or ignored' },
      id: text,
      status: { enum: STATUSES },
      createdAt: time,
      startedAt: time,
      finishedAt: time,
      earlierAttempts: {
        ...list(object({ startedAt: text, finishedAt: text })),
        description: 'The attempts before the last one, which failed or lost their process',
      },
      agent: { type: ['string', 'null'] },
      session: { type: ['string', 'null'] },
      parent: {
        ...object({ invocationId: text, round: whole }, ['invocationId']),
        description:
          'The turn whose calls these are. Without `round`: the invocation with the node that began this turn',
      },
      responseText: { type: ['string', 'null'] },
      metadata: { type: ['object', 'null'] },
      retryOf: object({ invocationId: text, steps: free }, ['invocationId']),
      retriedBy: { ...list(text), description: 'The last 20 invocations that retry this one, oldest first' },
      calls: list(ref('Step')),
      steps: list(ref('Step')),
      result: anything,
      resultTruncated: {
        const: true,
        description: '`result` has the beginnings of values only; `links.result` has the whole',
      },
      error: { oneOf: [ref('Failure'), { type: 'null' }] },
      artifacts: { ...list(ref('Artifact')), description: 'Files that the scripts handed out' },
      attachments: { ...list(ref('Attachment')), description: 'Files of the submission' },
      observation: { type: ['string', 'null'] },
      messages: { ...MESSAGES, description: `${MESSAGES.description}. Set when the invocation has ended` },
      progress: { type: ['number', 'null'], minimum: 0, maximum: 1 },
      queue: ref('QueueStatus'),
      links: { type: 'object', additionalProperties: text },
      tenant: { ...text, description: 'Its owner. Only responses to the operator have it' },
    },
    [
      'id',
      'status',
      'createdAt',
      'startedAt',
      'finishedAt',
      'agent',
      'session',
      'responseText',
      'metadata',
      'calls',
      'steps',
      'result',
      'error',
      'observation',
      'progress',
      'links',
    ],
  ),
  Warning: object(
    {
      message: text,
      line: { ...whole, description: 'The line of the submitted text; 1 for a JSON request' },
      column: whole,
      kind: { enum: ['deprecated'], description: 'The tool will be removed. The observation has this warning, too' },
    },
    ['message', 'line', 'column'],
  ),
  NoAction: object(
    {
      status: { const: 'no_action' },
      responseText: text,
      calls: { type: 'array', maxItems: 0 },
      warnings: list(ref('Warning')),
      observation: { ...text, description: 'The warnings, for the model' },
      messages: { type: 'array', maxItems: 0, description: 'For a `message`: there is nothing to answer' },
    },
    ['status', 'responseText', 'calls'],
  ),
  Step: object(
    {
      index: whole,
      toolId: text,
      version: text,
      arguments: free,
      callId: { ...text, description: 'For a `message`: the id that the model gave the call' },
      status: { enum: STATUSES },
      result: anything,
      resultTruncated: object({ total: whole }),
      error: ref('Failure'),
      startedAt: time,
      finishedAt: time,
      attempts: whole,
      waiting: ref('Waiting'),
      deduplicatedFrom: {
        ...object({ invocationId: text, step: whole }),
        description: 'The step did not run, because the same call of this session has run here',
      },
      nodes: list(ref('NodeState')),
      rounds: { ...list(ref('Round')), description: 'The rounds of a turn of an agent' },
      usage: ref('Usage'),
    },
    ['index', 'toolId', 'version', 'arguments', 'status', 'startedAt', 'finishedAt', 'attempts'],
  ),
  NodeState: object(
    {
      nodeId: text,
      type: text,
      status: { enum: [...STATUSES, 'skipped'] },
      attempts: whole,
      inputs: free,
      result: anything,
      error: ref('Failure'),
      startedAt: time,
      finishedAt: time,
      waiting: ref('Waiting'),
    },
    ['nodeId', 'type', 'status'],
  ),
  Waiting: {
    description: 'Why a suspended step or node waits, and its deadline',
    ...object(
      {
        for: { enum: WAITS },
        key: text,
        invocationId: text,
        step: { ...whole, description: 'For `answer` in a turn: the step of the child that waits' },
        label: { ...text, description: 'The label that a script-runner must offer' },
        until: time,
        prompt: anything,
        schema: { ...anything, description: 'For `answer`: the JSON Schema of the result; another result is refused' },
      },
      ['for', 'until'],
    ),
  },
  Failure: object({ type: { enum: Object.keys(ERROR_TYPES) }, message: text, details: free }, ['type', 'message']),
  MessageList: object({ format: { enum: MESSAGE_FORMS }, messages: list(free) }),
  DeliveryList: object({ items: list(ref('Delivery')) }),
  Delivery: object({
    id: text,
    index: whole,
    webhookId: { ...text, description: 'The same in every attempt and redelivery' },
    status: {
      enum: ['waiting', 'pending', 'delivered', 'failed', 'skipped'],
      description: '`failed`: no further attempts; `skipped`: the request did not ask for this event',
    },
    url: text,
    nextAttemptAt: time,
    attempts: list(object({ at: time, durationMs: whole, statusCode: whole, error: text }, ['at', 'durationMs'])),
  }),
  InvocationEnded: object({
    type: { enum: CALLBACK_EVENTS },
    timestamp: time,
    data: {
      allOf: [ref('Invocation')],
      properties: { truncated: { const: true, description: 'Long parts are left out; `links` has their addresses' } },
    },
  }),
  QueueStatus: object({
    position: { type: ['integer', 'null'], description: '1 is the next invocation' },
    ahead: { type: ['integer', 'null'] },
    waitingFor: text,
    etaMs: { type: ['integer', 'null'], description: 'Estimated time until the end, in ms' },
  }),
  Timeline: object({
    items: list(ref('StatusChange')),
    missing: { ...whole, description: 'The number of the oldest events, which are not kept any more' },
  }),
  StatusChange: {
    description: 'Of the invocation, or with `index` of a step, or with `nodeId` of a node of that step',
    ...object({ at: text, status: { enum: [...STATUSES, 'skipped'] }, index: whole, nodeId: text, ...STEP_PROGRESS }, [
      'at',
      'status',
    ]),
  },
  LogPage: object({
    items: list(ref('LogLine')),
    total: { ...whole, description: 'The number of lines that the invocation has logged' },
    firstKept: { ...whole, description: 'The number of the first line that is still kept' },
    nextCursor: { type: ['string', 'null'], description: 'The `after` of the next page' },
  }),
  LogLine: object({
    n: { ...whole, description: 'From 1' },
    at: time,
    step: whole,
    stream: { enum: ['stderr', 'node'] },
    line: text,
  }),
  ResultPartOrMatches: { oneOf: [ref('ResultPart'), ref('ResultMatches')] },
  ResultMatches: object({
    matches: list(object({ offset: whole, excerpt: text })),
    total: whole,
    nextOffset: { type: ['integer', 'null'] },
  }),
  ResultPart: object(
    {
      text,
      offset: whole,
      total: whole,
      nextOffset: { type: ['integer', 'null'] },
      value: {
        ...anything,
        description: 'The value itself, if the request has `path` and the part is the whole value',
      },
    },
    ['text', 'offset', 'total', 'nextOffset'],
  ),
  Readiness: object({
    ready: { type: 'boolean' },
    checks: {
      type: 'object',
      additionalProperties: text,
      description:
        '`ok`, or what is wrong. `redis` decides whether the API is ready. `workers` and `scriptRunners` say whether accepted work is taken; `scriptRunners` is absent if no tool of the library is a script',
    },
    runners: {
      type: 'object',
      additionalProperties: whole,
      description: 'Number of live script-runners by label',
    },
  }),
} satisfies Record<string, object>;
