import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { formatCount, plural } from '../../parts/format.js';
import { ErrorNotice } from '../../parts/notices.js';
import { useTypedText } from '../../parts/use-typed-text.js';
import { HostileText } from '../../text/hostile-text.js';

interface Matches {
  matches: readonly { offset: number; excerpt: string }[];
  nextOffset: number | null;
}

const TYPING_MS = 250;

/** Searches the whole result at the API, however large it is. The text is in the address as `find`. */
export function ResultSearch({ path }: { path: string }) {
  const { get, set } = useUrlQuery();
  const find = get('find');
  const { typed, type } = useTypedText({
    value: find,
    delayMs: TYPING_MS,
    onCommit: (text) => set({ find: text }, true),
  });
  return (
    <div class="stack">
      <input
        type="search"
        class="input result-search"
        data-testid="result-search"
        placeholder="Search the result"
        aria-label="Search the result"
        maxLength={256}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {find !== '' && <MatchList path={path} text={find} />}
    </div>
  );
}

function MatchList({ path, text }: { path: string; text: string }) {
  const found = useLoaded(`${path} ${text}`, (signal) => read<Matches>(path, { q: text, limit: 50 }, signal));
  if (!found.data) {
    return found.error === undefined ? (
      <p class="faint" role="status">
        Searching
      </p>
    ) : (
      <ErrorNotice error={found.error} onRetry={found.reload} />
    );
  }
  const { matches, nextOffset } = found.data;
  return (
    <section class="panel panel-body" aria-label="Matches">
      <p role="status">
        {matches.length === 0 && 'Nothing has this text.'}
        {matches.length > 0 && `${countOf(matches.length, nextOffset !== null)} this text.`}
      </p>
      <ul class="matches">
        {matches.map(({ offset, excerpt }) => (
          <li key={offset} data-testid="result-match" data-offset={offset}>
            <span class="faint number">{formatCount(offset)}</span>
            <code>
              <HostileText text={excerpt} limit={300} isFixed />
            </code>
          </li>
        ))}
      </ul>
    </section>
  );
}

function countOf(found: number, isMore: boolean): string {
  return isMore ? `${found} or more places have` : `${found} ${plural(found, 'place has', 'places have')}`;
}
