import type { JsonSchema } from '@errand/contracts';

/** The parameters of an error. */
export interface ErrorParams {
  type?: string | readonly string[];
  limit?: number | string;
  comparison?: string;
  multipleOf?: number;
  pattern?: string;
  format?: string;
  allowedValue?: unknown;
  allowedValues?: readonly unknown[];
  /** The two items that are equal. */
  i?: number;
  j?: number;
  minContains?: number;
  maxContains?: number;
  property?: string;
  missingProperty?: string;
  additionalProperty?: string;
  unevaluatedProperty?: string;
  propertyName?: string;
  tag?: string;
  tagValue?: unknown;
  failingKeyword?: 'then' | 'else';
  /** The two branches of `oneOf` that fit, if more than one does. */
  passingSchemas?: readonly number[] | null;
}

/** One mismatch between a value and a schema. The names of keywords and parameters are those of ajv. */
export interface SchemaError {
  keyword: string;
  /** The JSON Pointer of the value in the whole value. */
  instancePath: string;
  /** The JSON Pointer of the keyword in the document, after `#`. Behind a `$ref` it starts at the target. */
  schemaPath: string;
  params: ErrorParams;
  /** The value of the keyword, and the schema that holds it. */
  schema: unknown;
  parentSchema: JsonSchema | boolean;
  data: unknown;
  message: string;
  /** For a choice: the errors of each branch. They come before the choice in the list of all errors. */
  branches?: readonly (readonly SchemaError[])[];
  /** The property name that was checked, if the error comes from inside `propertyNames`. */
  propertyName?: string;
}
