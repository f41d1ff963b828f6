import type { Failure, Step, ToolInterface } from '@errand/contracts';
import { toolLookupOf } from '@errand/registry';
import {
  aliasOf,
  observeInvocation,
  observeProblems,
  parse,
  renderDiagnostic,
  renderPrompt,
  toToolDefinitions,
} from '../index.js';
import { EXAMPLE_TOOLS, promptExamples } from './prompt-examples.js';

const id = 'inv_1';
const readable = { result: true, artifact: true };

function step(index: number, toolId: string, outcome: Partial<Step>): Step {
  const status = outcome.error ? 'failed' : 'result' in outcome ? 'succeeded' : 'queued';
  return {
    index,
    toolId,
    version: '1.0.0',
    arguments: {},
    status,
    startedAt: null,
    finishedAt: null,
    attempts: 1,
    ...outcome,
  };
}

function observe(steps: Step[], maxChars?: number): string {
  const error = steps.find((one) => one.error)?.error ?? null;
  return observeInvocation({ id, steps, status: error ? 'failed' : 'succeeded', error }, { readable, maxChars });
}

describe('observeInvocation', () => {
  it('A string result is shown unchanged', () => {
    expect(observe([step(0, 'ReadWorldStateTool', { result: 'sunny' })])).toBe(
      'Observation: Tool ReadWorldStateTool executed successfully. Result: sunny',
    );
  });

  it('Any other result is shown as JSON', () => {
    expect(observe([step(0, 't', { result: { a: [1, null] } })])).toBe(
      'Observation: Tool t executed successfully. Result: {"a":[1,null]}',
    );
  });

  it('A failure is shown with its type, message and details', () => {
    const error: Failure = { type: 'ScriptError', message: 'division by zero', details: { exitCode: 1 } };
    expect(observe([step(0, 'core:execute-python-script', { error })])).toBe(
      'Observation: Error - Tool core:execute-python-script failed. Error type: ScriptError. Message: division by zero. Details: {"exitCode":1}',
    );
  });

  it('A chain is shown line by line up to its failed step', () => {
    const error: Failure = { type: 'NodeError', message: 'no' };
    const lines = observe([step(0, 'a', { result: 1 }), step(1, 'b', { error }), step(2, 'c', {})]).split('\n');
    expect(lines).toEqual([
      'Observation: Tool a executed successfully (step 1 of 3). Result: 1',
      'Observation: Error - Tool b failed (step 2 of 3). Error type: NodeError. Message: no.',
    ]);
  });

  it('A cancelled chain shows the step at which it stopped, also after a tolerated failure', () => {
    const failed: Failure = { type: 'NodeError', message: 'no' };
    const left = { status: 'cancelled' } as const;
    const steps = [step(0, 'a', { error: failed }), step(1, 'b', left), step(2, 'c', left)];
    const error: Failure = { type: 'CancelledError', message: 'The invocation was cancelled' };
    expect(observeInvocation({ id, steps, status: 'cancelled', error }, { readable }).split('\n')).toEqual([
      'Observation: Error - Tool a failed (step 1 of 3). Error type: NodeError. Message: no.',
      'Observation: Error - Tool b failed (step 2 of 3). Error type: CancelledError. Message: The invocation was cancelled.',
    ]);
  });

  it('A long result is cut at a boundary, with a hint how to read the rest', () => {
    const text = 'word '.repeat(5_000);
    const observation = observe([step(0, 't', { result: text })]);
    expect(observation).toBe(
      `Observation: Tool t executed successfully. Result: ${text.slice(0, 8_000)}… [cut at 8,000 of 25,000 characters; read more: tool core:read-result, invocation inv_1, offset 8000]`,
    );
  });

  it('A cut never splits a surrogate pair', () => {
    expect(observe([step(0, 't', { result: '😀'.repeat(200) })], 201)).toContain(
      `${'😀'.repeat(100)}… [cut at 200 of 400`,
    );
  });

  it('An invocation that was cancelled before it ran is shown as cancelled', () => {
    const observation = observeInvocation(
      { id, steps: [step(0, 't', {})], status: 'cancelled', error: null },
      { readable },
    );
    expect(observation).toBe(
      'Observation: Error - Tool t failed. Error type: CancelledError. Message: The invocation was cancelled.',
    );
  });
});

describe('observeProblems', () => {
  const tools = toolLookupOf([
    { toolId: 'GetPlayerInfo', parameters: { type: 'object', properties: { player_id: { type: 'string' } } } },
  ]);
  const observed = (text: string) => parse(text, { tools }).observation;

  it.each([
    [
      '<ACTION><GetPlayerInfo><playerId>1</playerId></GetPlayerInfo></ACTION>',
      "Observation: Error - Invalid parameters for GetPlayerInfo: Unknown parameter 'playerId', did you mean 'player_id'?",
    ],
    [
      '<ACTION><GetPlayerInf/></ACTION>',
      "Observation: Error - Unknown tool 'GetPlayerInf', did you mean 'GetPlayerInfo'?",
    ],
    [
      '<|[REQUEST_TOOL]|>command:「始」x',
      'Observation: Error - The block is cut off: line 1, column 1: The text ends before <|[END_TOOL]|>; send the whole block again',
    ],
  ])('The text %s gives the exact Observation', (text, observation) => {
    expect(observed(text)).toBe(observation);
  });

  it('An XML problem is shown with its line and column', () => {
    const text = '<ACTION>\n<GetPlayerInfo>\n<player_id>7</player_id>\n        <path>a\n</GetPlayerInfo></ACTION>';
    expect(observed(text)).toMatch(
      /^Observation: Error - Malformed XML in ACTION block: line 4, column 9: <path> is not closed/,
    );
  });

  it('The problems of one call are on one line', () => {
    const problems = ['a', 'b'].map((path) => ({
      kind: 'invalid_parameters' as const,
      call: 0,
      path,
      message: `Bad ${path}`,
    }));
    expect(observeProblems(problems, [{ toolId: 't' }])).toBe(
      'Observation: Error - Invalid parameters for t: Bad a; Bad b',
    );
  });
});

describe('renderDiagnostic', () => {
  it('A diagnostic shows the line with a caret under the column, and the suggestion', () => {
    const text = 'Hi\n  <ping a="1"/>\n';
    expect(
      renderDiagnostic(text, {
        kind: 'unknown_tool',
        message: "Unknown tool 'ping'",
        line: 2,
        column: 3,
        suggestion: 'pong',
      }),
    ).toBe(
      [
        "unknown_tool: Unknown tool 'ping'",
        ' --> line 2, column 3',
        '2 |   <ping a="1"/>',
        '  |   ^',
        "  = did you mean 'pong'?",
      ].join('\n'),
    );
  });

  it('The caret is in the right column behind wide characters', () => {
    expect(renderDiagnostic('尺寸：x', { message: 'm', line: 1, column: 4 }).split('\n')[3]).toBe('  |       ^');
  });

  it('A diagnostic shows no control characters and only a part of a long line', () => {
    const shown = renderDiagnostic(`\u001b[31m${'x'.repeat(5_000)}`, { message: 'm', line: 1, column: 3_000 });
    expect(shown).not.toContain('\u001b');
    expect(shown.length).toBeLessThan(400);
    expect(renderDiagnostic('\u001b', { message: 'm', line: 1, column: 1 })).toContain('␛');
  });

  it('A diagnostic has colours on request', () => {
    expect(renderDiagnostic('x', { message: 'm', line: 1, column: 1 }, { color: true })).toContain(
      '\u001b[33mwarning\u001b[0m',
    );
  });
});

describe('aliasOf', () => {
  it.each([
    ['core:echo', 'core__echo'],
    ['GetPlayerInfo', 'GetPlayerInfo'],
    ['kb:read-page', 'kb__read-page'],
  ])('The alias of %s is %s', (toolId, alias) => {
    expect(aliasOf(toolId)).toBe(alias);
  });

  it('Aliases are valid names, and similar ids have different aliases', () => {
    const ids = [
      'a:b',
      'a__b',
      'a_:b',
      'a:_b',
      'a:b/c',
      'a:b.c',
      'a:b_c',
      'a:b-c',
      `long:${'x'.repeat(80)}1`,
      `long:${'x'.repeat(80)}2`,
      '工具:一',
      '工具:二',
    ];
    const aliases = ids.map(aliasOf);
    for (const alias of aliases) expect(alias).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(aliases).size).toBe(ids.length);
  });
});

const TOOLS: ToolInterface[] = [
  {
    toolId: 'kb:read',
    version: '1.0.0',
    displayName: 'Read a page',
    description: 'Reads a page of the knowledge base. It may be long.',
    kind: 'node',
    parameters: {
      type: 'object',
      properties: {
        page: { type: 'string', description: 'Which page' },
        mode: { enum: ['text', 'html'], default: 'text' },
        marks: {
          type: 'array',
          items: { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] },
        },
      },
      required: ['page'],
    },
    tags: [],
  },
  {
    toolId: 'workflow:tidy',
    version: '1.0.0',
    displayName: 'Tidy',
    description: 'Tidies up.',
    kind: 'workflow',
    parameters: { type: 'object' },
    tags: [],
  },
];

describe('toToolDefinitions', () => {
  const tool = TOOLS[0]!;
  const name = 'kb__read';

  it.each([
    ['openai', { type: 'function', function: { name, description: tool.description, parameters: tool.parameters } }],
    ['anthropic', { name, description: tool.description, input_schema: tool.parameters }],
    ['mcp', { name, title: 'Read a page', description: tool.description, inputSchema: tool.parameters }],
  ] as const)('A tool definition has the form of %s', (format, expected) => {
    const [first, second] = toToolDefinitions(TOOLS, format);
    expect(first).toEqual(expected);
    expect(JSON.stringify(second)).toContain('"properties":{}');
  });

  it('A tool definition in JSON is the catalogue entry itself', () => {
    expect(toToolDefinitions([tool], 'json')[0]).toMatchObject({
      toolId: 'kb:read',
      kind: 'node',
      parameters: tool.parameters,
    });
  });
});

describe('renderPrompt', () => {
  it('A prompt lists tools and skills under separate headings, with all details of their parameters', () => {
    const prompt = renderPrompt({ tools: TOOLS, format: 'action' });
    expect(prompt).toMatch(/## Tools\n\n### kb:read\n[^]*## Skills\n\n### workflow:tidy\n/);
    expect(prompt).toContain('- page (string; required): Which page');
    expect(prompt).toContain('- mode (string; optional; one of "text", "html"; default "text")');
    expect(prompt).toContain('- marks (array of object {line: integer}; optional)');
    expect(prompt).toContain('Correcting oneself');
  });

  it('A prompt that is too long drops examples, then descriptions, then tools, and says so', () => {
    const full = renderPrompt({ tools: TOOLS, format: 'tam' });
    const fewer = renderPrompt({ tools: TOOLS, format: 'tam', maxChars: full.length - 1 });
    expect(fewer).toContain('(Left out for lack of space: 1 examples.)');
    expect(fewer).toContain('Which page');
    const maxChars = renderPrompt({ tools: TOOLS, format: 'tam', maxChars: 1_100 }).length - 1;
    const bare = renderPrompt({ tools: TOOLS, format: 'tam', maxChars });
    expect(bare.length).toBeLessThanOrEqual(maxChars);
    expect(bare).not.toContain('Which page');
    expect(renderPrompt({ tools: TOOLS, format: 'tam', maxChars: 0 })).toContain('2 tools');
  });

  const book = toolLookupOf(Object.entries(EXAMPLE_TOOLS).map(([toolId, parameters]) => ({ toolId, parameters })));
  const examples = (['action', 'tam'] as const).flatMap((format) =>
    promptExamples(format).map((example) => ({ ...example, format })),
  );

  it.each(examples)('The $format example "$title" parses to its calls', ({ text, calls, format }) => {
    const answer = text.slice(Math.max(0, text.lastIndexOf('I correct')));
    const result = parse(answer, { tools: book });
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([]);
    expect(result.calls).toEqual(calls);
    if (calls.length > 0) expect(result.protocol).toBe(format);
  });

  it.each(['action', 'tam'] as const)(
    'The %s example of a correction shows the real observation of the parser',
    (format) => {
      const { text } = promptExamples(format).find(({ title }) => title.startsWith('Correcting'))!;
      const shown = /^Observation:.*$/m.exec(text)![0];
      expect(parse(text.slice(0, text.indexOf(shown)), { tools: book }).observation).toBe(shown);
    },
  );
});
