public import ImageBatch
public import ImageDownloads

/// A manifest that has been read whole and found right.
public struct Manifest: Sendable {
  /// Its jobs, in their order, with indices from 1, but for those of rows. Every job has at least one source and one
  /// output.
  public var jobs: [Job]
  /// The jobs that rows stand for. Their indices have their place among the others'.
  public var rows: [RowJobs] = []
  /// `output-dir`, joined to the manifest's directory; nil where the manifest doesn't say.
  public var outputDirectory: String?
  /// Settings for single origins.
  public var origins: [ManifestOrigin]
  /// `sources`: named sources, for overlays and masks.
  public var namedSources: [String: ImageSource]
}

/// Settings for what is fetched from one origin, and from no other.
public struct ManifestOrigin: Sendable, Hashable {
  /// `scheme://host` with the port where it isn't the scheme's own, in lower case.
  public var origin: String
  /// Request headers, in the manifest's order. Their values may be secrets.
  public var headers: [Header]
  /// `NAME:PASSWORD` for basic authentication. A secret.
  public var user: String?
  /// The greatest number of downloads at once; at least 1.
  public var maxActive: Int?

  /// A request header.
  public struct Header: Sendable, Hashable {
    /// A token of RFC 9110.
    public var name: String
    /// A field value of RFC 9110.
    public var value: String
  }
}
