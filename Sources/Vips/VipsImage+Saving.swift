import CVips
import CVipsLibrary
import Glibc
import SystemIO

extension VipsImage {
  /// Computes all pixels and encodes them to a file with one of libvips' savers.
  ///
  /// A write that fails always fails the call. Codecs may forget one: after it, libtiff completes a file with a hole.
  /// - Parameters:
  ///   - saver: The saver's nickname without its destination, such as `tiffsave`.
  ///   - path: The path of the file, which is created or replaced. After a failure its content is undefined.
  ///   - arguments: The saver's other arguments. Default: none.
  /// - Throws: `VipsError`, whose `failedWrite` tells whether the file is the cause.
  package func save(
    _ saver: String, to path: String, _ arguments: VipsArguments = [:]
  ) throws(VipsError) {
    try VipsRuntime.start()
    let target = try VipsErrorLock.capturingError(saver) { cvips_file_target_new(path) }
    // The file is closed with the last reference: with this one, unless libvips still holds another.
    defer { g_object_unref(target) }
    func failure() -> VipsError? {
      let code = cvips_file_target_failure(target)
      guard code != 0 else { return nil }
      var error = VipsError(
        operation: saver, text: "can't write \(path): \(SystemError(code: code).text)", isCertain: true)
      error.failedWrite = code
      return error
    }
    let arguments: VipsArguments = (["in": .image(self)] as VipsArguments).merging(arguments)
    do throws(VipsError) {
      _ = try VipsOperation(saver + "_target", arguments, object: ("target", target))
    } catch {
      throw failure() ?? error
    }
    if let failure = failure() { throw failure }
  }
}
