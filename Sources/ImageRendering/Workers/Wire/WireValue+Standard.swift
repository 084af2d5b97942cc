import ImageCaches
import SystemIO

extension Int: WireValue {
  func write(to writer: inout WireWriter) { writer.append(UInt64(bitPattern: Int64(self))) }

  init(from reader: inout WireReader) throws(WireError) {
    self = Int(Int64(bitPattern: try reader.word()))
  }
}

extension Bool: WireValue {
  func write(to writer: inout WireWriter) { writer.append(self ? 1 : 0) }

  init(from reader: inout WireReader) throws(WireError) { self = try reader.word() != 0 }
}

extension Double: WireValue {
  func write(to writer: inout WireWriter) { writer.append(bitPattern) }

  init(from reader: inout WireReader) throws(WireError) { self = Double(bitPattern: try reader.word()) }
}

extension String: WireValue {
  func write(to writer: inout WireWriter) { writer.append(block: utf8) }

  init(from reader: inout WireReader) throws(WireError) {
    self = String(decoding: try reader.block(), as: UTF8.self)
  }
}

extension Optional: WireValue where Wrapped: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(self != nil)
    if let self { try writer.write(self) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self = try reader.read(Bool.self) ? try reader.read(Wrapped.self) : nil
  }
}

extension Array: WireValue where Element: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(count)
    for element in self { try writer.write(element) }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self = []
    for _ in 0..<(try reader.count()) { append(try reader.read()) }
  }
}

extension Dictionary: WireValue where Key: WireValue, Value: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    try writer.write(count)
    for (key, value) in self {
      try writer.write(key)
      try writer.write(value)
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    self = [:]
    for _ in 0..<(try reader.count()) { self[try reader.read(Key.self)] = try reader.read(Value.self) }
  }
}

/// Enums are written as their raw values.
extension WireValue where Self: RawRepresentable<String> {
  func write(to writer: inout WireWriter) throws(WireError) { try writer.write(rawValue) }

  init(from reader: inout WireReader) throws(WireError) {
    let text = try reader.read(String.self)
    guard let value = Self(rawValue: text) else { throw WireError(message: "'\(text)' isn't a \(Self.self)") }
    self = value
  }
}

extension ContentDigest: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) { try writer.write(hex) }

  init(from reader: inout WireReader) throws(WireError) {
    let text = try reader.read(String.self)
    guard let digest = ContentDigest(hex: text) else { throw WireError(message: "'\(text)' isn't a digest") }
    self = digest
  }
}

extension FilePlace: WireValue {
  func write(to writer: inout WireWriter) throws(WireError) {
    switch self {
    case .path(let path):
      writer.append(0)
      try writer.write(path)
    case .descriptor(let number):
      writer.append(1)
      writer.append(descriptor: number)
    case .unopened(let path, let error):
      writer.append(2)
      try writer.write(path)
      try writer.write(Int(error.code))
    }
  }

  init(from reader: inout WireReader) throws(WireError) {
    switch try reader.word() {
    case 0: self = .path(try reader.read())
    case 1: self = .descriptor(try reader.descriptor())
    case 2:
      let path = try reader.read(String.self)
      self = .unopened(path: path, SystemError(code: Int32(truncatingIfNeeded: try reader.read(Int.self))))
    default: throw WireError(message: "the frame has another kind of file")
    }
  }
}
