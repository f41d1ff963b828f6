import type { JsonObject, JsonSchema } from '@errand/contracts';

/** What a card says about a tool of the inventory. */
export interface CardTool {
  toolId: string;
  displayName?: string;
  description: string;
  tags?: readonly string[] | undefined;
}

export interface CardAgent {
  id: string;
  displayName?: string | undefined;
  description?: string | undefined;
  version?: string | undefined;
  /** The schema of its answer. */
  output?: JsonSchema | undefined;
  tools: readonly CardTool[];
}

export interface CardPlace {
  /** The address of the agent's endpoint. */
  url: string;
  /** Callers present a key. */
  hasKeys: boolean;
}

const BINDING = 'JSONRPC';
const BEARER = 'bearer';
const KEY_HINT = 'One of the keys of this server';

/** The card of an agent in the form of A2A 1.0. */
export function toAgentCard(agent: CardAgent, { url, hasKeys }: CardPlace): JsonObject {
  const interfaces = ['1.0', '0.3'].map((protocolVersion) => ({ url, protocolBinding: BINDING, protocolVersion }));
  return {
    ...commonFields(agent),
    supportedInterfaces: interfaces,
    ...(hasKeys && {
      securitySchemes: { [BEARER]: { httpAuthSecurityScheme: { scheme: BEARER, description: KEY_HINT } } },
      securityRequirements: [{ schemes: { [BEARER]: { list: [] } } }],
    }),
  };
}

/** The card for a client that announces no version, or 0.3: it has the fields of both versions. */
export function toLegacyCard(agent: CardAgent, place: CardPlace): JsonObject {
  const card = toAgentCard(agent, place);
  return {
    ...card,
    url: place.url,
    preferredTransport: BINDING,
    protocolVersion: '0.3.0',
    ...(place.hasKeys && {
      securitySchemes: {
        [BEARER]: {
          type: 'http',
          scheme: BEARER,
          description: KEY_HINT,
          httpAuthSecurityScheme: { scheme: BEARER, description: KEY_HINT },
        },
      },
      security: [{ [BEARER]: [] }],
    }),
  };
}

function commonFields({ id, displayName, description, version, output, tools }: CardAgent): JsonObject {
  const name = displayName ?? id;
  return {
    name,
    description: description ?? `The agent ${name}`,
    version: version ?? '1.0.0',
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: [output === undefined ? 'text/plain' : 'application/json'],
    skills: tools.map(({ toolId, displayName: title, description: about, tags }) => ({
      id: toolId,
      name: title ?? toolId,
      description: about,
      tags: [...(tags ?? [])],
    })),
  };
}
