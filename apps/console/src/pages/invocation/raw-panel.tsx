import type { Invocation } from '@errand/contracts';
import { CopyButton } from '../../parts/copy-button.js';
import { JsonText } from '../../parts/json-text.js';
import { pathOf } from './use-invocation.js';

/** The invocation as the API gives it. */
export function RawPanel({ invocation }: { invocation: Invocation }) {
  return (
    <div class="stack">
      <div class="actions">
        <CopyButton text={JSON.stringify(invocation, null, 2)}>Copy the JSON</CopyButton>
        <a class="button button-small" href={pathOf(invocation.id)} download={`${invocation.id}.json`}>
          Download
        </a>
      </div>
      <JsonText value={invocation} label="The invocation as JSON" testId="raw" />
    </div>
  );
}
