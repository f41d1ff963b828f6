import type { StatusLook } from '../statuses.js';
import { ShapeIcon } from './status-mark.js';

/** A state as word, colour and shape. */
export function Mark({ word, tone, shape }: StatusLook) {
  return (
    <span class={`status tone-${tone}`}>
      <ShapeIcon shape={shape} />
      {word}
    </span>
  );
}
