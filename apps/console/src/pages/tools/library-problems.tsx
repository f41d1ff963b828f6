import type { LibraryProblem } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { formatCount, plural } from '../../parts/format.js';
import { HostileText } from '../../text/hostile-text.js';

const FIRST = 5;

/** Files of the library that do not load, with the place and the hint. */
export function LibraryProblems({ problems }: { problems: readonly LibraryProblem[] }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? problems.slice(0, 100) : problems.slice(0, FIRST);
  const rest = problems.length - shown.length;
  if (problems.length === 0) return null;
  return (
    <section class="problems" aria-label="Problems of the library">
      <ul>
        {shown.map((problem, index) => (
          <li key={index} class="library-problem" data-testid="problem" data-file={problem.file}>
            <p class="problem-place mono">
              <HostileText text={placeOf(problem)} limit={300} />
            </p>
            <p>
              <HostileText text={problem.message} />
            </p>
            {problem.suggestion !== undefined && (
              <p class="problem-hint">
                Did you mean{' '}
                <code>
                  <HostileText text={problem.suggestion} />
                </code>
                ?
              </p>
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show {formatCount(rest)} more {plural(rest, 'problem', 'problems')}
        </button>
      )}
    </section>
  );
}

/** `tools/a.tool.json:3:7, parameters.x` */
function placeOf({ file, line, column, field }: LibraryProblem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return field === undefined || field === '' ? place : `${place}, ${field}`;
}
