import { useId, useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { isNotFound } from '../../api/problems.js';
import { FormAndJson } from '../../forms/form-and-json.js';
import { initialText } from '../../forms/initial-text.js';
import { jsonProblem } from '../../forms/json-problem.js';
import { ActionButton } from '../../parts/action-button.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { stateOfOne } from '../../parts/list-view.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';
import { NotFoundNotice } from '../exceptions/missing-pages.js';
import { dropToolDraft, keepToolDraft, readToolDraft } from './tool-draft.js';
import { ToolOutcome, useToolRun } from './tool-outcome.js';

interface ShownTool {
  toolId: string;
  displayName: string;
  description: string;
  parameters: unknown;
}

/** Tries a tool by a form of its schema beside the JSON of its arguments. `?arguments=` gives the arguments to begin with. */
export function TryTool({ toolId }: { toolId: string }) {
  const tool = useLoaded(`tool ${toolId}`, (signal) =>
    read<ShownTool>(`/v1/tools/${encodeURIComponent(toolId)}`, {}, signal),
  );
  const { data, error, reload } = tool;
  return (
    <Page page="try" title="Try a tool" state={stateOfOne(tool)} subtitle={<HostileText text={toolId} limit={200} />}>
      {data ? (
        <ToolArguments key={data.toolId} tool={data} />
      ) : isNotFound(error) ? (
        <NotFoundNotice what={`There is no tool ${toolId}`} />
      ) : error !== undefined ? (
        <ErrorNotice error={error} onRetry={reload} />
      ) : (
        <LoadingRows />
      )}
    </Page>
  );
}

function ToolArguments({ tool: { toolId, description, parameters } }: { tool: ShownTool }) {
  const id = useId();
  const { get } = useUrlQuery();
  const initial = initialText(parameters) || '{}';
  const [text, setText] = useState(() => get('arguments') || readToolDraft(toolId) || initial);
  const run = useToolRun(toolId);
  const isBroken = jsonProblem(text) !== undefined;
  const change = (next: string) => {
    setText(next);
    keepToolDraft(toolId, next);
  };
  const reset = () => {
    dropToolDraft(toolId);
    setText(initial);
  };
  return (
    <div class="stack">
      <p class="notice-text">
        <HostileText text={description} limit={500} />
      </p>
      <div class="panel panel-body">
        <FormAndJson
          id={id}
          schema={parameters}
          text={text}
          onText={change}
          name="arguments"
          formTestId="try-form"
          jsonTestId="try-json"
        />
      </div>
      <div class="actions">
        <ActionButton testId="try-dry-run" isDisabled={isBroken} scope="invoke" onAction={() => run.dryRun(text)}>
          Dry run
        </ActionButton>
        <ActionButton
          testId="try-submit"
          look="primary"
          isDisabled={isBroken}
          scope="invoke"
          onAction={() => run.submit(text)}
        >
          Run
        </ActionButton>
        <button type="button" class="button" onClick={reset}>
          Start again
        </button>
      </div>
      <ToolOutcome outcome={run.outcome} />
    </div>
  );
}
