//! The parsed form that the validator and the repair both read.
//!
//! A [`Document`] is an arena over the raw text: a string without escapes and a number are ranges of the text, so a
//! valid call never builds a tree of its own. Nodes are never changed. A repair appends new nodes that share the old
//! ones, so many readings of one call live side by side, and every node knows the place in the input it stands for.

mod instance;
mod view;
mod writer;

pub(crate) use instance::{Instance, to_value};
pub use view::{Elements, Kind, Members, Node};
pub(crate) use view::{quoted, write_string};
pub use writer::Writer;

use std::borrow::Cow;

use serde_json::Value;

use crate::contract::Limits;
use crate::issue::{Issue, Span};
use crate::pointer::Pointer;
use crate::text::{Extent, Syntax, number, parse};

/// The number of a node in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(u32);

/// A range of bytes of the raw text or of the document's own buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    start: u32,
    length: u32,
    buffer: Buffer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffer {
    /// The raw text as it came.
    Text,
    /// What had to be decoded or made: strings with escapes, decoded text, repaired values.
    Own,
}

/// A run of entries in `Document::items` or `Document::members`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    start: u32,
    length: u32,
}

impl Run {
    #[inline]
    fn indices(self) -> std::ops::Range<usize> {
        let start = self.start as usize;
        start..start + self.length as usize
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Number(Slice),
    String(Slice),
    Array(Run),
    Object(Run),
}

/// Where a node stands in the input.
#[derive(Debug, Clone, Copy)]
enum Origin {
    Root,
    Item {
        parent: NodeId,
        index: u32,
    },
    Member {
        parent: NodeId,
        member: u32,
    },
    /// Made by a repair; it stands for that node of the input.
    For(NodeId),
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    content: Content,
    origin: Origin,
    /// Byte offset in the raw text; decoded text has the offset of the string that holds it.
    offset: u32,
    /// Number of values in it, itself counted.
    size: u32,
    /// How deep its arrays and objects are nested.
    depth: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    key: Slice,
    value: NodeId,
}

/// A parsed JSON text, or host data in the same form.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    text: Cow<'a, str>,
    own: String,
    entries: Vec<Entry>,
    items: Vec<NodeId>,
    members: Vec<Member>,
    root: NodeId,
    /// Whether any number is written with a fraction or an exponent.
    fractions: bool,
    /// Whether the text is what the model wrote, so that places in it mean something.
    raw: bool,
}

impl<'a> Document<'a> {
    /// A document over `text` that holds nothing but `null` yet.
    pub(crate) fn over(text: impl Into<Cow<'a, str>>) -> Self {
        let root = Entry { content: Content::Null, origin: Origin::Root, offset: 0, size: 1, depth: 0 };
        Self {
            text: text.into(),
            own: String::new(),
            entries: vec![root],
            items: Vec::new(),
            members: Vec::new(),
            root: NodeId(0),
            fractions: false,
            raw: true,
        }
    }

    /// Reads one strict JSON text (RFC 8259), nested at most a little deeper than
    /// [`Limits::MAX_DEPTH`](crate::Limits::MAX_DEPTH): an outcome's wire shape around its value can be read as well.
    ///
    /// # Errors
    ///
    /// An issue with a `text` code (`json_syntax`, `truncated`, `duplicate_key`, ...) that says where and why.
    pub fn parse(text: &'a str) -> Result<Self, Box<Issue>> {
        let depth = Limits::MAX_DEPTH + 8;
        let mut document = Self::over(text);
        let at = |code, offset, hint: String| {
            let mut issue = Issue::new(code, "", hint);
            issue.span = Some(Span::at(text, offset));
            Box::new(issue)
        };
        let parsed = parse(&mut document, text, 0, Extent::Whole, Syntax::Strict, depth)
            .map_err(|error| at(error.code, error.offset, error.hint.into_owned()))?;
        if let Some(fault) = parsed.faults.first() {
            return Err(at(fault.code, document.offset(fault.node), fault.hint().to_owned()));
        }
        document.set_root(parsed.root);
        Ok(document)
    }

    /// The same document as host data: its issues have no places in the text.
    #[must_use]
    pub fn into_data(self) -> Self {
        Self { raw: false, ..self }
    }

    /// The same document, independent of the text it was read from.
    #[must_use]
    pub fn into_owned(self) -> Document<'static> {
        Document {
            text: Cow::Owned(self.text.into_owned()),
            own: self.own,
            entries: self.entries,
            items: self.items,
            members: self.members,
            root: self.root,
            fractions: self.fractions,
            raw: self.raw,
        }
    }

    /// The value that the document holds.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(self.root)
    }

    pub(crate) fn root_id(&self) -> NodeId {
        self.root
    }

    pub(crate) fn set_root(&mut self, root: NodeId) {
        self.root = root;
    }

    /// Makes room for the nodes of a text of that length, of which a short one has few.
    pub(crate) fn reserve(&mut self, length: usize) {
        const BYTES_A_NODE: usize = 16;
        const MOST: usize = 64;
        let nodes = (length / BYTES_A_NODE).min(MOST);
        self.entries.reserve(nodes);
        self.members.reserve(nodes);
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// The raw text; nothing for host data.
    pub(crate) fn text(&self) -> &str {
        if self.raw { &self.text } else { "" }
    }

    /// Whether a number written with a fraction or an exponent came in.
    pub(crate) fn has_fractions(&self) -> bool {
        self.fractions
    }

    #[inline]
    pub(crate) fn content(&self, id: NodeId) -> Content {
        self.entry(id).map_or(Content::Null, |entry| entry.content)
    }

    #[inline]
    fn entry(&self, id: NodeId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    #[inline]
    pub(crate) fn slice(&self, slice: Slice) -> &str {
        let start = slice.start as usize;
        let buffer: &str = match slice.buffer {
            Buffer::Text => &self.text,
            Buffer::Own => &self.own,
        };
        buffer.get(start..start + slice.length as usize).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn items(&self, run: Run) -> &[NodeId] {
        self.items.get(run.indices()).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn members(&self, run: Run) -> &[Member] {
        self.members.get(run.indices()).unwrap_or_default()
    }

    #[inline]
    pub(crate) fn key(&self, member: Member) -> &str {
        self.slice(member.key)
    }

    /// The node of the input that `id` stands for, itself where it came in.
    pub(crate) fn origin(&self, id: NodeId) -> NodeId {
        match self.entry(id).map(|entry| entry.origin) {
            Some(Origin::For(other)) => self.origin(other),
            _ => id,
        }
    }

    /// The JSON Pointer of the place in the input that `id` stands for; decoded text counts as the value it holds.
    pub(crate) fn pointer(&self, id: NodeId) -> Pointer {
        self.steps(id).into_iter().rev().fold(Pointer::root(), |pointer, step| match step {
            Origin::Item { index, .. } => pointer.index(index as usize),
            Origin::Member { member, .. } => match self.members.get(member as usize) {
                Some(member) => pointer.key(self.key(*member)),
                None => pointer,
            },
            Origin::Root | Origin::For(_) => pointer,
        })
    }

    /// How deep the arrays and objects of a value are nested.
    #[inline]
    pub(crate) fn depth(&self, id: NodeId) -> usize {
        self.entry(id).map_or(0, |entry| entry.depth as usize)
    }

    /// Number of values in the value of `id`, itself counted.
    #[inline]
    pub(crate) fn size(&self, id: NodeId) -> usize {
        self.entry(id).map_or(1, |entry| entry.size as usize)
    }

    /// The steps from the place of `id` up to the root.
    fn steps(&self, id: NodeId) -> Vec<Origin> {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(entry) = self.entry(at) {
            at = match entry.origin {
                Origin::Root => break,
                Origin::For(other) => other,
                Origin::Item { parent, .. } | Origin::Member { parent, .. } => {
                    steps.push(entry.origin);
                    parent
                }
            };
        }
        steps
    }

    /// Whether a node came in as it is: it was not made, and not decoded from text either.
    pub(crate) fn is_sent(&self, id: NodeId) -> bool {
        let mut at = id;
        loop {
            at = match self.entry(at).map(|entry| entry.origin) {
                Some(Origin::Root) => return at == self.root,
                Some(Origin::Item { parent, .. } | Origin::Member { parent, .. }) => parent,
                Some(Origin::For(_)) | None => return false,
            };
        }
    }

    /// Puts the content of `other` in the place of what came in, and gives a node with what it was.
    pub(crate) fn respell(&mut self, id: NodeId, other: NodeId) -> NodeId {
        let came = self.content(id);
        let content = self.content(other);
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.content = content;
        }
        self.push_made(came, id)
    }

    /// Whether the place in the input that `id` stands for is a member of an object.
    pub(crate) fn is_member(&self, id: NodeId) -> bool {
        self.entry(self.origin(id)).is_some_and(|entry| matches!(entry.origin, Origin::Member { .. }))
    }

    /// The place in the input that `id` stands for, as the ranks of the members and items that lead to it: in document
    /// order when compared.
    pub(crate) fn rank(&self, id: NodeId) -> Vec<u32> {
        let mut ranks: Vec<u32> = self
            .steps(id)
            .iter()
            .map(|step| match step {
                Origin::Item { index, .. } => *index,
                Origin::Member { parent, member } => match self.content(*parent) {
                    Content::Object(run) => member.saturating_sub(run.start),
                    _ => 0,
                },
                Origin::Root | Origin::For(_) => 0,
            })
            .collect();
        ranks.reverse();
        ranks
    }

    /// Byte offset of the place in the raw text that `id` stands for.
    pub(crate) fn offset(&self, id: NodeId) -> usize {
        self.entry(self.origin(id)).map_or(0, |entry| entry.offset as usize)
    }
}

/// Making nodes.
impl Document<'_> {
    fn push(&mut self, content: Content, origin: Origin, offset: usize) -> NodeId {
        let id = NodeId(narrow(self.entries.len()));
        let (mut size, mut depth): (u32, u32) = (1, 0);
        let mut add = |id: NodeId| {
            if let Some(entry) = self.entry(id) {
                size = size.saturating_add(entry.size);
                depth = depth.max(entry.depth);
            }
        };
        let is_container = match content {
            Content::Array(run) => {
                self.items(run).iter().for_each(|item| add(*item));
                true
            }
            Content::Object(run) => {
                self.members(run).iter().for_each(|member| add(member.value));
                true
            }
            _ => false,
        };
        depth += u32::from(is_container);
        self.entries.push(Entry { content, origin, offset: narrow(offset), size, depth });
        id
    }

    /// A node that came in; its parent is told by `push_array` or `push_object` when that one is complete.
    pub(crate) fn push_input(&mut self, content: Content, offset: usize) -> NodeId {
        if let Content::Number(slice) = content {
            self.fractions |= !number::is_plain(self.slice(slice));
        }
        self.push(content, Origin::Root, offset)
    }

    /// A scalar that a repair makes in place of `origin`.
    pub(crate) fn push_made(&mut self, content: Content, origin: NodeId) -> NodeId {
        self.push(content, Origin::For(origin), 0)
    }

    /// An array that came in.
    pub(crate) fn push_array(&mut self, items: &[NodeId], offset: usize) -> NodeId {
        let run = self.item_run(items);
        let id = self.push(Content::Array(run), Origin::Root, offset);
        for (index, item) in items.iter().enumerate() {
            self.adopt(*item, Origin::Item { parent: id, index: narrow(index) });
        }
        id
    }

    /// An object that came in.
    pub(crate) fn push_object(&mut self, members: &[Member], offset: usize) -> NodeId {
        let run = self.member_run(members);
        let id = self.push(Content::Object(run), Origin::Root, offset);
        for (index, member) in members.iter().enumerate() {
            self.adopt(member.value, Origin::Member { parent: id, member: run.start + narrow(index) });
        }
        id
    }

    /// An array that a repair makes in place of `origin`.
    pub(crate) fn make_array(&mut self, items: &[NodeId], origin: NodeId) -> NodeId {
        let run = self.item_run(items);
        self.push_made(Content::Array(run), origin)
    }

    /// An object that a repair makes in place of `origin`.
    pub(crate) fn make_object(&mut self, members: &[Member], origin: NodeId) -> NodeId {
        let run = self.member_run(members);
        self.push_made(Content::Object(run), origin)
    }

    /// A value of the schema or the host that a repair puts in place of `origin`.
    pub(crate) fn make_value(&mut self, value: &Value, origin: NodeId) -> NodeId {
        let content = match value {
            Value::Null => Content::Null,
            Value::Bool(value) => Content::Bool(*value),
            Value::Number(number) => Content::Number(self.keep(&number.to_string())),
            Value::String(text) => Content::String(self.keep(text)),
            Value::Array(values) => {
                let items: Vec<NodeId> = values.iter().map(|value| self.make_value(value, origin)).collect();
                return self.make_array(&items, origin);
            }
            Value::Object(object) => {
                let mut members = Vec::with_capacity(object.len());
                for (key, value) in object {
                    let key = self.keep(key);
                    members.push(Member::new(key, self.make_value(value, origin)));
                }
                return self.make_object(&members, origin);
            }
        };
        self.push_made(content, origin)
    }

    /// A member that a repair adds.
    pub(crate) fn make_member(&mut self, key: &str, value: NodeId) -> Member {
        Member::new(self.keep(key), value)
    }

    /// Lets decoded text stand where the string that held it came in.
    pub(crate) fn stand_for(&mut self, decoded: NodeId, string: NodeId) {
        let origin = self.origin(string);
        self.adopt(decoded, Origin::For(origin));
    }

    /// A member with another key for the same value.
    pub(crate) fn rekeyed(&mut self, member: Member, key: &str) -> Member {
        Member { key: self.keep(key), ..member }
    }

    /// Keeps `text` in the document's own buffer.
    pub(crate) fn keep(&mut self, text: &str) -> Slice {
        let start = self.own.len();
        self.own.push_str(text);
        Slice { start: narrow(start), length: narrow(text.len()), buffer: Buffer::Own }
    }

    /// Adds `text` to what was kept last.
    pub(crate) fn extend(&mut self, last: &mut Slice, text: &str) {
        self.own.push_str(text);
        last.length = narrow(self.own.len()) - last.start;
    }

    fn item_run(&mut self, items: &[NodeId]) -> Run {
        let start = narrow(self.items.len());
        self.items.extend_from_slice(items);
        Run { start, length: narrow(items.len()) }
    }

    fn member_run(&mut self, members: &[Member]) -> Run {
        let start = narrow(self.members.len());
        self.members.extend_from_slice(members);
        Run { start, length: narrow(members.len()) }
    }

    fn adopt(&mut self, id: NodeId, origin: Origin) {
        if let Some(entry) = self.entries.get_mut(id.0 as usize) {
            entry.origin = origin;
        }
    }
}

impl Member {
    #[inline]
    pub(crate) fn new(key: Slice, value: NodeId) -> Self {
        Self { key, value }
    }

    #[inline]
    pub(crate) fn value(self) -> NodeId {
        self.value
    }

    #[inline]
    pub(crate) fn with_value(self, value: NodeId) -> Self {
        Self { value, ..self }
    }
}

impl Slice {
    #[inline]
    pub(crate) fn new(start: usize, length: usize, buffer: Buffer) -> Self {
        Self { start: narrow(start), length: narrow(length), buffer }
    }

    #[inline]
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }
}

/// Sizes fit: `Limits` caps a text at 1 GiB, and a call's nodes are counted against the work limit.
#[inline]
fn narrow(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}
