import type { ShownTool, ToolStats } from '@errand/contracts';
import { useLocation } from 'preact-iso';
import { read } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { hasScope } from '../../api/session.js';
import { useLoaded } from '../../api/use-loaded.js';
import type { PageProps } from '../../lazy-page.js';
import { stateOfOne } from '../../parts/list-view.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';
import { markedString } from '../../text/mark-text.js';
import { NotFoundNotice } from '../../parts/not-found-notice.js';
import { GraphOfTool } from './graph-of-tool.js';
import { LibraryProblems } from './library-problems.js';
import { PromptPreview } from './prompt-preview.js';
import { RunRules } from './run-rules.js';
import { ToolFigures, Misreadings } from './tool-figures.js';
import { ToolSchema } from './tool-schema.js';
import { KINDS } from './tool-words.js';
import { useLibraryReload, useProblems } from './use-library.js';
import './tools.css';

/** One tool: what models see of it, how often it is called, what they get wrong, and what it may do. */
export default function ToolPage({ id }: PageProps) {
  const path = `/v1/tools/${encodeURIComponent(id)}`;
  const tool = useLoaded(path, (signal) => read<ShownTool>(path, { details: true }, signal));
  const stats = useLoaded(`${path}/stats`, (signal) => read<ToolStats>(`${path}/stats`, {}, signal));
  const { data, error, isLoading, reload } = tool;
  useLibraryReload(reload);
  const problems = useProblems();
  if (data === undefined)
    return (
      <Page page="tool" title={markedString(id.slice(0, 200))} state={stateOfOne(tool)}>
        {isNotFound(error) && <LibraryProblems problems={problems} />}
        {isNotFound(error) && <NotFoundNotice what={`There is no tool ${id.slice(0, 200)}`} />}
        {isLoading && <LoadingRows />}
        {!isLoading && !isNotFound(error) && <ErrorNotice error={error} onRetry={reload} />}
      </Page>
    );
  return (
    <Page
      page="tool"
      title={markedString(data.displayName.slice(0, 200))}
      state="ready"
      subtitle={<Subtitle tool={data} />}
      actions={hasScope('invoke') && <TryLink toolId={data.toolId} />}
    >
      <div class="stack">
        <LibraryProblems problems={problems.filter(({ file }) => isFileOf(file, data.source))} />
        {error !== undefined && <ErrorNotice error={error} onRetry={reload} />}
        <p class="notice-text">
          <HostileText text={data.description} />
        </p>
        <div class="tool-columns">
          <div class="stack">
            <ToolFigures stats={stats} toolId={data.toolId} />
            <Misreadings stats={stats} toolId={data.toolId} />
            <ToolSchema tool={data} />
            <GraphOfTool tool={data} />
          </div>
          <div class="stack">
            <RunRules tool={data} />
            <Versions tool={data} />
            <PromptPreview tool={data} />
          </div>
        </div>
      </div>
    </Page>
  );
}

/** Files of problems and of tools are both relative to their library, and a problem may name more of the path. */
function isFileOf(file: string, source: string): boolean {
  return file === source || file.endsWith(`/${source}`) || source.endsWith(`/${file}`);
}

function Subtitle({ tool: { toolId, version, kind, source, tags } }: { tool: ShownTool }) {
  return (
    <>
      <span class="mono">
        <HostileText text={toolId} isFixed />
      </span>{' '}
      · {KINDS[kind].word} · version <HostileText text={version} isFixed /> ·{' '}
      <span class="mono">
        <HostileText text={source} isFixed />
      </span>
      {tags.length > 0 && (
        <span class="tags">
          {tags.slice(0, 20).map((tag) => (
            <span key={tag} class="tag">
              <HostileText text={tag} limit={60} isFixed />
            </span>
          ))}
        </span>
      )}
    </>
  );
}

function TryLink({ toolId }: { toolId: string }) {
  return (
    <a class="button button-primary" href={`/console/try?tool=${encodeURIComponent(toolId)}`} data-testid="to-try">
      Try it
    </a>
  );
}

function Versions({ tool: { version, versions = [], deprecated } }: { tool: ShownTool }) {
  const { path } = useLocation();
  const base = path.replace(/(?:@|%40)[^/]*$/, '');
  return (
    <section class="panel section" data-testid="versions" aria-labelledby="versions-title">
      <h2 id="versions-title">Versions</h2>
      {deprecated !== undefined && deprecated !== false && (
        <p class="notice-line">
          Deprecated{typeof deprecated === 'string' && ': '}
          {typeof deprecated === 'string' && <HostileText text={deprecated} />}
        </p>
      )}
      <ul class="tags">
        {versions.slice(0, 50).map((each) => (
          <li key={each}>
            <a
              class="tag"
              href={`${base}${encodeURIComponent(`@${each}`)}`}
              aria-current={each === version ? 'true' : undefined}
            >
              <HostileText text={each} limit={60} isFixed />
              {each === version && ' (shown)'}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
