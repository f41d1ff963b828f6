import { useContext, useState } from 'preact/hooks';
import { FieldGroup, RemoveButton } from './field-frame.js';
import { FormContext, useField, type FieldProps } from './form-context.js';
import { newValueText } from './initial-text.js';
import { memberOf } from './json-tree.js';
import { shapeOf, type Schema, type Shape } from './schema-parts.js';
import { HostileText } from '../text/hostile-text.js';
import { markedString } from '../text/mark-text.js';

type ObjectShape = Extract<Shape, { kind: 'object' }>;

/** An object: a field for each property of the schema, then the other members of the value. */
export function ObjectField({ shape, ...field }: FieldProps & { shape: ObjectShape }) {
  const { Field } = useContext(FormContext);
  const { node, path, isRequired } = field;
  if (!node && !isRequired) return <AddPart field={field} />;
  const known = new Set(shape.properties.map(({ name }) => name));
  const others = node?.kind === 'object' ? node.members.filter(({ key }) => !known.has(key)) : [];
  const isOpen = shape.others !== false && (shape.others !== undefined || known.size === 0);
  return (
    <FieldGroup field={field} actions={<RemoveButton field={field} />}>
      {shape.properties.map(({ name, schema, isRequired: isNeeded }) => (
        <Field
          key={name}
          schema={schema}
          path={[...path, name]}
          node={memberOf(node, name)?.value}
          name={name}
          isRequired={isNeeded}
        />
      ))}
      {[...new Set(others.map(({ key }) => key))].map((key) => (
        <Field
          key={key}
          schema={typeof shape.others === 'object' ? shape.others : true}
          path={[...path, key]}
          node={memberOf(node, key)?.value}
          name={key}
          isRequired={false}
        />
      ))}
      {isOpen && <NewMember field={field} others={shape.others} />}
    </FieldGroup>
  );
}

/** A part that is not given. */
export function AddPart({ field }: { field: FieldProps }) {
  const { root } = useContext(FormContext);
  const { write } = useField(field);
  return (
    <div class="form-add">
      <button type="button" class="button button-small" onClick={() => write(newValueText(field.schema, root))}>
        Add <HostileText text={field.name} limit={80} isFixed />
      </button>
      <span class="faint">not given</span>
    </div>
  );
}

/** Adds a member with a name that the schema does not list. */
function NewMember({ field, others }: { field: FieldProps; others: Schema | boolean | undefined }) {
  const { root } = useContext(FormContext);
  const { id } = useField(field);
  const [name, setName] = useState('');
  const target = useField({ path: [...field.path, name], node: undefined });
  const add = () => {
    if (name === '' || memberOf(field.node, name)) return;
    target.write(
      typeof others === 'object' && shapeOf(others, root).kind !== 'json' ? newValueText(others, root) : '""',
    );
    setName('');
  };
  return (
    <div class="form-add">
      <label class="visually-hidden" for={`${id}-new`}>
        Name of a new field of {markedString(field.name)}
      </label>
      <input
        class="input"
        id={`${id}-new`}
        value={name}
        placeholder="New field"
        spellcheck={false}
        onInput={({ currentTarget }) => setName(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <button type="button" class="button button-small" disabled={name === ''} onClick={add}>
        Add field
      </button>
    </div>
  );
}
