import ObjectStorage

extension ImageDownloader {
  /// The service for a source that is an object; nil for others, and without usable settings.
  func service(of source: ImageSource) -> ObjectService? {
    guard source.objectAddress != nil, let stores = configuration.objectStores else { return nil }
    // The lookup reports the mistake.
    return try? stores.service()
  }

  /// The error for a source that is no usable URL.
  func refusal(of text: String) -> DownloadError {
    guard ObjectAddress.isAddress(text) else {
      return .badSource(text, "this is not a URL of the form http://host/path")
    }
    do throws(ObjectAddress.Mistake) {
      _ = try ObjectAddress(parsing: text)
    } catch {
      return .badSource(text, error.message)
    }
    guard let stores = configuration.objectStores else {
      return .badSource(text, "there are no settings for S3 URLs")
    }
    do throws(ObjectStorageFailure) {
      _ = try stores.service()
    } catch {
      return DownloadError(.badSource, error.message, source: text)
    }
    return .badSource(text, "the endpoint and the bucket make no valid URL")
  }
}
