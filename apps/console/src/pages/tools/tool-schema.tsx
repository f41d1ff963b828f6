import type { JsonSchema, ShownTool } from '@errand/contracts';
import { JsonText } from '../../parts/json-text.js';
import { HostileText } from '../../text/hostile-text.js';
import { describeParameters, type Parameter } from './describe-parameters.js';

const MOST_ROWS = 60;

/** The parameters as a table, and the whole schemas as JSON. */
export function ToolSchema({ tool: { parameters, output } }: { tool: ShownTool }) {
  const described = describeParameters(parameters);
  return (
    <section class="panel section" data-testid="schema" aria-labelledby="schema-title">
      <h2 id="schema-title">Parameters</h2>
      {described.length === 0 ? (
        <p class="faint">It takes no parameters.</p>
      ) : (
        <div class="table-scroll" role="region" aria-label="Parameters" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">Description</th>
              </tr>
            </thead>
            <tbody>
              {described.slice(0, MOST_ROWS).map((parameter) => (
                <ParameterRow key={parameter.name} parameter={parameter} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {described.length > MOST_ROWS && <p class="faint">The JSON has {described.length - MOST_ROWS} more.</p>}
      <Json title="Parameters as JSON Schema" schema={parameters} />
      {output !== undefined && <Json title="Output as JSON Schema" schema={output} />}
    </section>
  );
}

function ParameterRow({ parameter: { name, type, isRequired, description, rest } }: { parameter: Parameter }) {
  return (
    <tr>
      <td class="mono">
        <HostileText text={name} limit={200} isFixed />
        {isRequired && <div class="faint">required</div>}
      </td>
      <td class="mono">
        <HostileText text={type} limit={200} isFixed />
      </td>
      <td>
        <HostileText text={description} limit={500} />
        {rest !== '' && (
          <div class="mono faint">
            <HostileText text={rest} limit={300} />
          </div>
        )}
      </td>
    </tr>
  );
}

function Json({ title, schema }: { title: string; schema: JsonSchema }) {
  return (
    <details class="schema-json">
      <summary>{title}</summary>
      <JsonText value={schema} label={title} />
    </details>
  );
}
