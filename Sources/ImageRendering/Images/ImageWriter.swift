import Glibc
import ImageFilters
import SystemIO
import Vips

/// Encodes an image to a file in a temporary directory, which is removed afterwards.
struct ImageWriter {
  let encoding: Encoding

  /// Encodes the image and calls `body` with the file's path, which is valid only during the call.
  /// - Throws: `RenderError` if the format can't hold the image or the file can't be written, or the error of
  ///   `body`.
  func withFile<Value>(
    of image: VipsImage, _ body: (String) throws(RenderError) -> Value
  ) throws(RenderError) -> Value {
    guard !encoding.followsSource else {
      throw RenderError(
        code: .badEncoding, stage: .encode,
        message: "this image has no source; choose a format other than 'same'")
    }
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let path = directory.path + "/image"
    try encode(image, to: path)
    return try body(path)
  }

  private func encode(_ image: VipsImage, to path: String) throws(RenderError) {
    let first = attempt(image, path)
    guard let failure = first else { return }
    if failure.isCertain { throw failure.error }
    // libvips' error buffer is shared by all threads. See ``Renderer/render(_:)``.
    if let failure = VipsErrorLock.exclusive({ attempt(image, path) }) { throw failure.error }
  }

  private func attempt(_ image: VipsImage, _ path: String) -> (error: RenderError, isCertain: Bool)? {
    do {
      let isGray = image.bands <= 2 && image.isPlainColor
      let choice = FormatChoice(
        encoding: encoding, path: path, keepsPixels: false, isGray: isGray,
        storage: PixelStorage(directory: Paths.temporaryDirectory))
      var attempts = 0
      _ = try choice.write(selected(try image.preparedForFilters()), attempts: &attempts)
      return nil
    } catch {
      return (
        RenderError(error, stage: .encode, code: .encodeFailed), RenderError.isCertain(error)
      )
    }
  }

  /// The image with only the frames that the encoding keeps.
  private func selected(_ image: VipsImage) throws(VipsError) -> VipsImage {
    let count: Int
    switch encoding.frames {
    case .all: return image
    case .first: count = 1
    case .count(let most): count = max(1, most)
    }
    guard count < image.pageCount else { return image }
    let part = try image.cropped(x: 0, y: 0, width: image.width, height: count * image.pageHeight)
    return count == 1 ? try part.editingMetadata { $0.remove("page-height") } : part
  }
}

/// A temporary directory for the files of one call.
struct TemporaryDirectory {
  let path: String

  init() throws(RenderError) {
    let parent = Paths.temporaryDirectory
    do throws(SystemError) {
      path = try TemporaryName.makeDirectory("\(parent)/imagemill-image-")
    } catch {
      throw RenderError.unwritable(parent, error)
    }
  }

  /// Removes the directory and its files.
  func remove() {
    do throws(SystemError) {
      try Directory.removeTree(path)
    } catch {
      // Ignore the error: the image has been written, and the files are in the system's temporary directory.
    }
  }
}
