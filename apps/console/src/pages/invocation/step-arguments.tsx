import type { Step } from '@errand/contracts';
import { useState } from 'preact/hooks';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { FormAndJson } from '../../forms/form-and-json.js';
import { StatusMark } from '../../parts/status-mark.js';
import { HostileText } from '../../text/hostile-text.js';

interface Props {
  step: Pick<Step, 'index' | 'toolId' | 'status'>;
  isOpen: boolean;
  text: string;
  onText: (text: string) => void;
}

/** The arguments of a step as form and JSON. Without the tool, the form shows all of them as JSON. */
export function StepArguments({ step: { index, toolId, status }, isOpen, text, onText }: Props) {
  const [isShown, setShown] = useState(isOpen);
  const { data } = useLoaded(isShown ? `tool ${toolId}` : '', async (signal) =>
    isShown
      ? read<{ parameters: unknown }>(`/v1/tools/${encodeURIComponent(toolId)}`, {}, signal)
      : { parameters: undefined },
  );
  return (
    <details
      class="step-arguments"
      open={isShown}
      data-testid="retry-step"
      data-index={index}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
    >
      <summary>
        Step {index}: <HostileText text={toolId} limit={120} isFixed /> <StatusMark status={status} />
      </summary>
      {isShown && (
        <FormAndJson
          id={`retry-json-${index}`}
          schema={data?.parameters ?? true}
          text={text}
          onText={onText}
          name={`step ${index}`}
          formTestId="retry-form"
          jsonTestId="retry-json"
        />
      )}
    </details>
  );
}
