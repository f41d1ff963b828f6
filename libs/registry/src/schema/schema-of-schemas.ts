import type { JsonSchema } from '@errand/contracts';
import { readFileSync } from 'node:fs';
import { resolveAddresses } from '../resolve-addresses.js';
import { compileNodes } from './compile-nodes.js';
import type { SchemaNode } from './schema-node.js';

/** The address of the schema that all schemas fit. */
export const SCHEMA_OF_SCHEMAS = 'https://json-schema.org/draft/2020-12/schema';

const VOCABULARIES = ['core', 'applicator', 'unevaluated', 'validation', 'meta-data', 'format-annotation', 'content'];

let compiled: SchemaNode | undefined;

/** The schema of JSON Schema 2020-12, ready to run. */
export function schemaOfSchemas(): SchemaNode {
  compiled ??= compileNodes(resolveAddresses(readAll()));
  return compiled;
}

/** One document: the vocabularies stand in `$defs`, each under its own address. */
function readAll(): JsonSchema {
  const $defs = Object.fromEntries(VOCABULARIES.map((name) => [name, read(`meta/${name}`)]));
  return { ...read('schema'), $defs };
}

function read(name: string): JsonSchema {
  return JSON.parse(readFileSync(require.resolve(`ajv/dist/refs/json-schema-2020-12/${name}.json`), 'utf8'));
}
