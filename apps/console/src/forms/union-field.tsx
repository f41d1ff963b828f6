import { useContext, useMemo, useState } from 'preact/hooks';
import { markedString } from '../text/mark-text.js';
import { fits } from './check-value.js';
import { FieldGroup, RemoveButton } from './field-frame.js';
import { setAt } from './edit-json.js';
import { FormContext, useField, type FieldProps } from './form-context.js';
import { newValueText } from './initial-text.js';
import { memberOf } from './json-tree.js';
import { shapeOf, type UnionOption } from './schema-parts.js';

/** One of several schemas. The choice keeps what the value has: fields of another one stay, as other fields. */
export function UnionField({ options, ...field }: FieldProps & { options: readonly UnionOption[] }) {
  const { root, outsideChanges, Field } = useContext(FormContext);
  const { id, raw, write, remove, replaceText } = useField(field);
  const [wish, setWish] = useState<{ index: number; outsideChanges: number }>();
  const found = useMemo(() => closest(options, root, raw, wish?.index), [options, root, raw, wish]);
  // The choice of a person holds until the value is changed elsewhere, such as by a pasted text.
  const chosen = wish?.outsideChanges === outsideChanges ? wish.index : found;
  const option = chosen === undefined ? undefined : options[chosen];
  const choose = (text: string) => {
    if (text === '') {
      setWish(undefined);
      return field.node && remove();
    }
    const index = Number(text);
    setWish({ index, outsideChanges });
    const { schema } = options[index] ?? {};
    const shape = shapeOf(schema, root);
    if (field.node?.kind !== 'object' || shape.kind !== 'object') return write(newValueText(schema, root));
    return replaceText((whole) => withConstants(whole, field, schema, root));
  };
  return (
    <FieldGroup field={{ ...field, schema: withoutOptions(field.schema) }} actions={<RemoveButton field={field} />}>
      <label class="visually-hidden" for={`${id}-kind`}>
        Kind of {markedString(field.name)}
      </label>
      <select
        class="select form-kind"
        id={`${id}-kind`}
        value={chosen === undefined ? '' : String(chosen)}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        {(chosen === undefined || !field.isRequired) && <option value="">not given</option>}
        {options.map(({ label }, index) => (
          <option key={index} value={String(index)}>
            {markedString(label.slice(0, 200))}
          </option>
        ))}
      </select>
      {option && field.node && (
        <Field key={chosen} {...field} schema={option.schema} isRequired alternatives={(field.alternatives ?? 0) + 1} />
      )}
    </FieldGroup>
  );
}

/** The first option that the value fits, else the one of the same kind, else the chosen one. Undefined for a value that is not given. */
function closest(
  options: readonly UnionOption[],
  root: unknown,
  raw: string | undefined,
  wanted = 0,
): number | undefined {
  if (raw === undefined) return undefined;
  const value: unknown = JSON.parse(raw);
  const fitting = options.findIndex(({ schema }) => fits(schema, root, value));
  if (fitting !== -1) return fitting;
  const similar = options.findIndex(({ schema }) => hasConstants(schema, root, value));
  return similar === -1 ? wanted : similar;
}

/** Whether a value has the constants by which an option is known. */
function hasConstants(schema: unknown, root: unknown, value: unknown): boolean {
  const shape = shapeOf(schema, root);
  if (shape.kind !== 'object' || typeof value !== 'object' || value === null) return false;
  const present = new Map(Object.entries(value));
  return shape.properties.some(({ name, schema: each }) => {
    const part = shapeOf(each, root);
    return part.kind === 'constant' && present.has(name) && present.get(name) === part.value;
  });
}

/** The text in which the object has the constants and required parts of an option. Everything else stays. */
function withConstants(text: string, { path, node }: FieldProps, schema: unknown, root: unknown): string {
  const shape = shapeOf(schema, root);
  if (shape.kind !== 'object') return text;
  return shape.properties.reduce((sofar, { name, schema: each, isRequired }) => {
    const part = shapeOf(each, root);
    const isMissing = isRequired && part.kind === 'object' && !memberOf(node, name);
    if (part.kind === 'constant') return setAt(sofar, [...path, name], JSON.stringify(part.value));
    return isMissing ? setAt(sofar, [...path, name], newValueText(each, root)) : sofar;
  }, text);
}

/** Title and description are those of the whole; each option has its own. */
function withoutOptions(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { oneOf: _, anyOf: __, ...rest } = schema as Record<string, unknown>;
  return rest;
}
