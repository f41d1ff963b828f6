import type { Status } from '@errand/contracts';
import { STATUS_LOOKS, type Shape } from '../statuses.js';

const PATHS: Readonly<Record<Shape, string>> = {
  ring: 'M8 2.75a5.25 5.25 0 1 1 0 10.5 5.25 5.25 0 0 1 0-10.5Z',
  triangle: 'M5.75 4v8l6-4Z',
  pause: 'M6 5v6M10 5v6',
  check: 'M4 8.5l2.75 2.75L12.25 5.5',
  cross: 'M4.75 4.75l6.5 6.5M11.25 4.75l-6.5 6.5',
  slash: 'M8 2.75a5.25 5.25 0 1 1 0 10.5 5.25 5.25 0 0 1 0-10.5ZM4.5 11.5l7-7',
  dash: 'M4.5 8h7',
};

/** A status as word, colour and shape. */
export function StatusMark({ status, testId }: { status: Status | 'skipped'; testId?: string }) {
  const { word, tone, shape } = STATUS_LOOKS[status];
  return (
    <span class={`status tone-${tone}`} data-status={status} data-testid={testId}>
      <ShapeIcon shape={shape} />
      {word}
    </span>
  );
}

/** The shape of a status alone. The word must stand beside it or in a label. */
export function ShapeIcon({ shape }: { shape: Shape }) {
  return (
    <svg class={`shape shape-${shape}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path
        d={PATHS[shape]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.75"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
