//! The packages as users get them: built, installed in an empty place, and run there.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::places::emptied;
use crate::stages::{Context, once, step};
use crate::{node, python};

/// Builds both packages.
pub(crate) fn build(context: &Context) -> Result<()> {
    let tarball = node::tarball(context)?;
    let wheel = python::wheel(context)?;
    for path in [tarball, wheel] {
        println!("  {} ({} kB)", path.strip_prefix(&context.places.root)?.display(), fs::metadata(&path)?.len() / 1000);
    }
    Ok(())
}

/// A folder with nothing but the npm package installed in it.
pub(crate) fn in_node(context: &Context) -> Result<PathBuf> {
    once(&context.in_node, || {
        let tarball = node::tarball(context)?;
        step("install the npm package in an empty folder", || {
            let folder = emptied(context.places.target("packed/npm"))?;
            fs::write(folder.join("package.json"), "{\"private\": true}\n")?;
            node::npm(&folder).args(["install", "--no-package-lock", "--offline"]).arg(tarball).run()?;
            Ok(folder)
        })
    })
}

/// Installs both in empty places, and runs the example of the readme's kind there.
pub(crate) fn test(context: &Context) -> Result<()> {
    let folder = in_node(context)?;
    step("use the npm package by `import` and by `require`", || {
        for (file, head) in [
            ("imported.mjs", "import { compile } from \"toolmend\";\nimport assert from \"node:assert/strict\";"),
            (
                "required.cjs",
                "const { compile } = require(\"toolmend\");\nconst assert = require(\"node:assert/strict\");",
            ),
        ] {
            fs::write(folder.join(file), format!("{head}\n{NODE}"))?;
            node::node(&folder).arg(file).run()?;
        }
        Ok(())
    })?;
    python::wheel(context)?;
    step("use the wheel in an empty environment", || {
        let python = python::installed(context, "packed/python", None)?;
        let program = program(context, "packed/used.py", PYTHON)?;
        crate::shell::call(python).within(&folder).arg(program).run()
    })
}

/// Measures what users download and install; fails if something is past its budget.
pub(crate) fn size(context: &Context) -> Result<()> {
    let tarball = node::tarball(context)?;
    let wheel = python::wheel(context)?;
    let installed = in_node(context)?.join("node_modules/toolmend");
    node::node(&context.places.js()).arg("scripts/size.mjs").args([installed, tarball, wheel]).show()
}

fn program(context: &Context, path: &str, text: &str) -> Result<PathBuf> {
    let path = context.places.target(path);
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(&path, text)?;
    Ok(path)
}

const NODE: &str = r#"
const schema = {
  type: "object",
  properties: { names: { type: "array", items: { type: "string" } } },
  required: ["names"],
  additionalProperties: false,
};
const contract = compile(schema, { policy: "narrow" });
const outcome = contract.repair('{"names": "dotnet/eshop"}');
assert.equal(outcome.ok, true);
assert.deepEqual(outcome.value, { names: ["dotnet/eshop"] });
assert.equal(contract.repair({ names: ["a"] }).status, "unchanged");
const refused = contract.repair('{"names": "a, b"}');
assert.equal(refused.ok, false);
assert.equal(refused.issues[0].code, "ambiguous");
assert.match(refused.feedback(), /names/);
"#;

const PYTHON: &str = r#"
import toolmend

schema = {
    "type": "object",
    "properties": {"names": {"type": "array", "items": {"type": "string"}}},
    "required": ["names"],
    "additionalProperties": False,
}
contract = toolmend.compile(schema, policy="narrow")
outcome = contract.repair('{"names": "dotnet/eshop"}')
assert outcome.ok, outcome
assert outcome.value == {"names": ["dotnet/eshop"]}, outcome
assert contract.repair({"names": ["a"]}).status == "unchanged"
refused = contract.repair('{"names": "a, b"}')
assert not refused.ok, refused
assert refused.issues[0].code == "ambiguous", refused
assert "names" in refused.feedback(), refused
"#;
