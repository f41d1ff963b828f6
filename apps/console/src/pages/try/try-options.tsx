import type { ListPage } from '../../parts/list-view.js';
import { read } from '../../api/call-api.js';
import { useLoaded } from '../../api/use-loaded.js';
import type { QueryChanges } from '../../api/use-url-query.js';
import { markedString } from '../../text/mark-text.js';

const PROTOCOLS = [
  ['', 'Found in the text'],
  ['action', 'ACTION'],
  ['tam', 'TAM'],
  ['tam2', 'TAM 2'],
  ['vcp', 'VCP'],
] as const;

interface Props {
  agent: string;
  protocol: string;
  onChange: (changes: QueryChanges) => void;
}

/** Whose tools a text may call, and in which format it is read. Both are in the URL. */
export function TryOptions({ agent, protocol, onChange }: Props) {
  const agents = useLoaded('agents', (signal) => read<ListPage<{ id: string }>>('/v1/agents', {}, signal));
  const known = agents.data?.items.map(({ id }) => id) ?? [];
  const shown = agent === '' || known.includes(agent) ? known : [agent, ...known];
  return (
    <div class="try-options">
      <div class="field">
        <label for="try-agent">Agent</label>
        <select
          id="try-agent"
          class="select"
          data-testid="try-agent"
          value={agent}
          onChange={(event) => onChange({ agent: event.currentTarget.value })}
        >
          <option value="">None: all tools</option>
          {shown.map((id) => (
            <option key={id} value={id}>
              {markedString(id)}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="try-protocol">Format</label>
        <select
          id="try-protocol"
          class="select"
          data-testid="try-protocol"
          value={protocol}
          onChange={(event) => onChange({ protocol: event.currentTarget.value })}
        >
          {PROTOCOLS.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
