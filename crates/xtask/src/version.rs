//! One version for all packages: the workspace's in Cargo.toml is the source. Python's is read from it by maturin; npm's
//! and the locks' are written beside it.

use std::fs;

use anyhow::{Context as _, Result, bail, ensure};

use crate::places::Places;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The new version, to be written everywhere.
    new: Option<String>,
    /// Fail if this tag of a release, `v` and a version, is not that of the packages.
    #[arg(long)]
    tag: Option<String>,
}

/// Where the version stands: a file, and the text before it. The first is the source.
const PLACES: [(&str, &str); 10] = [
    ("Cargo.toml", "[workspace.package]\nversion = \""),
    ("Cargo.toml", "toolmend = { path = \"crates/toolmend\", version = \""),
    ("Cargo.lock", "name = \"toolmend\"\nversion = \""),
    ("Cargo.lock", "name = \"toolmend-js\"\nversion = \""),
    ("Cargo.lock", "name = \"toolmend-py\"\nversion = \""),
    ("Cargo.lock", "name = \"gates\"\nversion = \""),
    ("Cargo.lock", "name = \"xtask\"\nversion = \""),
    ("bindings-js/package.json", "\"name\": \"toolmend\",\n  \"version\": \""),
    ("bindings-js/package-lock.json", "\"name\": \"toolmend\",\n  \"version\": \""),
    ("bindings-js/package-lock.json", "\"name\": \"toolmend\",\n      \"version\": \""),
];

/// Checks that there is one version, or writes a new one everywhere.
pub(crate) fn run(places: &Places, args: &Args) -> Result<()> {
    if let Some(new) = &args.new {
        ensure!(
            is_version(new),
            "`{new}` is no version: three numbers with dots, and perhaps `-` and a name of letters"
        );
        for (file, before) in PLACES {
            let path = places.root.join(file);
            let text = fs::read_to_string(&path)?;
            let (start, end) = span(&text, before).with_context(|| format!("`{file}` has no `{before}`"))?;
            fs::write(&path, format!("{}{new}{}", &text[..start], &text[end..]))?;
        }
    }
    let version = check(places)?;
    if let Some(tag) = &args.tag {
        ensure!(tag.strip_prefix('v') == Some(&version), "the tag `{tag}` is not of the version {version}");
    }
    println!("{version}");
    Ok(())
}

/// The version of all packages; fails if they differ.
fn check(places: &Places) -> Result<String> {
    let mut version = None;
    for (file, before) in PLACES {
        let text = fs::read_to_string(places.root.join(file)).with_context(|| format!("reading `{file}`"))?;
        let (start, end) = span(&text, before).with_context(|| format!("`{file}` has no `{before}`"))?;
        let found = &text[start..end];
        let version = version.get_or_insert_with(|| found.to_owned());
        ensure!(
            version == found,
            "`{file}` has the version {found}, and the workspace {version}: `cargo xtask version {version}`"
        );
    }
    let python = fs::read_to_string(places.py().join("pyproject.toml"))?;
    ensure!(python.contains("dynamic = [\"version\"]"), "pyproject.toml has a version of its own");
    match version {
        Some(version) => Ok(version),
        None => bail!("there is no version"),
    }
}

fn span(text: &str, before: &str) -> Option<(usize, usize)> {
    let start = text.find(before)? + before.len();
    Some((start, start + text[start..].find('"')?))
}

fn is_version(text: &str) -> bool {
    let (numbers, name) = text.split_once('-').map_or((text, None), |(numbers, name)| (numbers, Some(name)));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && name.is_none_or(|name| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_packages_have_one_version() {
        let version = check(&Places::find().unwrap()).unwrap();
        assert!(is_version(&version), "{version}");
    }

    #[test]
    fn a_version_is_three_numbers() {
        assert!(["0.1.0", "1.20.3", "1.0.0-rc.1"].into_iter().all(is_version));
        assert!(!["1.0", "v1.0.0", "1.0.0-", "1.0.x", "", "1.0.0+1"].into_iter().any(is_version));
    }

    #[test]
    fn a_version_stands_between_its_marks() {
        assert_eq!(span("a\nversion = \"1.2.3\"\n", "version = \""), Some((13, 18)));
        assert_eq!(span("nothing", "version = \""), None);
    }
}
