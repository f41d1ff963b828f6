import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BulkRequest } from '../apps/api/src/bulk/bulk-requests.js';
import { fieldsOf } from '../apps/api/src/http/dto.js';
import { CONTROLLERS } from '../apps/api/src/http/controllers.js';
import { DocsController } from '../apps/api/src/http/docs.controller.js';
import { OPENAPI } from '../apps/api/src/http/openapi/document.js';
import { REQUEST_SCHEMAS } from '../apps/api/src/http/openapi/request-schemas.js';
import {
  AnswerErrorRequest,
  AnswerRequest,
  CancelRequest,
  PauseRequest,
  RetryRequest,
} from '../apps/api/src/http/control-requests.js';
import {
  AttachmentRequest,
  BackoffRequest,
  BatchItemRequest,
  BatchRequest,
  CallbackRequest,
  CallRequest,
  OptionsRequest,
  SubmitRequest,
} from '../apps/api/src/http/submission-requests.js';
import { LoginRequest } from '../apps/api/src/login/login.controller.js';
import { TenantRequest } from '../apps/api/src/http/tenants.controller.js';
import { ParseRequest, ParseToolRequest, PreviewRequest } from '../apps/api/src/http/tool-requests.js';
import { httpReference } from './support/http-reference.js';

const REFERENCE = join(__dirname, '../docs/http-reference.md');
const [BEGIN, END] = ['<!-- from the OpenAPI document -->', '<!-- end -->'];

const METHODS = ['get', 'post', 'put', 'delete', 'patch'];

/** Returns, for example, `get /v1/tools/{id}` for every route in Nest's metadata. */
function routes(): string[] {
  const documented = CONTROLLERS.filter((controller) => controller !== DocsController);
  return documented.flatMap((controller) => {
    const base = [Reflect.getMetadata('path', controller) as string].flat();
    const prototype = controller.prototype as unknown as Record<string, object>;
    return Object.getOwnPropertyNames(prototype).flatMap((name) => {
      if (name === 'constructor') return [];
      const paths = Reflect.getMetadata('path', prototype[name]!) as string | string[] | undefined;
      if (paths === undefined) return [];
      const method = METHODS[Reflect.getMetadata('method', prototype[name]!) as number]!;
      return base.flatMap((prefix) =>
        [paths].flat().map(
          (path) =>
            `${method} ${`/${prefix}/${path}`
              .replace(/\/+/g, '/')
              .replace(/(.)\/$/, '$1')
              .replace(/:(\w+)/g, '{$1}')}`,
        ),
      );
    });
  });
}

interface Documented {
  operationId: string;
  security?: readonly object[];
  responses: Record<string, { headers?: object; content?: object }>;
}

const operations = () =>
  Object.values(OPENAPI.paths as unknown as Record<string, Record<string, Documented>>).flatMap((methods) =>
    Object.values(methods),
  );
const nameOfEvent = (event: string) => `${event.slice(0, 1).toUpperCase()}${event.slice(1)}Event`;

const OPERATION_IDS = [
  'abortBulkAction',
  'answerCall',
  'answerStep',
  'beginLogin',
  'callAgent',
  'callMcpServer',
  'callMcpServerOfAgent',
  'cancelInvocation',
  'changeTenant',
  'checkLiveness',
  'checkReadiness',
  'checkSandbox',
  'countInvocations',
  'deleteSession',
  'downloadArtifact',
  'drainProcess',
  'endLogin',
  'followEverything',
  'followInvocation',
  'getAgent',
  'getAgentCard',
  'getBatch',
  'getBulkAction',
  'getDefaultAgentCard',
  'getInvocation',
  'getInvocationImpact',
  'getInvocationLogs',
  'getInvocationMessages',
  'getInvocationResult',
  'getInvocationSource',
  'getMetrics',
  'getProcess',
  'getQueue',
  'getRefusal',
  'getSandboxReport',
  'getSession',
  'getSessionState',
  'getStats',
  'getStepGraph',
  'getTenant',
  'getTimeline',
  'getTool',
  'getToolGraph',
  'getToolStats',
  'getToolsPrompt',
  'getWhoami',
  'listAgents',
  'listAllDeliveries',
  'listBulkActions',
  'listDeliveries',
  'listEffects',
  'listInbox',
  'listInvocations',
  'listLibraryProblems',
  'listProcesses',
  'listQueues',
  'listRefusals',
  'listSessionMessages',
  'listTools',
  'listToolsAtOldPath',
  'parseText',
  'patchSessionState',
  'pauseQueue',
  'previewWorkflow',
  'publishSessionEvent',
  'redeliverCallback',
  'resumeQueue',
  'retryInvocation',
  'runAgent',
  'runDefaultAgent',
  'searchByName',
  'startBulkAction',
  'submitBatch',
  'submitInvocation',
  'sumRefusals',
];

describe('The OpenAPI document', () => {
  it('The OpenAPI document has the routes of the controllers and no others', () => {
    const documented = Object.entries(OPENAPI.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(documented.toSorted()).toEqual(routes().toSorted());
  });

  it.each([
    SubmitRequest,
    CallRequest,
    OptionsRequest,
    BackoffRequest,
    BatchItemRequest,
    BatchRequest,
    BulkRequest,
    CallbackRequest,
    ParseRequest,
    ParseToolRequest,
    CancelRequest,
    PauseRequest,
    RetryRequest,
    AnswerRequest,
    AnswerErrorRequest,
    AttachmentRequest,
    PreviewRequest,
    TenantRequest,
    LoginRequest,
  ])('The OpenAPI document has the fields of %p', (dto) => {
    const schema = REQUEST_SCHEMAS[dto.name as 'SubmitRequest'] as { properties: object };
    expect(Object.keys(schema.properties).toSorted()).toEqual(fieldsOf(dto).toSorted());
  });

  it.each([
    [OptionsRequest, 'priority', { type: 'integer', minimum: 1, maximum: 2_097_152 }],
    [OptionsRequest, 'delayMs', { type: 'integer', minimum: 0, maximum: 31_536_000_000 }],
    [OptionsRequest, 'timeoutMs', { type: 'integer', minimum: 1, maximum: 2_073_600_000 }],
    [OptionsRequest, 'maxResultChars', { minimum: 200, maximum: 10_000_000, default: 8_000 }],
    [SubmitRequest, 'session', { type: 'string', minLength: 1, maxLength: 256 }],
    [SubmitRequest, 'agent', { type: 'string', pattern: String.raw`^[\w.:-]{1,128}$` }],
    [SubmitRequest, 'calls', { type: 'array', minItems: 1, maxItems: 1_000, items: { $ref: expect.any(String) } }],
    [CallbackRequest, 'events', { type: 'array', uniqueItems: true, items: { enum: expect.any(Array) } }],
  ])('The schema of %p has the bounds of its field %s', (dto, field, bounds) => {
    const schema = REQUEST_SCHEMAS[dto.name as 'SubmitRequest'] as { properties: Record<string, object> };
    expect(schema.properties[field]).toMatchObject(bounds);
  });

  it('A field is required in the document if a request without it is refused', () => {
    const {
      SubmitRequest: submit,
      CallRequest: call,
      AnswerRequest: answer,
      BackoffRequest: backoff,
    } = REQUEST_SCHEMAS;
    expect([submit, call, answer, backoff].map(({ required }) => required)).toEqual([
      [],
      ['toolId'],
      [],
      ['type', 'delayMs'],
    ]);
  });

  it('Each operation has an id of its own that a client can use as a name', () => {
    const ids = operations().map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z][a-zA-Z]{5,40}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    // Names that generated clients use. Another name breaks their callers.
    expect(ids.toSorted()).toEqual(OPERATION_IDS);
  });

  it('Each operation except the health checks and the login needs a key', () => {
    expect(OPENAPI.security).toEqual([{ apiKey: [] }, { loginSession: [] }]);
    expect(OPENAPI.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    const open = operations().filter(({ security }) => security !== undefined);
    expect(open.map(({ operationId }) => operationId)).toEqual([
      'beginLogin',
      'endLogin',
      'checkLiveness',
      'checkReadiness',
    ]);
  });

  it('Each operation documents its errors as problems, with the headers that clients act on', () => {
    const named: Readonly<Record<string, string>> = {
      401: 'WWW-Authenticate',
      429: 'Retry-After',
      503: 'Retry-After',
    };
    for (const { responses } of operations()) {
      expect(responses['default']?.content).toHaveProperty(['application/problem+json']);
      for (const [status, { headers, content = {} }] of Object.entries(responses))
        if (named[status] && 'application/problem+json' in content) expect(headers).toHaveProperty([named[status]]);
    }
    const submit = operations().find(({ operationId }) => operationId === 'submitInvocation');
    for (const status of [200, 202]) expect(submit?.responses[status]?.headers).toHaveProperty(['Location']);
  });

  it('The filter by metadata is a deep object, and each event of a stream has a schema', () => {
    const { parameters } = OPENAPI.paths['/v1/invocations'].get;
    expect(parameters).toContainEqual(
      expect.objectContaining({ name: 'metadata', style: 'deepObject', explode: true }),
    );
    const events = OPENAPI.components.schemas.InvocationEvent.anyOf.map(({ $ref }) => $ref.split('/').at(-1));
    const ofTurns = ['round', 'text', 'reasoning', 'call', 'called', 'state', 'discard'];
    const names = ['status', 'step', 'progress', 'log', 'output', ...ofTurns, 'gap', 'end'];
    expect(events).toEqual(names.map(nameOfEvent));
  });

  it('Each tag of the OpenAPI document is declared once', () => {
    const names = OPENAPI.tags.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  it('The OpenAPI document refers only to existing schemas', () => {
    const named = [...JSON.stringify(OPENAPI).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !Object.hasOwn(OPENAPI.components.schemas, name))).toEqual([]);
  });

  it('The page docs/http-reference.md describes the routes and schemas of the document', () => {
    const page = readFileSync(REFERENCE, 'utf8');
    const [before, rest = ''] = page.split(BEGIN);
    const [, after = ''] = rest.split(END);
    const expected = `${before}${BEGIN}\n\n${httpReference()}\n\n${END}${after}`;
    // UPDATE_DOCS=1 writes the page again.
    if (process.env.UPDATE_DOCS === '1') writeFileSync(REFERENCE, expected);
    else expect(page).toBe(expected);
  });
});
