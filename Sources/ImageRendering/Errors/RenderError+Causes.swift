import Glibc
import ImageFilters
package import SystemIO
import Vips

extension RenderError {
  /// Creates an error from whatever a decoder, a filter or an encoder throws.
  /// - Parameters:
  ///   - stage: The step in which libvips failed. Filters and renderings name their own.
  ///   - code: The code of libvips' failures.
  init(_ error: any Error, stage: Stage, code: Code) {
    switch error {
    case let error as RenderError: self = error
    case let error as FilterError: self.init(error)
    case let error as VipsError where error.failedWrite != nil:
      self.init(code: .writeFailed, stage: .write, message: error.text)
    case let error as VipsError: self.init(code: code, stage: stage, message: error.description)
    default: self.init(code: code, stage: stage, message: "\(error)")
    }
  }

  /// Whether the error follows from the image's size or its frames, so that its pixels can't be the cause.
  var isAboutSize: Bool {
    if case .filterPixels? = reason { return true }
    return [.tooLargeForFormat, .noFrames].contains(code)
  }

  /// Whether an error's text is certainly about its own call. See ``VipsErrorLock``.
  static func isCertain(_ error: any Error) -> Bool {
    (error as? VipsError ?? (error as? FilterError)?.cause)?.isCertain ?? true
  }

  /// The error for a file of the rendering that can't be written.
  package static func unwritable(_ path: String, _ error: SystemError) -> RenderError {
    RenderError(code: .writeFailed, stage: .write, message: "can't write \(path): \(error.text)")
  }

  /// The error if libvips couldn't write a temporary file because the disk, a quota or a limit of file sizes is exhausted;
  /// nil for another failure. The images aren't the cause.
  /// - Parameter directory: The directory of temporary files.
  static func fullDisk(_ error: any Error, _ directory: String) -> RenderError? {
    guard let text = (error as? VipsError ?? (error as? FilterError)?.cause)?.text else { return nil }
    // libvips adds the system's text to its own.
    guard
      let error = [ENOSPC, EDQUOT, EFBIG].map(SystemError.init(code:)).first(where: { text.contains($0.text) }
      )
    else { return nil }
    let message = "can't write a temporary file in \(directory): \(error.text)"
    return error.code == EFBIG
      ? RenderError(code: .fileSize, stage: .write, message: message)
      : RenderError(code: .writeFailed, stage: .write, .noSpace(directory: directory), message: message)
  }

  /// The error for an output that can't be put in place.
  static func unwritable(_ failure: AtomicFile.Failure) -> RenderError {
    RenderError(code: .writeFailed, stage: .write, message: failure.message)
  }

  /// Loads libvips. A failure says nothing about any image, and must not be recorded as damage of one.
  /// - Throws: `RenderError` with code `unsupportedFormat`.
  static func startingLibrary() throws(RenderError) {
    do throws(VipsError) { try VipsRuntime.start() } catch {
      throw RenderError(code: .unsupportedFormat, stage: .decode, message: error.description)
    }
  }
}
