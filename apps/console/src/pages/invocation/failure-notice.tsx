import type { ErrorType, Failure, Invocation } from '@errand/contracts';
import { HostileText } from '../../text/hostile-text.js';

type Blame =
  | 'the script'
  | 'the call'
  | 'the platform'
  | 'a node of the workflow'
  | 'a limit'
  | 'somebody who cancelled it';

/** Who can help after each type of failure, and how. */
const ADVICE: Readonly<Record<ErrorType, { blame: Blame; next: string }>> = {
  TimeoutError: {
    blame: 'a limit',
    next: 'Look in the timeline for what took long. Then raise timeoutMs, give it less work or answer it sooner, and retry.',
  },
  ScriptError: {
    blame: 'the script',
    next: 'Read the end of the log: the script wrote there why it stopped. Correct it, then run it again.',
  },
  DependencyError: {
    blame: 'the script',
    next: 'The log shows the installation. Correct the file that lists the dependencies, then retry.',
  },
  SecurityError: {
    blame: 'the call',
    next: 'The tool asked for what the operator does not allow. The operator finds the setting in the log of the runner.',
  },
  ResourceLimitError: {
    blame: 'a limit',
    next: 'Raise the limit in the file of the tool, or give it less work, then retry.',
  },
  OutputError: {
    blame: 'the script',
    next: 'The tool must give one JSON value of its declared shape. The log shows what else it printed.',
  },
  NodeError: {
    blame: 'a node of the workflow',
    next: 'The graph shows the node that failed. Retry with other inputs for it.',
  },
  ParameterValidationError: {
    blame: 'the call',
    next: 'An argument does not fit the tool. Retry with other arguments.',
  },
  ServiceError: {
    blame: 'the platform',
    next: 'A part of the platform failed, and the same call may succeed. Retry, and look at the processes.',
  },
  CancelledError: { blame: 'somebody who cancelled it', next: 'Retry continues behind the steps that had succeeded.' },
  LostError: {
    blame: 'the platform',
    next: 'The process died, and nobody knows whether the tool took effect. Check that before you retry.',
  },
};

/** Why the invocation failed, who is to blame, and what to do. */
export function FailureNotice({ invocation: { error, status } }: { invocation: Invocation }) {
  if (!error || (status !== 'failed' && status !== 'cancelled')) return null;
  const advice = Object.hasOwn(ADVICE, error.type) ? ADVICE[error.type] : undefined;
  return (
    <section
      class={status === 'failed' ? 'notice notice-bad failure' : 'notice failure'}
      data-testid="failure"
      aria-label="Failure"
    >
      <p class="notice-title">
        <code class="failure-type">
          <HostileText text={error.type} limit={80} isFixed />
        </code>
        {placeOf(error)}
      </p>
      <p class="failure-message">
        <HostileText text={error.message} />
      </p>
      {advice && (
        <p class="notice-text">
          The cause is {advice.blame}. {advice.next}
        </p>
      )}
    </section>
  );
}

/** The step and the node that failed, if the failure names them. */
function placeOf({ details }: Failure): preact.ComponentChildren {
  const [step, nodeId] = [details?.['step'], details?.['nodeId']];
  return (
    <span class="failure-place">
      {typeof step === 'number' && <span> in step {step}</span>}
      {typeof nodeId === 'string' && (
        <span>
          {' '}
          in node <HostileText text={nodeId} limit={120} isFixed />
        </span>
      )}
    </span>
  );
}
