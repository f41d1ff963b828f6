import { hostname } from 'node:os';
import { join } from 'node:path';
import type { AttackOutcome, SandboxReport } from '@errand/contracts';
import {
  followSandboxChecks,
  NotificationHub,
  Queues,
  readSandboxCheck,
  RunnerPresence,
  storeSandboxReport,
} from '@errand/queue';
import { Inject, Injectable } from '@nestjs/common';
import { RunnerConfiguration, RunnerLogger } from '../runner-tokens.js';
import { DockerSandbox } from '../sandbox/index.js';
import { readAttacks, type Attack } from './read-attacks.js';
import { runAttack } from './run-attack.js';

/** The attacks, beside the apps in the sources and in dist/ alike. */
const ATTACKS = join(__dirname, '../../../../test/escapes/attacks');
/** The report is stored after as many attacks, so that a reader sees the progress. */
const STORED_AFTER = 5;

/** Attacks the sandbox of this runner whenever the operator asks for it, and stores the report. One attack runs at a time, beside the scripts. */
@Injectable()
export class CheckSandbox {
  /** The attacks of the next run. Tests have fewer. */
  readAttacks: () => Attack[] = () => readAttacks(ATTACKS);

  constructor(
    @Inject(Queues) private readonly queues: Queues,
    @Inject(NotificationHub) private readonly notifications: NotificationHub,
    @Inject(DockerSandbox) private readonly sandbox: DockerSandbox,
    @Inject(RunnerPresence) private readonly presence: RunnerPresence,
    @Inject(RunnerConfiguration)
    private readonly settings: Partial<Pick<RunnerConfiguration, 'ERRAND_SANDBOX_RUNTIME'>>,
    @Inject(RunnerLogger) private readonly logger: RunnerLogger,
  ) {}

  /**
   * Follows the requests from now on.
   * @returns a function that stops after the present attack, and resolves when it has stopped
   */
  async start(): Promise<() => Promise<void>> {
    const ending = new AbortController();
    const { signal } = ending;
    const last = await readSandboxCheck(this.queues);
    const run = () => this.run(signal);
    const running = followSandboxChecks(this.queues, this.notifications, last, signal, run).catch((err: unknown) =>
      this.logger.warn({ err }, 'requests for attack runs are not followed any more'),
    );
    return () => {
      ending.abort();
      return running;
    };
  }

  private async run(signal: AbortSignal): Promise<void> {
    const report = this.newReport();
    try {
      const attacks = this.readAttacks();
      report.total = attacks.length;
      await storeSandboxReport(this.queues, report);
      for (const attack of attacks) {
        if (signal.aborted) throw new Error('The script-runner ended before the run did; request another one');
        report.attacks.push(await this.attack(attack));
        if (report.attacks.length % STORED_AFTER === 0) await storeSandboxReport(this.queues, report);
      }
      report.state = 'done';
    } catch (error) {
      report.state = 'failed';
      report.error = error instanceof Error ? error.message : String(error);
    }
    const escaped = report.attacks.filter(({ held }) => !held).map(({ name }) => name);
    if (escaped.length > 0) this.logger.warn({ escaped }, 'attacks on the sandbox were not stopped');
    await storeSandboxReport(this.queues, report).catch((err: unknown) =>
      this.logger.warn({ err }, 'the report of an attack run could not be stored'),
    );
  }

  private newReport(): SandboxReport {
    return {
      runner: this.presence.runnerId,
      host: hostname(),
      at: new Date().toISOString(),
      runtime: this.settings.ERRAND_SANDBOX_RUNTIME ?? 'default',
      state: 'running',
      total: 0,
      attacks: [],
    };
  }

  private async attack(attack: Attack): Promise<AttackOutcome> {
    const begun = performance.now();
    const { held, came } = await runAttack(this.sandbox, attack);
    const note = held ? attack.attack : `${attack.attack} Expected: ${attack.defence} Result: ${came}`;
    return { name: attack.file, held, tookMs: Math.round(performance.now() - begun), note: note.slice(0, 2_000) };
  }
}
