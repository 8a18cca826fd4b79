//! The drafts of JSON Schema, oldest first.

use serde_json::Value;

/// A draft whose keywords are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Draft {
    V4,
    V6,
    V7,
    V2019,
    V2020,
}

impl Draft {
    /// What `$schema` says: 2020-12 where it says nothing, `None` where it names what is not known here.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        let Some(uri) = schema.get("$schema") else { return Some(Self::V2020) };
        match uri.as_str()?.trim_end_matches('#') {
            "http://json-schema.org/draft-04/schema" => Some(Self::V4),
            "http://json-schema.org/draft-06/schema" => Some(Self::V6),
            "http://json-schema.org/draft-07/schema" => Some(Self::V7),
            "https://json-schema.org/draft/2019-09/schema" => Some(Self::V2019),
            "https://json-schema.org/draft/2020-12/schema" => Some(Self::V2020),
            _ => None,
        }
    }
}

#[cfg(feature = "authority")]
impl From<referencing::Draft> for Draft {
    fn from(draft: referencing::Draft) -> Self {
        match draft {
            referencing::Draft::Draft4 => Self::V4,
            referencing::Draft::Draft6 => Self::V6,
            referencing::Draft::Draft7 => Self::V7,
            referencing::Draft::Draft201909 => Self::V2019,
            _ => Self::V2020,
        }
    }
}

#[cfg(feature = "authority")]
impl From<Draft> for referencing::Draft {
    fn from(draft: Draft) -> Self {
        match draft {
            Draft::V4 => Self::Draft4,
            Draft::V6 => Self::Draft6,
            Draft::V7 => Self::Draft7,
            Draft::V2019 => Self::Draft201909,
            Draft::V2020 => Self::Draft202012,
        }
    }
}
