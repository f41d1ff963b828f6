import { didYouMean, isDeeperThan, MAX_DEPTH, type Problem } from '@errand/contracts';
import { Injectable, ValidationPipe, type ArgumentMetadata, type ValidationError } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { ProblemError } from './problem-error.js';

/**
 * Checks a body against its DTO class. Unknown fields are errors with the nearest right name. Depth is checked first and
 * without recursion: everything after it recurses.
 */
@Injectable()
export class RequestPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      stopAtFirstError: true,
      exceptionFactory: (faults) => {
        const errors = faults.flatMap((fault) => toProblems(fault, ''));
        return new ProblemError('invalid_request', errors.map((error) => error.message).join('; '), { errors });
      },
    });
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'body') {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new ProblemError('invalid_request', 'The body must be a JSON object, sent as application/json');
      }
      // The body itself is a level above what it carries.
      if (isDeeperThan(value, MAX_DEPTH + 4)) {
        throw new ProblemError('invalid_request', `The body nests deeper than ${MAX_DEPTH} levels`);
      }
    }
    return super.transform(value, metadata);
  }
}

function toProblems(fault: ValidationError, parent: string): Problem[] {
  const path = `${parent}/${fault.property}`;
  const own = Object.entries(fault.constraints ?? {}).map(([rule, message]): Problem => {
    if (rule !== 'whitelistValidation') return { path, message };
    const suggestion = didYouMean(fault.property, fieldsOf(fault.target));
    return {
      path,
      message: `There is no field '${fault.property}' here${suggestion ? `, did you mean '${suggestion}'?` : ''}`,
      ...(suggestion && { suggestion }),
    };
  });
  return [...own, ...(fault.children ?? []).flatMap((child) => toProblems(child, path))];
}

function fieldsOf(target: object | undefined): string[] {
  if (!target) return [];
  const rules = getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false);
  return [...new Set(rules.map((rule) => rule.propertyName))];
}
