import ImageBatch
import Testing

@testable import Manifests

/// Reads manifests from texts.
enum ManifestFixture {
  static func options(_ change: (inout ManifestOptions) -> Void = { _ in }) -> ManifestOptions {
    var options = ManifestOptions()
    options.directory = ""
    options.hints.outside = ", or allow it"
    options.hints.variable = ": allow {}"
    change(&options)
    return options
  }

  static func read(
    _ text: String, form: ManifestReader.Form = .yaml, _ options: ManifestOptions = ManifestFixture.options()
  ) throws(ManifestErrors) -> Manifest {
    try ManifestReader(options).read(Array(text.utf8), name: "images.\(form.rawValue)", form: form)
  }

  /// What the reader says about a wrong manifest; empty where it finds nothing wrong.
  static func complaints(
    _ text: String, form: ManifestReader.Form = .yaml, _ options: ManifestOptions = ManifestFixture.options()
  ) -> String {
    do {
      _ = try read(text, form: form, options)
      return ""
    } catch {
      return error.description
    }
  }
}
