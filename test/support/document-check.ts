import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { OPENAPI } from '../../apps/api/src/http/openapi/document.js';

interface ResponseObject {
  headers?: Record<string, object>;
  content?: Record<string, { schema?: object }>;
}
interface DocumentedOperation {
  operationId: string;
  responses: Record<string, ResponseObject>;
}
/** An operation of the document with its place. */
export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
}

/** A response as a client got it. */
export interface Got {
  status: number;
  headers: Headers;
  text: string;
}

/** All operations by their id. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries(OPENAPI.paths as unknown as Record<string, Record<string, DocumentedOperation>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [operation.operationId, { ...operation, method, path }]),
  ),
);

/** Headers that a document describes without a promise that each response has them. */
const OPTIONAL_HEADERS: readonly string[] = [
  'Preference-Applied',
  'ETag',
  'Cache-Control',
  'Location',
  'Errand-Invocation',
];

/** Checks responses against the document. A field that the document does not have is an error, too. */
export class DocumentCheck {
  /** What was checked: `submitInvocation 202`. */
  readonly seen = new Set<string>();
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor() {
    addFormats.default(this.ajv);
    this.ajv.addSchema({ $id: 'document', components: closed(OPENAPI.components) });
  }

  /** The faults of a response: its status, headers, media type and body. */
  faultsOf(operationId: string, { status, headers, text }: Got): string[] {
    const operation = OPERATIONS.get(operationId);
    if (!operation) return [`the document has no operation ${operationId}`];
    const documented = operation.responses[String(status)];
    this.seen.add(`${operationId} ${status}`);
    if (!documented) return [`${status} is not documented: ${text.slice(0, 300)}`];
    const missing = Object.keys(documented.headers ?? {}).filter(
      (name) => !OPTIONAL_HEADERS.includes(name) && !headers.has(name),
    );
    return [...missing.map((name) => `the header ${name} is missing`), ...this.faultsOfBody(documented, headers, text)];
  }

  /** The faults of a value by the schema of this name. */
  faultsOfValue(schema: string, value: unknown): string[] {
    return this.faultsBy({ $ref: `#/components/schemas/${schema}` }, value);
  }

  private faultsOfBody({ content = {} }: ResponseObject, headers: Headers, text: string): string[] {
    const [type = ''] = (headers.get('content-type') ?? '').split(';');
    if (Object.keys(content).length === 0) return text === '' ? [] : [`a body is not documented: ${text}`];
    const media = content[type] ?? content['*/*'];
    if (!media?.schema) return [`the media type ${type} is not documented`];
    if (type === 'text/event-stream') return [];
    return this.faultsBy(media.schema, type.endsWith('json') ? JSON.parse(text) : text);
  }

  private faultsBy(schema: object, value: unknown): string[] {
    const text = JSON.stringify(closed(schema)).replaceAll('"#/components', '"document#/components');
    const validate = this.compiled.get(text) ?? this.ajv.compile(JSON.parse(text) as object);
    this.compiled.set(text, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** A schema whose objects have no further fields. Schemas below `allOf` stay open, because they describe the same object. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, key === 'allOf' ? value : closed(value)]);
  const isOpen = 'properties' in schema && !('additionalProperties' in schema) && !('allOf' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}
