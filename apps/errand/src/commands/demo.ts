import { join } from 'node:path';
import { findRunningStack } from '../running-stack.js';
import { startStackProcess } from '../stack-process.js';
import { colour, say } from '../terminal.js';
import { invoke } from './invoke.js';

interface Scene {
  title: string;
  text: string;
  exitCode: number;
}

/** `./errand demo`: what Errand does, in three scenes, on the stack that runs or on one of its own. Exit code 1 if a scene goes wrong. */
export async function run(): Promise<number> {
  const dataDir = process.env['ERRAND_DATA_DIR'] ?? '.errand';
  const running = findRunningStack(dataDir);
  if (running) return play(running.url);
  const stack = await startStackProcess(
    { ...process.env, ERRAND_DATA_DIR: join(dataDir, 'demo'), ERRAND_PORT: '0' },
    'ignore',
  );
  try {
    return await play(stack.url);
  } finally {
    await stack.close();
  }
}

async function play(api: string): Promise<number> {
  for (const { title, text, exitCode } of scenes()) {
    say(`\n${colour.bold(title)}`);
    say(colour.dim(text.replace(/^/gm, '  > ')));
    if ((await invoke(api, text)) !== exitCode) {
      say(colour.red('\nThat should have gone otherwise; `./errand doctor` looks for the reason.'));
      return 1;
    }
  }
  printNextSteps();
  return 0;
}

function scenes(): Scene[] {
  const typos = {
    title: 'A call with slips runs not at all, and the model is told how to mend it',
    text: TYPOS,
    exitCode: 2,
  };
  if (process.env['ERRAND_NO_DOCKER'] === 'true') {
    return [
      { title: 'A chain: the second tool takes what the first one gave', text: CHAIN_OF_NODES, exitCode: 0 },
      typos,
    ];
  }
  return [
    {
      title: 'A model calls a Python script: it runs in a container of its own, its log streams by',
      text: SCRIPT,
      exitCode: 0,
    },
    { title: 'A chain: a TypeScript script takes what a built-in tool gave', text: CHAIN, exitCode: 0 },
    typos,
  ];
}

function printNextSteps(): void {
  say(`\n${colour.bold('What to try next')}`);
  say('  1. ./errand up                          leave it running, and go on in a second terminal');
  say("  2. ./errand invoke '<ACTION><core:math><op>power</op><a>2</a><b>10</b></core:math></ACTION>'");
  say('  3. curl http://127.0.0.1:3000/v1/tools  every tool; save one of yours under examples/, and it is there');
}

/** What an agent might say; each a whole answer of a model, with its words around the block. */

/** A Python script that logs while it works. */
export const SCRIPT = `Let me look at the wording first.
<ACTION>
  <text:analyze>
    <text>The quick brown fox jumps over the lazy dog. The dog does not mind; the fox does it again.</text>
    <top>3</top>
  </text:analyze>
</ACTION>`;

/** A node, and what it gives handed on to a script. */
export const CHAIN = `<|[REQUEST_TOOL]|>
command1:「始」core:template「末」,
template1:「始」{{place}} for beginners: a walk in {{hours}} hours「末」,
data1:「始」{"place": "Prague", "hours": 3}「末」,
command2:「始」text:slugify「末」,
title2:「始」{{steps.1.result}}「末」
<|[END_TOOL]|>`;

/** The same with nodes alone, where there is no sandbox for scripts. */
export const CHAIN_OF_NODES = CHAIN.replace('text:slugify', 'core:case').replace(
  'title2:',
  'style2:「始」kebab「末」,\ntext2:',
);

/** Two slips, each near a right name. */
export const TYPOS = `<ACTION>
  <core:templat>
    <template>Good morning, {{name}}!</template>
  </core:templat>
  <core:case>
    <txt>good morning</txt>
    <style>upper</style>
  </core:case>
</ACTION>`;
