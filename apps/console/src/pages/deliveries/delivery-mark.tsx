import type { DeliveryStatus } from '@errand/contracts';
import { ShapeIcon } from '../../parts/status-mark.js';
import type { StatusLook } from '../../statuses.js';

/** Every status of a delivery. */
export const DELIVERY_LOOKS: Readonly<Record<DeliveryStatus, StatusLook>> = {
  waiting: { word: 'Not due', tone: 'queued', shape: 'ring' },
  pending: { word: 'Sending', tone: 'running', shape: 'triangle' },
  delivered: { word: 'Delivered', tone: 'good', shape: 'check' },
  failed: { word: 'Dead', tone: 'bad', shape: 'cross' },
  skipped: { word: 'Not wanted', tone: 'idle', shape: 'dash' },
};

/** The status of a delivery as word, colour and shape. */
export function DeliveryMark({ status }: { status: DeliveryStatus }) {
  const { word, tone, shape } = DELIVERY_LOOKS[status];
  return (
    <span class={`status tone-${tone}`} data-status={status}>
      <ShapeIcon shape={shape} />
      {word}
    </span>
  );
}
