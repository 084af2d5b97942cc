import SystemIO

/// The texts of a document's elements, one after another.
struct XMLElements: Sequence, IteratorProtocol {
  /// An element without elements in it.
  struct Element {
    /// The names of the elements around it, and its own: `["Error", "Code"]`.
    let path: [String]
    let text: String
  }

  private var scanner: XMLScanner
  private var path: [String] = []
  private var text: [UInt8] = []
  private var hasChildren = false
  /// The reason that the document ended early; nil if it is whole.
  private(set) var failure: String?

  init(_ bytes: [UInt8]) {
    scanner = XMLScanner(bytes)
  }

  mutating func next() -> Element? {
    do throws(XMLScanner.Failure) {
      while let token = try scanner.next() {
        switch token {
        case .start(let name, _, let isEmpty):
          hasChildren = false
          text = []
          if isEmpty {
            let element = Element(path: path + [name], text: "")
            hasChildren = true
            return element
          }
          path.append(name)
        case .text(let piece): text += piece
        case .end(let name):
          guard path.last == name else { throw scanner.failure("</\(name)> doesn't match the open element") }
          let element = Element(path: path, text: String(decoding: text, as: UTF8.self))
          path.removeLast()
          let isLeaf = !hasChildren
          hasChildren = true
          if isLeaf { return element }
        case .declaration, .instruction, .documentType, .comment: break
        }
      }
      if let open = path.last { failure = "it ends inside <\(open)>" }
    } catch {
      failure = error.message
    }
    return nil
  }
}
