package import ImageBatch
package import ImageDownloads

/// A manifest that has been read whole and found right.
package struct Manifest: Sendable {
  /// Its jobs, in their order, with indices from 1, but for those of rows. Every job has at least one source and one
  /// output.
  package var jobs: [Job]
  /// The jobs that rows stand for. Their indices have their place among the others'.
  package var rows: [RowJobs] = []
  /// `output-dir`, joined to the manifest's directory; nil where the manifest doesn't say.
  package var outputDirectory: String?
  /// Settings for single origins.
  package var origins: [ManifestOrigin]
  /// `sources`: named sources, for overlays and masks.
  package var namedSources: [String: ImageSource]
}

/// Settings for what is fetched from one origin, and from no other.
package struct ManifestOrigin: Sendable, Hashable {
  /// `scheme://host` with the port where it isn't the scheme's own, in lower case.
  package var origin: String
  /// Request headers, in the manifest's order. Their values may be secrets.
  package var headers: [Header]
  /// `NAME:PASSWORD` for basic authentication. A secret.
  package var user: String?
  /// The greatest number of downloads at once; at least 1.
  package var maxActive: Int?

  /// A request header.
  package struct Header: Sendable, Hashable {
    /// A token of RFC 9110.
    package var name: String
    /// A field value of RFC 9110.
    package var value: String
  }
}
