public import struct FoundationEssentials.URL
public import ImageCaches
public import ImageDownloads
public import ImageFilters
import SystemIO
public import ImageRendering

/// Converts one source to one output, in this process or a worker process, for `imagemill convert` or a server's response.
public struct Conversion: Sendable {
  /// The image to convert: a URL, a file, a `data:` URL or standard input.
  public var source: ImageSource
  /// The filters to apply, in order; may be empty.
  public var chain: FilterChain
  /// The output's format and encoder options.
  public var encoding: Encoding
  /// The sources of the chain's SOURCE references, by name. Any other reference is a path or URL.
  public var namedSources: [String: ImageSource]
  /// Limits that are checked against the source's header.
  public var limits: RenderLimits
  /// Whether a corrupt or truncated source fails.
  public var onCorrupt: CorruptPolicy
  /// Where the image is rendered: on a thread of this process, or in a worker process with limits. Default: a thread.
  public var rendering = RenderingMode.threads(1)
  /// The path of ``destination``.
  package var destinationPath: String?
  /// The path to write; if nil, ``Outcome/bytes`` has the result. Default: nil.
  public var destination: URL? {
    get { destinationPath.map { URL(filePath: $0) } }
    set { destinationPath = newValue?.path(percentEncoded: false) }
  }
  /// Which files the output may replace. A conversion doesn't record its outputs, so that
  /// ``ReplacementPolicy/keepsForeignFiles`` keeps every existing file.
  public var replacing = ReplacementPolicy()
  /// Whether the output is synced to disk before ``run(downloader:store:)`` returns.
  public var durability = Durability.fast
  /// The template of the path to write, which overrides ``destination``. Default: nil.
  public var template: OutputTemplate?

  /// Creates a conversion.
  /// - Parameters:
  ///   - source: The image to convert.
  ///   - chain: The filters to apply, in order.
  ///   - encoding: The output's format and encoder options.
  ///   - namedSources: The sources of the chain's SOURCE references, by name. Default: none.
  ///   - limits: Limits that are checked against the source's header.
  ///   - onCorrupt: Whether a corrupt or truncated source fails. Default: `fail`.
  ///   - destination: The path to write; nil to return the bytes. Default: nil.
  public init(
    source: ImageSource, chain: FilterChain, encoding: Encoding, namedSources: [String: ImageSource] = [:],
    limits: RenderLimits = RenderLimits(), onCorrupt: CorruptPolicy = .fail, destination: URL? = nil
  ) {
    self.source = source
    self.chain = chain
    self.encoding = encoding
    self.namedSources = namedSources
    self.limits = limits
    self.onCorrupt = onCorrupt
    self.destination = destination
  }

  /// The result of a conversion: a file or its bytes.
  public struct Outcome: Sendable {
    /// The output's format, size and digest.
    public var image: RenderedFile
    /// The path of the output; nil if there is no destination.
    package var path: String?
    /// The file that was written or kept, if there is a destination.
    public var file: URL? { path.map { URL(filePath: $0) } }
    /// The encoded bytes; nil if there is a destination.
    public var bytes: [UInt8]?
    /// Problems that didn't fail the conversion.
    public var warnings: [String]
    /// Whether nothing was written because the policy keeps the existing file.
    public var isKept = false
  }

  /// Downloads, renders and writes. The output is written completely or not at all.
  /// - Parameters:
  ///   - downloader: Downloads the source and the images that the chain refers to.
  ///   - store: The disk store, whose `tmp/` has the output until it is written.
  /// - Returns: The output and its warnings.
  /// - Throws: `JobError` of the stage that failed: `overwrites-source` if the destination is a source,
  ///   otherwise the code of the download, the rendering or the writing.
  public func run(downloader: ImageDownloader, store: DiskStore) async throws(JobError) -> Outcome {
    let stored: StoredSource
    do throws(DownloadError) {
      stored = try await downloader.download(ImageRequest(source))
    } catch {
      throw JobError(error)
    }
    var job = Job(index: 1, sources: [source], outputs: [])
    let template: OutputTemplate
    do throws(TemplateError) {
      template = try OutputTemplate(parsing: "convert")
    } catch {
      throw JobError(code: .badOutput, stage: .manifest, message: error.message)
    }
    var output = JobOutput(template: template, chain: chain, encoding: encoding)
    output.namedSources = namedSources
    job.outputs = [output]
    if let destinationPath { try refuseSource(destinationPath, of: job, store: store) }
    let auxiliary = await AuxiliarySources(downloading: AuxiliarySources.wanted(by: [job]), with: downloader)
    return try await render(job, stored, auxiliary: try auxiliary.sources(of: output), store: store)
  }

  private func render(
    _ job: Job, _ stored: StoredSource, auxiliary: [String: StoredSource], store: DiskStore
  ) async throws(JobError) -> Outcome {
    let file: TemporaryPath
    do throws(CacheError) { file = try store.makeTemporaryPath() } catch { throw JobError(error) }
    let held = try await Self.blocking { () throws(JobError) in
      try HeldSources(stored, auxiliary: auxiliary)
    }
    let request = RenderRequest(
      sourceName: stored.displayText, source: held.place, sourceDigest: stored.digest, limits: limits,
      onCorrupt: onCorrupt, auxiliary: held.auxiliary,
      recipes: [RenderRecipe(id: 0, chain: chain, encoding: encoding, temporaryPath: file.path)],
      wantsPlaceholders: false, concurrency: Machine.availableProcessors)
    let service = rendering.makeService()
    let response = await service.render { request }
    await service.stop()
    try await Self.blocking { () throws(JobError) in try held.check() }
    guard let result = response?.outputs.first?.result else { throw .cancelled }
    let image: RenderedFile
    switch result {
    case .success(let made): image = made
    case .failure(let error): throw JobError(error)
    }
    let path = try path(of: image, job, stored)
    let warnings = response?.warnings ?? []
    return try await Self.blocking { () throws(JobError) in
      if onCorrupt == .fail { for source in [stored] + auxiliary.values { source.confirmEnd() } }
      var outcome = Outcome(image: image, path: path, bytes: nil, warnings: warnings)
      if let path { try prepare(path, for: job, store: store) }
      do throws(AtomicFile.Failure) {
        if let path {
          outcome.isKept = try !AtomicFile.copy(
            file.path, to: path,
            options: .init(replaces: !replacing.keepsForeignFiles, syncs: durability == .safe))
        } else {
          outcome.bytes = try AtomicFile.read(file.path)
        }
      } catch {
        throw JobError(code: .writeFailed, stage: .write, message: error.message)
      }
      Self.record(job, in: store)
      return outcome
    }
  }

  /// Records the sources, which may be outputs of a run that must not be removed with `--prune`.
  private static func record(_ job: Job, in store: DiskStore) {
    guard !store.isEphemeral else { return }
    let sources = SourceFiles(store: store)
    sources.add([job])
    sources.flush()
  }

  /// The threads of all conversions of this process, for files.
  private static let threads = BlockingThreadPool(label: "conversion", threads: 4)

  /// Runs a call that blocks, and not on Swift's cooperative pool.
  private static func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () throws(JobError) -> Value
  ) async throws(JobError) -> Value {
    let result: Result<Value, JobError> = await threads.run {
      Result { () throws(JobError) in try body() }
    }
    return try result.get()
  }

  /// The path to write; nil if there is no destination.
  private func path(
    of image: RenderedFile, _ job: Job, _ stored: StoredSource
  ) throws(JobError) -> String? {
    guard let template, let output = job.outputs.first else { return destinationPath }
    var values = OutputTemplate.Values(job, output)
    values.learn(image)
    values.sourceDigest = stored.digest
    guard let path = template.expanded(values, variables: [:]) else {
      throw JobError(
        code: .badOutput, stage: .write, message: "'\(template.text)' has an undefined field")
    }
    return path
  }

  /// Creates missing directories and checks that no source is overwritten.
  private func prepare(_ path: String, for job: Job, store: DiskStore) throws(JobError) {
    try refuseSource(path, of: job, store: store)
    _ = try OutputDirectory(root: "", allowsOutside: true).open(path)
  }

  private func refuseSource(_ path: String, of job: Job, store: DiskStore) throws(JobError) {
    guard !replacing.allowsSources else { return }
    let sources = SourceFiles(store: store, records: false)
    sources.add([job])
    guard !sources.contains(path) else { throw .overwritesSource(path) }
  }
}
