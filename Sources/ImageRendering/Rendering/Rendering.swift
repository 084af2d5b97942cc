import Glibc
import ImageCaches
import ImageFilters
import SystemIO
import Vips

/// The execution of one request.
final class Rendering {
  var request: RenderRequest
  private(set) var counts = RenderCounts()
  private var warnings: [String] = []
  private var results: [Int: RenderedOutput.Result] = [:]
  private var isCertain = true
  /// Indices of recipes that are written in the source's format.
  var following: Set<Int> = []
  /// Whether decoding ignores errors of the source.
  private var isLenient = false
  private var format: ImageFormat?
  /// The tiles of auxiliary images that couldn't be decoded.
  private var auxiliaryTileErrors = 0
  /// Whether a damaged auxiliary image is used.
  private var usesDamage = false
  private let memory: RenditionMemoryCache
  private var kept: [KeptRendition] = []
  /// Paths that renditions may be written to.
  private var files: [String]
  /// Keeps pixels that are read more than once, in memory or in a file beside the outputs.
  private let storage: PixelStorage
  /// The directory of the outputs and of other temporary files.
  private let directory: String
  private let auxiliary: AuxiliaryImages
  private var facts: SourceFacts?
  private let log = VipsLog()
  private var allocations = AllocationWatch()

  init(_ request: RenderRequest, memory: RenditionMemoryCache) {
    self.request = request
    self.memory = memory
    files = request.renditions.files
    directory = DirectoryEntry(request.recipes.first?.temporaryPath ?? "").directory
    storage = PixelStorage(memory: request.limits.memory, directory: directory)
    auxiliary = AuxiliaryImages(of: request, storage: storage)
  }

  func run() -> (response: RenderResponse, isCertain: Bool) {
    do {
      try RenderError.startingLibrary()
      try VipsRuntime.useConcurrency(request.concurrency)
      let file = try SourceFile(request.source, limits: request.limits)
      facts = file.facts
      format = file.format
      followFormat(of: file)
      do {
        try WholeFile.check(request.source, file.format)
        let warning = try WholeFile.warning(request.source, file.format)
        try renderAll(of: file)
        try checkTiles()
        if let warning { warnings.append(warning) }
      } catch let error as RenderError
        where error.stage == .decode && request.onCorrupt == .warn && !allocations.isFailing
      {
        warnings.append(DecodeFailure.warning(of: error))
        isLenient = true
        results = [:]
        kept = []
        try renderAll(of: file)
      }
    } catch {
      var failure = RenderError(error, stage: .decode, code: .corrupt)
      if failure.isDamage, allocations.isFailing { failure = .outOfMemory(.decode) }
      for index in request.recipes.indices { results[index] = .failure(failure) }
    }
    // A damaged image already has a warning, which the decoder's log would only repeat.
    if !isLenient, !usesDamage {
      for message in log.messages where !warnings.contains(message) { warnings.append(message) }
    }
    counts.memoryHighWater = VipsRuntime.memoryHighWater
    let outputs = request.recipes.enumerated().map { index, recipe in
      var result =
        results[index]
        ?? .failure(RenderError(code: .notRendered, stage: .filter, message: "the output wasn't rendered"))
      if request.onCorrupt == .warn, case .failure(let error) = result {
        result = .failure(error.afterLeniency)
      }
      return RenderedOutput(id: recipe.id, result: result)
    }
    var response = RenderResponse(outputs: outputs, source: facts, warnings: warnings, counts: counts)
    response.renditions = kept
    return (response, isCertain)
  }

  /// - Throws: The error of a tile that couldn't be decoded, which libvips may not have reported.
  private func checkTiles() throws(RenderError) {
    guard !isLenient, log.tileErrorCount > auxiliaryTileErrors, let format, let error = log.tileError else {
      return
    }
    note(error)
    kept = []
    throw DecodeFailure.error(error, format)
  }

  /// - Throws: Errors of the source. Errors of a recipe go to `results`.
  private func renderAll(of file: SourceFile) throws {
    let roots = RenderTree.roots(of: request) { index -> DecodeOptions? in
      do {
        try checkFormat(of: index, file)
        return try DecodeOptions(for: request.recipes[index], of: file.shape, within: request.limits)
      } catch let error as RenderError where error.stage == .decode || error.stage == .encode {
        results[index] = .failure(error)
      } catch {
        results[index] = .failure(RenderError(error, stage: .filter, code: .filterFailed))
      }
      return nil
    }
    for root in roots {
      let source = LazyImage(consumers: root.node.consumers) { [self] in
        try shared(decode(root, of: file), by: root.node)
      }
      do {
        try grow(
          root.node, from: source, shrunk: file.shrinkOnLoad(root.options), file, root.options)
      } catch {
        let failure = try failure(error, .filter, .filterFailed, of: file, root.options)
        for index in root.node.indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  /// The damage that the decoder doesn't accept.
  private func strictness(of file: SourceFile) -> String { isLenient ? "none" : file.loader.strictness }

  /// Opens the source. One with a single consumer streams from its file.
  private func decode(_ root: RenderTree.Root<DecodeOptions>, of file: SourceFile) throws -> Intermediate {
    counts.decodes += 1
    return try file.decoded(
      root.options, isReadOnce: root.node.consumers == 1, failOn: strictness(of: file), storage: storage
    ).roundingResolution()
  }

  /// Encodes the recipes that end at `node` and applies the next filter for each child.
  private func grow(
    _ node: RenderTree.Node, from input: LazyImage, shrunk: ShrinkOnLoad?, _ file: SourceFile,
    _ options: DecodeOptions
  ) throws {
    for indices in node.endings {
      let ending = try input.take()
      do {
        let result = try encode(ending.image, indices)
        for (index, file) in result { results[index] = .success(file) }
      } catch {
        let failure = try failure(error, .encode, .encodeFailed, of: file, options)
        for index in indices { results[index] = .failure(failure) }
      }
    }
    for next in node.children {
      guard let first = next.indices.first else { continue }
      let filtered = LazyImage(consumers: next.consumers) { [self] in
        try openImages(request.recipes[first].chain, upTo: next.depth)
        return try rendition(next, from: input) { start in
          counts.filterRuns += 1
          return try request.recipes[first].chain.applyStep(
            node.depth, to: start, shrunk: shrunk, context: context
          ).roundingResolution()
        }
      }
      do {
        try grow(next, from: filtered, shrunk: nil, file, options)
      } catch let error as RenderError where error.stage == .decode && error.source == nil {
        throw error
      } catch {
        let failure = try failure(error, .filter, .filterFailed, of: file, options)
        for index in next.indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  /// Encodes equal recipes once and copies the file to each one's path.
  private func encode(_ rendition: VipsImage, _ indices: [Int]) throws -> [(Int, RenderedFile)] {
    guard let first = indices.first else { return [] }
    let path = request.recipes[first].temporaryPath
    var attempts = 0
    defer { counts.encodes += attempts }
    let choice = FormatChoice(
      encoding: request.recipes[first].encoding, path: path, keepsPixels: request.wantsPlaceholders,
      isGray: facts?.isGray == true && request.recipes[first].chain.keepsGray, storage: storage)
    let written = try allocations.encoding(to: path) { try choice.write(rendition, attempts: &attempts) }
    let (image, encoder) = (written.image, written.encoder)
    let (bytes, digest) = try FileReading.digest(of: path)
    let file = RenderedFile(
      format: encoder.encoding.format, width: image.width, height: image.pageHeight,
      frames: try encoder.frameCount(of: image, at: path), bytes: bytes, digest: digest,
      quality: written.quality,
      placeholders: request.wantsPlaceholders ? try PlaceholderMaker(image).placeholders() : nil)
    for index in indices.dropFirst() {
      let copy = request.recipes[index].temporaryPath
      do throws(SystemError) { try File.copy(path, to: copy) } catch {
        throw RenderError.unwritable(copy, error)
      }
    }
    try allocations.check(.encode)
    counts.outputs += 1
    return indices.map { ($0, file) }
  }

  // MARK: Renditions

  /// A node's image: from memory, from the store, or rendered now. It is materialized if it is shared or may be kept
  /// for later runs.
  private func rendition(
    _ node: RenderTree.Node, from input: LazyImage, filter: (Intermediate) throws -> Intermediate
  ) throws -> Intermediate {
    guard let key = node.key, !isLenient else { return try shared(filter(input.take()), by: node) }
    if let image = found(key) {
      counts.renditionsReused += 1
      return Intermediate(image)
    }
    let start = try input.take()
    let clock = ContinuousClock()
    let beginning = clock.now
    let made = try shared(filter(start), by: node)
    guard node.isCandidate, let path = files.last, made.image.pixelBytes <= request.limits.memory else {
      return made
    }
    let pixels = try made.kept(in: storage)
    try checkTiles()
    try allocations.check(.filter)
    let seconds = (clock.now - beginning) / .seconds(1)
    memory.keep(pixels.image, for: key)
    if let rendition = try keep(pixels.image, for: key, at: path, seconds: seconds) {
      kept.append(rendition)
      files.removeLast()
    }
    return pixels
  }

  /// A rendition from memory or the store.
  private func found(_ key: ContentDigest) -> VipsImage? {
    if let image = memory.image(key) { return image }
    guard let path = request.renditions.stored[key] else { return nil }
    do throws(VipsError) {
      return try RenditionFile.open(path)
    } catch {
      warnings.append("can't read a cached rendition, so it is rendered again: \(error.description)")
      return nil
    }
  }

  private func shared(_ input: Intermediate, by node: RenderTree.Node) throws -> Intermediate {
    node.consumers > 1 ? try input.kept(in: storage) : input
  }

  /// Writes a rendition for later runs if the policy keeps it.
  private func keep(
    _ image: VipsImage, for key: ContentDigest, at path: String, seconds: Double
  ) throws -> KeptRendition? {
    let always = request.renditions.policy == .always
    guard always || memory.isWorthKeeping(seconds: seconds, bytes: image.pixelBytes) else { return nil }
    do {
      try RenditionFile.write(image, to: path)
    } catch {
      // The outputs don't need the file; only a later run loses time.
      warnings.append("can't cache a rendition for later runs: \(error.description)")
      return nil
    }
    let clock = ContinuousClock()
    let start = clock.now
    let (bytes, digest) = try FileReading.digest(of: path)
    memory.learn(seconds: (clock.now - start) / .seconds(1), bytes: bytes)
    guard always || memory.isWorthKeeping(seconds: seconds, bytes: bytes) else { return nil }
    return KeptRendition(
      key: key, path: path, digest: digest, bytes: bytes, seconds: seconds)
  }

  // MARK: Errors

  /// The failure of a filter or an encoder.
  /// - Throws: The source's error if the source caused it.
  private func failure(
    _ error: any Error, _ stage: RenderError.Stage, _ code: RenderError.Code, of file: SourceFile,
    _ options: DecodeOptions
  ) throws(RenderError) -> RenderError {
    if let full = RenderError.fullDisk(error, directory) { return full }
    let made = RenderError(error, stage: stage, code: code)
    // The source isn't decoded again for a file that couldn't be written, or without memory.
    guard made.stage != .write, made.code != .outOfMemory else { return made }
    if allocations.isFailing { return .outOfMemory(stage) }
    guard !made.isAboutSize else { return made }
    try diagnose(error, file, options)
    return made
  }

  /// Decodes the source alone to find out whether it caused a failure. libvips evaluates lazily, so that a decoder's
  /// error surfaces in a filter or encoder.
  /// - Throws: The source's error if it can't be decoded.
  private func diagnose(
    _ failure: any Error, _ file: SourceFile, _ options: DecodeOptions
  ) throws(RenderError) {
    note(failure)
    if let failure = failure as? RenderError, failure.source != nil { return }
    do {
      let image = try file.open(
        sequential: true, failOn: strictness(of: file), frames: options.frames, scale: options.scale)
      _ = try image.measuring("max")
    } catch {
      note(error)
      throw DecodeFailure.error(error, file.format)
    }
  }

  private func note(_ error: any Error) {
    if !RenderError.isCertain(error) { isCertain = false }
  }

  // MARK: Auxiliary images

  private var context: FilterContext {
    let auxiliary = auxiliary
    return FilterContext(maximumPixels: request.limits.maxPixels, storage: storage) {
      (reference: String) throws(FilterError) -> VipsImage in try auxiliary.image(reference)
    }
  }

  /// Opens the images that the chain's first `depth` filters refer to.
  private func openImages(_ chain: FilterChain, upTo depth: Int) throws(RenderError) {
    let earlier = log.tileErrorCount
    defer {
      let count = log.tileErrorCount - earlier
      auxiliaryTileErrors += count
      // They may be another image's.
      if count > 0 { isCertain = false }
    }
    for warning in try auxiliary.open(chain.prefix(depth).references) where !warnings.contains(warning) {
      warnings.append(warning)
      usesDamage = true
    }
  }
}
