import type { Invocation, Step, Tool, Waiting } from '@errand/contracts';
import { openWaits, type OpenWait } from '@errand/protocol';
import { textOf } from '../show-invocation.js';
import { shellWord, colour, escapeControls, say } from '../terminal.js';
import { sampleValue } from '../tools/sample-arguments.js';
import type { ApiClient } from './api-client.js';
import { requireInvocation } from './invocation-path.js';

/** A reason why an invocation does not go on, as lines for a person. `kind` is the same while only numbers change. */
interface Wait {
  kind: string;
  lines: string[];
}

/** Shows each reason of an invocation to wait, once. */
export class WaitReporter {
  private readonly shown = new Set<string>();

  constructor(
    private readonly client: ApiClient,
    private readonly id: string,
  ) {}

  /** Asks the API for the current reasons. A failure is not shown: the reasons are only a help. */
  async report(): Promise<void> {
    const waits = await this.askForWaits().catch(() => []);
    for (const { kind, lines } of waits) {
      if (this.shown.has(kind)) continue;
      this.shown.add(kind);
      for (const line of lines) say(line);
    }
  }

  private async askForWaits(): Promise<Wait[]> {
    const body = await this.client.get<unknown>(`/v1/invocations/${this.id}`);
    return describeWaits(this.client, requireInvocation(body, this.client.url));
  }
}

/** The reasons why an invocation waits. For an answer, the command that gives it. */
export async function describeWaits(client: ApiClient, { id, queue, steps }: Invocation): Promise<Wait[]> {
  const answers = await Promise.all(
    steps.flatMap((step) => openWaits(step).map((wait) => describeAnswer(client, id, step, wait))),
  );
  const others = steps.flatMap((step) =>
    [step, ...(step.nodes ?? [])].flatMap(({ waiting }) =>
      waiting && waiting.for !== 'answer' ? [describeOther(step, waiting)] : [],
    ),
  );
  const isCovered = answers.length > 0 || others.length > 0;
  return [...answers, ...others, ...(queue && !isCovered ? [describeQueue(queue.waitingFor)] : [])];
}

function describeQueue(waitingFor: string): Wait {
  return {
    kind: waitingFor.replaceAll(/[\d.]+/g, '0'),
    lines: [`  ${colour.dim(`waits for ${escapeControls(waitingFor)}`)}`],
  };
}

function describeOther({ index, toolId }: Step, waiting: Waiting): Wait {
  const what = [waiting.for, waiting.label, waiting.invocationId].filter((part) => part !== undefined).join(' ');
  const line = `step ${index} (${toolId}) waits for: ${what}${until(waiting)}`;
  return { kind: line, lines: [`  ${colour.dim(escapeControls(line))}`] };
}

async function describeAnswer(client: ApiClient, id: string, step: Step, wait: OpenWait): Promise<Wait> {
  const { nodeId, asker, waiting } = wait;
  const node = nodeId === undefined ? '' : `, node ${nodeId}`;
  const prompt = waiting.prompt === undefined ? '' : `: ${textOf(waiting.prompt)}`;
  const sample = shellWord(await sampleAnswer(client, nodeId === undefined ? step : undefined));
  const options = `--step ${step.index}${nodeId === undefined ? '' : ` --node ${shellWord(nodeId)}`}`;
  return {
    kind: `${step.index} ${nodeId ?? ''} ${waiting.key ?? ''}`,
    lines: [
      `  ${colour.yellow(escapeControls(`step ${step.index}${node} (${asker}) waits for an answer${until(waiting)}`))}${prompt}`,
      `  To answer: ${escapeControls(`./errand answer ${id} ${options} ${sample}${client.target.again}`)}`,
    ],
  };
}

const until = (waiting: Waiting) => (waiting.until === null ? '' : ` until ${waiting.until}`);

/** An answer of the shape that the tool declares, as JSON text. */
async function sampleAnswer(client: ApiClient, step: Step | undefined): Promise<string> {
  if (!step) return '"your answer"';
  const path = `/v1/tools/${encodeURIComponent(`${step.toolId}@${step.version}`)}`;
  const tool = await client.get<Partial<Tool>>(path).catch(() => undefined);
  return JSON.stringify(tool?.output ? sampleValue(tool.output) : 'your answer');
}
