import Glibc
import ImageCaches
import ImageFilters
import Vips

/// One request on its way: counts, warnings and results so far.
final class Rendering {
  let request: RenderRequest
  private(set) var counts = RenderCounts()
  private var warnings: [String] = []
  private var results: [Int: RenderedOutput.Result] = [:]
  private var isCertain = true
  /// Whether faults of the source are put up with.
  private var isLenient = false

  init(_ request: RenderRequest) { self.request = request }

  func run() -> (response: RenderResponse, isCertain: Bool) {
    var facts: SourceFacts?
    do {
      try VipsRuntime.start()
      try VipsRuntime.setConcurrency(request.concurrency)
      let file = try SourceFile(path: request.sourcePath, limits: request.limits)
      facts = file.facts
      do {
        try renderAll(of: file)
      } catch let error as JobError where error.stage == .decode && request.onCorrupt == .warn {
        warnings.append("\(error.message) What could be read was used.")
        isLenient = true
        results = [:]
        try renderAll(of: file)
      }
    } catch {
      let failure = jobError(error, stage: .decode, code: "corrupt")
      for index in request.recipes.indices { results[index] = .failure(failure) }
    }
    for message in VipsLog.drain() where !warnings.contains(message) { warnings.append(message) }
    counts.memoryHighWater = VipsRuntime.memoryHighWater
    let outputs = request.recipes.enumerated().map { index, recipe in
      RenderedOutput(
        id: recipe.id,
        result: results[index]
          ?? .failure(JobError(code: "not-rendered", stage: .filter, message: "the output was not reached")))
    }
    return (
      RenderResponse(outputs: outputs, source: facts, warnings: warnings, counts: counts), isCertain
    )
  }

  /// Throws only what concerns the source itself.
  private func renderAll(of file: SourceFile) throws {
    var groups: [DecodeOptions: [Int]] = [:]
    var order: [DecodeOptions] = []
    for (index, recipe) in request.recipes.enumerated() {
      do {
        let options = try DecodeOptions(for: recipe, of: file)
        if groups[options] == nil { order.append(options) }
        groups[options, default: []].append(index)
      } catch let error as JobError where error.stage == .decode {
        results[index] = .failure(error)
      } catch {
        results[index] = .failure(jobError(error, stage: .filter, code: "filter-failed"))
      }
    }
    for options in order {
      guard let indices = groups[options] else { continue }
      do {
        try render(indices, options, of: file)
      } catch {
        note(error)
        try diagnose(file, options)
        let failure = jobError(error, stage: .filter, code: "filter-failed")
        for index in indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  private func render(_ indices: [Int], _ options: DecodeOptions, of file: SourceFile) throws {
    let branch = Branch(request: request, indices: indices, depth: 0)
    let streams =
      branch.isSingleFile(request) && indices.allSatisfy { request.recipes[$0].chain.isSequential }
      && (options.keepsOrientation || file.orientation == 1) && options.frames == 1
    counts.decodes += 1
    var image = try file.loader.open(
      file.path, sequential: true, failOn: isLenient ? "none" : file.loader.strictness,
      frames: options.frames, scale: options.scale)
    if !streams {
      image =
        image.pixelBytes <= request.limits.memory
        ? try image.materialized()
        : try file.loader.open(
          file.path, sequential: false, failOn: isLenient ? "none" : file.loader.strictness,
          frames: options.frames, scale: options.scale)
    }
    if !options.keepsOrientation { image = try image.upright() }
    if !options.keepsColourSpace || !image.isPlainColour { image = try image.inSRGB() }
    let shrunk = ShrunkFrame(
      extent: options.keepsOrientation ? file.stored : file.upright, scale: options.scale,
      isExact: file.loader.shrinking != .factor)
    try grow(branch, from: image, shrunk: shrunk, file, options)
  }

  /// Encodes what ends here and filters on what goes on.
  private func grow(
    _ branch: Branch, from start: VipsImage, shrunk: ShrunkFrame?, _ file: SourceFile,
    _ options: DecodeOptions
  ) throws {
    var image = start
    if branch.consumers(request) > 1, image.pixelBytes <= request.limits.memory {
      image = try image.materialized()
    }
    for indices in branch.ending(request) {
      do {
        let result = try encode(image, indices)
        for (index, file) in result { results[index] = .success(file) }
      } catch {
        note(error)
        try diagnose(file, options)
        let failure = jobError(error, stage: .encode, code: "encode-failed")
        for index in indices { results[index] = .failure(failure) }
      }
    }
    for next in branch.growing(request) {
      guard let first = next.indices.first else { continue }
      do {
        counts.filterRuns += 1
        let filtered = try request.recipes[first].chain.applyStep(
          branch.depth, to: image, shrunk: shrunk, context: context(file))
        try grow(next, from: filtered, shrunk: nil, file, options)
      } catch let error as JobError where error.stage == .decode {
        throw error
      } catch {
        note(error)
        try diagnose(file, options)
        let failure = jobError(error, stage: .filter, code: "filter-failed")
        for index in next.indices where results[index] == nil { results[index] = .failure(failure) }
      }
    }
  }

  /// Writes equal recipes once, and the same bytes to each one's path.
  private func encode(_ rendition: VipsImage, _ indices: [Int]) throws -> [(Int, RenderedFile)] {
    guard let first = indices.first else { return [] }
    let encoder = try Encoder(request.recipes[first].encoding)
    var image = try encoder.prepared(rendition)
    if encoder.needsSeveralPasses || request.wantsPlaceholders { image = try image.materialized() }
    let path = request.recipes[first].temporaryPath
    var attempts = 0
    let search = SizeSearch(encoder: encoder, image: image, path: path)
    defer { counts.encodes += attempts }
    let quality: Int?
    do {
      quality = try search.run(attempts: &attempts)
    } catch {
      unlink(path)
      throw error
    }
    let (bytes, digest) = try FileReading.digest(of: path)
    let file = RenderedFile(
      format: encoder.encoding.format, width: image.width, height: image.pageHeight, frames: image.pageCount,
      bytes: bytes, digest: digest, quality: quality,
      placeholders: request.wantsPlaceholders ? try PlaceholderMaking(image).placeholders() : nil)
    for index in indices.dropFirst() {
      try FileCopying.copy(path, to: request.recipes[index].temporaryPath)
    }
    return indices.map { ($0, file) }
  }

  // MARK: What goes wrong

  /// Where pixels fail to come, it is the decoder's or somebody else's fault: decoding the source alone says
  /// whose, and in words about nothing else.
  private func diagnose(_ file: SourceFile, _ options: DecodeOptions) throws(JobError) {
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

  private func jobError(_ error: any Error, stage: JobError.Stage, code: String) -> JobError {
    switch error {
    case let error as JobError: return error
    case let error as FilterError:
      return JobError(code: error.code.rawValue, stage: .filter, message: error.message)
    case let error as VipsError: return JobError(code: code, stage: stage, message: error.description)
    default: return JobError(code: code, stage: stage, message: "\(error)")
    }
  }

  // MARK: Other pictures

  private func context(_ file: SourceFile) -> FilterContext {
    let auxiliary = request.auxiliary
    let limits = request.limits
    return FilterContext(maximumPixels: limits.maxPixels) {
      (reference: String) throws(FilterError) -> VipsImage in
      guard let source = auxiliary[reference] else { return try FilterContext.noSources(reference) }
      do {
        let file = try SourceFile(path: source.path, limits: limits)
        return try file.loader.open(source.path, sequential: false, failOn: file.loader.strictness)
          .preparedForFilters()
      } catch let error as FilterError {
        throw error
      } catch {
        throw FilterError(
          .failed, "'\(reference)' can't be used: \((error as? JobError)?.message ?? "\(error)")")
      }
    }
  }
}
