import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldsOf } from '../apps/api/src/http/dto.js';
import { CONTROLLERS } from '../apps/api/src/http/controllers.js';
import { DocsController } from '../apps/api/src/http/docs.controller.js';
import { OPENAPI } from '../apps/api/src/http/openapi/document.js';
import { REQUEST_SCHEMAS } from '../apps/api/src/http/openapi/request-schemas.js';
import {
  AnswerErrorRequest,
  AnswerRequest,
  CancelRequest,
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
    CallbackRequest,
    ParseRequest,
    ParseToolRequest,
    CancelRequest,
    RetryRequest,
    AnswerRequest,
    AnswerErrorRequest,
    AttachmentRequest,
    PreviewRequest,
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
