import type { PolicyName } from "toolmend";

/** One of the repository's cases, as the gallery shows it. */
export interface Example {
  /** The case's own name. */
  readonly name: string;
  readonly title: string;
  /** Why the answer is what it is. */
  readonly why: string;
  /** The narrowest policy that accepts it, or the widest where none does. */
  readonly policy: PolicyName;
  readonly isRefused: boolean;
  /** JSON texts; `options` is empty where there are none. */
  readonly schema: string;
  readonly args: string;
  readonly options: string;
}
