import type { NodeType, ServiceType } from '@errand/contracts';
import { system } from '../services/system.js';
import { base64 } from './base64.js';
import { ifElse, switchCase, tryElse } from './branches.js';
import { changeCase } from './case.js';
import { delay } from './delay.js';
import { echo } from './echo.js';
import { hash } from './hash.js';
import { join } from './join.js';
import { jsonPath } from './json-path.js';
import { math } from './math.js';
import { random } from './random.js';
import { split } from './split.js';
import { template } from './template.js';
import { tool } from './tool.js';

export const nodes: NodeType[] = [
  echo,
  math,
  template,
  jsonPath,
  join,
  split,
  changeCase,
  hash,
  base64,
  random,
  delay,
  ifElse,
  switchCase,
  tryElse,
  tool,
];

export const services: ServiceType[] = [system];
