import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodesPage } from './test/nodes-page.js';

const PAGE = join(__dirname, '../../docs/nodes.md');
const [BEGIN, END] = ['<!-- from the definitions -->', '<!-- end -->'];

describe('docs/nodes.md', () => {
  it('says of each node what its definition says', async () => {
    const page = readFileSync(PAGE, 'utf8');
    const [before, rest = ''] = page.split(BEGIN);
    const [, after = ''] = rest.split(END);
    const expected = `${before}${BEGIN}\n\n${await nodesPage()}\n\n${END}${after}`;
    // With UPDATE_DOCS=1 the page is written anew.
    if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, expected);
    else expect(page).toBe(expected);
  });
});
