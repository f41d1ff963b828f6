import { toAgentCard, toLegacyCard } from './to-agent-card.js';

const AGENT = {
  id: 'guide',
  tools: [{ toolId: 'kb:search', displayName: 'Search', description: 'Searches.\u0000<script>', tags: ['kb'] }],
};
const PLACE = { url: 'https://errand.example/a2a/guide', hasKeys: false };

it('The card names both versions, and a skill for each tool', () => {
  expect(toAgentCard(AGENT, PLACE)).toEqual({
    name: 'guide',
    description: 'The agent guide',
    version: '1.0.0',
    supportedInterfaces: [
      { url: PLACE.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: PLACE.url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'kb:search', name: 'Search', description: 'Searches.\u0000<script>', tags: ['kb'] }],
  });
});

it('The profile gives name, description, version and the form of the answer', () => {
  const given = {
    ...AGENT,
    displayName: 'Guide',
    description: 'Guides.',
    version: '2.0.0',
    output: { type: 'object' },
  };
  expect(toAgentCard(given, PLACE)).toMatchObject({
    name: 'Guide',
    description: 'Guides.',
    version: '2.0.0',
    defaultOutputModes: ['application/json'],
  });
});

it('A server with keys names the bearer scheme, in the form of each version', () => {
  const place = { ...PLACE, hasKeys: true };
  expect(toAgentCard(AGENT, place)).toMatchObject({
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  });
  expect(toLegacyCard(AGENT, place)).toMatchObject({
    url: PLACE.url,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
  });
});
