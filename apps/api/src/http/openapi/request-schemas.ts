import { MESSAGE_SHAPES } from '@errand/agents';
import { BulkRequest } from '../../bulk/bulk-requests.js';
import { AnswerErrorRequest, AnswerRequest, CancelRequest, PauseRequest, RetryRequest } from '../control-requests.js';
import {
  PROTOCOLS,
  AttachmentRequest,
  BackoffRequest,
  BatchItemRequest,
  BatchRequest,
  CallbackRequest,
  CallRequest,
  OptionsRequest,
  SubmitRequest,
} from '../submission-requests.js';
import { LoginRequest } from '../../login/login.controller.js';
import { TenantRequest } from '../tenants.controller.js';
import { ParseRequest, ParseToolRequest, PreviewRequest } from '../tool-requests.js';
import { schemaOf } from './schema-of-dto.js';
import { free, list, object, ref, text, whole } from './schema-terms.js';

const ONE_FORM = 'Give one of: `text`; `calls`; `toolId` with `arguments`; `message`.';
const ON_ERROR = {
  default: 'stop',
  description: 'What to do when a call fails. `continue` is the default for a `message`',
};
const PROTOCOL = ref('Protocol');
const SUBMISSION = {
  protocol: PROTOCOL,
  message: {
    type: ['object', 'array'],
    description: `The answer of a model API, unchanged. ${MESSAGE_SHAPES}`,
  },
  attachments: { description: 'Files with different names. The scripts of the invocation find them in $ERRAND_IN' },
};

/** The bodies of requests. Fields, types and bounds come from the rules of the DTOs. */
export const REQUEST_SCHEMAS = {
  SubmitRequest: { description: ONE_FORM, ...schemaOf(SubmitRequest, SUBMISSION) },
  BatchItemRequest: {
    description: `${ONE_FORM} \`idempotencyKey\` replaces the header of that name.`,
    ...schemaOf(BatchItemRequest, SUBMISSION),
  },
  TenantRequest: schemaOf(TenantRequest, { weight: { description: 'Its part of the slots, relative to the others' } }),
  LoginRequest: schemaOf(LoginRequest, { key: { description: 'A key of ERRAND_API_KEYS' } }),
  BulkRequest: {
    description: 'A dry run: `action`, `dryRun` and one of `filter` and `ids`. Or its beginning: `token`.',
    ...schemaOf(BulkRequest, {
      filter: { description: 'The filters of the list of invocations. An empty one matches every invocation' },
      dryRun: { description: 'Must be true beside `action`' },
      token: { description: 'The token of a dry run' },
      name: { description: 'A name for people, beside `token`' },
    }),
  },
  BatchRequest: schemaOf(BatchRequest, { items: list(ref('BatchItemRequest')) }),
  AttachmentRequest: schemaOf(AttachmentRequest),
  CallRequest: schemaOf(CallRequest, { onError: ON_ERROR }),
  OptionsRequest: schemaOf(OptionsRequest, {
    priority: { description: '1 is the most urgent. Invocations without a priority come before all others' },
    fairnessKey: {
      description: 'Invocations of a tenant with different keys share its slots equally. Default: the agent',
    },
    delayMs: { description: 'Time before the invocation may begin, in ms' },
    timeoutMs: { description: 'Longest time of the invocation, in ms' },
    attempts: { description: 'Highest number of attempts, if another attempt can fix the error' },
    mode: { default: 'sequence', description: '`parallel` is the default for a `message`' },
    concurrency: { default: 20, description: 'Calls that run at the same time in mode `parallel`' },
    onError: ON_ERROR,
    maxResultChars: { default: 8000, description: 'Budget of the observation' },
  }),
  CallbackRequest: schemaOf(CallbackRequest, {
    url: { format: 'uri', description: 'http or https, of a public host or one that the operator allows' },
    events: { description: 'Only these ends; all by default' },
    secret: { description: '`whsec_…`: signs the message instead of the secrets of the operator; never shown' },
  }),
  BackoffRequest: schemaOf(BackoffRequest),
  ParseRequest: schemaOf(ParseRequest, { protocol: PROTOCOL }),
  ParseToolRequest: schemaOf(ParseToolRequest),
  PauseRequest: schemaOf(PauseRequest, { note: { description: 'Why, as one line for people' } }),
  CancelRequest: schemaOf(CancelRequest, {
    reason: {
      description: 'Shown in `error`, the Observation and the callback, as one line. The first request counts',
    },
  }),
  RetryRequest: schemaOf(RetryRequest, {
    steps: {
      additionalProperties: object({ inputs: free }),
      description:
        'New inputs by node (`node`, `group/node`), or new arguments by the number of a step. With several steps, a node is ' +
        '`step/node`',
    },
    limits: {
      additionalProperties: whole,
      description: 'New limits for a turn of an agent, such as `maxRounds`. It continues after its last round',
    },
  }),
  AnswerRequest: {
    description: 'Give one of `result` and `error`. If several nodes of the step wait, `nodeId` names one of them.',
    ...schemaOf(AnswerRequest),
  },
  AnswerErrorRequest: schemaOf(AnswerErrorRequest),
  PreviewRequest: schemaOf(PreviewRequest),
  Protocol: { ...text, enum: PROTOCOLS, default: 'auto' },
} satisfies Record<string, object>;
