import Papa from 'papaparse';
import { isObject, own, ToolError, type Json } from '@errand/contracts';
import { asText } from './as-text.js';
import { defineComputation } from './define-node.js';
import { oneOf } from './one-of.js';

interface Form {
  delimiter: string;
  header: boolean;
}

/** A limit on cells, because rows with different columns make a table that is mostly empty. */
const MAX_CELLS = 1_000_000;

const MODES = { parse: 'parse', stringify: 'stringify' } as const;

export const csv = defineComputation({
  type: 'core:csv',
  displayName: 'CSV',
  description:
    'Reads CSV text (RFC 4180: quotes, line breaks inside quotes) into a list of rows, or writes a list of rows as CSV text.',
  inputs: {
    mode: {
      dataFlowType: 'STRING',
      description: 'parse: text to rows; stringify: rows to text',
      matchCategories: ['ComboOption'],
      config: { default: 'parse', suggestions: Object.keys(MODES) },
    },
    text: { dataFlowType: 'STRING', description: 'For parse: the CSV text' },
    rows: { dataFlowType: 'ARRAY', description: 'For stringify: a list of objects, or a list of lists' },
    header: {
      dataFlowType: 'BOOLEAN',
      description: 'Whether the first line has the names of the columns; rows are then objects, else lists',
      config: { default: true },
    },
    delimiter: {
      dataFlowType: 'STRING',
      description: 'The character between two values, such as , or ; or a tab',
      config: { default: ',' },
    },
  },
  outputs: { result: { dataFlowType: 'WILDCARD', description: 'The rows, with every value a text; or the CSV text' } },
  bypassBehavior: { passThrough: { result: ['text', 'rows'] } },
  compute({ mode, text, rows, ...form }) {
    if (form.delimiter.length !== 1 || /["\r\n\ufeff]/.test(form.delimiter))
      throw new ToolError('ParameterValidationError', "'delimiter' must be one character, no quote and no line end");
    return oneOf(MODES, 'mode', mode) === 'parse'
      ? { result: parse(given('text', mode, text), form) }
      : { result: stringify(given('rows', mode, rows), form) };
  },
});

function given<T>(input: string, mode: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new ToolError('ParameterValidationError', `'${input}' is missing; mode ${mode} needs it`);
}

function parse(text: string, { delimiter, header }: Form): Json {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: true });
  const [error] = errors;
  if (error) throw new Error(`the text is not CSV: ${error.message} (row ${(error.row ?? 0) + 1})`);
  if (!header) return data;
  const [names = [], ...rows] = data;
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name).size);
  if (twice !== undefined) throw new Error(`the column '${twice}' occurs twice in the first line; use header: false`);
  return rows.map((row, index) => {
    if (row.length === names.length) return Object.fromEntries(names.map((name, column) => [name, row[column] ?? '']));
    throw new Error(`row ${index + 2} has ${row.length} values, but there are ${names.length} columns`);
  });
}

/** Objects may have different properties. Each property is a column, in the order of its first occurrence. */
function stringify(rows: readonly Json[], { delimiter, header }: Form): string {
  const objects = rows.length > 0 && isObject(rows[0]);
  const columns = objects ? [...new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])))] : [];
  if (columns.length * rows.length > MAX_CELLS)
    throw new ToolError(
      'ResourceLimitError',
      `the table would have ${columns.length} columns in ${rows.length} rows; ${MAX_CELLS} cells are allowed`,
    );
  const cells = rows.map((row, index) => {
    if (isObject(row) && objects) return columns.map((name) => cellOf(own(row, name) ?? null));
    if (Array.isArray(row) && !objects) return row.map(cellOf);
    throw new ToolError(
      'ParameterValidationError',
      `row ${index} must be ${objects ? 'an object' : 'a list'} like the first`,
    );
  });
  return Papa.unparse(objects && header ? [columns, ...cells] : cells, { delimiter, newline: '\r\n' });
}

function cellOf(value: Json): string {
  return value === null ? '' : asText(value);
}
