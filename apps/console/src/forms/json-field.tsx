import { useState } from 'preact/hooks';
import { describedBy, FieldFrame, RemoveButton } from './field-frame.js';
import { useField, type FieldProps } from './form-context.js';
import { jsonProblem } from './json-problem.js';
import { HostileText } from '../text/hostile-text.js';

/** A part that the form cannot draw, as JSON. It is written into the text when it is JSON. */
export function JsonField({ reason, ...field }: FieldProps & { reason: string }) {
  const { id, raw, problems, write, remove } = useField(field);
  const [draft, setDraft] = useState<string>();
  const [mistake, setMistake] = useState<string>();
  const change = (next: string) => {
    const isEmpty = next.trim() === '';
    const found = isEmpty ? undefined : jsonProblem(next);
    setDraft(found === undefined ? undefined : next);
    setMistake(found);
    if (isEmpty && field.node && !field.isRequired) remove();
    else if (!isEmpty && found === undefined) write(next.trim());
  };
  return (
    <FieldFrame field={field} mistake={mistake} actions={<RemoveButton field={field} />}>
      <p class="faint form-json-note">
        Shown as JSON, because <HostileText text={reason} limit={200} />.
      </p>
      <textarea
        class="textarea"
        id={id}
        data-testid="form-json"
        value={draft ?? raw ?? ''}
        spellcheck={false}
        aria-describedby={describedBy(id)}
        aria-invalid={mistake !== undefined || problems.length > 0}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
    </FieldFrame>
  );
}
