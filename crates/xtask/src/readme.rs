//! The code blocks of README.md, each run as a program of its own against the built packages.
//!
//! A block whose info string holds `no_run` after the language is left out.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};

use crate::places::emptied;
use crate::shell::call;
use crate::stages::{Context, step};
use crate::{node, packages, python, rust};

/// One fenced block.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    language: String,
    /// The line of its first line of code, from 1.
    line: usize,
    code: String,
}

/// Runs every block that is Rust, JavaScript or Python.
pub(crate) fn test(context: &Context) -> Result<()> {
    let text = fs::read_to_string(context.places.root.join("README.md")).context("reading README.md")?;
    let blocks = blocks(&text);
    let of = |languages: &[&str]| -> Vec<_> {
        blocks.iter().filter(|block| languages.contains(&block.language.as_str())).collect()
    };
    let (rust, js, py) = (of(&["rust"]), of(&["js", "javascript"]), of(&["python", "py"]));
    ensure!(
        !rust.is_empty() && !js.is_empty() && !py.is_empty(),
        "README.md shows no code in one of the three languages"
    );

    step(&format!("run README's Rust ({})", rust.len()), || run_rust(context, &rust))?;
    let folder = packages::in_node(context)?;
    step(&format!("run README's JavaScript ({})", js.len()), || {
        each(&js, |block, name| {
            let file = folder.join(format!("{name}.mjs"));
            fs::write(&file, &block.code)?;
            node::node(&folder).arg(file).run()
        })
    })?;
    python::wheel(context)?;
    step(&format!("run README's Python ({})", py.len()), || {
        let folder = emptied(context.places.target("readme/python"))?;
        let python = python::installed(context, "readme/environment", Some(python::tools(context)?))?;
        each(&py, |block, name| {
            let file = folder.join(format!("{name}.py"));
            fs::write(&file, &block.code)?;
            call(&python).within(&folder).arg(file).run()
        })
    })
}

fn each(blocks: &[&Block], run: impl Fn(&Block, &str) -> Result<()>) -> Result<()> {
    for block in blocks {
        run(block, &format!("readme_line_{}", block.line))
            .with_context(|| format!("README.md, the block at line {}", block.line))?;
    }
    Ok(())
}

/// A package beside the workspace, so that a block uses the crate as a user does.
fn run_rust(context: &Context, blocks: &[&Block]) -> Result<()> {
    let folder = context.places.target("readme/rust");
    let binaries = emptied(folder.join("src/bin"))?;
    let root = context.places.root.display();
    let manifest = format!(
        "[package]\nname = \"readme\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         serde_json = \"1\"\ntoolmend = {{ path = \"{root}/crates/toolmend\" }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    rust::copy_lock(context, &folder)?;
    each(blocks, |block, name| Ok(fs::write(binaries.join(format!("{name}.rs")), as_program(&block.code))?))?;
    let cargo = || Ok::<_, anyhow::Error>(rust::cargo(context)?.within(&folder));
    cargo()?.args(["build", "--bins"]).run()?;
    each(blocks, |_, name| cargo()?.args(["run", "--quiet", "--bin", name]).run())
}

/// As in a doc test: what has no `main` is the body of one, lines that begin with `# ` are code, and a block that ends
/// with `Ok::<(), …>(())` says itself which error it may end with.
fn as_program(code: &str) -> String {
    let code: Vec<_> = code.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    let code = code.join("\n");
    if code.contains("fn main(") {
        return code;
    }
    let (error, end) = if code.trim_end().ends_with("(())") {
        ("impl std::fmt::Debug", "")
    } else {
        ("Box<dyn std::error::Error>", "\nOk(())")
    };
    format!("fn main() {{\n    block().unwrap();\n}}\n\nfn block() -> Result<(), {error}> {{\n{code}{end}\n}}\n")
}

/// The fenced blocks of a text that name a language and are to be run.
fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<(String, Block)> = None;
    for (at, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        match open.take() {
            Some((fence, block)) if trimmed.trim_end() == fence => {
                if !block.language.is_empty() {
                    found.push(block);
                }
            }
            Some((fence, mut block)) => {
                block.code.push_str(line);
                block.code.push('\n');
                open = Some((fence, block));
            }
            None => {
                let ticks = trimmed.chars().take_while(|character| *character == '`').count();
                if ticks < 3 {
                    continue;
                }
                let mut words = trimmed[ticks..].split([' ', ',']).filter(|word| !word.is_empty());
                let language = words.next().unwrap_or_default();
                let language = if words.any(|word| word == "no_run" || word == "ignore") { "" } else { language };
                open = Some((
                    "`".repeat(ticks),
                    Block { language: language.to_owned(), line: at + 2, code: String::new() },
                ));
            }
        }
    }
    found
}

/// Whether there is a README to run.
pub(crate) fn check(root: &Path) -> Result<()> {
    if root.join("README.md").exists() {
        return Ok(());
    }
    bail!("there is no README.md");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_blocks_by_language() {
        let text = "a\n```js\nx\n\n  y\n```\n````md\n```js\nno\n```\n````\n```rust,no_run\nz\n```\n```\nplain\n```\n";
        let found: Vec<_> = blocks(text).into_iter().map(|block| (block.language, block.line, block.code)).collect();
        assert_eq!(
            found,
            [("js".to_owned(), 3, "x\n\n  y\n".to_owned()), ("md".to_owned(), 8, "```js\nno\n```\n".to_owned())]
        );
    }

    #[test]
    fn a_fragment_becomes_a_program() {
        assert!(
            as_program("# let a = 1;\nassert_eq!(a, 1);").ends_with("{\nlet a = 1;\nassert_eq!(a, 1);\nOk(())\n}\n")
        );
        assert!(as_program("Ok::<(), String>(())").contains("impl std::fmt::Debug> {\nOk::"));
        assert_eq!(as_program("fn main() {}"), "fn main() {}");
    }
}
