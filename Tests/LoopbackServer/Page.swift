/// One request as the server read it.
public struct Request: Sendable {
  /// `GET` …
  public var method: String
  /// The request target with its query.
  public var target: String
  /// The fields in their order.
  public var fields: [(name: String, value: String)]
  /// The request's body.
  public var body: [UInt8]
  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The first field of this name in any letter case.
  public func field(_ name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// An answer, and the faults that it is delivered with.
public struct Page: Sendable {
  /// The status code.
  public var status: Int
  /// The reason phrase.
  public var reason: String
  /// Fields beside those that the framing makes.
  public var fields: [(name: String, value: String)]
  /// The body.
  public var body: [UInt8]
  /// How the body's end is told.
  public var framing = Framing.length
  /// What goes wrong on the way.
  public var fault: Fault?
  /// The answer is held back until the gate opens.
  public var gate: Gate?

  /// A page with a content type, or none.
  public init(
    _ body: [UInt8] = [], type: String? = nil, status: Int = 200, reason: String = "OK",
    fields: [(name: String, value: String)] = [], framing: Framing = .length, fault: Fault? = nil,
    gate: Gate? = nil
  ) {
    self.body = body
    self.status = status
    self.reason = reason
    self.fields = (type.map { [("Content-Type", $0)] } ?? []) + fields
    self.framing = framing
    self.fault = fault
    self.gate = gate
  }

  /// A text page.
  public init(text: String, type: String = "text/plain", status: Int = 200) {
    self.init(Array(text.utf8), type: type, status: status)
  }

  /// A redirect.
  public static func redirect(to location: String, status: Int = 302) -> Page {
    Page(status: status, reason: "Found", fields: [("Location", location)])
  }

  /// A 404 as sites answer it.
  public static let notFound = Page(text: "<!doctype html><p>Not found", type: "text/html", status: 404)

  /// How the end of a body is told.
  public enum Framing: Sendable {
    /// `Content-Length`.
    case length
    /// A `Content-Length` that need not be true.
    case announced(Int)
    /// Chunks of this many bytes.
    case chunked(Int)
    /// The connection's end.
    case close
    /// The body is the whole answer, status line and all.
    case raw
    /// As `raw`, but the connection stays open for this many milliseconds after the client's last byte.
    case rawOpen(milliseconds: Int)
  }

  /// What goes wrong while the body is sent.
  public enum Fault: Sendable {
    /// The connection is reset after so many bytes of the body; nothing is sent at all where negative.
    case reset(after: Int)
    /// The connection is closed in order after so many bytes.
    case close(after: Int)
    /// Nothing more comes after so many bytes until the client goes or the server stops.
    case stall(after: Int)
    /// Pieces of so many bytes, with so many milliseconds between them.
    case drip(bytes: Int, milliseconds: Int)
    /// The body is sent again and again until the client goes.
    case endless
    /// The chunks' framing is broken after so many bytes.
    case badChunk(after: Int)
  }
}
