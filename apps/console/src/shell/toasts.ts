import { signal } from '@preact/signals';

export interface Toast {
  id: number;
  text: string;
  tone: 'good' | 'bad';
}

const SHOWN_MS = 6_000;
const MOST = 4;
let lastId = 0;

/** The short messages at the edge of the page, the newest last. */
export const toasts = signal<readonly Toast[]>([]);

/** Shows a message for some seconds. A failure stays until it is closed. */
export function showToast(text: string, tone: Toast['tone'] = 'good'): void {
  const id = ++lastId;
  toasts.value = [...toasts.value.slice(1 - MOST), { id, text, tone }];
  if (tone === 'good') setTimeout(() => closeToast(id), SHOWN_MS);
}

export function closeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
