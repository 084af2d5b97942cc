import Glibc

/// Creates files and directories under random names (mkdtemp(3), mkstemps(3)). The caller removes them.
package enum TemporaryName {
  /// Creates a directory that only its owner can enter.
  /// - Parameter prefix: The path up to the six random characters.
  /// - Returns: The directory's path.
  package static func makeDirectory(_ prefix: String) throws(SystemError) -> String {
    try fill(prefix, suffix: "") { mkdtemp($0) == nil ? nil : () }.path
  }

  /// Creates an empty file that only its owner can read and write.
  /// - Parameters:
  ///   - prefix: The path up to the six random characters.
  ///   - suffix: The rest of the name.
  /// - Returns: The file's path and a descriptor, which the caller closes.
  package static func makeFile(
    _ prefix: String, suffix: String = ""
  ) throws(SystemError) -> (path: String, descriptor: Int32) {
    let made = try fill(prefix, suffix: suffix) { template in
      let descriptor = mkstemps(template, Int32(suffix.utf8.count))
      return descriptor < 0 ? nil : descriptor
    }
    return (made.path, made.value)
  }

  private static func fill<Value>(
    _ prefix: String, suffix: String, _ create: (UnsafeMutablePointer<CChar>) -> Value?
  ) throws(SystemError) -> (path: String, value: Value) {
    var template = Array("\(prefix)XXXXXX\(suffix)".utf8CString)
    let made: Value? = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap(create) }
    guard let made else { throw .last }
    return (String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self), made)
  }
}
