import type { ShownTool } from '@errand/contracts';
import { exchange } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import { formatCount } from '../../parts/format.js';
import { ErrorNotice, LoadingRows } from '../../parts/notices.js';
import { HostileText } from '../../text/hostile-text.js';

const FORMATS: readonly [name: string, word: string][] = [
  ['action', 'ACTION'],
  ['tam', 'TAM'],
  ['openai', 'OpenAI'],
  ['anthropic', 'Anthropic'],
  ['mcp', 'MCP'],
  ['json', 'JSON'],
];

interface Preview {
  name: string;
  word: string;
  text: string;
}

/** The tool as a prompt has it, in each format, with its number of characters: its price in every prompt. */
export function PromptPreview({ tool: { toolId, digest } }: { tool: ShownTool }) {
  const previews = useLoaded(`prompt ${toolId} ${digest}`, (signal) =>
    Promise.all(FORMATS.map(([name, word]) => readPreview(toolId, name, word, signal))),
  );
  return (
    <section class="panel section" data-testid="prompt-preview" aria-labelledby="prompt-title">
      <h2 id="prompt-title">In a prompt</h2>
      {previews.error !== undefined && <ErrorNotice error={previews.error} onRetry={previews.reload} />}
      {previews.data === undefined && previews.error === undefined && <LoadingRows count={6} />}
      <div>
        {previews.data?.map(({ name, word, text }, index) => (
          <details key={name} class="preview" data-format={name} open={index === 0}>
            <summary>
              <span>{word}</span>
              <span class="faint number">{formatCount(text.length)} characters</span>
            </summary>
            <pre tabIndex={0} role="group" aria-label={`The tool as ${word}`}>
              <HostileText text={text} />
            </pre>
          </details>
        ))}
      </div>
    </section>
  );
}

async function readPreview(toolId: string, format: string, word: string, signal: AbortSignal): Promise<Preview> {
  const { response } = await exchange('GET', '/v1/tools/prompt', { query: { toolId, format }, signal });
  return { name: format, word, text: await response.text() };
}
