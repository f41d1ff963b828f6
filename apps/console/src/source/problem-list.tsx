import type { LocatedProblem, LocatedWarning, TextFix, TextRange } from '@errand/contracts';
import { InParts } from '../parts/in-parts.js';
import { HostileText } from '../text/hostile-text.js';
import { PlaceButton } from './call-list.js';
import './source.css';

/** So many problems are in the page at a time. */
const SHOWN = 50;

interface Props {
  errors: readonly Partial<LocatedProblem>[];
  warnings?: readonly LocatedWarning[];
  onChoose?: ((range: TextRange) => void) | undefined;
  /** Undefined where the text cannot be changed. */
  onFix?: ((fix: TextFix) => void) | undefined;
}

/** The errors of a text, each with its place and its fix, and the warnings. */
export function ProblemList({ errors, warnings = [], onChoose, onFix }: Props) {
  if (errors.length + warnings.length === 0) return null;
  const problems = [
    ...errors.map((error, n) => <ErrorItem key={`e${n}`} error={error} onChoose={onChoose} onFix={onFix} />),
    ...warnings.map((warning, n) => <WarningItem key={`w${n}`} warning={warning} onChoose={onChoose} />),
  ];
  return (
    <InParts items={problems} at="problems" size={SHOWN} label="problems">
      {(part) => (
        <ul class="problem-list" aria-label="Problems of the text">
          {part}
        </ul>
      )}
    </InParts>
  );
}

function ErrorItem({ error, onChoose, onFix }: { error: Partial<LocatedProblem> } & Pick<Props, 'onChoose' | 'onFix'>) {
  return (
    <li class="problem problem-bad" data-testid="text-error" data-kind={error.kind}>
      <span class="tag tag-bad">{error.kind?.replaceAll('_', ' ') ?? 'error'}</span>
      <span class="problem-actions">
        {error.line !== undefined && error.column !== undefined && onChoose && (
          <PlaceButton range={rangeOf(error)} name="the error" onChoose={onChoose} />
        )}
        {error.fix && onFix && <FixButton fix={error.fix} onFix={onFix} />}
      </span>
      <p class="problem-text">
        <HostileText text={error.message ?? ''} />
        {error.suggestion !== undefined && (
          <span class="faint">
            {' '}
            – did you mean <HostileText text={error.suggestion} limit={200} />?
          </span>
        )}
      </p>
    </li>
  );
}

function WarningItem({ warning, onChoose }: { warning: LocatedWarning } & Pick<Props, 'onChoose'>) {
  const { message, line, column } = warning;
  const range = { line, column, endLine: line, endColumn: column + 1 };
  return (
    <li class="problem" data-testid="text-warning">
      <span class="tag tag-repair">warning</span>
      <span class="problem-actions">
        {onChoose && <PlaceButton range={range} name="the warning" onChoose={onChoose} />}
      </span>
      <p class="problem-text">
        <HostileText text={message} />
      </p>
    </li>
  );
}

function FixButton({ fix, onFix }: { fix: TextFix; onFix: (fix: TextFix) => void }) {
  return (
    <button type="button" class="button button-small" data-testid="apply-fix" onClick={() => onFix(fix)}>
      Fix:{' '}
      {fix.text === '' ? (
        'remove it'
      ) : (
        <code>
          <HostileText text={fix.text.trim()} limit={40} isFixed />
        </code>
      )}
    </button>
  );
}

function rangeOf({ line = 1, column = 1, endLine, endColumn }: Partial<LocatedProblem>): TextRange {
  return { line, column, endLine: endLine ?? line, endColumn: endColumn ?? column + 1 };
}
