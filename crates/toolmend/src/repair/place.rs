//! A place: everything the schema says about one value, gathered from wherever it is said.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::collections::set;
use crate::document::{Content, Document, NodeId};
use crate::schema::plan::{Others, Shape};
use crate::schema::{Plan, SchemaId, Types};

/// The subschemas that a value must satisfy all at once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    roots: Vec<SchemaId>,
    /// Unions in which a branch has been chosen; the branch is among the roots.
    chosen: Vec<Union>,
    /// Where it is, by declared names.
    path: Path,
    /// Whether the value is the whole arguments.
    pub(crate) whole: bool,
    /// Whether the value is to be the one item of a list that wraps it.
    wrapped: bool,
}

/// The subschemas tell most places apart.
impl Hash for Place {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for root in &self.roots {
            root.hash(state);
        }
    }
}

/// The way from the whole arguments to a place, by declared names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path(Option<Rc<Step>>);

#[derive(Debug, PartialEq, Eq)]
struct Step {
    parent: Path,
    token: Token,
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Key(String),
    Index(usize),
}

impl Path {
    fn then(&self, token: Token) -> Self {
        Self(Some(Rc::new(Step { parent: self.clone(), token })))
    }

    /// Whether the tokens of a pattern name this place.
    pub(crate) fn matches(&self, pattern: &[String]) -> bool {
        match (&self.0, pattern.split_last()) {
            (None, None) => true,
            (Some(step), Some((last, rest))) => {
                let named = match &step.token {
                    Token::Key(key) => last == "*" || last == key,
                    Token::Index(index) => last == "*" || last.parse() == Ok(*index),
                };
                named && step.parent.matches(rest)
            }
            _ => false,
        }
    }
}

/// The `index`th union of a subschema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Union {
    schema: SchemaId,
    index: usize,
}

/// A place seen with a value: its subschemas, followed through `allOf`, `$ref`, and the conditions that the value
/// meets.
pub(crate) struct View<'p> {
    pub(crate) shapes: Vec<&'p Shape>,
    /// Unions in which no branch is chosen yet, with their branches.
    pub(crate) unions: Vec<(Union, &'p [SchemaId])>,
    /// What the subschemas accept, whichever branches are chosen.
    pub(crate) types: Types,
    ids: Vec<SchemaId>,
    path: Path,
}

impl Place {
    /// The place of the whole arguments.
    pub(crate) fn whole(plan: &Plan) -> Self {
        Self { roots: vec![plan.root()], whole: true, ..Self::default() }
    }

    fn of(roots: Vec<SchemaId>, path: Path) -> Self {
        Self { roots, path, ..Self::default() }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The property under which the value stands.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.path.0.as_ref()?.token {
            Token::Key(key) => Some(key),
            Token::Index(_) => None,
        }
    }

    /// The place of the one item of a list that is to be wrapped around the value.
    pub(crate) fn wrapped(self) -> Self {
        Self { wrapped: true, ..self }
    }

    /// Whether a list is to be wrapped around the value already.
    pub(crate) fn is_wrapped(&self) -> bool {
        self.wrapped
    }

    /// Whether nothing is said about the value.
    pub(crate) fn is_free(&self) -> bool {
        self.roots.is_empty()
    }

    /// This place with a branch chosen in one of its unions.
    pub(crate) fn choose(&self, union: Union, branch: SchemaId) -> Self {
        let mut place = self.clone();
        place.roots.push(branch);
        place.chosen.push(union);
        place
    }

    /// Whether the value is valid here.
    pub(crate) fn accepts(&self, plan: &Plan, document: &Document<'_>, id: NodeId) -> bool {
        self.roots.iter().all(|root| plan.accepts(*root, document, id))
    }

    /// Every key that the place declares by name, whichever branch or condition applies.
    pub(crate) fn declared_anywhere<'p>(&self, plan: &'p Plan) -> BTreeSet<&'p str> {
        set(plan.everywhere(&self.roots).iter().flat_map(|shape| shape.properties.keys()).map(String::as_str))
    }

    /// The place seen with a value.
    pub(crate) fn view<'p>(&self, plan: &'p Plan, document: &Document<'_>, id: NodeId) -> View<'p> {
        let mut seen = BTreeSet::new();
        let mut view = View {
            shapes: Vec::new(),
            unions: Vec::new(),
            types: Types::ALL,
            ids: Vec::new(),
            path: self.path.clone(),
        };
        for root in &self.roots {
            self.gather(*root, plan, document, id, &mut seen, &mut view);
        }
        let unions = std::mem::take(&mut view.unions);
        for (_, branches) in &unions {
            let any = branches.iter().fold(Types::NONE, |any, branch| any.or(types(*branch, plan, &mut seen.clone())));
            view.types = view.types.and(any);
        }
        view.unions = unions;
        view
    }

    fn gather<'p>(
        &self,
        schema: SchemaId,
        plan: &'p Plan,
        document: &Document<'_>,
        id: NodeId,
        seen: &mut BTreeSet<SchemaId>,
        view: &mut View<'p>,
    ) {
        if !seen.insert(schema) {
            return;
        }
        let shape = plan.shape(schema);
        view.shapes.push(shape);
        view.ids.push(schema);
        view.types = view.types.and(shape.types);
        for part in &shape.all {
            self.gather(*part, plan, document, id, seen, view);
        }
        for (index, branches) in shape.unions.iter().enumerate() {
            let union = Union { schema, index };
            if !self.chosen.contains(&union) {
                view.unions.push((union, branches));
            }
        }
        if let Some(condition) = shape.condition {
            let met = plan.accepts(condition.test, document, id);
            if let Some(part) = if met { condition.then } else { condition.otherwise } {
                self.gather(part, plan, document, id, seen, view);
            }
        }
        if let Content::Object(run) = document.content(id) {
            for (key, part) in &shape.dependents {
                if document.members(run).iter().any(|member| document.key(*member) == key) {
                    self.gather(*part, plan, document, id, seen, view);
                }
            }
        }
    }
}

/// The types that a subschema accepts at most.
pub(crate) fn types(schema: SchemaId, plan: &Plan, seen: &mut BTreeSet<SchemaId>) -> Types {
    if !seen.insert(schema) {
        return Types::ALL;
    }
    let shape = plan.shape(schema);
    let all = shape.all.iter().fold(shape.types, |all, part| all.and(types(*part, plan, seen)));
    shape.unions.iter().fold(all, |all, branches| {
        all.and(branches.iter().fold(Types::NONE, |any, branch| any.or(types(*branch, plan, &mut seen.clone()))))
    })
}

impl View<'_> {
    /// Whether the same subschemas apply.
    pub(crate) fn same(&self, other: &View<'_>) -> bool {
        self.ids == other.ids
    }

    /// Whether a schema among them is `false`, or says so in other words.
    pub(crate) fn is_impossible(&self) -> bool {
        self.shapes.iter().any(|shape| shape.never)
    }

    /// Whether the schema speaks of the members or items of a container without naming its type.
    pub(crate) fn implies_container(&self) -> bool {
        self.types == Types::ALL
            && self.shapes.iter().any(|shape| {
                !shape.properties.is_empty()
                    || !shape.required.is_empty()
                    || shape.rest.is_some()
                    || !shape.prefix.is_empty()
            })
    }

    /// Whether a key is declared by name.
    pub(crate) fn declares(&self, key: &str) -> bool {
        self.shapes.iter().any(|shape| shape.properties.contains_key(key))
    }

    /// Whether a key is declared by name or by pattern.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.shapes.iter().any(|shape| shape.declares(key))
    }

    /// Whether a key that is not declared is refused.
    pub(crate) fn is_closed(&self) -> bool {
        self.shapes.iter().any(|shape| shape.others == Others::Refused)
    }

    /// Whether the object has declared properties and says nothing of others.
    pub(crate) fn ignores_others(&self) -> bool {
        self.shapes.iter().any(|shape| !shape.properties.is_empty())
            && !self.shapes.iter().any(|shape| shape.others != Others::Unspoken)
    }

    /// The annotation `default` of the place.
    pub(crate) fn default(&self) -> Option<&serde_json::Value> {
        self.shapes.iter().find_map(|shape| shape.default.as_ref())
    }

    pub(crate) fn requires(&self, key: &str) -> bool {
        self.shapes.iter().any(|shape| shape.required.iter().any(|required| required == key))
    }

    /// Every key that is declared by name, in order.
    pub(crate) fn declared(&self) -> BTreeSet<&str> {
        set(self.shapes.iter().flat_map(|shape| shape.properties.keys()).map(String::as_str))
    }

    /// The place of the member `key`.
    pub(crate) fn member(&self, key: &str) -> Place {
        let roots = self.member_schemas(key).collect();
        Place::of(roots, self.path.then(Token::Key(key.to_owned())))
    }

    /// What the subschemas say of the member `key`.
    pub(crate) fn member_schemas<'k>(&'k self, key: &'k str) -> impl Iterator<Item = SchemaId> + 'k {
        self.shapes.iter().flat_map(move |shape| {
            let declared = shape.properties.get(key);
            let matching = shape.patterns.iter().filter(move |(pattern, _)| pattern.matches(key));
            let mut named = declared.into_iter().chain(matching.map(|(_, schema)| schema)).copied().peekable();
            let others = if named.peek().is_none() { shape.additional } else { None };
            named.chain(others)
        })
    }

    /// The place of the item at `index`.
    pub(crate) fn item(&self, index: usize) -> Place {
        let roots = self.shapes.iter().filter_map(|shape| shape.item(index)).collect();
        Place::of(roots, self.path.then(Token::Index(index)))
    }

    /// The strings that every `enum` and `const` of the place allows and that `fold` makes the same of.
    pub(crate) fn folded_members(&self, folded: &str, fold: fn(&str) -> String) -> Vec<&str> {
        let mut lists = self.shapes.iter().filter(|shape| shape.members.is_some());
        let first = lists.next().map(|shape| shape.folded_members(folded, fold)).unwrap_or_default();
        let mut members: Vec<&str> = first.iter().map(String::as_str).collect();
        for shape in lists {
            let others = shape.folded_members(folded, fold);
            members.retain(|member| others.iter().any(|other| other == member));
        }
        members
    }
}
