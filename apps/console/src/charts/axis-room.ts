/** The room between a label and the drawing, in px. */
const GAP = 12;

/** Measures the width of a text, in px. */
type Measure = (text: string) => number;

/** The room for the labels at the left, in px: as much as the widest one needs. uPlot asks before it knows the labels. */
export function roomForLabels(labels: readonly string[] | null, measure: Measure): number {
  return Math.ceil(Math.max(0, ...(labels ?? []).map(measure))) + GAP;
}

/** The room at the right, in px, for the half of a label that stands under the end of the axis. */
export function roomForHalf(label: string, measure: Measure): number {
  return Math.ceil(measure(label) / 2) + 2;
}
