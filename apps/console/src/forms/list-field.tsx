import { useContext } from 'preact/hooks';
import { swapWithNext } from './edit-json.js';
import { FieldGroup, RemoveButton } from './field-frame.js';
import { FormContext, useField, type FieldProps } from './form-context.js';
import { newValueText } from './initial-text.js';
import { AddPart } from './object-field.js';
import type { JsonNode } from './json-tree.js';
import type { Shape } from './schema-parts.js';
import { markedString } from '../text/mark-text.js';

type ListShape = Extract<Shape, { kind: 'list' }>;

/** The items that a form draws at first. */
const FIRST = 50;

/** A list: its items, each with buttons to move and remove it. */
export function ListField({ shape, ...field }: FieldProps & { shape: ListShape }) {
  const { root } = useContext(FormContext);
  const { node, path, name, isRequired } = field;
  const items = node?.kind === 'array' ? node.items : [];
  const end = useField({ path: [...path, items.length], node: undefined });
  const whole = useField(field);
  if (!node && !isRequired) return <AddPart field={field} />;
  const add = () => {
    const item = newValueText(shape.items, root);
    if (node) end.write(item);
    else whole.write(`[${item}]`);
  };
  return (
    <FieldGroup field={field} actions={<RemoveButton field={field} />}>
      {items.slice(0, FIRST).map((item, index) => (
        <Item key={index} list={field} schema={shape.items} item={item} index={index} count={items.length} />
      ))}
      {items.length > FIRST && <p class="faint">The other {items.length - FIRST} items are in the JSON text.</p>}
      <div class="form-add">
        <button
          type="button"
          class="button button-small"
          onClick={add}
          aria-label={`Add item to ${markedString(name)}`}
        >
          Add item
        </button>
        <span class="faint">{items.length === 0 && 'no items'}</span>
      </div>
    </FieldGroup>
  );
}

interface ItemProps {
  list: FieldProps;
  schema: unknown;
  item: JsonNode;
  index: number;
  count: number;
}

function Item({ list: { path, name }, schema, item, index, count }: ItemProps) {
  const { Field } = useContext(FormContext);
  const own = [...path, index];
  const { remove, replaceText } = useField({ path: own, node: item });
  const label = `item ${index + 1} of ${markedString(name)}`;
  return (
    <div class="form-item">
      <Field schema={schema} path={own} node={item} name={`${name} ${index + 1}`} isRequired />
      <div class="form-item-actions">
        <button
          type="button"
          class="button button-small"
          disabled={index === 0}
          aria-label={`Move ${label} up`}
          onClick={() => replaceText((text) => swapWithNext(text, path, index - 1))}
        >
          ↑
        </button>
        <button
          type="button"
          class="button button-small"
          disabled={index === count - 1}
          aria-label={`Move ${label} down`}
          onClick={() => replaceText((text) => swapWithNext(text, path, index))}
        >
          ↓
        </button>
        <button type="button" class="button button-small" aria-label={`Remove ${label}`} onClick={remove}>
          Remove
        </button>
      </div>
    </div>
  );
}
