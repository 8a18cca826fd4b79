//! RFC 6901 JSON Pointers.

use std::fmt::{self, Write as _};

/// A JSON Pointer (RFC 6901), built up a token at a time; `""` is the whole document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pointer(String);

impl Pointer {
    /// The pointer to the whole document.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    /// This pointer with the member name `key` behind it, escaped as RFC 6901 section 3 says.
    #[must_use]
    pub fn key(mut self, key: &str) -> Self {
        self.0.reserve(key.len() + 1);
        self.0.push('/');
        let mut rest = key;
        while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'~' | b'/')) {
            let (plain, behind) = rest.split_at(at);
            self.0.push_str(plain);
            self.0.push_str(if behind.starts_with('~') { "~0" } else { "~1" });
            rest = behind.get(1..).unwrap_or_default();
        }
        self.0.push_str(rest);
        self
    }

    /// This pointer with an array index behind it.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        // Writing to a `String` cannot fail.
        let _ = write!(self.0, "/{index}");
        self
    }

    /// The pointer's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The reference tokens of a pointer, unescaped.
pub(crate) fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer
        .split('/')
        .skip(1)
        .map(|token| if token.contains('~') { token.replace("~1", "/").replace("~0", "~") } else { token.to_owned() })
}

/// A key without what differs between the styles of spelling it: `-`, `_` and ASCII case.
pub(crate) fn folded(key: &str) -> String {
    folded_characters(key).collect()
}

/// The same, character by character.
pub(crate) fn folded_characters(key: &str) -> impl Iterator<Item = char> + '_ {
    key.chars().filter(|character| !matches!(character, '-' | '_')).map(|character| character.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_unescapes_as_rfc_6901() {
        let pointer = Pointer::root().key("a/b").key("m~n").index(3).key("");
        assert_eq!(pointer.as_str(), "/a~1b/m~0n/3/");
        assert_eq!(tokens(pointer.as_str()).collect::<Vec<_>>(), ["a/b", "m~n", "3", ""]);
        assert_eq!(tokens("").count(), 0);
    }
}
