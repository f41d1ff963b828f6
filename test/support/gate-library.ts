import type { Files } from './write-files.js';

const PLUGIN = `
name: gate
displayName: Gate
version: 1.0.0
description: A tool that ends when a test lets it.
nodes: { entry: nodes/index.js }
tools:
  - id: gate:hold
    displayName: Hold
    description: Runs until a file exists, and then writes another.
    parameters: { type: object, properties: { open: { type: string }, left: { type: string } }, required: [open] }
    implementation: { type: node, nodeType: gate:hold }
`;

const NODES = `
const { existsSync, writeFileSync } = require('node:fs');
const { setTimeout: sleep } = require('node:timers/promises');
const slot = { dataFlowType: 'WILDCARD' };
module.exports = { nodes: [
  { type: 'gate:hold', description: 'd', inputs: { open: slot, left: slot }, outputs: { value: slot },
    run: async ({ open, left }, { signal }) => {
      if (left) writeFileSync(left + '.begun', '');
      while (!existsSync(open)) await sleep(10, undefined, { signal });
      if (left) writeFileSync(left, '');
      return { value: 'done' };
    } },
] };`;

/** A library with one tool, which runs until the file `open` exists. The test decides how long that takes. */
export const GATE: Files = { 'plugins/gate/plugin.yaml': PLUGIN, 'plugins/gate/nodes/index.js': NODES };
