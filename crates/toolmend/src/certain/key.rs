//! A declared key as it stands in text, which is compared a word at a time: models mostly write the keys in the order in
//! which they are declared, so that the next one is known before its end is looked for.

use super::plain_end;

const WORD: usize = 8;

/// A key between its quotes.
#[derive(Debug)]
pub(crate) struct QuotedKey {
    text: Box<[u8]>,
    /// The first bytes, and which of the word they are.
    first: u64,
    mask: u64,
    /// The last bytes, where there are more than a word of them.
    last: u64,
}

impl QuotedKey {
    /// `None` for a key that never stands in text as it is: it needs escapes.
    pub(crate) fn new(key: &str) -> Option<Self> {
        if plain_end(key.as_bytes(), 0) < key.len() {
            return None;
        }
        let text: Box<[u8]> = format!("\"{key}\"").into_bytes().into();
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let first = word(text.get(..WORD).unwrap_or(&text));
        let mask = u64::MAX >> (8 * WORD.saturating_sub(text.len()));
        let last = text.last_chunk::<WORD>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
        Some(Self { text, first, mask, last })
    }

    /// How many bytes it takes.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether `text` starts with it.
    #[inline]
    pub(crate) fn starts(&self, text: &[u8]) -> bool {
        let Some(first) = text.first_chunk::<WORD>() else { return text.starts_with(&self.text) };
        if u64::from_le_bytes(*first) & self.mask != self.first {
            return false;
        }
        let length = self.text.len();
        if length <= WORD {
            return true;
        }
        let last = text.get(..length).and_then(<[u8]>::last_chunk::<WORD>);
        last.is_some_and(|last| u64::from_le_bytes(*last) == self.last)
            && (length <= 2 * WORD || text.starts_with(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_starts_a_text_or_does_not() {
        for length in 0..40 {
            let key: String = ('a'..='z').cycle().take(length).collect();
            let quoted = QuotedKey::new(&key).unwrap();
            let text = format!("\"{key}\"");
            assert_eq!(quoted.len(), text.len());
            for behind in ["", ":", ": 1, \"more\": true"] {
                assert!(quoted.starts(format!("{text}{behind}").as_bytes()), "{text}{behind}");
                for at in 0..text.len() {
                    let mut other = format!("{text}{behind}").into_bytes();
                    other[at] ^= 1;
                    assert!(!quoted.starts(&other), "{text}{behind}, {at}");
                    assert!(!quoted.starts(&text.as_bytes()[..at]), "{text}, {at}");
                }
            }
        }
    }

    #[test]
    fn a_key_that_needs_escapes_never_stands_as_it_is() {
        for key in ["a\"b", "a\\b", "a\nb", "\u{1}"] {
            assert!(QuotedKey::new(key).is_none(), "{key:?}");
        }
        assert!(QuotedKey::new("größe, 日本").is_some());
    }
}
