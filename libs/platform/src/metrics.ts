import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Names that callers bring (tools, mostly) become label values; after so many, the rest are one. */
const NAMES_KEPT = 200;
const ALL_OTHERS = 'other';

type Labels = Readonly<Record<string, string>>;
/** Gives the present values of a gauge, each with its labels. */
export type GaugeReader = () => Promise<readonly GaugeValue[]> | readonly GaugeValue[];
export type GaugeValue = readonly [labels: Labels, value: number];

/** What is measured: its name and meaning, and the labels that it has. */
export interface Measure {
  name: string;
  help: string;
  labels: readonly string[];
}

/**
 * What one process counts and measures, as Prometheus reads it. Parts of one process that measure the same share the metric. What is
 * read at a scrape and cannot be read is left out of it.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly readers = new Map<string, GaugeReader[]>();
  private readonly names = new Set<string>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Everything, in the text format of Prometheus. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  counter({ name, help, labels }: Measure): Counter {
    const known = this.registry.getSingleMetric(name) as Counter | undefined;
    return known ?? new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** @param buckets upper bounds, in the unit of its name */
  histogram({ name, help, labels }: Measure, buckets: readonly number[]): Histogram {
    const known = this.registry.getSingleMetric(name) as Histogram | undefined;
    return (
      known ?? new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] })
    );
  }

  /** A figure that is read when somebody asks for it. */
  gauge({ name, help, labels }: Measure, read: GaugeReader): void {
    const readers = this.readers.get(name);
    if (readers) return void readers.push(read);
    const all = [read];
    this.readers.set(name, all);
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      registers: [],
      async collect() {
        gauge.reset();
        // Without labels there would be a zero, as if it had been read.
        if (labels.length === 0) gauge.remove();
        const values = await Promise.all(all.map(async (each) => each()).map((given) => given.catch(() => [])));
        for (const [labelled, value] of values.flat()) gauge.set({ ...labelled }, value);
      },
    });
    this.registry.registerMetric(gauge);
  }

  /** A name as a label value: itself for the first 200 that come, `other` for the rest, so that the number of series is bounded. */
  nameLabel(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= NAMES_KEPT) return ALL_OTHERS;
    this.names.add(name);
    return name;
  }
}

/** Bounds for what takes from milliseconds to minutes, in seconds. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800] as const;
