public import ImageCaches
public import ImageDownloads
public import ImageFilters
public import ImageRendering

/// A source and its outputs: the unit that is scheduled, reported and retried.
///
/// In a file that imports this library, the name hides the deprecated `Job` of Swift's concurrency library; executors use
/// `ExecutorJob`.
public struct Job: Sendable, Hashable {
  /// The position among the batch's jobs, from 1; 0 until ``Batch/results(of:)`` numbers the job.
  public var index: Int
  /// The source and its alternatives, tried in order until one succeeds. Never empty.
  public var sources: [ImageSource]
  /// The SHA-256 that the source must have; nil for any. Default: nil.
  public var pinnedDigest: ContentDigest?
  /// The source that is used, with a warning, if all ``sources`` fail.
  public var placeholder: ImageSource?
  /// The priority among pending downloads; higher goes first. Default: 0.
  public var priority: Int = 0
  /// Whether ``sources`` are versions of increasing quality, each published as it arrives (`publish: progressive`).
  public var isProgressive = false
  /// The outputs. Empty only for jobs that just download.
  public var outputs: [JobOutput]
  /// The directory that output paths are relative to; nil for the batch's. Default: nil.
  package var outputDirectory: String?
  /// The location in the manifest or in a table that it takes rows from; nil for jobs without one.
  public var location: ManifestLocation?
  /// The manifest's path if ``location`` is in a table that the manifest names.
  public var manifest: String?
  /// The value of `{dir}`: the source's directory relative to its ``SourceRoot``; nil for
  /// `ImageSource.directories`. Default: nil.
  public var sourceDirectory: String?
  /// The outputs of other jobs that are sources of this one (``JobDependencies``).
  package var needs: [OutputReference] = []
  /// The positions of this job's outputs that are sources of others (``JobDependencies``).
  package var neededOutputs: Set<Int> = []
  /// The number of jobs that have to end one after the other before this one can start.
  package var level = 0
  /// The fields of the input record, in order, which results repeat (`pipe`).
  public var fields: [Field] = []

  /// Creates a job. Its other properties have their defaults.
  /// - Parameters:
  ///   - index: The position among the batch's jobs, from 1.
  ///   - sources: The source and its alternatives; at least one.
  ///   - outputs: The outputs; empty only for a job that just downloads.
  public init(index: Int, sources: [ImageSource], outputs: [JobOutput]) {
    self.index = index
    self.sources = sources
    self.outputs = outputs
  }

  /// A field of an input record.
  public struct Field: Sendable, Hashable {
    /// The name of the column or key.
    public var name: String
    /// The value as JSON text (`"ada"`, `3`, `null`).
    public var json: String

    /// Creates a field.
    /// - Parameters:
    ///   - name: The name of the column or key.
    ///   - json: The value as JSON text, which isn't checked.
    public init(name: String, json: String) {
      self.name = name
      self.json = json
    }
  }
}

/// An output of a job: filters, encoding and path.
public struct JobOutput: Sendable, Hashable {
  /// The template of the file's path.
  public var template: OutputTemplate
  /// The filters to apply, with named chains expanded.
  public var chain: FilterChain
  /// The format and every encoder option.
  public var encoding: Encoding
  /// The template's variables: the job's variables, its record's fields, and this output's row of the matrix.
  public var variables: [String: String]
  /// The sources of the chain's SOURCE references (overlays, masks). Any other reference is a path or URL.
  public var namedSources: [String: ImageSource] = [:]
  /// HTML settings for `--emit`; nil if there are none.
  public var markup: Markup?
  /// The location in the manifest; nil for outputs without one.
  public var location: ManifestLocation?
  /// The chain as its manifest or command line has it, with named chains and fields unresolved; nil if it isn't known.
  package var chainText: String?
  /// The error of arguments that don't fit together; nil if there is none.
  var problem: JobError?

  /// Creates an output.
  /// - Parameters:
  ///   - template: The template of the file's path.
  ///   - chain: The filters to apply, with named chains expanded.
  ///   - encoding: The format and encoder options.
  ///   - variables: The template's variables by name. Default: none.
  public init(
    template: OutputTemplate, chain: FilterChain, encoding: Encoding, variables: [String: String] = [:]
  ) {
    self.template = template
    self.chain = chain
    self.encoding = encoding
    self.variables = variables
  }
}

/// A location in a manifest, a table or a list.
public struct ManifestLocation: Sendable, Hashable, Codable {
  /// The manifest's path as given; `-` is standard input.
  public var file: String
  /// The line number, from 1.
  public var line: Int
  /// The column in characters, from 1.
  public var column: Int

  /// Creates a location.
  /// - Parameters:
  ///   - file: The manifest's path as given; `-` is standard input.
  ///   - line: The line, from 1.
  ///   - column: The column in characters, from 1.
  public init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// `images.yaml:4:5`, as compilers write it.
  public var text: String { "\(file):\(line):\(column)" }
}
