import { didYouMean, isDeeperThan, isObject, MAX_DEPTH, type Problem } from '@errand/contracts';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { fieldsOf, nestedDto, type Dto } from './dto.js';
import { ProblemError } from './problem-error.js';

/** A body wraps what it carries in a few levels of its own. */
const MAX_BODY_DEPTH = MAX_DEPTH + 4;

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
    const faults = validateSync(request, { stopAtFirstError: true });
    problems.push(...faults.flatMap((fault) => toProblems(fault, '')));
    if (problems.length === 0) return request;
    throw new ProblemError('invalid_request', problems.map(({ message }) => message).join('; '), { errors: problems });
  }
}

/** The DTO with the value's fields; unknown ones become problems. What has no DTO of its own is handed on as it is. */
function instantiate(dto: Dto, value: Record<string, unknown>, path: string, problems: Problem[]): object {
  const fields = fieldsOf(dto);
  const instance = new dto() as Record<string, unknown>;
  for (const [name, field] of Object.entries(value)) {
    if (!fields.includes(name)) {
      problems.push(unknownField(name, path, fields));
      continue;
    }
    const nested = nestedDto(dto, name);
    const convert = (item: unknown, at: string) =>
      nested && isObject(item) ? instantiate(nested, item, at, problems) : item;
    const here = `${path}/${name}`;
    instance[name] = Array.isArray(field)
      ? field.map((item, index) => convert(item, `${here}/${index}`))
      : convert(field, here);
  }
  return instance;
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

function toProblems({ property, constraints = {}, children = [] }: ValidationError, parent: string): Problem[] {
  const path = `${parent}/${property}`;
  const own = Object.values(constraints).map((message) => ({ path, message }));
  return [...own, ...children.flatMap((child) => toProblems(child, path))];
}
