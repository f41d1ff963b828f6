import type { TextFix, TextRange } from '@errand/contracts';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useUrlQuery } from '../../api/use-url-query.js';
import { ActionButton, useAction } from '../../parts/action-button.js';
import { ErrorNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { CallList } from '../../source/call-list.js';
import { ObservationBox } from '../../source/observation-box.js';
import { ProblemList } from '../../source/problem-list.js';
import { applyFix, marksOf, offsetsIn } from '../../source/text-marks.js';
import { shownCalls, useParsed } from '../../source/use-parsed.js';
import { readDraft, saveDraft } from './draft.js';
import { EditorBox, type EditorHandle } from './editor-box.js';
import { RunOutcome } from './run-outcome.js';
import { TryOptions } from './try-options.js';
import { EXAMPLE, TryVerdict } from './try-verdict.js';
import { submitText, useDryRun } from './use-dry-run.js';

const TYPING_MS = 300;
const NO_MARKS: readonly [] = [];

/** The text of a model, parsed as one types, with its dry run and then its real run. */
export function TryText() {
  const { get, set } = useUrlQuery();
  const [text, setText] = useState(readDraft);
  const [agent, protocol] = [get('agent'), get('protocol')];
  const [runId, setRunId] = useState<string>();
  const editor = useRef<EditorHandle>(null);
  const { parsed, latest, error } = useParsed(text, { agent, protocol, delayMs: TYPING_MS });
  const request = { text, agent, protocol };
  const dryRun = useDryRun(request, parsed);
  useEffect(() => saveDraft(text), [text]);
  const change = (next: string) => {
    setText(next);
    setRunId(undefined);
  };
  const replace = (next: string) => (editor.current ? editor.current.setText(next) : change(next));
  // The places of an older text would be wrong in the newest one.
  const applyTo = (fix: TextFix | undefined) => parsed && fix && replace(applyFix(text, fix));
  const marks = useMemo(() => parsed && marksOf(text, parsed), [parsed]);
  const choose = ({ line, column, endLine, endColumn }: TextRange) => {
    const offsetAt = offsetsIn(text);
    editor.current?.select(offsetAt(line, column), offsetAt(endLine, endColumn));
  };
  const run = async () => setRunId(await submitText(request));
  const runByKey = useAction(run);
  const canRun = dryRun.outcome !== undefined && dryRun.outcome.calls.length > 0;
  const calls = shownCalls(latest).map((call) => ({ ...call, version: dryRun.outcome?.calls[call.index]?.version }));
  return (
    <Page
      page="try"
      title="Try"
      state={error === undefined ? 'ready' : 'error'}
      subtitle="Write what a model would write. Errand reads it as you type; nothing runs until you submit it."
    >
      <div class="stack">
        <TryOptions agent={agent} protocol={protocol} onChange={set} />
        <div class="source-columns">
          <section class="source-column" aria-label="Text">
            <EditorBox
              handle={editor}
              text={text}
              marks={text === '' ? NO_MARKS : marks}
              onChange={change}
              onFix={() => applyTo(parsed?.errors.find((each) => each.fix)?.fix)}
              onRun={() => canRun && runByKey()}
            />
            <div class="try-actions">
              <ActionButton testId="try-submit" scope="invoke" look="primary" isDisabled={!canRun} onAction={run}>
                Run it
              </ActionButton>
              <TryVerdict text={text} parsed={parsed} dryRun={dryRun} />
              {text === '' ? (
                <button type="button" class="button" data-testid="try-example" onClick={() => replace(EXAMPLE)}>
                  Insert an example
                </button>
              ) : (
                <button type="button" class="button" onClick={() => replace('')}>
                  Clear
                </button>
              )}
            </div>
          </section>
          <section class="source-column" aria-label="What it means">
            {error !== undefined && <ErrorNotice error={error} />}
            <ProblemList
              errors={latest?.errors ?? []}
              warnings={latest?.warnings ?? []}
              onChoose={choose}
              onFix={applyTo}
            />
            <CallList calls={calls} onChoose={choose} />
            <ObservationBox
              observation={latest?.observation}
              none="Errors and warnings would stand here, as the model reads them."
            />
          </section>
        </div>
        {runId !== undefined && <RunOutcome key={runId} id={runId} />}
      </div>
    </Page>
  );
}
