import Synchronization

/// The service that `s3:` addresses name. Its settings are read at the first use, so that a mistake in AWS's files fails
/// only what needs them.
package final class ObjectStores: Sendable {
  private let load: @Sendable () -> Result<ObjectService, ObjectStorageFailure>
  private let loaded = Mutex<Result<ObjectService, ObjectStorageFailure>?>(nil)

  /// The service of settings.
  package init(_ settings: ObjectStorageSettings) {
    load = { Result { () throws(ObjectStorageFailure) in try settings.service() } }
  }

  /// A known service.
  package init(_ service: ObjectService) {
    load = { .success(service) }
  }

  /// The service.
  /// - Throws: `ObjectStorageFailure` if its settings are wrong.
  package func service() throws(ObjectStorageFailure) -> ObjectService {
    try loaded.withLock { loaded in
      let result = loaded ?? load()
      loaded = result
      return result
    }.get()
  }
}
