import 'reflect-metadata';
import { fieldsOf } from '../apps/api/src/http/dto.js';
import { CONTROLLERS } from '../apps/api/src/http/controllers.js';
import { DocsController } from '../apps/api/src/http/docs.controller.js';
import { OPENAPI } from '../apps/api/src/http/openapi/document.js';
import { REQUEST_SCHEMAS } from '../apps/api/src/http/openapi/request-schemas.js';
import { AnswerErrorRequest, AnswerRequest, RetryRequest } from '../apps/api/src/http/control-requests.js';
import {
  BackoffRequest,
  BatchItemRequest,
  BatchRequest,
  CallbackRequest,
  CallRequest,
  OptionsRequest,
  SubmitRequest,
} from '../apps/api/src/http/submission-requests.js';
import { ParseRequest, ParseToolRequest } from '../apps/api/src/http/tool-requests.js';

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
    RetryRequest,
    AnswerRequest,
    AnswerErrorRequest,
  ])('The OpenAPI document has the fields of %p', (dto) => {
    const schema = REQUEST_SCHEMAS[dto.name as 'SubmitRequest'] as { properties: object };
    expect(Object.keys(schema.properties).toSorted()).toEqual(fieldsOf(dto).toSorted());
  });

  it('The OpenAPI document refers only to existing schemas', () => {
    const named = [...JSON.stringify(OPENAPI).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !Object.hasOwn(OPENAPI.components.schemas, name))).toEqual([]);
  });
});
