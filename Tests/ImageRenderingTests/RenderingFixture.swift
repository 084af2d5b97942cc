import Foundation
import ImageCaches
import ImageFilters
import Vips

@testable import ImageRendering

/// A directory of its own with images made for the test; it goes when the test ends.
final class RenderingFixture {
  let directory: String
  private var count = 0

  init() throws {
    directory = NSTemporaryDirectory() + "imagemill-rendering-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: directory) } catch {
      FileHandle.standardError.write(Data("can't remove \(directory): \(error)\n".utf8))
    }
  }

  /// A path that nobody has used.
  func path(_ name: String = "file") -> String {
    count += 1
    return "\(directory)/\(count)-\(name)"
  }

  /// An image of waves, so that nothing in it is plain and a JPEG of it is faithful.
  static func waves(_ width: Int, _ height: Int, alpha: Bool = false) throws -> VipsImage {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        let (u, v) = (Double(x) / 23, Double(y) / 31)
        pixels.append(UInt8(127 + 120 * sin(u)))
        pixels.append(UInt8(127 + 120 * cos(v)))
        pixels.append(UInt8(127 + 120 * sin(u + v)))
        if alpha { pixels.append(UInt8(127 + 120 * cos(u - v))) }
      }
    }
    return try VipsImage(
      pixels: pixels, width: width, height: height, bands: alpha ? 4 : 3, interpretation: .sRGB)
  }

  /// Saves an image with libvips' saver.
  func save(_ image: VipsImage, _ saver: String, _ name: String, _ options: VipsArguments = [:]) throws
    -> String
  {
    let path = path(name)
    let arguments: VipsArguments = ["in": .image(image), "filename": .string(path)]
    _ = try VipsOperation(saver, arguments.merging(options))
    return path
  }

  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let path = path(name)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  /// A recipe that writes into this directory.
  func recipe(
    _ id: Int, _ chain: String, _ pathExtension: String, _ change: (inout EncodingSettings) -> Void = { _ in }
  ) throws -> RenderRecipe {
    var settings = EncodingSettings()
    change(&settings)
    return RenderRecipe(
      id: id, chain: try FilterChain(parsing: chain),
      encoding: try Encoding(resolving: settings, pathExtension: pathExtension),
      temporaryPath: path("out.\(pathExtension)"))
  }

  func request(_ source: String, _ recipes: [RenderRecipe]) throws -> RenderRequest {
    let bytes = try Data(contentsOf: URL(filePath: source))
    return RenderRequest(source: .path(source), sourceDigest: ContentDigest(hashing: bytes), recipes: recipes)
  }

  func open(_ path: String, frames: Int = 1) throws -> VipsImage {
    let head = try Array(Data(contentsOf: URL(filePath: path)).prefix(4096))
    guard let format = ImageFormat(signature: head) else { throw NotAnImage(path: path) }
    return try Loader(format).open(path, sequential: false, frames: frames)
  }

  struct NotAnImage: Error { let path: String }
}

extension RenderResponse {
  /// The file of an output, or nil where it failed.
  func file(_ id: Int) -> RenderedFile? {
    guard case .success(let file)? = outputs.first(where: { $0.id == id })?.result else { return nil }
    return file
  }

  func failure(_ id: Int) -> RenderError? {
    guard case .failure(let error)? = outputs.first(where: { $0.id == id })?.result else { return nil }
    return error
  }
}
