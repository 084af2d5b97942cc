import ImageFilters
import SystemIO
import Synchronization
import Vips

/// The auxiliary images (overlays, masks) that a request's chains name, each decoded once.
///
/// They are opened before the filters run, so that an error names the auxiliary image instead of the job's source.
final class AuxiliaryImages: Sendable {
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

  /// Decodes each of `references` once. References that name no image are ignored; their filters report them.
  /// - Returns: Warnings about damaged images that are used anyway.
  /// - Throws: `RenderError` whose source is the auxiliary image's name.
  func open(_ references: [String]) throws(RenderError) -> [String] {
    var warnings: [String] = []
    for reference in references {
      guard let source = sources[reference], opened.withLock({ $0[reference] == nil }) else { continue }
      let name = source.name.isEmpty ? reference : source.name
      do throws(RenderError) {
        let format = try open(reference, source.place, isLenient: false)
        if let warning = try WholeFile.warning(source.place, format) {
          warnings.append("\(name): \(warning)")
        }
      } catch {
        guard onCorrupt == .warn, error.isDamage else { throw error.concerning(name) }
        do throws(RenderError) {
          _ = try open(reference, source.place, isLenient: true)
        } catch {
          throw error.afterLeniency.concerning(name)
        }
        warnings.append("\(name): \(DecodeFailure.warning(of: error))")
      }
    }
    return warnings
  }

  /// The decoded image of a reference.
  /// - Throws: `FilterError` if ``open(_:)`` didn't open it.
  func image(_ reference: String) throws(FilterError) -> VipsImage {
    if let image = opened.withLock({ $0[reference] }) { return image }
    return try FilterContext.noSources(reference)
  }

  private func open(
    _ reference: String, _ place: FilePlace, isLenient: Bool
  ) throws(RenderError) -> ImageFormat {
    let file = try SourceFile(place, limits: limits)
    let log = VipsLog()
    if !isLenient { try WholeFile.check(place, file.format) }
    do {
      let image = try file.open(
        sequential: true, failOn: isLenient ? "none" : file.loader.strictness)
      // Rotation reads out of order, and a sequential decoder can't seek back.
      let readable = file.shape.orientation == 1 ? image : try storage.keeping(image)
      let prepared = try storage.keeping(readable.preparedForFilters())
      if !isLenient, let error = log.tileError { throw error }
      opened.withLock { $0[reference] = prepared }
      return file.format
    } catch let error as VipsError {
      throw DecodeFailure.error(error, file.format)
    } catch let error as FilterError {
      throw error.cause.map { DecodeFailure.error($0, file.format) }
        ?? RenderError(error, stage: .decode)
    } catch {
      throw RenderError(code: .corrupt, stage: .decode, message: "can't open the image: \(error)")
    }
  }
}

extension RenderError {
  /// Whether the file is damaged but a lenient decoder may still read part of it.
  var isDamage: Bool { stage == .decode && [.truncated, .corrupt].contains(code) }

  /// The same error, of a decoder that was lenient already.
  var afterLeniency: RenderError {
    var error = self
    if isDamage, reason == nil { error.reason = .nothingDecoded }
    return error
  }

  /// The same error with `name` as its source.
  func concerning(_ name: String) -> RenderError {
    var error = self
    error.source = name
    return error
  }
}
