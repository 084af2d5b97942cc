package import ImageFilters
package import Vips

/// A source's format, size, frames and orientation: enough to plan a pipeline and estimate its memory.
package struct SourceShape: Hashable, Sendable {
  package let format: ImageFormat
  /// One frame's size before the orientation is applied.
  package let stored: Size
  /// The number of frames in the file.
  package let frames: Int
  /// The EXIF orientation, 1 to 8.
  package let orientation: Int

  /// One frame's size after the orientation is applied.
  package var upright: Size { isTurned ? Size(width: stored.height, height: stored.width) : stored }

  /// Whether the orientation swaps width and height.
  package var isTurned: Bool { orientation >= 5 }

  /// Whether the source is a vector drawing.
  package var isDrawing: Bool { format == .svg || format == .pdf }

  /// Checks that `frames` frames are within the limits, before they are decoded.
  /// - Throws: `RenderError` with code `tooManyFrames` or `tooManyPixels`.
  package func check(frames: Int, within limits: RenderLimits) throws(RenderError) {
    guard self.frames <= limits.maxFrames || frames <= limits.maxFrames else {
      throw RenderError(
        code: .tooManyFrames, stage: .decode, .frames(self.frames, limit: limits.maxFrames),
        message: "the image has \(self.frames) frames, more than the limit of \(limits.maxFrames)")
    }
    let (pixels, overflows) = (stored.width * stored.height).multipliedReportingOverflow(by: frames)
    guard !overflows, pixels <= limits.maxPixels else {
      throw RenderError(
        code: .tooManyPixels, stage: .decode,
        .sourcePixels(pixels, frames: frames, limit: limits.maxPixels),
        message:
          "the image declares \(frames) frames of \(stored.width)x\(stored.height) pixels, in all more than "
          + "the limit of \(limits.maxPixels)")
    }
  }
}

extension SourceShape {
  /// The shape in stored facts; nil if the format is unknown.
  package init?(_ facts: SourceFacts) {
    guard let format = ImageFormat(rawValue: facts.format) else { return nil }
    let seen = Size(width: facts.width, height: facts.height)
    let turned = facts.orientation >= 5
    self.init(
      format: format, stored: turned ? Size(width: seen.height, height: seen.width) : seen,
      frames: facts.frames, orientation: facts.orientation)
  }
}

extension SourceFacts {
  package init(_ shape: SourceShape, hasAlpha: Bool) {
    self.init(
      format: shape.format.rawValue, width: shape.upright.width, height: shape.upright.height,
      frames: shape.frames, orientation: shape.orientation, hasAlpha: hasAlpha)
  }
}
