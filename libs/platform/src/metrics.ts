import { setTimeout } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Names from callers (mostly tools) become label values. Names after this number become one label. */
const NAMES_KEPT = 200;
const ALL_OTHERS = 'other';
/** How often the lag of the event loop is measured. */
const LAG_TICK_MS = 10;
/** The first lag is known after two ticks. Until then, prom-client reports a least lag of centuries. */
const FIRST_TICKS = 3;

type Labels = Readonly<Record<string, string>>;
/** Reads the current values of a gauge, each with its labels. */
export type GaugeReader = () => Promise<readonly GaugeValue[]> | readonly GaugeValue[];
export type GaugeValue = readonly [labels: Labels, value: number];

/** A metric: its name, its meaning and the names of its labels. */
export interface Measure {
  name: string;
  help: string;
  labels: readonly string[];
}

/**
 * The metrics of one process, in the format of Prometheus. Parts of the process that measure the same thing share the
 * metric. A gauge that cannot be read is left out of the scrape.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly readers = new Map<string, GaugeReader[]>();
  private readonly names = new Set<string>();
  private ofNode: Promise<void> | undefined;

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in the text format of Prometheus. Those of Node.js begin with the first call. */
  async text(): Promise<string> {
    await (this.ofNode ??= this.measureNode());
    return this.registry.metrics();
  }

  /** The lag of the event loop is measured a hundred times a second. An idle process spends most of its CPU time on it, so it begins when somebody reads. */
  private async measureNode(): Promise<void> {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_TICK_MS });
    for (let tick = 0; tick < FIRST_TICKS; tick++) await setTimeout(LAG_TICK_MS);
  }

  counter({ name, help, labels }: Measure): Counter {
    const known = this.registry.getSingleMetric(name) as Counter | undefined;
    return known ?? new Counter({ name, help, labelNames: labels, registers: [this.registry] });
  }

  /** @param buckets upper bounds, in the unit of the metric */
  histogram({ name, help, labels }: Measure, buckets: readonly number[]): Histogram {
    const known = this.registry.getSingleMetric(name) as Histogram | undefined;
    return (
      known ?? new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers: [this.registry] })
    );
  }

  /** A gauge that is read at each scrape. */
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
        // A metric without labels would report 0 before it was read.
        if (labels.length === 0) gauge.remove();
        const values = await Promise.all(all.map(async (each) => each()).map((given) => given.catch(() => [])));
        for (const [labelled, value] of values.flat()) gauge.set({ ...labelled }, value);
      },
    });
    this.registry.registerMetric(gauge);
  }

  /**
   * A name as a label value. The first 200 names stay, all others become `other`, so that the number of series is
   * bounded.
   */
  nameLabel(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= NAMES_KEPT) return ALL_OTHERS;
    this.names.add(name);
    return name;
  }
}

/** Buckets for durations from milliseconds to minutes, in seconds. */
export const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800] as const;
