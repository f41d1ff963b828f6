import { CALLBACK_EVENTS, ERROR_KINDS, ERROR_TYPES, PROBLEM_CODES, STATUSES } from '@errand/contracts';

const text = { type: 'string' };
const time = { type: ['string', 'null'], format: 'date-time' };
const whole = { type: 'integer' };
const anything = {};
const free = { type: 'object', additionalProperties: true };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: 'array', items });
const object = (properties: Record<string, object>, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
const page = (name: string) => object({ items: list(ref(name)), nextCursor: { type: ['string', 'null'] } });

const ONE_OF = 'One of: `text`; `calls`; `toolId` with `arguments`.';
const onError = { enum: ['stop', 'continue'], default: 'stop', description: 'What follows where a call fails' };
const submission = {
  text,
  protocol: ref('Protocol'),
  calls: list(ref('CallRequest')),
  toolId: text,
  arguments: free,
  agent: text,
  session: text,
  metadata: free,
  attachments: {
    ...list(ref('AttachmentRequest')),
    maxItems: 32,
    description: 'Files that the scripts of the invocation find in $ERRAND_IN',
  },
  options: ref('OptionsRequest'),
  callback: ref('CallbackRequest'),
};

/** The shapes of requests and answers. A request's properties are those of its DTO: a test compares them. */
export const SCHEMAS = {
  SubmitRequest: { description: ONE_OF, ...object(submission, []) },
  BatchItemRequest: {
    description: `${ONE_OF} \`idempotencyKey\` stands for the header of that name.`,
    ...object({ ...submission, idempotencyKey: text }, []),
  },
  BatchRequest: object({ items: { ...list(ref('BatchItemRequest')), minItems: 1, maxItems: 1000 } }),
  BatchAnswer: object({
    items: list({ oneOf: [ref('Invocation'), ref('NoAction'), ref('Problem')] }),
  }),
  AttachmentRequest: object({ name: text, contentType: text, base64: { ...text, contentEncoding: 'base64' } }, [
    'name',
    'base64',
  ]),
  CallRequest: object({ toolId: text, arguments: free, onError }, ['toolId']),
  OptionsRequest: object(
    {
      priority: { ...whole, minimum: 1, description: '1 is the most urgent; none at all goes before every one' },
      delayMs: whole,
      timeoutMs: whole,
      attempts: { ...whole, minimum: 1, maximum: 25, description: 'Tries of a failure that a retry may mend' },
      backoff: ref('BackoffRequest'),
      mode: { enum: ['sequence', 'parallel'], default: 'sequence' },
      concurrency: { ...whole, minimum: 1, maximum: 100, default: 20, description: 'Calls side by side at a time' },
      onError,
      maxResultChars: { ...whole, minimum: 200, default: 8000, description: 'Budget of the observation' },
    },
    [],
  ),
  CallbackRequest: object(
    {
      url: { ...text, format: 'uri', description: 'http or https, of a public host or one that the operator allows' },
      events: { ...list({ enum: CALLBACK_EVENTS }), description: 'Only these ends; all without it' },
      secret: { ...text, description: '`whsec_…`: signs in place of the operator’s secrets; never shown' },
    },
    ['url'],
  ),
  BackoffRequest: object({ type: { enum: ['fixed', 'exponential'] }, delayMs: whole, maxDelayMs: whole }, [
    'type',
    'delayMs',
  ]),
  ParseRequest: object({ text, protocol: ref('Protocol'), agent: text, tools: list(ref('ParseToolRequest')) }, [
    'text',
  ]),
  ParseToolRequest: object({ toolId: text, description: text, parameters: free }, ['toolId']),
  RetryRequest: object(
    {
      steps: {
        type: 'object',
        additionalProperties: object({ inputs: free }),
        description:
          'Inputs that take the place of those that were: by node (`node`, `group/node`), by the number of a step for its ' +
          'arguments, or, where there are several steps, by `step/node`',
      },
    },
    [],
  ),
  AnswerRequest: {
    description: 'One of `result` and `error`. `nodeId` says which, where several nodes of the step wait.',
    ...object({ result: anything, error: ref('AnswerErrorRequest'), nodeId: text }, []),
  },
  AnswerErrorRequest: object({ message: text }),
  Artifact: object({ name: text, size: whole, contentType: text, sha256: text, step: whole }),
  Attachment: object({ name: text, contentType: text, size: whole, sha256: text }, ['name', 'size', 'sha256']),
  Invocation: object(
    {
      warnings: { ...list(ref('Warning')), description: 'What was repaired or ignored in the text' },
      id: text,
      status: { enum: STATUSES },
      createdAt: time,
      startedAt: time,
      finishedAt: time,
      agent: { type: ['string', 'null'] },
      session: { type: ['string', 'null'] },
      responseText: { type: ['string', 'null'] },
      metadata: { type: ['object', 'null'] },
      retryOf: object({ invocationId: text, steps: free }, ['invocationId']),
      calls: list(ref('Step')),
      steps: list(ref('Step')),
      result: anything,
      resultTruncated: { const: true, description: '`result` has only beginnings; `links.result` has the whole' },
      error: { oneOf: [ref('Failure'), { type: 'null' }] },
      artifacts: { ...list(ref('Artifact')), description: 'Files that its scripts handed out' },
      attachments: { ...list(ref('Attachment')), description: 'Files that came with it' },
      observation: { type: ['string', 'null'] },
      progress: { type: ['number', 'null'], minimum: 0, maximum: 1 },
      queue: ref('QueuePlace'),
      links: { type: 'object', additionalProperties: text },
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
      line: { ...whole, description: 'In the submitted text; 1 where the request was JSON' },
      column: whole,
      kind: { enum: ['deprecated'], description: 'The tool will go away; the observation says so, too' },
    },
    ['message', 'line', 'column'],
  ),
  NoAction: object({ status: { const: 'no_action' }, responseText: text, calls: { type: 'array', maxItems: 0 } }),
  Step: object(
    {
      index: whole,
      toolId: text,
      version: text,
      arguments: free,
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
        description: 'It was not run again: the same call of this session had been, here',
      },
      nodes: list(ref('NodeState')),
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
    description: 'What a parked step or node waits for, and until when at the latest',
    ...object(
      { for: { enum: ['time', 'answer', 'invocation'] }, key: text, invocationId: text, until: time, prompt: anything },
      ['for', 'until'],
    ),
  },
  Failure: object({ type: { enum: Object.keys(ERROR_TYPES) }, message: text, details: free }, ['type', 'message']),
  DeliveryList: object({ items: list(ref('Delivery')) }),
  Delivery: object({
    id: text,
    index: whole,
    webhookId: { ...text, description: 'The same in every attempt and every redelivery' },
    status: {
      enum: ['waiting', 'pending', 'delivered', 'failed', 'skipped'],
      description: '`failed`: given up; `skipped`: of no event that was asked for',
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
      properties: { truncated: { const: true, description: 'Long parts are left out; `links` lead to them' } },
    },
  }),
  QueuePlace: object({
    position: { type: ['integer', 'null'], description: '1 is the next' },
    ahead: { type: ['integer', 'null'] },
    waitingFor: text,
    etaMs: { type: ['integer', 'null'], description: 'When it may have ended' },
  }),
  InvocationList: page('Invocation'),
  LogList: page('LogLine'),
  LogLine: object({ at: time, step: whole, stream: { enum: ['stderr', 'node'] }, line: text }),
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
      value: { ...anything, description: 'With `path`, where the part is all of it: the value itself' },
    },
    ['text', 'offset', 'total', 'nextOffset'],
  ),
  ParseResult: object({
    protocol: { type: ['string', 'null'] },
    responseText: text,
    trailingText: { type: ['string', 'null'] },
    calls: list(object({ toolId: text, arguments: free })),
    errors: list(ref('PlacedProblem')),
    warnings: list(ref('Warning')),
    observation: { type: ['string', 'null'] },
  }),
  PlacedProblem: object(
    { kind: { enum: ERROR_KINDS }, path: text, message: text, line: whole, column: whole, suggestion: text },
    ['kind', 'message', 'line', 'column'],
  ),
  ToolList: page('Tool'),
  Tool: object(
    {
      toolId: text,
      version: text,
      displayName: text,
      description: text,
      kind: { enum: ['node', 'workflow', 'service', 'script', 'external'] },
      parameters: free,
      output: free,
      tags: list(text),
      deprecated: { type: ['boolean', 'string'] },
      aliases: list(text),
      source: text,
      inputs: free,
      outputs: free,
      examples: list(object({ description: text, arguments: free }, ['arguments'])),
      versions: { ...list(text), description: 'Newest first; where one tool is asked for' },
      links: { type: 'object', additionalProperties: text },
    },
    ['toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags', 'source', 'links'],
  ),
  PreviewRequest: object({ workflowId: text, workflow: free }),
  ToolPreview: object(
    {
      name: { ...text, description: 'What a model calls it by' },
      toolId: text,
      version: text,
      displayName: text,
      description: text,
      kind: { const: 'workflow' },
      parameters: free,
      output: free,
      tags: list(text),
    },
    ['name', 'toolId', 'version', 'displayName', 'description', 'kind', 'parameters', 'tags'],
  ),
  ToolGraph: object({
    toolId: text,
    version: text,
    nodes: list(ref('ToolGraphNode')),
    edges: list(object({ source: text, sourceHandle: text, target: text, targetHandle: text })),
    mermaid: { ...text, description: 'A Mermaid flowchart' },
  }),
  ToolGraphNode: object(
    {
      id: { ...text, description: 'As in the states of a run: `outer/inner` inside a node group' },
      type: text,
      kind: { enum: ['node', 'groupInput', 'groupOutput', 'group'] },
      displayName: text,
      group: { ...text, description: 'The node group in which it stands' },
      workflowId: { ...text, description: 'Of a node group: the workflow that it runs' },
      closed: { const: true, description: 'Of a node group: the graph is too large to show its inside' },
      bypassed: { const: true },
      muted: { const: true },
    },
    ['id', 'type', 'kind'],
  ),
  LibraryProblemList: page('LibraryProblem'),
  LibraryProblem: object({ file: text, line: whole, column: whole, field: text, message: text, suggestion: text }, [
    'file',
    'message',
  ]),
  Readiness: object({ ready: { type: 'boolean' }, checks: { type: 'object', additionalProperties: text } }),
  Problem: object(
    {
      type: text,
      title: text,
      status: whole,
      detail: text,
      code: { enum: Object.keys(PROBLEM_CODES) },
      errors: list(object({ path: text, message: text, line: whole, column: whole, suggestion: text }, ['message'])),
      observation: { ...text, description: 'For the model to read' },
    },
    ['type', 'title', 'status', 'code'],
  ),
} satisfies Record<string, object>;
