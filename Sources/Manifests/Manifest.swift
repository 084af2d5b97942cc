package import ImageBatch
package import ImageDownloads

/// A valid manifest, read to its end.
package struct Manifest: Sendable {
  /// The jobs, in order, without those of rows. Each has at least one source and one output. Indices start from 1.
  package var jobs: [Job]
  /// The jobs of rows. Indices follow the order of the manifest, across `jobs` and `rows`.
  package var rows: [RowJobs] = []
  /// `output-dir`, joined to the manifest's directory; nil if it isn't set.
  package var outputDirectory: String?
  /// Settings for single origins.
  package var origins: [ManifestOrigin]
  /// `sources`: named sources, for overlays and masks.
  package var namedSources: [String: ImageSource]
  /// `settings`: options of the run.
  package var settings: [ManifestSetting] = []
}

/// Settings for requests to a single origin.
package struct ManifestOrigin: Sendable, Hashable {
  /// `scheme://host` in lower case, with the port if it isn't the scheme's default.
  package var origin: String
  /// Request headers, in the manifest's order. The values may be secrets.
  package var headers: [Header]
  /// `NAME:PASSWORD` for basic authentication. A secret.
  package var user: String?
  /// The maximum number of concurrent downloads, at least 1; nil for the default.
  package var maxActive: Int?

  /// A request header.
  package struct Header: Sendable, Hashable {
    /// A token of RFC 9110.
    package var name: String
    /// A field value of RFC 9110.
    package var value: String
  }
}
