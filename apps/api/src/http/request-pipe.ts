import { didYouMean, isDeeperThan, isObject, MAX_DEPTH, type Problem } from '@errand/contracts';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { fieldsOf, rulesOf, type Dto, type Nesting } from './dto.js';
import { keepsRules } from './keeps-rules.js';
import { ProblemError } from './problem-error.js';

/** The fields of a body add a few levels around the JSON of the caller. */
const MAX_BODY_DEPTH = MAX_DEPTH + 4;

/** The longest list of objects in a request. Checking a longer one would block the event loop. */
const MAX_ITEMS = 1_000;

/** The highest number of reported problems. Each costs time. */
const MAX_PROBLEMS = 100;

/**
 * Checks a body or query against its DTO class. Unknown fields are errors with the nearest right name. Depth is checked first and
 * without recursion, because the later steps recurse. Nest's ValidationPipe and class-transformer are not used: they silently drop keys
 * such as `constructor` at any depth, or fail because of them.
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
    const errors = keepsRules(request) ? [] : validateSync(request);
    const all = problems.concat(errors.flatMap((error) => toProblems(error, ''))).slice(0, MAX_PROBLEMS);
    if (all.length === 0) return request;
    throw new ProblemError('invalid_request', all.map(({ message }) => message).join('; '), { errors: all });
  }
}

/**
 * Makes the DTO from the fields of the value. An unknown field, and a wrong value of a nested DTO, become problems. An optional field
 * with `null` counts as absent. A field without a nested DTO keeps its value.
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
    message: `Unknown field '${name}'${hint}`,
    ...(suggestion && { suggestion }),
  };
}

/** Reports the first broken rule of each field: the type of a value comes before its length. */
function toProblems({ property, constraints = {}, children = [] }: ValidationError, parent: string): Problem[] {
  const path = `${parent}/${property}`;
  const first = Object.values(constraints).at(-1);
  const own = first === undefined ? [] : [{ path, message: first }];
  return [...own, ...children.flatMap((child) => toProblems(child, path))];
}
