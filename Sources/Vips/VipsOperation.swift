import CVips

/// A libvips operation that has been built. It holds its inputs, and its outputs can be read.
///
///     let built = try VipsOperation("avg", ["in": .image(image)])
///     let mean = try built.double("out")
///
/// Operations are called by nickname, with arguments set as GObject properties, never through the variadic C functions.
/// Every argument is checked against the declarations of the installed libvips.
public final class VipsOperation {
  private let pointer: UnsafeMutablePointer<CVips.VipsOperation>
  private let nickname: String

  /// Builds the operation. An operation whose output isn't a lazy image also runs.
  /// - Parameters:
  ///   - nickname: libvips' name for the operation.
  ///   - arguments: The operation's arguments, which are set in order.
  /// - Throws: `VipsError` if libvips lacks the operation or an argument, or the operation fails.
  public convenience init(_ nickname: String, _ arguments: VipsArguments) throws(VipsError) {
    try self.init(nickname, arguments, object: nil)
  }

  /// Builds a loader that reads a source, or a saver that writes to a target.
  /// - Parameter object: The argument and its GObject; nil for an operation without one. The operation holds a reference to
  ///   it.
  init(
    _ nickname: String, _ arguments: VipsArguments, object: (name: String, value: UnsafeMutableRawPointer)?
  ) throws(VipsError) {
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
      if let object {
        try ObjectProperties(of: fresh, named: nickname).set(object.name, toObject: object.value)
      }
      // Bypass libvips' operation cache: although it is off, it would still print and hash every argument.
      try VipsErrorLock.capturingError(nickname) { () -> Void? in
        let status = UnsafeMutableRawPointer(fresh).withMemoryRebound(to: VipsObject.self, capacity: 1) {
          vips_object_build($0)
        }
        return status == 0 ? () : nil
      }
      self.nickname = nickname
      pointer = fresh
    } catch {
      // A failed build may leave partly built outputs.
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

  /// An image output, which the caller owns and which outlives this operation.
  /// - Parameter name: The output's name. Default: `out`.
  /// - Throws: `VipsError` if the operation has no such output, or left it empty.
  public func image(_ name: String = "out") throws(VipsError) -> VipsImage {
    var value = try get(name)
    defer { g_value_unset(&value) }
    guard let object = g_value_dup_object(&value) else { throw missing(name) }
    return VipsImage(consuming: object.assumingMemoryBound(to: CVips.VipsImage.self))
  }

  /// A floating-point output.
  /// - Parameter name: The output's name, whose declared type must be `gdouble`. Default: `out`.
  /// - Throws: `VipsError` if the operation has no such output.
  public func double(_ name: String = "out") throws(VipsError) -> Double {
    var value = try get(name)
    defer { g_value_unset(&value) }
    return g_value_get_double(&value)
  }

  /// An integer output.
  /// - Parameter name: The output's name, whose declared type must be `gint`. Default: `out`.
  /// - Throws: `VipsError` if the operation has no such output.
  public func integer(_ name: String = "out") throws(VipsError) -> Int {
    var value = try get(name)
    defer { g_value_unset(&value) }
    return Int(g_value_get_int(&value))
  }

  /// An output that is an array of numbers, such as `getpoint`'s `out-array`.
  /// - Parameter name: The output's name, whose declared type must be `VipsArrayDouble`.
  /// - Throws: `VipsError` if the operation has no such output, or left it empty.
  public func doubles(_ name: String) throws(VipsError) -> [Double] {
    var value = try get(name)
    defer { g_value_unset(&value) }
    var count: Int32 = 0
    guard let first = vips_value_get_array_double(&value, &count) else { throw missing(name) }
    return Array(UnsafeBufferPointer(start: first, count: Int(count)))
  }

  /// An output that is a blob, such as a saver's `buffer`.
  /// - Parameter name: The output's name, whose declared type must be `VipsBlob`.
  /// - Returns: A copy of the bytes.
  /// - Throws: `VipsError` if the operation has no such output, or left it empty.
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
    VipsError(operation: nickname, text: "the operation made no output '\(name)'")
  }
}

extension VipsOperation {
  /// Builds an operation and returns its image output `out`.
  static func image(_ nickname: String, _ arguments: VipsArguments) throws(VipsError) -> VipsImage {
    try VipsOperation(nickname, arguments).image()
  }
}
