import type { ToolInterface } from '@errand/contracts';
import { fit, widthOf, wrap } from './fit-text.js';
import { renderTable } from './list-tools.js';

const tool = (toolId: string, description: string): ToolInterface => ({
  toolId,
  version: '1.0.0',
  displayName: toolId,
  description,
  kind: 'node',
  parameters: {},
  tags: [],
});
const TOOLS = [
  tool('core:echo', 'Gives back what it gets. '.repeat(20)),
  tool(`library:${'long-'.repeat(20)}name`, 'Two\nlines'),
  tool('文字:数える', '文字列の長さを数えます。'.repeat(10)),
];

describe('The table of tools', () => {
  it.each([20, 40, 59, 60, 80, 120, 200])('The table fits a terminal of %d cells', (width) => {
    const ids = TOOLS.map(({ toolId }) => toolId);
    for (const line of renderTable(TOOLS, width)) {
      const isTitle = width < 60 && ids.some((id) => line.startsWith(id));
      if (!isTitle) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }
  });

  it('The table has one uncut line for each tool without a terminal', () => {
    const lines = renderTable(TOOLS, Infinity);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(TOOLS[0]!.description.trim());
    expect(lines[1]).toMatch(/Two lines$/);
  });

  it('A description cannot send control characters to the terminal', () => {
    expect(renderTable([tool('a:b', 'x\u001b[2Jy')], 80)[0]).toMatch(/x\\x1b\[2Jy/);
  });
});

describe('Text in a terminal', () => {
  it('Text is cut between characters', () => {
    expect(fit('abcdef', 6)).toBe('abcdef');
    expect(fit('abcdef', 5)).toBe('abcd…');
    expect(fit('数える', 5)).toBe('数え…');
    expect(fit('e\u0301e\u0301', 2)).toBe('e\u0301e\u0301');
  });

  it('Text is wrapped between words', () => {
    expect(wrap('to be or not to be', 8)).toEqual(['to be or', 'not to', 'be']);
    expect(wrap('', 8)).toEqual([]);
  });
});
