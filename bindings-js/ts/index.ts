/**
 * toolmend repairs the arguments of a tool call against the tool's JSON Schema, or refuses with a typed reason.
 *
 * @module
 */

export { Attempts, type AttemptsState, type CallOptions, type Decision, type RefusedCalls } from "./agent/attempts.js";
export type { Effect, Verdict } from "./agent/core.js";
export type { Guard, GuardAnswer } from "./agent/guards.js";
export {
  type AnsweredCall,
  compileTools,
  type Fault,
  observeAll,
  Toolbox,
  type ToolboxEvent,
  type ToolboxOptions,
  type ToolDefinitions,
  type ToolOptions,
} from "./agent/toolbox.js";
export { type Contract, compile, ready } from "./contract.js";
export { InternalError, NotReadyError, SchemaError } from "./errors.js";
export {
  CODES,
  type Code,
  type FeedbackFormat,
  POLICIES,
  type PolicyName,
  RULES,
  type RuleName,
  STATUSES,
  type Status,
} from "./lists.js";
export type {
  Accepted,
  CompileOptions,
  FeedbackOptions,
  Finish,
  HintsOptions,
  HostRefusal,
  Issue,
  Json,
  Limits,
  Log,
  Outcome,
  Override,
  PatchOperation,
  Redact,
  Refused,
  Repair,
  RepairOptions,
  Rules,
  Schema,
  SchemaMaker,
} from "./types.js";
