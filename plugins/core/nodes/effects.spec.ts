import { nodes } from './index.js';

/** Requests cost money or act. A question reaches a person. */
const WITH_EFFECTS = ['core:external', 'core:http', 'core:llm'];

it('Core nodes declare that they have no effects, except those that reach somebody outside', () => {
  const others = nodes.filter(({ effects }) => effects !== 'none').map(({ type }) => type);
  expect(others.toSorted()).toEqual(WITH_EFFECTS);
});
