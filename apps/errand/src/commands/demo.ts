import { join } from 'node:path';
import { ApiClient } from '../client/api-client.js';
import { EXIT } from '../client/client-errors.js';
import { localTarget, targetOf, type Target } from '../client/find-target.js';
import { Keyboard } from '../agent/keyboard.js';
import { startScriptedModel } from '../agent/scripted-model-process.js';
import { startStackProcess } from '../stack-process.js';
import { colour, say } from '../terminal.js';
import { takeTurn } from './converse.js';
import { invoke } from './invoke.js';

interface Scene {
  title: string;
  text: string;
  exitCode: number;
  /** Shows the scene. Default: the text is submitted. */
  play?: (client: ApiClient) => Promise<number>;
}

/**
 * `./errand demo`: shows Errand in scenes, on the running stack or on a temporary one. Exit code 1 if a scene fails. The temporary stack
 * has a scripted model, so that it also shows a turn of an agent.
 */
export async function run(): Promise<number> {
  const dataDir = process.env['ERRAND_DATA_DIR'] ?? '.errand';
  const running = localTarget({}, process.env);
  if (running) return play(running, scenes());
  const model = await startScriptedModel();
  try {
    const stack = await startStackProcess(
      { ...process.env, ...model.env, ERRAND_DATA_DIR: join(dataDir, 'demo'), ERRAND_PORT: '0' },
      'ignore',
    );
    try {
      return await play(targetOf(stack.url, process.env), [...scenes(), TURN]);
    } finally {
      await stack.close();
    }
  } finally {
    model.close();
  }
}

async function play(target: Target, played: readonly Scene[]): Promise<number> {
  const client = new ApiClient(target);
  for (const { title, text, exitCode, play: show = () => invoke(client, text) } of played) {
    say(`\n${colour.bold(title)}`);
    say(colour.dim(text.replace(/^/gm, '  > ')));
    if ((await show(client)) !== exitCode) {
      say(colour.red('\nThis scene did not end as expected; `./errand doctor` looks for the reason.'));
      return 1;
    }
  }
  printNextSteps();
  return 0;
}

function scenes(): Scene[] {
  const typos = {
    title: 'A call with typos does not run, and the model reads how to fix it',
    text: TYPOS,
    exitCode: EXIT.refused,
  };
  if (process.env['ERRAND_NO_DOCKER'] === 'true') {
    return [
      {
        title: 'A chain: the second tool takes the result of the first one',
        text: CHAIN_OF_NODES,
        exitCode: EXIT.success,
      },
      typos,
    ];
  }
  return [
    {
      title: 'A model calls a Python script: it runs in its own container and streams its log',
      text: SCRIPT,
      exitCode: EXIT.success,
    },
    { title: 'A chain: a TypeScript script takes the result of a built-in tool', text: CHAIN, exitCode: EXIT.success },
    typos,
  ];
}

function printNextSteps(): void {
  say(`\n${colour.bold('Next steps')}`);
  say('  1. ./errand up                          keep it running, and continue in a second terminal');
  say("  2. ./errand invoke '<ACTION><core:math><op>power</op><a>2</a><b>10</b></core:math></ACTION>'");
  say('  3. curl http://127.0.0.1:3000/v1/tools  list every tool; a tool that you save under examples/ appears here');
  say(
    '  4. http://127.0.0.1:3000/console/       the console, in a browser: what runs, what waits, what failed and why',
  );
}

/** A turn of the agent of the examples. The model comes with the examples, too. */
const TURN: Scene = {
  title: 'An agent: Errand asks the model, runs the calls in its answer, and asks again with their results',
  text: 'What is 6 times 7?',
  exitCode: EXIT.success,
  play: (client) => takeTurn(client, { agent: 'calculator', keyboard: new Keyboard() }, TURN.text),
};

/** An answer of a model that calls a Python script, which logs while it works. */
export const SCRIPT = `Let me look at the wording first.
<ACTION>
  <text:analyze>
    <text>The quick brown fox jumps over the lazy dog. The dog does not mind; the fox does it again.</text>
    <top>3</top>
  </text:analyze>
</ACTION>`;

/** An answer of a model that calls a node, and a script with the result of the node. */
export const CHAIN = `<|[REQUEST_TOOL]|>
command1:「始」core:template「末」,
template1:「始」{{place}} for beginners: a walk in {{hours}} hours「末」,
data1:「始」{"place": "Prague", "hours": 3}「末」,
command2:「始」text:slugify「末」,
title2:「始」{{steps.1.result}}「末」
<|[END_TOOL]|>`;

/** The same with nodes only, for a machine without a sandbox for scripts. */
const CHAIN_OF_NODES = CHAIN.replace('text:slugify', 'core:case').replace(
  'title2:',
  'style2:「始」kebab「末」,\ntext2:',
);

/** An answer of a model with two typos, each close to a correct name. */
const TYPOS = `<ACTION>
  <core:templat>
    <template>Good morning, {{name}}!</template>
  </core:templat>
  <core:case>
    <txt>good morning</txt>
    <style>upper</style>
  </core:case>
</ACTION>`;
