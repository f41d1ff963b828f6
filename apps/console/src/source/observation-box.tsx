import type { ComponentChildren } from 'preact';
import { CopyButton } from '../parts/copy-button.js';
import { formatCount, plural } from '../parts/format.js';
import { HostileText } from '../text/hostile-text.js';
import './source.css';

const MOST_SHOWN = 70_000;

/** The exact text that the model reads. */
export function ObservationBox({
  observation,
  none,
  children,
}: {
  observation: string | null | undefined;
  /** What stands here without one. */
  none: string;
  children?: ComponentChildren;
}) {
  const text = observation ?? '';
  return (
    <section class="observation" aria-labelledby="observation-title">
      <header class="observation-head">
        <h2 id="observation-title">Observation</h2>
        <span class="faint" data-testid="observation-size">
          {formatCount(text.length)} {plural(text.length, 'character', 'characters')}
        </span>
        {children}
        {text !== '' && <CopyButton text={text}>Copy</CopyButton>}
      </header>
      <pre class="observation-text" data-testid="observation" tabIndex={0} role="group" aria-label="Observation">
        {text === '' ? <span class="faint">{none}</span> : <HostileText text={text} limit={MOST_SHOWN} />}
      </pre>
    </section>
  );
}
