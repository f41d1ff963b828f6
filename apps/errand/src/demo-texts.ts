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
export const SLIPS = `<ACTION>
  <core:templat>
    <template>Good morning, {{name}}!</template>
  </core:templat>
  <core:case>
    <txt>good morning</txt>
    <style>upper</style>
  </core:case>
</ACTION>`;
