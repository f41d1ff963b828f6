import type { Invocation } from '@errand/contracts';
import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import { send } from '../../api/call-api.js';
import { messageOf } from '../../api/problems.js';
import { differencesOf } from '../../forms/differences.js';
import { jsonProblem } from '../../forms/json-problem.js';
import { ActionButton } from '../../parts/action-button.js';
import { Dialog } from '../../parts/dialog.js';
import { showToast } from '../../shell/toasts.js';
import { HostileText } from '../../text/hostile-text.js';
import { repairBody } from './repair-body.js';
import { RepairDiff, type StepChange } from './repair-diff.js';
import { StepArguments } from './step-arguments.js';

interface Props {
  /** A failed or cancelled invocation. */
  invocation: Pick<Invocation, 'id' | 'steps'>;
  onClose: () => void;
}

/** Repairs an invocation: the arguments of each step can be changed, and the difference is shown before it is sent. */
export function RetryDialog({ invocation: { id, steps }, onClose }: Props) {
  const { route } = useLocation();
  const [texts, setTexts] = useState<ReadonlyMap<number, string>>(new Map());
  const [problem, setProblem] = useState<string>();
  const before = new Map(steps.map((step) => [step.index, JSON.stringify(step.arguments, null, 2)]));
  const changed = [...texts].flatMap(([step, text]) => changeOf(step, before.get(step) ?? '{}', text));
  const broken = [...texts].find(([, text]) => jsonProblem(text) !== undefined);
  const retry = async () => {
    try {
      const body = repairBody(changed.map(({ step, text }) => [step, text]));
      const next = await send<{ id: string }>('POST', `/v1/invocations/${id}/retry`, { bodyText: body });
      showToast('The repair has begun');
      onClose();
      route(`/console/invocations/${next.id}`);
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  const change = (step: number, text: string) => {
    setTexts(new Map([...texts, [step, text]]));
    setProblem(undefined);
  };
  const confirm = (
    <>
      <button type="button" class="button" onClick={onClose}>
        Cancel
      </button>
      <ActionButton testId="retry-confirm" look="primary" isDisabled={broken !== undefined} onAction={retry}>
        {changed.length === 0 ? 'Retry unchanged' : 'Retry with these changes'}
      </ActionButton>
    </>
  );
  return (
    <Dialog title="Retry the invocation" testId="retry-dialog" onClose={onClose} footer={confirm} isWide>
      <p class="notice-text">
        A new invocation continues at what failed. Results of steps and nodes whose inputs stay the same are kept.
      </p>
      {problem !== undefined && (
        <p class="field-error" role="alert">
          <HostileText text={problem} />
        </p>
      )}
      <RepairDiff changes={changed} brokenStep={broken?.[0]} />
      {steps.map((step) => (
        <StepArguments
          key={step.index}
          step={step}
          isOpen={steps.length === 1 || step.status === 'failed'}
          text={texts.get(step.index) ?? before.get(step.index) ?? '{}'}
          onText={(text) => change(step.index, text)}
        />
      ))}
    </Dialog>
  );
}

function changeOf(step: number, before: string, text: string): StepChange[] {
  if (jsonProblem(text) !== undefined) return [];
  const differences = differencesOf(before, text);
  return differences.length === 0 ? [] : [{ step, text, differences }];
}
