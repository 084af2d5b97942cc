import CVips

/// Sets and reads a GObject's properties by name, with the types that its class declares.
struct ObjectProperties {
  private let object: UnsafeMutablePointer<GObject>
  private let owner: String

  /// Creates an accessor for the GObject at `pointer`. `owner` names it in errors.
  init(of pointer: UnsafeMutableRawPointer, named owner: String) {
    object = pointer.assumingMemoryBound(to: GObject.self)
    self.owner = owner
  }

  /// Sets a property, converting the value to the property's type.
  /// - Throws: `VipsError` if the property doesn't exist, or the value has the wrong type or is out of range.
  func set(_ name: String, to newValue: VipsValue) throws(VipsError) {
    let specification = try specification(of: name)
    var value = GValue()
    g_value_init(&value, specification.pointee.value_type)
    defer { g_value_unset(&value) }
    guard try fill(&value, with: newValue) else {
      throw complaint(
        "the argument '\(name)' has the type \(String(cString: g_type_name(specification.pointee.value_type))), "
          + "which doesn't accept \(newValue)")
    }
    // Validation clamps a value that is out of range and returns true if it did.
    guard g_param_value_validate(specification, &value) == 0 else {
      throw complaint("the argument '\(name)' doesn't accept \(newValue), which is out of range")
    }
    g_object_set_property(object, name, &value)
  }

  /// Sets a property that is a GObject, which the owner holds a reference to.
  /// - Throws: `VipsError` if the property doesn't exist or isn't an object.
  func set(_ name: String, toObject newValue: UnsafeMutableRawPointer) throws(VipsError) {
    let type = try specification(of: name).pointee.value_type
    var value = GValue()
    g_value_init(&value, type)
    defer { g_value_unset(&value) }
    guard g_type_check_value_holds(&value, g_object_get_type()) != 0 else {
      throw complaint(
        "the argument '\(name)' has the type \(String(cString: g_type_name(type))), not an object")
    }
    g_value_set_object(&value, newValue)
    g_object_set_property(object, name, &value)
  }

  /// A property's value. The caller must unset it (`g_value_unset`).
  func get(_ name: String) throws(VipsError) -> GValue {
    var value = GValue()
    g_value_init(&value, try specification(of: name).pointee.value_type)
    g_object_get_property(object, name, &value)
    return value
  }

  private func specification(of name: String) throws(VipsError) -> UnsafeMutablePointer<GParamSpec> {
    guard let type = object.pointee.g_type_instance.g_class,
      let specification = g_object_class_find_property(
        UnsafeMutableRawPointer(type).assumingMemoryBound(to: GObjectClass.self), name)
    else { throw complaint("libvips \(VipsRuntime.version) has no argument '\(name)'") }
    return specification
  }

  private func complaint(_ text: String) -> VipsError { VipsError(operation: owner, text: text) }

  /// Stores `newValue` in `value`, whose type is already set. Returns false if it doesn't fit the type.
  private func fill(_ value: inout GValue, with newValue: VipsValue) throws(VipsError) -> Bool {
    let type = value.g_type
    let fundamental = g_type_fundamental(type)
    switch newValue {
    case .boolean(let flag) where type == cvips_type_boolean():
      g_value_set_boolean(&value, flag ? 1 : 0)
    case .integer(let number) where type == cvips_type_int():
      guard let number = Int32(exactly: number) else { return false }
      g_value_set_int(&value, number)
    case .integer(let number) where type == cvips_type_double():
      g_value_set_double(&value, Double(number))
    case .integer(let number) where fundamental == cvips_type_flags():
      guard let number = UInt32(exactly: number) else { return false }
      g_value_set_flags(&value, number)
    case .double(let number) where type == cvips_type_double():
      g_value_set_double(&value, number)
    case .string(let text) where type == cvips_type_string():
      g_value_set_string(&value, text)
    case .string(let nick) where fundamental == cvips_type_enum(),
      .nick(let nick) where fundamental == cvips_type_enum():
      let number = vips_enum_from_nick(owner, type, nick)
      guard number >= 0 else {
        vips_error_clear()
        throw complaint(
          "libvips \(VipsRuntime.version) has no \(String(cString: g_type_name(type))) '\(nick)'")
      }
      g_value_set_enum(&value, number)
    case .doubles(let numbers) where type == vips_array_double_get_type():
      vips_value_set_array_double(&value, numbers, Int32(numbers.count))
    case .integers(let numbers) where type == vips_array_double_get_type():
      vips_value_set_array_double(&value, numbers.map(Double.init), Int32(numbers.count))
    case .integers(let numbers) where type == vips_array_int_get_type():
      vips_value_set_array_int(&value, numbers.map { Int32(clamping: $0) }, Int32(numbers.count))
    case .image(let image) where type == vips_image_get_type():
      g_value_set_object(&value, image.pointer)
    case .images(let images) where type == vips_array_image_get_type():
      vips_value_set_array_image(&value, Int32(images.count))
      guard let slots = vips_value_get_array_image(&value, nil) else { return false }
      for (index, image) in images.enumerated() {
        g_object_ref(image.pointer)
        slots[index] = image.pointer
      }
    case .interpolator(let nick) where type == vips_interpolate_get_type():
      guard let interpolator = vips_interpolate_new(nick) else {
        vips_error_clear()
        throw complaint("libvips \(VipsRuntime.version) has no interpolator '\(nick)'")
      }
      g_value_set_object(&value, interpolator)
      g_object_unref(interpolator)
    case .bytes(let bytes) where type == vips_blob_get_type():
      guard let blob = bytes.withUnsafeBytes({ vips_blob_copy($0.baseAddress, $0.count) }) else {
        return false
      }
      g_value_set_boxed(&value, blob)
      vips_area_unref(UnsafeMutableRawPointer(blob).assumingMemoryBound(to: VipsArea.self))
    default:
      return false
    }
    return true
  }
}
