import { HostileText } from '../text/hostile-text.js';
import { closeToast, toasts } from './toasts.js';

export function ToastList() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone }) => (
        <div key={id} class={`toast toast-${tone}`} data-testid="toast">
          <span>
            <HostileText text={text} limit={400} />
          </span>
          <button type="button" class="icon-button" aria-label="Close this message" onClick={() => closeToast(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
