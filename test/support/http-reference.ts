import { PROBLEM_CODES, STATUS_TITLES } from '@errand/contracts';
import { OPENAPI } from '../../apps/api/src/http/openapi/document.js';

interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  enum?: readonly string[];
  const?: string | boolean;
  additionalProperties?: boolean | Schema;
}

type Bound = string | number | boolean;
interface Content {
  [mediaType: string]: { schema?: Schema };
}
interface Parameter {
  name: string;
  in: string;
  description: string;
  style?: string;
  schema: Schema;
}
interface DocumentedResponse {
  description: string;
  headers?: Record<string, object>;
  content?: Content;
}
interface Operation {
  operationId: string;
  summary: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, DocumentedResponse>;
}

/** Responses of every route. The page describes them once. */
const COMMON: readonly string[] = ['401', '403', 'default'];

const BOUNDS = {
  minimum: 'at least',
  maximum: 'at most',
  minLength: 'shortest length',
  maxLength: 'longest length',
  minItems: 'fewest items',
  maxItems: 'most items',
  pattern: 'pattern',
  format: 'format',
  default: 'default',
} as const;

/** The reference of the HTTP API as Markdown, from the OpenAPI document. */
export function httpReference(): string {
  const operations = Object.entries(OPENAPI.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  const tags = [...new Set(operations.map(({ operation }) => operation.tags?.[0] ?? 'other'))];
  const routes = tags.flatMap((tag) => [
    `## ${heading(tag)}`,
    ...operations.filter(({ operation }) => (operation.tags?.[0] ?? 'other') === tag).flatMap(describeRoute),
  ]);
  const schemas = Object.entries(OPENAPI.components.schemas as Record<string, Schema>).flatMap(describeSchema);
  return [...routes, '## Error codes', errorCodes(), '## Schemas', ...schemas].join('\n\n');
}

function describeRoute({ route, operation }: { route: string; operation: Operation }): string[] {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  return [
    `### \`${route}\``,
    `${summary}. Operation id: \`${operationId}\`.`,
    ...(parameters.length === 0
      ? []
      : [
          table(
            ['parameter', 'in', 'value', 'meaning'],
            parameters.map(({ name, in: where, style, schema, description }) => [
              style === 'deepObject' ? `\`${name}[key]\`` : `\`${name}\``,
              where,
              typeOf(schema),
              description,
            ]),
          ),
        ]),
    ...(requestBody ? [`Body: ${contentOf(requestBody.content)}.`] : []),
    table(
      ['status', 'body', 'headers', 'meaning'],
      Object.entries(responses)
        .filter(([status]) => !COMMON.includes(status))
        .map(([status, { description, headers = {}, content }]) => [
          status,
          contentOf(content),
          Object.keys(headers).map(quote).join(', '),
          description,
        ]),
    ),
  ];
}

function describeSchema([name, schema]: [string, Schema]): string[] {
  const { description, properties, required = [] } = schema;
  return [
    `### ${name}`,
    ...(description === undefined ? [] : [`${description.replace(/\.$/, '')}.`]),
    properties
      ? table(
          ['field', 'value', 'required', 'meaning'],
          Object.entries(properties).map(([field, value]) => [
            `\`${field}\``,
            typeOf(value),
            required.includes(field) ? 'yes' : '',
            value.description ?? '',
          ]),
        )
      : `Value: ${typeOf(schema)}.`,
  ];
}

function contentOf(content: Content | undefined): string {
  const parts = Object.entries(content ?? {}).map(([type, { schema }]) =>
    schema && type.endsWith('json') ? typeOf(schema) : `\`${type}\``,
  );
  return [...new Set(parts)].join(' or ');
}

/** The type of a value with its bounds, on one line. */
function typeOf(schema: Schema): string {
  const bounds = Object.entries(BOUNDS).flatMap(([keyword, words]) => {
    const bound = (schema as Partial<Record<string, Bound>>)[keyword];
    return bound === undefined ? [] : [`${words} \`${bound}\``];
  });
  return [baseTypeOf(schema), ...bounds].join(', ');
}

function baseTypeOf(schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  const choices = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (choices) return choices.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map(quote).join(', ');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  if (schema.properties) return `object with ${Object.keys(schema.properties).map(quote).join(', ')}`;
  return [schema.type ?? 'any JSON value'].flat().join(' or ');
}

function errorCodes(): string {
  return table(
    ['code', 'status', 'title'],
    Object.entries(PROBLEM_CODES).map(([code, { status }]) => [quote(code), `${status}`, STATUS_TITLES[status] ?? '']),
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...others.map(line)].join('\n');
}

const quote = (word: string) => `\`${word}\``;
const heading = (tag: string) => tag.slice(0, 1).toUpperCase() + tag.slice(1);
