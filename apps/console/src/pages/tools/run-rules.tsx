import type { Limits, ShownTool } from '@errand/contracts';
import type { ComponentChildren } from 'preact';
import { formatDuration } from '../../parts/format.js';
import { HostileText } from '../../text/hostile-text.js';
import { EFFECTS, KINDS } from './tool-words.js';

const LIMITS: readonly [keyof Limits, string, (value: number) => string][] = [
  ['timeoutMs', 'Time', formatDuration],
  ['memoryMb', 'Memory', (mb) => `${mb} MiB`],
  ['cpus', 'Processors', String],
  ['pids', 'Processes', String],
  ['outputKb', 'Output', (kb) => `${kb} KiB`],
  ['tmpMb', 'Temporary files', (mb) => `${mb} MiB`],
];

/** Where a tool runs, its limits, and what its sandbox allows. */
export function RunRules({ tool }: { tool: ShownTool }) {
  const { kind, effects, reuse, retry, runner, digest } = tool;
  return (
    <section class="panel section" data-testid="limits" aria-labelledby="limits-title">
      <h2 id="limits-title">How it runs</h2>
      <p>{KINDS[kind].runs}</p>
      <dl class="facts">
        <Fact name="Effects">{effects ? `${effects}: ${EFFECTS[effects]}` : 'Not declared'}</Fact>
        {kind === 'script' && <Fact name="Runner">{<HostileText text={runner ?? 'default'} isFixed />}</Fact>}
        {kind === 'script' && (
          <Fact name="Container">{reuse === 'per-tool' ? 'Serves several runs' : 'A new one for each run'}</Fact>
        )}
        <Fact name="Attempts">{retry?.attempts === undefined ? 'As the server has it' : String(retry.attempts)}</Fact>
        {limitsOf(tool).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        {digest !== undefined && (
          <Fact name="Definition">
            <span class="mono">
              <HostileText text={digest} limit={16} isFixed />
            </span>
          </Fact>
        )}
      </dl>
      {kind === 'script' && <Sandbox tool={tool} />}
    </section>
  );
}

function limitsOf({ limits }: ShownTool): [string, string][] {
  const declared = limits ?? {};
  return LIMITS.flatMap(([name, word, show]): [string, string][] => {
    const value = declared[name];
    return value === undefined ? [] : [[word, show(value)]];
  });
}

function Sandbox({ tool: { securityContext } }: { tool: ShownTool }) {
  const { networkAccess, fileAccess, secrets } = securityContext ?? {};
  return (
    <div data-testid="sandbox-rules">
      <h3>What the sandbox allows</h3>
      <dl class="facts">
        <Fact name="Network">
          <Names names={networkAccess?.allowHosts} none="None" />
        </Fact>
        <Fact name="Reads">
          <Names names={fileAccess?.allowRead} none="No file of the host" />
        </Fact>
        <Fact name="Writes">
          <Names names={fileAccess?.allowWrite} none="No file of the host" />
        </Fact>
        <Fact name="Secrets">
          <Names names={secrets} none="None" />
        </Fact>
      </dl>
    </div>
  );
}

function Names({ names = [], none }: { names?: readonly string[] | undefined; none: string }) {
  if (names.length === 0) return <>{none}</>;
  return (
    <ul>
      {names.slice(0, 50).map((name) => (
        <li key={name} class="mono">
          <HostileText text={name} limit={300} />
        </li>
      ))}
    </ul>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
