import type { ShownTool } from '@errand/contracts';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { formatCount } from '../../parts/format.js';
import { ListView, stateOfList, type ListPage } from '../../parts/list-view.js';
import { EmptyNotice } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { useTypedText } from '../../parts/use-typed-text.js';
import { Time } from '../../parts/time.js';
import { HostileText } from '../../text/hostile-text.js';
import { LibraryProblems } from './library-problems.js';
import { KINDS } from './tool-words.js';
import { useLibraryReload, useProblems } from './use-library.js';
import './tools.css';

const PAGE_SIZE = 100;
const TYPING_MS = 150;

/** All tools, with the use of the last 30 days. */
export default function ToolsPage() {
  const { get, set } = useUrlQuery();
  const [q, kind, cursor] = [get('q'), get('kind'), get('cursor')];
  const list = useLoaded(`tools ${q} ${kind} ${cursor}`, (signal) =>
    read<ListPage<ShownTool>>('/v1/tools', { details: true, limit: PAGE_SIZE, q, kind, cursor }, signal),
  );
  useLibraryReload(list.reload);
  const problems = useProblems();
  const next = list.data?.nextCursor ?? null;
  return (
    <Page page="tools" title="Tools" state={stateOfList(list)}>
      <LibraryProblems problems={problems} />
      <Filters q={q} kind={kind} />
      <ListView list={list} empty={<NoTools isFiltered={q !== '' || kind !== ''} />}>
        {(items) => <ToolTable tools={items} />}
      </ListView>
      <nav class="pages" aria-label="Pages of tools">
        {cursor !== '' && (
          <button type="button" class="button" data-testid="newest" onClick={() => set({ cursor: undefined })}>
            First page
          </button>
        )}
        {next !== null && (
          <button type="button" class="button" data-testid="older" onClick={() => set({ cursor: next })}>
            Next page
          </button>
        )}
      </nav>
    </Page>
  );
}

/** The search follows the typing. Back leads to the page before, not to each letter. */
function Filters({ q, kind }: { q: string; kind: string }) {
  const { set } = useUrlQuery();
  const { typed, type } = useTypedText({
    value: q,
    delayMs: TYPING_MS,
    onCommit: (text) => set({ q: text, cursor: undefined }, true),
  });
  return (
    <search class="tool-filters">
      <input
        type="search"
        class="input"
        role="searchbox"
        aria-label="Search tools"
        placeholder="Search by name, description or parameter"
        maxLength={512}
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <select
        class="select"
        aria-label="Kind"
        value={kind}
        onChange={(event) => set({ kind: event.currentTarget.value, cursor: undefined })}
      >
        <option value="">All kinds</option>
        {Object.entries(KINDS).map(([name, { word }]) => (
          <option key={name} value={name}>
            {word}
          </option>
        ))}
      </select>
    </search>
  );
}

function NoTools({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyNotice title="No tool fits">
        Search for another word, or <a href="/console/tools">show all tools</a>.
      </EmptyNotice>
    );
  return (
    <EmptyNotice title="The library has no tools">
      Put a tool file into the folder <code>tools</code> of the library. A tool appears here as soon as its file loads.
    </EmptyNotice>
  );
}

function ToolTable({ tools }: { tools: readonly ShownTool[] }) {
  return (
    <div class="table-scroll" role="region" aria-label="Tools" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Kind</th>
            <th scope="col">Effects</th>
            <th scope="col" class="number">
              Calls, 30 days
            </th>
            <th scope="col" class="number">
              Failed
            </th>
            <th scope="col">Last call</th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <ToolRow key={tool.toolId} tool={tool} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ToolRow({ tool }: { tool: ShownTool }) {
  const { toolId, displayName, kind, effects, deprecated, stats } = tool;
  const { calls = 0, failed = 0, lastUsedAt = null } = stats ?? {};
  return (
    <tr data-testid="tool-row" data-id={toolId} data-kind={kind}>
      <td class="tool-name">
        <a href={`/console/tools/${encodeURIComponent(toolId)}`}>
          <HostileText text={displayName} limit={120} isFixed />
        </a>
        {deprecated !== undefined && deprecated !== false && <span class="status tone-waiting">Deprecated</span>}
        <div class="mono faint">
          <HostileText text={toolId} limit={120} isFixed />
        </div>
      </td>
      <td>{KINDS[kind].word}</td>
      <td>{effects ?? <span class="faint">not declared</span>}</td>
      <td class="number">{calls === 0 ? <span class="faint">–</span> : formatCount(calls)}</td>
      <td class="number">
        <FailureRate calls={calls} failed={failed} />
      </td>
      <td>
        <Time at={lastUsedAt} />
      </td>
    </tr>
  );
}

function FailureRate({ calls, failed }: { calls: number; failed: number }) {
  if (calls === 0) return <span class="faint">–</span>;
  const rate = `${((failed / calls) * 100).toFixed(failed > 0 && failed * 100 < calls ? 1 : 0)} %`;
  return failed === 0 ? <span class="faint">{rate}</span> : <span class="status tone-bad">{rate}</span>;
}
