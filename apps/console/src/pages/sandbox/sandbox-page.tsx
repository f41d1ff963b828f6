import type { SandboxReport } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { read, send } from '../../api/call-api.js';
import { isOperator } from '../../api/session.js';
import { useLoaded } from '../../api/use-loaded.js';
import { usePolling } from '../../api/use-polling.js';
import { ActionButton } from '../../parts/action-button.js';
import { now } from '../../parts/clock.js';
import { ListView, stateOfList, type ListPage } from '../../parts/list-view.js';
import { InParts, PART } from '../../parts/in-parts.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { showToast } from '../../shell/toasts.js';
import { ReportCard } from './report-card.js';
import './sandbox.css';

/** How long the page looks for the reports of a requested run to begin, in ms. */
const AWAITED_MS = 60_000;

/** How many reports are shown together. A report has up to 40 attacks, with 15 elements each. */
const AT_ONCE = 3;

/** The attack runs of the script-runners. */
export default function SandboxPage() {
  const [requestedAt, setRequestedAt] = useState(-Infinity);
  const list = useLoaded('sandbox', (signal) => read<ListPage<SandboxReport>>('/v1/sandbox/report', {}, signal));
  const isRunning = list.data?.items.some(({ state }) => state === 'running') ?? false;
  const isAwaited = now.value - requestedAt < AWAITED_MS;
  usePolling(isRunning || isAwaited, list.reload);
  const check = async () => {
    await send('POST', '/v1/sandbox/check');
    setRequestedAt(Date.now());
    showToast('Each script-runner attacks its sandbox now');
  };
  return (
    <Page
      page="sandbox"
      title="Sandbox"
      state={stateOfList(list)}
      subtitle="Each script-runner runs known attacks in its own sandbox. An open attack means: run no untrusted scripts on that host."
      actions={
        <ActionButton testId="sandbox-check" forOperator look="primary" isDisabled={isRunning} onAction={check}>
          {isRunning ? 'Attacks run…' : 'Attack the sandboxes'}
        </ActionButton>
      }
    >
      <ListView
        list={list}
        empty={
          <EmptyNotice title="No script-runner was attacked in the last 7 days">
            {isOperator.value ? 'Start a run with the button above.' : 'Only the operator can start a run.'} It needs a
            script-runner, and takes some minutes.
          </EmptyNotice>
        }
      >
        {(all) => (
          <InParts items={all} at={PART} size={AT_ONCE} label="reports">
            {(items) => (
              <ul class="stack">
                {items.map((report) => (
                  <ReportCard key={report.runner} report={report} />
                ))}
              </ul>
            )}
          </InParts>
        )}
      </ListView>
    </Page>
  );
}
