/**
 * toolmend repairs the arguments of a tool call against the tool's JSON Schema, or refuses with a typed reason.
 *
 * @module
 */

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
