import CVips

/// A libvips operation that has been built: its inputs are held, its outputs can be taken.
///
///     let built = try VipsOperation("avg", ["in": .image(picture)])
///     let mean = try built.double("out")
///
/// Operations are called by nickname with the properties of libvips' objects, never through the variadic
/// C functions. Every argument is checked against what the installed libvips declares.
public final class VipsOperation {
  private let pointer: UnsafeMutablePointer<CVips.VipsOperation>
  private let nickname: String

  /// Builds and, where it has no image to leave lazy, runs the operation.
  /// - Throws: `VipsError` where libvips lacks the operation or an argument, or the operation fails.
  public init(_ nickname: String, _ arguments: VipsArguments) throws(VipsError) {
    try VipsRuntime.start()
    guard let fresh = vips_operation_new(nickname) else {
      vips_error_clear()
      throw VipsError(
        operation: nickname,
        text: "libvips \(VipsRuntime.version) was built without the operation \(nickname)")
    }
    do {
      for (name, value) in arguments.values {
        try ObjectProperties(of: fresh, named: nickname).set(name, to: value)
      }
      // Not by way of libvips' cache of operations, which is switched off: it would print and hash every argument first.
      try ErrorGate.pass(nickname) { () -> Void? in
        let status = UnsafeMutableRawPointer(fresh).withMemoryRebound(to: VipsObject.self, capacity: 1) {
          vips_object_build($0)
        }
        return status == 0 ? () : nil
      }
      self.nickname = nickname
      pointer = fresh
    } catch {
      // A build that failed leaves outputs that may be half made.
      UnsafeMutableRawPointer(fresh).withMemoryRebound(to: VipsObject.self, capacity: 1) {
        vips_object_unref_outputs($0)
      }
      g_object_unref(fresh)
      throw error
    }
  }

  deinit {
    UnsafeMutableRawPointer(pointer).withMemoryRebound(to: VipsObject.self, capacity: 1) {
      vips_object_unref_outputs($0)
    }
    g_object_unref(pointer)
  }

  /// An output image.
  public func image(_ name: String = "out") throws(VipsError) -> VipsImage {
    var value = try get(name)
    defer { g_value_unset(&value) }
    guard let object = g_value_dup_object(&value) else { throw missing(name) }
    return VipsImage(consuming: object.assumingMemoryBound(to: CVips.VipsImage.self))
  }

  /// An output number.
  public func double(_ name: String = "out") throws(VipsError) -> Double {
    var value = try get(name)
    defer { g_value_unset(&value) }
    return g_value_get_double(&value)
  }

  /// An output whole number.
  public func integer(_ name: String = "out") throws(VipsError) -> Int {
    var value = try get(name)
    defer { g_value_unset(&value) }
    return Int(g_value_get_int(&value))
  }

  /// An output list of numbers.
  public func doubles(_ name: String) throws(VipsError) -> [Double] {
    var value = try get(name)
    defer { g_value_unset(&value) }
    var count: Int32 = 0
    guard let first = vips_value_get_array_double(&value, &count) else { throw missing(name) }
    return Array(UnsafeBufferPointer(start: first, count: Int(count)))
  }

  /// Output bytes.
  public func bytes(_ name: String) throws(VipsError) -> [UInt8] {
    var value = try get(name)
    defer { g_value_unset(&value) }
    var count = 0
    guard let blob = g_value_get_boxed(&value),
      let data = vips_blob_get(blob.assumingMemoryBound(to: VipsBlob.self), &count)
    else { throw missing(name) }
    return Array(UnsafeRawBufferPointer(start: data, count: count))
  }

  private func get(_ name: String) throws(VipsError) -> GValue {
    try ObjectProperties(of: pointer, named: nickname).get(name)
  }

  private func missing(_ name: String) -> VipsError {
    VipsError(operation: nickname, text: "no output '\(name)' was made")
  }
}

extension VipsOperation {
  /// Runs an operation whose result is one image, `out`.
  static func image(_ nickname: String, _ arguments: VipsArguments) throws(VipsError) -> VipsImage {
    try VipsOperation(nickname, arguments).image()
  }
}
