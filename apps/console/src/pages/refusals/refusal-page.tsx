import type { LocatedProblem, Refusal, TextRange } from '@errand/contracts';
import { Fragment } from 'preact';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { useLoaded } from '../../api/use-loaded.js';
import { CopyButton } from '../../parts/copy-button.js';
import { stateOfOne } from '../../parts/list-view.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { CallList } from '../../source/call-list.js';
import { ObservationBox } from '../../source/observation-box.js';
import { ProblemList } from '../../source/problem-list.js';
import { SourceText } from '../../source/source-text.js';
import { applyFix, chosenMark, marksOf } from '../../source/text-marks.js';
import { shownCalls, useParsed } from '../../source/use-parsed.js';
import type { PageProps } from '../../lazy-page.js';
import { HostileText } from '../../text/hostile-text.js';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { saveDraft } from '../try/draft.js';
import { Recovery } from './refusal-rows.js';
import { refusedTools } from './refused-tools.js';
import './refusals.css';

/** So many tools of a refusal have their names at its top. */
const SHOWN_TOOLS = 5;

/** One refused submission: its text with the errors under their characters, and what the model was told. */
export default function RefusalPage({ id }: PageProps) {
  const path = `/v1/refusals/${encodeURIComponent(id)}`;
  const loaded = useLoaded(path, (signal) => read<Refusal>(path, {}, signal));
  const { data } = loaded;
  if (data === undefined && isNotFound(loaded.error))
    return (
      <Page page="refusal" title="Refusal" state="error">
        <NotFoundNotice what={`There is no refusal ${id}`} />
      </Page>
    );
  return (
    <Page
      page="refusal"
      title={data ? `Refusal: ${data.code.replaceAll('_', ' ')}` : 'Refusal'}
      state={stateOfOne(loaded)}
      subtitle={data && <Facts refusal={data} />}
    >
      {data ? (
        <RefusedText key={data.id} refusal={data} />
      ) : loaded.isLoading ? (
        <LoadingRows />
      ) : (
        <ErrorNotice error={loaded.error} onRetry={loaded.reload} />
      )}
    </Page>
  );
}

function Facts({ refusal }: { refusal: Refusal }) {
  const { id, at, agent, session, recoveredBy, code } = refusal;
  const { called, nearest, known } = refusedTools(refusal);
  return (
    <p class="refusal-head" data-testid="refusal" data-id={id} data-code={code}>
      <Time at={at} withDistance />
      <ToolNames word="calls" toolIds={called} known={known} />
      <ToolNames word="nearest tool" toolIds={nearest} known={known} />
      {agent !== null && (
        <span>
          agent <HostileText text={agent} limit={80} />
        </span>
      )}
      {session !== null && (
        <a href={`/console/sessions/${encodeURIComponent(session)}`}>
          <HostileText text={session} limit={80} isFixed />
        </a>
      )}
      <Recovery recoveredBy={recoveredBy} />
    </p>
  );
}

interface NamesProps {
  word: string;
  toolIds: readonly string[];
  /** The tools that have a page. */
  known: readonly string[];
}

function ToolNames({ word, toolIds, known }: NamesProps) {
  if (toolIds.length === 0) return null;
  const rest = toolIds.length - SHOWN_TOOLS;
  return (
    <span>
      {word}{' '}
      {toolIds.slice(0, SHOWN_TOOLS).map((toolId, n) => {
        const name = <HostileText text={toolId} limit={80} isFixed />;
        return (
          <Fragment key={toolId}>
            {n > 0 && ', '}
            {known.includes(toolId) ? <a href={`/console/tools/${encodeURIComponent(toolId)}`}>{name}</a> : name}
          </Fragment>
        );
      })}
      {rest > 0 && ` and ${rest} more`}
    </span>
  );
}

/** The text as it was refused, or as fixes have changed it. */
function RefusedText({ refusal }: { refusal: Refusal }) {
  const { route } = useLocation();
  const [text, setText] = useState(refusal.text);
  const [chosen, choose] = useState<TextRange>();
  const isText = refusal.errors.some((error) => 'line' in error);
  const agent = refusal.agent ?? '';
  const { parsed, error } = useParsed(isText ? text : '', { agent, delayMs: 0 });
  const isChanged = text !== refusal.text;
  const errors: readonly Partial<LocatedProblem>[] = parsed && isText ? parsed.errors : isChanged ? [] : refusal.errors;
  // A mark without its end would cover one character until the text is parsed.
  const isParsing = isText && parsed === undefined && error === undefined;
  const marked = isParsing ? errors.filter(({ endLine }) => endLine !== undefined) : errors;
  const marks = [...marksOf(text, { ...parsed, errors: marked }), ...(chosen ? [chosenMark(text, chosen)] : [])];
  const tryIt = () => {
    saveDraft(text);
    route(agent === '' ? '/console/try' : `/console/try?agent=${encodeURIComponent(agent)}`);
  };
  return (
    <div class="stack">
      <div class="source-columns">
        <section class="source-column" aria-label="What the model wrote">
          <SourceText text={text} marks={marks} label="Text of the submission" />
          <div class="refusal-actions">
            {isText && (
              <button type="button" class="button button-primary" data-testid="to-try" onClick={tryIt}>
                Try this text
              </button>
            )}
            {!isText && refusal.toolIds[0] !== undefined && (
              <a
                class="button button-primary"
                data-testid="to-try"
                href={`/console/try?tool=${encodeURIComponent(refusal.toolIds[0])}`}
              >
                Try this tool
              </a>
            )}
            {isChanged && (
              <button type="button" class="button" onClick={() => setText(refusal.text)}>
                Undo the fixes
              </button>
            )}
            <CopyButton text={text}>Copy the text</CopyButton>
          </div>
        </section>
        <section class="source-column" aria-label="Errors and calls">
          <ProblemList
            errors={errors}
            warnings={parsed?.warnings ?? []}
            onChoose={choose}
            onFix={(fix) => setText(applyFix(text, fix))}
          />
          {isChanged && parsed?.errors.length === 0 && (
            <p class="notice-line notice-good" role="status">
              With these fixes the text would run.
            </p>
          )}
          <CallList calls={shownCalls(parsed)} onChoose={choose} />
        </section>
      </div>
      <ObservationBox
        observation={isChanged ? (parsed?.observation ?? null) : refusal.observation}
        none="The model would be told nothing."
      />
    </div>
  );
}
