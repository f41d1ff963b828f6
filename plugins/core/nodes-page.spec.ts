import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodesPage } from './test/nodes-page.js';

const PAGE = join(__dirname, '../../docs/nodes.md');
const [BEGIN, END] = ['<!-- from the definitions -->', '<!-- end -->'];

describe('docs/nodes.md', () => {
  it('The page docs/nodes.md describes each node as in its definition', async () => {
    const page = readFileSync(PAGE, 'utf8');
    const [before, rest = ''] = page.split(BEGIN);
    const [, after = ''] = rest.split(END);
    const expected = `${before}${BEGIN}\n\n${await nodesPage()}\n\n${END}${after}`;
    // UPDATE_DOCS=1 writes the page again.
    if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, expected);
    else expect(page).toBe(expected);
  });
});
