//! placeholder
#![allow(missing_docs)]
use std::collections::BTreeMap;
use serde_json::Value;
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct SchemaId(u32);
#[derive(Debug)]
pub(crate) struct Plan;
impl Plan { pub(crate) fn build(_: &Value, _: &BTreeMap<String, Value>, _: bool) -> Self { Plan } }
