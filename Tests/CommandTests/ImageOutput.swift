import Foundation
import Testing
import Vips

extension CommandRun {
  /// An output as libvips reads it, with every frame below the one before it.
  func image(_ name: String, frames: Int = 1) throws -> VipsImage {
    try Loader(format(of: name)).open(work + "/" + name, sequential: false, frames: frames)
  }

  /// An output's format, by its signature.
  func format(of name: String) throws -> ImageFormat {
    let head = try Array(Data(contentsOf: URL(fileURLWithPath: work + "/" + name)).prefix(4096))
    return try #require(ImageFormat(signature: head), "\(name) is no image")
  }
}

extension VipsImage {
  /// The color of one pixel, 0 to 255.
  func color(x: Int, y: Int) throws -> [Int] {
    try cropped(x: x, y: y, width: 1, height: 1).pixels().prefix(3).map(Int.init)
  }
}
