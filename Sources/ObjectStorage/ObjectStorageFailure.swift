/// A mistake in the settings of object storage, in words without secrets.
package struct ObjectStorageFailure: Error, Hashable, Sendable {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}
