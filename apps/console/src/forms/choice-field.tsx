import { markedString } from '../text/mark-text.js';
import { describedBy, FieldFrame } from './field-frame.js';
import { useField, type FieldProps } from './form-context.js';
import { sameValue } from './same-value.js';
import type { Choice } from './schema-parts.js';

const OTHER = 'other';

/** One of the values that the schema lists. Another value that the text has stays until a person chooses one. */
export function ChoiceField({ choices, ...field }: FieldProps & { choices: readonly Choice[] }) {
  const { id, raw, problems, write, remove } = useField(field);
  const value: unknown = raw === undefined ? undefined : JSON.parse(raw);
  const chosen = raw === undefined ? -1 : choices.findIndex((choice) => sameValue(choice.value, value));
  const isOther = raw !== undefined && chosen === -1;
  const change = (index: string) => {
    if (index === '') remove();
    else if (index !== OTHER) write(JSON.stringify(choices[Number(index)]?.value ?? null));
  };
  return (
    <FieldFrame field={field}>
      <select
        class="select"
        id={id}
        value={isOther ? OTHER : chosen === -1 ? '' : String(chosen)}
        aria-describedby={describedBy(id)}
        aria-invalid={problems.length > 0}
        aria-required={field.isRequired}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      >
        {(raw === undefined || !field.isRequired) && <option value="">not given</option>}
        {isOther && <option value={OTHER}>{markedString(raw.slice(0, 200))} (not in the list)</option>}
        {choices.map(({ label }, index) => (
          <option key={index} value={String(index)}>
            {markedString(label.slice(0, 200))}
          </option>
        ))}
      </select>
    </FieldFrame>
  );
}
