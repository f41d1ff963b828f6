import { once } from 'node:events';
import { colour } from '../terminal.js';
import type { LogRecord } from './log-record.js';
import { dayOf, renderAsJson, renderForTerminal } from './render-record.js';

/**
 * Writes records to stdout: as JSON lines for programs, else for people, with a heading where the day (UTC) changes. It waits for a slow
 * reader.
 */
export class RecordWriter {
  private day: string | undefined;

  constructor(private readonly isForPrograms: boolean) {}

  async write(records: readonly LogRecord[]): Promise<void> {
    for (const record of records) {
      const text = this.isForPrograms ? renderAsJson(record) : this.withDay(record);
      if (!process.stdout.write(`${text}\n`)) await once(process.stdout, 'drain');
    }
  }

  private withDay(record: LogRecord): string {
    const day = dayOf(record);
    const heading = day === undefined || day === this.day ? '' : `${colour.dim(`── ${day} (UTC)`)}\n`;
    this.day = day ?? this.day;
    return heading + renderForTerminal(record);
  }
}
