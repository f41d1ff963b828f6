import type { ToolInterface } from '@errand/contracts';
import { DIALECTS, ESCAPE } from '../tam/dialects.js';
import { describeTool, type Wording } from './describe-tool.js';
import { promptExamples, type BlockFormat } from './prompt-examples.js';

export interface PromptOptions {
  tools: readonly ToolInterface[];
  format: BlockFormat;
  /**
   * The largest length of the text, in characters. Examples are dropped first, then descriptions, then tools, and the
   * text says so.
   */
  maxChars?: number;
}

const { tam } = DIALECTS;
const RULES: Record<BlockFormat, string[]> = {
  action: [
    'To call tools, end your answer with one block `<ACTION>…</ACTION>`; what you say to the user goes before it.',
    "Each tag in the block is a tool's id; the tags inside it are its parameters, spelt exactly as listed.",
    'Lists: one `<item>` for each element. Objects: a tag for each property.',
    'Put text with `<`, `&` or line breaks into `<![CDATA[…]]>`. Inside it, write `]]>` as `]]]]><![CDATA[>`.',
    'Write each value between tags, not as an attribute.',
    'Close every tag. Several tools in one block run in order.',
  ],
  tam: [
    `To call a tool, write a block between \`${tam.blockStart}\` and \`${tam.blockEnd}\`; what you say to the user goes before it.`,
    `Each field is \`name:${tam.open}value${tam.close}\`; \`command\` holds the tool's id.`,
    'Values are taken exactly as written. Lists and objects are JSON.',
    `A value that holds such marks goes between \`${ESCAPE.open}\` and \`${ESCAPE.close}\`.`,
    'Several tools in one block: number the fields (`command1`, `path1`, `command2`, `path2`).',
  ],
};
const RULES_FOR_BOTH = [
  "A parameter that is exactly `{{steps.1.result}}` takes the result of the block's first call; `{{steps.1.result.name}}` a part of it.",
  'Other text in double braces is kept as it is. For the text `{{steps.1.result}}` itself, write `\\{{steps.1.result}}`.',
  'An Observation gives you the result, what to correct, or what was repaired or ignored. If nothing needs to be called, write no block.',
];

/** Returns the text for a system prompt: tools, skills (workflows), format rules and worked examples. */
export function renderPrompt({ tools, format, maxChars = Infinity }: PromptOptions): string {
  const examples = promptExamples(format).length;
  const drafts: Draft[] = [];
  for (let kept = examples; kept >= 0; kept--) drafts.push({ tools, format, kept, wording: 'full' });
  for (const wording of ['short', 'none'] as const) drafts.push({ tools, format, kept: 0, wording });
  for (const draft of drafts) {
    const text = renderDraft(draft, tools.length, examples);
    if (text.length <= maxChars) return text;
  }
  return fitTools({ tools, format, kept: 0, wording: 'none' }, maxChars, examples);
}

interface Draft {
  tools: readonly ToolInterface[];
  format: BlockFormat;
  kept: number;
  wording: Wording;
}

/** Returns the text with as many tools as fit, found by binary search. The rules always stay. */
function fitTools(draft: Draft, maxChars: number, examples: number): string {
  const upTo = (count: number) =>
    renderDraft({ ...draft, tools: draft.tools.slice(0, count) }, draft.tools.length, examples);
  let low = 0;
  let high = draft.tools.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (upTo(middle).length <= maxChars) low = middle;
    else high = middle - 1;
  }
  return upTo(low);
}

function renderDraft({ tools, format, kept, wording }: Draft, allTools: number, allExamples: number): string {
  const described = (isSkill: boolean) =>
    tools.filter(({ kind }) => (kind === 'workflow') === isSkill).map((tool) => describeTool(tool, wording));
  const examples = promptExamples(format).slice(0, kept);
  const leftOut = [
    ...(allExamples > kept ? [`${allExamples - kept} examples`] : []),
    ...(wording === 'full' ? [] : [wording === 'short' ? 'details of descriptions' : 'descriptions']),
    ...(allTools > tools.length ? [`${allTools - tools.length} tools`] : []),
  ];
  return [
    ...section('Tools', described(false)),
    ...section('Skills', described(true)),
    ...section('How to call them', [[...RULES[format], ...RULES_FOR_BOTH].map((rule) => `- ${rule}`).join('\n')]),
    ...section(
      'Examples',
      examples.length > 0 ? ['The tools in these examples are made up.', ...examples.map(showExample)] : [],
    ),
    ...(leftOut.length > 0 ? [`(Left out for lack of space: ${leftOut.join(', ')}.)`] : []),
  ].join('\n\n');
}

function showExample({ title, text }: { title: string; text: string }): string {
  return `### ${title}\n${text}`;
}

function section(title: string, parts: string[]): string[] {
  return parts.length > 0 ? [`## ${title}\n\n${parts.join('\n\n')}`] : [];
}
