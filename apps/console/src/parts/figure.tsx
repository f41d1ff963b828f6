import type { ComponentChildren } from 'preact';

/** Numbers with their names, side by side as far as they fit. */
export function Figures({ children }: { children: ComponentChildren }) {
  return <dl class="figures">{children}</dl>;
}

/** One number of `Figures`. */
export function Figure({
  name,
  testId,
  title,
  children,
}: {
  name: string;
  testId?: string;
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd data-testid={testId}>{children}</dd>
    </div>
  );
}

/** How many of the slots are in use, as numbers and as a bar. */
export function SlotUse({ used, slots }: { used: number; slots: number }) {
  return (
    <span class="slot-use">
      {used} <span class="faint">of {slots}</span>
      <progress max={Math.max(1, slots, used)} value={used} aria-label={`${used} of ${slots} slots are in use`} />
    </span>
  );
}
