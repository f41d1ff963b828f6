import type { InventoryTool } from '@errand/contracts';
import { rankTools } from './rank-tools.js';

const inventory = ['mail:send', 'mail:search', 'web:fetch'].map((toolId): InventoryTool => ({
  tool: { toolId, version: '1.0.0', displayName: toolId, description: '', kind: 'node', parameters: {}, tags: [] },
}));

it('The tools of an inventory are ranked by the words of a message', () => {
  expect(rankTools(inventory, 'Please send a mail')).toEqual(['mail:send', 'mail:search']);
  expect(rankTools(inventory, 'fetch')).toEqual(['web:fetch']);
  expect(rankTools([], 'fetch')).toEqual([]);
  expect(rankTools(inventory, '')).toEqual([]);
});
