import Glibc

/// One accepted connection, on its own thread.
struct Connection {
  let descriptor: Int32
  private var buffer: [UInt8] = []

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  // MARK: Reading

  /// The next request, or nil where the client has gone or speaks something else.
  mutating func readRequest() -> Request? {
    let blankLine = Array("\r\n\r\n".utf8)
    var end = Self.firstIndex(of: blankLine, in: buffer)
    while end == nil {
      guard buffer.count < 1 << 20, fill() else { return nil }
      end = Self.firstIndex(of: blankLine, in: buffer)
    }
    guard let end else { return nil }
    let lines = Self.lines(buffer[..<end])
    buffer.removeFirst(end + 4)
    let start = lines[0].split(separator: " ")
    guard start.count == 3 else { return nil }
    let fields: [(name: String, value: String)] = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
    var request = Request(method: String(start[0]), target: String(start[1]), fields: fields, body: [])
    let length = request.field("Content-Length").flatMap { Int($0) } ?? 0
    while buffer.count < length { guard fill() else { return nil } }
    request.body = Array(buffer.prefix(length))
    buffer.removeFirst(length)
    return request
  }

  private mutating func fill() -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16384)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return false }
    buffer.append(contentsOf: bytes[..<count])
    return true
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
      String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
    }
  }

  private static func firstIndex(of needle: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= needle.count else { return nil }
    return (0...(bytes.count - needle.count)).first { bytes[$0..<($0 + needle.count)].elementsEqual(needle) }
  }

  // MARK: Writing

  /// Sends a page; calls `beforeEnd` once, before the client can know that the answer is whole.
  /// - Returns: whether the connection may be used again.
  func send(_ page: Page, to request: Request, beforeEnd: () -> Void) -> Bool {
    page.gate?.wait()
    let hasBody = request.method != "HEAD" && page.status != 304 && page.status != 204
    let closes = request.field("Connection")?.lowercased() == "close"
    if case .raw = page.framing {
      beforeEnd()
      _ = write(page.body)
      return false
    }
    if case .rawOpen(let milliseconds) = page.framing {
      var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      beforeEnd()
      return write(page.body)
    }
    if case .reset(let count)? = page.fault, count < 0 {
      beforeEnd()
      reset()
      return false
    }
    guard hasBody, !page.body.isEmpty else {
      beforeEnd()
      return write(head(of: page, hasBody: hasBody)) && !closes
    }
    let sent = write(head(of: page, hasBody: true))
    guard sent, page.fault == nil else {
      let goesOn = sent && deliverWithFault(page, beforeEnd)
      return goesOn && !closes
    }
    if case .chunked(let size) = page.framing {
      var rest = page.body[...]
      while !rest.isEmpty {
        let piece = rest.prefix(max(1, size))
        guard write(chunk(piece)) else { break }
        rest = rest.dropFirst(piece.count)
      }
      beforeEnd()
      return write(Array("0\r\n\r\n".utf8)) && !closes
    }
    _ = write(Array(page.body.dropLast()))
    beforeEnd()
    guard write(Array(page.body.suffix(1))) else { return false }
    switch page.framing {
    case .close: return false
    case .announced(let length): return length == page.body.count && !closes
    default: return !closes
    }
  }

  private func deliverWithFault(_ page: Page, _ beforeEnd: () -> Void) -> Bool {
    // As late as possible, and before the bytes that tell the client that the answer is over.
    var isCounted = true
    func countDown() {
      if isCounted { beforeEnd() }
      isCounted = false
    }
    defer { countDown() }
    func framed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
      if case .chunked = page.framing { chunk(bytes) } else { Array(bytes) }
    }
    switch page.fault {
    case .reset(let count):
      _ = write(framed(page.body.prefix(count)))
      reset()
    case .close(let count):
      _ = write(framed(page.body.prefix(count)))
    case .stall(let count):
      _ = write(framed(page.body.prefix(count)))
      var byte: UInt8 = 0
      while read(descriptor, &byte, 1) > 0 {}
    case .drip(let size, let milliseconds):
      var rest = page.body[...]
      var isChunked = false
      if case .chunked = page.framing { isChunked = true }
      while !rest.isEmpty {
        if rest.count <= size, !isChunked { countDown() }
        guard write(framed(rest.prefix(size))) else { return false }
        rest = rest.dropFirst(size)
        if !rest.isEmpty { usleep(useconds_t(milliseconds * 1000)) }
      }
      countDown()
      return !isChunked || write(Array("0\r\n\r\n".utf8))
    case .endless:
      while write(framed(page.body[...])) {}
    case .badChunk(let count):
      _ = write(chunk(page.body.prefix(count)))
      countDown()
      _ = write(Array("zz\r\nthis is no chunk\r\n".utf8))
    case nil: return true
    }
    return false
  }

  private func head(of page: Page, hasBody: Bool) -> [UInt8] {
    var lines = "HTTP/1.1 \(page.status) \(page.reason)\r\n"
    for field in page.fields { lines += "\(field.name): \(field.value)\r\n" }
    if hasBody || page.status == 200 {
      switch page.framing {
      case .length where page.fault.isEndless: lines += "Connection: close\r\n"
      case .length: lines += "Content-Length: \(page.body.count)\r\n"
      case .announced(let length): lines += "Content-Length: \(length)\r\n"
      case .chunked where !page.body.isEmpty: lines += "Transfer-Encoding: chunked\r\n"
      case .chunked: lines += "Content-Length: 0\r\n"
      case .close: lines += "Connection: close\r\n"
      case .raw, .rawOpen: break
      }
    }
    return Array((lines + "\r\n").utf8)
  }

  private func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Makes the coming close a reset.
  private func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }
}

extension Page.Fault? {
  fileprivate var isEndless: Bool {
    if case .endless? = self { true } else { false }
  }
}
