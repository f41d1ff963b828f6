import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeeperThan, MAX_DEPTH } from '@errand/contracts';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { compileSchema } from './compile-schema.js';
import { explainErrors, FIELD_WORDS } from './explain-errors.js';
import type { FileShapes } from './file-shapes.js';
import { placeProblem, type Report } from './library-problem.js';
import type { SourceFile } from './source-file.js';

const validators = new Map<string, ValidateFunction>();

/** The value of a file that has the shape of its kind; all that is wrong with another is reported. */
export function checkFile<Kind extends keyof FileShapes>(
  source: SourceFile,
  kind: Kind,
  report: Report,
): FileShapes[Kind] | undefined {
  if (isDeeperThan(source.value)) {
    report({ file: source.file, message: `The file nests deeper than ${MAX_DEPTH} levels` });
    return undefined;
  }
  const validate = validatorOf(kind);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of the kind vouches for the shape
  if (validate(source.value)) return source.value as FileShapes[Kind];
  for (const problem of explainErrors(validate.errors ?? [], FIELD_WORDS)) report(placeProblem(source, problem));
  return undefined;
}

function validatorOf(kind: string): ValidateFunction {
  const known = validators.get(kind);
  if (known) return known;
  const validate = compileSchema(
    JSON.parse(readFileSync(join(__dirname, 'schemas', `${kind}.schema.json`), 'utf8')),
    'outputs',
  );
  if (Array.isArray(validate)) throw new Error(`${kind}.schema.json: ${validate[0]!.path} ${validate[0]!.message}`);
  validators.set(kind, validate);
  return validate;
}
