import Glibc
import ImageCaches
import ImageFilters
import SystemIO
import Vips

/// One request on its way: counts, warnings and results so far.
final class Rendering {
  private(set) var request: RenderRequest
  private(set) var counts = RenderCounts()
  private var warnings: [String] = []
  private var results: [Int: RenderedOutput.Result] = [:]
  private var isCertain = true
  /// Recipes whose format is their source's.
  private var following: Set<Int> = []
  /// Whether faults of the source are put up with.
  private var isLenient = false
  /// Whether another picture is used although it is damaged.
  private var usesDamage = false
  private let memory: RenditionMemory
  private var kept: [KeptRendition] = []
  /// Files that a rendition may be written into.
  private var files: [String]
  /// Where pixels are kept that are wanted more than once: in memory, or in a file beside the outputs' own.
  private let storage: PixelStorage
  private let auxiliary: AuxiliaryPictures
  private var facts: SourceFacts?
  private let log = VipsLog()

  init(_ request: RenderRequest, memory: RenditionMemory) {
    self.request = request
    self.memory = memory
    files = request.renditions.files
    storage = PixelStorage(
      memory: request.limits.memory,
      directory: DirectoryEntry(request.recipes.first?.temporaryPath ?? "").directory)
    auxiliary = AuxiliaryPictures(of: request, storage: storage)
  }

  func run() -> (response: RenderResponse, isCertain: Bool) {
    do {
      try VipsRuntime.start()
      try VipsRuntime.setConcurrency(request.concurrency)
      let file = try SourceFile(path: request.sourcePath, limits: request.limits)
      facts = file.facts
      followFormat(of: file)
      do {
        try WholeFile.check(request.sourcePath, file.format)
        try renderAll(of: file)
      } catch let error as JobError where error.stage == .decode && request.onCorrupt == .warn {
        warnings.append(DecodeFailure.warning(of: error))
        isLenient = true
        results = [:]
        try renderAll(of: file)
      }
    } catch {
      let failure = jobError(error, stage: .decode, code: .corrupt)
      for index in request.recipes.indices { results[index] = .failure(failure) }
    }
    // Of a damaged picture one sentence has been said, which its decoder's own words would only repeat.
    if !isLenient, !usesDamage {
      for message in log.messages where !warnings.contains(message) { warnings.append(message) }
    }
    counts.memoryHighWater = VipsRuntime.memoryHighWater
    let outputs = request.recipes.enumerated().map { index, recipe in
      RenderedOutput(
        id: recipe.id,
        result: results[index]
          ?? .failure(JobError(code: .notRendered, stage: .filter, message: "the output was not reached")))
    }
    var response = RenderResponse(outputs: outputs, source: facts, warnings: warnings, counts: counts)
    response.renditions = kept
    return (response, isCertain)
  }

  /// Gives recipes that are to be written as their source is that format, where it can be written.
  private func followFormat(of file: SourceFile) {
    for index in request.recipes.indices where request.recipes[index].encoding.followsSource {
      guard let encoding = request.recipes[index].encoding.following(file.format) else { continue }
      request.recipes[index].encoding = encoding
      following.insert(index)
    }
  }

  /// Checks a format that only the source has told; others were checked before the request was made.
  private func checkFormat(of index: Int, _ file: SourceFile) throws(JobError) {
    let recipe = request.recipes[index]
    guard !recipe.encoding.followsSource else {
      throw JobError(
        code: .unsupportedFormat, stage: .encode,
        message:
          "the source is \(file.format.rawValue), which can't be written: name a format instead of 'same'")
    }
    guard following.contains(index) else { return }
    do throws(EncodingError) {
      try recipe.encoding.check(recipe.chain)
    } catch {
      throw JobError(code: .unsupportedFormat, stage: .encode, message: error.message)
    }
  }

  /// Throws only what concerns the source itself.
  private func renderAll(of file: SourceFile) throws {
    let roots = RenderTree.roots(of: request) { index -> DecodeOptions? in
      do {
        try checkFormat(of: index, file)
        return try DecodeOptions(for: request.recipes[index], of: file.shape, within: request.limits)
      } catch let error as JobError where error.stage == .decode || error.stage == .encode {
        results[index] = .failure(error)
      } catch {
        results[index] = .failure(jobError(error, stage: .filter, code: .filterFailed))
      }
      return nil
    }
    for root in roots {
      let source = LazyPicture(consumers: root.node.consumers) { [self] in
        try shared(decode(root, of: file), by: root.node)
      }
      let shrunk = ShrunkFrame(
        extent: root.options.keepsOrientation ? file.shape.stored : file.shape.upright,
        scale: root.options.scale, isExact: file.loader.shrinking != .factor)
      do {
        try grow(root.node, from: source, shrunk: shrunk, file, root.options)
      } catch {
        try diagnose(error, file, root.options)
        let failure = jobError(error, stage: .filter, code: .filterFailed)
        for index in root.node.indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  /// The source, upright and in a colour space for filters. Its pixels stay in the file where they are wanted once.
  private func decode(_ root: RenderTree.Root<DecodeOptions>, of file: SourceFile) throws -> Intermediate {
    let options = root.options
    let streams =
      root.node.consumers == 1 && (options.keepsOrientation || file.shape.orientation == 1)
      && options.frames == 1
    counts.decodes += 1
    var image = try file.loader.open(
      file.path, sequential: true, failOn: isLenient ? "none" : file.loader.strictness,
      frames: options.frames, scale: options.scale)
    if !streams { image = try storage.keeping(image) }
    if !options.keepsOrientation { image = try image.upright() }
    if !options.keepsColourSpace || !image.isPlainColour { image = try image.inSRGB() }
    return streams ? Intermediate(image, from: .decoder) : Intermediate(image)
  }

  /// Encodes what ends here and filters on what goes on.
  private func grow(
    _ node: RenderTree.Node, from picture: LazyPicture, shrunk: ShrunkFrame?, _ file: SourceFile,
    _ options: DecodeOptions
  ) throws {
    for indices in node.endings {
      let ending = try picture.take()
      do {
        let result = try encode(ending.image, indices)
        for (index, file) in result { results[index] = .success(file) }
      } catch {
        try diagnose(error, file, options)
        let failure = jobError(error, stage: .encode, code: .encodeFailed)
        for index in indices { results[index] = .failure(failure) }
      }
    }
    for next in node.children {
      guard let first = next.indices.first else { continue }
      let filtered = LazyPicture(consumers: next.consumers) { [self] in
        try openPictures(request.recipes[first].chain, upTo: next.depth)
        return try rendition(next, from: picture) { start in
          counts.filterRuns += 1
          return try request.recipes[first].chain.applyStep(
            node.depth, to: start, shrunk: shrunk, context: context)
        }
      }
      do {
        try grow(next, from: filtered, shrunk: nil, file, options)
      } catch let error as JobError where error.stage == .decode && error.source == nil {
        throw error
      } catch {
        try diagnose(error, file, options)
        let failure = jobError(error, stage: .filter, code: .filterFailed)
        for index in next.indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  /// Writes equal recipes once, and the same bytes to each one's path.
  private func encode(_ rendition: VipsImage, _ indices: [Int]) throws -> [(Int, RenderedFile)] {
    guard let first = indices.first else { return [] }
    let path = request.recipes[first].temporaryPath
    var attempts = 0
    defer { counts.encodes += attempts }
    let choice = FormatChoice(
      encoding: request.recipes[first].encoding, path: path, keepsPixels: request.wantsPlaceholders,
      isGray: facts?.isGray == true && request.recipes[first].chain.keepsGray, storage: storage)
    let written = try choice.write(rendition, attempts: &attempts)
    let (image, encoder) = (written.image, written.encoder)
    let (bytes, digest) = try FileReading.digest(of: path)
    let file = RenderedFile(
      format: encoder.encoding.format, width: image.width, height: image.pageHeight,
      frames: try encoder.frameCount(of: image, at: path), bytes: bytes, digest: digest,
      quality: written.quality,
      placeholders: request.wantsPlaceholders ? try PlaceholderMaking(image).placeholders() : nil)
    for index in indices.dropFirst() {
      let copy = request.recipes[index].temporaryPath
      do throws(SystemError) { try File.copy(path, to: copy) } catch {
        throw JobError.unwritable(copy, error)
      }
    }
    counts.outputs += 1
    return indices.map { ($0, file) }
  }

  // MARK: What is at hand

  /// A node's picture: from memory, from the store, or made now; kept where several want it, or where it may be kept for
  /// later.
  private func rendition(
    _ node: RenderTree.Node, from picture: LazyPicture, filter: (Intermediate) throws -> Intermediate
  ) throws -> Intermediate {
    guard let key = node.key, !isLenient else { return try shared(filter(picture.take()), by: node) }
    if let image = found(key) {
      counts.renditionsReused += 1
      return Intermediate(image)
    }
    let start = try picture.take()
    let clock = ContinuousClock()
    let beginning = clock.now
    let made = try shared(filter(start), by: node)
    guard node.isCandidate, let path = files.last, made.image.pixelBytes <= request.limits.memory else {
      return made
    }
    let pixels = try made.kept(in: storage)
    let seconds = (clock.now - beginning) / .seconds(1)
    memory.keep(pixels.image, for: key)
    if let rendition = try keep(pixels.image, for: key, at: path, seconds: seconds) {
      kept.append(rendition)
      files.removeLast()
    }
    return pixels
  }

  /// A rendition that needn't be made.
  private func found(_ key: ContentDigest) -> VipsImage? {
    if let image = memory.image(key) { return image }
    guard let path = request.renditions.stored[key] else { return nil }
    do throws(VipsError) {
      return try RenditionFile.open(path)
    } catch {
      warnings.append("a stored rendition can't be read and is made again: \(error.description)")
      return nil
    }
  }

  private func shared(_ picture: Intermediate, by node: RenderTree.Node) throws -> Intermediate {
    node.consumers > 1 ? try picture.kept(in: storage) : picture
  }

  /// Writes a rendition for later, if that pays.
  private func keep(
    _ image: VipsImage, for key: ContentDigest, at path: String, seconds: Double
  ) throws -> KeptRendition? {
    let always = request.renditions.policy == .always
    guard always || memory.isWorthKeeping(seconds: seconds, bytes: image.pixelBytes) else { return nil }
    do {
      try RenditionFile.write(image, to: path)
    } catch {
      // The outputs don't need it: what is lost is time in a later run.
      warnings.append("a rendition can't be kept for later runs: \(error.description)")
      return nil
    }
    let clock = ContinuousClock()
    let start = clock.now
    let (bytes, digest) = try FileReading.digest(of: path)
    memory.learn(seconds: (clock.now - start) / .seconds(1), bytes: bytes)
    guard always || memory.isWorthKeeping(seconds: seconds, bytes: bytes) else { return nil }
    return KeptRendition(
      key: key, path: path, digest: digest, bytes: bytes, width: image.width, height: image.pageHeight,
      frames: image.pageCount, seconds: seconds)
  }

  // MARK: What goes wrong

  /// Where pixels fail to come, it is the decoder's or somebody else's fault: decoding the source alone says
  /// whose, and in words about nothing else.
  private func diagnose(
    _ failure: any Error, _ file: SourceFile, _ options: DecodeOptions
  ) throws(JobError) {
    note(failure)
    if let failure = failure as? JobError, failure.source != nil { return }
    do {
      let image = try file.loader.open(
        file.path, sequential: true, failOn: isLenient ? "none" : file.loader.strictness,
        frames: options.frames, scale: options.scale)
      _ = try image.measuring("max")
    } catch {
      note(error)
      throw DecodeFailure.error(error, file.format)
    }
  }

  private func note(_ error: any Error) {
    let cause = error as? VipsError ?? (error as? FilterError)?.cause
    if let cause, !cause.isCertain { isCertain = false }
  }

  private func jobError(_ error: any Error, stage: JobError.Stage, code: JobError.Code) -> JobError {
    switch error {
    case let error as JobError: return error
    case let error as FilterError: return JobError(error)
    case let error as VipsError: return JobError(code: code, stage: stage, message: error.description)
    default: return JobError(code: code, stage: stage, message: "\(error)")
    }
  }

  // MARK: Other pictures

  private var context: FilterContext {
    let auxiliary = auxiliary
    return FilterContext(maximumPixels: request.limits.maxPixels, storage: storage) {
      (reference: String) throws(FilterError) -> VipsImage in try auxiliary.picture(reference)
    }
  }

  /// Opens what the filters up to a depth name.
  private func openPictures(_ chain: FilterChain, upTo depth: Int) throws(JobError) {
    for warning in try auxiliary.open(chain.prefix(depth).references) where !warnings.contains(warning) {
      warnings.append(warning)
      usesDamage = true
    }
  }
}
