//! Where a `$ref` leads.

use serde_json::Value;

use super::draft::Draft;
use crate::pointer::{Pointer, tokens};

/// What a reference is resolved in.
#[derive(Clone)]
pub(super) enum Scope<'r> {
    /// One schema without names of its own: a reference is a JSON Pointer into it.
    Local(&'r Value),
    #[cfg(feature = "authority")]
    Registry(Box<referencing::Resolver<'r>>),
}

/// Where a reference leads.
pub(super) struct Found<'r> {
    pub(super) schema: &'r Value,
    pub(super) scope: Scope<'r>,
    /// The draft, if it is another one.
    pub(super) draft: Option<Draft>,
    pub(super) at: Pointer,
}

impl<'r> Scope<'r> {
    pub(super) fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// The scope inside a subschema, which may have an `$id`.
    pub(super) fn entered(&self, schema: &'r Value, draft: Draft) -> Self {
        match self {
            #[cfg(feature = "authority")]
            Self::Registry(resolver) => {
                let resource = referencing::ResourceRef::new(schema, draft.into());
                let resolver = resolver.in_subresource(resource).unwrap_or_else(|_| resolver.as_ref().clone());
                Self::Registry(Box::new(resolver))
            }
            Self::Local(_) => {
                let _ = (schema, draft);
                self.clone()
            }
        }
    }

    pub(super) fn lookup(&self, target: &str) -> Option<Found<'r>> {
        match self {
            Self::Local(root) => {
                let fragment = decoded(target.strip_prefix('#')?)?;
                let schema = root.pointer(&fragment)?;
                let at = tokens(&fragment).fold(Pointer::root(), |at, token| at.key(&token));
                Some(Found { schema, scope: self.clone(), draft: None, at })
            }
            #[cfg(feature = "authority")]
            Self::Registry(resolver) => {
                let (schema, resolver, draft) = resolver.lookup(target).ok()?.into_inner();
                let scope = Self::Registry(Box::new(resolver));
                Some(Found { schema, scope, draft: Some(draft.into()), at: Pointer::root() })
            }
        }
    }
}

/// A URI fragment without percent-encoding (RFC 6901 section 6).
fn decoded(fragment: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, behind) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}
