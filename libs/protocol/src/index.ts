export { checkCalls, type CallProblem, type CheckedCalls } from './check-calls.js';
export { parseWithFixes } from './fixes/find-fixes.js';
export { parse, type ParseOptions } from './parse-text.js';
export type { ParseResult, Protocol } from './parse-result.js';
export { ReadableTextFilter } from './readable/readable-text.js';
export { withoutThoughts } from './readable/without-thoughts.js';
export { validateTemplatedArguments } from './validate-templated-arguments.js';
export { writeAction } from './action/write-action.js';
export { DIALECT_NAMES, DIALECTS, type Dialect, type DialectName } from './tam/dialects.js';
export { writeTam } from './tam/write-tam.js';
export { checkTemplates, type TemplateProblem, type TemplateWarning } from './templates/check-templates.js';
export {
  containsTemplate,
  findTemplates,
  isTemplate,
  type FoundTemplate,
  type Template,
} from './templates/find-templates.js';
export {
  jobsReferredTo,
  plainArguments,
  resolveTemplates,
  showLiterals,
  stepsReferredTo,
  type ResultLookup,
} from './templates/resolve-templates.js';
export { aliasOf } from './observe/alias-of.js';
export { escapeForeignText } from './observe/escape-foreign-text.js';
export { toInvocationResponse, linksOf, type ObservedInvocation } from './observe/to-invocation-response.js';
export { READ_ARTIFACT, READ_RESULT, readableWith, type Readable } from './observe/reading-tools.js';
export { describeType } from './observe/describe-tool.js';
export { deprecationOf } from './resolve-call.js';
export {
  answerCalls,
  observeInvocation,
  type EndedInvocation,
  type ObservationBudget,
} from './observe/observe-invocation.js';
export { boundWarnings, observeWarnings } from './observe/observe-warnings.js';
export { openWaits, type OpenWait } from './observe/observe-waiting.js';
export { observeProblems, type ObservedProblem } from './observe/observe.js';
export { renderDiagnostic, type Diagnostic } from './observe/render-diagnostic.js';
export {
  choosePromptTools,
  SEARCH_TOOLS,
  type PromptTools,
  type PromptToolsRequest,
} from './observe/choose-prompt-tools.js';
export { renderPrompt, type PromptOptions } from './observe/render-prompt.js';
export { toToolDefinitions, type DefinitionFormat } from './observe/tool-definitions.js';
