import type { ComponentChildren } from 'preact';
import { HostileText } from '../text/hostile-text.js';
import { useField, type FieldProps } from './form-context.js';
import { textOf } from './schema-parts.js';
import { markedString } from '../text/mark-text.js';

interface Props {
  field: FieldProps;
  /** Beside the label. */
  actions?: ComponentChildren;
  /** A mistake that is not in the text yet. */
  mistake?: string | undefined;
  children: ComponentChildren;
}

/** The ids of what describes a field, for `aria-describedby`. */
export function describedBy(id: string): string {
  return `${id}-about ${id}-wrong`;
}

/** A label, the description of the schema, the control and its mistakes. */
export function FieldFrame({ field, actions, mistake, children }: Props) {
  const { id, problems } = useField(field);
  const shown = mistake === undefined ? problems : [mistake];
  return (
    <div class="field form-field">
      <div class="form-label">
        <label for={id}>
          <FieldName field={field} />
        </label>
        {actions}
      </div>
      {children}
      <FieldNotes id={id} schema={field.schema} mistakes={shown} />
    </div>
  );
}

/** Several controls under one name: an object, a list, alternatives. */
export function FieldGroup({ field, actions, children }: Props) {
  const { id, problems } = useField(field);
  const isBare = field.path.length === 0 || (field.alternatives ?? 0) > 0;
  return (
    <fieldset class={isBare ? 'form-group form-bare' : 'form-group'} aria-describedby={describedBy(id)}>
      <legend class={isBare ? 'visually-hidden' : ''}>
        <FieldName field={field} />
      </legend>
      {actions}
      <FieldNotes id={id} schema={field.schema} mistakes={problems} />
      {children}
    </fieldset>
  );
}

function FieldName({ field: { name, schema, isRequired, path } }: { field: FieldProps }) {
  const title = textOf(schema, 'title');
  return (
    <>
      <HostileText text={title ?? name} limit={200} isFixed />
      {title !== undefined && title !== name && (
        <code class="faint">
          {' '}
          <HostileText text={name} limit={200} isFixed />
        </code>
      )}
      {isRequired && typeof path.at(-1) === 'string' && <span class="faint"> (required)</span>}
    </>
  );
}

function FieldNotes({ id, schema, mistakes }: { id: string; schema: unknown; mistakes: readonly string[] }) {
  const description = textOf(schema, 'description');
  return (
    <>
      <div id={`${id}-about`} class="form-about">
        {description !== undefined && <HostileText text={description} limit={500} />}
      </div>
      <div id={`${id}-wrong`} class="field-error">
        {mistakes.map((mistake) => (
          <p key={mistake}>
            <HostileText text={mistake} limit={500} />
          </p>
        ))}
      </div>
    </>
  );
}

/** Removes a value that the schema does not require. */
export function RemoveButton({ field, label }: { field: FieldProps; label?: string }) {
  const { remove } = useField(field);
  if (!field.node || field.isRequired || field.path.length === 0) return null;
  return (
    <button
      type="button"
      class="button button-small"
      aria-label={label ?? `Remove ${markedString(field.name)}`}
      onClick={remove}
    >
      Remove
    </button>
  );
}
