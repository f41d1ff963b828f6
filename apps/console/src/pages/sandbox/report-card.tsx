import type { AttackOutcome, SandboxReport } from '@errand/contracts';
import { formatDuration } from '../../parts/format.js';
import { ShapeIcon } from '../../parts/status-mark.js';
import { Time } from '../../parts/time.js';
import '../../styles/stacked-table.css';
import { HostileText } from '../../text/hostile-text.js';

/** The last attack run of one script-runner. What was not stopped is first. */
export function ReportCard({ report }: { report: SandboxReport }) {
  const { runner, host, at, runtime, attacks, error } = report;
  const sorted = attacks.toSorted((a, b) => Number(a.held) - Number(b.held));
  return (
    <li
      class="panel panel-body sandbox-report"
      data-testid="sandbox-report"
      data-runner={runner}
      data-state={report.state}
    >
      <header class="sandbox-head">
        <h2>
          <HostileText text={host} />
        </h2>
        <Verdict report={report} />
        <span class="faint">
          Runtime <HostileText text={runtime} />, <Time at={at} withDistance />
        </span>
      </header>
      <p class="faint mono">
        <HostileText text={runner} limit={120} isFixed />
      </p>
      {error !== undefined && (
        <p class="field-error">
          The run has failed: <HostileText text={error} />
        </p>
      )}
      {sorted.length > 0 && <AttackTable attacks={sorted} label={`Attacks on ${host}`} />}
    </li>
  );
}

function Verdict({ report: { state, total, attacks } }: { report: SandboxReport }) {
  const open = attacks.filter(({ held }) => !held).length;
  if (open > 0)
    return (
      <span class="status tone-bad">
        <ShapeIcon shape="cross" />
        {open} open
      </span>
    );
  if (state === 'running')
    return (
      <span class="status tone-running">
        <ShapeIcon shape="triangle" />
        {attacks.length} of {total}
      </span>
    );
  if (state === 'failed')
    return (
      <span class="status tone-idle">
        <ShapeIcon shape="slash" />
        Incomplete
      </span>
    );
  return (
    <span class="status tone-good">
      <ShapeIcon shape="check" />
      All {total} held
    </span>
  );
}

function AttackTable({ attacks, label }: { attacks: readonly AttackOutcome[]; label: string }) {
  return (
    <div class="table-scroll sandbox-attacks" tabIndex={0} role="region" aria-label={label}>
      <table class="table-stacked">
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Attack</th>
            <th scope="col">What it attempts</th>
            <th scope="col" class="number">
              Took
            </th>
          </tr>
        </thead>
        <tbody>
          {attacks.map(({ name, held, tookMs, note }) => (
            <tr key={name} data-testid="attack" data-name={name} data-held={held}>
              <td>
                <span class={held ? 'status tone-good' : 'status tone-bad'}>
                  <ShapeIcon shape={held ? 'check' : 'cross'} />
                  {held ? 'Held' : 'Open'}
                </span>
              </td>
              <td class="mono">
                <HostileText text={name} limit={80} isFixed />
              </td>
              <td>
                <HostileText text={note} limit={400} />
              </td>
              <td class="number">{formatDuration(tookMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
