import { showToast } from '../shell/toasts.js';

/** Copies a text as it truly is. */
export function CopyButton({
  text,
  testId,
  label,
  children,
}: {
  text: string;
  testId?: string;
  label?: string;
  children: string;
}) {
  const copy = async () => {
    try {
      // A page over plain http from another machine has no clipboard.
      await navigator.clipboard.writeText(text);
      showToast('Copied');
    } catch {
      showToast('The browser does not allow copying; select the text and copy it', 'bad');
    }
  };
  return (
    <button
      type="button"
      class="button button-small"
      data-testid={testId}
      aria-label={label}
      onClick={() => void copy()}
    >
      {children}
    </button>
  );
}
