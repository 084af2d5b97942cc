import CYAML

/// An event of libyaml's parser: `a: [b]` is a document start, a mapping start, `a`, a list start, `b`, and the ends of
/// all three.
struct YAMLEvent: Equatable {
  enum Kind: Equatable {
    case documentStart, documentEnd, mappingStart, mappingEnd, listStart, listEnd
    case scalar(String, isPlain: Bool)
    case alias(String)
    /// The end of the text.
    case end
  }

  var kind: Kind
  var anchor: String?
  var tag: String?
  /// The place of the first character, including an anchor and a tag.
  var start: TextPlace
  /// The place after the last character.
  var end: TextPlace
}

/// The events of a text, from libyaml.
///
/// libyaml looks ahead by at most a line or 1,024 characters and doesn't recurse, so the reader can stop at its depth
/// limit before deeper nesting costs anything.
struct YAMLEvents: ~Copyable {
  // libyaml keeps pointers to both, so neither may move.
  private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let hasMemory: Bool

  init(_ text: String) {
    bytes = .allocate(capacity: text.utf8.count)
    _ = bytes.initialize(fromContentsOf: text.utf8)
    parser.initialize(to: yaml_parser_t())
    hasMemory = yaml_parser_initialize(parser) == 1
    guard hasMemory else { return }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    bytes.deallocate()
  }

  /// The next event; ``YAMLEvent/Kind/end`` at the end of the text, and on every call after that or after an error.
  mutating func next() throws(YAMLError) -> YAMLEvent {
    var event = yaml_event_t()
    repeat {
      guard hasMemory, yaml_parser_parse(parser, &event) == 1 else { throw error() }
    } while event.type == YAML_STREAM_START_EVENT
    defer { yaml_event_delete(&event) }
    return YAMLEvent(event)
  }

  private func error() -> YAMLError {
    let state = parser.pointee
    // libyaml has no message if it is out of memory.
    let problem = state.problem.map { String(cString: $0) } ?? "out of memory"
    if state.error == YAML_READER_ERROR {
      return YAMLError(problem: problem, isOfCharacter: true, place: place(ofByte: state.problem_offset))
    }
    return YAMLError(
      problem: problem, context: state.context.map { String(cString: $0) },
      place: TextPlace(state.problem_mark), contextPlace: TextPlace(state.context_mark))
  }

  /// The place of a byte: libyaml's errors about characters have no line.
  private func place(ofByte offset: Int) -> TextPlace {
    let before = bytes.prefix(offset)
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return TextPlace(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1,
      column: before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1)
  }
}

extension YAMLEvent {
  /// Copies everything that libyaml's event points to, so that it can be deleted.
  fileprivate init(_ event: yaml_event_t) {
    let data = event.data
    (start, end) = (TextPlace(event.start_mark), TextPlace(event.end_mark))
    var names: (anchor: UnsafeMutablePointer<yaml_char_t>?, tag: UnsafeMutablePointer<yaml_char_t>?)
    switch event.type {
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart
      names = (data.mapping_start.anchor, data.mapping_start.tag)
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_SEQUENCE_START_EVENT:
      kind = .listStart
      names = (data.sequence_start.anchor, data.sequence_start.tag)
    case YAML_SEQUENCE_END_EVENT: kind = .listEnd
    case YAML_SCALAR_EVENT:
      // By length, since escapes can produce NUL characters.
      let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
      kind = .scalar(
        String(decoding: bytes, as: UTF8.self), isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
      names = (data.scalar.anchor, data.scalar.tag)
    case YAML_ALIAS_EVENT: kind = .alias(data.alias.anchor.map { String(cString: $0) } ?? "")
    default: kind = .end
    }
    anchor = names.anchor.map { String(cString: $0) }
    tag = names.tag.map { String(cString: $0) }
  }
}

extension TextPlace {
  /// libyaml counts lines and code points, both from 0.
  fileprivate init(_ mark: yaml_mark_t) { self.init(line: mark.line + 1, column: mark.column + 1) }
}
