import CVips
import Testing

@testable import Vips

/// Properties of operations that aren't built. Apart from the tests: libvips' own types have the names of ours.
enum PropertySetting {
  /// What setting one property of a new operation fails with; nil where it doesn't.
  static func failure(_ nickname: String, _ name: String, _ value: VipsValue) -> VipsError? {
    do {
      try VipsRuntime.start()
      let operation = try #require(vips_operation_new(nickname))
      defer { g_object_unref(operation) }
      try ObjectProperties(of: operation, named: nickname).set(name, to: value)
      return nil
    } catch {
      return error as? VipsError
    }
  }
}
