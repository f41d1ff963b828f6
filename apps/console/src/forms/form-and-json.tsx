import { JsonEditor } from './json-editor.js';
import { LazyForm } from './lazy-form.js';

interface Props {
  id: string;
  schema: unknown;
  text: string;
  onText: (text: string) => void;
  /** How people know the value. */
  name: string;
  formTestId?: string;
  jsonTestId?: string;
}

/** A form beside its JSON text. Both show the same text, and each change of one is in the other at once. */
export function FormAndJson({ id, schema, text, onText, name, formTestId, jsonTestId }: Props) {
  return (
    <div class="form-pair">
      <div data-testid={formTestId} role="group" aria-label={`Form of ${name}`}>
        <LazyForm schema={schema} text={text} onText={onText} name={name} />
      </div>
      <JsonEditor
        id={id}
        label={`JSON of ${name}`}
        text={text}
        onText={onText}
        {...(jsonTestId && { testId: jsonTestId })}
      />
    </div>
  );
}
