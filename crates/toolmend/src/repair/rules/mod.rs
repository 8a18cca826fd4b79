//! The rules that put another value in the place of one that is not valid, one a file.
//!
//! Each looks at a place with every branch chosen (the [`Leaf`]) and adds to the [`Offers`] what it would do: a
//! candidate, a rival that forbids every candidate, or the reason why it has none.

pub(crate) mod canonical_integer;
mod empty;
mod fold_enum;
mod json_string;
mod scalar;
mod unwrap_array;
pub(crate) mod unwrap_object;
mod wrap;

use super::place::{Place, View};
use super::walk::{Offers, Site, Walk};
use crate::document::NodeId;
use crate::schema::Types;

/// A place with a branch chosen in every union, seen with a value that is not valid there.
pub(crate) struct Leaf<'w, 'p> {
    pub(crate) site: &'w Site<'w>,
    pub(crate) place: &'w Place,
    pub(crate) view: &'w View<'p>,
    /// The value's own type.
    pub(crate) own: Types,
}

type RuleFn = fn(&mut Walk<'_, '_, '_>, &Leaf<'_, '_>, NodeId, &mut Offers);

/// Every rule. Their order decides nothing: all of them are asked, and the offers are compared.
pub(crate) const ALL: &[RuleFn] = &[
    json_string::offer,
    wrap::offer,
    unwrap_object::offer,
    unwrap_array::offer,
    scalar::parse_number,
    scalar::parse_boolean,
    scalar::parse_null,
    scalar::number_to_string,
    fold_enum::offer,
    canonical_integer::offer,
    empty::offer,
];
