import { HostileText } from '../text/hostile-text.js';
import { jsonProblem } from './json-problem.js';

interface Props {
  id: string;
  label: string;
  text: string;
  onText: (text: string) => void;
  testId?: string;
  hint?: string;
}

/** A JSON text as a person types it, and where it is wrong. */
export function JsonEditor({ id, label, text, onText, testId, hint }: Props) {
  const problem = text.trim() === '' ? undefined : jsonProblem(text);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        class="textarea"
        id={id}
        data-testid={testId}
        value={text}
        spellcheck={false}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-note`}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <p id={`${id}-note`} class={problem === undefined ? 'faint' : 'field-error'}>
        {problem === undefined ? hint : <HostileText text={problem} limit={300} />}
      </p>
    </div>
  );
}
