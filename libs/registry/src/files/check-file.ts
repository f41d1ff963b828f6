import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeeperThan, isObject, MAX_DEPTH, type Json, type JsonSchema, type Problem } from '@errand/contracts';
import { compileFaultless, errorsOf } from '../schema/compile-schema.js';
import { partialFileOf } from '../load/partial-file.js';
import { explainErrors, FIELD_WORDS } from '../validate/explain-errors.js';
import type { FileShapes } from './file-shapes.js';
import type { ReportProblem } from './library-problem.js';
import { locateProblem } from './locate-problem.js';
import { mapSchemas } from '../schema/plain-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';
import type { SourceFile } from './source-file.js';

const validators = new Map<string, SchemaValidator>();

/** The result of checking the shape of a file. */
export interface CheckedFile<Shape> {
  value: Shape;
  /** The problems of its text or shape. With problems, `value` is a partial file: see `partialFileOf`. */
  faults: readonly Problem[];
  isValid: boolean;
}

/** Checks the shape of a file and reports all problems. Returns undefined if nothing is left to check. */
export function checkFile<Kind extends keyof FileShapes>(
  source: SourceFile,
  kind: Kind,
  report: ReportProblem,
): CheckedFile<FileShapes[Kind]> | undefined {
  const faults = faultsOfShape(kind, source.value);
  for (const fault of faults) report(locateProblem(source, fault));
  if (isDeeperThan(source.value)) return undefined;
  const isValid = faults.length === 0 && source.problems.length === 0;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the kind vouches for the shape
  const value = faults.length === 0 ? (source.value as FileShapes[Kind]) : partialFileOf(kind, source.value, faults);
  return value && { value, faults, isValid };
}

/** The problems of the shape of a value, as JSON Pointers into it. */
export function faultsOfShape(kind: keyof FileShapes, value: unknown): Problem[] {
  if (isDeeperThan(value)) return [{ path: '', message: `The file nests deeper than ${MAX_DEPTH} levels` }];
  const errors = errorsOf(validatorOf(kind), value);
  return Array.isArray(errors) ? explainErrors(errors, FIELD_WORDS) : [errors];
}

/** The published schema of a kind of file. */
export function schemaOfFiles(kind: keyof FileShapes) {
  return JSON.parse(readFileSync(join(__dirname, 'schemas', `${kind}.schema.json`), 'utf8'));
}

function validatorOf(kind: keyof FileShapes): SchemaValidator {
  const known = validators.get(kind);
  if (known) return known;
  const validate = compileFaultless(schemaOfShape(kind), 'outputs');
  if (Array.isArray(validate)) throw new Error(`${kind}.schema.json: ${validate[0]!.path} ${validate[0]!.message}`);
  validators.set(kind, validate);
  return validate;
}

/** The schema that files of a kind are checked with. A test shows that it has no faults. */
export function schemaOfShape(kind: keyof FileShapes): JsonSchema {
  return mapSchemas(schemaOfFiles(kind), withDiscriminator);
}

/**
 * Adds `discriminator` to a choice whose branches differ by `type`, so that only the chosen branch is explained. Other
 * validators do not know that keyword.
 */
function withDiscriminator(schema: JsonSchema): JsonSchema {
  const branches = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  const hasKind = (branch: Json) => isObject(branch) && isObject(branch.properties) && isObject(branch.properties.type);
  return branches.length > 0 && branches.every(hasKind)
    ? { ...schema, discriminator: { propertyName: 'type' } }
    : schema;
}
