import { useId, useState } from 'preact/hooks';
import { read, send } from '../../api/call-api.js';
import { isNotFound } from '../../api/problems.js';
import { useLoaded } from '../../api/use-loaded.js';
import { useUrlQuery } from '../../api/use-url-query.js';
import { FormAndJson } from '../../forms/form-and-json.js';
import { initialText } from '../../forms/initial-text.js';
import { jsonProblem } from '../../forms/json-problem.js';
import { ActionButton } from '../../parts/action-button.js';
import { stateOfOne } from '../../parts/list-view.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { Page } from '../../parts/page.js';
import { HostileText } from '../../text/hostile-text.js';
import { NotFoundNotice } from '../exceptions/missing-pages.js';
import { dropToolDraft, keepToolDraft, readToolDraft, submissionOf } from './tool-draft.js';
import { ToolOutcome, type DryRun, type Outcome } from './tool-outcome.js';

interface ShownTool {
  toolId: string;
  description: string;
  parameters: unknown;
}

/** What is tried: a tool, with the arguments of an earlier call if the address names one. */
interface Trial {
  tool: ShownTool;
  /** The name of its draft. */
  draft: string;
  /** The JSON text to begin with. */
  initial: string;
}

/**
 * Tries a tool by a form of its schema beside the JSON of its arguments. `?from=<invocation>&step=` begins with the arguments of that
 * step.
 */
export default function TryTool({ toolId }: { toolId: string }) {
  const { get } = useUrlQuery();
  const [from, step] = [get('from'), Number(get('step'))];
  const trial = useLoaded(`${toolId} ${from} ${step}`, (signal) => readTrial({ toolId, from, step }, signal));
  const { data, error, reload } = trial;
  return (
    <Page page="try" title="Try a tool" state={stateOfOne(trial)} subtitle={<HostileText text={toolId} limit={200} />}>
      {data ? (
        <ToolArguments key={data.draft} trial={data} />
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

async function readTrial(
  { toolId, from, step }: { toolId: string; from: string; step: number },
  signal: AbortSignal,
): Promise<Trial> {
  const path = `/v1/invocations/${encodeURIComponent(from)}`;
  const [tool, earlier] = await Promise.all([
    read<ShownTool>(`/v1/tools/${encodeURIComponent(toolId)}`, {}, signal),
    from === '' ? undefined : read<{ steps: readonly { arguments: unknown }[] }>(path, {}, signal),
  ]);
  const args = earlier?.steps[step]?.arguments;
  const initial = args === undefined ? initialText(tool.parameters) || '{}' : JSON.stringify(args, null, 2);
  return { tool, draft: from === '' ? toolId : `${toolId} ${from} ${step}`, initial };
}

function ToolArguments({ trial: { tool, draft, initial } }: { trial: Trial }) {
  const id = useId();
  const [text, setText] = useState(() => readToolDraft(draft) ?? initial);
  const { outcome, dryRun, submit } = useTrial(tool.toolId);
  const isBroken = jsonProblem(text) !== undefined;
  const change = (next: string) => {
    setText(next);
    keepToolDraft(draft, next);
  };
  const reset = () => {
    dropToolDraft(draft);
    setText(initial);
  };
  return (
    <div class="stack">
      <p class="notice-text">
        <HostileText text={tool.description} limit={500} />
      </p>
      <div class="panel panel-body">
        <FormAndJson
          id={id}
          schema={tool.parameters}
          text={text}
          onText={change}
          name="arguments"
          formTestId="try-form"
          jsonTestId="try-json"
        />
      </div>
      <div class="actions">
        <ActionButton testId="try-dry-run" isDisabled={isBroken} scope="invoke" onAction={() => dryRun(text)}>
          Dry run
        </ActionButton>
        <ActionButton
          testId="try-submit"
          look="primary"
          isDisabled={isBroken}
          scope="invoke"
          onAction={() => submit(text)}
        >
          Run
        </ActionButton>
        <button type="button" class="button" onClick={reset}>
          Start again
        </button>
      </div>
      <ToolOutcome outcome={outcome} />
    </div>
  );
}

/** Runs a tool, or asks what would run. */
function useTrial(toolId: string) {
  const [outcome, setOutcome] = useState<Outcome>();
  const request = async (ask: () => Promise<Outcome>) =>
    setOutcome(await ask().catch((error: unknown): Outcome => ({ refused: error })));
  const post = <T,>(args: string, query = {}) =>
    send<T>('POST', '/v1/invocations', { query, bodyText: submissionOf(toolId, args) });
  return {
    outcome,
    dryRun: (args: string) => request(async () => ({ dryRun: await post<DryRun>(args, { dryRun: true }) })),
    submit: (args: string) => request(async () => ({ id: (await post<{ id: string }>(args)).id })),
  };
}
