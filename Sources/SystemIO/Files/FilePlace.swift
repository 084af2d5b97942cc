import Glibc

/// Where the bytes of a file are.
///
/// A worker process may open no path to a job's files. It reads the descriptors that it is sent.
package enum FilePlace: Sendable, Hashable {
  case path(String)
  /// An open file. Its position is shared with other processes that have a duplicate, so that readers neither use nor move
  /// it. Whoever made the value keeps the file open.
  case descriptor(Int32)
  /// A file that another process couldn't open for this one.
  case unopened(path: String, SystemError)

  /// Calls `body` with a descriptor, which is open during the call.
  package func withDescriptor<Value>(
    _ body: (Int32) throws(SystemError) -> Value
  ) throws(SystemError) -> Value {
    let number = try opened()
    defer { if !isOpen { close(number) } }
    return try body(number)
  }

  /// A descriptor, which the caller closes unless ``isOpen``.
  func opened() throws(SystemError) -> Int32 {
    switch self {
    case .path(let path): try FileIO.open(path, O_RDONLY)
    case .descriptor(let number): number
    case .unopened(_, let error): throw error
    }
  }

  /// Whether the file is open already, and closed by whoever made the value.
  var isOpen: Bool { if case .descriptor = self { true } else { false } }

  /// The first `count` bytes, or all bytes of a shorter file.
  package func start(count: Int) throws(SystemError) -> [UInt8] {
    // A path may lead to a pipe, which has no positions.
    if case .path(let path) = self { return try File.start(of: path, count: count) }
    return try withDescriptor { (number) throws(SystemError) in
      var bytes = [UInt8](repeating: 0, count: count)
      let found = try FileIO.read(number, at: 0, into: &bytes)
      bytes.removeLast(count - found)
      return bytes
    }
  }

  /// The whole file.
  /// - Throws: `SystemError`; with code `EFBIG` if the file has more than `limit` bytes.
  package func contents(limit: Int = .max) throws(SystemError) -> [UInt8] {
    if case .path(let path) = self { return try File.contents(of: path, limit: limit) }
    return try withDescriptor { (number) throws(SystemError) in
      var bytes: [UInt8] = []
      while true {
        var piece = [UInt8](repeating: 0, count: 1 << 17)
        let found = try FileIO.read(number, at: bytes.count, into: &piece)
        guard bytes.count + found <= limit else { throw SystemError(code: EFBIG) }
        bytes += piece[..<found]
        if found < piece.count { return bytes }
      }
    }
  }

  /// Copies the file, overwriting `destination` in place. A failure removes `destination`.
  package func copy(to destination: String) throws(SystemError) {
    try withDescriptor { (number) throws(SystemError) in
      try File.copy(from: number, to: destination)
    }
  }
}

extension FilePlace: CustomStringConvertible {
  /// The path, or words for a file whose path isn't known.
  package var description: String {
    switch self {
    case .path(let path), .unopened(let path, _): path
    case .descriptor: "the file"
    }
  }
}
