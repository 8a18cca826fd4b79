// The right answers, in plain JavaScript that runs everywhere: throws if one is wrong.

const usual = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" } } },
  required: ["names"],
  additionalProperties: false,
};
/** A keyword that only the full module understands. */
const beyond = { type: "object", properties: { a: { type: "string" } }, unevaluatedProperties: false };

/** The answers that every entry gives at once. */
export function checkUsual(toolmend) {
  const contract = toolmend.compile(usual, { policy: "narrow" });
  const outcome = contract.repair('{"names": "dotnet/eshop"}');
  same(outcome.value, { names: ["dotnet/eshop"] });
  same(
    outcome.repairs.map(({ rule, path }) => `${rule} ${path}`),
    ["wrap_in_array /names"],
  );
  same(contract.repair({ names: ["a"] }).status, "unchanged");
  const refused = contract.repair('{"names": "a, b"}');
  same([refused.ok, refused.issues[0].code], [false, "ambiguous"]);
  same(refused.feedback().includes("names"), true);
}

/** The answers of the full module, which is there. */
export function checkFull(toolmend) {
  const contract = toolmend.compile(beyond);
  same(contract.repair('{"a": "x"}').status, "unchanged");
  same(contract.repair('{"b": "x"}').issues[0].code, "unknown_property");
}

/** Where the full module is there at once. */
export function checkAtOnce(toolmend) {
  checkUsual(toolmend);
  checkFull(toolmend);
}

/** Where the full module is loaded on demand. */
export async function checkOnDemand(toolmend) {
  checkUsual(toolmend);
  same(refusal(toolmend, beyond), "NotReadyError");
  await toolmend.ready({ full: true });
  checkFull(toolmend);
}

/** Where the file of the full module was left behind. */
export async function checkLeftBehind(toolmend) {
  checkUsual(toolmend);
  same(refusal(toolmend, beyond), "NotReadyError");
  const refused = await toolmend.ready({ full: true }).catch(({ name }) => name);
  same(refused, "NotReadyError");
}

/** Where nothing can be compiled at once. */
export async function checkRefusing(toolmend) {
  same(refusal(toolmend, usual), "NotReadyError");
  await toolmend.ready();
  checkUsual(toolmend);
  await toolmend.ready({ full: true });
  checkFull(toolmend);
}

function refusal({ compile }, schema) {
  try {
    compile(schema);
  } catch (error) {
    return error.name;
  }
  return "none";
}

function same(found, wanted) {
  const [left, right] = [found, wanted].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left} instead of ${right}`);
}
