import * as fc from 'fast-check';
import { bodyOf } from '../inbox/answer-body.js';
import { repairBody } from '../invocation/repair-body.js';
import { submissionOf } from './tool-draft.js';

/** JSON texts as people paste them: any blanks, and numbers that JavaScript cannot hold. */
const pasted = fc
  .tuple(fc.json(), fc.constantFrom('', ' ', '\n'), fc.constantFrom('1.0', '1e400', '12345678901234567890'))
  .map(([json, blank, number]) => `{${blank}"given"${blank}:${blank}${json},${blank}"number": ${number}${blank}}`);

describe('A JSON text that a person pastes', () => {
  it('It is sent unchanged by a trial, an answer and a repair, whatever it is', () => {
    fc.assert(
      fc.property(pasted, fc.string(), fc.option(fc.string()), (text, name, nodeId) => {
        const value: unknown = JSON.parse(text);
        const sent = [submissionOf(name, text), bodyOf({ nodeId }, `"result": ${text}`), repairBody([[0, text]])];
        for (const body of sent) expect(body).toContain(text);
        const [submission, answer, repair] = sent.map((body): unknown => JSON.parse(body));
        expect(submission).toEqual({ toolId: name, arguments: value });
        expect(answer).toEqual({ result: value, ...(nodeId !== null && { nodeId }) });
        expect(repair).toEqual({ steps: { 0: { inputs: value } } });
      }),
    );
  });
});
