import type { NodeType, ServiceType } from '@errand/contracts';
import { invocations } from '../services/invocations.js';
import { sessions } from '../services/sessions.js';
import { system } from '../services/system.js';
import { toolSearch } from '../services/tool-search.js';
import { aggregate } from './aggregate.js';
import { base64 } from './encoding.js';
import { ifElse, switchCase, tryElse } from './branches.js';
import { changeCase } from './text.js';
import { compare } from './compare.js';
import { coalesce } from './values.js';
import { csv } from './csv.js';
import { dedupe } from './select-items.js';
import { delay } from './waiting.js';
import { echo } from './values.js';
import { expression } from './expression.js';
import { external } from './waiting.js';
import { filter } from './select-items.js';
import { forEach } from './for-each.js';
import { group } from './calls.js';
import { hash } from './encoding.js';
import { http } from './http.js';
import { join } from './text.js';
import { jsonPath } from './json-path.js';
import { json } from './json-text.js';
import { chunk, flatten, length, range, slice, zip } from './lists.js';
import { llm } from './llm.js';
import { loop } from './loop.js';
import { map } from './select-items.js';
import { math } from './numbers.js';
import { makeObject, merge, omit, pick } from './objects.js';
import { random } from './random.js';
import { regex } from './regex.js';
import { replace } from './text.js';
import { round } from './numbers.js';
import { sort } from './select-items.js';
import { split } from './text.js';
import { template } from './template.js';
import { now, timeAdd, timeDifference, timeFormat, timeParse } from './times.js';
import { tool } from './calls.js';
import { buildUrl, parseUrl } from './url.js';
import { uuid } from './encoding.js';
import { wait } from './waiting.js';
import { xml } from './xml.js';

/** The nodes by topic, in the order of the documentation. */
export const NODES_BY_TOPIC = {
  Text: [template, join, split, replace, regex, changeCase],
  'Numbers and expressions': [math, round, random, compare, expression],
  'JSON and objects': [jsonPath, json, makeObject, merge, pick, omit, coalesce, length],
  Lists: [filter, map, sort, group, dedupe, aggregate, slice, flatten, zip, chunk, range],
  'Encodings and data formats': [csv, xml, base64, hash, uuid, parseUrl, buildUrl],
  Time: [now, timeFormat, timeParse, timeAdd, timeDifference, delay, wait],
  'Network and models': [http, llm],
  'Flow of a workflow': [ifElse, switchCase, tryElse, forEach, loop, tool, external, echo],
} satisfies Record<string, NodeType[]>;

export const nodes: NodeType[] = Object.values(NODES_BY_TOPIC).flat();

export const services: ServiceType[] = [invocations, sessions, system, toolSearch];
