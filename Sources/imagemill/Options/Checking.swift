import ArgumentParser

extension ParsableArguments {
  /// Checks values while the command line is parsed. A wrong setting is then reported at the place that sets it, also by
  /// `validate` and `doctor`, which start nothing.
  /// - Throws: `ValidationError` with the message of the `CommandError` that `check` throws.
  static func validating(_ check: () throws -> Void) throws {
    do {
      try check()
    } catch let error as CommandError {
      throw ValidationError(error.message)
    }
  }
}
