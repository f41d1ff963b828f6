import { didYouMean, isDeeperThan, isObject, MAX_DEPTH, type Problem } from '@errand/contracts';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { fieldsOf, rulesOf, type Dto, type Nesting } from './dto.js';
import { keepsRules } from './keeps-rules.js';
import { ProblemError } from './problem-error.js';

/** A body wraps what it carries in a few levels of its own. */
const MAX_BODY_DEPTH = MAX_DEPTH + 4;

/** The longest list of objects that any request may have; checking a longer one would block the event loop. */
const MAX_ITEMS = 1_000;

/** Nobody reads more of them, and each costs time. */
const MAX_PROBLEMS = 100;

/**
 * Checks a body or query against its DTO class. Unknown fields are errors with the nearest right name. Depth is checked first and
 * without recursion: everything after it recurses. Neither Nest's ValidationPipe nor class-transformer is used: both drop keys
 * such as `constructor` at any depth without a word, or trip over them; a field is never dropped in silence here.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (!metatype || fieldsOf(metatype).length === 0) return value;
    if (!isObject(value)) {
      throw new ProblemError('invalid_request', 'The body must be a JSON object, sent as application/json');
    }
    if (type === 'body' && isDeeperThan(value, MAX_BODY_DEPTH)) {
      throw new ProblemError('invalid_request', `The body nests deeper than ${MAX_DEPTH} levels`);
    }
    const problems: Problem[] = [];
    const request = instantiate(metatype as Dto, value, '', problems);
    const faults = keepsRules(request) ? [] : validateSync(request);
    const all = problems.concat(faults.flatMap((fault) => toProblems(fault, ''))).slice(0, MAX_PROBLEMS);
    if (all.length === 0) return request;
    throw new ProblemError('invalid_request', all.map(({ message }) => message).join('; '), { errors: all });
  }
}

/**
 * The DTO with the value's fields; what is unknown, or an object or list of them where it is none, becomes a problem. An optional field
 * that is `null` is one that was not given. What has no DTO of its own is handed on as it is.
 */
function instantiate(dto: Dto, value: Record<string, unknown>, path: string, problems: Problem[]): object {
  const rules = rulesOf(dto);
  const instance = new dto() as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const rule = rules.get(name);
    if (!rule) problems.push(unknownField(name, path, [...rules.keys()]));
    else if (field !== null || !rule.optional)
      instance[name] = rule.nesting ? nest(field, rule.nesting, `${path}/${name}`, problems) : field;
  }
  return instance;
}

function nest(field: unknown, { dto, each }: Nesting, path: string, problems: Problem[]): unknown {
  const misshapen = (at: string, shape: string) => {
    problems.push({ path: at, message: `${at.slice(1).replaceAll('/', '.')} must be ${shape}` });
    return undefined;
  };
  const toObject = (item: unknown, at: string) =>
    isObject(item) ? instantiate(dto, item, at, problems) : misshapen(at, 'an object');
  if (!each) return toObject(field, path);
  if (!Array.isArray(field)) return misshapen(path, 'a list of objects');
  if (field.length > MAX_ITEMS) {
    problems.push({ path, message: `${path.slice(1)} must contain no more than ${MAX_ITEMS} elements` });
    return undefined;
  }
  const items = field.map((item, index) => toObject(item, `${path}/${index}`));
  return items.includes(undefined) ? undefined : items;
}

function unknownField(name: string, path: string, fields: readonly string[]): Problem {
  const suggestion = didYouMean(name, fields);
  const hint = suggestion ? `, did you mean '${suggestion}'?` : '';
  return {
    path: `${path}/${name}`,
    message: `There is no field '${name}' here${hint}`,
    ...(suggestion && { suggestion }),
  };
}

/** Of what a field fails of, the rule that is written first: that it is a text comes before how long it is. */
function toProblems({ property, constraints = {}, children = [] }: ValidationError, parent: string): Problem[] {
  const path = `${parent}/${property}`;
  const first = Object.values(constraints).at(-1);
  const own = first === undefined ? [] : [{ path, message: first }];
  return [...own, ...children.flatMap((child) => toProblems(child, path))];
}
