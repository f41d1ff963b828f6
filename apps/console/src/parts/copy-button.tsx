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
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => showToast('Copied'),
      () => showToast('The browser does not allow copying; select the text and copy it', 'bad'),
    );
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
