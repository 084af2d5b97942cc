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
  /// How a corrupt or truncated source is treated.
  public var onCorrupt: CorruptPolicy
  /// The path to write; nil: the bytes are handed back.
  public var destination: String?
  /// What the output may replace. A conversion keeps no record of its outputs: to ``ReplacementPolicy/keepsForeignFiles``
  /// every file is foreign.
  public var replacing = ReplacementPolicy()
  /// Names the path to write, in place of ``destination``: its fields are filled in when the output is known.
  public var template: OutputTemplate?

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
    /// The path that was written.
    public var path: String?
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
      throw JobError(code: .badOutput, stage: .manifest, message: error.message)
    }
    var output = Output(template: template, chain: chain, encoding: encoding)
    output.namedSources = namedSources
    job.outputs = [output]
    if let destination { try refuseSource(destination, of: job, store: store) }
    let auxiliary = await AuxiliarySources(downloading: AuxiliarySources.wanted(by: [job]), with: downloader)
    return try await render(job, stored, auxiliary: try auxiliary.sources(of: output), store: store)
  }

  private func render(
    _ job: Job, _ stored: StoredSource, auxiliary: [String: StoredSource], store: DiskStore
  ) async throws(JobError) -> Outcome {
    let file: TemporaryPath
    do throws(CacheError) { file = try store.makeTemporaryPath() } catch { throw JobError(error) }
    let source = try HeldSource(stored)
    var held = [source]
    var files: [String: AuxiliarySource] = [:]
    for (name, stored) in auxiliary {
      let image = try HeldSource(stored)
      held.append(image)
      files[name] = AuxiliarySource(path: image.path, digest: stored.digest, name: stored.displayText)
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
    let path = try path(of: image, job, stored)
    if let path { try prepare(path, for: job, store: store) }
    var outcome = Outcome(image: image, path: path, bytes: nil, warnings: response?.warnings ?? [])
    do throws(AtomicFile.Failure) {
      if let path {
        outcome.isKept = try !AtomicFile.copy(
          file.path, to: path, replacing: !replacing.keepsForeignFiles)
      } else {
        outcome.bytes = try AtomicFile.read(file.path)
      }
    } catch {
      throw JobError(code: .writeFailed, stage: .write, message: error.message)
    }
    return outcome
  }

  /// Where the output goes; nil: nowhere.
  private func path(
    of image: RenderedFile, _ job: Job, _ stored: StoredSource
  ) throws(JobError) -> String? {
    guard let template, let output = job.outputs.first else { return destination }
    var values = OutputTemplate.Values(job, output)
    values.format = image.format
    values.sourceDigest = stored.digest
    values.rendered = (image.width, image.height, image.digest)
    guard let path = template.expanded(values, variables: [:]) else {
      throw JobError(
        code: .badOutput, stage: .write, message: "'\(template.text)' has a field that nothing defines")
    }
    return path
  }

  /// Makes the directories that are missing; no source is written over.
  private func prepare(_ path: String, for job: Job, store: DiskStore) throws(JobError) {
    try refuseSource(path, of: job, store: store)
    try OutputDirectory(root: "", allowsOutside: true).prepare(path)
  }

  private func refuseSource(_ path: String, of job: Job, store: DiskStore) throws(JobError) {
    guard !replacing.allowsSources else { return }
    let sources = SourceFiles(store: store, records: false)
    sources.add([job])
    guard !sources.contains(path) else { throw .overwritesSource(path) }
  }
}
