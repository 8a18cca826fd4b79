//! Building a document from host data instead of text.

use super::{Buffer, Content, Document, Member, NodeId, Slice};

/// Builds a [`Document`] from host data, value by value, in document order.
///
/// ```
/// use toolmend::Writer;
///
/// let mut writer = Writer::new();
/// writer.begin_object();
/// writer.key("ids");
/// writer.begin_array();
/// writer.number("123456789012345678");
/// writer.end_array();
/// writer.end_object();
/// assert_eq!(writer.finish().root().to_string(), r#"{"ids":[123456789012345678]}"#);
/// ```
#[derive(Debug)]
pub struct Writer {
    document: Document<'static>,
    open: Vec<Open>,
    root: Option<NodeId>,
}

#[derive(Debug)]
enum Open {
    Array(Vec<NodeId>),
    Object(Vec<Member>, Option<Slice>),
}

impl Default for Writer {
    fn default() -> Self {
        Self::new()
    }
}

impl Writer {
    /// A writer that has written nothing.
    #[must_use]
    pub fn new() -> Self {
        Self { document: Document::over(""), open: Vec::new(), root: None }
    }

    /// How many arrays and objects are open.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Writes `null`.
    pub fn null(&mut self) {
        self.scalar(Content::Null);
    }

    /// Writes `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        self.scalar(Content::Bool(value));
    }

    /// Writes a number; `text` must be a JSON number (RFC 8259 section 6).
    pub fn number(&mut self, text: &str) {
        let slice = self.document.keep(text);
        self.scalar(Content::Number(slice));
    }

    /// Writes a string.
    pub fn string(&mut self, text: &str) {
        let slice = self.document.keep(text);
        self.scalar(Content::String(slice));
    }

    /// Opens an array.
    pub fn begin_array(&mut self) {
        self.open.push(Open::Array(Vec::new()));
    }

    /// Opens an object.
    pub fn begin_object(&mut self) {
        self.open.push(Open::Object(Vec::new(), None));
    }

    /// Names the member whose value comes next. The names of one object must differ.
    pub fn key(&mut self, key: &str) {
        let slice = self.document.keep(key);
        if let Some(Open::Object(_, name)) = self.open.last_mut() {
            *name = Some(slice);
        }
    }

    /// Closes the array that was opened last.
    pub fn end_array(&mut self) {
        if let Some(Open::Array(items)) = self.open.pop() {
            let id = self.document.push_array(&items, 0);
            self.place(id);
        }
    }

    /// Closes the object that was opened last.
    pub fn end_object(&mut self) {
        if let Some(Open::Object(members, _)) = self.open.pop() {
            let id = self.document.push_object(&members, 0);
            self.place(id);
        }
    }

    /// The document; `null` where nothing was written.
    #[must_use]
    pub fn finish(mut self) -> Document<'static> {
        while let Some(open) = self.open.last() {
            match open {
                Open::Array(_) => self.end_array(),
                Open::Object(..) => self.end_object(),
            }
        }
        if let Some(root) = self.root {
            self.document.set_root(root);
        }
        self.document
    }

    fn scalar(&mut self, content: Content) {
        let id = self.document.push_input(content, 0);
        self.place(id);
    }

    fn place(&mut self, id: NodeId) {
        match self.open.last_mut() {
            Some(Open::Array(items)) => items.push(id),
            Some(Open::Object(members, name)) => {
                let key = name.take().unwrap_or(Slice { start: 0, length: 0, buffer: Buffer::Own });
                members.push(Member::new(key, id));
            }
            None => self.root = Some(id),
        }
    }
}
