import type { AccessScope } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api/problems.js';
import { hasScope, isOperator } from '../api/session.js';
import { isStale } from '../live/live-state.js';
import { showToast } from '../shell/toasts.js';

interface Props {
  /** What the button does. A failure is shown as a toast, and the button can be used again. */
  onAction: () => Promise<unknown> | void;
  testId?: string;
  /** The scope that the action needs. Without it there is no button. */
  scope?: AccessScope;
  /** Only the operator has the button. */
  forOperator?: boolean;
  look?: 'primary' | 'danger' | 'plain';
  isDisabled?: boolean;
  children: ComponentChildren;
}

/** A button that changes something. It is disabled while the page may be out of date, and while its action runs. */
export function ActionButton({
  onAction,
  testId,
  scope,
  forOperator = false,
  look = 'plain',
  isDisabled = false,
  children,
}: Props) {
  const [isBusy, act] = useBusy(onAction);
  if ((scope && !hasScope(scope)) || (forOperator && !isOperator.value)) return null;
  return (
    <button
      type="button"
      class={look === 'plain' ? 'button' : `button button-${look}`}
      data-testid={testId}
      disabled={isDisabled || isStale.value}
      // A button that is disabled while it works would lose the focus of the keyboard.
      aria-disabled={isBusy ? 'true' : undefined}
      aria-busy={isBusy}
      onClick={act}
    >
      {children}
    </button>
  );
}

/** An action for a key: it does what the button with the same action would do. */
export function useAction(onAction: Props['onAction']): () => void {
  const [, act] = useBusy(onAction);
  return () => {
    if (!isStale.value) act();
  };
}

function useBusy(onAction: Props['onAction']): [boolean, () => void] {
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await onAction();
    } catch (error) {
      showToast(messageOf(error), 'bad');
    } finally {
      setBusy(false);
    }
  };
  return [isBusy, () => void (isBusy || run())];
}
