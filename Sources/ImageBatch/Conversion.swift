public import ImageCaches
public import ImageDownloads
public import ImageFilters

/// One source to one output, in this process: `imagemill convert`, and a server that answers with one picture.
public struct Conversion: Sendable {
  /// Where the pixels come from.
  public var source: ImageSource
  /// The filters.
  public var chain: FilterChain
  /// The output's format and options.
  public var encoding: Encoding
  /// What the chain's SOURCE texts stand for.
  public var namedSources: [String: ImageSource]
  /// What the source may be.
  public var limits: RenderLimits
  /// What becomes of a corrupt or truncated source.
  public var onCorrupt: CorruptPolicy
  /// The path to write; nil: the bytes are handed back.
  public var destination: String?
  /// What the output may replace. A conversion keeps no record of its outputs: to ``ReplacementPolicy/keepsForeignFiles``
  /// every file is foreign.
  public var replacing = ReplacementPolicy()

  /// A conversion.
  public init(
    source: ImageSource, chain: FilterChain, encoding: Encoding, namedSources: [String: ImageSource] = [:],
    limits: RenderLimits = RenderLimits(), onCorrupt: CorruptPolicy = .fail, destination: String? = nil
  ) {
    self.source = source
    self.chain = chain
    self.encoding = encoding
    self.namedSources = namedSources
    self.limits = limits
    self.onCorrupt = onCorrupt
    self.destination = destination
  }

  /// What came of it.
  public struct Outcome: Sendable {
    /// The output's facts.
    public var image: RenderedFile
    /// The encoded bytes, if no destination was given.
    public var bytes: [UInt8]?
    /// What the user should know.
    public var warnings: [String]
    /// Whether nothing was written, because a file at the destination is to be kept.
    public var isKept = false
  }

  /// Downloads, renders and writes.
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
      throw JobError(code: "bad-output", stage: .manifest, message: error.message)
    }
    var output = Output(template: template, chain: chain, encoding: encoding)
    output.namedSources = namedSources
    job.outputs = [output]
    if let destination, !replacing.allowsSources {
      let sources = SourceFiles(store: store, records: false)
      sources.add([job])
      guard !sources.contains(destination) else { throw .overwritesSource(destination) }
    }
    let auxiliary = await AuxiliarySources(of: [job], downloader: downloader)
    return try await render(stored, auxiliary: try auxiliary.sources(of: output), store: store)
  }

  private func render(
    _ stored: StoredSource, auxiliary: [String: StoredSource], store: DiskStore
  ) async throws(JobError) -> Outcome {
    let file: TemporaryPath
    do throws(CacheError) { file = try store.makeTemporaryPath() } catch { throw JobError(error) }
    let source = try HeldSource(stored)
    var held = [source]
    var files: [String: AuxiliarySource] = [:]
    for (name, stored) in auxiliary {
      let image = try HeldSource(stored)
      held.append(image)
      files[name] = AuxiliarySource(path: image.path, digest: stored.digest)
    }
    let request = RenderRequest(
      sourceName: stored.displayText, sourcePath: source.path, sourceDigest: stored.digest, limits: limits,
      onCorrupt: onCorrupt, auxiliary: files,
      recipes: [RenderRecipe(id: 0, chain: chain, encoding: encoding, temporaryPath: file.path)],
      wantsPlaceholders: false, concurrency: 0)
    let response = await ThreadRendering().render { _ in request }
    for source in held { try source.check() }
    guard let result = response?.outputs.first?.result else { throw .cancelled }
    let image: RenderedFile
    switch result {
    case .success(let made): image = made
    case .failure(let error): throw error
    }
    var outcome = Outcome(image: image, bytes: nil, warnings: response?.warnings ?? [])
    do throws(AtomicFile.Failure) {
      if let destination {
        outcome.isKept = try !AtomicFile.copy(
          file.path, to: destination, replacing: !replacing.keepsForeignFiles)
      } else {
        outcome.bytes = try AtomicFile.read(file.path)
      }
    } catch {
      throw JobError(code: "write-failed", stage: .write, message: error.message)
    }
    return outcome
  }
}
