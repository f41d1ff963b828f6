import type { ToolStats } from '@errand/contracts';
import { addressOf } from '../../api/call-api.js';
import type { Loaded } from '../../api/use-loaded.js';
import { formatCount, formatDuration } from '../../parts/format.js';
import { ErrorNotice, LoadingRows, PartialNotice } from '../../parts/notices.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';

interface Props {
  stats: Loaded<ToolStats>;
  toolId: string;
}

/** How often the tool was called in the last 30 days, and how that ended. */
export function ToolFigures({ stats: { data, error, reload }, toolId }: Props) {
  return (
    <section class="panel section" data-testid="stats" aria-labelledby="stats-title">
      <h2 id="stats-title">Calls of the last 30 days</h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
      {data === undefined && error === undefined && <LoadingRows count={2} />}
      <PartialNotice answer={data} />
      {data !== undefined && (
        <>
          <Figures stats={data} />
          {data.errors.length > 0 && <Errors stats={data} toolId={toolId} />}
          {data.calls > 0 && <a href={addressOf('/console/invocations', { toolId })}>Show its invocations</a>}
        </>
      )}
    </section>
  );
}

function Figures({ stats: { calls, failed, p50Ms, p95Ms, lastUsedAt } }: { stats: ToolStats }) {
  const rate = calls > 0 ? ` (${((failed / calls) * 100).toFixed(1)} %)` : '';
  const durationOf = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
  return (
    <dl class="tool-figures">
      <div>
        <dt>Calls</dt>
        <dd>{formatCount(calls)}</dd>
      </div>
      <div>
        <dt>Failed</dt>
        <dd>
          {formatCount(failed)}
          {failed > 0 && <span class="faint">{rate}</span>}
        </dd>
      </div>
      <div>
        <dt>Median duration</dt>
        <dd>{durationOf(p50Ms)}</dd>
      </div>
      <div>
        <dt>95 % within</dt>
        <dd>{durationOf(p95Ms)}</dd>
      </div>
      <div>
        <dt>Last call</dt>
        <dd>
          <Time at={lastUsedAt} />
        </dd>
      </div>
    </dl>
  );
}

function Errors({ stats: { errors }, toolId }: { stats: ToolStats; toolId: string }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Error</th>
          <th scope="col" class="number">
            Invocations
          </th>
        </tr>
      </thead>
      <tbody>
        {errors.map(({ type, count }) => (
          <tr key={type}>
            <td>
              <a href={addressOf('/console/invocations', { toolId, errorType: type })}>
                <HostileText text={type} isFixed />
              </a>
            </td>
            <td class="number">{formatCount(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The parameters that models get wrong: calls that were refused. */
export function Misreadings({ stats: { data }, toolId }: Props) {
  const refusals = data?.refusals ?? [];
  return (
    <section class="panel section" data-testid="misreadings" aria-labelledby="misreadings-title">
      <h2 id="misreadings-title">What models get wrong</h2>
      {data !== undefined && refusals.length === 0 && (
        <p class="faint">No call of the last 30 days was refused for a parameter of this tool.</p>
      )}
      {refusals.length > 0 && (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">Parameter</th>
                <th scope="col">What is wrong</th>
                <th scope="col" class="number">
                  Refused
                </th>
              </tr>
            </thead>
            <tbody>
              {refusals.slice(0, 20).map(({ parameter, kind, count }) => (
                <tr key={`${parameter} ${kind}`}>
                  <td class="mono">
                    <HostileText text={parameter} limit={200} isFixed />
                  </td>
                  <td>
                    <a href={addressOf('/console/refusals', { by: 'parameter', toolId, code: kind })}>
                      <HostileText text={kind.replaceAll('_', ' ')} isFixed />
                    </a>
                  </td>
                  <td class="number">{formatCount(count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <a href={addressOf('/console/refusals', { toolId })}>Show the refused calls</a>
        </>
      )}
    </section>
  );
}
