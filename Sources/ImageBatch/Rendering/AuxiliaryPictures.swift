import ImageFilters
import Synchronization
import Vips

/// The pictures that a request's chains name, each decoded once.
///
/// They are opened before the filters that name them run: what is wrong with one is told in its own name.
final class AuxiliaryPictures: Sendable {
  private let sources: [String: AuxiliarySource]
  private let limits: RenderLimits
  private let onCorrupt: CorruptPolicy
  private let storage: PixelStorage
  private let opened = Mutex<[String: VipsImage]>([:])

  init(of request: RenderRequest, storage: PixelStorage) {
    sources = request.auxiliary
    limits = request.limits
    onCorrupt = request.onCorrupt
    self.storage = storage
  }

  /// Decodes those of `references` that haven't been; a text that stands for no picture is left to its filter.
  /// - Returns: What was wrong with pictures that are used all the same.
  /// - Throws: `JobError` with the picture's own name as its source.
  func open(_ references: [String]) throws(JobError) -> [String] {
    var warnings: [String] = []
    for reference in references {
      guard let source = sources[reference], opened.withLock({ $0[reference] == nil }) else { continue }
      let name = source.name.isEmpty ? reference : source.name
      do throws(JobError) {
        try open(reference, source.path, isLenient: false)
      } catch {
        guard onCorrupt == .warn, error.isDamage else { throw error.concerning(name) }
        do throws(JobError) {
          try open(reference, source.path, isLenient: true)
        } catch {
          throw error.concerning(name)
        }
        warnings.append("\(name): \(DecodeFailure.warning(of: error))")
      }
    }
    return warnings
  }

  /// A picture that has been opened.
  func picture(_ reference: String) throws(FilterError) -> VipsImage {
    if let image = opened.withLock({ $0[reference] }) { return image }
    return try FilterContext.noSources(reference)
  }

  private func open(_ reference: String, _ path: String, isLenient: Bool) throws(JobError) {
    let file = try SourceFile(path: path, limits: limits)
    if !isLenient { try WholeFile.check(path, file.format) }
    do {
      let image = try file.loader.open(
        path, sequential: true, failOn: isLenient ? "none" : file.loader.strictness)
      // Turning reads in an order that a decoder hasn't got.
      let readable = file.shape.orientation == 1 ? image : try storage.keeping(image)
      let picture = try storage.keeping(readable.preparedForFilters())
      opened.withLock { $0[reference] = picture }
    } catch let error as VipsError {
      throw DecodeFailure.error(error, file.format)
    } catch let error as FilterError {
      throw error.cause.map { DecodeFailure.error($0, file.format) }
        ?? JobError(error, stage: .decode)
    } catch {
      throw JobError(code: .corrupt, stage: .decode, message: "the picture can't be opened: \(error)")
    }
  }
}

extension JobError {
  /// Whether it is about a file that is damaged, of which something may be read all the same.
  var isDamage: Bool { stage == .decode && [.truncated, .corrupt].contains(code) }

  /// The same failure, of another source than the job's own.
  func concerning(_ name: String) -> JobError {
    var error = self
    error.source = name
    return error
  }
}
