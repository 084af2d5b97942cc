public import ImageCaches
public import ImageDownloads
public import ImageFilters

/// One source with all its outputs: the unit that is scheduled, reported and retried.
public struct Job: Sendable, Hashable {
  /// Its position among the batch's jobs, from 1.
  public var index: Int
  /// Where the pixels come from; tried in order until one succeeds. Never empty.
  public var sources: [ImageSource]
  /// The SHA-256 that the source must have.
  public var pinnedDigest: ContentDigest?
  /// What is used, and reported, when every source fails.
  public var placeholder: ImageSource?
  /// Higher goes first among pending downloads.
  public var priority: Int = 0
  /// Whether ``sources`` are versions of rising quality, each of which is published when it is there, instead of
  /// alternatives (`publish: progressive`).
  public var isProgressive = false
  /// What is made of it. Never empty, but for jobs that only fetch.
  public var outputs: [Output]
  /// What its outputs' relative paths start from, where that isn't the batch's own directory.
  public var outputDirectory: String?
  /// Where the manifest, or the table that it takes rows from, says so.
  public var location: ManifestLocation?
  /// The path of the manifest, where `location` is in another file: a row of a table that the manifest names.
  public var manifest: String?
  /// The value of `{dir}`: the source's directory, relative to where its sources are found. nil: as far as the
  /// source's own path says (``ImageSource/directories``).
  public var sourceDirectory: String?
  /// The input record's own fields, in their order, carried through to results (`pipe`).
  public var fields: [Field] = []

  /// A job.
  public init(index: Int, sources: [ImageSource], outputs: [Output]) {
    self.index = index
    self.sources = sources
    self.outputs = outputs
  }

  /// A name and a text of the input record.
  public struct Field: Sendable, Hashable {
    /// The column's or key's name.
    public var name: String
    /// Its value as JSON text (`"ada"`, `3`, `null`).
    public var json: String

    /// A field.
    public init(name: String, json: String) {
      self.name = name
      self.json = json
    }
  }
}

/// A rendition encoded in a format and written to a destination.
public struct Output: Sendable, Hashable {
  /// Names its file.
  public var template: OutputTemplate
  /// The filters, with named chains already put in.
  public var chain: FilterChain
  /// The format and its options.
  public var encoding: Encoding
  /// The template's own values: the job's variables, its record's fields, this output's row of the matrix.
  public var variables: [String: String]
  /// What the chain's SOURCE texts (overlays, masks) stand for; a text that isn't a key is itself a path or URL.
  public var namedSources: [String: ImageSource] = [:]
  /// What `--emit` says of it; nil where there is nothing to say.
  public var markup: Markup?
  /// Where the manifest says so.
  public var location: ManifestLocation?

  /// An output.
  public init(
    template: OutputTemplate, chain: FilterChain, encoding: Encoding, variables: [String: String] = [:]
  ) {
    self.template = template
    self.chain = chain
    self.encoding = encoding
    self.variables = variables
  }
}

/// A place in a manifest.
public struct ManifestLocation: Sendable, Hashable, Codable {
  /// The manifest's path as it was given; `-` is standard input.
  public var file: String
  /// From 1.
  public var line: Int
  /// From 1, in characters.
  public var column: Int

  /// A place.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }
}
