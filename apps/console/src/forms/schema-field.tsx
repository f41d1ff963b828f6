import { useContext } from 'preact/hooks';
import { FormContext, type FieldProps } from './form-context.js';
import type { JsonNode } from './json-tree.js';
import { JsonField } from './json-field.js';
import { ListField } from './list-field.js';
import { ObjectField } from './object-field.js';
import { shapeOf, resolve, type Shape } from './schema-parts.js';
import { ChoiceField } from './choice-field.js';
import { BooleanField, ConstantField, NumberField, TextField } from './plain-fields.js';
import { UnionField } from './union-field.js';

const KIND_OF_SHAPE: Readonly<Partial<Record<Shape['kind'], JsonNode['kind']>>> = {
  text: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
  object: 'object',
  list: 'array',
};

const MOST_ALTERNATIVES = 5;

/** One field of a form. A value that does not fit the type of its schema, and a schema that cannot be drawn, are shown as JSON. */
export function SchemaField(props: FieldProps) {
  const { root } = useContext(FormContext);
  const schema = resolve(props.schema, root) ?? props.schema;
  const shape = shapeOf(props.schema, root);
  const field = { ...props, schema };
  if ((props.alternatives ?? 0) > MOST_ALTERNATIVES) return <JsonField {...field} reason="its schema names itself" />;
  const kind = KIND_OF_SHAPE[shape.kind];
  if (props.node && kind !== undefined && props.node.kind !== kind)
    return <JsonField {...field} reason={`its value is not of the type ${kind}`} />;
  switch (shape.kind) {
    case 'text':
      return <TextField {...field} />;
    case 'number':
    case 'integer':
      return <NumberField {...field} isWhole={shape.kind === 'integer'} />;
    case 'boolean':
      return <BooleanField {...field} />;
    case 'null':
      return <ConstantField {...field} value={null} />;
    case 'constant':
      return <ConstantField {...field} value={shape.value} />;
    case 'choice':
      return <ChoiceField {...field} choices={shape.choices} />;
    case 'object':
      return <ObjectField {...field} shape={shape} />;
    case 'list':
      return <ListField {...field} shape={shape} />;
    case 'union':
      return <UnionField {...field} options={shape.options} />;
    case 'json':
      return <JsonField {...field} reason={shape.reason} />;
    default:
      return shape satisfies never;
  }
}
