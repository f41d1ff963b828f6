import { HostileText } from '../text/hostile-text.js';

/** A JSON value as indented text, the beginning of it if it is long. */
export function JsonText({ value, label, testId }: { value: unknown; label: string; testId?: string }) {
  return (
    <pre class="json-text" tabIndex={0} role="group" aria-label={label} data-testid={testId}>
      <HostileText text={JSON.stringify(value, null, 2) ?? 'undefined'} />
    </pre>
  );
}
