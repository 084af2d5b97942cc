import CVips

extension VipsImage {
  /// The names of all metadata fields, including the header's, in libvips' order (`vips_image_get_fields`).
  public var fields: [String] {
    guard let names = vips_image_get_fields(pointer) else { return [] }
    defer { g_strfreev(names) }
    var result: [String] = []
    var next = names
    while let name = next.pointee {
      result.append(String(cString: name))
      next += 1
    }
    return result
  }

  /// Whether the image has a metadata field.
  /// - Parameter name: The field's name, such as `exif-data`.
  public func hasField(_ name: String) -> Bool { vips_image_get_typeof(pointer, name) != 0 }

  /// An integer field.
  /// - Parameter name: The field's name, such as `n-pages`.
  /// - Returns: nil if the field doesn't exist or has another type.
  public func integer(_ name: String) -> Int? {
    var value: Int32 = 0
    guard hasField(name), vips_image_get_typeof(pointer, name) == cvips_type_int(),
      vips_image_get_int(pointer, name, &value) == 0
    else { return nil }
    return Int(value)
  }

  /// A field that is an array of integers.
  /// - Parameter name: The field's name, such as `delay`.
  /// - Returns: nil if the field doesn't exist or has another type.
  public func integers(_ name: String) -> [Int]? {
    var first: UnsafeMutablePointer<Int32>?
    var count: Int32 = 0
    guard hasField(name), vips_image_get_typeof(pointer, name) == vips_array_int_get_type(),
      vips_image_get_array_int(pointer, name, &first, &count) == 0, let first
    else { return nil }
    return UnsafeBufferPointer(start: first, count: Int(count)).map(Int.init)
  }

  /// A field that is a blob.
  /// - Parameter name: The field's name, such as `icc-profile-data`.
  /// - Returns: A copy of the bytes; nil if the field doesn't exist or has another type.
  public func bytes(_ name: String) -> [UInt8]? {
    var first: UnsafeRawPointer?
    var count = 0
    guard hasField(name), vips_image_get_typeof(pointer, name) == vips_blob_get_type(),
      vips_image_get_blob(pointer, name, &first, &count) == 0, let first
    else { return nil }
    return Array(UnsafeRawBufferPointer(start: first, count: count))
  }

  /// A field of any type as text.
  /// - Parameter name: The field's name, such as `exif-ifd0-Model`.
  /// - Returns: libvips' text for the value; nil if the field doesn't exist.
  public func text(_ name: String) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard hasField(name), vips_image_get_as_string(pointer, name, &text) == 0, let text else { return nil }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// A metadata field that is text; libvips' header fields, such as `filename`, are none.
  /// - Parameter name: The field's name, such as `exif-ifd0-Model`.
  /// - Returns: nil if the field doesn't exist or has another type.
  package func string(_ name: String) -> String? {
    var text: UnsafePointer<CChar>?
    guard hasField(name), vips_image_get_typeof(pointer, name) == vips_ref_string_get_type(),
      vips_image_get_string(pointer, name, &text) == 0, let text
    else { return nil }
    return String(cString: text)
  }

  /// The EXIF orientation, 1 to 8; 1 if the image has none.
  public var orientation: Int { Int(vips_image_get_orientation(pointer)) }

  /// The same pixels with edited metadata.
  /// - Parameter edit: Edits the metadata of the copy. Called once, before this method returns.
  /// - Throws: `VipsError` if copying the image's header fails.
  public func editingMetadata(_ edit: (borrowing MetadataEditor) -> Void) throws(VipsError) -> VipsImage {
    let copy = try copied()
    edit(MetadataEditor(pointer: copy.pointer))
    return copy
  }
}

/// Edits the metadata of a new image, before any other code can read it.
public struct MetadataEditor: ~Copyable {
  let pointer: UnsafeMutablePointer<CVips.VipsImage>

  /// Removes a field. A field that doesn't exist is ignored.
  /// - Parameter name: The field's name.
  public func remove(_ name: String) { vips_image_remove(pointer, name) }

  /// Sets an integer field (`gint`), clamped to 32 bits.
  /// - Parameters:
  ///   - name: The field's name. An existing field of any type is replaced.
  ///   - value: The field's value.
  public func set(_ name: String, _ value: Int) { vips_image_set_int(pointer, name, Int32(clamping: value)) }

  /// Sets a floating-point field (`gdouble`).
  /// - Parameters:
  ///   - name: The field's name. An existing field of any type is replaced.
  ///   - value: The field's value.
  public func set(_ name: String, _ value: Double) { vips_image_set_double(pointer, name, value) }

  /// Sets a field that is an array of integers, clamped to 32 bits.
  /// - Parameters:
  ///   - name: The field's name, such as `delay`. An existing field of any type is replaced.
  ///   - values: The field's value.
  public func set(_ name: String, _ values: [Int]) {
    vips_image_set_array_int(pointer, name, values.map { Int32(clamping: $0) }, Int32(values.count))
  }

  /// Sets a text field.
  /// - Parameters:
  ///   - name: The field's name. An existing field of any type is replaced.
  ///   - text: The field's value.
  public func set(_ name: String, _ text: String) { vips_image_set_string(pointer, name, text) }

  /// Sets a blob.
  /// - Parameters:
  ///   - name: The field's name, such as `icc-profile-data`. An existing field of any type is replaced.
  ///   - bytes: The field's value, which is copied.
  public func set(_ name: String, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { vips_image_set_blob_copy(pointer, name, $0.baseAddress, $0.count) }
  }
}
