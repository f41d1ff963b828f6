import { HostileText } from '../../text/hostile-text.js';
import type { Difference } from '../../forms/differences.js';
import './repair.css';

/** The changed arguments of a step. */
export interface StepChange {
  step: number;
  text: string;
  differences: readonly Difference[];
}

/** What a repair changes, as a table of places with the value before and after. */
export function RepairDiff({
  changes,
  brokenStep,
}: {
  changes: readonly StepChange[];
  brokenStep: number | undefined;
}) {
  return (
    <section class="stack" data-testid="retry-diff" aria-label="Changes" aria-live="polite">
      <h3>Changes</h3>
      {brokenStep !== undefined && <p class="field-error">The JSON of step {brokenStep} is not complete.</p>}
      {changes.length === 0 && brokenStep === undefined && (
        <p class="faint">None. The same arguments are tried again.</p>
      )}
      {changes.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="group" aria-label="Table of changes">
          <table>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Place</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {changes.flatMap(({ step, differences }) =>
                differences.map(({ path, before, after }) => (
                  <tr key={`${step}${path}`}>
                    <td>{step}</td>
                    <td>
                      <code>
                        <HostileText text={path === '' ? 'all' : path} limit={200} />
                      </code>
                    </td>
                    <td>
                      <Value raw={before} word="not given" mark="−" look="diff-before" />
                    </td>
                    <td>
                      <Value raw={after} word="keeps its value" mark="+" look="diff-after" />
                    </td>
                  </tr>
                )),
              )}
            </tbody>
          </table>
        </div>
      )}
      {changes.some(({ differences }) => differences.some(({ after }) => after === undefined)) && (
        <p class="notice-line">A repair cannot remove an argument at the top: one that is left out keeps its value.</p>
      )}
    </section>
  );
}

function Value({ raw, word, mark, look }: { raw: string | undefined; word: string; mark: string; look: string }) {
  if (raw === undefined) return <span class="faint">{word}</span>;
  return (
    <code class={look}>
      {mark} <HostileText text={raw} limit={300} />
    </code>
  );
}
