import { isObject, own, ToolError, type JsonSchema, type ServiceType } from '@errand/contracts';
import { readParameters } from '../load/read-parameters.js';
import { validateArguments } from '../validate/check-arguments.js';

/** A service, with the parameters of the methods that declare them. */
export interface Service extends ServiceType {
  parameters: Readonly<Record<string, JsonSchema>>;
}

type Method = ServiceType['methods'][string];

/** Property names of all objects. A service cannot export them. */
const RESERVED_NAMES = ['__proto__', 'constructor', 'prototype'];

/**
 * Checks a service and returns its callable methods: the functions in `methods`, without inherited ones and those with
 * a leading `_`. A method with `parameters` gets validated arguments from each caller.
 * @throws Error that names the service and its problem
 */
export function checkService(service: unknown, index: number): Service {
  if (!isObject(service) || typeof service.name !== 'string')
    throw new Error(`Service number ${index + 1} has no 'name'`);
  const { name: serviceName } = service;
  const methods = own(service, 'methods');
  if (!isObject(methods) || !Object.values(methods).every((method) => typeof method === 'function')) {
    throw new Error(`The service '${serviceName}' must have 'methods' that are functions`);
  }
  const open = Object.keys(methods).filter((name) => !name.startsWith('_') && !RESERVED_NAMES.includes(name));
  const parameters = parametersOf(serviceName, own(service, 'parameters'), open);
  const wrapped = open.map((name): [string, Method] => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- seen to be a function above
    const method = methods[name] as Method;
    return [name, withValidation(method.bind(methods), `${serviceName}.${name}`, parameters[name])];
  });
  return { name: serviceName, methods: bag(wrapped), parameters };
}

function parametersOf(service: string, declared: unknown, methods: readonly string[]): Record<string, JsonSchema> {
  if (declared === undefined) return bag([]);
  if (!isObject(declared)) throw new Error(`The 'parameters' of the service '${service}' must be schemas by method`);
  const schemas = Object.entries(declared).map(([name, written]): [string, JsonSchema] => {
    const of = `The parameters of '${service}.${name}'`;
    if (!methods.includes(name)) throw new Error(`${of} belong to no method`);
    if (!isObject(written)) throw new Error(`${of} must be a JSON Schema`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema's own check follows
    const { schema, problems } = readParameters(written as JsonSchema);
    if (problems.length > 0) throw new Error(`${of} are not valid: ${problems[0]!.message}`);
    return [name, schema];
  });
  return bag(schemas);
}

function withValidation(method: Method, name: string, parameters: JsonSchema | undefined): Method {
  if (!parameters) return method;
  return (given, context) => {
    const { arguments: args, problems } = validateArguments({ toolId: name, parameters }, given);
    if (problems.length === 0) return method(args, context);
    const messages = problems.map(({ message }) => message).join('; ');
    throw new ToolError('ParameterValidationError', `Invalid arguments for ${name}: ${messages}`, { problems });
  };
}

/** A frozen object without a prototype. */
function bag<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(entries)));
}
