import { useState } from 'preact/hooks';
import { describedBy, FieldFrame, RemoveButton } from './field-frame.js';
import { useField, type FieldProps } from './form-context.js';
import { JsonField } from './json-field.js';
import { isJsonNumber } from './json-tree.js';
import { HostileText } from '../text/hostile-text.js';
import { sameValue } from './same-value.js';

const LONG_TEXT = 60;

/** A text. An emptied optional field leaves the value out. */
export function TextField(field: FieldProps) {
  const { id, problems, write, remove } = useField(field);
  const { node, isRequired } = field;
  const value = node?.kind === 'string' ? node.value : '';
  const [isLong] = useState(value.length > LONG_TEXT || value.includes('\n'));
  const change = (next: string) => (next === '' && !isRequired ? node && remove() : write(JSON.stringify(next)));
  const common = {
    id,
    value,
    'aria-describedby': describedBy(id),
    'aria-invalid': problems.length > 0,
    'aria-required': isRequired,
    spellcheck: false,
  };
  return (
    <FieldFrame field={field} actions={value === '' && <RemoveButton field={field} />}>
      {isLong ? (
        <textarea class="textarea" {...common} onInput={({ currentTarget }) => change(currentTarget.value)} />
      ) : (
        <input class="input" type="text" {...common} onInput={({ currentTarget }) => change(currentTarget.value)} />
      )}
    </FieldFrame>
  );
}

/** A number as it was typed: `1.0` stays `1.0`, and a large one keeps its digits. */
export function NumberField({ isWhole, ...field }: FieldProps & { isWhole: boolean }) {
  const { id, raw = '', problems, write, remove } = useField(field);
  const [draft, setDraft] = useState<string>();
  const change = (next: string) => {
    const isNumber = isJsonNumber(next);
    setDraft(isNumber || (next === '' && !field.isRequired) ? undefined : next);
    if (isNumber) write(next);
    else if (next === '' && field.node && !field.isRequired) remove();
  };
  const mistake =
    draft === undefined ? undefined : `Type a ${isWhole ? 'whole number such as 12' : 'number such as 1.5'}`;
  return (
    <FieldFrame field={field} mistake={mistake}>
      <input
        class="input form-number"
        type="text"
        id={id}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        value={draft ?? raw}
        aria-describedby={describedBy(id)}
        aria-invalid={mistake !== undefined || problems.length > 0}
        aria-required={field.isRequired}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </FieldFrame>
  );
}

/** A box to tick. A value that is not given is shown as not ticked; a required one can then be set to false at once. */
export function BooleanField(field: FieldProps) {
  const { id, write } = useField(field);
  const { node } = field;
  return (
    <FieldFrame field={field} actions={<RemoveButton field={field} />}>
      <span class="check">
        <input
          type="checkbox"
          id={id}
          checked={node?.kind === 'boolean' && node.value}
          aria-describedby={describedBy(id)}
          onChange={({ currentTarget }) => write(String(currentTarget.checked))}
        />
        <span class="faint">{node?.kind === 'boolean' ? String(node.value) : 'not given'}</span>
        {!node && field.isRequired && (
          <button
            type="button"
            class="button button-small"
            aria-describedby={describedBy(id)}
            onClick={() => write('false')}
          >
            Set to false
          </button>
        )}
      </span>
    </FieldFrame>
  );
}

/** A value that the schema fixes. */
export function ConstantField({ value, ...field }: FieldProps & { value: unknown }) {
  const { id, raw, write } = useField(field);
  if (raw !== undefined && !sameValue(JSON.parse(raw), value))
    return <JsonField {...field} reason="its value is not the one that the schema fixes" />;
  return (
    <FieldFrame field={field} actions={<RemoveButton field={field} />}>
      <span class="check">
        <input
          type="checkbox"
          id={id}
          checked={raw !== undefined}
          disabled={raw !== undefined}
          aria-describedby={describedBy(id)}
          onChange={() => write(JSON.stringify(value))}
        />
        <code>
          <HostileText text={JSON.stringify(value) ?? 'null'} limit={200} />
        </code>
      </span>
    </FieldFrame>
  );
}
