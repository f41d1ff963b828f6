import type { Artifact, Invocation } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { CopyButton } from '../../parts/copy-button.js';
import { formatBytes, formatCount, plural } from '../../parts/format.js';
import { JsonTree } from '../../parts/json-tree.js';
import { EmptyNotice, ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { HostileText } from '../../text/hostile-text.js';
import { ResultSearch } from './result-search.js';
import { pathOf } from './use-invocation.js';
import { isFinal } from '../../statuses.js';

/** A result of at most so many characters is shown as a tree, a longer one as parts of its text. */
const LARGEST_TREE = 500_000;
const PART = 20_000;

interface ResultPart {
  text: string;
  offset: number;
  total: number;
  nextOffset: number | null;
}

/** What the invocation gave: its result as a tree or in parts, and the files of its scripts. */
export function ResultPanel({ invocation }: { invocation: Invocation }) {
  const { status, artifacts = [], id } = invocation;
  return (
    <div class="stack">
      {artifacts.length > 0 && <Artifacts id={id} artifacts={artifacts} />}
      {status === 'succeeded' ? (
        <WholeResult invocation={invocation} />
      ) : (
        <EmptyNotice title={isFinal(status) ? 'There is no result' : 'There is no result yet'}>
          {isFinal(status)
            ? 'Only an invocation that succeeded has one. The timeline has the results of its steps.'
            : 'It comes when the invocation has succeeded. The timeline shows what it does now.'}
        </EmptyNotice>
      )}
    </div>
  );
}

function WholeResult({ invocation }: { invocation: Invocation }) {
  const { id, result, resultTruncated } = invocation;
  const path = `${pathOf(id)}/result`;
  const head = useLoaded(path, (signal) => read<ResultPart>(path, { limit: PART }, signal));
  const whole = useLoaded(`${path} whole ${head.data?.total ?? 0}`, async (signal) => {
    if (!resultTruncated) return { value: result };
    if (!head.data || head.data.total > LARGEST_TREE) return undefined;
    return treeOf(await read<ResultPart>(path, { limit: LARGEST_TREE }, signal));
  });
  if (!head.data) {
    return head.error === undefined ? <LoadingRows /> : <ErrorNotice error={head.error} onRetry={head.reload} />;
  }
  const { total } = head.data;
  return (
    <div class="stack">
      <ResultSearch path={path} />
      <div class="actions">
        <span class="faint">
          {formatCount(total)} {plural(total, 'character', 'characters')}
        </span>
        {!resultTruncated && <CopyButton text={textOf(result)}>Copy</CopyButton>}
      </div>
      {whole.data ? (
        <JsonTree value={whole.data.value} label="Result" />
      ) : (
        <ResultParts path={path} first={head.data} />
      )}
    </div>
  );
}

/** The value of a whole text, if that is an object or a list. Another text is shown as it is. */
function treeOf({ text }: ResultPart): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function textOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result, null, 2);
}

/** The text of a large result. One part is in the page at a time. */
function ResultParts({ path, first }: { path: string; first: ResultPart }) {
  const { get, set } = useUrlQuery();
  const offset = Math.max(0, Math.trunc(Number(get('at'))) || 0);
  const setOffset = (next: number) => set({ at: next === 0 ? undefined : String(next) });
  const key = `${path} ${offset}`;
  const part = useLoaded(key, async (signal) =>
    offset === 0 ? first : read<ResultPart>(path, { offset, limit: PART }, signal),
  );
  const shown = part.data;
  const end = shown ? shown.offset + shown.text.length : 0;
  return (
    <div class="stack">
      {shown ? (
        <pre class="json-text" tabIndex={0} role="group" aria-label="A part of the result">
          <HostileText key={shown.offset} text={shown.text} limit={PART} />
        </pre>
      ) : (
        <LoadingRows count={3} />
      )}
      <div class="actions">
        <button
          type="button"
          class="button"
          disabled={offset === 0}
          onClick={() => setOffset(Math.max(0, offset - PART))}
        >
          Previous part
        </button>
        <button
          type="button"
          class="button"
          data-testid="result-more"
          disabled={!shown || shown.nextOffset === null}
          onClick={() => setOffset(shown?.nextOffset ?? 0)}
        >
          Next part
        </button>
        <span class="faint" role="status">
          {formatCount(offset)} to {formatCount(end)} of {formatCount(first.total)} characters
        </span>
      </div>
    </div>
  );
}

function Artifacts({ id, artifacts }: { id: string; artifacts: readonly Artifact[] }) {
  const [shown, setShown] = useState(50);
  return (
    <section class="panel panel-body" aria-label="Files">
      <h2>Files of the scripts</h2>
      <ul class="artifacts">
        {artifacts.slice(0, shown).map(({ name, size, contentType, step }) => (
          <li key={`${step}/${name}`} data-testid="artifact" data-step={step}>
            <a href={`${pathOf(id)}/artifacts/${encodeURIComponent(name)}?step=${step}`} download>
              <HostileText text={name} limit={200} isFixed />
            </a>
            <span class="faint">
              {formatBytes(size)}, <HostileText text={contentType} limit={100} isFixed />, step {step}
            </span>
          </li>
        ))}
      </ul>
      {artifacts.length > shown && (
        <button type="button" class="link" onClick={() => setShown(shown + 200)}>
          Show more of {artifacts.length} files
        </button>
      )}
    </section>
  );
}
