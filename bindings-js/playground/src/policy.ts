/** The policy, and the rules one by one: each as the policy has it, on, or off. */

import { POLICIES, type PolicyName, RULES, type RuleName } from "toolmend";

import { count, make, part } from "./dom.js";
import { POLICY_INFO, RULE_INFO } from "./rules.js";
import type { State } from "./state.js";

type Switched = State["rules"];

const GROUPS: readonly (readonly [PolicyName | "host", string])[] = [
  ["narrow", "From narrow on"],
  ["adapter", "From adapter on"],
  ["lenient", "From lenient on"],
  ["host", "Only when a host asks"],
];

export class PolicyPanel {
  readonly #what = part("policy-what");
  readonly #told = part("rules-told");
  readonly #reset = make("button", { type: "button", class: "link" }, "All as the policy has them");

  constructor(onChange: () => void) {
    part("policy").append(...POLICIES.flatMap((policy) => choice("policy", policy, policy)));
    part("rules-list").append(this.#reset, ...GROUPS.map(([from, title]) => group(from, title)));
    const change = () => {
      this.#tell();
      onChange();
    };
    part("policy").addEventListener("change", change);
    part("rules-list").addEventListener("change", change);
    this.#reset.addEventListener("click", () => {
      this.set(this.policy, {});
      onChange();
    });
  }

  get policy(): PolicyName {
    return checked("policy") as PolicyName;
  }

  get rules(): Switched {
    const rules: Partial<Record<RuleName, boolean>> = {};
    for (const rule of RULES) {
      const value = checked(`rule-${rule}`);
      if (value !== "policy") {
        rules[rule] = value === "on";
      }
    }
    return rules;
  }

  set(policy: PolicyName, rules: Switched): void {
    check("policy", policy);
    for (const rule of RULES) {
      const value = rules[rule];
      check(`rule-${rule}`, value === undefined ? "policy" : value ? "on" : "off");
    }
    this.#tell();
  }

  /** Says what is in force. */
  #tell(): void {
    const { policy, rules } = this;
    this.#what.textContent = POLICY_INFO[policy];
    for (const rule of RULES) {
      part(`state-${rule}`).textContent = has(policy, rule) ? "policy: on" : "policy: off";
      part(`row-${rule}`).classList.toggle("is-on", rules[rule] ?? has(policy, rule));
    }
    const switched = Object.keys(rules).length;
    this.#told.textContent = switched === 0 ? "as the policy has them" : `${count(switched, "rule")} switched`;
    this.#reset.hidden = switched === 0;
  }
}

function has(policy: PolicyName, rule: RuleName): boolean {
  const { from } = RULE_INFO[rule];
  return from !== "host" && POLICIES.indexOf(policy) >= POLICIES.indexOf(from);
}

function group(from: PolicyName | "host", title: string): HTMLElement {
  const rules = RULES.filter((rule) => RULE_INFO[rule].from === from);
  return make("div", { class: "rule-group" }, make("h3", {}, title), ...rules.map(row));
}

function row(rule: RuleName): HTMLElement {
  const name = `rule-${rule}`;
  return make(
    "fieldset",
    { class: "rule-row", id: `row-${rule}` },
    make("legend", {}, make("code", {}, rule)),
    make("p", {}, RULE_INFO[rule].what),
    make(
      "div",
      { class: "segments small" },
      ...choice(name, "policy", make("span", { id: `state-${rule}` })),
      ...choice(name, "on", "on"),
      ...choice(name, "off", "off"),
    ),
  );
}

function choice(name: string, value: string, label: Node | string): Node[] {
  const id = `${name}-${value}`;
  return [make("input", { type: "radio", name, value, id }), make("label", { for: id }, label)];
}

function checked(name: string): string {
  return document.querySelector<HTMLInputElement>(`input[name="${name}"]:checked`)?.value ?? "policy";
}

function check(name: string, value: string): void {
  part<HTMLInputElement>(`${name}-${value}`).checked = true;
}
