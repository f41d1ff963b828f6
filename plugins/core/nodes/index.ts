import type { NodeType, ServiceType } from '@errand/contracts';
import { invocations } from '../services/invocations.js';
import { system } from '../services/system.js';
import { aggregate } from './aggregate.js';
import { base64 } from './base64.js';
import { ifElse, switchCase, tryElse } from './branches.js';
import { changeCase } from './case.js';
import { coalesce } from './coalesce.js';
import { csv } from './csv.js';
import { dedupe } from './dedupe.js';
import { delay } from './delay.js';
import { echo } from './echo.js';
import { expression } from './expression.js';
import { external } from './external.js';
import { filter } from './filter.js';
import { forEach } from './for-each.js';
import { group } from './group.js';
import { hash } from './hash.js';
import { http } from './http.js';
import { join } from './join.js';
import { jsonPath } from './json-path.js';
import { json } from './json.js';
import { chunk, flatten, length, range, slice, zip } from './lists.js';
import { llm } from './llm.js';
import { loop } from './loop.js';
import { map } from './map.js';
import { math } from './math.js';
import { merge, omit, pick } from './objects.js';
import { random } from './random.js';
import { regex } from './regex.js';
import { replace } from './replace.js';
import { round } from './round.js';
import { sort } from './sort.js';
import { split } from './split.js';
import { template } from './template.js';
import { now, timeAdd, timeDifference, timeFormat, timeParse } from './times.js';
import { tool } from './tool.js';
import { buildUrl, parseUrl } from './url.js';
import { uuid } from './uuid.js';
import { wait } from './wait.js';

/** The nodes by topic, in the order of the documentation. */
export const NODES_BY_TOPIC = {
  Text: [template, join, split, replace, regex, changeCase],
  'Numbers and expressions': [math, round, random, expression],
  'JSON and objects': [jsonPath, json, merge, pick, omit, coalesce, length],
  Lists: [filter, map, sort, group, dedupe, aggregate, slice, flatten, zip, chunk, range],
  'Encodings and data formats': [csv, base64, hash, uuid, parseUrl, buildUrl],
  Time: [now, timeFormat, timeParse, timeAdd, timeDifference, delay, wait],
  'Network and models': [http, llm],
  'Flow of a workflow': [ifElse, switchCase, tryElse, forEach, loop, tool, external, echo],
} satisfies Record<string, NodeType[]>;

export const nodes: NodeType[] = Object.values(NODES_BY_TOPIC).flat();

export const services: ServiceType[] = [invocations, system];
